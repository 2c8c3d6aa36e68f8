//! attention_lstm as a formula: a loop over steps, all sequences in parallel.
#include "dialects/pd/ops/math/Logic.h"
#include "dialects/pd/ops/sequence/Attention.h"
#include "dialects/pd/ops/sequence/Recurrence.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

using namespace mlir;

namespace proa::pd {

FailureOr<SmallVector<Value>> AttentionLstmOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX()), cell = e.computed(getC0());
  DimSize inputs(x, 1), width(cell, 1);
  Expression offsets = asInts(e.wrap(getOffsets()));
  SequenceSteps steps(x, offsets);
  PaddedRows rows = paddedRows(x, offsets); // [sequences, time, inputs]
  auto valueOr = [&](Value given, double otherwise) {
    return given ? e.reshape(e.computed(given), {1, 1}) : e.constant(otherwise, x.type().getElementType());
  };
  Expression attention = e.reshape(e.computed(getAttentionWeight()), {-1, 1});
  Expression ofRow = sliceBetween(attention, 0, 0, inputs),
             ofCell = sliceBetween(attention, 0, inputs, sum(e, inputs, width));
  Expression scoreOfRow = dropDim(e.matmul(rows.rows, ofRow), 2) + valueOr(getAttentionBias(), 0);
  Expression weight = e.computed(getLstmWeight());
  Expression ofHidden = sliceBetween(weight, 0, 0, width),
             ofInput = sliceBetween(weight, 0, width, sum(e, inputs, width));
  Expression bias = e.reshape(e.computed(getLstmBias()), {1, -1});
  auto gate = [&](Expression gates, int64_t i) {
    DimSize start = multiply(e, width, i), end = multiply(e, width, i + 1);
    return sliceBetween(gates, 1, start, end);
  };
  auto step = [&](Expression index, ArrayRef<Expression>,
                  ArrayRef<Expression> before) -> SmallVector<Expression> {
    Expression score = e.maximum(scoreOfRow + e.matmul(before[1], ofCell), 0.0);
    if (getAttentionScalar())
      score = e.maximum(score * valueOr(getAttentionScalar(), 1) + valueOr(getAttentionScalarBias(), 0), 0.0);
    Expression share = e.select(rows.isInside, e.exp(score - e.max(score, {1})), 0.0);
    share = share / e.sum(share, {1});
    Expression mean = e.sum(rows.rows * insertDim(share, 2), {1}, /*keepdim=*/false);
    Expression gates = e.matmul(mean, ofInput) + e.matmul(before[0], ofHidden) + bias;
    Expression next =
        activate(gate(gates, 0), getGateActivation()) * before[1] +
        activate(gate(gates, 1), getGateActivation()) * activate(gate(gates, 3), getCandidateActivation());
    Expression hidden = activate(gate(gates, 2), getGateActivation()) * activate(next, getCellActivation());
    Expression isInside = hasStep(steps.getLengths(), index);
    return {e.select(isInside, hidden, before[0]), e.select(isInside, next, before[1])};
  };
  Expression first = getH0() ? e.computed(getH0()) : cell * 0.0;
  Recurrence loop = runSteps(steps.count(), {}, {first, cell}, /*recorded=*/2, step);
  return e.results({steps.toRows(loop.history[0], 1), steps.toRows(loop.history[1], 1)});
}

} // namespace proa::pd
