//! The adjugate of matrices, which is the derivative of the determinant and is defined for singular ones.
#include "dialects/pd/autodiff/FormulaGradient.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/linalg/FactorOps.h"
#include "dialects/pd/ops/linalg/Matrices.h"
#include "dialects/pd/ops/linalg/SolveOps.h"
#include "dialects/pd/ops/reduce/ProductOfOthersOps.h"
#include "dialects/pd/ops/shape/DimSize.h"

using namespace mlir;

namespace proa::pd {
namespace {

using Values = FailureOr<SmallVector<Value>>;

/// n^2 minors cost n^5 operations: above this number of rows another formula is used.
constexpr int64_t mostRowsByMinors = 8, mostRowsOfGradientByMinors = 16;

/// For each row the indices of all others, concatenated: the matrix without that row.
Value othersOfEach(TensorBuilder &e, int64_t rows) {
  SmallVector<int64_t> indices;
  for (int64_t left = 0; left < rows; ++left)
    for (int64_t row = 0; row < rows; ++row)
      if (row != left)
        indices.push_back(row);
  auto type = RankedTensorType::get({static_cast<int64_t>(indices.size())}, e.getBuilder().getI64Type());
  return e.create<ConstantOp>(type, DenseElementsAttr::get(type, ArrayRef<int64_t>(indices)));
}

/// 1 and -1 in a checkerboard pattern.
Expression signsOf(TensorBuilder &e, int64_t rows, Type element) {
  SmallVector<double> signs;
  for (int64_t i = 0; i < rows * rows; ++i)
    signs.push_back((i / rows + i % rows) % 2 == 0 ? 1 : -1);
  auto type = RankedTensorType::get({rows, rows}, e.getBuilder().getF64Type());
  Value constant = e.create<ConstantOp>(type, DenseElementsAttr::get(type, ArrayRef<double>(signs)));
  return e.cast(e.wrap(constant), element);
}

/// Determinants of minors, without a division: exact for singular matrices, and so are derivatives of any
/// order.
Expression byMinors(Expression x) {
  TensorBuilder &e = x.owner();
  int64_t rows = x.type().getShape().back(), rank = x.rank();
  if (rows <= 1)
    return e.wrap(e.create<FullLikeOp>(x, Value(), e.getBuilder().getF64FloatAttr(1), TypeAttr()));
  Value others = othersOfEach(e, rows);
  auto chosen = [&](Value from, int64_t axis) {
    return e.create<GatherOp>(from, others, Value(), e.getBuilder().getI64IntegerAttr(axis));
  };
  SmallVector<DimSize> shape = dimSizesOf(x);
  shape.truncate(static_cast<size_t>(rank - 2));
  shape.append({DimSize(rows), DimSize(rows - 1), DimSize(rows), DimSize(rows - 1)});
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(0, rank + 2));
  std::swap(order[rank - 1], order[rank]);
  Expression minors = reshapeTo(e.wrap(chosen(chosen(x, rank - 2), rank - 1)), shape);
  Expression cofactors = e.wrap(e.create<DetOp>(e.transpose(minors, order)));
  return transposed(cofactors * signsOf(e, rows, x.type().getElementType()));
}

/// From x = U S V^H: det(U) det(V^H) V (products of all other singular values) U^H.
Expression bySingularValues(Expression x) {
  TensorBuilder &e = x.owner();
  auto svd = SvdOp::create(e.getBuilder(), Value(x).getLoc(), x, /*full_matrices=*/false);
  Expression u = e.wrap(svd.getU()), vh = e.wrap(svd.getVh());
  int64_t last = tensorType(svd.getS()).getRank() - 1;
  Value others = e.create<ProductOfOthersOp>(svd.getS(), ArrayRef<int64_t>(last));
  Expression factors = insertDim(e.cast(e.wrap(others), x.type().getElementType()), last + 1);
  Expression sign = e.wrap(e.create<DetOp>(u)) * e.wrap(e.create<DetOp>(vh));
  return asMatrixFactor(sign) * e.matmul(adjoint(vh), factors * adjoint(u));
}

} // namespace

Values AdjugateOp::decompose(OpBuilder &builder) {
  int64_t rows = tensorType(getX()).getShape().back();
  bool areFew = !ShapedType::isDynamic(rows) && rows <= mostRowsByMinors;
  TensorBuilder e(builder, getOperation());
  Expression x = e.operand(0);
  return e.results({areFew ? byMinors(x) : bySingularValues(x)});
}

Values AdjugateOp::vjp(OpBuilder &builder, ArrayRef<Value> cotangents) {
  int64_t rows = tensorType(getX()).getShape().back();
  if (ShapedType::isDynamic(rows))
    return failure(); // deferred
  TensorBuilder e(builder, getOperation());
  return SmallVector<Value>{vjpOfFormula(builder, getX(), cotangents[0], [&](Value given) -> Value {
    Expression x = e.wrap(given);
    if (rows <= mostRowsOfGradientByMinors)
      return byMinors(x);
    return asMatrixFactor(e.wrap(e.create<DetOp>(x))) * e.wrap(e.create<InverseOp>(x));
  })};
}

} // namespace proa::pd
