//! Conditional random fields and CTC as formulas, on log probabilities.
#include "dialects/pd/autodiff/FormulaGradient.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/loss/LogSpace.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/sequence/Labels.h"
#include "dialects/pd/ops/sequence/Recurrence.h"

using namespace mlir;

namespace proa::pd {
namespace {

using Values = FailureOr<SmallVector<Value>>;

//===-- linear_chain_crf --------------------------------------------------------------------------------===//

/// Emissions [time, sequences, tags] and labels [time, sequences] of sequences, with their lengths.
struct Chain {
  DimSize time;
  Expression emission, labels, lengths;
};

/// The weights of starting with a tag [1, tags], of ending with it, and of transitions.
struct Transitions {
  explicit Transitions(Expression w)
      : begin(slice(w, 0, 0, 1)), end(slice(w, 0, 1, 2)), moves(slice(w, 0, 2, toTheEnd)) {}
  Expression begin, end, moves;
};

struct ChainCost {
  Expression cost;               ///< [sequences, 1]
  SmallVector<Expression> alpha; ///< [time + 1, sequences, tags], if requested
};

/// The logarithm of the sum over all paths minus the weight of the labelled path. One loop computes both.
ChainCost costOf(const Chain &chain, const Transitions &weights, bool keepsAlpha) {
  TensorBuilder &e = chain.emission.owner();
  Type element = chain.emission.type().getElementType();
  SmallVector<Expression> states{zeroRows(chain.lengths, DimSize(weights.begin, 1), element),
                                 zeroRows(chain.lengths, 1, element), chain.lengths * 0.0};
  Recurrence run = runSteps(
      chain.time, {chain.emission, chain.labels}, states, keepsAlpha ? 1 : 0,
      [&](Expression index, ArrayRef<Expression> in, ArrayRef<Expression> before) -> SmallVector<Expression> {
        Expression alpha = before[0], inside = hasStep(chain.lengths, index), isFirst = index < 1.0;
        Expression label = e.select(chain.lengths > index, in[1], 0.0);
        Expression reached = logSum(insertDim(alpha, 2) + insertDim(weights.moves, 0), 1, /*keepdim=*/false);
        Expression next = e.select(isFirst, weights.begin, reached) + in[0];
        Expression ways = e.select(isFirst, weights.begin, gatherRows(weights.moves, before[2])) + in[0];
        Expression taken = takeAlong(ways, insertDim(label, 1), 1);
        return {e.select(inside, next, alpha), before[1] + e.select(inside, taken, 0.0),
                e.select(chain.lengths > index, label, before[2])};
      });
  Expression all = logSum(run.last[0] + weights.end, 1);
  Expression ends = insertDim(gatherRows(e.reshape(weights.end, {-1}), run.last[2]), 1);
  Expression cost = e.select(insertDim(chain.lengths > 0.0, 1), all - run.last[1] - ends, 0.0);
  return {cost, run.history};
}

} // namespace

Values LinearChainCrfOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getEmission()), w = e.computed(getTransition());
  Expression labels = asInts(e.wrap(getLabel()));
  bool keepsAlpha = !getAlpha().use_empty();
  Expression powers = e.exp(x - e.max(x, {x.rank() - 1}));
  if (getOffsets()) {
    SequenceSteps steps(x, e.wrap(getOffsets()));
    Expression column = reshapeTo(labels, {DimSize(x, 0)});
    Chain chain{steps.count(), steps.fromRows(x), steps.fromRows(column), steps.getLengths()};
    ChainCost found = costOf(chain, Transitions(w), keepsAlpha);
    Expression alpha = keepsAlpha ? steps.toRows(shareOf(found.alpha[0], 2), 1) : x;
    return e.results({alpha, powers, e.exp(w), found.cost});
  }
  DimSize batch(x, 0), time(x, 1);
  Expression all = e.wrap(time.getValue(e));
  Expression lengths = getLength() ? reshapeTo(asInts(e.wrap(getLength())), {batch}) : expandTo(all, {batch});
  Expression rows = e.transpose(reshapeTo(labels, {batch, time}), {1, 0});
  ChainCost found = costOf({time, e.transpose(x, {1, 0, 2}), rows, lengths}, Transitions(w), keepsAlpha);
  // After the end of a sequence there are zeros.
  Expression indices = insertDim(iota(e, time, builder.getI64Type()), 1);
  Expression inside = insertDim(insertDim(lengths, 1), 2) > indices;
  Expression alpha = x;
  if (keepsAlpha) {
    Expression shares = e.transpose(slice(shareOf(found.alpha[0], 2), 0, 1, toTheEnd), {1, 0, 2});
    alpha = e.select(inside, shares, 0.0);
  }
  return e.results({alpha, e.select(inside, powers, 0.0), e.exp(w), found.cost});
}

Values LinearChainCrfGradOp::decompose(OpBuilder &builder) {
  return gradientOfFormula(builder, getLoc(), {getEmission(), getTransition()},
                           {Value(), Value(), Value(), getLogLikelihoodGrad()}, [&](ValueRange in) {
                             return LinearChainCrfOp::create(builder, getLoc(), in[0], in[1], getLabel(),
                                                             getLength(), getOffsets())
                                 .getOperation();
                           });
}

//===-- warpctc -----------------------------------------------------------------------------------------===//

namespace {

/// The labels of a batch with blanks around each, [batch, states], as states of a path.
class CtcStates {
public:
  CtcStates(TensorBuilder &e, WarpctcOp op) : e(e), logits(e.wrap(op.getLogits())) {
    Type i64 = e.getBuilder().getI64Type();
    Expression given = asInts(e.wrap(op.getLabel()));
    DimSize batch(given, 0), width(given, 1);
    auto lengths = [&](Value value, const DimSize &otherwise) {
      return value ? reshapeTo(asInts(e.wrap(value)), {batch})
                   : expandTo(e.wrap(otherwise.getValue(e)), {batch});
    };
    times = lengths(op.getLogitsLength(), DimSize(logits, 0));
    counts = lengths(op.getLabelsLength(), width);
    auto blank = static_cast<double>(static_cast<int64_t>(op.getBlank()));
    Expression isLabel = insertDim(*counts, 1) > iota(e, width, i64);
    Expression own = e.select(isLabel, given, blank);
    Expression blanks = own * 0.0 + blank;
    Expression pairs = concat({insertDim(own, 2), insertDim(blanks, 2)}, 2);
    Expression first = asColumn(*counts * 0.0 + blank, 2);
    labels = concat({first, reshapeTo(pairs, {batch, multiply(e, width, DimSize(2))})}, 1);
    Expression isRepeated = e.wrap(e.create<EqualOp>(slice(own, 1, 1, toTheEnd), slice(own, 1, 0, -1)));
    Expression repeats = e.select(slice(isLabel, 1, 1, toTheEnd), e.cast(isRepeated, i64), 0.0);
    Expression needed = *counts + e.sum(repeats, {1}, /*keepdim=*/false);
    isPossible = e.wrap(e.create<LogicalAndOp>(*times >= needed, *times > 0.0));
  }

  /// The negative log probability, [batch, 1].
  Expression cost(Expression x) const {
    Expression probabilities = x - logSum(x, 2);
    DimSize time(x, 0);
    Expression index = expandTo(insertDim(*labels, 0), {time, DimSize(*labels, 0), DimSize(*labels, 1)});
    Expression emitted = takeAlong(probabilities, index, 2), alpha = ends(emitted);
    // The last blank or the last label.
    Expression last = insertDim(*counts, 1) * 2.0;
    Expression behind = takeAlong(alpha, concat({last, e.maximum(last - 1.0, 0.0)}, 1), 1);
    Expression isThere = concat({last >= 0.0, last > 0.0}, 1);
    Expression total = logSum(e.select(isThere, behind, impossible), 1);
    return e.select(insertDim(*isPossible, 1), -total, 0.0);
  }

private:
  /// The paths to each state at the last step of each sample.
  Expression ends(Expression emitted) const {
    Type element = emitted.type().getElementType();
    Expression indices = iota(e, DimSize(*labels, 1), e.getBuilder().getI64Type());
    Expression start = e.select(indices < 2.0, e.cast(indices * 0.0, element), impossible);
    Expression skips = canSkip();
    Expression before = e.cast(*labels * 0.0, element);
    Recurrence run = runSteps(DimSize(emitted, 0), {emitted}, {before}, 0,
                              [&](Expression index, ArrayRef<Expression> in,
                                  ArrayRef<Expression> states) -> SmallVector<Expression> {
                                Expression stays = states[0], one = behindStates(stays, 1),
                                           two = e.select(skips, behindStates(stays, 2), impossible);
                                Expression reached = logSumOf({stays, one, two});
                                Expression next = e.select(index < 1.0, start, reached) + in[0];
                                return {e.select(hasStep(*times, index), next, stays)};
                              });
    return run.last[0];
  }

  /// The elements `count` states before each one.
  Expression behindStates(Expression alpha, int64_t count) const {
    Expression none =
        expandTo(e.constant(impossible, alpha.type().getElementType()), {DimSize(alpha, 0), DimSize(count)});
    return slice(concat({none, alpha}, 1), 1, 0, -count);
  }

  /// Whether a path may reach a state from the one before the last: over a blank, to another label.
  Expression canSkip() const {
    Expression padded = concat({slice(*labels, 1, 0, 1), slice(*labels, 1, 0, 1), *labels}, 1);
    // The first two states have none before: these are blanks, and the first label follows no other.
    Expression differs = e.wrap(e.create<NotEqualOp>(*labels, slice(padded, 1, 0, -2)));
    Expression indices = iota(e, DimSize(*labels, 1), e.getBuilder().getI64Type());
    return e.wrap(e.create<LogicalAndOp>(differs, indices > 1.0));
  }

  TensorBuilder &e;
  Expression logits;
  std::optional<Expression> times, counts, labels, isPossible;
};

} // namespace

Values WarpctcOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  CtcStates states(e, *this);
  Value loss = getLogits(), derivative = getLogits();
  if (!getLoss().use_empty())
    loss = states.cost(e.wrap(getLogits()));
  if (!getWarpctcgrad().use_empty())
    derivative = derivativeOfFormula(e, getLogits(), [&](Expression x) { return states.cost(x); });
  return SmallVector<Value>{loss, derivative};
}

} // namespace proa::pd
