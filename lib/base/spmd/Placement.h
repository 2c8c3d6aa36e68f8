/// Placements: which elements of a tensor each position of a mesh holds. docs/dist.md has the definitions and
/// reasons.
#pragma once

#include "lib/base/spmd/Mesh.h"

#include <span>

namespace proa::spmd {

/// How the local tensors of a partial value combine to the value. `Avg` is the mean of the local tensors.
enum class Reduction : uint8_t { Sum, Max, Min, Prod, Avg, Any, All };

/// The keyword: "sum".
std::string_view keywordOf(Reduction reduction);

/// Whether reductions over different axes may be done in any order: equal ones, and sum with avg.
bool commute(Reduction a, Reduction b);

/// Indices from begin to end - 1.
struct Range {
  int64_t begin = 0, end = 0;
  int64_t size() const { return end - begin; }
  bool operator==(const Range &) const = default;
};

/// Shard `index` of `count` of `size` elements: it begins at ceil(index * size / count). Sizes differ by at
/// most one, and shard 0 is the largest. The shards of a shard are shards of a finer split:
/// shardRange(size, k * m, i * m + j) for j = 0..m-1 together are shardRange(size, k, i).
Range shardRange(int64_t size, int64_t count, int64_t index);

/// The most blocks of a dimension.
inline constexpr int64_t mostBlocks = 4096;

/// The split of one dimension.
struct DimPlacement {
  /// From major to minor; the dimension has as many shards as the product of their sizes.
  std::vector<AxisRef> axes = {};
  /// Sizes of the blocks that are each split (fused weights); empty: the dimension is one block. Always empty
  /// if there are no axes.
  std::vector<int64_t> blocks = {};

  int64_t shardCount() const { return spmd::shardCount(axes); }
  bool operator==(const DimPlacement &) const = default;
};

/// An axis over which the local tensors are combined.
struct PartialAxis {
  AxisRef axis;
  Reduction reduction = Reduction::Sum;
  bool operator==(const PartialAxis &) const = default;
};

/// A placement. The value is replicated over all axes that it does not name.
struct Placement {
  std::vector<DimPlacement> dims;
  std::vector<PartialAxis> partial = {};

  /// Each device has the whole value, of `rank` dims.
  static Placement replicated(int64_t rank) { return {std::vector<DimPlacement>(static_cast<size_t>(rank))}; }
  bool operator==(const Placement &) const = default;
};

/// Dims of a tensor.
using Dims = std::span<const int64_t>;

/// The indices that a position holds of a dimension of `size` elements, ascending. The local tensor has them
/// in this order. Empty ranges are left out.
std::vector<Range> localRanges(const Mesh &mesh, const DimPlacement &dim, int64_t size, int64_t position);

/// The dims of the local tensor of a position.
std::vector<int64_t> localDims(const Mesh &mesh, const Placement &placement, Dims dims, int64_t position);

/// The local size of a dimension if all positions have the same, otherwise none.
std::optional<int64_t> evenLocalSize(const DimPlacement &dim, int64_t size);

/// The largest number of elements that a position holds: position 0 has it.
int64_t largestLocalCount(const Placement &placement, Dims dims);

/// Whether a position holds an element (or a partial value of it).
bool holds(const Mesh &mesh, const Placement &placement, Dims dims, int64_t position, Dims index);

/// The positions that hold an element, ascending.
std::vector<int64_t> holdersOf(const Mesh &mesh, const Placement &placement, Dims dims, Dims index);

/// The index of a position among those with different coordinates on the partial axes.
int64_t partialCoordinate(const Mesh &mesh, const Placement &placement, int64_t position);

/// Text of block sizes: `8, 4, 4`; three or more equal ones are `3 * 16`.
std::string blocksText(std::span<const int64_t> blocks);

/// Text for messages: `[{x, y}, {}] partial=sum{z}`; a sub-axis is `x:(1)2`.
std::string toText(const Mesh &mesh, const Placement &placement);

} // namespace proa::spmd
