//! Hooks of ONNX's ops that carry a state from token to token: linear attention and causal convolution.
#include "translator/import/onnx/GraphImporter.h"
#include "translator/import/onnx/hooks/AttentionForm.h"

#include "dialects/pd/ops/conv/ConvOps.h"
#include "dialects/pd/ops/math/ActivationOps.h"
#include "dialects/pd/ops/sequence/Recurrence.h"

#include <cmath>

using namespace mlir;

namespace proa::import::onnxhooks {

using pd::DimSize;
using pd::Expression;

namespace {

/// A recurrence over tokens. The state is [batch, heads of K and V, size of K, size of V].
class LinearAttentionNode {
public:
  explicit LinearAttentionNode(NodeImporter &node)
      : node(node), e(node.tensors()), query(node.operand("query")), heads(node.intAttribute("q_num_heads")),
        keyHeads(node.intAttribute("kv_num_heads")) {}

  void run() {
    readRule();
    node.intAttribute("chunk_size"); // a hint
    DimSize tokens(query, 1);
    Expression q = byToken(query, keyHeads); // [tokens, batch, heads, queries of the head * size]
    llvm::SmallVector<Expression> inputs{q, byToken(node.operand("key"), keyHeads),
                                         byToken(node.operand("value"), keyHeads)};
    for (Value gate : {decay, beta})
      if (gate)
        inputs.push_back(byToken(node.wrap(gate), headsOfGate(gate)));
    Value past = node.input("past_state");
    Type element = query.type().getElementType(), stateElement = element;
    if (past)
      stateElement = cast<RankedTensorType>(past.getType()).getElementType();
    DimSize valueSize(inputs[2], 3), batch(q, 1);
    Expression state = past ? e.computed(past)
                            : expandTo(node.scalar(0, inputs[1].type().getElementType()),
                                       {batch, DimSize(keyHeads), DimSize(inputs[1], 3), valueSize});
    auto [outputs, last] = overTokens(tokens, inputs, state);
    // [tokens, batch, heads, queries of the head, size]
    Expression out = e.reshape(e.transpose(outputs, {1, 0, 2, 3, 4}), {0, 0, -1});
    node.setOutput("output", e.cast(out * scale(), element));
    node.setOutput("present_state", e.cast(last, stateElement));
  }

private:
  [[noreturn]] void fail(const llvm::Twine &message) {
    node.report(message);
    node.stop();
  }

  void readRule() {
    std::string rule = node.stringAttribute("update_rule");
    if (rule != "linear" && rule != "gated" && rule != "delta" && rule != "gated_delta")
      fail("attribute 'update_rule' is '" + rule + "', expected linear, gated, delta or gated_delta");
    if (heads <= 0 || keyHeads <= 0 || heads % keyHeads != 0)
      fail("attributes 'q_num_heads' and 'kv_num_heads' are " + llvm::Twine(heads) + " and " +
           llvm::Twine(keyHeads) + ", expected a positive number and a divisor of it");
    bool isGated = rule.starts_with("gated"), isDelta = rule.ends_with("delta");
    decay = node.input("decay");
    beta = node.input("beta");
    if (isGated != bool(decay) || isDelta != bool(beta))
      fail("has " + llvm::Twine(decay ? "an" : "no") + " input 'decay' and " + (beta ? "an" : "no") +
           " input 'beta', which 'update_rule' " + rule + " does not take");
    for (llvm::StringRef name : {"query", "key", "value"})
      if (node.operand(name).rank() != 3)
        fail("input '" + name + "' has rank " + llvm::Twine(node.operand(name).rank()) + ", expected 3");
  }

  /// x [batch, tokens, heads * size] as [tokens, batch, heads, size], in the type of the computation.
  Expression byToken(Expression x, int64_t count) {
    return e.transpose(e.reshape(e.computed(x), {0, 0, count, -1}), {1, 0, 2, 3});
  }

  /// A gate may be one number for all heads.
  int64_t headsOfGate(Value gate) {
    return cast<RankedTensorType>(gate.getType()).getDimSize(2) == 1 ? 1 : keyHeads;
  }

  Expression scale() {
    double given = node.floatAttribute("scale");
    Type element = e.computed(query).type().getElementType();
    DimSize size = divide(e, DimSize(query, 2), heads);
    if (given != 0 || size.isKnown())
      return node.scalar(given != 0 ? given : 1 / std::sqrt(static_cast<double>(size.getNumber())), element);
    return e.rsqrt(e.cast(e.wrap(size.getValue(e)), element));
  }

  /// The outputs of all tokens, and the last state. A single token needs no loop.
  std::pair<Expression, Expression> overTokens(const DimSize &tokens, llvm::ArrayRef<Expression> inputs,
                                               Expression state) {
    if (tokens.isNumber(1)) {
      llvm::SmallVector<Expression> own;
      for (Expression input : inputs)
        own.push_back(dropDim(input, 0));
      llvm::SmallVector<Expression> after = step(own, state);
      return {insertDim(after[0], 0), after[1]};
    }
    // The output is carried so that it is recorded.
    Expression before =
        expandTo(node.scalar(0, state.type().getElementType()),
                 {DimSize(query, 0), DimSize(keyHeads), DimSize(heads / keyHeads), DimSize(state, 3)});
    pd::Recurrence all =
        pd::runSteps(tokens, inputs, {before, state}, 1,
                     [&](Expression, llvm::ArrayRef<Expression> own, llvm::ArrayRef<Expression> states) {
                       return step(own, states[1]);
                     });
    return {slice(all.history[0], 0, 1, pd::toTheEnd), all.last[1]};
  }

  /// The output of a token, [batch, heads of K, queries of the head, size of V], and the state after it.
  llvm::SmallVector<Expression> step(llvm::ArrayRef<Expression> inputs, Expression state) {
    Expression key = inputs[1], value = insertDim(inputs[2], 2); // [batch, heads, 1, size]
    size_t next = 3;
    if (decay)
      state = state * e.exp(insertDim(inputs[next++], 3));
    if (beta)
      value = insertDim(inputs[next], 3) * (value - e.matmul(insertDim(key, 2), state));
    state = state + insertDim(key, 3) * value;
    Expression q = e.reshape(inputs[0], {0, 0, heads / keyHeads, -1});
    return {e.matmul(q, state), state};
  }

  NodeImporter &node;
  pd::TensorBuilder &e;
  Expression query;
  int64_t heads, keyHeads;
  Value decay, beta;
};

} // namespace

void importLinearAttention(NodeImporter &node) { LinearAttentionNode(node).run(); }

void importCausalConvWithState(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = node.operand("input"), weight = node.operand("weight");
  std::string activation = node.stringAttribute("activation");
  if (activation != "none" && activation != "silu" && activation != "swish") {
    node.report("attribute 'activation' is '" + activation + "', expected none, silu or swish");
    node.stop();
  }
  int64_t width = weight.rank() == 3 ? weight.type().getDimSize(2) : 0,
          channels = weight.type().getDimSize(0);
  if (x.rank() != 3 || width < 1 || ShapedType::isDynamic(channels)) {
    node.reportOpen("its input has rank " + llvm::Twine(x.rank()) + " and its filter rank " +
                    llvm::Twine(weight.rank()) + ", expected rank 3 and static dims of the filter");
    node.stop();
  }
  Value past = node.input("past_state");
  Expression before = past ? node.wrap(past)
                           : expandTo(node.scalar(0, x.type().getElementType()),
                                      {DimSize(x, 0), DimSize(channels), DimSize(width - 1)});
  Expression all = width == 1 ? x : pd::concat({before, x}, 2);
  llvm::SmallVector<int64_t> ones{1, 1}, zeros{0, 0, 0, 0};
  Expression out =
      dropDim(node.create<pd::Conv2dOp>(insertDim(all, 2), insertDim(weight, 2), ones, zeros,
                                        pd::PaddingAlgorithm::Explicit, ones, channels, pd::DataFormat::NCHW),
              2);
  if (Value bias = node.input("bias"))
    out = out + e.reshape(node.wrap(bias), {1, -1, 1});
  node.setOutput("output", activation == "none" ? out : node.create<pd::SwishOp>(out, llvm::APFloat(1.0)));
  node.setOutput("present_state", width == 1 ? before : slice(all, 2, 1 - width, pd::toTheEnd));
}

} // namespace proa::import::onnxhooks
