//! Batching of matrix products, factorizations and systems: the examples are one more dimension of the batch.
#include "dialects/pd/autodiff/BatchingRules.h"
#include "dialects/pd/ops/linalg/Contract.h"
#include "dialects/pd/ops/linalg/FactorOps.h"
#include "dialects/pd/ops/linalg/SolveOps.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// A factor of a product as a matrix with `batchDims` dimensions, besides the examples', before its last two.
Value asMatrix(Batcher &batcher, TensorBuilder &e, Value operand, int64_t vectorAxis, int64_t batchDims) {
  bool isVector = tensorType(operand).getRank() == 1;
  if (!batcher.isBatched(operand)) {
    Expression value = e.wrap(batcher.plain(operand));
    return isVector ? insertDim(value, vectorAxis) : value;
  }
  if (!isVector)
    return batcher.aligned(operand, batchDims + 2);
  Expression value = e.wrap(batcher.batched(operand));
  SmallVector<Extent> shape = extentsOf(value);
  shape.insert(shape.begin() + 1 + vectorAxis, Extent(1));
  shape.insert(shape.begin() + 1, batchDims, Extent(1));
  return reshapeTo(value, shape);
}

BatchedResults matmul(Batcher &batcher, Operation *op) {
  auto matmul = cast<MatmulOp>(op);
  TensorBuilder e(batcher.builder, op);
  int64_t rankX = tensorType(matmul.getX()).getRank(), rankY = tensorType(matmul.getY()).getRank();
  int64_t batchDims = std::max<int64_t>(std::max(rankX, rankY) - 2, 0);
  Value x = asMatrix(batcher, e, matmul.getX(), 0, batchDims),
        y = asMatrix(batcher, e, matmul.getY(), 1, batchDims);
  Expression out = e.matmul(e.wrap(x), e.wrap(y), matmul.getTransposeX() && rankX > 1,
                            matmul.getTransposeY() && rankY > 1);
  if (rankX > 1 && rankY > 1)
    return SmallVector<Batched>{Batched(out)};
  SmallVector<Extent> shape = extentsOf(out);
  if (rankY == 1)
    shape.pop_back();
  if (rankX == 1)
    shape.erase(shape.end() - (rankY == 1 ? 1 : 2));
  return SmallVector<Batched>{Batched(reshapeTo(out, shape))};
}

/// Ops on matrices in the last two dimensions, with one operand.
BatchedResults onMatrices(Batcher &batcher, Operation *op) {
  return batcher.allOf(batcher.cloneOn(op, batcher.batched(op->getOperand(0))));
}

/// Of one matrix `infos` is a vector of one element, of more it has their dimensions.
BatchedResults triangles(Batcher &batcher, Operation *op) {
  TensorBuilder e(batcher.builder, op);
  auto own = tensorType(cast<LuOp>(op).getInfos());
  auto made = LuOp::create(batcher.builder, op->getLoc(), batcher.batched(op->getOperand(0)),
                           cast<LuOp>(op).getPivotAttr());
  Expression infos = e.wrap(made.getInfos());
  if (infos.rank() == own.getRank())
    infos = insertDim(infos, 1);
  return SmallVector<Batched>{Batched(made.getOut()), Batched(made.getPivots()), Batched(infos)};
}

/// Of the pivots of each matrix; how many rows there are is the same for all.
BatchedResults permutation(Batcher &batcher, Operation *op) {
  auto operands = firstBatched(batcher, op);
  return failed(operands) ? BatchedResults(failure()) : batcher.allOf(batcher.cloneOn(op, *operands));
}

/// In mode "r" Q is empty, and has no dimension for the matrices.
BatchedResults orthogonal(Batcher &batcher, Operation *op) {
  auto qr = cast<QrOp>(op);
  if (qr.getMode() != QrMode::R)
    return onMatrices(batcher, op);
  auto made = QrOp::create(batcher.builder, op->getLoc(), batcher.batched(qr.getX()), qr.getMode());
  return SmallVector<Batched>{Batched(made.getQ(), false), Batched(made.getR())};
}

/// Its result has the signs and the logarithms in front.
BatchedResults signsAndLogarithms(Batcher &batcher, Operation *op) {
  TensorBuilder e(batcher.builder, op);
  Expression made =
      e.wrap(SlogdetOp::create(batcher.builder, op->getLoc(), batcher.batched(op->getOperand(0))));
  SmallVector<int64_t> order{1, 0};
  for (int64_t d = 2; d < made.rank(); ++d)
    order.push_back(d);
  return one(e.transpose(made, order));
}

BatchedResults system(Batcher &batcher, Operation *op) {
  int64_t rankX = tensorType(op->getOperand(0)).getRank(), rankY = tensorType(op->getOperand(1)).getRank();
  // A right side with fewer dimensions may stand for vectors.
  if (rankX < 2 || rankY < 2 || (isa<SolveOp>(op) && rankX != rankY))
    return failure();
  int64_t rank = std::max(rankX, rankY);
  Value operands[] = {batcher.aligned(op->getOperand(0), rank), batcher.aligned(op->getOperand(1), rank)};
  return batcher.allOf(batcher.cloneOn(op, operands));
}

} // namespace

void addProductBatching(BatchingRules &rules) {
  rules.add<MatmulOp>(matmul);
  rules.add<CholeskyOp, EighOp, EigOp, EigvalsOp, SvdOp, InverseOp, DetOp, AdjugateOp>(onMatrices);
  rules.add<QrOp>(orthogonal);
  rules.add<LuOp>(triangles);
  rules.add<LuPermutationOp>(permutation);
  rules.add<SolveOp, TriangularSolveOp, CholeskySolveOp>(system);
  rules.add<SlogdetOp>(signsAndLogarithms);
}

} // namespace proa::pd
