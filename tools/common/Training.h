/// Options for training programs that tools share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace proa::tools {

/// `--recompute` without a value: what costs next to no time.
inline constexpr const char *cheapRecomputation = "cheap";

/// ModelOptions::memoryBudget for the text of that option, which passed checkMemoryBudget.
inline std::optional<int64_t> memoryBudgetOf(const std::string &text) {
  if (text.empty())
    return std::nullopt;
  return text == cheapRecomputation ? -1 : std::stoll(text);
}

/// What is wrong with the text, or nothing.
inline std::string checkMemoryBudget(const std::string &text) {
  bool isNumber =
      !text.empty() && text.size() < 19 && text.find_first_not_of("0123456789") == std::string::npos;
  return isNumber || text == cheapRecomputation ? "" : "expected a number of bytes, found " + text;
}

/// Whether the argument after `--recompute` is its value, right or wrong: a number, with a unit or an
/// exponent perhaps. A model with such a name is written ./100.
inline bool isMemoryBudget(const std::string &text) {
  return text == cheapRecomputation ||
         (text.find_first_of("0123456789") == 0 &&
          text.find_first_not_of("0123456789.eEkKmMgGiIbB") == std::string::npos);
}

} // namespace proa::tools
