/// Options for training programs that tools share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace proa::tools {

/// The value of `--recompute` without a value: recompute only what is nearly free.
inline constexpr const char *cheapRecomputation = "cheap";

/// ModelOptions::memoryBudget for a value of --recompute that passed checkMemoryBudget.
inline std::optional<int64_t> memoryBudgetOf(const std::string &text) {
  if (text.empty())
    return std::nullopt;
  return text == cheapRecomputation ? -1 : std::stoll(text);
}

/// The error of the text, or "".
inline std::string checkMemoryBudget(const std::string &text) {
  bool isNumber =
      !text.empty() && text.size() < 19 && text.find_first_not_of("0123456789") == std::string::npos;
  return isNumber || text == cheapRecomputation ? "" : "expected a number of bytes, found " + text;
}

/// Whether the argument after `--recompute` is meant as its value: a number, possibly with a unit or an
/// exponent. A model with such a name is written ./100.
inline bool isMemoryBudget(const std::string &text) {
  return text == cheapRecomputation ||
         (text.find_first_of("0123456789") == 0 &&
          text.find_first_not_of("0123456789.eEkKmMgGiIbB") == std::string::npos);
}

} // namespace proa::tools
