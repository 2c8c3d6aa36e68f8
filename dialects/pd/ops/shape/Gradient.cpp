//! Gradients of data-movement ops.
#include "dialects/pd/autodiff/Autodiff.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/shape/DynamicDims.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/ops/shape/KnownElements.h"
#include "dialects/pd/ops/shape/Shape.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/SliceOps.h"

using namespace mlir;

namespace proa::pd {
namespace {

using Gradients = FailureOr<llvm::SmallVector<Value>>;

llvm::SmallVector<Value> ofFirstOperand(Operation *op, Value gradient) {
  llvm::SmallVector<Value> gradients(op->getNumOperands());
  gradients[0] = gradient;
  return gradients;
}

} // namespace

Gradients ReshapeOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  return ofFirstOperand(getOperation(), reshapeTo(e.wrap(cotangents[0]), dimSizesOf(e.wrap(getX()))));
}

Gradients TransposeOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  int64_t rank = tensorType(getX()).getRank();
  llvm::SmallVector<int64_t> inverse(getPerm().size());
  for (auto [i, axis] : llvm::enumerate(getPerm()))
    inverse[axis < 0 ? axis + rank : axis] = static_cast<int64_t>(i);
  return llvm::SmallVector<Value>{e.transpose(e.wrap(cotangents[0]), inverse)};
}

Gradients SliceOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Value zeros = zerosLike(builder, getLoc(), getX());
  return ofFirstOperand(getOperation(), e.create<SetValueOp>(zeros, cotangents[0], getStartsTensor(),
                                                             getEndsTensor(), getStridesTensor(), getAxes(),
                                                             getStarts(), getEnds(), getStrides()));
}

Gradients ConcatOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Expression out = e.wrap(cotangents[0]);
  auto given = constantOr(getLoc(), "axis", getAxisTensor(), getAxis(), "C5");
  if (failed(given))
    return failure();
  int64_t axis = *normalizeAxis(*given, out.rank());
  DimSize start = 0;
  llvm::SmallVector<Value> gradients(getOperation()->getNumOperands());
  for (auto [i, operand] : llvm::enumerate(getX())) {
    DimSize dimSize = tensorType(operand).getRank() == 0 ? DimSize(1) : DimSize(e.wrap(operand), axis),
            end = sum(e, start, dimSize);
    gradients[i] = reshapeTo(sliceBetween(out, axis, start, end), dimSizesOf(e.wrap(operand)));
    start = end;
  }
  return gradients;
}

/// Padding with another value than zero is affine, not linear.
llvm::SmallVector<llvm::SmallVector<unsigned>> PadOp::getLinearGroups() {
  if (getPadValue().isZero())
    return {{0}};
  return {};
}

Gradients PadOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Expression out = e.wrap(cotangents[0]);
  for (int64_t d = 0; d < out.rank(); ++d) {
    int64_t before = getPaddings()[2 * d], after = getPaddings()[2 * d + 1];
    if (before != 0 || after != 0)
      out = slice(out, d, before, after == 0 ? toTheEnd : -after);
  }
  return llvm::SmallVector<Value>{out};
}

} // namespace proa::pd
