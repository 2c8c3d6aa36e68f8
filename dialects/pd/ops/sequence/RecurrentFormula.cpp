//! Recurrent layers over sequences as formulas: all sequences are processed in one loop.
#include "dialects/pd/autodiff/Autodiff.h"
#include "dialects/pd/autodiff/FormulaGradient.h"
#include "dialects/pd/ir/MatchFailure.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/math/ActivationOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/sequence/Recurrence.h"
#include "dialects/pd/ops/sequence/Recurrent.h"

using namespace mlir;

namespace proa::pd {
Expression activate(Expression x, Activation activation) {
  TensorBuilder &e = x.owner();
  switch (activation) {
  case Activation::Identity:
    return x;
  case Activation::Sigmoid:
    return e.wrap(e.create<SigmoidOp>(x));
  case Activation::Tanh:
    return e.tanh(x);
  case Activation::Relu:
    return e.maximum(0.0, x);
  }
  return x;
}

namespace {

using Values = FailureOr<SmallVector<Value>>;

/// Block `index` of the columns.
Expression block(Expression x, int64_t index, int64_t size, int64_t count = 1) {
  return slice(x, 1, index * size, (index + count) * size);
}

/// The initial states, [sequences, size]: the given ones, or zeros.
Expression initialStates(TensorBuilder &e, Value given, Expression lengths, int64_t size, Type element) {
  if (!given)
    return zeroRows(lengths, size, element);
  Expression states = e.computed(given);
  int64_t count = lengths.type().getDimSize(0);
  if (!ShapedType::isDynamic(count))
    return e.reshape(states, {count, size});
  auto type = RankedTensorType::get({ShapedType::kDynamic, size}, element);
  return e.wrap(widened(e.getBuilder(), given.getLoc(), states, type));
}

/// One step of gated recurrent units.
struct GruCell {
  GruCell(Expression weight, int64_t size, Activation gate, Activation candidate, bool originMode)
      : size(size), gate(gate), candidate(candidate), originMode(originMode) {
    // The weights are two matrices, concatenated.
    TensorBuilder &e = weight.owner();
    Expression flat = e.reshape(weight, {-1});
    ofGates = e.reshape(slice(flat, 0, 0, 2 * size * size), {size, 2 * size});
    ofCandidate = e.reshape(slice(flat, 0, 2 * size * size, toTheEnd), {size, size});
  }

  struct Result {
    Expression gates, reset, hidden; ///< u, r and c; r * h; the next state
  };

  Result step(Expression input, Expression hidden) const {
    TensorBuilder &e = input.owner();
    Expression gates = activate(block(input, 0, size, 2) + e.matmul(hidden, *ofGates), gate);
    Expression update = block(gates, 0, size), reset = block(gates, 1, size) * hidden;
    Expression fresh = activate(block(input, 2, size) + e.matmul(reset, *ofCandidate), candidate);
    Expression next =
        originMode ? update * hidden + (1.0 - update) * fresh : (1.0 - update) * hidden + update * fresh;
    return {concat({gates, fresh}, 1), reset, next};
  }

  int64_t size;
  Activation gate, candidate;
  bool originMode;
  std::optional<Expression> ofGates, ofCandidate;
};

/// One step of long short-term memory.
struct LstmCell {
  LstmCell(Expression weight, Expression bias, int64_t size, bool usesPeepholes)
      : size(size), weight(weight) {
    for (int64_t i = 0; usesPeepholes && i < 3; ++i)
      peepholes.push_back(block(bias, 4 + i, size));
  }

  /// The next hidden state and cell.
  SmallVector<Expression> step(Expression input, Expression hidden, Expression cell) const {
    Expression gates = input + input.owner().matmul(hidden, weight);
    Expression fresh = activate(block(gates, 0, size), candidate);
    Expression in = activate(peeped(block(gates, 1, size), cell, 0), gate);
    Expression forget = activate(peeped(block(gates, 2, size), cell, 1), gate);
    Expression next = fresh * in + cell * forget;
    Expression out = activate(peeped(block(gates, 3, size), next, 2), gate);
    return {out * activate(next, state), next};
  }

  Activation gate = Activation::Sigmoid, state = Activation::Tanh, candidate = Activation::Tanh;

private:
  Expression peeped(Expression sum, Expression cell, size_t index) const {
    return peepholes.empty() ? sum : sum + cell * peepholes[index];
  }

  int64_t size;
  Expression weight;
  SmallVector<Expression> peepholes;
};

/// Finished sequences keep their last state.
SmallVector<Expression> whereInside(Expression inside, ArrayRef<Expression> next,
                                    ArrayRef<Expression> before) {
  SmallVector<Expression> states;
  for (auto [value, old] : llvm::zip(next, before))
    states.push_back(inside.owner().select(inside, value, old));
  return states;
}

} // namespace

Values GruOp::decompose(OpBuilder &builder) {
  int64_t size = tensorType(getWeight()).getDimSize(0);
  if (ShapedType::isDynamic(size))
    return notifyDecompositionFailure(builder, *this, "its weight has dynamic dims");
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  if (getBias())
    x = x + e.reshape(e.computed(getBias()), {1, 3 * size});
  GruCell cell(e.computed(getWeight()), size, getGateActivation(), getActivation(), getOriginMode());
  SequenceSteps steps(x, e.wrap(getOffsets()), getIsReverse());
  Expression first = initialStates(e, getH0(), steps.getLengths(), size, x.type().getElementType());
  Recurrence run = runSteps(steps.count(), {steps.fromRows(x)}, {first}, 1,
                            [&](Expression index, ArrayRef<Expression> in, ArrayRef<Expression> states) {
                              Expression next = cell.step(in[0], states[0]).hidden;
                              return whereInside(hasStep(steps.getLengths(), index), {next}, states);
                            });
  return e.results({steps.toRows(run.history[0], 1)});
}

Values LstmOp::decompose(OpBuilder &builder) {
  int64_t size = tensorType(getWeight()).getDimSize(0);
  if (ShapedType::isDynamic(size))
    return notifyDecompositionFailure(builder, *this, "its weight has dynamic dims");
  TensorBuilder e(builder, getOperation());
  Expression bias = e.reshape(e.computed(getBias()), {1, (getUsePeepholes() ? 7 : 4) * size});
  Expression x = e.computed(getX()) + block(bias, 0, size, 4);
  LstmCell cell(e.computed(getWeight()), bias, size, getUsePeepholes());
  cell.gate = getGateActivation();
  cell.state = getCellActivation();
  cell.candidate = getCandidateActivation();
  SequenceSteps steps(x, e.wrap(getOffsets()), getIsReverse());
  Type element = x.type().getElementType();
  Expression hidden = initialStates(e, getH0(), steps.getLengths(), size, element),
             cells = initialStates(e, getC0(), steps.getLengths(), size, element);
  Recurrence run = runSteps(steps.count(), {steps.fromRows(x)}, {hidden, cells}, 2,
                            [&](Expression index, ArrayRef<Expression> in, ArrayRef<Expression> states) {
                              return whereInside(hasStep(steps.getLengths(), index),
                                                 cell.step(in[0], states[0], states[1]), states);
                            });
  return e.results({steps.toRows(run.history[0], 1), steps.toRows(run.history[1], 1)});
}

Values GruGradOp::decompose(OpBuilder &builder) {
  int64_t size = tensorType(getWeight()).getDimSize(0);
  if (ShapedType::isDynamic(size))
    return notifyDecompositionFailure(builder, *this, "its weight has dynamic dims");
  TensorBuilder e(builder, getOperation());
  Type element = tensorType(getX()).getElementType();
  Value h0 = getH0(), bias = getBias();
  if (!h0)
    h0 = zeroRows(sequencesOf(e.wrap(getOffsets())).lengths, size, element);
  if (!bias)
    bias = expandTo(e.constant(0, element), {DimSize(1), DimSize(3 * size)});
  return gradientOfFormula(
      builder, getLoc(), {getX(), getWeight(), h0, bias}, {getHiddenGrad()}, [&](ValueRange in) {
        return GruOp::create(builder, getLoc(), in[0], in[1], getOffsets(), in[2], in[3], getActivationAttr(),
                             getGateActivationAttr(), getIsReverseAttr(), getOriginModeAttr())
            .getOperation();
      });
}

Values LstmGradOp::decompose(OpBuilder &builder) {
  int64_t size = tensorType(getWeight()).getDimSize(0);
  if (ShapedType::isDynamic(size))
    return notifyDecompositionFailure(builder, *this, "its weight has dynamic dims");
  TensorBuilder e(builder, getOperation());
  Type element = tensorType(getX()).getElementType();
  SmallVector<Value> states;
  for (Value given : {getH0(), getC0()})
    states.push_back(given ? given
                           : Value(zeroRows(sequencesOf(e.wrap(getOffsets())).lengths, size, element)));
  return gradientOfFormula(builder, getLoc(), {getX(), getWeight(), getBias(), states[0], states[1]},
                           {getHiddenGrad(), getCellGrad()}, [&](ValueRange in) {
                             return LstmOp::create(builder, getLoc(), in[0], in[1], in[2], getOffsets(),
                                                   in[3], in[4], getUsePeepholesAttr(), getIsReverseAttr(),
                                                   getGateActivationAttr(), getCellActivationAttr(),
                                                   getCandidateActivationAttr())
                                 .getOperation();
                           });
}

Values GruUnitOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression input = e.computed(getInput());
  int64_t size = tensorType(getWeight()).getDimSize(0);
  if (ShapedType::isDynamic(size))
    return notifyDecompositionFailure(builder, *this, "its weight has dynamic dims");
  if (getBias())
    input = input + e.reshape(e.computed(getBias()), {1, 3 * size});
  GruCell cell(e.computed(getWeight()), size, static_cast<Activation>(getGateActivation()),
               static_cast<Activation>(getActivation()), getOriginMode());
  GruCell::Result result = cell.step(input, e.computed(getHiddenPrev()));
  return e.results({result.gates, result.reset, result.hidden});
}

} // namespace proa::pd
