//! Batching rules of matmuls, factorizations and systems: the examples are one more batch dimension.
#include "dialects/pd/autodiff/BatchingRules.h"
#include "dialects/pd/ops/linalg/Contract.h"
#include "dialects/pd/ops/linalg/FactorOps.h"
#include "dialects/pd/ops/linalg/SolveOps.h"

using namespace mlir;

namespace proa::pd {

/// A factor of a product as a matrix with `batchDims` dimensions, besides the examples', before its last two.
static Value asMatrix(Batcher &batcher, TensorBuilder &e, Value operand, int64_t vectorAxis,
                      int64_t batchDims) {
  bool isVector = tensorType(operand).getRank() == 1;
  if (!batcher.isBatched(operand)) {
    Expression value = e.wrap(batcher.plain(operand));
    return isVector ? insertDim(value, vectorAxis) : value;
  }
  if (!isVector)
    return batcher.aligned(operand, batchDims + 2);
  Expression value = e.wrap(batcher.batched(operand));
  SmallVector<DimSize> shape = dimSizesOf(value);
  shape.insert(shape.begin() + 1 + vectorAxis, DimSize(1));
  shape.insert(shape.begin() + 1, batchDims, DimSize(1));
  return reshapeTo(value, shape);
}

BatchedResults MatmulOp::batch(Batcher &batcher) {
  TensorBuilder e(batcher.builder, getOperation());
  int64_t rankX = tensorType(getX()).getRank(), rankY = tensorType(getY()).getRank();
  int64_t batchDims = std::max<int64_t>(std::max(rankX, rankY) - 2, 0);
  Value x = asMatrix(batcher, e, getX(), 0, batchDims), y = asMatrix(batcher, e, getY(), 1, batchDims);
  Expression out = e.matmul(e.wrap(x), e.wrap(y), getTransposeX() && rankX > 1, getTransposeY() && rankY > 1);
  if (rankX > 1 && rankY > 1)
    return one(out);
  SmallVector<DimSize> shape = dimSizesOf(out);
  if (rankY == 1)
    shape.pop_back();
  if (rankX == 1)
    shape.erase(shape.end() - (rankY == 1 ? 1 : 2));
  return one(reshapeTo(out, shape));
}

/// For one matrix `infos` is a vector of one element, for more it has their dimensions.
BatchedResults LuOp::batch(Batcher &batcher) {
  TensorBuilder e(batcher.builder, getOperation());
  auto ownType = tensorType(getInfos());
  auto created = LuOp::create(batcher.builder, getLoc(), batcher.batched(getX()), getPivotAttr());
  Expression infos = e.wrap(created.getInfos());
  if (infos.rank() == ownType.getRank())
    infos = insertDim(infos, 1);
  return SmallVector<Batched>{Batched(created.getOut()), Batched(created.getPivots()), Batched(infos)};
}

/// In mode "r" Q is empty, and has no dimension for the matrices.
BatchedResults QrOp::batch(Batcher &batcher) {
  if (getMode() != QrMode::R)
    return batchFirstOperand(batcher, *this);
  auto created = QrOp::create(batcher.builder, getLoc(), batcher.batched(getX()), getMode());
  return SmallVector<Batched>{Batched(created.getQ(), false), Batched(created.getR())};
}

/// The first dimension of the result has signs and logarithms, so the examples' dimension moves before it.
BatchedResults SlogdetOp::batch(Batcher &batcher) {
  TensorBuilder e(batcher.builder, getOperation());
  Expression created = e.wrap(SlogdetOp::create(batcher.builder, getLoc(), batcher.batched(getX())));
  SmallVector<int64_t> order{1, 0};
  for (int64_t d = 2; d < created.rank(); ++d)
    order.push_back(d);
  return one(e.transpose(created, order));
}

/// The rule of linear systems: a matrix and a right side with the same batch dimensions.
BatchedResults batchSystem(Batcher &batcher, Operation *op) {
  int64_t rankX = tensorType(op->getOperand(0)).getRank(), rankY = tensorType(op->getOperand(1)).getRank();
  // solve() takes a right side with fewer dimensions for a batch of vectors.
  if (rankX < 2 || rankY < 2 || (isa<SolveOp>(op) && rankX != rankY))
    return failure();
  int64_t rank = std::max(rankX, rankY);
  Value operands[] = {batcher.aligned(op->getOperand(0), rank), batcher.aligned(op->getOperand(1), rank)};
  return batcher.allOf(batcher.cloneOn(op, operands));
}

} // namespace proa::pd
