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

/// An evaluation that comes here ends.
LogicalResult FailOp::computeReference(llvm::ArrayRef<Tensor>, llvm::MutableArrayRef<Tensor>, RandomState *) {
  return getOperation()->emitError() << getMessage();
}

/// What is shown is no result.
LogicalResult PrintOp::computeReference(llvm::ArrayRef<Tensor>, llvm::MutableArrayRef<Tensor>,
                                        RandomState *) {
  return success();
}

} // namespace proa::pd
