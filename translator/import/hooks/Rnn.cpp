//! Stacks of recurrent layers that drop elements between their layers.
#include "translator/import/LegacyTable.h"
#include "translator/import/hooks/TensorOps.h"

#include "dialects/pd/ir/Infer.h"
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
      masks.push_back(isGradient ? maskOf(known, layer) : draw(x));
      x = drop(x, masks.back());
    }
    importer.setOutput("Out", x);
    Operands ends;
    for (const Operands &parts : finals)
      ends.push_back(concat(e, parts, 0));
    importer.setOutputs("State", ends);
    if (!isGradient)
      importer.setOutput("Reserve", e.create<pd::StackOp>(masks, 0));
  }

private:
  NamedAttribute integer(llvm::StringRef name, int64_t value) {
    return importer.named(name, importer.getBuilder().getI64IntegerAttr(value));
  }

  /// The outputs of one layer; its final states go to `finals`.
  Value run(Value x, int64_t layer) {
    int64_t first = layer * directions, cells = layers * directions;
    Operands own, initial, lengths;
    for (int64_t offset : {2 * first, 2 * (cells + first)})
      own.append(weights.begin() + offset, weights.begin() + offset + 2 * directions);
    for (Value state : states)
      initial.push_back(slice(e.wrap(state), 0, first, first + directions));
    if (Value length = importer.input("SequenceLength"))
      lengths.push_back(length);
    Builder &builder = importer.getBuilder();
    auto results = importer.create(
        "pd.rnn", {{x}, initial, own, lengths},
        {integer("num_layers", 1), integer("hidden_size", importer.intAttribute("hidden_size", 100)),
         integer("input_size", importer.intAttribute("input_size", 10)),
         importer.named("is_bidirec", builder.getBoolAttr(directions == 2)),
         importer.named("mode", builder.getStringAttr(importer.stringAttribute("mode", "RNN_TANH")))});
    for (size_t i = 1; i < results.size(); ++i)
      finals[i - 1].push_back(results[i]);
    return results.empty() ? Value() : results[0];
  }

  Value draw(Value x) {
    if (!x)
      return {};
    auto results = importer.create("pd.dropout", {{x}, {}, {}},
                                   {importer.named("p", importer.getBuilder().getF64FloatAttr(probability))});
    return results.empty() ? Value() : results[1];
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
