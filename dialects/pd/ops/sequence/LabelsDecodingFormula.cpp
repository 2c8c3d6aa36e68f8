//! Decoding of sequences of labels as formulas: best paths of chains, and labels of CTC paths.
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/loss/LogSpace.h"
#include "dialects/pd/ops/math/Logic.h"
#include "dialects/pd/ops/reduce/ScanOps.h"
#include "dialects/pd/ops/search/SearchOps.h"
#include "dialects/pd/ops/sequence/Labels.h"
#include "dialects/pd/ops/sequence/Recurrence.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

using namespace mlir;

namespace proa::pd {
namespace {

using Values = FailureOr<SmallVector<Value>>;

//===-- Best paths --------------------------------------------------------------------------------------===//

/// Scores of tags: emission [time, sequences, tags] of sequences with these lengths, begin and end [1, tags],
/// and moves [from, to].
struct TagScores {
  DimSize time;
  Expression emission, lengths, begin, end, moves;
};

struct BestPaths {
  Expression scores; ///< [sequences]; 0 for a sequence without steps
  Expression tags;   ///< [time, sequences]; 0 after the end of a sequence
};

Expression indexOfMax(Expression x) {
  return x.owner().wrap(
      x.owner().create<ArgmaxOp>(x, Value(), /*axis=*/1, /*keepdims=*/false, /*flatten=*/false, TypeAttr()));
}

/// x along dimension 0 in reverse order, from element `first` (counted from the end) on, to `end`, exclusive.
Expression reversed(Expression x, int64_t first, int64_t end) { return slice(x, 0, first, end, -1); }

/// Viterbi's algorithm: a loop over steps finds the best previous tag of each tag, another one follows them
/// back.
BestPaths bestPaths(const TagScores &chain) {
  TensorBuilder &e = chain.emission.owner();
  Type element = chain.emission.type().getElementType(), i64 = e.getBuilder().getI64Type();
  DimSize tags(chain.begin, 1);
  SmallVector<Expression> states{zeroRows(chain.lengths, tags, i64), zeroRows(chain.lengths, tags, element)};
  Recurrence forward = runSteps(
      chain.time, {chain.emission}, states, /*recorded=*/1,
      [&](Expression index, ArrayRef<Expression> in, ArrayRef<Expression> before) -> SmallVector<Expression> {
        Expression ways = insertDim(before[1], 2) + insertDim(chain.moves, 0);
        Expression reached = e.max(ways, {1}, /*keepdim=*/false);
        Expression next = e.select(index < 1.0, chain.begin, reached) + in[0];
        Expression inside = hasStep(chain.lengths, index);
        return {indexOfMax(ways), e.select(inside, next, before[1])};
      });
  Expression total = forward.last[1] + chain.end;
  Expression hasSteps = chain.lengths > 0.0;
  Expression scores = e.select(hasSteps, e.max(total, {1}, /*keepdim=*/false), 0.0);
  // Step s is time - 1 - s: the tag of the step, then the tag of the step before it.
  Expression last = e.reshape(e.wrap(chain.time.getValue(e)), {1}) - 1.0;
  Recurrence backward = runSteps(
      chain.time, {reversed(forward.history[0], -1, 0)}, {indexOfMax(total)}, 1,
      [&](Expression index, ArrayRef<Expression> in, ArrayRef<Expression> before) -> SmallVector<Expression> {
        Expression previous = e.reshape(takeAlong(in[0], insertDim(before[0], 1), 1), {-1});
        return {e.select(chain.lengths > last - index, previous, before[0])};
      });
  Expression found = reversed(backward.history[0], -2, -toTheEnd);
  Expression inside = insertDim(chain.lengths, 0) > insertDim(iota(e, chain.time, i64), 1);
  return {scores, e.select(inside, found, 0.0)};
}

} // namespace

Values CrfDecodingOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getEmission()), w = e.computed(getTransition());
  Expression begin = slice(w, 0, 0, 1), end = slice(w, 0, 1, 2), moves = slice(w, 0, 2, toTheEnd);
  // The tags of the rows, and whether a row belongs to a sequence.
  auto answer = [&](Expression path, Expression inside) {
    SmallVector<DimSize> dims = dimSizesOf(path);
    if (dims.size() == 1)
      dims.push_back(1);
    if (getLabel()) {
      Expression label = reshapeTo(asInts(e.wrap(getLabel())), dimSizesOf(path));
      Expression agrees = both(path == label, inside);
      path = e.cast(agrees, builder.getI64Type());
    }
    return e.results({reshapeTo(path, dims)});
  };
  if (getOffsets()) {
    SequenceSteps steps(x, e.wrap(getOffsets()));
    BestPaths paths = bestPaths({steps.count(), steps.fromRows(x), steps.getLengths(), begin, end, moves});
    Expression path = e.reshape(steps.toRows(insertDim(paths.tags, 2)), {-1});
    return answer(path, path >= 0.0);
  }
  DimSize batch(x, 0), time(x, 1);
  Expression lengths = getLength() ? reshapeTo(asInts(e.wrap(getLength())), {batch})
                                   : expandTo(e.wrap(time.getValue(e)), {batch});
  BestPaths paths = bestPaths({time, e.transpose(x, {1, 0, 2}), lengths, begin, end, moves});
  Expression inside = insertDim(lengths, 1) > insertDim(iota(e, time, builder.getI64Type()), 0);
  return answer(e.transpose(paths.tags, {1, 0}), inside);
}

Values ViterbiDecodeOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX()), moves = e.computed(getTransition()),
             lengths = asInts(e.wrap(getLengths()));
  Expression begin = slice(moves, 0, -1, toTheEnd), end = begin * 0.0;
  if (getIncludeBosEosTag())
    end = slice(moves, 0, -2, -1);
  else
    begin = end;
  BestPaths paths = bestPaths({DimSize(x, 1), e.transpose(x, {1, 0, 2}), lengths, begin, end, moves});
  DimSize longest = dimSizeOf(e.max(lengths, {0}, /*keepdim=*/false));
  return e.results({paths.scores, sliceBetween(e.transpose(paths.tags, {1, 0}), 1, 0, longest)});
}

//===-- CTC ---------------------------------------------------------------------------------------------===//

namespace {

/// Whether a token is a label: not blank, and not equal to the token before it along the last axis, if there
/// is one and repeated tokens are merged.
Expression isLabel(CtcAlignOp op, Expression tokens, Expression hasPrevious) {
  TensorBuilder &e = tokens.owner();
  auto blank = static_cast<double>(static_cast<int64_t>(op.getBlank()));
  Expression isKept = negation(e.equal(tokens, blank));
  if (!op.getMergeRepeated())
    return isKept;
  int64_t axis = tokens.rank() - 1;
  Expression previous = concat({slice(tokens, axis, 0, 1), slice(tokens, axis, 0, -1)}, axis);
  Expression isRepeated = both(tokens == previous, hasPrevious);
  return both(isKept, negation(isRepeated));
}

/// The number of labels up to each element of the last axis.
Expression countUpTo(Expression isKept) {
  TensorBuilder &e = isKept.owner();
  Expression ones = e.cast(isKept, e.getBuilder().getI64Type());
  return e.wrap(e.create<CumsumOp>(ones, Value(), ones.rank() - 1));
}

/// The labels of rows [batch, time], padded.
Values alignRows(TensorBuilder &e, CtcAlignOp op) {
  Type i64 = e.getBuilder().getI64Type();
  Expression tokens = asInts(e.wrap(op.getX()));
  DimSize batch(tokens, 0), time(tokens, 1);
  Expression position = insertDim(iota(e, time, i64), 0);
  Expression isKept = isLabel(op, tokens, position > 0.0);
  if (op.getLength())
    isKept = both(isKept, reshapeTo(asInts(e.wrap(op.getLength())), {batch, 1}) > position);
  // Other tokens are written to a column after the last.
  Expression target = e.select(isKept, countUpTo(isKept) - 1.0, insertDim(e.wrap(time.getValue(e)), 0));
  auto padding = static_cast<double>(static_cast<int64_t>(op.getPaddingValue()));
  Expression empty = concat({tokens * 0.0 + padding, asColumn(slice(tokens, 1, 0, 1) * 0.0, 2)}, 1);
  Expression written = e.wrap(e.create<PutAlongAxisOp>(empty, target, tokens, 1, ScatterReduce::Assign));
  Expression counts = e.sum(e.cast(isKept, i64), {1}, /*keepdim=*/true);
  return e.results({slice(written, 1, 0, -1), counts});
}

/// The labels of sequences of rows, and their offsets. Without labels there is a row of -1.
Values alignSequences(TensorBuilder &e, CtcAlignOp op) {
  Expression tokens = asVector(asInts(e.wrap(op.getX()))), offsets = e.wrap(op.getOffsets());
  Expression isKept = isLabel(op, tokens, rowPositions(tokens, offsets).position > 0.0);
  Expression kept = e.reshape(e.wrap(e.create<NonzeroOp>(isKept)), {-1});
  Expression none = e.reshape(e.constant(-1, e.getBuilder().getI64Type()), {1});
  Expression all = concat({gatherRows(tokens, kept), none}, 0);
  Expression labels = sliceBetween(all, 0, 0, maximum(e, DimSize(kept, 0), 1));
  Expression counts = concat({none + 1.0, countUpTo(isKept)}, 0);
  return e.results({insertDim(labels, 1), gatherRows(counts, offsets)});
}

} // namespace

Values CtcAlignOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  return getOffsets() ? alignSequences(e, *this) : alignRows(e, *this);
}

} // namespace proa::pd
