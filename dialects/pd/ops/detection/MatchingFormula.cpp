//! Matching of rows with columns as formulas: a loop chooses the largest remaining pair of each matrix.
#include "dialects/pd/ops/detection/Matching.h"
#include "dialects/pd/ops/loss/LogSpace.h"
#include "dialects/pd/ops/math/Logic.h"
#include "dialects/pd/ops/search/Order.h"
#include "dialects/pd/ops/sequence/Recurrence.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

using namespace mlir;

namespace proa::pd {
namespace {

using Values = FailureOr<SmallVector<Value>>;

/// A score that no pair has.
constexpr double noPair = -3e38;

Expression integersUpTo(TensorBuilder &e, const DimSize &count) {
  return iota(e, count, e.getBuilder().getI64Type());
}

Expression firstMax(Expression x, int64_t axis) {
  return x.owner().wrap(
      x.owner().create<ArgmaxOp>(x, Value(), axis, /*keepdims=*/false, /*flatten=*/false, TypeAttr()));
}

/// For matrices [batch, rows, columns] the row of each column, or -1: [batch, columns]. The largest remaining
/// element is a pair, and its row and column have no other one. Elements of `noPair` are no pairs.
Expression largestPairs(Expression scores) {
  TensorBuilder &e = scores.owner();
  SmallVector<DimSize> dims = dimSizesOf(scores);
  DimSize count = multiply(e, dims[1], dims[2]);
  Expression width = e.wrap(dims[2].getValue(e));
  Expression rows = integersUpTo(e, dims[1]), columns = integersUpTo(e, dims[2]);
  Expression none = expandTo(e.constant(-1, e.getBuilder().getI64Type()), {dims[0], dims[2]});
  Recurrence loop =
      runSteps(minimum(e, dims[1], dims[2]), {}, {scores, none}, /*recorded=*/0,
               [&](Expression, ArrayRef<Expression>, ArrayRef<Expression> before) -> SmallVector<Expression> {
                 Expression flat = reshapeTo(before[0], {dims[0], count});
                 Expression position = insertDim(firstMax(flat, 1), 1), isFound = e.max(flat, {1}) > noPair;
                 Expression row = e.wrap(e.create<FloorDivideOp>(position, width));
                 Expression isColumn = both(insertDim(columns, 0) == position - row * width, isFound);
                 Expression isRow = insertDim(rows, 0) == row;
                 Expression isTaken = either(insertDim(isRow, 2), insertDim(isColumn, 1));
                 return {e.select(isTaken, noPair, before[0]), e.select(isColumn, row, before[1])};
               });
  return loop.last[1];
}

} // namespace

Values BipartiteMatchOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression distances = e.computed(getDistMat());
  // [images, rows, columns]
  Expression images = insertDim(distances, 0), isValid = images >= 1e-6;
  if (getOffsets()) {
    PaddedRows padded = paddedRows(distances, asInts(e.wrap(getOffsets())));
    images = padded.rows;
    isValid = both(images >= 1e-6, insertDim(padded.isInside, 2));
  }
  Expression scores = e.select(isValid, images, noPair), rowOf = largestPairs(scores);
  if (getMatchType() == MatchType::PerPrediction) {
    Expression most = e.max(scores, {1}, /*keepdim=*/false);
    Expression isClose = both(rowOf < 0.0, most >= getDistThreshold().convertToDouble());
    rowOf = e.select(both(isClose, most > noPair), firstMax(scores, 1), rowOf);
  }
  Expression distance = dropDim(takeAlong(images, insertDim(e.maximum(rowOf, 0.0), 1), 1), 1);
  return e.results({e.cast(rowOf, tensorType(getColToRowMatchIndices()).getElementType()),
                    e.select(rowOf < 0.0, 0.0, distance)});
}

Values MineHardExamplesOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression matches = e.wrap(getMatchIndices()), loss = e.computed(getClsLoss());
  bool isHard = getMiningType() == MiningType::HardExample;
  Type integer = matches.type().getElementType(), element = loss.type().getElementType();
  Expression isMatched = matches > -1.0;
  if (isHard && getLocLoss())
    loss = loss + e.computed(getLocLoss());
  Expression isFar = e.computed(getMatchDist()) < getNegDistThreshold().convertToDouble();
  Expression scores = isHard ? loss : e.select(both(e.equal(matches, -1.0), isFar), loss, noPair);
  Expression rank = descendingRank(scores);
  Expression isChosen = scores > noPair;
  if (!isHard) {
    Expression matched = e.sum(e.cast(negation(e.equal(matches, -1.0)), element), {1});
    isChosen = both(isChosen, e.floor(matched * getNegPosRatio().convertToDouble()) > e.cast(rank, element));
  } else if (auto most = static_cast<int64_t>(getSampleSize()); most >= 0) {
    isChosen = both(isChosen, rank < static_cast<double>(most));
  }
  Expression updated = matches, isNegative = isChosen;
  if (isHard) {
    isNegative = both(isChosen, negation(isMatched));
    updated = e.select(both(isMatched, negation(isChosen)), -1.0, matches);
  }
  Expression indices = slice(e.wrap(e.create<NonzeroOp>(isNegative)), 1, 1, 2);
  Expression counts = e.sum(e.cast(isNegative, builder.getI64Type()), {1}, /*keepdim=*/false);
  return e.results({e.cast(indices, integer), offsetsOfLengths(counts), updated});
}

Values SimilarityFocusOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.operand(0);
  auto axis = static_cast<int64_t>(getAxis());
  std::optional<Expression> isLargest;
  for (int64_t index : getIndexes()) {
    Expression matrix = dropDim(slice(x, axis, index, index + 1), axis);
    Expression rowOf = insertDim(largestPairs(matrix), 1);
    Expression isPair = rowOf == e.reshape(integersUpTo(e, DimSize(matrix, 1)), {1, -1, 1});
    isLargest = isLargest ? either(*isLargest, isPair) : isPair;
  }
  return e.results({expandTo(e.indicator(insertDim(*isLargest, axis), x), dimSizesOf(x))});
}

} // namespace proa::pd
