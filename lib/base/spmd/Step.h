/// Steps between placements: one collective or local operation each.
#pragma once

#include "lib/base/spmd/Placement.h"

namespace proa::spmd {

enum class StepKind : uint8_t {
  /// Local: dimensions are split further over axes that the source does not use.
  Slice,
  /// Local: a replicated value, or a shard of a split one, becomes a term of a partial value.
  ToPartial,
  /// Dimensions are joined over their minor axes.
  AllGather,
  /// Elements move between positions; every element has as many holders as before.
  /// Each position gets the elements that it lacks from the others
  /// of its group.
  AllToAll,
  /// Each position gets its whole local tensor from one position.
  Permute,
  /// Partial values are combined, and the result is split over the same axes, and over others if they are
  /// added.
  ReduceScatter,
  /// Partial values are combined.
  AllReduce,
};

/// The name of the op: "all_gather".
std::string_view nameOf(StepKind kind);

/// The reason why a step of this kind does not lead from one placement to the other; empty if it does.
std::string mismatch(StepKind kind, const Mesh &mesh, const Placement &from, const Placement &to);
/// The same for placements in full axes (Refine.h).
std::string mismatchOfFullAxes(StepKind kind, const Placement &from, const Placement &to);

/// The mesh axes that a step between placements in full axes communicates over: positions with the same
/// coordinates on all others are a group.
std::vector<bool> groupAxes(StepKind kind, const Mesh &mesh, const Placement &from, const Placement &to);

/// The position that each position receives its local tensor from in a permute: itself if it has that tensor,
/// otherwise holders and receivers of the same tensor pair up in ascending order.
std::vector<int64_t> permutationSources(const Mesh &mesh, const Placement &from, const Placement &to,
                                        Dims dims);

/// The number of elements that each position receives. Reductions send every term once (reduce_scatter), and
/// the sums again (all_reduce), as ring algorithms do.
std::vector<int64_t> receivedCounts(StepKind kind, const Mesh &mesh, const Placement &from,
                                    const Placement &to, Dims dims);

/// An estimate of the largest of `receivedCounts` between placements in full axes, in time that does not grow
/// with meshes of more than 128 devices. It is exact up to that size if all shards of a dimension are equal.
int64_t largestReceivedCount(StepKind kind, const Mesh &mesh, const Placement &from, const Placement &to,
                             Dims dims);

} // namespace proa::spmd
