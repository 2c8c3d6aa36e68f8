//! Batching rules of gathers and scatters: the number of the example becomes one more index.
#include "dialects/pd/ops/index/Batching.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/index/ScatterOps.h"

using namespace mlir;

namespace proa::pd {

Expression withExample(Batcher &batcher, TensorBuilder &e, Expression index) {
  SmallVector<DimSize> shape = dimSizesOf(index), column(index.rank(), DimSize(1));
  column[0] = batcher.examples(e);
  shape.back() = 1;
  Expression indices = iota(e, batcher.examples(e), index.type().getElementType());
  return concat({expandTo(reshapeTo(indices, column), shape), index}, index.rank() - 1);
}

/// With a batched index: a gather_nd on x with the indexed axis moved to the front.
BatchedResults GatherOp::batch(Batcher &batcher) {
  if (getAxisTensor())
    return failure();
  TensorBuilder e(batcher.builder, getOperation());
  int64_t rank = tensorType(getX()).getRank(), axis = getAxis();
  axis = axis < 0 ? axis + rank : axis;
  Value x = batcher.either(getX());
  if (!batcher.isBatched(getIndex()))
    return one(e.create<GatherOp>(x, batcher.plain(getIndex()), Value(),
                                  e.getBuilder().getI64IntegerAttr(axis + 1)));
  Expression index = e.wrap(batcher.batched(getIndex()));
  bool both = batcher.isBatched(getX());
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
  // picked: the example, the dimensions of the index, the dimensions of x before the axis and after it.
  for (int64_t d = 0; d < axis; ++d)
    back.push_back(1 + indexDims + d);
  for (int64_t d = 0; d < indexDims; ++d)
    back.push_back(1 + d);
  for (int64_t d = axis; d + 1 < rank; ++d)
    back.push_back(1 + indexDims + d);
  return one(e.transpose(e.wrap(picked), back));
}

BatchedResults GatherNdOp::batch(Batcher &batcher) {
  TensorBuilder e(batcher.builder, getOperation());
  if (!batcher.isBatched(getX()))
    return one(e.create<GatherNdOp>(batcher.plain(getX()), batcher.batched(getIndex())));
  Expression index = withExample(batcher, e, e.wrap(batcher.batched(getIndex())));
  return one(e.create<GatherNdOp>(batcher.batched(getX()), index));
}

BatchedResults ScatterNdOp::batch(Batcher &batcher) {
  TensorBuilder e(batcher.builder, getOperation());
  Expression index = withExample(batcher, e, e.wrap(batcher.batched(getIndex())));
  return one(e.create<ScatterNdOp>(batcher.batched(getX()), index, batcher.batched(getUpdates()),
                                   getReduceAttr(), getPaddleGradientAttr()));
}

/// Both operands get the examples' dimension; it is 1 where an operand is not batched.
BatchedResults TakeAlongAxisOp::batch(Batcher &batcher) {
  int64_t rank = tensorType(getX()).getRank();
  TensorBuilder e(batcher.builder, getOperation());
  auto operands = llvm::map_to_vector(getOperation()->getOperands(), [&](Value operand) -> Value {
    if (batcher.isBatched(operand))
      return batcher.aligned(operand, rank);
    return insertDim(e.wrap(batcher.plain(operand)), 0);
  });
  auto created = cast<TakeAlongAxisOp>(batcher.cloneOn(*this, operands));
  created.setAxis(batchedAxis(getAxis(), rank));
  return batcher.allOf(created);
}

BatchedResults PutAlongAxisOp::batch(Batcher &batcher) {
  int64_t rank = tensorType(getX()).getRank();
  Value operands[] = {batcher.batched(getX()), batcher.batched(getIndices()),
                      batcher.aligned(getValues(), rank)};
  auto created = cast<PutAlongAxisOp>(batcher.cloneOn(*this, operands));
  created.setAxis(batchedAxis(getAxis(), rank));
  return batcher.allOf(created);
}

BatchedResults SetValueOp::batch(Batcher &batcher) {
  auto bounds = llvm::drop_begin(getOperation()->getOperands(), 2);
  if (llvm::any_of(bounds, [&](Value operand) { return batcher.isBatched(operand); }))
    return failure();
  int64_t rank = tensorType(getX()).getRank();
  SmallVector<Value> operands{batcher.batched(getX())};
  operands.push_back(batcher.isBatched(getValues()) ? batcher.aligned(getValues(), rank)
                                                    : batcher.plain(getValues()));
  for (Value operand : bounds)
    operands.push_back(batcher.plain(operand));
  auto created = cast<SetValueOp>(batcher.cloneOn(*this, operands));
  created.setAxes(batchedAxes(getAxes(), rank));
  return batcher.allOf(created);
}

} // namespace proa::pd
