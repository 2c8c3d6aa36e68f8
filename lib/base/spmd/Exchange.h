/// The transfers of one position of a mesh in a step: what it sends, receives, copies and combines.
#pragma once

#include "lib/base/spmd/Step.h"

#include "proa/Result.h"

#include <functional>

namespace proa::spmd {

/// A range of indices of one dimension that two local tensors have: where it begins in each.
struct Segment {
  int64_t source = 0, target = 0, size = 0;
  bool operator==(const Segment &) const = default;
};

/// Elements that one position gives another one: the product of the segments of each dimension. Offsets of
/// the source are in the local tensor before the step, offsets of the target in the one after it.
struct Transfer {
  /// The other position, or the position itself for what it keeps.
  int64_t position = 0;
  std::vector<std::vector<Segment>> dims;

  /// The number of elements.
  int64_t count() const;
};

struct Exchange {
  /// Dims of the local tensor before and after the step.
  std::vector<int64_t> sourceDims, targetDims;
  /// To others, ascending by position.
  std::vector<Transfer> sends;
  /// From others and from the position itself, ascending by position. Without a reduction they are disjoint
  /// and cover the target, except where `fill` is set. With one each covers the target, and they are combined
  /// in this order.
  std::vector<Transfer> receives;
  std::optional<Reduction> reduction;
  /// The rest of the target has the neutral element of this reduction.
  std::optional<Reduction> fill;
  /// all_reduce only: the positions whose local tensors are combined element by element, ascending. There are
  /// no transfers: an implementation may choose how to move the terms.
  std::vector<int64_t> group;
  /// all_gather and reduce_scatter only: each member gets equally many elements of each other one, so that a
  /// library may do the whole step. All members agree on it.
  bool isEven = false;
};

/// Whether the members of an all_reduce send each other their whole tensors, which takes one round. Otherwise
/// each combines one shard and sends it to the others, which takes two. Two members send as many bytes either
/// way.
constexpr bool sumsInOneRound(int64_t members, int64_t bytes) {
  constexpr int64_t smallBytes = 4096;
  return members == 2 || bytes <= smallBytes;
}

/// The exchange of `position`. `mismatch` accepts the step; all dims are known.
Exchange planExchange(StepKind kind, const Mesh &mesh, const Placement &from, const Placement &to, Dims dims,
                      int64_t position);

/// Calls `visit` with each transfer of a move of a value from one mesh to another, by giver and receiver
/// (devices). Placements are not partial. A receiver gets each element from one device that holds it: itself
/// if possible, otherwise the holders of a shard send it to the receivers in turn.
void forEachTransfer(const Mesh &source, const Placement &from, const Mesh &target, const Placement &to,
                     Dims dims,
                     const std::function<void(int64_t giver, int64_t receiver, Transfer transfer)> &visit);

/// The exchange of a device in such a move. Positions of transfers are devices; what the device gives itself
/// is in `sends` and in `receives`. `sends` is empty for a device that is not in `source`, `receives` for one
/// that is not in `target`.
Exchange planMove(const Mesh &source, const Placement &from, const Mesh &target, const Placement &to,
                  Dims dims, int64_t device);

/// The position of a device; none if the mesh does not have it.
std::optional<int64_t> positionOf(const Mesh &mesh, int64_t device);

/// The position that has the coordinates `root` on `axes` and the coordinates of `position` on all others.
int64_t rootOf(const Mesh &mesh, std::span<const AxisRef> axes, std::span<const int64_t> root,
               int64_t position);

} // namespace proa::spmd
