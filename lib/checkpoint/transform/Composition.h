/// Compositions: a tensor as parts of source tensors.
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

/// Changes of a part: a transpose (dimension i of the result is dimension permutation[i] of the source), and
/// casts, from first to last.
struct Adaptation {
  std::vector<unsigned> permutation;
  std::vector<DType> casts = {};
  bool operator==(const Adaptation &) const = default;
};

/// The adaptations of a program; parts name them by index.
class Adaptations {
public:
  uint32_t indexOf(const Adaptation &adaptation);
  const Adaptation &operator[](uint32_t index) const { return list[index]; }

private:
  std::vector<Adaptation> list;
};

/// A tensor as a list of parts. Parts are disjoint and cover the tensor.
class Composition {
public:
  Composition() = default;
  Composition(DType dtype, std::vector<int64_t> dims) : dtype(dtype), dims(std::move(dims)) {}

  struct Part {
    uint32_t source = 0, adaptation = 0;
  };

  /// After casts.
  DType dtype = DType::Float32;
  std::vector<int64_t> dims;

  size_t rank() const { return dims.size(); }
  size_t size() const { return parts.size(); }
  const Part &part(size_t i) const { return parts[i]; }
  /// In dims of the source.
  std::span<const int64_t> sourceOffset(size_t i) const { return {bounds.data() + 3 * rank() * i, rank()}; }
  /// In dims of the result, as the size.
  std::span<const int64_t> offset(size_t i) const { return {bounds.data() + (3 * i + 1) * rank(), rank()}; }
  std::span<const int64_t> partSize(size_t i) const { return {bounds.data() + (3 * i + 2) * rank(), rank()}; }

  void add(Part part, std::span<const int64_t> sourceOffset, std::span<const int64_t> offset,
           std::span<const int64_t> size);
  /// Adds a part, or extends the last one if the part continues it along `axis`, as heads of a fused tensor.
  void addAlong(size_t axis, Part part, std::span<const int64_t> sourceOffset,
                std::span<const int64_t> offset, std::span<const int64_t> size,
                const Adaptations &adaptations);

  /// Prepares `partsIn` for many parts.
  void buildIndex();
  /// Ascending indices of the parts that have elements of the box.
  void partsIn(const Box &box, std::vector<size_t> &found) const;

private:
  std::vector<Part> parts;
  /// Of each part: the source's offset, the offset, the size.
  std::vector<int64_t> bounds;
  std::shared_ptr<const checkpoints::BoxIndex> index;
};

/// All of source `source`.
Composition wholeSource(uint32_t source, DType dtype, const std::vector<int64_t> &dims,
                        Adaptations &adaptations);
/// Parts of `sizes` along an axis; the sizes add up to the size of the axis.
std::vector<Composition> splitComposition(const Composition &composition, size_t axis,
                                          std::span<const int64_t> sizes, const Adaptations &adaptations);
/// Compositions of equal dims, except along the axis.
Composition mergeCompositions(std::span<const Composition *const> compositions, size_t axis,
                              const Adaptations &adaptations);
Composition transposeComposition(const Composition &composition, std::span<const unsigned> permutation,
                                 Adaptations &adaptations);
Composition castComposition(const Composition &composition, DType dtype, Adaptations &adaptations);

} // namespace proa::transform
