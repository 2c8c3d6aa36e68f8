//! Rows of sequences by their offsets.
#include "translator/export/onnx/NodeExporter.h"

#include "dialects/pd/autodiff/CountedLoop.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/creation/RangeOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/reduce/ScanOps.h"
#include "dialects/pd/ops/sequence/Labels.h"
#include "dialects/pd/ops/sequence/RowsOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/shape/SliceOps.h"

using namespace mlir;

namespace proa::exporter::onnxhooks {

using pd::Expression;
using pd::TensorBuilder;
using Values = llvm::SmallVector<Value>;

static Expression gatherRows(TensorBuilder &e, Expression x, Expression index) {
  return e.wrap(e.create<pd::GatherOp>(x, index, Value(), uint64_t(0)));
}

/// For each of the numbers how many of the `ends` are not above it: the index of the range that has it.
static Expression rangeOf(TensorBuilder &e, Expression ends, Expression values) {
  Value isPast = e.create<pd::LessEqualOp>(pd::insertDim(ends, 0), pd::insertDim(values, 1));
  return e.sum(e.cast(e.wrap(isPast), e.getBuilder().getI64Type()), {1}, /*keepdim=*/false);
}

void exportRowPositions(NodeExporter &node) {
  auto op = node.get<pd::RowPositionsOp>();
  node.exportAs([&](TensorBuilder &e) {
    Expression offsets = e.wrap(op.getOffsets()), x = e.wrap(op.getX());
    Expression rows = pd::iota(e, pd::DimSize(x, 0), e.getBuilder().getI64Type());
    Expression sequence = rangeOf(e, pd::slice(offsets, 0, 1, pd::toTheEnd), rows);
    return Values{sequence, rows - gatherRows(e, offsets, sequence)};
  });
}

void exportRanges(NodeExporter &node) {
  auto op = node.get<pd::RangesOp>();
  node.exportAs([&](TensorBuilder &e) {
    Type i64 = e.getBuilder().getI64Type();
    Expression lengths = e.wrap(op.getLengths());
    Expression ends = e.wrap(e.create<pd::CumsumOp>(lengths, Value(), uint64_t(0), false, false, false));
    Expression offsets = pd::concat({pd::insertDim(e.constant(0, i64), 0), ends}, 0);
    Expression total = e.sum(lengths, {0}, /*keepdim=*/false);
    Expression indices =
        e.wrap(e.create<pd::ArangeOp>(e.constant(0, i64), total, e.constant(1, i64), TypeAttr::get(i64)));
    Expression range = rangeOf(e, ends, indices);
    Expression starts = e.wrap(op.getStarts()) - pd::slice(offsets, 0, 0, -1);
    return Values{indices + gatherRows(e, starts, range), offsets};
  });
}

/// From the last time on, each beam goes to its parent.
void exportGatherTree(NodeExporter &node) {
  auto op = node.get<pd::GatherTreeOp>();
  node.exportAs([&](TensorBuilder &e) {
    OpBuilder &builder = e.getBuilder();
    Type wide = builder.getI64Type();
    Expression ids = e.wrap(op.getIds()), parents = e.cast(e.wrap(op.getParents()), wide);
    llvm::SmallVector<pd::DimSize> dims = pd::dimSizesOf(ids);
    Expression count = e.reshape(e.cast(e.wrap(dims[0].getValue(e)), wide), {1});
    Expression beams = pd::expandTo(pd::insertDim(pd::iota(e, dims[2], wide), 0), {dims[1], dims[2]});
    Type step = RankedTensorType::get(ids.type().getShape().drop_front(), ids.type().getElementType());
    Type arrayType = pd::ArrayType::get(builder.getContext(), cast<RankedTensorType>(step));
    Value empty = pd::widened(builder, op.getLoc(), e.create<pd::ArrayCreateOp>(), arrayType);
    auto body = [&](OpBuilder &inside, Value index, ValueRange carried) {
      Expression time = count - 1.0 - e.wrap(index);
      auto at = [&](Expression x) { return pd::dropDim(gatherRows(e, x, time), 0); };
      Expression own = e.wrap(carried[0]);
      Value token = e.create<pd::TakeAlongAxisOp>(at(ids), own, uint64_t(1));
      Value next = e.create<pd::TakeAlongAxisOp>(at(parents), own, uint64_t(1));
      Value tokens = e.create<pd::ArrayWriteOp>(carried[1], index, token);
      return Values{next, pd::widened(inside, op.getLoc(), tokens, arrayType)};
    };
    Value tokens = pd::countedLoop(builder, op.getLoc(), count, {Value(beams), empty}, body)[1];
    Value stacked = e.create<pd::ArrayToTensorOp>(tokens, uint64_t(0), true);
    return Values{e.create<pd::FlipOp>(stacked, llvm::ArrayRef<int64_t>{0})};
  });
}

} // namespace proa::exporter::onnxhooks
