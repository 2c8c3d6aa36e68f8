#include "lib/checkpoint/transform/Mapping.h"

#include <algorithm>

namespace proa::transform {

const Target *Mapping::find(std::string_view name) const {
  auto at = std::ranges::lower_bound(targets, name, {},
                                     [](const Target &target) -> std::string_view { return target.name; });
  return at != targets.end() && at->name == name ? &*at : nullptr;
}

void Mapping::fragmentsOf(const Target &target, const Box &box, std::vector<Fragment> &fragments) const {
  fragmentsOf(*target.composition, box, fragments);
}

void Mapping::fragmentsOf(const Composition &composition, const Box &box,
                          std::vector<Fragment> &fragments) const {
  fragments.clear();
  std::vector<size_t> pieces;
  composition.piecesIn(box, pieces);
  for (size_t index : pieces) {
    Fragment &fragment = fragments.emplace_back();
    fragment.source = &sources[composition.piece(index).source];
    fragment.adaptation = &adaptations[composition.piece(index).adaptation];
    size_t rank = composition.rank();
    fragment.sourceBox.resize(rank);
    fragment.targetBox.resize(rank);
    for (size_t axis = 0; axis < rank; ++axis) {
      int64_t pieceBegin = composition.offset(index)[axis],
              pieceEnd = pieceBegin + composition.pieceSize(index)[axis];
      spmd::Range range{std::max(pieceBegin, box[axis].begin), std::min(pieceEnd, box[axis].end)};
      fragment.targetBox[axis] = range;
      unsigned sourceAxis = fragment.adaptation->permutation[axis];
      int64_t shift = composition.sourceOffset(index)[sourceAxis] - pieceBegin;
      fragment.sourceBox[sourceAxis] = {range.begin + shift, range.end + shift};
    }
  }
}

} // namespace proa::transform
