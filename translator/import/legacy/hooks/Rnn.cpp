//! Stacks of recurrent layers that drop elements between their layers.
#include "translator/import/common/TensorOps.h"
#include "translator/import/legacy/LegacyTable.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/nn/DropoutOps.h"
#include "dialects/pd/ops/nn/RecurrentOps.h"
#include "dialects/pd/ops/shape/View.h"

using namespace mlir;

namespace proa::import::hooks {
namespace {

/// A stack as one op for each layer. The variable of 'Reserve' keeps the masks for the gradient op, which
/// imports the forward op again.
class DroppingStack {
public:
  DroppingStack(OpImporter &importer, int64_t layers, double probability)
      : importer(importer), e(importer.tensors()), layers(layers), probability(probability),
        directions(importer.boolAttribute("is_bidirec", false) ? 2 : 1), states(importer.inputs("PreState")),
        weights(importer.inputs("WeightList")), finals(states.size()) {}

  void import() {
    Value x = importer.requiredInput("Input");
    if (!x)
      return;
    if (weights.size() != static_cast<size_t>(4 * layers * directions))
      return importer.report("WeightList has " + llvm::Twine(weights.size()) + " tensors, expected " +
                             llvm::Twine(4 * layers * directions));
    Value known = importer.valueBefore("Reserve");
    bool isGradient = known && pd::tensorType(known).getRank() == 4;
    Operands masks;
    for (int64_t layer = 0; x && layer < layers; ++layer) {
      x = run(x, layer);
      if (layer + 1 == layers)
        break;
      masks.push_back(isGradient ? maskOf(known, layer) : sampleMask(x));
      x = drop(x, masks.back());
    }
    importer.setOutput("Out", x);
    Operands ends;
    for (const Operands &pieces : finals)
      ends.push_back(concat(e, pieces, 0));
    importer.setOutputs("State", ends);
    if (!isGradient)
      importer.setOutput("Reserve", e.create<pd::StackOp>(masks, 0));
  }

private:
  /// The outputs of one layer; its final states go to `finals`.
  Value run(Value x, int64_t layer) {
    int64_t first = layer * directions, cells = layers * directions;
    Operands own, initial;
    for (int64_t offset : {2 * first, 2 * (cells + first)})
      own.append(weights.begin() + offset, weights.begin() + offset + 2 * directions);
    for (Value state : states)
      initial.push_back(slice(e.wrap(state), 0, first, first + directions));
    auto mode = importer.enumAttribute<pd::RnnMode>("mode", "RNN_TANH");
    if (!mode)
      return {};
    auto rnn = importer.createOp<pd::RnnOp>(
        x, initial, own, importer.input("SequenceLength"), llvm::APFloat(0.0), directions == 2,
        importer.intAttribute("input_size", 10), importer.intAttribute("hidden_size", 100), 1, *mode);
    for (auto [pieces, state] : llvm::zip(finals, rnn.getState()))
      pieces.push_back(state);
    return rnn.getOut();
  }

  /// The mask of a dropout of x.
  Value sampleMask(Value x) {
    if (!x)
      return {};
    return importer.createOp<pd::DropoutOp>(x, Value(), Value(), Value(), llvm::APFloat(probability))
        .getMask();
  }

  Value maskOf(Value masks, int64_t layer) {
    return e.create<pd::SqueezeOp>(slice(e.wrap(masks), 0, layer, layer + 1), Value(),
                                   llvm::ArrayRef<int64_t>(0));
  }

  Value drop(Value x, Value mask) {
    if (!x || !mask)
      return {};
    double kept = probability < 1 ? 1 / (1 - probability) : 0;
    return scale(e.wrap(x) * e.cast(e.wrap(mask), pd::tensorType(x).getElementType()), kept);
  }

  OpImporter &importer;
  TensorBuilder &e;
  int64_t layers;
  double probability;
  int64_t directions;
  Operands states, weights;
  llvm::SmallVector<Operands> finals;
};

} // namespace

void importRnn(OpImporter &importer) {
  double probability = importer.floatAttribute("dropout_prob", 0);
  int64_t layers = importer.intAttribute("num_layers", 1);
  if (probability <= 0 || probability > 1 || layers < 2 || importer.boolAttribute("is_test", false))
    return importer.importByTable();
  DroppingStack(importer, layers, probability).import();
}

} // namespace proa::import::hooks
