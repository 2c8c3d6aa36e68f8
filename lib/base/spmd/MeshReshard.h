/// Reshards between meshes: pipeline stages, growing and shrinking meshes, another order of devices.
#pragma once

#include "lib/base/spmd/Reshard.h"

namespace proa::spmd {

/// A placement on a mesh, and the links of its axes (empty: default links).
struct MeshPlacement {
  const Mesh &mesh;
  const Placement &placement;
  std::span<const Link> links = {};
};

/// A move of all shards from the devices of one mesh to the devices of another.
struct MeshMove {
  /// Neither is partial.
  Placement sent, received;
};

struct MeshReshardPlan {
  /// Steps on the source mesh.
  std::vector<ReshardStep> before;
  /// None if the target mesh is a view of the same devices: after the steps before, each device has its shard
  /// under the target placement.
  std::optional<MeshMove> move;
  /// Steps on the target mesh.
  std::vector<ReshardStep> after;
  /// The time of the plan in the model.
  double seconds = 0;
  /// The most bytes that a device holds during a step or the move.
  int64_t peakBytes = 0;
};

/// The traffic of a move: the largest numbers of elements and messages of a device, and all elements. What a
/// device gives itself is not counted.
struct MoveTraffic {
  int64_t mostReceived = 0, mostSent = 0, mostMessages = 0, total = 0;
};
MoveTraffic trafficOfMove(const Mesh &source, const Placement &from, const Mesh &target, const Placement &to,
                          Dims dims);

/// The cheapest plan found from a placement on one mesh to one on another. Candidates of the move: the
/// placements themselves, split further over unused axes (slices before, gathers after), and each mapped to
/// the other mesh by the names of axes. A move takes the latency of its messages and the bytes of the device
/// that sends or receives most over `between`. `options.links` is not used. Errors: no plan fits the memory
/// limit.
Result<MeshReshardPlan> planMeshReshard(const MeshPlacement &source, const MeshPlacement &target, Dims dims,
                                        const Link &between = {}, const ReshardOptions &options = {});

/// A lower bound of the elements that all devices receive, for placements that are not partial.
int64_t lowerBoundOfMove(const Mesh &source, const Placement &from, const Mesh &target, const Placement &to,
                         Dims dims);

} // namespace proa::spmd
