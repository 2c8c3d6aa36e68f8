/// JSON parsing with errors as Diagnostics.
#pragma once

#include "proa/Result.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace proa {

/// Parses `text`. `where` is the location of errors: invalid JSON (with the byte), a number out of the
/// range of double. `filter` is nlohmann's parser callback.
Result<nlohmann::json> parseJson(std::string_view text, const std::string &where,
                                 const nlohmann::json::parser_callback_t &filter = nullptr);

/// Parses a JSON file. Errors: from reading it and from parseJson.
Result<nlohmann::json> readJsonFile(const std::string &path);

} // namespace proa
