//! Factorizations: decompositions and gradients. The formulas are from Giles, "Collected matrix
//! derivative results", and their complex forms; F are the reciprocal differences of (squared) values.
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/linalg/FactorOps.h"
#include "dialects/pd/ops/linalg/Matrices.h"
#include "dialects/pd/ops/linalg/SolveOps.h"
#include "dialects/pd/ops/math/ComplexOps.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

using namespace mlir;

namespace proa::pd {
namespace {

using Gradients = FailureOr<llvm::SmallVector<Value>>;

/// The cotangent of a result, or zeros.
Expression cotangentOr0(TensorBuilder &e, Value cotangent, Value result) {
  if (cotangent)
    return e.wrap(cotangent);
  return e.wrap(e.create<FullLikeOp>(result, Value(), e.getBuilder().getF64FloatAttr(0), TypeAttr()));
}

/// 1 / (x[j] - x[i]) at (i, j), 0 if they are equal.
Expression reciprocalDifferences(Expression x) {
  TensorBuilder &e = x.owner();
  Expression difference = insertDim(x, x.rank() - 1) - insertDim(x, x.rank());
  Expression isZero = e.equal(difference, 0.0);
  return e.select(isZero, 0.0, 1.0 / e.select(isZero, 1.0, difference));
}

/// Element i as a factor of column i.
Expression ofColumns(Expression x) { return insertDim(x, x.rank() - 1); }
Expression ofRows(Expression x) { return insertDim(x, x.rank()); }

Expression solveTriangle(Expression x, Expression y, bool upper, bool transpose, bool unit = false) {
  TensorBuilder &e = x.owner();
  return e.wrap(e.create<TriangularSolveOp>(x, y, upper, transpose, unit));
}

/// x^-H y for a triangular x.
Expression solveAdjoint(Expression x, Expression y, bool upper, bool unit = false) {
  return solveTriangle(x.owner().conj(x), y, upper, true, unit);
}

/// The first `count` columns, or those after them; the same for rows.
Expression columns(Expression x, const DimSize &count) { return sliceBetween(x, x.rank() - 1, 0, count); }
Expression columnsFrom(Expression x, const DimSize &count) {
  return sliceBetween(x, x.rank() - 1, count, toTheEnd);
}
Expression rowsTo(Expression x, const DimSize &count) { return sliceBetween(x, x.rank() - 2, 0, count); }
Expression rowsFrom(Expression x, const DimSize &count) {
  return sliceBetween(x, x.rank() - 2, count, toTheEnd);
}

/// The permutation matrix of pivots, with this many rows, in the element type of `like`.
Expression permutationOf(Value pivots, const DimSize &rows, Expression like) {
  TensorBuilder &e = like.owner();
  return e.wrap(e.create<LuPermutationOp>(pivots, rows.isKnown() ? Value() : rows.getValue(e),
                                          rows.isKnown() ? static_cast<uint64_t>(rows.getNumber()) : 0,
                                          like.type().getElementType()));
}

/// Whether one dim is known to be at most another one.
bool fitsInto(const DimSize &x, const DimSize &y) {
  return x.isKnown() && y.isKnown() && x.getNumber() <= y.getNumber();
}

} // namespace

// With P = the lower triangle of L^H dL, its diagonal halved: the Hermitian component of L^-H P L^-1.
Gradients CholeskyOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Expression factor = e.wrap(getOut()), gradient = e.wrap(cotangents[0]);
  if (getUpper()) {
    factor = adjoint(factor);
    gradient = adjoint(gradient);
  }
  Expression product = e.matmul(adjoint(factor), gradient);
  Expression half = lowerTriangle(product, -1) + product * identityLike(product) * 0.5;
  Expression left = solveAdjoint(factor, half, false);
  Expression both = adjoint(solveAdjoint(factor, adjoint(left), false));
  return llvm::SmallVector<Value>{(both + adjoint(both)) * 0.5};
}

// With x = P [A B; C D], L = [L1; L2] and U = [U1 U2], L1 and U1 square: dA = L1^-H (tril(L1^H dL1 - dU2
// U2^H, -1) + triu(dU1 U1^H - L2^H dL2)) U1^-H, dB = L1^-H dU2, dC = dL2 U1^-H. If D is not empty, B and C
// are, and have no rows or no columns.
Gradients LuOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  if (!cotangents[0])
    return llvm::SmallVector<Value>{Value()};
  Expression packed = e.wrap(getOut()), gradient = e.wrap(cotangents[0]);
  int64_t rank = packed.rank();
  DimSize rows(packed, rank - 2), width(packed, rank - 1), least = minimum(e, rows, width);
  bool isWide = !fitsInto(width, rows), isTall = !fitsInto(rows, width);
  auto lowerOf = [&](Expression matrix) { return lowerTriangle(columns(matrix, least), -1); };
  auto upperOf = [&](Expression matrix) { return upperTriangle(rowsTo(matrix, least)); };
  Expression dl = lowerOf(gradient), du = upperOf(gradient), upper = upperOf(packed), lower = lowerOf(packed);
  lower = lower + identityLike(lower);
  Expression l1 = rowsTo(lower, least), u1 = columns(upper, least);
  // y U1^-H = (U1^-1 y^H)^H
  auto overUpper = [&](Expression y) { return adjoint(solveTriangle(u1, adjoint(y), true, false)); };
  auto overLower = [&](Expression y) { return solveAdjoint(l1, y, false, true); };
  Expression below = e.matmul(adjoint(l1), rowsTo(dl, least)),
             above = e.matmul(columns(du, least), adjoint(u1));
  if (isWide)
    below = below - e.matmul(columnsFrom(du, least), adjoint(columnsFrom(upper, least)));
  if (isTall)
    above = above - e.matmul(adjoint(rowsFrom(lower, least)), rowsFrom(dl, least));
  Expression both = overUpper(overLower(lowerTriangle(below, -1) + upperTriangle(above)));
  if (isWide)
    both = concat({both, overLower(columnsFrom(du, least))}, rank - 1);
  if (isTall) {
    Expression rest = overUpper(rowsFrom(dl, least));
    if (isWide)
      rest = concat({rest, e.matmul(rowsFrom(lower, least), columnsFrom(upper, least))}, rank - 1);
    both = concat({both, rest}, rank - 2);
  }
  Expression permutation = permutationOf(getPivots(), rows, packed);
  return llvm::SmallVector<Value>{e.matmul(permutation, both)};
}

FailureOr<SmallVector<Value>> LuUnpackOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.operand(0);
  DimSize least = minimum(e, DimSize(x, x.rank() - 2), DimSize(x, x.rank() - 1));
  Expression left = columns(x, least), top = rowsTo(x, least);
  Expression permutation = permutationOf(getPivots(), DimSize(x, x.rank() - 2), x);
  return SmallVector<Value>{permutation, lowerTriangle(left, -1) + identityLike(left), upperTriangle(top)};
}

/// For m >= n: (dQ + Q copyltu(R dR^H - dQ^H Q)) R^-H, where copyltu copies the lower triangle to the upper
/// one. R has a real diagonal, and so has the result of copyltu.
static Expression qrGradient(Expression q, Expression r, Expression dq, Expression dr) {
  TensorBuilder &e = q.owner();
  Expression middle = e.matmul(r, adjoint(dr)) - e.matmul(adjoint(dq), q);
  Expression below = lowerTriangle(middle, -1);
  Expression diagonal = isa<ComplexType>(q.type().getElementType())
                            ? identityLike(middle) * (middle + adjoint(middle)) * 0.5
                            : lowerTriangle(middle) - below;
  Expression mirrored = below + diagonal + adjoint(below);
  Expression left = dq + e.matmul(q, mirrored);
  return adjoint(solveTriangle(r, adjoint(left), true, false));
}

Gradients QrOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  auto type = tensorType(getX());
  int64_t rows = type.getDimSize(type.getRank() - 2), width = type.getShape().back();
  if (getMode() == QrMode::Complete && rows > width && !ShapedType::isDynamic(width)) {
    emitOpError("has a gradient in modes reduced and r, or complete with no more rows than columns");
    return failure();
  }
  if (getMode() == QrMode::Complete && (ShapedType::isDynamic(rows) || ShapedType::isDynamic(width)))
    return failure(); // there may be more rows than columns
  TensorBuilder e(builder, getOperation());
  Value factor = getQ(), given = cotangents[0];
  if (getMode() == QrMode::R) { // Q, which was not requested
    factor = QrOp::create(builder, getLoc(), getX(), QrMode::Reduced).getQ();
    given = Value();
  }
  Expression q = e.wrap(factor), r = e.wrap(getR());
  Expression dq = cotangentOr0(e, given, factor), dr = cotangentOr0(e, cotangents[1], getR());
  int64_t last = type.getRank() - 1;
  DimSize height(e.wrap(getX()), last - 1), across(e.wrap(getX()), last);
  if (fitsInto(across, height))
    return llvm::SmallVector<Value>{qrGradient(q, r, dq, dr)};
  // x = [a | b] with a = Q U, U square, and b = Q V.
  DimSize least = minimum(e, height, across);
  Expression right = columnsFrom(e.wrap(getX()), least), dv = columnsFrom(dr, least);
  Expression da = qrGradient(q, columns(r, least), dq + e.matmul(right, adjoint(dv)), columns(dr, least));
  return llvm::SmallVector<Value>{concat({da, e.matmul(q, dv)}, last)};
}

// U (diag(ds) + F * A s + s F * B + diag(A) / (2 s)) V^H, where A and B are U^H dU and V^H dV without their
// Hermitian components. The last term, for complex matrices, is the relative phase of U and V; a common phase
// has no effect.
static Expression svdInner(Expression u, Expression s, Expression v, Value du, Value ds, Value dvh) {
  TensorBuilder &e = u.owner();
  Type element = u.type().getElementType();
  Expression identity = identityLike(e.matmul(adjoint(v), v)), number = e.cast(s, element);
  Expression f = e.cast(reciprocalDifferences(s * s), element);
  auto skew = [](Expression product) { return product - adjoint(product); };
  Expression inner = ds ? identity * ofColumns(e.cast(e.wrap(ds), element)) : identity * 0.0;
  if (du) {
    Expression product = skew(e.matmul(adjoint(u), e.wrap(du)));
    inner = inner + f * product * ofColumns(number);
    if (isa<ComplexType>(element))
      inner = inner + identity * product * 0.5 / ofColumns(number);
  }
  if (dvh)
    inner = inner + ofRows(number) * (f * skew(e.matmul(adjoint(v), adjoint(e.wrap(dvh)))));
  return inner;
}

Gradients SvdOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX()), s = e.wrap(getS()), number = e.cast(s, x.type().getElementType());
  DimSize rows(x, x.rank() - 2), width(x, x.rank() - 1), least(s, s.rank() - 1);
  auto ofColumnsOf = [&](Value u) { return getFullMatrices() ? columns(e.wrap(u), least) : e.wrap(u); };
  auto ofRowsOf = [&](Value vh) { return getFullMatrices() ? rowsTo(e.wrap(vh), least) : e.wrap(vh); };
  Expression u = ofColumnsOf(getU()), vh = ofRowsOf(getVh());
  Value du, dvh;
  if (cotangents[0])
    du = ofColumnsOf(cotangents[0]);
  if (cotangents[2])
    dvh = ofRowsOf(cotangents[2]);
  Expression inner = svdInner(u, s, adjoint(vh), du, cotangents[1], dvh);
  Expression gradient = e.matmul(e.matmul(u, inner), vh);
  // The term outside of the spaces spanned by U and V.
  if (du && !fitsInto(rows, least)) {
    Expression scaled = e.wrap(du) / ofColumns(number);
    gradient = gradient + e.matmul(scaled - e.matmul(u, e.matmul(adjoint(u), scaled)), vh);
  }
  if (dvh && !fitsInto(width, least)) {
    Expression scaled = e.wrap(dvh) / ofRows(number);
    gradient = gradient + e.matmul(u, scaled - e.matmul(e.matmul(scaled, adjoint(vh)), vh));
  }
  return llvm::SmallVector<Value>{gradient};
}

// V (diag(dw) + F * A) V^H, where A is the anti-Hermitian component of V^H dV: other components would not
// keep x Hermitian.
Gradients EighOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Expression w = e.wrap(getW()), v = e.wrap(getV());
  Type element = v.type().getElementType();
  Expression inner = identityLike(v) * ofColumns(e.cast(cotangentOr0(e, cotangents[0], getW()), element));
  if (cotangents[1]) {
    Expression product = e.matmul(adjoint(v), e.wrap(cotangents[1]));
    inner = inner + e.cast(reciprocalDifferences(w), element) * (product - adjoint(product)) * 0.5;
  }
  return llvm::SmallVector<Value>{e.matmul(e.matmul(v, inner), adjoint(v))};
}

// V^-H (diag(dw) + conj(F) * (V^H dV - V^H V diag(Re(V^H dV)))) V^H; the subtracted term keeps the norms of
// the vectors at 1.
Gradients EigOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Expression w = e.wrap(getW()), v = e.wrap(getV()), vh = adjoint(v);
  Expression inner = identityLike(v) * ofColumns(cotangentOr0(e, cotangents[0], getW()));
  if (cotangents[1]) {
    Expression product = e.matmul(vh, e.wrap(cotangents[1]));
    Expression diagonal = e.sum(product * identityLike(product), {product.rank() - 2}, true);
    Expression re = e.cast(e.wrap(e.create<RealOp>(diagonal)), product.type().getElementType());
    inner = inner + e.conj(reciprocalDifferences(w)) * (product - e.matmul(vh, v) * re);
  }
  Expression gradient = e.wrap(e.create<SolveOp>(vh, e.matmul(inner, vh)));
  return llvm::SmallVector<Value>{e.gradient(gradient, getX())};
}

// The values of the transpose, in the order of the kernel.
FailureOr<SmallVector<Value>> SvdvalsOp::decompose(OpBuilder &builder) {
  return SmallVector<Value>{SvdOp::create(builder, getLoc(), getX(), /*full_matrices=*/false).getS()};
}

FailureOr<SmallVector<Value>> EigvalsOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  return SmallVector<Value>{EigOp::create(builder, getLoc(), transposed(e.wrap(getX()))).getW()};
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/linalg/Factor.cpp.inc"
#include "dialects/pd/ops/linalg/Factor.methods.inc"
#include "dialects/pd/ops/linalg/Factor.scalar.inc"
