//! Hooks of ONNX's recurrent layers.
//!
//! A layer with the usual activations is pd.rnn. Others (clipping, peepholes) are a loop over steps.
#include "translator/import/onnx/GraphImporter.h"
#include "translator/import/onnx/hooks/Quantization.h"

#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/math/ActivationOps.h"
#include "dialects/pd/ops/nn/RecurrentOps.h"
#include "dialects/pd/ops/sequence/Recurrence.h"
#include "dialects/pd/ops/shape/DynamicDims.h"
#include "dialects/pd/ops/shape/SliceOps.h"

using namespace mlir;

namespace proa::import::onnxhooks {

using pd::DimSize;
using pd::Expression;

namespace {

enum class Cell { Rnn, Lstm, Gru };

/// An activation and its parameters.
struct CellActivation {
  std::string name; ///< in lower case
  double alpha, beta;
};

/// Name and defaults of an activation, and how many parameters it has.
struct KnownActivation {
  llvm::StringRef name;
  double alpha = 0, beta = 0;
  int parameters = 0;
};

constexpr KnownActivation knownActivations[] = {
    {"relu"},
    {"tanh"},
    {"sigmoid"},
    {"affine", 1, 0, 2},
    {"leakyrelu", 0.01, 0, 1},
    {"thresholdedrelu", 1, 0, 1},
    {"scaledtanh", 1, 1, 2},
    {"hardsigmoid", 0.2, 0.5, 2},
    {"elu", 1, 0, 1},
    {"softsign"},
    {"softplus"},
};

Expression activated(pd::TensorBuilder &e, const CellActivation &activation, Expression x) {
  llvm::StringRef name = activation.name;
  double alpha = activation.alpha, beta = activation.beta;
  if (name == "tanh")
    return e.tanh(x);
  if (name == "sigmoid")
    return e.wrap(e.create<pd::SigmoidOp>(x));
  if (name == "relu")
    return e.maximum(x, 0.0);
  if (name == "affine")
    return x * alpha + beta;
  if (name == "leakyrelu")
    return e.select(x < 0, x * alpha, x);
  if (name == "thresholdedrelu")
    return e.select(x < alpha, 0.0, x);
  if (name == "scaledtanh")
    return e.tanh(x * beta) * alpha;
  if (name == "hardsigmoid")
    return e.minimum(e.maximum(x * alpha + beta, 0.0), 1.0);
  if (name == "elu")
    return e.select(x < 0, e.expm1(x) * alpha, x);
  if (name == "softsign")
    return x / (e.abs(x) + 1);
  return e.maximum(x, 0.0) + e.log1p(e.exp(-e.abs(x))); // softplus
}

/// A layer of one or two directions.
class RecurrentLayer {
public:
  /// `isQuantized`: the weights are integers, and x and the state are rounded to 8 bits before products.
  RecurrentLayer(NodeImporter &node, Cell cell, bool isQuantized = false)
      : node(node), e(node.tensors()), cell(cell), isQuantized(isQuantized),
        isBatchFirst(node.boolAttribute("layout")), x(rounded(inTimeOrder(node.operand("X")))),
        weights(weightsOf("W")), stateWeights(weightsOf("R")) {
    std::string direction = node.stringAttribute("direction");
    isReverse = direction == "reverse";
    directions = direction == "bidirectional" ? 2 : 1;
    hidden = node.intAttribute("hidden_size", stateWeights.type().getDimSize(2));
    clip = node.floatAttribute("clip", 0);
    resetsAfter = cell == Cell::Gru && node.boolAttribute("linear_before_reset");
    couplesGates = cell == Cell::Lstm && node.boolAttribute("input_forget");
    peepholes = node.input("P");
    lengths = node.input("sequence_lens");
    readStates();
    readActivations();
  }

  void run() { isPlain() ? runAsOp() : runAsLoop(); }

private:
  int64_t gates() const { return cell == Cell::Rnn ? 1 : cell == Cell::Lstm ? 4 : 3; }
  size_t statesOfCell() const { return cell == Cell::Lstm ? 2 : 1; }

  Expression inTimeOrder(Expression value) { return isBatchFirst ? e.transpose(value, {1, 0, 2}) : value; }

  /// Weights [directions, gates * hidden, inputs]. Quantized ones are given transposed, with a scale and a
  /// zero point for each direction, or for each of its columns.
  Expression weightsOf(llvm::StringRef name) {
    if (!isQuantized)
      return node.operand(name);
    auto parameter = [&](llvm::StringRef suffix) {
      Expression given = node.operand((name + suffix).str());
      return given.rank() == 2 ? insertDim(given, 1) : e.reshape(given, {-1, 1, 1});
    };
    return e.transpose(dequantized(node, node.operand(name), parameter("_scale"), parameter("_zero_point")),
                       {0, 2, 1});
  }

  /// The operand of a product; in a quantized layer in the 256 steps of the range of its elements.
  Expression rounded(Expression value) {
    if (!isQuantized)
      return value;
    auto [codes, scale, zeroPoint] = quantizedByRange(node, value);
    return (codes - zeroPoint) * scale;
  }

  void readStates() {
    for (size_t i = 0; i < statesOfCell(); ++i) {
      Value initial = node.input(i == 0 ? "initial_h" : "initial_c");
      states.push_back(initial ? inTimeOrder(node.wrap(initial))
                               : expandTo(node.scalar(0, x.type().getElementType()),
                                          {DimSize(directions), DimSize(x, 1), DimSize(hidden)}));
    }
  }

  void readActivations() {
    std::vector<std::string> names = node.stringsAttribute("activations");
    llvm::ArrayRef<llvm::StringRef> usual;
    static constexpr llvm::StringRef rnn[] = {"tanh"}, gru[] = {"sigmoid", "tanh"},
                                     lstm[] = {"sigmoid", "tanh", "tanh"};
    usual = cell == Cell::Rnn ? llvm::ArrayRef(rnn) : cell == Cell::Gru ? llvm::ArrayRef(gru) : lstm;
    llvm::SmallVector<double> alphas = node.floatsAttribute("activation_alpha"),
                              betas = node.floatsAttribute("activation_beta");
    size_t nextAlpha = 0, nextBeta = 0, count = usual.size() * directions;
    for (size_t i = 0; i < count; ++i) {
      std::string name = i < names.size() ? llvm::StringRef(names[i]).lower() : usual[i % usual.size()].str();
      const auto *known = llvm::find_if(knownActivations, [&](const auto &one) { return one.name == name; });
      if (known == std::end(knownActivations)) {
        node.report("attribute 'activations' has \"" + names[i] + "\", which is not an activation of ONNX");
        node.stop();
      }
      CellActivation activation{name, known->alpha, known->beta};
      if (known->parameters >= 1 && nextAlpha < alphas.size())
        activation.alpha = alphas[nextAlpha++];
      if (known->parameters >= 2 && nextBeta < betas.size())
        activation.beta = betas[nextBeta++];
      hasUsualActivations &= name == usual[i % usual.size()];
      activations.push_back(activation);
    }
  }

  bool isReluRnn() const {
    return cell == Cell::Rnn && llvm::all_of(activations, [](const auto &one) { return one.name == "relu"; });
  }

  /// Whether pd.rnn computes the layer.
  bool isPlain() const {
    return !isQuantized && (hasUsualActivations || isReluRnn()) && clip == 0 && !peepholes && !couplesGates &&
           !(isReverse && lengths);
  }

  /// Piece `direction` of a parameter, without that dimension.
  Expression ofDirection(Expression parameter, int64_t direction) {
    return dropDim(slice(parameter, 0, direction, direction + 1), 0);
  }

  /// The biases of a direction that belong to the input (0) or the state (1).
  Expression bias(int64_t direction, int64_t which) {
    int64_t count = gates() * hidden;
    Value all = node.input("B");
    if (!all)
      return node.create<pd::FullOp>(Value(), Value(), llvm::ArrayRef<int64_t>{count},
                                     x.type().getElementType(), llvm::APFloat(0.0), IntegerAttr());
    return slice(ofDirection(node.wrap(all), direction), 0, which * count, (which + 1) * count);
  }

  Expression flipped(Expression value) { return node.create<pd::FlipOp>(value, llvm::ArrayRef<int64_t>{0}); }

  /// Outputs [time, batch, directions, hidden], and states [directions, batch, hidden].
  void setResults(Expression outputs, llvm::ArrayRef<Expression> last) {
    node.setOutput("Y", e.transpose(outputs, isBatchFirst ? llvm::ArrayRef<int64_t>{1, 0, 2, 3}
                                                          : llvm::ArrayRef<int64_t>{0, 2, 1, 3}));
    node.setOutput("Y_h", inTimeOrder(last[0]));
    if (last.size() > 1)
      node.setOutput("Y_c", inTimeOrder(last[1]));
  }

  Expression byDirection(Expression outputs) {
    return reshapeTo(outputs,
                     {DimSize(outputs, 0), DimSize(outputs, 1), DimSize(directions), DimSize(hidden)});
  }

  //===-- pd.rnn ----------------------------------------------------------------------------------------===//

  /// The gates of a parameter in the order of pd: i, f, g, o, and r, z, n.
  Expression inOrderOfPd(Expression parameter) {
    static constexpr int64_t lstm[] = {0, 2, 3, 1}, gru[] = {1, 0, 2};
    if (cell == Cell::Rnn)
      return parameter;
    llvm::SmallVector<Expression> pieces;
    for (int64_t gate : cell == Cell::Lstm ? llvm::ArrayRef(lstm) : llvm::ArrayRef(gru))
      pieces.push_back(slice(parameter, 0, gate * hidden, (gate + 1) * hidden));
    return concat(pieces, 0);
  }

  void runAsOp() {
    llvm::SmallVector<Value> list;
    for (int64_t d = 0; d < directions; ++d)
      for (Expression parameter : {weights, stateWeights})
        list.push_back(inOrderOfPd(ofDirection(parameter, d)));
    for (int64_t d = 0; d < directions; ++d)
      for (int64_t which : {0, 1})
        list.push_back(inOrderOfPd(bias(d, which)));
    pd::RnnMode mode = cell == Cell::Lstm  ? pd::RnnMode::Lstm
                       : cell == Cell::Gru ? pd::RnnMode::Gru
                       : isReluRnn()       ? pd::RnnMode::Relu
                                           : pd::RnnMode::Tanh;
    llvm::SmallVector<Value> before(states.begin(), states.end());
    Expression input = isReverse ? flipped(x) : x;
    auto rnn = node.createOp<pd::RnnOp>(input, before, list, lengths, llvm::APFloat(0.0), directions == 2,
                                        x.type().getDimSize(2), hidden, 1, mode, 0, true,
                                        cell == Cell::Gru && !resetsAfter);
    Expression outputs = node.wrap(rnn.getOut());
    llvm::SmallVector<Expression> last;
    for (Value state : rnn.getState())
      last.push_back(node.wrap(state));
    setResults(byDirection(isReverse ? flipped(outputs) : outputs), last);
  }

  //===-- The loop --------------------------------------------------------------------------------------===//

  void runAsLoop() {
    llvm::SmallVector<Expression> outputs;
    llvm::SmallVector<llvm::SmallVector<Expression>> last(states.size());
    for (int64_t d = 0; d < directions; ++d) {
      bool isBackward = isReverse || d == 1;
      auto [out, end] = runDirection(d, isBackward);
      outputs.push_back(insertDim(out, 2));
      for (auto [list, state] : llvm::zip(last, end))
        list.push_back(insertDim(state, 0));
    }
    Type type = x.type().getElementType();
    llvm::SmallVector<Expression> joined;
    for (llvm::ArrayRef<Expression> list : last)
      joined.push_back(e.cast(concat(list, 0), type));
    setResults(e.cast(concat(outputs, 2), type), joined);
  }

  /// A state whose batch dim is dynamic where the batch dim of the steps is.
  Expression withBatchOf(Expression state) {
    int64_t batch = x.type().getDimSize(1);
    if (!ShapedType::isDynamic(batch))
      return e.reshape(state, {batch, hidden});
    return e.wrap(
        pd::widened(e.getBuilder(), node.getLocation(), state, state.type().clone({batch, hidden})));
  }

  std::pair<Expression, llvm::SmallVector<Expression>> runDirection(int64_t d, bool isBackward) {
    Expression products =
        e.matmul(e.computed(x), wide(ofDirection(weights, d)), false, true) + wide(bias(d, 0));
    products = isBackward ? flipped(products) : products;
    llvm::SmallVector<Expression> before;
    for (Expression state : states)
      before.push_back(withBatchOf(wide(ofDirection(state, d))));
    DimSize steps(x, 0);
    Expression lastStep = e.wrap(steps.getValue(e)) - 1.0;
    std::optional<Expression> ends;
    if (lengths)
      ends = e.cast(node.wrap(lengths), node.getBuilder().getI64Type());
    pd::Recurrence all =
        pd::runSteps(steps, {products}, before, 1,
                     [&](Expression index, llvm::ArrayRef<Expression> in, llvm::ArrayRef<Expression> old) {
                       llvm::SmallVector<Expression> next = step(d, in[0], old);
                       if (!ends)
                         return next;
                       Expression inside = pd::hasStep(*ends, isBackward ? lastStep - index : index);
                       for (auto [value, kept] : llvm::zip(next, old))
                         value = e.select(inside, value, kept);
                       return next;
                     });
    Expression outputs = slice(all.history[0], 0, 1, pd::toTheEnd);
    outputs = isBackward ? flipped(outputs) : outputs;
    if (ends) {
      Expression indices = insertDim(iota(e, steps, node.getBuilder().getI64Type()), 1);
      outputs = e.select(insertDim(insertDim(*ends, 0) > indices, 2), outputs, 0.0);
    }
    return {outputs, all.last};
  }

  Expression wide(Expression parameter) { return e.computed(parameter); }

  Expression gate(Expression all, int64_t index) {
    return slice(all, 1, index * hidden, (index + 1) * hidden);
  }

  Expression activate(int64_t d, size_t which, Expression sum) {
    if (clip != 0)
      sum = e.minimum(e.maximum(sum, -clip), clip);
    return activated(e, activations[d * (activations.size() / directions) + which], sum);
  }

  llvm::SmallVector<Expression> step(int64_t d, Expression a, llvm::ArrayRef<Expression> before) {
    Expression ofState = wide(ofDirection(stateWeights, d)), stateBias = wide(bias(d, 1));
    if (cell == Cell::Gru)
      return {gruStep(d, a, before[0], ofState, stateBias)};
    Expression sum = a + e.matmul(rounded(before[0]), ofState, false, true) + stateBias;
    if (cell == Cell::Rnn)
      return {activate(d, 0, sum)};
    return lstmStep(d, sum, before[1]);
  }

  Expression gruStep(int64_t d, Expression a, Expression h, Expression ofState, Expression stateBias) {
    auto piece = [&](Expression parameter, int64_t i) {
      return slice(parameter, 0, i * hidden, (i + 1) * hidden);
    };
    auto product = [&](Expression state, int64_t i) {
      return e.matmul(state, piece(ofState, i), false, true) + piece(stateBias, i);
    };
    Expression update = activate(d, 0, gate(a, 0) + product(h, 0));
    Expression reset = activate(d, 0, gate(a, 1) + product(h, 1));
    Expression fresh = resetsAfter ? reset * product(h, 2) : product(reset * h, 2);
    fresh = activate(d, 1, gate(a, 2) + fresh);
    return (1.0 - update) * fresh + update * h;
  }

  llvm::SmallVector<Expression> lstmStep(int64_t d, Expression sum, Expression c) {
    auto peep = [&](Expression gateSum, int64_t i, Expression state) {
      if (!peepholes)
        return gateSum;
      Expression weight = wide(ofDirection(node.wrap(peepholes), d));
      return gateSum + slice(weight, 0, i * hidden, (i + 1) * hidden) * state;
    };
    Expression input = activate(d, 0, peep(gate(sum, 0), 0, c));
    Expression forget = couplesGates ? 1.0 - input : activate(d, 0, peep(gate(sum, 2), 2, c));
    Expression next = forget * c + input * activate(d, 1, gate(sum, 3));
    Expression output = activate(d, 0, peep(gate(sum, 1), 1, next));
    CellActivation last = activations[d * (activations.size() / directions) + 2];
    return {output * activated(e, last, next), next};
  }

  NodeImporter &node;
  pd::TensorBuilder &e;
  Cell cell;
  bool isQuantized, isBatchFirst;
  Expression x, weights, stateWeights;
  bool isReverse = false, resetsAfter = false, couplesGates = false, hasUsualActivations = true;
  int64_t directions = 1, hidden = 0;
  double clip = 0;
  Value peepholes, lengths;
  llvm::SmallVector<Expression> states;
  std::vector<CellActivation> activations;
};

} // namespace

void importRnn(NodeImporter &node) { RecurrentLayer(node, Cell::Rnn).run(); }
void importLstm(NodeImporter &node) { RecurrentLayer(node, Cell::Lstm).run(); }
void importDynamicQuantizeLstm(NodeImporter &node) { RecurrentLayer(node, Cell::Lstm, true).run(); }
void importGru(NodeImporter &node) { RecurrentLayer(node, Cell::Gru).run(); }

} // namespace proa::import::onnxhooks
