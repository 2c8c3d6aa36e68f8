//! Batching of gathers and scatters: the number of the example becomes one more index.
#include "dialects/pd/autodiff/BatchingRules.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/nn/EmbeddingOps.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// The rows of `index`, which is batched, each with the number of its example before it.
Expression withExample(Batcher &batcher, TensorBuilder &e, Expression index) {
  SmallVector<Extent> shape = extentsOf(index), column(index.rank(), Extent(1));
  column[0] = batcher.examples(e);
  shape.back() = 1;
  Expression numbers = iota(e, batcher.examples(e), index.type().getElementType());
  return concat({expandTo(reshapeTo(numbers, column), shape), index}, index.rank() - 1);
}

/// Places along an axis, one after another of all examples: gather_nd on x with that axis in front.
BatchedResults gather(Batcher &batcher, Operation *op) {
  auto gather = cast<GatherOp>(op);
  if (gather.getAxisTensor())
    return failure();
  TensorBuilder e(batcher.builder, op);
  int64_t rank = tensorType(gather.getX()).getRank(), axis = gather.getAxis();
  axis = axis < 0 ? axis + rank : axis;
  Value x = batcher.either(gather.getX());
  if (!batcher.isBatched(gather.getIndex()))
    return one(e.create<GatherOp>(x, batcher.plain(gather.getIndex()), Value(),
                                  e.getBuilder().getI64IntegerAttr(axis + 1)));
  Expression index = e.wrap(batcher.batched(gather.getIndex()));
  bool both = batcher.isBatched(gather.getX());
  int64_t first = both ? 1 : 0, indexDims = index.rank() - 1;
  SmallVector<int64_t> toFront, back{0};
  if (both)
    toFront.push_back(0);
  toFront.push_back(first + axis);
  for (int64_t d = 0; d < rank; ++d)
    if (d != axis)
      toFront.push_back(first + d);
  Expression rows = insertDim(index, index.rank());
  Value picked =
      e.create<GatherNdOp>(e.transpose(e.wrap(x), toFront), both ? withExample(batcher, e, rows) : rows);
  // picked: example, the dimensions of the index, those of x before the axis, those behind it.
  for (int64_t d = 0; d < axis; ++d)
    back.push_back(1 + indexDims + d);
  for (int64_t d = 0; d < indexDims; ++d)
    back.push_back(1 + d);
  for (int64_t d = axis; d + 1 < rank; ++d)
    back.push_back(1 + indexDims + d);
  return one(e.transpose(e.wrap(picked), back));
}

BatchedResults gatherNd(Batcher &batcher, Operation *op) {
  auto gather = cast<GatherNdOp>(op);
  TensorBuilder e(batcher.builder, op);
  if (!batcher.isBatched(gather.getX()))
    return one(e.create<GatherNdOp>(batcher.plain(gather.getX()), batcher.batched(gather.getIndex())));
  Expression index = withExample(batcher, e, e.wrap(batcher.batched(gather.getIndex())));
  return one(e.create<GatherNdOp>(batcher.batched(gather.getX()), index));
}

BatchedResults scatterNd(Batcher &batcher, Operation *op) {
  auto scatter = cast<ScatterNdOp>(op);
  TensorBuilder e(batcher.builder, op);
  Expression index = withExample(batcher, e, e.wrap(batcher.batched(scatter.getIndex())));
  return one(e.create<ScatterNdOp>(batcher.batched(scatter.getX()), index,
                                   batcher.batched(scatter.getUpdates()), scatter.getReduceAttr(),
                                   scatter.getPaddleGradientAttr()));
}

/// Both operands with the same dimensions; what is not batched is broadcast.
SmallVector<Value> alignedAll(Batcher &batcher, Operation *op, int64_t rank) {
  TensorBuilder e(batcher.builder, op);
  return llvm::map_to_vector(op->getOperands(), [&](Value operand) -> Value {
    if (batcher.isBatched(operand))
      return batcher.aligned(operand, rank);
    return insertDim(e.wrap(batcher.plain(operand)), 0);
  });
}

BatchedResults takeAlongAxis(Batcher &batcher, Operation *op) {
  int64_t rank = tensorType(op->getOperand(0)).getRank();
  auto made = cast<TakeAlongAxisOp>(batcher.cloneOn(op, alignedAll(batcher, op, rank)));
  made.setAxis(batchedAxis(cast<TakeAlongAxisOp>(op).getAxis(), rank));
  return batcher.allOf(made);
}

BatchedResults putAlongAxis(Batcher &batcher, Operation *op) {
  auto put = cast<PutAlongAxisOp>(op);
  int64_t rank = tensorType(put.getX()).getRank();
  Value operands[] = {batcher.batched(put.getX()), batcher.batched(put.getIndices()),
                      batcher.aligned(put.getValues(), rank)};
  auto made = cast<PutAlongAxisOp>(batcher.cloneOn(op, operands));
  made.setAxis(batchedAxis(put.getAxis(), rank));
  return batcher.allOf(made);
}

BatchedResults embedding(Batcher &batcher, Operation *op) {
  auto embedding = cast<EmbeddingOp>(op);
  TensorBuilder e(batcher.builder, op);
  if (!batcher.isBatched(embedding.getWeight())) {
    Value operands[] = {batcher.batched(embedding.getX()), batcher.plain(embedding.getWeight())};
    return batcher.allOf(batcher.cloneOn(op, operands));
  }
  if (static_cast<int64_t>(embedding.getPaddingIdx()) != -1)
    return failure();
  if (!batcher.isBatched(embedding.getX()))
    return one(e.create<GatherOp>(batcher.batched(embedding.getWeight()), batcher.plain(embedding.getX()),
                                  Value(), e.getBuilder().getI64IntegerAttr(1)));
  Expression ids = e.wrap(batcher.batched(embedding.getX()));
  return one(e.create<GatherNdOp>(batcher.batched(embedding.getWeight()),
                                  withExample(batcher, e, insertDim(ids, ids.rank()))));
}

} // namespace

void addIndexBatching(BatchingRules &rules) {
  rules.add<GatherOp>(gather);
  rules.add<GatherNdOp>(gatherNd);
  rules.add<ScatterNdOp>(scatterNd);
  rules.add<TakeAlongAxisOp>(takeAlongAxis);
  rules.add<PutAlongAxisOp>(putAlongAxis);
  rules.add<EmbeddingOp>(embedding);
}

} // namespace proa::pd
