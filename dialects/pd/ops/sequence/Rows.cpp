#include "dialects/pd/ops/sequence/Rows.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/sequence/RowsOps.h"

using namespace mlir;

namespace proa::pd {

Sequences sequencesOf(Expression offsets) {
  Expression starts = slice(offsets, 0, 0, -1), ends = slice(offsets, 0, 1, toTheEnd);
  return {starts, ends, ends - starts};
}

RowPlaces rowPlaces(Expression x, Expression offsets) {
  TensorBuilder &e = x.owner();
  auto op = RowPositionsOp::create(e.getBuilder(), Value(x).getLoc(), x, offsets);
  return {e.wrap(op.getSequence()), e.wrap(op.getPosition())};
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
