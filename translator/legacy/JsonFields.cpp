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

std::string describe(Element value) {
  constexpr size_t longest = 60;
  if (value.is_object())
    return "an object";
  if (value.is_array())
    return "a list";
  std::string text = simdjson::minify(value);
  return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

bool isCamelCaseOf(std::string_view key, std::string_view name) {
  size_t k = 0;
  for (size_t n = 0; n < name.size(); ++n, ++k) {
    char wanted = name[n];
    if (wanted == '_' && n + 1 < name.size())
      wanted = static_cast<char>(name[++n] >= 'a' && name[n] <= 'z' ? name[n] - 'a' + 'A' : name[n]);
    if (k >= key.size() || key[k] != wanted)
      return false;
  }
  return k == key.size();
}

void ValueReader::wrong(const Path &at, Element found, std::string_view expected) {
  report.add(at.text(), fmt::format("found {}, expected {}", describe(found), expected));
}

int64_t ValueReader::integer(const Path &at, Element value, int64_t low, int64_t high,
                             std::string_view expected) {
  int64_t number = 0;
  bool isInteger = false;
  if (value.is_int64()) {
    number = value.get_int64().value_unsafe();
    isInteger = true;
  } else if (value.is_string()) {
    std::string_view text = value.get_string().value_unsafe();
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    isInteger = error == std::errc() && end == text.data() + text.size() && !text.empty();
  } else if (value.is_double()) {
    double real = value.get_double().value_unsafe();
    // 2^63 is the first double that no int64 holds.
    isInteger = real >= -0x1p63 && real < 0x1p63 && real == static_cast<double>(static_cast<int64_t>(real));
    number = isInteger ? static_cast<int64_t>(real) : 0;
  }
  if (isInteger && number >= low && number <= high)
    return number;
  wrong(at, value, expected);
  return 0;
}

double ValueReader::number(const Path &at, Element value) {
  if (value.is_number())
    return value.get_double().value_unsafe();
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) {
    if (text == "NaN")
      return std::numeric_limits<double>::quiet_NaN();
    if (text == "Infinity")
      return std::numeric_limits<double>::infinity();
    if (text == "-Infinity")
      return -std::numeric_limits<double>::infinity();
    double number = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size() && !text.empty())
      return number;
  }
  wrong(at, value, "a number, \"NaN\", \"Infinity\" or \"-Infinity\"");
  return 0;
}

bool ValueReader::boolean(const Path &at, Element value) {
  if (value.is_bool())
    return value.get_bool().value_unsafe();
  wrong(at, value, "true or false");
  return false;
}

std::string_view ValueReader::string(const Path &at, Element value) {
  if (value.is_string())
    return value.get_string().value_unsafe();
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
