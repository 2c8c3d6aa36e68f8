#include "lib/checkpoint/Plan.h"

#include "lib/checkpoint/BoxIndex.h"

#include <fmt/format.h>

#include <algorithm>

namespace proa::checkpoints {

Result<std::vector<Piece>> planPieces(const std::string &name, std::span<const Box> sources,
                                      std::span<const Box> targets) {
  constexpr size_t fewSources = 16; // comparing all takes less than building an index
  bool areFew = sources.size() <= fewSources;
  BoxIndex index(areFew ? std::span<const Box>() : sources);
  std::vector<Piece> pieces;
  pieces.reserve(std::max(sources.size(), targets.size()));
  Diagnostics diagnostics;
  for (size_t target = 0; target < targets.size(); ++target) {
    size_t begin = pieces.size();
    int64_t covered = 0;
    auto add = [&](size_t source) {
      if (std::optional<Box> common = intersection(sources[source], targets[target])) {
        covered += volumeOf(*common);
        pieces.push_back({source, target, std::move(*common)});
      }
    };
    for (size_t source = 0; areFew && source < sources.size(); ++source)
      add(source);
    index.forEachOverlap(targets[target], add);
    if (!areFew && pieces.size() - begin > 1)
      std::sort(pieces.begin() + static_cast<ptrdiff_t>(begin), pieces.end(),
                [](const Piece &a, const Piece &b) { return a.source < b.source; });
    if (covered != volumeOf(targets[target]))
      diagnostics.add("tensor '" + name + "'",
                      fmt::format("the shards have {} of the {} elements of {}", covered,
                                  volumeOf(targets[target]), toText(targets[target])));
  }
  if (!diagnostics.empty())
    return diagnostics;
  return pieces;
}

/// Whether a box has the rank of the tensor and is inside it.
static bool isInside(const Box &box, spmd::Dims dims) {
  if (box.size() != dims.size())
    return false;
  for (size_t d = 0; d < dims.size(); ++d)
    if (box[d].begin < 0 || box[d].end > dims[d] || box[d].begin > box[d].end)
      return false;
  return true;
}

Result<void> checkCover(const std::string &where, const std::string &name, spmd::Dims dims,
                        std::span<const Box> boxes) {
  Diagnostics diagnostics;
  auto wrong = [&](const std::string &message) {
    diagnostics.add(where, "tensor '" + name + "': " + message);
  };
  Box whole = wholeBox(dims);
  int64_t covered = 0;
  for (const Box &box : boxes) {
    if (!isInside(box, dims))
      wrong("the shard " + toText(box) + " is outside of " + toText(whole));
    else
      covered += volumeOf(box);
  }
  if (!diagnostics.empty())
    return diagnostics;
  if (boxes.size() > 1) {
    BoxIndex index(boxes);
    for (size_t i = 0; i < boxes.size(); ++i)
      index.forEachOverlap(boxes[i], [&](size_t other) {
        if (other < i)
          wrong("the shards " + toText(boxes[other]) + " and " + toText(boxes[i]) + " have common elements");
      });
  }
  if (diagnostics.empty() && covered != volumeOf(whole))
    wrong(fmt::format("the shards have {} of {} elements", covered, volumeOf(whole)));
  return diagnostics;
}

} // namespace proa::checkpoints
