#include "dialects/pd/ops/sequence/Sequence.h"
#include "dialects/pd/ops/conv/UnfoldOps.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/linalg/Contract.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/search/SearchOps.h"
#include "dialects/pd/ops/sequence/Attention.h"
#include "dialects/pd/ops/sequence/Labels.h"
#include "dialects/pd/ops/sequence/Recurrent.h"
#include "dialects/pd/ops/sequence/Rows.h"
#include "dialects/pd/ops/sequence/RowsOps.h"
#include "dialects/pd/ops/sequence/SequenceOps.h"
#include "dialects/pd/ops/shape/DynamicDims.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/reference/Evaluate.h"

using namespace mlir;

namespace proa::pd {
namespace {

using Values = FailureOr<SmallVector<Value>>;

/// The index of the last row of x.
Expression lastRow(Expression x) { return x.owner().wrap(DimSize(x, 0).getValue(x.owner())) - 1.0; }

Expression rowIndices(Expression x) {
  return iota(x.owner(), DimSize(x, 0), x.owner().getBuilder().getI64Type());
}

Expression logicalAnd(Expression x, Expression y) {
  return x.owner().wrap(x.owner().create<LogicalAndOp>(x, y));
}

Expression isEqual(Expression x, Expression y) { return x.owner().wrap(x.owner().create<EqualOp>(x, y)); }

/// The smallest value of an element type, the neutral element of maxima.
double leastOf(Type type) {
  if (isa<FloatType>(type))
    return -std::numeric_limits<double>::infinity();
  return type.isUnsignedInteger() ? 0.0
                                  : -std::ldexp(1.0, static_cast<int>(type.getIntOrFloatBitWidth()) - 1);
}

} // namespace

//===-- One row a sequence ------------------------------------------------------------------------------===//

namespace {

/// For each maximum the first row that has it.
Expression rowsOfMaxima(Expression x, Expression maxima, Expression offsets) {
  TensorBuilder &e = x.owner();
  Expression group = rowPositions(x, offsets).sequence;
  Expression rows = asColumn(rowIndices(x), x.rank()), none = e.wrap(DimSize(x, 0).getValue(e));
  Expression holders = e.select(isEqual(x, gatherRows(maxima, group)), rows, none);
  return reduceRows(holders, group, DimSize(maxima, 0), ScatterReduce::Amin, 9.0e18);
}

/// The pooled rows, where sequences are not empty.
Expression pooledRows(Expression x, Expression offsets, SequencePoolType kind) {
  TensorBuilder &e = x.owner();
  Sequences sequences = sequencesOf(offsets);
  DimSize count(sequences.starts, 0);
  if (kind == SequencePoolType::First)
    return gatherRows(x, e.minimum(sequences.starts, lastRow(x)));
  if (kind == SequencePoolType::Last)
    return gatherRows(x, e.maximum(sequences.ends - 1.0, 0.0));
  Expression group = rowPositions(x, offsets).sequence;
  if (kind == SequencePoolType::Max) {
    // The first of equal maxima has the gradient, as in Paddle.
    Expression maxima = reduceRows(x, group, count, ScatterReduce::Amax, leastOf(x.type().getElementType()));
    Expression first = gatherRows(rowsOfMaxima(x, maxima, offsets), group);
    Expression isFirst = isEqual(first, asColumn(rowIndices(x), x.rank()));
    return reduceRows(e.select(isFirst, x, 0.0), group, count, ScatterReduce::Add, 0.0);
  }
  Expression sum = reduceRows(x, group, count, ScatterReduce::Add, 0.0);
  if (kind == SequencePoolType::Sum)
    return sum;
  Expression length =
      asColumn(e.cast(e.maximum(sequences.lengths, 1.0), x.type().getElementType()), x.rank());
  return sum / (kind == SequencePoolType::Sqrt ? e.sqrt(length) : length);
}

} // namespace

Values SequencePoolOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX()), offsets = e.wrap(getOffsets());
  Expression pooled = pooledRows(x, offsets, getPooltype());
  Expression isEmpty =
      asColumn(isEqual(sequencesOf(offsets).lengths, e.constant(0, builder.getI64Type())), x.rank());
  Expression out = e.select(isEmpty, getPadValue().convertToDouble(), pooled);
  Expression index = e.constant(-1, builder.getI64Type());
  if (getPooltype() == SequencePoolType::Max && !getMaxIndex().use_empty())
    index = e.select(isEmpty, index, rowsOfMaxima(x, pooled, offsets));
  return e.results({out, e.cast(expandTo(index, dimSizesOf(out)), builder.getI32Type())});
}

Values SequenceSoftmaxOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX()), offsets = e.wrap(getOffsets());
  Expression group = rowPositions(x, offsets).sequence;
  DimSize count(sequencesOf(offsets).starts, 0);
  Expression maxima = reduceRows(x, group, count, ScatterReduce::Amax, leastOf(x.type().getElementType()));
  Expression powers = e.exp(x - gatherRows(maxima, group));
  return e.results({powers / gatherRows(reduceRows(powers, group, count, ScatterReduce::Add, 0.0), group)});
}

Values SequenceSoftmaxOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Expression out = e.wrap(getOut()), offsets = e.wrap(getOffsets()), weighted = out * e.wrap(cotangents[0]);
  Expression group = rowPositions(out, offsets).sequence;
  Expression sums =
      reduceRows(weighted, group, DimSize(sequencesOf(offsets).starts, 0), ScatterReduce::Add, 0.0);
  return SmallVector<Value>{weighted - out * gatherRows(sums, group), Value()};
}

//===-- Rows moved --------------------------------------------------------------------------------------===//

Values SequenceReverseOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX()), offsets = e.wrap(getOffsets());
  Sequences sequences = sequencesOf(offsets);
  RowPositions positions = rowPositions(x, offsets);
  return e.results(
      {gatherRows(x, gatherRows(sequences.ends, positions.sequence) - 1.0 - positions.position)});
}

Values SequenceConcatOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  llvm::SmallVector<Expression> tensors, starts, lengths;
  Expression base = e.constant(0, builder.getI64Type());
  for (auto [tensor, offsets] : llvm::zip(getX(), getOffsets())) {
    tensors.push_back(e.wrap(tensor));
    Sequences sequences = sequencesOf(e.wrap(offsets));
    starts.push_back(insertDim(sequences.starts + base, 1));
    lengths.push_back(insertDim(sequences.lengths, 1));
    base = base + e.wrap(DimSize(tensors.back(), 0).getValue(e));
  }
  // Sequence i of all tensors, then sequence i + 1.
  RangeRows ranges = rangeRows(e.reshape(concat(starts, 1), {-1}), e.reshape(concat(lengths, 1), {-1}));
  auto tensorCount = static_cast<int64_t>(tensors.size());
  return e.results(
      {gatherRows(concat(tensors, 0), ranges.rows), slice(ranges.offsets, 0, 0, toTheEnd, tensorCount)});
}

Values SequencePadOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX()), padding = e.wrap(getPadValue());
  Sequences sequences = sequencesOf(e.wrap(getOffsets()));
  DimSize length(static_cast<int64_t>(getPaddedLength()));
  if (length.getNumber() < 0)
    length = DimSize::element(e.max(sequences.lengths, {0}), 0);
  Expression columns = iota(e, length, builder.getI64Type()); // [length]
  Expression rows = insertDim(sequences.starts, 1) + columns,
             isInside = insertDim(sequences.lengths, 1) > columns;
  Expression taken = gatherRows(x, e.minimum(rows, lastRow(x)));
  llvm::SmallVector<DimSize> maskShape(taken.rank(), DimSize(1));
  maskShape[0] = DimSize(rows, 0);
  maskShape[1] = DimSize(rows, 1);
  if (padding.type().hasStaticShape() && padding.type().getNumElements() == 1)
    padding = e.reshape(padding, {});
  return e.results({e.select(reshapeTo(isInside, maskShape), taken, padding), sequences.lengths});
}

Values SequenceUnpadOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX()), lengths = asInts(e.wrap(getLength()));
  llvm::SmallVector<DimSize> shape = dimSizesOf(x);
  Expression starts = rowIndices(x) * e.wrap(shape[1].getValue(e));
  shape[1] = multiply(e, shape[0], shape[1]);
  shape.erase(shape.begin());
  RangeRows ranges = rangeRows(starts, lengths);
  return e.results({gatherRows(reshapeTo(x, shape), ranges.rows), ranges.offsets});
}

Values SequenceReshapeOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX()), width = e.constant(double(getNewDim()), builder.getI64Type());
  DimSize elements = multiply(e, DimSize(x, 0), DimSize(x, 1));
  Expression out = reshapeTo(x, {divide(e, elements, getNewDim()), DimSize(getNewDim())});
  Expression counted = e.wrap(getOffsets()) * e.wrap(DimSize(x, 1).getValue(e));
  return e.results({out, e.wrap(e.create<FloorDivideOp>(counted, width))});
}

Values SequenceScatterOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression ids = asInts(asVector(e.wrap(getIds())));
  Expression rows = rowPositions(ids, e.wrap(getIdsOffsets())).sequence;
  Expression index = concat({insertDim(rows, 1), insertDim(ids, 1)}, 1);
  return SmallVector<Value>{
      e.create<ScatterNdOp>(getX(), index, asVector(e.wrap(getUpdates())), ScatterReduce::Add)};
}

Values SequenceSliceOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Sequences sequences = sequencesOf(e.wrap(getOffsets()));
  Expression starts = sequences.starts + asInts(e.reshape(e.wrap(getBegin()), {-1}));
  RangeRows ranges = rangeRows(starts, asInts(e.reshape(e.wrap(getLength()), {-1})));
  return e.results({gatherRows(e.wrap(getX()), ranges.rows), ranges.offsets});
}

Values SequenceExpandOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX()), starts = rowIndices(x), lengths = starts * 0.0 + 1.0;
  if (getOffsets()) {
    Sequences sequences = sequencesOf(e.wrap(getOffsets()));
    starts = sequences.starts;
    lengths = sequences.lengths;
  }
  Expression times = sequencesOf(e.wrap(getYOffsets())).lengths;
  // Copies of sequence i: their indices are the indices of the sequences in ranges of `times` copies.
  RangeRows copies = rangeRows(times * 0.0, times);
  Expression source = rowPositions(copies.rows, copies.offsets).sequence;
  RangeRows ranges = rangeRows(gatherRows(starts, source), gatherRows(lengths, source));
  return e.results({gatherRows(x, ranges.rows), ranges.offsets});
}

Values SequenceExpandAsOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  return e.results(
      {gatherRows(e.wrap(getX()), rowPositions(e.wrap(getY()), e.wrap(getYOffsets())).sequence)});
}

Values SequenceEnumerateOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = asVector(e.wrap(getX())), offsets = e.wrap(getOffsets());
  Expression ends = gatherRows(sequencesOf(offsets).ends, rowPositions(x, offsets).sequence);
  Expression rows =
      insertDim(rowIndices(x), 1) + iota(e, DimSize(int64_t(getWinSize())), builder.getI64Type());
  Expression taken = gatherRows(x, e.minimum(rows, lastRow(x)));
  return e.results({e.select(rows < insertDim(ends, 1), taken, double(static_cast<int64_t>(getPadValue())))});
}

Values SequenceEraseOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX()), values = asVector(x), offsets = e.wrap(getOffsets());
  Expression stays = isEqual(values, values);
  for (int64_t token : getTokens())
    stays = logicalAnd(
        stays, e.wrap(e.create<NotEqualOp>(values, e.constant(double(token), x.type().getElementType()))));
  Expression rows = e.reshape(e.wrap(e.create<NonzeroOp>(stays)), {-1});
  Sequences sequences = sequencesOf(offsets);
  Expression counts = reduceRows(asInts(stays), rowPositions(values, offsets).sequence,
                                 DimSize(sequences.starts, 0), ScatterReduce::Add, 0.0);
  return e.results({gatherRows(x, rows), rangeRows(sequences.starts * 0.0, counts).offsets});
}

//===-- Rows and their neighbours -----------------------------------------------------------------------===//

namespace {

/// The rows at a distance from each row, in its sequence; rows outside are 0, or come from `padding`, whose
/// first `before` rows precede a sequence.
Expression neighbours(Expression x, Expression offsets, int64_t distance, Value padding, int64_t before) {
  TensorBuilder &e = x.owner();
  Sequences sequences = sequencesOf(offsets);
  RowPositions positions = rowPositions(x, offsets);
  Expression shifted = positions.position + double(distance),
             length = gatherRows(sequences.lengths, positions.sequence);
  Expression row = e.maximum(e.minimum(rowIndices(x) + double(distance), lastRow(x)), 0.0);
  Expression taken = gatherRows(x, row), isInside = logicalAnd(shifted >= 0.0, shifted < length);
  if (!padding)
    return e.select(asColumn(isInside, x.rank()), taken, 0.0);
  Expression paddings = e.computed(padding);
  Expression value = e.select(shifted < 0.0, shifted, shifted - length) + double(before);
  Expression outside = gatherRows(paddings, e.maximum(e.minimum(value, lastRow(paddings)), 0.0));
  return e.select(asColumn(isInside, x.rank()), taken, outside);
}

} // namespace

Values SequenceConvOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX()), offsets = e.wrap(getOffsets());
  auto start = static_cast<int64_t>(getContextStart());
  llvm::SmallVector<Expression> columns;
  for (int64_t i = 0; i < static_cast<int64_t>(getContextLength()); ++i)
    columns.push_back(neighbours(x, offsets, start + i, getPadding(), std::max<int64_t>(0, -start)));
  return e.results({e.matmul(concat(columns, 1), e.computed(getFilter()))});
}

Values RowConvOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX()), filter = e.computed(getFilter());
  int64_t context = filter.type().getDimSize(0);
  std::optional<Expression> sum;
  for (int64_t i = 0; i < context; ++i) {
    Expression moved = x;
    if (getOffsets()) {
      moved = neighbours(x, e.wrap(getOffsets()), i, Value(), 0);
    } else if (i > 0) {
      Expression padded =
          e.wrap(e.create<PadOp>(x, llvm::ArrayRef<int64_t>{0, 0, 0, i, 0, 0}, llvm::APFloat(0.0)));
      moved = slice(padded, 1, i, toTheEnd);
    }
    Expression term = moved * e.reshape(slice(filter, 0, i, i + 1), {-1});
    sum = sum ? *sum + term : term;
  }
  return e.results({*sum});
}

/// For each image the number of windows along one dimension (0: height, 1: width) of its own size.
static Expression ownWindows(Im2sequenceOp op, Expression x, int64_t along, const DimSize &ofAll) {
  TensorBuilder &e = x.owner();
  auto stride = static_cast<double>(op.getOutStride()[along]);
  Expression size = dropDim(slice(asInts(e.wrap(op.getSizes())), 1, along, along + 1), 1);
  // Sizes are non-negative integers: the division rounds down.
  Expression own = (size + (stride - 1)) / stride;
  int64_t around = op.getPaddings()[along] + op.getPaddings()[along + 2] - op.getKernels()[along];
  Expression count = (own + static_cast<double>(around)) / static_cast<double>(op.getStrides()[along]) + 1.0;
  Expression all = e.wrap(ofAll.getValue(e));
  Expression isSingle = e.wrap(DimSize(x, 0).getValue(e)) <= 1.0;
  return e.select(isSingle, all, e.minimum(count, all));
}

/// The windows within the images' own sizes, and their number for each image.
static std::pair<Expression, Expression> windowsWithin(Im2sequenceOp op, Expression columns) {
  TensorBuilder &e = columns.owner();
  Expression x = e.wrap(op.getX());
  Type i64 = e.getBuilder().getI64Type();
  DimSize images(columns, 0);
  llvm::SmallVector<DimSize> counts;
  llvm::SmallVector<Expression> own;
  for (int64_t along = 0; along < 2; ++along) {
    int64_t around = op.getPaddings()[along] + op.getPaddings()[along + 2] - op.getKernels()[along];
    counts.push_back(add(e, divide(e, add(e, DimSize(x, along + 2), around), op.getStrides()[along]), 1));
    own.push_back(ownWindows(op, x, along, counts[along]));
  }
  Expression rows = reshapeTo(iota(e, counts[0], i64), {DimSize(1), counts[0], DimSize(1)}) <
                    reshapeTo(own[0], {images, DimSize(1), DimSize(1)});
  Expression isWithin =
      logicalAnd(rows, iota(e, counts[1], i64) < reshapeTo(own[1], {images, DimSize(1), DimSize(1)}));
  Expression found = e.wrap(e.create<NonzeroOp>(e.reshape(isWithin, {-1})));
  Expression flat = reshapeTo(e.transpose(columns, {0, 2, 1}),
                              {multiply(e, images, DimSize(columns, 2)), DimSize(columns, 1)});
  return {gatherRows(flat, dropDim(found, 1)), own[0] * own[1]};
}

Values Im2sequenceOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  llvm::SmallVector<int64_t> ones{1, 1};
  Expression columns = e.wrap(e.create<UnfoldOp>(getX(), getKernels(), getStrides(), getPaddings(), ones));
  DimSize images(columns, 0), windows(columns, 2);
  if (getSizes()) {
    auto [within, counts] = windowsWithin(*this, columns);
    return e.results({within, rangeRows(counts * 0.0, counts).offsets});
  }
  Expression rows = e.transpose(columns, {0, 2, 1});
  Expression out = reshapeTo(rows, {multiply(e, images, windows), DimSize(columns, 1)});
  Expression lengths = expandTo(e.wrap(windows.getValue(e)), {images});
  return e.results({out, rangeRows(lengths * 0.0, lengths).offsets});
}

Values SequenceMaskOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX()),
             lengths = asInts(isa<FloatType>(x.type().getElementType()) ? -e.floor(-x) : x);
  DimSize count(static_cast<int64_t>(getMaxlen()));
  if (getMaxlenTensor())
    count = DimSize::element(e.reshape(e.wrap(getMaxlenTensor()), {1}), 0);
  else if (count.getNumber() < 0)
    count = DimSize::element(e.max(e.reshape(asInts(x), {-1}), {0}), 0);
  Expression mask = insertDim(lengths, lengths.rank()) > iota(e, count, builder.getI64Type());
  return e.results({e.cast(mask, getOutDtype())});
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/sequence/Sequence.cpp.inc"
#include "dialects/pd/ops/sequence/Sequence.methods.inc"
#include "dialects/pd/ops/sequence/Sequence.scalar.inc"
