//! Recurrent layers as LSTM, GRU and RNN.
#include "translator/export/onnx/NodeExporter.h"
#include "translator/export/onnx/hooks/Conditions.h"

#include "dialects/pd/ir/Enums.h"
#include "dialects/pd/ops/nn/RecurrentOps.h"

using namespace mlir;

namespace proa::exporter::onnxhooks {

using Named = NodeExporter::Named;

bool hasNoDropout(pd::RnnOp op) {
  return op.getIsTest() || op.getDropoutProb().isZero() || op.getNumLayers() == 1;
}

namespace {

/// The layers of one pd.rnn.
class RnnLayers {
public:
  explicit RnnLayers(NodeExporter &node)
      : node(node), op(node.get<pd::RnnOp>()), directions(op.getIsBidirec() ? 2 : 1),
        hidden(static_cast<int64_t>(op.getHiddenSize())), layers(static_cast<int64_t>(op.getNumLayers())) {
    switch (op.getMode()) {
    case pd::RnnMode::Lstm: // i, f, g, o here; i, o, f, g in ONNX
      type = "LSTM";
      gates = {0, 3, 1, 2};
      break;
    case pd::RnnMode::Gru: // r, z, n here; z, r, n in ONNX
      type = "GRU";
      gates = {1, 0, 2};
      break;
    default:
      type = "RNN";
      gates = {0};
    }
  }

  void run() {
    std::string x = node.of(op.getX());
    for (int64_t layer = 0; layer < layers; ++layer)
      x = addLayer(std::move(x), layer);
    node.setResult(0, x);
    for (auto [i, pieces] : llvm::enumerate(states))
      if (!pieces.empty())
        node.setResult(1 + i, joined(pieces, 0));
  }

private:
  std::string joined(std::vector<std::string> pieces, int64_t axis) {
    return pieces.size() == 1 ? pieces.front() : node.node("Concat", std::move(pieces), {{"axis", axis}});
  }

  /// Elements [start, end) along the first dimension.
  std::string rows(std::string x, int64_t start, int64_t end) {
    return node.node("Slice", {std::move(x), node.ints({start}), node.ints({end}), node.ints({0})});
  }

  /// A weight or bias with its gates in the order of ONNX.
  std::string reordered(Value weight) {
    if (gates.size() == 1)
      return node.of(weight);
    std::vector<std::string> blocks;
    for (int64_t gate : gates)
      blocks.push_back(rows(node.of(weight), gate * hidden, (gate + 1) * hidden));
    return joined(blocks, 0);
  }

  /// Tensor `kind` (0: of the input, 1: of the hidden state) of the weights, or of the biases.
  Value weightOf(int64_t layer, int64_t direction, int64_t kind, bool isBias) {
    int64_t cells = layers * directions, cell = layer * directions + direction;
    return op.getWeightList()[(isBias ? 2 * cells : 0) + 2 * cell + kind];
  }

  std::string weights(int64_t layer, int64_t kind) {
    std::vector<std::string> pieces;
    for (int64_t d = 0; d < directions; ++d)
      pieces.push_back(node.unsqueeze(reordered(weightOf(layer, d, kind, false)), {0}));
    return joined(pieces, 0);
  }

  std::string biases(int64_t layer) {
    std::vector<std::string> pieces;
    for (int64_t d = 0; d < directions; ++d)
      pieces.push_back(node.unsqueeze(
          joined({reordered(weightOf(layer, d, 0, true)), reordered(weightOf(layer, d, 1, true))}, 0), {0}));
    return joined(pieces, 0);
  }

  std::vector<Named> attributes() {
    std::vector<Named> list{{"hidden_size", hidden},
                            {"direction", std::string(directions == 2 ? "bidirectional" : "forward")}};
    if (type == "GRU")
      list.push_back({"linear_before_reset", int64_t(!op.getResetsBefore())});
    if (op.getMode() == pd::RnnMode::Relu)
      list.push_back({"activations", std::vector<std::string>(directions, "Relu")});
    return list;
  }

  std::string addLayer(std::string x, int64_t layer) {
    std::vector<std::string> inputs{std::move(x), weights(layer, 0), weights(layer, 1), biases(layer), ""};
    if (op.getSequenceLength())
      inputs.back() = node.cast(node.of(op.getSequenceLength()), IntegerType::get(op.getContext(), 32));
    for (Value state : op.getPreState())
      inputs.push_back(layers == 1 ? node.of(state)
                                   : rows(node.of(state), layer * directions, (layer + 1) * directions));
    size_t count = op.getPreState().size();
    std::vector<std::string> outputs = node.nodes(type, inputs, attributes(), 1 + count);
    states.resize(count);
    for (size_t i = 0; i < count; ++i)
      states[i].push_back(outputs[1 + i]);
    // [time, directions, batch, hidden]
    std::string y = node.node("Transpose", {outputs[0]}, {{"perm", std::vector<int64_t>{0, 2, 1, 3}}});
    return node.reshape(y, {0, 0, directions * hidden});
  }

  NodeExporter &node;
  pd::RnnOp op;
  int64_t directions, hidden, layers;
  std::string type;
  std::vector<int64_t> gates;
  std::vector<std::vector<std::string>> states;
};

} // namespace

void exportRnn(NodeExporter &node) { RnnLayers(node).run(); }

} // namespace proa::exporter::onnxhooks
