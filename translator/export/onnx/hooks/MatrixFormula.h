/// Expressions of formulas on matrices, which are the last two dimensions.
#pragma once

#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/shape/DimSize.h"

namespace proa::exporter::onnxhooks {

inline pd::Expression integersUpTo(pd::TensorBuilder &e, const pd::DimSize &count) {
  return iota(e, count, e.getBuilder().getI64Type());
}

/// The indices of rows [rows, 1] and of columns [1, columns] of matrices.
inline pd::Expression rowsOf(pd::Expression x) {
  return insertDim(integersUpTo(x.owner(), pd::DimSize(x, x.rank() - 2)), 1);
}
inline pd::Expression columnsOf(pd::Expression x) {
  return insertDim(integersUpTo(x.owner(), pd::DimSize(x, x.rank() - 1)), 0);
}

/// x where a condition holds, else 0.
inline pd::Expression where(pd::Expression condition, pd::Expression x) {
  return x.owner().select(condition, x, 0.0);
}

/// The row, column and element of x at one index each.
inline pd::Expression rowAt(pd::Expression x, pd::Expression isRow) {
  return x.owner().sum(where(isRow, x), {x.rank() - 2});
}
inline pd::Expression columnAt(pd::Expression x, pd::Expression isColumn) {
  return x.owner().sum(where(isColumn, x), {x.rank() - 1});
}

/// x / y, or 0 where y is 0.
inline pd::Expression quotientOr0(pd::Expression x, pd::Expression y) {
  pd::TensorBuilder &e = x.owner();
  pd::Expression isZero = e.equal(e.abs(y), 0.0);
  return e.select(isZero, 0.0, x / e.select(isZero, 1.0, y));
}

/// x in the element type of a result.
inline mlir::Value as(pd::Expression x, mlir::Value result) {
  return x.owner().cast(x, pd::tensorType(result).getElementType());
}

/// The diagonals of matrices.
inline pd::Expression diagonalOf(pd::Expression x) {
  return dropDim(columnAt(x, rowsOf(x) == columnsOf(x)), x.rank() - 1);
}

} // namespace proa::exporter::onnxhooks
