/// The loop over micro-batches of a training step.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/SetVector.h"

namespace proa {

/// A sum over micro-batches: a value that the loop carries.
struct MicroBatchSum {
  unsigned index = 0;                     ///< of the values that the loop carries
  llvm::SetVector<mlir::Operation *> ops; ///< those that depend on the carried value, in program order
  /// The addend, if the only op is an addition; otherwise null.
  mlir::Value addend;
};

/// A loop as pd-accumulate writes it: scf.while over an index from 0 that carries sums.
struct MicroBatchLoop {
  mutable mlir::scf::WhileOp loop; ///< a handle, whose accessors are not const
  int64_t count = 0;
  unsigned index = 0; ///< number of the carried value that is the index
  mlir::Operation *nextIndex = nullptr;
  llvm::SmallVector<MicroBatchSum> sums;
  /// Ops of the body that depend on a cotangent of a loss.
  llvm::DenseSet<mlir::Operation *> dependent;
  /// The barriers of the cotangents, in the loop and outside.
  llvm::SmallVector<mlir::Operation *> seeds;

  mlir::Block &body() const { return loop.getAfter().front(); }
  mlir::BlockArgument indexArgument() const { return loop.getAfter().getArgument(index); }
};

/// Values that an op and the ops in its regions read from outside of the op, each once.
llvm::SetVector<mlir::Value> valuesReadBy(mlir::Operation *op);

/// The only loop of the function with cotangents of losses. Errors: there is none or are several; a loop with
/// another trip count than a constant; a carried value that is not a sum.
llvm::FailureOr<MicroBatchLoop> findMicroBatchLoop(mlir::func::FuncOp function);

} // namespace proa
