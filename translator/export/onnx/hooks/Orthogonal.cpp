//! Orthogonal factorizations, which ONNX lacks, as loops: Householder reflections, and Jacobi rotations of
//! all pairs of columns in turn. Matrices are the last two dimensions. They compute in float64 and round
//! once.
#include "translator/export/onnx/NodeExporter.h"
#include "translator/export/onnx/hooks/MatrixFormula.h"

#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/linalg/FactorOps.h"
#include "dialects/pd/ops/linalg/Matrices.h"
#include "dialects/pd/ops/linalg/SolveOps.h"
#include "dialects/pd/ops/math/Logic.h"
#include "dialects/pd/ops/search/Order.h"
#include "dialects/pd/ops/sequence/Recurrence.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

using namespace mlir;

namespace proa::exporter::onnxhooks {
namespace {

using pd::DimSize;
using pd::Expression;
using pd::TensorBuilder;
using Expressions = llvm::SmallVector<Expression>;
using Values = llvm::SmallVector<Value>;

Expression widened(TensorBuilder &e, Value x) { return e.cast(e.wrap(x), e.getBuilder().getF64Type()); }

/// Reports matrices that the formulas do not take: of unknown size, or without elements.
bool areExpressible(NodeExporter &node, Value x) {
  RankedTensorType type = pd::tensorType(x);
  if (type.isDynamicDim(type.getRank() - 1) || type.isDynamicDim(type.getRank() - 2))
    node.report("has matrices of dynamic size, expected a static size for its formula in ONNX");
  else if (type.getShape().back() == 0 || type.getDimSize(type.getRank() - 2) == 0)
    node.report("has matrices without elements, which its formula in ONNX does not take");
  else
    return true;
  return false;
}

int64_t rowsIn(Expression x) { return x.type().getDimSize(x.rank() - 2); }
int64_t columnsIn(Expression x) { return x.type().getShape().back(); }
Expression columnsTo(Expression x, int64_t end) { return pd::slice(x, x.rank() - 1, 0, end); }
Expression rowsTo(Expression x, int64_t end) { return pd::slice(x, x.rank() - 2, 0, end); }
Expression norm2(Expression x, int64_t axis) { return x.owner().sum(x * x, {axis}); }

//===-- Householder reflections -------------------------------------------------------------------------===//

struct Factors {
  Expression q, r;
};

/// x = Q R with Q of all rows. The signs are LAPACK's: a column that is 0 below the diagonal is kept.
Factors householder(Expression x) {
  TensorBuilder &e = x.owner();
  Expression rows = rowsOf(x), columns = columnsOf(x);
  int64_t down = x.rank() - 2, steps = std::min(rowsIn(x), columnsIn(x));
  llvm::SmallVector<DimSize> square = dimSizesOf(x);
  square.back() = square[square.size() - 2];
  Expression identity = expandTo(
      e.cast(rows == insertDim(integersUpTo(e, square.back()), 0), x.type().getElementType()), square);
  pd::Recurrence loop = pd::runSteps(
      steps, {}, {identity, x}, /*recorded=*/0,
      [&](Expression k, llvm::ArrayRef<Expression>, llvm::ArrayRef<Expression> before) -> Expressions {
        Expression column = columnAt(before[1], columns == k), head = rowAt(column, rows == k);
        Expression below = norm2(where(rows > k, column), down), size = e.sqrt(head * head + below);
        Expression first = head - e.select(head >= 0.0, -size, size);
        Expression v = e.select(rows == k, first, where(rows > k, column));
        Expression factor = e.select(below > 0.0, quotientOr0(2.0 + below * 0.0, norm2(v, down)), 0.0);
        Expression scaled = v * factor, across = pd::transposed(scaled);
        return {before[0] - e.matmul(e.matmul(before[0], v), across),
                before[1] - e.matmul(scaled, e.matmul(pd::transposed(v), before[1]))};
      });
  return {loop.last[0], pd::upperTriangle(loop.last[1])};
}

//===-- Jacobi rotations --------------------------------------------------------------------------------===//

/// Rotations converge quadratically once the columns are nearly orthogonal: six to ten sweeps are enough.
constexpr int64_t sweeps = 14;

/// The partner of each column in each round of a sweep, which pairs all columns with all others: the rounds
/// of a tournament. A column without a partner is its own.
Expression partnersOf(TensorBuilder &e, int64_t columns) {
  int64_t rounds = columns % 2 == 0 ? columns - 1 : columns;
  llvm::SmallVector<int64_t> partners;
  for (int64_t round = 0; round < rounds; ++round)
    for (int64_t i = 0; i < columns; ++i) {
      int64_t half = round * (rounds + 1) / 2 % rounds; // twice it is the round
      int64_t other = i == rounds ? half : (round - i + rounds) % rounds;
      partners.push_back(i < rounds && other == i ? (columns % 2 == 0 ? rounds : i) : other);
    }
  auto type = RankedTensorType::get({rounds, columns}, e.getBuilder().getI64Type());
  return e.wrap(
      e.create<pd::ConstantOp>(type, DenseElementsAttr::get(type, llvm::ArrayRef<int64_t>(partners))));
}

/// Rotations that make the pairs of a round orthogonal, as one matrix, from the products of columns.
Expression rotationsOf(Expression products, Expression partner) {
  TensorBuilder &e = products.owner();
  Expression rows = rowsOf(products), columns = columnsOf(products);
  Expression isOwn = rows == columns,
             isPair = pd::both(insertDim(partner, 1) == columns, pd::negation(isOwn));
  Expression own = columnAt(products, isOwn), across = pd::transposed(own);
  Expression product = columnAt(products, isPair); // [..., columns, 1]
  Expression other = e.sum(where(isPair, across + products * 0.0), {products.rank() - 1});
  Expression ratio = quotientOr0((other - own) * 0.5, product);
  // Of equal columns the first one turns forward.
  Expression isForward = pd::either(ratio > 0.0, pd::both(e.equal(ratio, 0.0), rows < insertDim(partner, 1)));
  Expression size = 1.0 / (e.abs(ratio) + e.sqrt(ratio * ratio + 1.0));
  Expression tangent = e.select(e.equal(product, 0.0), 0.0, e.select(isForward, size, -size));
  Expression cosine = 1.0 / e.sqrt(tangent * tangent + 1.0);
  return e.select(isOwn, cosine, where(isPair, cosine * tangent));
}

/// Turns pairs of columns until all are orthogonal: `turn` gives the next states from the states and the
/// partners of columns.
pd::Recurrence turnAll(TensorBuilder &e, int64_t columns, llvm::ArrayRef<Expression> states,
                       llvm::function_ref<Expressions(llvm::ArrayRef<Expression>, Expression)> turn) {
  Expression partners = partnersOf(e, columns);
  DimSize rounds(partners, 0);
  return pd::runSteps(
      rounds.getNumber() * sweeps, {}, states, /*recorded=*/0,
      [&](Expression k, llvm::ArrayRef<Expression>, llvm::ArrayRef<Expression> before) -> Expressions {
        return turn(before, e.reshape(pd::gatherRows(partners, pd::modulo(k, rounds)), {columns}));
      });
}

/// The columns of x in the order of `indices` [..., columns].
Expression columnsInOrder(Expression x, Expression indices) {
  TensorBuilder &e = x.owner();
  int64_t last = x.rank() - 1;
  Expression index = expandTo(insertDim(indices, last - 1), dimSizesOf(x));
  return e.wrap(e.create<pd::TakeAlongAxisOp>(x, index, e.getBuilder().getI64IntegerAttr(last)));
}

struct Eigen {
  Expression values, vectors;
};

/// Eigenvalues in ascending order, and eigenvectors, of symmetric matrices.
Eigen symmetricEigen(Expression x) {
  TensorBuilder &e = x.owner();
  Expression identity = expandTo(pd::identityLike(x), dimSizesOf(x));
  pd::Recurrence loop =
      turnAll(e, columnsIn(x), {x, identity},
              [&](llvm::ArrayRef<Expression> before, Expression partner) -> Expressions {
                Expression turn = rotationsOf(before[0], partner);
                return {e.matmul(e.matmul(pd::transposed(turn), before[0]), turn), e.matmul(before[1], turn)};
              });
  Expression values = diagonalOf(loop.last[0]);
  pd::Descending order = pd::descending(-values);
  return {-order.values, columnsInOrder(loop.last[1], order.indices)};
}

struct Singular {
  Expression u, s, v;
};

/// x = U diag(S) V^T for at least as many rows as columns. U has all rows.
Singular singularOfTall(Expression x) {
  TensorBuilder &e = x.owner();
  int64_t columns = columnsIn(x), last = x.rank() - 1;
  llvm::SmallVector<DimSize> square = dimSizesOf(x);
  square[square.size() - 2] = square.back();
  Expression products = e.matmul(x, x, /*transposeX=*/true),
             identity = expandTo(pd::identityLike(products), square);
  pd::Recurrence loop = turnAll(
      e, columns, {x, identity}, [&](llvm::ArrayRef<Expression> before, Expression partner) -> Expressions {
        Expression turn = rotationsOf(e.matmul(before[0], before[0], /*transposeX=*/true), partner);
        return {e.matmul(before[0], turn), e.matmul(before[1], turn)};
      });
  Expression sizes = dropDim(e.sqrt(norm2(loop.last[0], last - 1)), last - 1);
  pd::Descending order = pd::descending(sizes);
  // Columns of size 0 have no direction: Q has one that is orthogonal to all others.
  Factors factors = householder(columnsInOrder(loop.last[0], order.indices));
  Expression sign = e.select(insertDim(diagonalOf(rowsTo(factors.r, columns)), last - 1) < 0.0, -1.0,
                             1.0 + insertDim(order.values, last - 1) * 0.0);
  Expression u = columnsTo(factors.q, columns) * sign;
  if (rowsIn(x) > columns)
    u = pd::concat({u, pd::slice(factors.q, last, columns, pd::toTheEnd)}, last);
  return {u, order.values, columnsInOrder(loop.last[1], order.indices)};
}

Singular singularOf(Expression x) {
  if (rowsIn(x) >= columnsIn(x))
    return singularOfTall(x);
  Singular turned = singularOfTall(pd::transposed(x));
  return {turned.v, turned.s, turned.u};
}

/// Whether singular values count as not 0.
Expression significantOf(Expression s, double rcond) {
  TensorBuilder &e = s.owner();
  Expression largest = e.max(s, {s.rank() - 1});
  return pd::both(s > 0.0, s > largest * std::max(rcond, 0.0));
}

} // namespace

void exportQr(NodeExporter &node) {
  auto op = node.get<pd::QrOp>();
  if (!areExpressible(node, op.getX()))
    return;
  node.exportAs([&](TensorBuilder &e) {
    Factors factors = householder(widened(e, op.getX()));
    int64_t width = op.getMode() == pd::QrMode::Complete ? rowsIn(factors.r)
                                                         : std::min(rowsIn(factors.r), columnsIn(factors.r));
    Expression q = columnsTo(factors.q, width);
    if (op.getMode() == pd::QrMode::R)
      q = expandTo(e.constant(0, e.getBuilder().getF64Type()), {DimSize(int64_t(0))});
    return Values{as(q, op.getQ()), as(rowsTo(factors.r, width), op.getR())};
  });
}

void exportEigh(NodeExporter &node) {
  auto op = node.get<pd::EighOp>();
  if (!areExpressible(node, op.getX()))
    return;
  node.exportAs([&](TensorBuilder &e) {
    Expression x = widened(e, op.getX());
    Expression triangle =
        op.getUPLO() == pd::Triangle::Lower ? pd::lowerTriangle(x) : pd::transposed(pd::upperTriangle(x));
    Expression below = pd::lowerTriangle(triangle, -1);
    Eigen eigen = symmetricEigen(triangle + pd::transposed(below));
    return Values{as(eigen.values, op.getW()), as(eigen.vectors, op.getV())};
  });
}

void exportSvd(NodeExporter &node) {
  auto op = node.get<pd::SvdOp>();
  if (!areExpressible(node, op.getX()))
    return;
  node.exportAs([&](TensorBuilder &e) {
    Singular factors = singularOf(widened(e, op.getX()));
    if (!op.getFullMatrices()) {
      int64_t least = columnsIn(factors.s);
      factors.u = columnsTo(factors.u, least);
      factors.v = columnsTo(factors.v, least);
    }
    return Values{as(factors.u, op.getU()), as(factors.s, op.getS()),
                  as(pd::transposed(factors.v), op.getVh())};
  });
}

/// The solution by singular values, which is the smallest one: all drivers have it.
void exportLstsq(NodeExporter &node) {
  auto op = node.get<pd::LstsqOp>();
  if (!areExpressible(node, op.getX()))
    return;
  node.exportAs([&](TensorBuilder &e) {
    Expression x = widened(e, op.getX()), y = widened(e, op.getY());
    Singular factors = singularOf(x);
    int64_t least = columnsIn(factors.s), last = x.rank() - 1;
    Expression counts = significantOf(factors.s, op.getRcond().convertToDouble());
    Expression inverse = where(counts, quotientOr0(1.0 + factors.s * 0.0, factors.s));
    Expression projected = e.matmul(columnsTo(factors.u, least), y, /*transposeX=*/true);
    Expression solution = e.matmul(columnsTo(factors.v, least), projected * insertDim(inverse, last));
    Expression residuals = dropDim(norm2(e.matmul(x, solution) - y, last - 1), last - 1);
    Expression rank = e.sum(e.cast(counts, e.getBuilder().getI64Type()), {last - 1}, /*keepdim=*/false);
    auto orNone = [&](Expression value, Value result) {
      if (pd::tensorType(result).getRank() != 1 || pd::tensorType(result).getDimSize(0) != 0)
        return as(value, result);
      return as(expandTo(e.constant(0, e.getBuilder().getF64Type()), {DimSize(int64_t(0))}), result);
    };
    return Values{as(solution, op.getSolution()), orNone(residuals, op.getResiduals()),
                  orNone(rank, op.getRank()), orNone(factors.s, op.getSingularValues())};
  });
}

} // namespace proa::exporter::onnxhooks
