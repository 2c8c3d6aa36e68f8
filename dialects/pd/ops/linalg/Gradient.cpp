//! Gradients of matmuls.
#include "dialects/pd/autodiff/Broadcasting.h"
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/linalg/Contract.h"
#include "dialects/pd/ops/shape/DimSize.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// x or y as matrices: a vector becomes a row or a column.
Expression asMatrix(Expression value, int64_t insertedAxis) {
  return value.rank() == 1 ? insertDim(value, insertedAxis) : value;
}

/// The gradient of an operand that may be a vector. A batch that may be broadcast is kept.
Value asOperand(TensorBuilder &e, Value gradient, Expression matrix, Value operand) {
  Value summed = sumToShapeOf(e.getBuilder(), operand.getLoc(), gradient, matrix);
  if (int64_t rank = tensorType(operand).getRank(); rank > 2 && tensorType(summed).getRank() == rank)
    return widened(e.getBuilder(), operand.getLoc(), summed, operand.getType());
  return reshapeTo(e.wrap(summed), dimSizesOf(e.wrap(operand)));
}

Expression asRows(TensorBuilder &e, Expression x) {
  llvm::SmallVector<DimSize> dimSizes = dimSizesOf(x);
  DimSize rows = dimSizes[0];
  for (int64_t d = 1; d + 1 < x.rank(); ++d)
    rows = multiply(e, rows, dimSizes[d]);
  return reshapeTo(x, {rows, dimSizes.back()});
}

} // namespace

FailureOr<llvm::SmallVector<Value>> MatmulOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Expression x = asMatrix(e.wrap(getX()), 0), y = asMatrix(e.wrap(getY()), 1), out = e.wrap(cotangents[0]);
  bool vectorX = tensorType(getX()).getRank() == 1, vectorY = tensorType(getY()).getRank() == 1;
  bool transposeX = getTransposeX() && !vectorX, transposeY = getTransposeY() && !vectorY;
  if (vectorY)
    out = insertDim(out, out.rank());
  if (vectorX)
    out = insertDim(out, out.rank() - 1);
  Expression cx = e.conj(x), cy = e.conj(y);
  Expression dx = transposeX ? e.matmul(cy, out, transposeY, true) : e.matmul(out, cy, false, !transposeY);
  // One matrix for a batch: the batch becomes rows, instead of a sum of matmuls.
  bool oneMatrix = y.rank() == 2 && x.rank() > 2 && !transposeX;
  Expression rows = oneMatrix ? asRows(e, cx) : cx, outRows = oneMatrix ? asRows(e, out) : out;
  Expression dy =
      transposeY ? e.matmul(outRows, rows, true, transposeX) : e.matmul(rows, outRows, !transposeX, false);
  return llvm::SmallVector<Value>{asOperand(e, dx, x, getX()), asOperand(e, dy, y, getY())};
}

} // namespace proa::pd
