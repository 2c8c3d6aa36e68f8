//! Recurrent layers as formulas: one cell after another over a known number of steps.
#include "dialects/pd/TensorBuilder.h"
#include "dialects/pd/autodiff/VjpOps.h"
#include "dialects/pd/nn/RecurrentOps.h"
#include "dialects/pd/shape/Extent.h"

#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// One layer in one direction.
class Layer {
public:
  Layer(RnnOp op, TensorBuilder &e, unsigned cell, unsigned cells)
      : mode(op.getMode()), hidden(op.getHiddenSize()), e(e) {
    auto weight = [&](unsigned i) { return e.computed(op.getWeightList()[i]); };
    ofInput = weight(2 * cell);
    ofState = weight(2 * cell + 1);
    inputBias = weight(2 * (cells + cell));
    stateBias = weight(2 * (cells + cell) + 1);
    for (Value state : op.getPreState())
      states.push_back(dropDim(slice(e.computed(state), 0, cell, cell + 1), 0));
  }

  /// The outputs of all steps, in the order of time. `inside` holds, with lengths, 1 where a step is before
  /// the end.
  llvm::SmallVector<Expression> run(Expression input, llvm::ArrayRef<Expression> inside, bool backward) {
    Expression products = e.matmul(input, *ofInput, false, true) + *inputBias;
    int64_t steps = input.type().getDimSize(0);
    llvm::SmallVector<Expression> outputs(steps, states[0]);
    for (int64_t i = 0; i < steps; ++i) {
      int64_t t = backward ? steps - 1 - i : i;
      llvm::SmallVector<Expression> next = step(dropDim(slice(products, 0, t, t + 1), 0));
      outputs[t] = next[0];
      if (!inside.empty()) {
        outputs[t] = next[0] * inside[t];
        for (auto [value, before] : llvm::zip(next, states))
          value = before + (value - before) * inside[t];
      }
      states = next;
    }
    return outputs;
  }

  llvm::SmallVector<Expression> states;

private:
  Expression gate(Expression gates, int64_t number) {
    return slice(gates, 1, number * hidden, (number + 1) * hidden);
  }

  llvm::SmallVector<Expression> step(Expression a) {
    Expression h = states[0], r = e.matmul(h, *ofState, false, true) + *stateBias;
    if (mode == "GRU") {
      Expression reset = e.sigmoid(gate(a, 0) + gate(r, 0)), update = e.sigmoid(gate(a, 1) + gate(r, 1));
      Expression fresh = e.tanh(gate(a, 2) + reset * gate(r, 2));
      return {(h - fresh) * update + fresh};
    }
    Expression sum = a + r;
    if (mode == "LSTM") {
      Expression c = e.sigmoid(gate(sum, 1)) * states[1] + e.sigmoid(gate(sum, 0)) * e.tanh(gate(sum, 2));
      return {e.sigmoid(gate(sum, 3)) * e.tanh(c), c};
    }
    return {mode == "RNN_RELU" ? e.maximum(sum, 0.0) : e.tanh(sum)};
  }

  llvm::StringRef mode;
  int64_t hidden;
  TensorBuilder &e;
  std::optional<Expression> ofInput, ofState, inputBias, stateBias;
};

Expression stacked(llvm::ArrayRef<Expression> parts) {
  llvm::SmallVector<Expression> rows;
  for (Expression part : parts)
    rows.push_back(insertDim(part, 0));
  return concat(rows, 0);
}

/// For each step, 1 for the sequences that have not ended, as a column.
llvm::SmallVector<Expression> insideOf(RnnOp op, TensorBuilder &e, int64_t steps, Type element) {
  llvm::SmallVector<Expression> inside;
  if (!op.getSequenceLength())
    return inside;
  Expression lengths = insertDim(e.wrap(op.getSequenceLength()), 1);
  for (int64_t t = 0; t < steps; ++t)
    inside.push_back(e.cast(lengths > static_cast<double>(t), element));
  return inside;
}

} // namespace

FailureOr<llvm::SmallVector<Value>> RnnOp::decompose(OpBuilder &builder) {
  int64_t steps = tensorType(getX()).getDimSize(0);
  if (ShapedType::isDynamic(steps) || steps == 0)
    return failure();
  TensorBuilder e(builder, getOperation());
  Expression input = e.operand(0);
  auto inside = insideOf(*this, e, steps, input.type().getElementType());
  unsigned directions = getIsBidirec() ? 2 : 1, layers = static_cast<unsigned>(getNumLayers());
  llvm::SmallVector<llvm::SmallVector<Expression>> states(getPreState().size());
  for (unsigned layer = 0; layer < layers; ++layer) {
    llvm::SmallVector<Expression> outputs;
    for (unsigned direction = 0; direction < directions; ++direction) {
      Layer one(*this, e, layer * directions + direction, layers * directions);
      outputs.push_back(stacked(one.run(input, inside, direction == 1)));
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

/// Reverse mode through the formula: what is left has derivatives of its own.
FailureOr<llvm::SmallVector<Value>> RnnGradientOp::decompose(OpBuilder &builder) {
  llvm::SmallVector<Value> inputs{getX()}, cotangents{getOutGradient()};
  llvm::append_range(inputs, getPreState());
  llvm::append_range(inputs, getWeightList());
  llvm::append_range(cotangents, getStateGradient());
  auto numbers = llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(cotangents.size())));
  auto vjp = VjpOp::create(builder, getLoc(), inputs, ValueRange(), cotangents,
                           builder.getDenseI64ArrayAttr({}), builder.getDenseI64ArrayAttr(numbers));
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&vjp.getBody(), {}, ValueRange(inputs).getTypes(),
                                    llvm::SmallVector<Location>(inputs.size(), getLoc()));
  ValueRange arguments = body->getArguments();
  size_t states = getPreState().size();
  auto forward = RnnOp::create(builder, getLoc(), arguments[0], arguments.slice(1, states),
                               arguments.drop_front(1 + states), getSequenceLength(), getDropoutProbAttr(),
                               getIsBidirecAttr(), getInputSizeAttr(), getHiddenSizeAttr(),
                               getNumLayersAttr(), getModeAttr(), getSeedAttr(), getIsTestAttr());
  auto values = forward.decompose(builder);
  if (failed(values)) {
    vjp.erase();
    return failure();
  }
  YieldOp::create(builder, getLoc(), *values);
  forward.erase();
  return llvm::SmallVector<Value>(vjp.getGradients());
}

} // namespace proa::pd
