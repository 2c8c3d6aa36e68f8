//! Beam search as formulas.
#include "dialects/pd/autodiff/CountedLoop.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/loss/LogSpace.h"
#include "dialects/pd/ops/math/Logic.h"
#include "dialects/pd/ops/search/Order.h"
#include "dialects/pd/ops/sequence/BeamSearch.h"
#include "dialects/pd/ops/sequence/Recurrence.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

using namespace mlir;

namespace proa::pd {
namespace {

using Values = FailureOr<SmallVector<Value>>;

/// Below all scores.
constexpr double noCandidate = -3e38;

} // namespace

Values BeamSearchOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression scores = e.computed(getScores()), before = reshapeTo(e.computed(getPreScores()), {-1, 1});
  SmallVector<DimSize> dims = dimSizesOf(scores);
  Type integer = builder.getI64Type();
  auto end = static_cast<double>(static_cast<int64_t>(getEndId()));
  Expression isOver = e.equal(reshapeTo(asInts(e.wrap(getPreIds())), {-1, 1}), end);
  Expression column = expandTo(iota(e, dims[1], integer), dims);
  Expression ids = getIds() ? reshapeTo(asInts(e.wrap(getIds())), dims) : column;
  if (!getIsAccumulated())
    scores = before + e.log(scores);
  // A finished prefix continues with its first column alone.
  scores = e.select(isOver, e.select(column < 1.0, before, noCandidate), scores);
  ids = e.select(isOver, column * 0.0 + end, ids);
  Descending sorted = descending(scores);
  ids = takeAlong(ids, sorted.indices, 1);
  // [sources, prefixes, candidates], later prefixes first: of equal scores theirs are better.
  Expression offsets = asInts(e.wrap(getOffsets()));
  PaddedRows padded = paddedRows(sorted.values, offsets);
  Expression each = e.select(insertDim(padded.isInside, 2), padded.rows, noCandidate);
  auto reversed = [](Expression x) { return slice(x, 1, -1, -toTheEnd, -1); };
  SmallVector<DimSize> shape = dimSizesOf(each);
  Expression flat = reshapeTo(reversed(each), {shape[0], multiply(e, shape[1], shape[2])});
  Expression isBest = both(flat > noCandidate, descendingRank(flat) < static_cast<double>(getBeamSize()));
  isBest = reversed(reshapeTo(isBest, shape));
  // A source is removed if it continues finished prefixes only.
  RowPositions positions = rowPositions(scores, offsets);
  Expression row = positions.sequence * e.wrap(shape[1].getValue(e)) + positions.position;
  Expression isKept = gatherRows(reshapeTo(isBest, {multiply(e, shape[0], shape[1]), shape[2]}), row);
  Expression isRunning = e.max(asInts(both(isKept, negation(isOver))), {1});
  Expression running =
      reduceRows(asVector(isRunning), positions.sequence, shape[0], ScatterReduce::Amax, 0.0);
  isKept = both(isKept, insertDim(gatherRows(running, positions.sequence) > 0.0, 1));
  Expression indices = e.wrap(e.create<NonzeroOp>(isKept));
  auto chosen = [&](Expression x) { return insertDim(e.wrap(e.create<GatherNdOp>(x, indices)), 1); };
  Expression counts = e.sum(asInts(isKept), {1}, /*keepdim=*/false);
  auto elementOf = [&](unsigned i) { return tensorType(getOperation()->getResult(i)).getElementType(); };
  Expression parents = dropDim(slice(indices, 1, 0, 1), 1);
  return e.results({e.cast(chosen(ids), elementOf(0)), chosen(sorted.values), e.cast(parents, elementOf(2)),
                    e.cast(offsetsOfLengths(counts), elementOf(3))});
}

//===-- beam_search_decode ------------------------------------------------------------------------------===//

namespace {

/// Follows sequences back from their last rows: a loop over the steps, the last one first.
class BeamPaths {
public:
  BeamPaths(OpBuilder &builder, BeamSearchDecodeOp op)
      : op(op), e(builder, op), integer(builder.getI64Type()),
        steps(e.wrap(e.create<ArrayLengthOp>(op.getIds()))) {}

  Values build() {
    Type real = tensorType(op.getSentenceScores()).getElementType();
    Expression none = expandTo(e.constant(0, integer), {DimSize(0)});
    auto table = [&](Type element) {
      return expandTo(e.constant(0, element), {DimSize(0), dimSizeOf(time())});
    };
    // For each sequence its source, its row of the step before, and its last score; its tokens by step.
    SmallVector<Expression> states{none,           none,        expandTo(e.constant(0, real), {DimSize(0)}),
                                   table(integer), table(real), table(integer)};
    SmallVector<Value> carried;
    for (Expression state : states)
      carried.push_back(widenedRows(state));
    auto body = [&](OpBuilder &, Value index, ValueRange before) {
      SmallVector<Expression> states;
      for (Value value : before)
        states.push_back(e.wrap(value));
      SmallVector<Value> next;
      for (Expression state : step(steps - 1.0 - e.wrap(index), states))
        next.push_back(widenedRows(state));
      return next;
    };
    SmallVector<Value> last = countedLoop(e.getBuilder(), op.getLoc(), steps, carried, body);
    return results(llvm::map_to_vector(last, [&](Value value) { return e.wrap(value); }));
  }

private:
  Expression time() { return e.reshape(steps, {}); }

  Value widenedRows(Expression x) {
    SmallVector<int64_t> dims(x.rank(), ShapedType::kDynamic);
    return widened(e.getBuilder(), op.getLoc(), x, x.type().clone(dims));
  }

  Expression vectorAt(Value array, Expression index) {
    return e.reshape(e.wrap(e.create<ArrayReadOp>(array, index)), {-1});
  }

  /// How many elements of `ends` are at most each of `rows`: the index of the range that contains it.
  Expression rangeOf(Expression rows, Expression ends) {
    return e.sum(asInts(insertDim(ends, 0) <= insertDim(rows, 1)), {1}, /*keepdim=*/false);
  }

  SmallVector<Expression> step(Expression index, ArrayRef<Expression> before) {
    Expression ids = asInts(vectorAt(op.getIds(), index)), scores = vectorAt(op.getScores(), index);
    Expression prefixes = asInts(vectorAt(op.getPrefixOffsets(), index)),
               sources = asInts(vectorAt(op.getSourceOffsets(), index));
    // Rows of sources that have no sequences yet are the ends of sequences.
    Expression rows = iota(e, DimSize(ids, 0), integer);
    Expression source = rangeOf(rows, gatherRows(prefixes, slice(sources, 0, 1, toTheEnd)));
    Expression isKnown = insertDim(source, 1) == insertDim(before[0], 0);
    Expression isNew = e.equal(e.sum(asInts(isKnown), {1}, /*keepdim=*/false), 0.0);
    Expression added = asVector(e.wrap(e.create<NonzeroOp>(isNew)));
    Expression all = concat({before[1], added}, 0);
    Expression isEnd = concat({before[1] * 0.0, added * 0.0 + 1.0}, 0) > 0.0;
    auto end = static_cast<double>(static_cast<int64_t>(op.getEndId()));
    Expression token = gatherRows(ids, all), score = gatherRows(scores, all);
    Expression isKept = asInts(either(isEnd, negation(e.equal(token, end))));
    Expression isNow = insertDim(iota(e, dimSizeOf(time()), integer), 0) == insertDim(index, 0);
    auto written = [&](Expression table, Expression column) {
      Expression fresh =
          expandTo(e.constant(0, table.type().getElementType()), {DimSize(added, 0), DimSize(table, 1)});
      return e.select(isNow, insertDim(column, 1), concat({table, fresh}, 0));
    };
    return {concat({before[0], gatherRows(source, added)}, 0),
            rangeOf(all, slice(prefixes, 0, 1, toTheEnd)),
            concat({before[2], gatherRows(scores, added)}, 0),
            written(before[3], token),
            written(before[4], score),
            written(before[5], isKept)};
  }

  /// Sequences by source, the best one first, and their rows in the order of steps.
  Values results(ArrayRef<Expression> paths) {
    Expression byScore = descending(paths[2]).indices;
    Expression bySource = descending(gatherRows(-paths[0], byScore)).indices;
    Expression order = gatherRows(byScore, bySource);
    Expression isKept = gatherRows(paths[5], order);
    Expression indices = e.wrap(e.create<NonzeroOp>(isKept > 0.0));
    auto rows = [&](Expression table) {
      return e.wrap(e.create<GatherNdOp>(gatherRows(table, order), indices));
    };
    Expression first = e.reshape(e.constant(0, integer), {1});
    Expression sources = asInts(vectorAt(op.getSourceOffsets(), first));
    DimSize count = add(e, DimSize(sources, 0), -1);
    Expression ones = paths[0] * 0.0 + 1.0;
    Expression ofSource = reduceRows(ones, paths[0], count, ScatterReduce::Add, 0.0);
    return e.results({rows(paths[3]), rows(paths[4]), offsetsOfLengths(ofSource),
                      offsetsOfLengths(e.sum(isKept, {1}, /*keepdim=*/false))});
  }

  BeamSearchDecodeOp op;
  TensorBuilder e;
  Type integer;
  Expression steps; ///< a vector of one integer
};

} // namespace

Values BeamSearchDecodeOp::decompose(OpBuilder &builder) { return BeamPaths(builder, *this).build(); }

} // namespace proa::pd
