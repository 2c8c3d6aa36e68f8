#include "lib/base/support/Suggest.h"

#include <algorithm>
#include <cctype>

namespace proa {
namespace {

std::string lowered(std::string_view text) {
  std::string result(text);
  for (char &c : result)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// The optimal string alignment distance, or `bound` + 1 if it exceeds `bound`.
size_t editDistance(std::string_view a, std::string_view b, size_t bound) {
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > bound)
    return bound + 1;
  std::vector<size_t> beforeLast(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    size_t least = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], beforeLast[j - 2] + 1);
      least = std::min(least, row[j]);
    }
    if (least > bound)
      return bound + 1;
    std::swap(beforeLast, last);
    std::swap(last, row);
  }
  return std::min(last[b.size()], bound + 1);
}

/// One wrong character in three counts as a misspelling; for short names, two characters.
size_t boundFor(std::string_view name) { return std::max<size_t>(2, name.size() / 3); }

struct Candidate {
  size_t rank;
  const std::string *name;
};

} // namespace

std::vector<std::string> nearNames(std::string_view name, std::span<const std::string> candidates,
                                   size_t limit) {
  constexpr size_t shortestPrefix = 3;
  if (name.empty())
    return {};
  std::string target = lowered(name);
  size_t bound = boundFor(name);
  std::vector<Candidate> matches;
  for (const std::string &candidate : candidates) {
    std::string text = lowered(candidate);
    size_t distance = editDistance(target, text, bound);
    bool isPrefix = std::min(target.size(), text.size()) >= shortestPrefix &&
                    (text.starts_with(target) || target.starts_with(text));
    if (distance <= bound && distance < candidate.size())
      matches.push_back({distance, &candidate});
    else if (isPrefix)
      matches.push_back({bound + 1, &candidate});
  }
  std::stable_sort(matches.begin(), matches.end(), [](const Candidate &a, const Candidate &b) {
    return std::pair(a.rank, a.name->size()) < std::pair(b.rank, b.name->size());
  });
  std::vector<std::string> names;
  for (const Candidate &candidate : matches)
    if (candidate.rank == matches.front().rank && names.size() < limit &&
        std::find(names.begin(), names.end(), *candidate.name) == names.end())
      names.push_back(*candidate.name);
  return names;
}

std::string didYouMean(std::string_view name, std::span<const std::string> candidates,
                       std::string_view prefix) {
  std::string text;
  for (const std::string &near : nearNames(name, candidates))
    text += (text.empty() ? "; did you mean '" : ", '") + std::string(prefix) + near + "'";
  return text.empty() ? text : text + "?";
}

} // namespace proa
