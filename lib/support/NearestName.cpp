#include "lib/support/NearestName.h"

#include <algorithm>
#include <numeric>

namespace proa {
namespace {

/// Number of insertions, deletions and replacements that turn `a` into `b` (Levenshtein).
size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> previous(b.size() + 1), current(b.size() + 1);
  std::iota(previous.begin(), previous.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    current[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j)
      current[j + 1] = std::min({previous[j + 1] + 1, current[j] + 1, previous[j] + (a[i] == b[j] ? 0 : 1)});
    std::swap(previous, current);
  }
  return previous.back();
}

} // namespace

std::optional<std::string> nearestName(std::string_view name, const std::vector<std::string> &candidates) {
  std::optional<std::string> nearest;
  size_t least = std::max<size_t>(2, name.size() / 3) + 1;
  for (const std::string &candidate : candidates)
    if (size_t distance = editDistance(name, candidate); distance < least && distance < candidate.size()) {
      least = distance;
      nearest = candidate;
    }
  return nearest;
}

} // namespace proa
