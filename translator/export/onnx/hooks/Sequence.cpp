//! Rows of sequences by their offsets.
#include "translator/export/onnx/NodeExporter.h"

#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/reduce/ScanOps.h"
#include "dialects/pd/ops/sequence/RowsOps.h"
#include "dialects/pd/ops/shape/DimSize.h"

using namespace mlir;

namespace proa::exporter::onnxhooks {

using pd::Expression;
using pd::TensorBuilder;
using Values = llvm::SmallVector<Value>;

static Expression gatherRows(TensorBuilder &e, Expression x, Expression index) {
  return e.wrap(e.create<pd::GatherOp>(x, index, Value(), uint64_t(0)));
}

/// For each of the numbers how many of the `ends` are not above it: the index of the range that has it.
static Expression rangeOf(TensorBuilder &e, Expression ends, Expression numbers) {
  Value isPast = e.create<pd::LessEqualOp>(pd::insertDim(ends, 0), pd::insertDim(numbers, 1));
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
    Type number = e.getBuilder().getI64Type();
    Expression lengths = e.wrap(op.getLengths());
    Expression ends = e.wrap(e.create<pd::CumsumOp>(lengths, Value(), uint64_t(0), false, false, false));
    Expression offsets = pd::concat({pd::insertDim(e.constant(0, number), 0), ends}, 0);
    Expression numbers = pd::iota(e, pd::DimSize::element(offsets, -1), number);
    Expression range = rangeOf(e, ends, numbers);
    Expression starts = e.wrap(op.getStarts()) - pd::slice(offsets, 0, 0, -1);
    return Values{numbers + gatherRows(e, starts, range), offsets};
  });
}

} // namespace proa::exporter::onnxhooks
