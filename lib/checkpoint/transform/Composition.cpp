#include "lib/checkpoint/transform/Composition.h"

#include <algorithm>
#include <numeric>

namespace proa::transform {

uint32_t Adaptations::indexOf(const Adaptation &adaptation) {
  auto at = std::ranges::find(list, adaptation);
  if (at == list.end())
    at = list.insert(list.end(), adaptation);
  return static_cast<uint32_t>(at - list.begin());
}

void Composition::add(Piece piece, std::span<const int64_t> sourceOffset, std::span<const int64_t> offset,
                      std::span<const int64_t> size) {
  pieces.push_back(piece);
  for (std::span<const int64_t> values : {sourceOffset, offset, size})
    bounds.insert(bounds.end(), values.begin(), values.end());
}

void Composition::addAlong(size_t axis, Piece piece, std::span<const int64_t> newSource,
                           std::span<const int64_t> newOffset, std::span<const int64_t> newSize,
                           const Adaptations &adaptations) {
  if (pieces.empty() || pieces.back().source != piece.source || pieces.back().adaptation != piece.adaptation)
    return add(piece, newSource, newOffset, newSize);
  size_t last = pieces.size() - 1;
  const std::vector<unsigned> &permutation = adaptations[piece.adaptation].permutation;
  int64_t length = pieceSize(last)[axis];
  bool continues = true;
  for (size_t i = 0; i < rank(); ++i) {
    int64_t shift = i == axis ? length : 0;
    continues &= offset(last)[i] + shift == newOffset[i] &&
                 sourceOffset(last)[permutation[i]] + shift == newSource[permutation[i]] &&
                 (i == axis || pieceSize(last)[i] == newSize[i]);
  }
  if (!continues)
    return add(piece, newSource, newOffset, newSize);
  bounds[(3 * last + 2) * rank() + axis] += newSize[axis];
}

void Composition::buildIndex() {
  if (pieces.size() < 2)
    return;
  std::vector<Box> boxes(pieces.size());
  for (size_t i = 0; i < pieces.size(); ++i)
    for (size_t axis = 0; axis < rank(); ++axis)
      boxes[i].push_back({offset(i)[axis], offset(i)[axis] + pieceSize(i)[axis]});
  index = std::make_shared<checkpoints::BoxIndex>(boxes);
}

void Composition::piecesIn(const Box &box, std::vector<size_t> &found) const {
  found.clear();
  if (index) {
    index->forEachOverlap(box, [&](size_t piece) { found.push_back(piece); });
    std::ranges::sort(found);
    return;
  }
  for (size_t i = 0; i < pieces.size(); ++i) {
    bool overlaps = true;
    for (size_t axis = 0; axis < rank(); ++axis)
      overlaps &= offset(i)[axis] < box[axis].end && box[axis].begin < offset(i)[axis] + pieceSize(i)[axis];
    if (overlaps)
      found.push_back(i);
  }
}

Composition wholeSource(uint32_t source, DType dtype, const std::vector<int64_t> &dims,
                        Adaptations &adaptations) {
  Composition composition(dtype, dims);
  Adaptation identity;
  identity.permutation.resize(dims.size());
  std::iota(identity.permutation.begin(), identity.permutation.end(), 0u);
  std::vector<int64_t> zero(dims.size(), 0);
  composition.add({source, adaptations.indexOf(identity)}, zero, zero, dims);
  return composition;
}

std::vector<Composition> splitComposition(const Composition &composition, size_t axis,
                                          std::span<const int64_t> sizes, const Adaptations &adaptations) {
  std::vector<Composition> results;
  std::vector<int64_t> ends;
  int64_t end = 0;
  for (int64_t size : sizes) {
    results.emplace_back(composition.dtype, composition.dims).dims[axis] = size;
    ends.push_back(end += size);
  }
  std::vector<int64_t> source, offset, size;
  for (size_t i = 0; i < composition.size(); ++i) {
    size_t sourceAxis = adaptations[composition.piece(i).adaptation].permutation[axis];
    int64_t begin = composition.offset(i)[axis], pieceEnd = begin + composition.pieceSize(i)[axis];
    auto first = static_cast<size_t>(std::ranges::upper_bound(ends, begin) - ends.begin());
    for (size_t k = first; k < ends.size() && ends[k] - sizes[k] < pieceEnd; ++k) {
      int64_t from = std::max(begin, ends[k] - sizes[k]), to = std::min(pieceEnd, ends[k]);
      if (from >= to)
        continue;
      source.assign(composition.sourceOffset(i).begin(), composition.sourceOffset(i).end());
      offset.assign(composition.offset(i).begin(), composition.offset(i).end());
      size.assign(composition.pieceSize(i).begin(), composition.pieceSize(i).end());
      source[sourceAxis] += from - begin;
      offset[axis] = from - (ends[k] - sizes[k]);
      size[axis] = to - from;
      results[k].add(composition.piece(i), source, offset, size);
    }
  }
  return results;
}

Composition mergeCompositions(std::span<const Composition *const> compositions, size_t axis,
                              const Adaptations &adaptations) {
  Composition result(compositions.front()->dtype, compositions.front()->dims);
  int64_t begin = 0;
  std::vector<int64_t> offset;
  for (const Composition *composition : compositions) {
    for (size_t i = 0; i < composition->size(); ++i) {
      offset.assign(composition->offset(i).begin(), composition->offset(i).end());
      offset[axis] += begin;
      result.addAlong(axis, composition->piece(i), composition->sourceOffset(i), offset,
                      composition->pieceSize(i), adaptations);
    }
    begin += composition->dims[axis];
  }
  result.dims[axis] = begin;
  return result;
}

Composition transposeComposition(const Composition &composition, std::span<const unsigned> permutation,
                                 Adaptations &adaptations) {
  auto permuted = [&](auto values) {
    std::vector<typename decltype(values)::value_type> result;
    for (unsigned dim : permutation)
      result.push_back(values[dim]);
    return result;
  };
  Composition result(composition.dtype, permuted(composition.dims));
  for (size_t i = 0; i < composition.size(); ++i) {
    Adaptation adaptation = adaptations[composition.piece(i).adaptation];
    adaptation.permutation = permuted(adaptation.permutation);
    auto list = [](std::span<const int64_t> values) {
      return std::vector<int64_t>(values.begin(), values.end());
    };
    result.add({composition.piece(i).source, adaptations.indexOf(adaptation)}, composition.sourceOffset(i),
               permuted(list(composition.offset(i))), permuted(list(composition.pieceSize(i))));
  }
  return result;
}

Composition castComposition(const Composition &composition, DType dtype, Adaptations &adaptations) {
  Composition result(dtype, composition.dims);
  for (size_t i = 0; i < composition.size(); ++i) {
    Adaptation adaptation = adaptations[composition.piece(i).adaptation];
    if (composition.dtype != dtype)
      adaptation.casts.push_back(dtype);
    result.add({composition.piece(i).source, adaptations.indexOf(adaptation)}, composition.sourceOffset(i),
               composition.offset(i), composition.pieceSize(i));
  }
  return result;
}

} // namespace proa::transform
