/// Programs on all positions of a mesh, against the single-device program.
#pragma once

#include "test/unit/partition/SimulatedRanks.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>

namespace proa::test {

/// A context with all dialects and passes.
mlir::MLIRContext &context();

/// A module after a pipeline; null if that fails.
mlir::OwningOpRef<mlir::ModuleOp> run(mlir::ModuleOp module, const std::string &pipeline);

/// Arguments of the single-device program and of all positions.
struct Arguments {
  std::vector<Tensor> whole;
  std::vector<std::vector<Tensor>> local;
};

/// Arguments of a function in sharded form. `create` is called for each tensor, and each term of a partial
/// one.
Arguments randomArguments(mlir::func::FuncOp function, const spmd::Mesh &mesh,
                          const std::function<Tensor(mlir::Type)> &create);

/// How the results of the programs of all positions, joined, differ from the results of the function in
/// sharded form; empty if each element differs by at most `tolerance` of (1 + its value). NaN equals NaN.
std::string differenceOf(mlir::func::FuncOp global, const std::vector<mlir::func::FuncOp> &programs,
                         const spmd::Mesh &mesh, const Arguments &arguments, double tolerance);

/// How two tensors differ in that sense.
std::string differenceOf(const Tensor &actual, const Tensor &expected, double tolerance);

} // namespace proa::test
