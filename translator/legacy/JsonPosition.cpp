#include "translator/legacy/JsonPosition.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace proa::legacy::json {
namespace {

/// Accepts any JSON and keeps the first error. The parser does not recurse, so that depth does no
/// harm.
struct ErrorFinder : nlohmann::json_sax<nlohmann::json> {
  size_t byte = 0;
  std::string message;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }
  bool start_object(size_t) override { return true; }
  bool key(string_t &) override { return true; }
  bool end_object() override { return true; }
  bool start_array(size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(size_t position, const std::string &, const nlohmann::detail::exception &error) override {
    byte = position;
    message = error.what();
    return false;
  }
};

/// "[json.exception.parse_error.101] parse error at line 1, column 4: syntax error while ..." without what we
/// say ourselves.
std::string_view withoutPrefix(std::string_view message) {
  size_t column = message.find("column ");
  size_t colon = message.find(": ", column == std::string_view::npos ? 0 : column);
  return colon == std::string_view::npos ? message : message.substr(colon + 2);
}

/// The message quotes what was read last, which can be long and can hold bytes that are not UTF-8.
std::string printable(std::string_view text) {
  constexpr size_t longest = 300;
  std::string out;
  for (char c : text.substr(0, longest))
    out += c >= ' ' && c < 0x7f ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return text.size() > longest ? out + "..." : out;
}

} // namespace

std::string describeDamage(std::string_view text, std::string_view otherwise) {
  ErrorFinder finder;
  if (nlohmann::json::sax_parse(text.begin(), text.end(), &finder))
    return std::string(otherwise);
  // The parser counts the byte at which it stopped.
  std::string_view before = text.substr(0, finder.byte > 0 ? finder.byte - 1 : 0);
  size_t line = static_cast<size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  size_t lineStart = before.rfind('\n');
  size_t column = before.size() - (lineStart == std::string_view::npos ? 0 : lineStart + 1) + 1;
  return fmt::format("line {}, column {} (byte {}): {}", line, column, before.size(),
                     printable(withoutPrefix(finder.message)));
}

} // namespace proa::legacy::json
