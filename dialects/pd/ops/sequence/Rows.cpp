#include "dialects/pd/ops/sequence/Rows.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/reduce/ScanOps.h"
#include "dialects/pd/ops/sequence/RowsOps.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

using namespace mlir;

namespace proa::pd {

static Expression zeroVector(TensorBuilder &e) {
  return e.reshape(e.constant(0, e.getBuilder().getI64Type()), {1});
}

Sequences sequencesOf(Expression offsets) {
  Expression starts = slice(offsets, 0, 0, -1), ends = slice(offsets, 0, 1, toTheEnd);
  return {starts, ends, ends - starts};
}

RowPositions rowPositions(Expression x, Expression offsets) {
  TensorBuilder &e = x.owner();
  auto op = RowPositionsOp::create(e.getBuilder(), Value(x).getLoc(), x, offsets);
  return {e.wrap(op.getSequence()), e.wrap(op.getPosition())};
}

PaddedRows paddedRows(Expression x, Expression offsets) {
  TensorBuilder &e = x.owner();
  Sequences sequences = sequencesOf(offsets);
  SmallVector<DimSize> dims = dimSizesOf(x);
  Expression last = e.wrap(dims[0].getValue(e));
  dims[0] = DimSize(1);
  Expression end = expandTo(e.constant(0, x.type().getElementType()), dims);
  Expression longest = e.max(concat({sequences.lengths, zeroVector(e)}, 0), {0}, /*keepdim=*/false);
  Expression position = insertDim(iota(e, dimSizeOf(longest + 1.0), e.getBuilder().getI64Type()), 0);
  Expression index = e.minimum(insertDim(sequences.starts, 1) + position, last);
  return {gatherRows(concat({x, end}, 0), index), insertDim(sequences.lengths, 1) > position};
}

Expression offsetsOfLengths(Expression lengths) {
  TensorBuilder &e = lengths.owner();
  return concat({zeroVector(e), e.wrap(e.create<CumsumOp>(lengths, Value(), int64_t(0)))}, 0);
}

RangeRows rangeRows(Expression starts, Expression lengths) {
  TensorBuilder &e = starts.owner();
  auto op = RangesOp::create(e.getBuilder(), Value(starts).getLoc(), starts, lengths);
  return {e.wrap(op.getRows()), e.wrap(op.getOffsets())};
}

Expression gatherRows(Expression x, Expression index) {
  return x.owner().wrap(x.owner().create<GatherOp>(x, index, Value(), uint64_t(0)));
}

Expression reduceRows(Expression x, Expression group, const DimSize &count, ScatterReduce reduce,
                      double initial) {
  TensorBuilder &e = x.owner();
  llvm::SmallVector<DimSize> shape = dimSizesOf(x);
  shape[0] = count;
  Expression start = expandTo(e.constant(initial, x.type().getElementType()), shape);
  return e.wrap(e.create<ScatterNdOp>(start, insertDim(group, 1), x, reduce));
}

Expression asColumn(Expression vector, int64_t rank) {
  llvm::SmallVector<DimSize> shape(rank, DimSize(1));
  shape[0] = DimSize(vector, 0);
  return reshapeTo(vector, shape);
}

Expression asVector(Expression x) { return x.rank() == 1 ? x : reshapeTo(x, {DimSize(x, 0)}); }

Expression asInts(Expression x) {
  Type i64 = x.owner().getBuilder().getI64Type();
  return x.type().getElementType() == i64 ? x : x.owner().cast(x, i64);
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/sequence/Rows.cpp.inc"
#include "dialects/pd/ops/sequence/Rows.methods.inc"
#include "dialects/pd/ops/sequence/Rows.scalar.inc"
