//! Recurrent layers as formulas: loops over steps.
#include "dialects/pd/autodiff/FormulaGradient.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/math/ActivationOps.h"
#include "dialects/pd/ops/nn/RecurrentOps.h"
#include "dialects/pd/ops/sequence/Recurrence.h"
#include "dialects/pd/ops/shape/SliceOps.h"

#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// One layer in one direction.
class Layer {
public:
  Layer(RnnOp op, TensorBuilder &e, unsigned cell, unsigned cells)
      : mode(op.getMode()), resetsBefore(op.getResetsBefore()), hidden(op.getHiddenSize()), e(e) {
    auto weight = [&](unsigned i) { return e.computed(op.getWeightList()[i]); };
    ofInput = weight(2 * cell);
    ofState = weight(2 * cell + 1);
    inputBias = weight(2 * (cells + cell));
    stateBias = weight(2 * (cells + cell) + 1);
    for (Value state : op.getPreState())
      states.push_back(dropDim(slice(e.computed(state), 0, cell, cell + 1), 0));
    if (op.getSequenceLength())
      lengths = asInts(e.wrap(op.getSequenceLength()));
  }

  /// The outputs of all steps in the order of time; `states` are the final states.
  Expression run(Expression input, bool backward) {
    Expression products = inOrder(e.matmul(input, *ofInput, false, true) + *inputBias, backward);
    DimSize steps(input, 0);
    for (Expression &state : states)
      state = withBatchOf(state, products);
    Expression last = e.wrap(steps.getValue(e)) - 1.0;
    Recurrence all =
        runSteps(steps, {products}, states, 1,
                 [&](Expression index, llvm::ArrayRef<Expression> in, llvm::ArrayRef<Expression> before) {
                   llvm::SmallVector<Expression> next = step(in[0], before);
                   if (!lengths)
                     return next;
                   Expression inside = hasStep(*lengths, backward ? last - index : index);
                   for (auto [value, old] : llvm::zip(next, before))
                     value = e.select(inside, value, old);
                   return next;
                 });
    states = all.last;
    Expression outputs = inOrder(slice(all.history[0], 0, 1, toTheEnd), backward);
    if (!lengths)
      return outputs;
    Expression indices = insertDim(iota(e, steps, e.getBuilder().getI64Type()), 1);
    return e.select(insertDim(insertDim(*lengths, 0) > indices, 2), outputs, 0.0);
  }

  llvm::SmallVector<Expression> states;

private:
  Expression inOrder(Expression x, bool backward) {
    return backward ? e.wrap(e.create<FlipOp>(x, llvm::SmallVector<int64_t>{0})) : x;
  }

  /// A state whose batch dim is dynamic where the batch dim of the steps is.
  Expression withBatchOf(Expression state, Expression steps) {
    int64_t batch = steps.type().getDimSize(1);
    if (!ShapedType::isDynamic(batch))
      return e.reshape(state, {batch, hidden});
    auto type = state.type().clone({batch, hidden});
    return e.wrap(widened(e.getBuilder(), Value(state).getLoc(), state, type));
  }

  Expression gate(Expression gates, int64_t index) {
    return slice(gates, 1, index * hidden, (index + 1) * hidden);
  }

  llvm::SmallVector<Expression> step(Expression a, llvm::ArrayRef<Expression> before) {
    Expression h = before[0];
    if (mode == RnnMode::Gru && resetsBefore)
      return {gruThatResetsBefore(a, h)};
    Expression r = e.matmul(h, *ofState, false, true) + *stateBias;
    if (mode == RnnMode::Gru) {
      Expression reset = sigmoid(gate(a, 0) + gate(r, 0)), update = sigmoid(gate(a, 1) + gate(r, 1));
      Expression fresh = e.tanh(gate(a, 2) + reset * gate(r, 2));
      return {(h - fresh) * update + fresh};
    }
    Expression sum = a + r;
    if (mode == RnnMode::Lstm) {
      Expression c = sigmoid(gate(sum, 1)) * before[1] + sigmoid(gate(sum, 0)) * e.tanh(gate(sum, 2));
      return {sigmoid(gate(sum, 3)) * e.tanh(c), c};
    }
    return {mode == RnnMode::Relu ? e.maximum(sum, 0.0) : e.tanh(sum)};
  }

  /// Columns [begin, end) of the matmul of a state.
  Expression ofGates(Expression state, int64_t begin, int64_t end) {
    Expression weights = slice(*ofState, 0, begin * hidden, end * hidden);
    return e.matmul(state, weights, false, true) + slice(*stateBias, 0, begin * hidden, end * hidden);
  }

  Expression gruThatResetsBefore(Expression a, Expression h) {
    Expression r = ofGates(h, 0, 2);
    Expression reset = sigmoid(gate(a, 0) + gate(r, 0)), update = sigmoid(gate(a, 1) + gate(r, 1));
    Expression fresh = e.tanh(gate(a, 2) + ofGates(reset * h, 2, 3));
    return (h - fresh) * update + fresh;
  }

  Expression sigmoid(Expression x) { return e.wrap(e.create<SigmoidOp>(x)); }

  RnnMode mode;
  bool resetsBefore;
  int64_t hidden;
  TensorBuilder &e;
  std::optional<Expression> ofInput, ofState, inputBias, stateBias, lengths;
};

Expression stacked(llvm::ArrayRef<Expression> pieces) {
  llvm::SmallVector<Expression> rows;
  for (Expression piece : pieces)
    rows.push_back(insertDim(piece, 0));
  return concat(rows, 0);
}

} // namespace

FailureOr<llvm::SmallVector<Value>> RnnOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression input = e.operand(0);
  unsigned directions = getIsBidirec() ? 2 : 1, layers = static_cast<unsigned>(getNumLayers());
  llvm::SmallVector<llvm::SmallVector<Expression>> states(getPreState().size());
  for (unsigned layer = 0; layer < layers; ++layer) {
    llvm::SmallVector<Expression> outputs;
    for (unsigned direction = 0; direction < directions; ++direction) {
      Layer one(*this, e, layer * directions + direction, layers * directions);
      outputs.push_back(one.run(input, direction == 1));
      for (auto [list, state] : llvm::zip(states, one.states))
        list.push_back(state);
    }
    input = outputs.size() == 1 ? outputs[0] : concat(outputs, 2);
  }
  llvm::SmallVector<Expression> results{input};
  for (const auto &list : states)
    results.push_back(stacked(list));
  return e.results(results);
}

/// Reverse mode through the formula: the result has derivatives of its own.
FailureOr<llvm::SmallVector<Value>> RnnGradientOp::decompose(OpBuilder &builder) {
  llvm::SmallVector<Value> inputs{getX()}, cotangents{getOutGradient()};
  llvm::append_range(inputs, getPreState());
  llvm::append_range(inputs, getWeightList());
  llvm::append_range(cotangents, getStateGradient());
  size_t states = getPreState().size();
  return gradientOfFormula(builder, getLoc(), inputs, cotangents, [&](ValueRange in) {
    return RnnOp::create(builder, getLoc(), in[0], in.slice(1, states), in.drop_front(1 + states),
                         getSequenceLength(), getDropoutProbAttr(), getIsBidirecAttr(), getInputSizeAttr(),
                         getHiddenSizeAttr(), getNumLayersAttr(), getModeAttr(), getSeedAttr(),
                         getIsTestAttr())
        .getOperation();
  });
}

} // namespace proa::pd
