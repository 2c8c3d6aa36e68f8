//! The edit distance as a loop over the diagonals of the table of the distances of all prefixes.
#include "dialects/pd/ops/loss/LogSpace.h"
#include "dialects/pd/ops/math/Logic.h"
#include "dialects/pd/ops/sequence/Labels.h"
#include "dialects/pd/ops/sequence/Recurrence.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// Sequences of tokens as rows of one tensor.
struct TokenRows {
  Expression tokens;  ///< [sequences, length + 1], where the last column belongs to no sequence
  Expression lengths; ///< int64, a column
};

TokenRows tokenRows(TensorBuilder &e, Value given, Value lengths, Value offsets) {
  Expression tokens = asInts(e.wrap(given)), zero = e.constant(0, e.getBuilder().getI64Type());
  if (!offsets) {
    DimSize batch(tokens, 0), time(tokens, 1);
    Expression length = lengths ? reshapeTo(asInts(e.wrap(lengths)), {batch, 1})
                                : expandTo(e.wrap(time.getValue(e)), {batch, 1});
    return {concat({tokens, expandTo(zero, {batch, DimSize(1)})}, 1), length};
  }
  Expression starts = asInts(e.wrap(offsets));
  return {paddedRows(asVector(tokens), starts).rows, insertDim(sequencesOf(starts).lengths, 1)};
}

/// The distance of each pair of sequences, as a column. Element i of diagonal d is the distance of the first
/// i tokens of `from` and the first d - i of `to`.
Expression distances(const TokenRows &from, const TokenRows &to) {
  TensorBuilder &e = from.tokens.owner();
  SmallVector<DimSize> dims = dimSizesOf(from.tokens);
  constexpr double far = 1e9;
  Expression index = insertDim(iota(e, dims[1], e.getBuilder().getI64Type()), 0);
  Expression border = from.lengths * 0.0 + far, none = expandTo(border, dims);
  Expression first = e.select(index < 1.0, e.constant(0, e.getBuilder().getI64Type()), none);
  // Token i - 1, for element i of a diagonal.
  Expression previous = concat({slice(from.tokens, 1, 0, 1), slice(from.tokens, 1, 0, -1)}, 1);
  Expression last = e.wrap(DimSize(to.tokens, 1).getValue(e)) - 1.0;
  Expression total = from.lengths + to.lengths;
  DimSize steps = add(e, sum(e, dims[1], DimSize(to.tokens, 1)), -2);
  auto shifted = [&](Expression x) { return concat({border, slice(x, 1, 0, -1)}, 1); };
  Recurrence loop = runSteps(
      steps, {}, {first, none, from.lengths * 0.0}, /*recorded=*/0,
      [&](Expression step, ArrayRef<Expression>, ArrayRef<Expression> before) -> SmallVector<Expression> {
        Expression position = e.minimum(e.maximum(step - index, 0.0), last);
        Expression token = takeAlong(to.tokens, position, 1);
        Expression change = e.cast(negation(previous == token), e.getBuilder().getI64Type());
        Expression next =
            e.minimum(e.minimum(shifted(before[0]), before[0]) + 1.0, shifted(before[1]) + change);
        Expression isEnd = both(index == from.lengths, total == insertDim(step, 0) + 1.0);
        Expression found = e.sum(e.select(isEnd, next, 0.0), {1});
        return {next, before[0], before[2] + found};
      });
  return loop.last[2];
}

} // namespace

FailureOr<SmallVector<Value>> EditDistanceOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  TokenRows hyps = tokenRows(e, getHyps(), getHypsLength(), getHypsOffsets()),
            refs = tokenRows(e, getRefs(), getRefsLength(), getRefsOffsets());
  Type element = tensorType(getOut()).getElementType();
  Expression distance = e.cast(distances(hyps, refs), element);
  if (getNormalized())
    distance = distance / e.cast(refs.lengths, element);
  Expression count = e.reshape(e.wrap(DimSize(distance, 0).getValue(e)), {1});
  return e.results({e.cast(count, tensorType(getSequenceNum()).getElementType()), distance});
}

} // namespace proa::pd
