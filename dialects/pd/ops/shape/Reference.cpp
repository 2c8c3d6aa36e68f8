//! Reference kernels of shape queries and reinterpretations.
#include "dialects/pd/reference/Reference.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/StridedOps.h"
#include "dialects/pd/reference/Evaluate.h"

#include <cstring>

using namespace mlir;

namespace proa::pd {

LogicalResult DimOp::computeReference(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results,
                                      RandomState *) {
  storeScalar(results[0], 0, HostScalar::of(operands[0].dims()[getIndex()]));
  return success();
}

LogicalResult ShapeOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                        llvm::MutableArrayRef<Tensor> results, RandomState *) {
  results[0] = vectorOf(results[0].dtype(), operands[0].dims());
  return success();
}

/// Copies the bytes.
LogicalResult ViewDtypeOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                            llvm::MutableArrayRef<Tensor> results, RandomState *) {
  if (operands[0].bytes() != results[0].bytes())
    return failure();
  std::memcpy(results[0].data(), operands[0].data(), results[0].bytes());
  return success();
}

} // namespace proa::pd
