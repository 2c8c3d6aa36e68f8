/// Compositions: a tensor as pieces of source tensors.
#pragma once

#include "lib/checkpoint/BoxIndex.h"

#include "proa/Tensor.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace proa::transform {

using checkpoints::Box;

/// Changes of a piece: a transpose (dimension i of the result is dimension permutation[i] of the source), and
/// casts, from first to last.
struct Adaptation {
  std::vector<unsigned> permutation;
  std::vector<DType> casts = {};
  bool operator==(const Adaptation &) const = default;
};

/// The adaptations of a program; pieces name them by index.
class Adaptations {
public:
  uint32_t indexOf(const Adaptation &adaptation);
  const Adaptation &operator[](uint32_t index) const { return list[index]; }

private:
  std::vector<Adaptation> list;
};

/// A tensor as a list of pieces. Pieces are disjoint and cover the tensor.
class Composition {
public:
  Composition() = default;
  Composition(DType dtype, std::vector<int64_t> dims) : dtype(dtype), dims(std::move(dims)) {}

  struct Piece {
    uint32_t source = 0, adaptation = 0;
  };

  /// After casts.
  DType dtype = DType::Float32;
  std::vector<int64_t> dims;

  size_t rank() const { return dims.size(); }
  size_t size() const { return pieces.size(); }
  const Piece &piece(size_t i) const { return pieces[i]; }
  /// In dims of the source.
  std::span<const int64_t> sourceOffset(size_t i) const { return {bounds.data() + 3 * rank() * i, rank()}; }
  /// In dims of the result, as the size.
  std::span<const int64_t> offset(size_t i) const { return {bounds.data() + (3 * i + 1) * rank(), rank()}; }
  std::span<const int64_t> pieceSize(size_t i) const {
    return {bounds.data() + (3 * i + 2) * rank(), rank()};
  }

  void add(Piece piece, std::span<const int64_t> sourceOffset, std::span<const int64_t> offset,
           std::span<const int64_t> size);
  /// Adds a piece, or extends the last one if the piece continues it along `axis`, as heads of a fused
  /// tensor.
  void addAlong(size_t axis, Piece piece, std::span<const int64_t> sourceOffset,
                std::span<const int64_t> offset, std::span<const int64_t> size,
                const Adaptations &adaptations);

  /// Prepares `piecesIn` for many pieces.
  void buildIndex();
  /// Ascending indices of the pieces that have elements of the box.
  void piecesIn(const Box &box, std::vector<size_t> &found) const;

private:
  std::vector<Piece> pieces;
  /// Of each piece: the source's offset, the offset, the size.
  std::vector<int64_t> bounds;
  std::shared_ptr<const checkpoints::BoxIndex> index;
};

/// All of source `source`.
Composition wholeSource(uint32_t source, DType dtype, const std::vector<int64_t> &dims,
                        Adaptations &adaptations);
/// Pieces of `sizes` along an axis; the sizes add up to the size of the axis.
std::vector<Composition> splitComposition(const Composition &composition, size_t axis,
                                          std::span<const int64_t> sizes, const Adaptations &adaptations);
/// Compositions of equal dims, except along the axis.
Composition mergeCompositions(std::span<const Composition *const> compositions, size_t axis,
                              const Adaptations &adaptations);
Composition transposeComposition(const Composition &composition, std::span<const unsigned> permutation,
                                 Adaptations &adaptations);
Composition castComposition(const Composition &composition, DType dtype, Adaptations &adaptations);

} // namespace proa::transform
