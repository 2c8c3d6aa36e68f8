/// Simulation of local forms of ops on all positions of a mesh.
#pragma once

#include "lib/check/FactorCases.h"
#include "proa/Tensor.h"

namespace proa::check {

/// The local results of each position by the local form of the op's rule, with collectives over positions; or
/// the reason why there are none. `operands` are the shards of each position.
struct SimulatedResults {
  std::vector<llvm::SmallVector<Tensor>> ofPosition;
  std::string refused;
  /// Whether the reason is that the form fails.
  bool isNotCovered = false;
};
SimulatedResults runLocalForm(mlir::Operation *op, const MeshAxes &mesh, const pd::ShardingRule &rule,
                              const FactorAxes &axes, llvm::ArrayRef<llvm::SmallVector<Tensor>> operands,
                              llvm::ArrayRef<Tensor> results);

} // namespace proa::check
