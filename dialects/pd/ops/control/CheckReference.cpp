//! Reference kernels of checks and prints.
#include "dialects/pd/ops/control/CheckOps.h"
#include "dialects/pd/reference/Evaluate.h"
#include "dialects/pd/reference/Reference.h"

using namespace mlir;

namespace proa::pd {

LogicalResult AssertOp::computeReference(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor>,
                                         RandomState *) {
  return success(loadScalar(operands[0], 0).integer != 0);
}

/// Ends the evaluation.
LogicalResult FailOp::computeReference(llvm::ArrayRef<Tensor>, llvm::MutableArrayRef<Tensor>, RandomState *) {
  return getOperation()->emitError() << getMessage();
}

/// Prints nothing, because the evaluator compares results alone.
LogicalResult PrintOp::computeReference(llvm::ArrayRef<Tensor>, llvm::MutableArrayRef<Tensor>,
                                        RandomState *) {
  return success();
}

} // namespace proa::pd
