/// A program as forward region, backward region and update of parameters.
#pragma once

#include "proa/Result.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

#include <vector>

namespace proa {

/// The regions of `main` of a training program. A program without gradients gets them first: derivatives of
/// its fetches by its parameters.
struct TrainingForm {
  mlir::func::FuncOp main;
  bool isTraining = false; ///< the program has gradients of its own
  /// Ops in program order. Ops of neither list update parameters, or are constants.
  std::vector<mlir::Operation *> forward, backward;
  /// Parameters that are trained, and the bytes that their optimizer keeps for each element; none without an
  /// optimizer.
  llvm::SetVector<mlir::BlockArgument> parameters;
  double optimizerBytes = 0;
  /// Values whose sizes are proportional to the batch: those that depend on a feed.
  llvm::DenseSet<mlir::Value> ofBatch;
  int64_t batch = 1; ///< examples of the feeds
};

/// Brings `main` of an imported module into the form. Error: dims of feeds are dynamic, an op has no
/// derivative, a pass fails.
Result<TrainingForm> trainingForm(mlir::ModuleOp module);

} // namespace proa
