#include "translator/legacy/JsonFields.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

namespace proa::legacy::json {

std::string Path::text() const {
  std::string before = parent ? parent->text() : "";
  if (index >= 0)
    return before + "[" + std::to_string(index) + "]";
  if (before.empty())
    return std::string(key);
  return before + "." + std::string(key);
}

std::string_view tokenOf(Element value) {
  std::string_view token = value.raw_json_token();
  return token.substr(0, token.find_last_not_of(" \t\r\n") + 1);
}

std::string describe(Element value) {
  constexpr size_t longest = 60;
  std::string_view text = tokenOf(value);
  if (text.starts_with('{'))
    return "an object";
  if (text.starts_with('['))
    return "a list";
  return text.size() <= longest ? std::string(text) : std::string(text.substr(0, longest)) + "...";
}

bool isCamelCaseOf(std::string_view key, std::string_view name) {
  size_t k = 0;
  for (size_t n = 0; n < name.size(); ++n, ++k) {
    char expected = name[n];
    if (expected == '_' && n + 1 < name.size())
      expected = static_cast<char>(name[++n] >= 'a' && name[n] <= 'z' ? name[n] - 'a' + 'A' : name[n]);
    if (k >= key.size() || key[k] != expected)
      return false;
  }
  return k == key.size();
}

void ValueReader::wrong(const Path &at, Element found, std::string_view expected) {
  report.add(at.text(), fmt::format("found {}, expected {}", describe(found), expected));
}

namespace {

/// A number that is all of a text.
template <class Number> bool parse(std::string_view text, Number &value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

/// Of a string without escapes, what stands between its quotes.
std::optional<std::string_view> plainString(std::string_view token) {
  if (token.size() < 2 || token.front() != '"' || token.find('\\') != std::string_view::npos)
    return std::nullopt;
  return token.substr(1, token.size() - 2);
}

} // namespace

int64_t ValueReader::integer(const Path &at, Element value, int64_t low, int64_t high,
                             std::string_view expected) {
  int64_t scalar = 0;
  double real = 0;
  bool isInteger = false;
  if (std::optional<std::string_view> text = plainString(tokenOf(value))) {
    isInteger = parse(*text, scalar) && readString(value);
  } else if (value.get_int64().get(scalar) == simdjson::SUCCESS) {
    isInteger = true;
  } else if (value.get_double().get(real) == simdjson::SUCCESS) {
    // 2^63 is the first double that no int64 holds.
    isInteger = real >= -0x1p63 && real < 0x1p63 && real == static_cast<double>(static_cast<int64_t>(real));
    scalar = isInteger ? static_cast<int64_t>(real) : 0;
  }
  if (isInteger && scalar >= low && scalar <= high)
    return scalar;
  wrong(at, value, expected);
  return 0;
}

double ValueReader::number(const Path &at, Element value) {
  double scalar = 0;
  std::optional<std::string_view> text = plainString(tokenOf(value));
  if (!text && value.get_double().get(scalar) == simdjson::SUCCESS)
    return scalar;
  if (text && readString(value)) {
    if (*text == "NaN")
      return std::numeric_limits<double>::quiet_NaN();
    if (*text == "Infinity")
      return std::numeric_limits<double>::infinity();
    if (*text == "-Infinity")
      return -std::numeric_limits<double>::infinity();
    if (parse(*text, scalar))
      return scalar;
  }
  wrong(at, value, "a number, \"NaN\", \"Infinity\" or \"-Infinity\"");
  return 0;
}

bool ValueReader::boolean(const Path &at, Element value) {
  bool flag = false;
  if (value.get_bool().get(flag) == simdjson::SUCCESS)
    return flag;
  wrong(at, value, "true or false");
  return false;
}

bool ValueReader::readString(Element value) {
  simdjson::ondemand::raw_json_string text;
  return value.get_raw_json_string().get(text) == simdjson::SUCCESS;
}

std::string_view ValueReader::string(const Path &at, Element value) {
  std::string_view text;
  if (std::optional<std::string_view> plain = plainString(tokenOf(value)); plain && readString(value))
    return *plain;
  if (value.get_string().get(text) == simdjson::SUCCESS)
    return text;
  wrong(at, value, "a string");
  return {};
}

void ValueReader::unknownKey(const Path &at, std::string_view key, const std::string_view *names,
                             size_t count) {
  report.add(at.text(),
             fmt::format("unknown key '{}', expected one of {}", key, fmt::join(names, names + count, ", ")));
}

void ValueReader::missingKeys(const Path &at, const std::string_view *names, uint32_t missing) {
  for (size_t i = 0; missing != 0; ++i, missing >>= 1)
    if (missing & 1)
      report.add(at.text(), fmt::format("key '{}' is missing", names[i]));
}

} // namespace proa::legacy::json
