//! Factorizations of matrices and linear systems, which ONNX lacks, as loops over columns or rows. Matrices
//! are the last two dimensions.
#include "translator/export/onnx/NodeExporter.h"
#include "translator/export/onnx/hooks/MatrixFormula.h"

#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/linalg/FactorOps.h"
#include "dialects/pd/ops/linalg/Matrices.h"
#include "dialects/pd/ops/linalg/SolveOps.h"
#include "dialects/pd/ops/math/Logic.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/search/SearchOps.h"
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

/// The leading dims of matrices, and one more dim.
llvm::SmallVector<DimSize> batchAnd(Expression x, const DimSize &size) {
  llvm::SmallVector<DimSize> dims = dimSizesOf(x);
  dims.pop_back();
  dims.back() = size;
  return dims;
}

/// Gaussian elimination with row pivots in the first `steps` columns: L and U in one matrix, and the pivots
/// [..., steps], counted from 0.
struct Elimination {
  Expression matrix, pivots;

  static Elimination of(Expression x, const DimSize &steps) {
    TensorBuilder &e = x.owner();
    Type i64 = e.getBuilder().getI64Type();
    int64_t last = x.rank() - 1;
    Expression rows = rowsOf(x), columns = columnsOf(x), row = dropDim(rows, 1),
               step = integersUpTo(e, steps);
    Expression none = expandTo(e.constant(0, i64), batchAnd(x, steps));
    pd::Recurrence loop = pd::runSteps(
        steps, {}, {x, none}, /*recorded=*/0,
        [&](Expression k, llvm::ArrayRef<Expression>, llvm::ArrayRef<Expression> before) -> Expressions {
          Expression magnitude = e.abs(dropDim(columnAt(before[0], columns == k), last));
          Expression candidates = e.select(row >= k, magnitude, -1.0);
          Expression pivot = insertDim(
              pd::asInts(e.wrap(e.create<pd::ArgmaxOp>(candidates, Value(), last - 1, /*keepdims=*/false,
                                                       /*flatten=*/false, TypeAttr()))),
              last - 1);
          Expression source = e.select(row == k, pivot, e.select(row == pivot, k, row));
          Expression index = expandTo(insertDim(source, last), dimSizesOf(before[0]));
          Expression a = e.wrap(
              e.create<pd::TakeAlongAxisOp>(before[0], index, e.getBuilder().getI64IntegerAttr(last - 1)));
          Expression top = rowAt(a, rows == k), column = columnAt(a, columns == k);
          Expression factors = where(rows > k, quotientOr0(column, columnAt(top, columns == k)));
          Expression isFactor = pd::both(columns == k, rows > k);
          Expression reduced = a - factors * where(columns > k, top);
          return {e.select(isFactor, factors, reduced), e.select(step == k, pivot, before[1])};
        });
    return {loop.last[0], loop.last[1]};
  }
};

/// The solution of t x = y for a triangular t, of which the other triangle is not read.
Expression triangularSolution(Expression t, Expression y, bool isUpper, bool isUnit) {
  TensorBuilder &e = t.owner();
  Expression rows = rowsOf(t), columns = columnsOf(t);
  t = where(isUpper ? columns >= rows : rows >= columns, t);
  if (isUnit)
    t = e.select(rows == columns, 1.0, t);
  DimSize steps(t, t.rank() - 2);
  Expression count = e.wrap(steps.getValue(e));
  pd::Recurrence loop = pd::runSteps(
      steps, {}, {y * 0.0}, /*recorded=*/0,
      [&](Expression k, llvm::ArrayRef<Expression>, llvm::ArrayRef<Expression> before) -> Expressions {
        Expression i = isUpper ? count - 1.0 - k : k, row = rowAt(t, rows == i);
        Expression rest = rowAt(y, rowsOf(y) == i) - e.matmul(row, before[0]);
        return {e.select(rowsOf(y) == i, rest / columnAt(row, columns == i), before[0])};
      });
  return loop.last[0];
}

Expression choleskyFactor(Expression x) {
  TensorBuilder &e = x.owner();
  Expression rows = rowsOf(x), columns = columnsOf(x);
  pd::Recurrence loop = pd::runSteps(
      DimSize(x, x.rank() - 1), {}, {x * 0.0}, /*recorded=*/0,
      [&](Expression k, llvm::ArrayRef<Expression>, llvm::ArrayRef<Expression> before) -> Expressions {
        Expression done = before[0], column = columnAt(x, columns == k);
        Expression rest = column - e.matmul(done, pd::adjoint(rowAt(done, rows == k)));
        Expression root = e.sqrt(rowAt(rest, rows == k));
        Expression factor = e.select(rows > k, rest / root, where(rows == k, root + rest * 0.0));
        return {e.select(columns == k, factor, done)};
      });
  return loop.last[0];
}

/// The solution of x out = y, by elimination in [x y].
Expression solution(Expression x, Expression y) {
  int64_t axis = x.rank() - 1;
  DimSize rows(x, axis);
  Expression both = Elimination::of(pd::concat({x, y}, axis), rows).matrix;
  auto columns = [&](const DimSize &begin, const DimSize &end) {
    return sliceBetween(both, axis, begin, end);
  };
  return triangularSolution(columns(0, rows), columns(rows, DimSize(both, axis)), /*isUpper=*/true, false);
}

/// Whether the pivots of each matrix are an odd number of exchanges: [..., 1].
Expression hasOddExchanges(Expression pivots) {
  TensorBuilder &e = pivots.owner();
  int64_t axis = pivots.rank() - 1;
  Expression isMoved = pd::negation(pivots == integersUpTo(e, DimSize(pivots, axis)));
  Expression count = e.sum(e.cast(isMoved, e.getBuilder().getF32Type()), {axis});
  return count - e.floor(count * 0.5) * 2.0 > 0.5;
}

/// The rows of x in the order of the exchanges: [..., rows].
Expression orderOfExchanges(Expression pivots, const DimSize &rows) {
  TensorBuilder &e = pivots.owner();
  int64_t axis = pivots.rank() - 1;
  Expression row = integersUpTo(e, rows), step = integersUpTo(e, DimSize(pivots, axis));
  llvm::SmallVector<DimSize> dims = dimSizesOf(pivots);
  DimSize steps = dims.back();
  dims.back() = rows;
  pd::Recurrence loop = pd::runSteps(
      steps, {}, {expandTo(row, dims)}, /*recorded=*/0,
      [&](Expression k, llvm::ArrayRef<Expression>, llvm::ArrayRef<Expression> before) -> Expressions {
        auto at = [&](Expression x, Expression isIt) { return e.sum(where(isIt, x), {axis}); };
        Expression pivot = at(pivots, step == k);
        Expression own = at(before[0], row == k), other = at(before[0], row == pivot);
        return {e.select(row == k, other, e.select(row == pivot, own, before[0]))};
      });
  return loop.last[0];
}

bool haveEqualBatches(Value x, Value y) {
  RankedTensorType left = pd::tensorType(x), right = pd::tensorType(y);
  return left.getRank() == right.getRank() && left.getRank() >= 2 &&
         left.getShape().drop_back(2) == right.getShape().drop_back(2);
}

void exportSystem(NodeExporter &node, Value x, Value y,
                  llvm::function_ref<Expression(TensorBuilder &, Expression, Expression)> solve) {
  if (!haveEqualBatches(x, y))
    return node.report("has operands of different batches, which its formula in ONNX does not broadcast");
  node.exportAs([&](TensorBuilder &e) { return Values{solve(e, e.wrap(x), e.wrap(y))}; });
}

} // namespace

void exportCholesky(NodeExporter &node) {
  auto op = node.get<pd::CholeskyOp>();
  node.exportAs([&](TensorBuilder &e) {
    Expression x = e.wrap(op.getX()), factor = choleskyFactor(op.getUpper() ? pd::adjoint(x) : x);
    return Values{op.getUpper() ? pd::adjoint(factor) : factor};
  });
}

void exportLu(NodeExporter &node) {
  auto op = node.get<pd::LuOp>();
  node.exportAs([&](TensorBuilder &e) {
    Expression x = e.wrap(op.getX());
    int64_t axis = x.rank() - 1;
    DimSize steps = minimum(e, DimSize(x, axis - 1), DimSize(x, axis));
    Elimination done = Elimination::of(x, steps);
    // The first pivot that is 0, counted from 1; 0: none.
    Expression corner = sliceBetween(sliceBetween(done.matrix, axis, 0, steps), axis - 1, 0, steps);
    Expression isZero = e.equal(e.abs(diagonalOf(corner)), 0.0), number = integersUpTo(e, steps) + 1.0;
    constexpr double none = 1e9;
    Expression first = -e.max(-e.select(isZero, number, none), {axis - 1}, /*keepdim=*/false);
    Expression info = e.select(first >= none, 0.0, first);
    return Values{done.matrix, as(done.pivots + 1.0, op.getPivots()),
                  as(reshapeTo(info, dimSizesOf(e.wrap(op.getInfos()))), op.getInfos())};
  });
}

void exportLuPermutation(NodeExporter &node) {
  auto op = node.get<pd::LuPermutationOp>();
  if (op.getRowsTensor())
    return node.report("has a number of rows that is computed, expected a constant");
  node.exportAs([&](TensorBuilder &e) {
    DimSize rows = static_cast<int64_t>(op.getRows());
    Expression order = orderOfExchanges(pd::asInts(e.wrap(op.getPivots())) - 1.0, rows);
    Expression isIt = insertDim(integersUpTo(e, rows), 1) == insertDim(order, order.rank() - 1);
    return Values{as(isIt, op.getOut())};
  });
}

void exportSolve(NodeExporter &node) {
  auto op = node.get<pd::SolveOp>();
  if (pd::holdsVectors(pd::tensorType(op.getX()), pd::tensorType(op.getY())))
    return node.exportAs([&](TensorBuilder &e) {
      Expression x = e.wrap(op.getX()), y = e.wrap(op.getY());
      Expression columns = insertDim(y, y.rank());
      llvm::SmallVector<DimSize> dims = batchAnd(x, DimSize(x, x.rank() - 1));
      dims.push_back(DimSize(1));
      return Values{dropDim(solution(x, expandTo(columns, dims)), x.rank() - 1)};
    });
  exportSystem(node, op.getX(), op.getY(),
               [](TensorBuilder &, Expression x, Expression y) { return solution(x, y); });
}

void exportInverse(NodeExporter &node) {
  node.exportAs([&](TensorBuilder &e) {
    Expression x = e.wrap(node.getOp()->getOperand(0));
    return Values{solution(x, expandTo(pd::identityLike(x), dimSizesOf(x)))};
  });
}

void exportCholeskySolve(NodeExporter &node) {
  auto op = node.get<pd::CholeskySolveOp>();
  exportSystem(node, op.getX(), op.getY(), [&](TensorBuilder &, Expression x, Expression y) {
    Expression lower = op.getUpper() ? pd::adjoint(y) : y;
    return triangularSolution(pd::adjoint(lower), triangularSolution(lower, x, false, false), true, false);
  });
}

void exportTriangularSolve(NodeExporter &node) {
  auto op = node.get<pd::TriangularSolveOp>();
  exportSystem(node, op.getX(), op.getY(), [&](TensorBuilder &, Expression x, Expression y) {
    Expression t = op.getTranspose() ? pd::transposed(x) : x;
    return triangularSolution(t, y, op.getUpper() != op.getTranspose(), op.getUnitriangular());
  });
}

/// ONNX Runtime has Det of float32 only.
void exportDet(NodeExporter &node) {
  auto op = node.get<pd::DetOp>();
  if (pd::tensorType(op.getX()).getElementType().isF32())
    return node.setResult(0, node.node("Det", {node.of(op.getX())}));
  node.exportAs([&](TensorBuilder &e) {
    Expression x = e.wrap(op.getX());
    Elimination done = Elimination::of(x, DimSize(x, x.rank() - 1));
    Expression diagonal = diagonalOf(done.matrix);
    int64_t axis = diagonal.rank() - 1;
    Expression product =
        e.wrap(e.create<pd::ProdOp>(diagonal, llvm::ArrayRef<int64_t>(axis), /*keepdim=*/true));
    Expression signedProduct = e.select(hasOddExchanges(done.pivots), -product, product);
    return Values{dropDim(signedProduct, axis)};
  });
}

void exportSlogdet(NodeExporter &node) {
  auto op = node.get<pd::SlogdetOp>();
  Type element = pd::tensorType(op.getX()).getElementType();
  if (!isa<FloatType>(element))
    return node.report("has complex matrices, which its formula in ONNX does not take");
  node.exportAs([&](TensorBuilder &e) {
    Expression x = e.wrap(op.getX());
    Elimination done = Elimination::of(x, DimSize(x, x.rank() - 1));
    Expression diagonal = diagonalOf(done.matrix);
    int64_t axis = diagonal.rank() - 1;
    Expression signs = e.wrap(e.create<pd::SignOp>(diagonal));
    Expression sign = e.wrap(e.create<pd::ProdOp>(signs, llvm::ArrayRef<int64_t>(axis), /*keepdim=*/true));
    sign = dropDim(e.select(hasOddExchanges(done.pivots), -sign, sign), axis);
    Expression logarithm = e.sum(e.log(e.abs(diagonal)), {axis}, /*keepdim=*/false);
    return Values{pd::concat({insertDim(sign, 0), insertDim(logarithm, 0)}, 0)};
  });
}

} // namespace proa::exporter::onnxhooks
