/// Suggestions for misspelt names: "did you mean 'relu'?".
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proa {

/// The candidates that are nearest to `name`, which a user may have meant: those at the least edit distance,
/// where that is small (a swap of two neighbours counts once, letter case not at all), or else names of which
/// one begins with the other. At most `limit`, short names first.
std::vector<std::string> nearNames(std::string_view name, std::span<const std::string> candidates,
                                   size_t limit = 3);

/// "; did you mean 'a', 'b'?" for the end of a message, or "" where no candidate is near. `prefix` is printed
/// before each name: "--".
std::string didYouMean(std::string_view name, std::span<const std::string> candidates,
                       std::string_view prefix = "");

} // namespace proa
