/// Steps of the dist dialect on local tensors: what a rank sends, receives, copies and combines.
///
/// Everything follows from the mesh, the two placements and the global dims (lib/spmd). `planExchange`
/// computes it for one rank; `applyStep` communicates.
#pragma once

#include "lib/runtime/Communicator.h"
#include "lib/runtime/Library.h"
#include "lib/spmd/Step.h"
#include "proa/Tensor.h"

namespace proa::runtime {

/// A step between two placements of a value.
struct PlacementStep {
  spmd::StepKind kind = spmd::StepKind::Slice;
  spmd::Mesh mesh;
  spmd::Placement from, to;
  /// Of the whole value; dynamicDim where a dim is not known before the run.
  std::vector<int64_t> dims;
  /// The number of the step in its program, which is the same on all ranks; for messages and agreement.
  int64_t number = 0;
};

/// The local tensor after a step. `communicator` may be null for a mesh of one device. All ranks of the mesh
/// call it with the same step. Errors: those of Communicator::exchange; a local tensor that has other dims
/// than the placement says; a rank that is not a device of the mesh.
Result<Tensor> applyStep(Communicator *communicator, const PlacementStep &step, const Tensor &local);

/// The position of a rank on a mesh. Error: it is not a device of the mesh.
Result<int64_t> positionOf(const spmd::Mesh &mesh, int64_t rank);

/// The part of a whole tensor that a rank holds. Error: the placement is partial, or the rank is not a device
/// of the mesh.
Result<Tensor> localPart(const spmd::Mesh &mesh, const spmd::Placement &placement, const Tensor &whole,
                         int64_t rank);

/// The whole tensor, on all ranks of the mesh, from the local ones. `dims` are those of the whole tensor;
/// `name` is for messages.
Result<Tensor> gatherWhole(Communicator *communicator, const spmd::Mesh &mesh,
                           const spmd::Placement &placement, std::span<const int64_t> dims,
                           const Tensor &local, const std::string &name);

} // namespace proa::runtime
