/// Stages that a user or a plan gives to the forward ops of a training step (dialects/dist/StageMark.h).
#pragma once

#include "mlir/IR/Operation.h"

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <vector>

namespace proa {

/// Sorts ops in program order such that the given stages ascend, and returns the stage of each op, or -1. An
/// op without a stage stays after the ops whose results it needs. Errors: a stage that does not exist; an op
/// that needs the result of an op of a later stage.
llvm::FailureOr<std::vector<int64_t>> sortByGivenStages(llvm::SmallVector<mlir::Operation *> &ops,
                                                        int64_t stageCount);

} // namespace proa
