/// Suggestions for misspelt names: "did you mean 'relu'?".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proa {

/// The candidates nearest to `name`: those with the smallest edit distance, if that is small (a swap of two
/// neighbors counts once, letter case is ignored), else names of which one is a prefix of the other. At most
/// `limit`, short names first.
std::vector<std::string> nearNames(std::string_view name, std::span<const std::string> candidates,
                                   size_t limit = 3);

/// "; did you mean 'a', 'b'?" for the end of a message, or "". `prefix` is printed before each name: "--".
std::string didYouMean(std::string_view name, std::span<const std::string> candidates,
                       std::string_view prefix = "");

} // namespace proa
