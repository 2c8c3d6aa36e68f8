//! Linear systems: decompositions and gradients.
#include "dialects/pd/ops/linalg/FactorOps.h"
#include "dialects/pd/ops/linalg/Matrices.h"
#include "dialects/pd/ops/linalg/SolveOps.h"
#include "dialects/pd/ops/math/ComplexOps.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/shape/DimSize.h"

#include "dialects/pd/ir/MatchFailure.h"
#include <limits>

using namespace mlir;

namespace proa::pd {

using Gradients = FailureOr<llvm::SmallVector<Value>>;

// With t = tr(x^-1 dx) the logarithm changes by Re t, and the sign s of a complex determinant by i s Im t.
Gradients SlogdetOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  auto element = [](Expression pair, int64_t index) { return dropDim(slice(pair, 0, index, index + 1), 0); };
  Expression given = e.wrap(cotangents[0]), factor = element(given, 1);
  if (isa<ComplexType>(given.type().getElementType())) {
    Expression turned = e.conj(element(given, 0)) * element(e.wrap(getOut()), 0);
    Expression real = e.wrap(e.create<RealOp>(factor)), imaginary = e.wrap(e.create<ImagOp>(turned));
    factor = e.wrap(e.create<ComplexOp>(real, -imaginary));
  }
  Expression inverse = e.wrap(e.create<InverseOp>(getX()));
  return llvm::SmallVector<Value>{asMatrixFactor(factor) * adjoint(inverse)};
}

// dy = x^-H dout, dx = -dy out^H
Gradients SolveOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX()), out = e.wrap(getOut()), gradient = e.wrap(cotangents[0]);
  bool isVector = holdsVectors(x.type(), tensorType(getY()));
  if (isVector) {
    out = insertDim(out, out.rank());
    gradient = insertDim(gradient, gradient.rank());
  }
  Expression dy = e.wrap(e.create<SolveOp>(adjoint(x), gradient));
  Expression dx = -e.matmul(dy, adjoint(out));
  return llvm::SmallVector<Value>{dx, isVector ? Value(dropDim(dy, dy.rank() - 1)) : Value(dy)};
}

LogicalResult LuSolveOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                          Results &results) {
  return inferSystemOf(location, tensorType(adaptor.getLu()), tensorType(adaptor.getB()), false, results);
}

FailureOr<llvm::SmallVector<Value>> LuSolveOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  auto unpacked = LuUnpackOp::create(builder, getLoc(), getLu(), getPivots(), true, true);
  bool isTransposed = getTrans() != Transposition::None;
  auto factor = [&](Value matrix) {
    return getTrans() == Transposition::ConjugateTranspose ? e.conj(e.wrap(matrix)) : e.wrap(matrix);
  };
  auto solved = [&](Value matrix, Expression y, bool upper) {
    return e.wrap(e.create<TriangularSolveOp>(factor(matrix), y, upper, isTransposed, !upper));
  };
  Expression b = e.wrap(getB()), pivoting = e.wrap(unpacked.getPmat());
  if (isTransposed)
    return llvm::SmallVector<Value>{
        e.matmul(pivoting, solved(unpacked.getL(), solved(unpacked.getU(), b, true), false))};
  Expression rows = e.matmul(pivoting, b, /*transposeX=*/true);
  return llvm::SmallVector<Value>{solved(unpacked.getU(), solved(unpacked.getL(), rows, false), true)};
}

// With A = y y^H: dx = A^-1 dout, dA = -dx out^H, dy = (dA + dA^H) y.
Gradients CholeskySolveOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  // The other triangle is ignored.
  Expression y = getUpper() ? upperTriangle(e.wrap(getY())) : lowerTriangle(e.wrap(getY()));
  Expression dx = e.wrap(e.create<CholeskySolveOp>(cotangents[0], y, getUpper()));
  Expression product = -e.matmul(dx, adjoint(e.wrap(getOut())));
  Expression both = product + adjoint(product);
  Expression dy = getUpper() ? upperTriangle(e.matmul(y, both)) : lowerTriangle(e.matmul(both, y));
  return llvm::SmallVector<Value>{dx, dy};
}

Gradients TriangularSolveOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX()), out = e.wrap(getOut());
  Expression dy = e.wrap(
      e.create<TriangularSolveOp>(e.conj(x), cotangents[0], getUpper(), !getTranspose(), getUnitriangular()));
  Expression dx = -e.matmul(dy, adjoint(out));
  if (getTranspose())
    dx = transposed(dx);
  int64_t off = getUnitriangular() ? 1 : 0;
  return llvm::SmallVector<Value>{getUpper() ? upperTriangle(dx, off) : lowerTriangle(dx, -off), dy};
}

FailureOr<SmallVector<Value>> MatrixPowerOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression base = e.operand(0);
  auto n = static_cast<int64_t>(getN());
  if (n == 0)
    return e.results({identityLike(base)});
  if (n < 0)
    base = e.wrap(e.create<InverseOp>(base));
  std::optional<Expression> product;
  for (uint64_t rest = n < 0 ? 0 - static_cast<uint64_t>(n) : static_cast<uint64_t>(n);;) {
    if (rest & 1)
      product = product ? e.matmul(*product, base) : base;
    rest >>= 1;
    if (rest == 0)
      return e.results({*product});
    base = e.matmul(base, base);
  }
}

FailureOr<SmallVector<Value>> MatrixRankOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  auto type = tensorType(getX());
  int64_t rows = type.getDimSize(type.getRank() - 2), columns = type.getShape().back();
  Expression values = getHermitian() ? e.abs(e.wrap(e.create<EighOp>(getX(), Triangle::Lower)))
                                     : e.wrap(SvdOp::create(builder, getLoc(), getX(), false).getS());
  Type element = values.type().getElementType();
  int64_t last = values.rank() - 1;
  Expression threshold = e.constant(getTol().convertToDouble(), element);
  if (getTolTensor()) {
    threshold = e.cast(e.wrap(getTolTensor()), element);
    threshold = insertDim(threshold, threshold.rank());
  } else if (getUseDefaultTol()) {
    if (ShapedType::isDynamic(rows) || ShapedType::isDynamic(columns))
      return notifyDecompositionFailure(builder, *this, "its default tolerance depends on dynamic dims");
    double epsilon =
        element.isF32() ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
    threshold = e.max(values, {last}) * (epsilon * static_cast<double>(std::max(rows, columns)));
  }
  Type integer = builder.getI32Type();
  Expression above = values > threshold;
  return SmallVector<Value>{e.create<SumOp>(e.cast(above, integer), llvm::ArrayRef(int64_t(above.rank() - 1)),
                                            false, TypeAttr::get(integer))};
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/linalg/Solve.cpp.inc"
#include "dialects/pd/ops/linalg/Solve.methods.inc"
#include "dialects/pd/ops/linalg/Solve.scalar.inc"
