/// Parsing JSON, with errors as Problems.
#pragma once

#include "proa/Result.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace proa {

/// Parses `text`. `where` stands before the problem: no valid JSON (with the byte), a number that no double
/// holds. `filter` is nlohmann's parser callback.
Result<nlohmann::json> parseJson(std::string_view text, const std::string &where,
                                 const nlohmann::json::parser_callback_t &filter = nullptr);

/// The JSON of a file. Errors: those of reading it and of parseJson.
Result<nlohmann::json> readJsonFile(const std::string &path);

} // namespace proa
