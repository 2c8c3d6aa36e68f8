#include "lib/base/support/Json.h"

#include "lib/base/support/Files.h"

#include <fmt/format.h>

namespace proa {

using nlohmann::json;

Result<json> parseJson(std::string_view text, const std::string &where,
                       const json::parser_callback_t &filter) {
  try {
    return json::parse(text, filter);
  } catch (const json::parse_error &error) {
    return errorAt(where, fmt::format("invalid JSON at byte {}", error.byte));
  } catch (const json::out_of_range &) {
    return errorAt(where, "the JSON has a number out of the range of double");
  }
}

Result<json> readJsonFile(const std::string &path) {
  Result<std::string> text = readFile(path);
  if (!text)
    return text.diagnostics();
  return parseJson(*text, path);
}

} // namespace proa
