/// The ops of a training step that compute new parameters.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace proa {

/// An op that computes new values of states from their old values: the parameter, which other ops use too,
/// and the states of the optimizer (moments, velocities, copies in full precision), which only such ops use.
struct OptimizerUpdate {
  mlir::Operation *op = nullptr;
  mlir::BlockArgument parameter;
  llvm::SmallVector<mlir::BlockArgument> states;
};

/// The updates of a function, in the order of its arguments.
llvm::SmallVector<OptimizerUpdate> optimizerUpdatesOf(mlir::func::FuncOp function);

} // namespace proa
