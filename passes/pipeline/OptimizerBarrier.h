/// Updates of parameters for which all ranks of a pipeline wait.
#pragma once

#include "passes/pipeline/StageAssignment.h"

namespace proa {

/// An op after the loop that combines gradients of several ranks, of which new values of states depend: a
/// global norm, or a finite check. Null: each rank may update its parameters as soon as it has their
/// gradients.
mlir::Operation *findOptimizerBarrier(mlir::func::FuncOp function, const MicroBatchLoop &loop,
                                      const StageAssignment &assignment, const pipeline::Shape &shape);

} // namespace proa
