/// Programs in local form on all positions of a mesh: one thread for each, with the reference evaluator.
#pragma once

#include "test/unit/partition/HostMesh.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace proa::test {

/// Runs `programs[p]` with `arguments[p]` on each position p. Each result is a list of the local tensors of
/// all positions. Errors: an op cannot be evaluated, or positions reach different collectives.
Result<std::vector<Locals>> runOnRanks(const spmd::Mesh &mesh,
                                       const std::vector<mlir::func::FuncOp> &programs,
                                       const std::vector<std::vector<Tensor>> &arguments);

/// Runs a function in global form; shardings have no effect.
Result<std::vector<Tensor>> runGlobal(mlir::func::FuncOp function, const std::vector<Tensor> &arguments);

} // namespace proa::test
