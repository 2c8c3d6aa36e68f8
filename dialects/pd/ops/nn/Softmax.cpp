#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/nn/Nn.h"
#include "dialects/pd/ops/nn/SoftmaxOps.h"
#include "dialects/pd/ops/reduce/Reduce.h"
#include "dialects/pd/reference/Evaluate.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::pd {

/// The axis as a non-negative index; nothing for a tensor of rank 0, whose only element is along every axis.
static llvm::SmallVector<int64_t> frontAxis(int64_t axis, int64_t rank) {
  if (rank == 0)
    return {};
  return {axis < 0 ? axis + rank : axis};
}

/// Not below -64, as in Paddle's kernels: the logarithm of elements far below the maximum stays finite.
Expression shiftedByMaximum(Expression x, llvm::ArrayRef<int64_t> axes) {
  constexpr double least = -64;
  TensorBuilder &e = x.owner();
  Expression shifted = x - e.max(x, axes);
  return e.select(shifted < least, e.constant(least, x.type().getElementType()), shifted);
}

Expression logSoftmax(Expression x, llvm::ArrayRef<int64_t> axes) {
  TensorBuilder &e = x.owner();
  Expression shifted = shiftedByMaximum(x, axes);
  return shifted - e.log(e.sum(e.exp(shifted), axes));
}

FailureOr<SmallVector<Value>> SoftmaxOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  llvm::SmallVector<int64_t> axes = frontAxis(getAxis(), x.rank());
  Expression exponentials = e.exp(shiftedByMaximum(x, axes));
  return e.results({exponentials / e.sum(exponentials, axes)});
}

FailureOr<SmallVector<Value>> LogSoftmaxOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  return e.results({logSoftmax(x, frontAxis(getAxis(), x.rank()))});
}

LogicalResult checkSoftmaxMask(std::optional<Location> location, RankedTensorType x, RankedTensorType mask) {
  auto shape = broadcastShapes({x, mask});
  if (x.getRank() > 0 && succeeded(shape) && succeeded(verifyCompatibleShape(*shape, x.getShape())))
    return success();
  std::string text;
  llvm::raw_string_ostream(text) << "C1: mask must broadcast to x, found " << x << " and " << mask;
  return inferenceError(location, text);
}

FailureOr<SmallVector<Value>> FusedSoftmaxMaskOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  llvm::SmallVector<int64_t> axes{x.rank() - 1};
  Expression exponentials =
      e.exp(shiftedByMaximum(x + e.cast(e.computed(getMask()), x.type().getElementType()), axes));
  return e.results({exponentials / e.sum(exponentials, axes)});
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/nn/Softmax.cpp.inc"
#include "dialects/pd/ops/nn/Softmax.methods.inc"
#include "dialects/pd/ops/nn/Softmax.scalar.inc"
