/// Suggestions for misspelt names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace proa {

/// The candidate that `name` is most likely a misspelling of: the one with the least edit distance, or none
/// if more than a third of the name's characters would have to change.
std::optional<std::string> nearestName(std::string_view name, const std::vector<std::string> &candidates);

} // namespace proa
