//! Hooks of Scan.
#include "translator/import/onnx/GraphLoop.h"

#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/shape/DynamicDims.h"
#include "dialects/pd/ops/shape/SliceOps.h"

using namespace mlir;

namespace proa::import::onnxhooks {

using Values = NodeImporter::Values;

namespace {

/// The axis and direction of each scanned input and of each output.
struct ScanAttributes {
  llvm::SmallVector<int64_t> inputAxes, inputDirections, outputAxes, outputDirections;
};

/// A Scan without a batch.
class ScanImporter {
public:
  ScanImporter(NodeImporter &node, const onnx::Graph &body, const ScanAttributes &attributes)
      : node(node), body(body), attributes(attributes) {}

  /// The states and the scanned outputs after all steps.
  Values run(llvm::ArrayRef<Value> states, llvm::ArrayRef<Value> inputs) {
    if (body.inputs.size() != states.size() + inputs.size() || body.outputs.size() < states.size())
      fail("the graph '" + llvm::Twine(body.name) + "' has " + llvm::Twine(body.inputs.size()) +
           " inputs and " + llvm::Twine(body.outputs.size()) + " outputs, expected " +
           llvm::Twine(states.size() + inputs.size()) + " inputs and at least " + llvm::Twine(states.size()) +
           " outputs");
    pd::DimSize steps = 0;
    Values pieces;
    for (auto [i, input] : llvm::enumerate(inputs)) {
      int64_t axis = axisOf(attributes.inputAxes, i, pd::tensorType(input).getRank());
      pd::DimSize own(node.wrap(input), axis);
      if (i == 0)
        steps = own;
      else if (own.isKnown() && steps.isKnown() && !own.isNumber(steps.getNumber()))
        fail("scanned input " + llvm::Twine(i) + " has " + llvm::Twine(own.getNumber()) +
             " steps, but the first one has " + llvm::Twine(steps.getNumber()));
      pieces.push_back(split(directed(input, axis, attributes.inputDirections, i), axis, steps));
    }
    GraphLoop loop;
    loop.count = asCount(node, steps.getValue(node.tensors()));
    loop.carried.assign(states.begin(), states.end());
    for (size_t i = 0; i < states.size(); ++i)
      loop.names.push_back(body.inputs[i].name);
    loop.iterate = [&](Value index, llvm::ArrayRef<Value> carried) {
      return iterate(index, carried, inputs, pieces);
    };
    GraphLoopResults results = createLoop(node, loop);
    Values outputs = results.carried;
    for (size_t i = 0; i < results.arrays.size(); ++i) {
      int64_t rank = cast<pd::ArrayType>(results.arrays[i].getType()).getElement().getRank() + 1;
      int64_t axis = axisOf(attributes.outputAxes, i, rank);
      outputs.push_back(
          directed(stackCollected(node, results, i, axis), axis, attributes.outputDirections, i));
    }
    return outputs;
  }

private:
  [[noreturn]] void fail(const llvm::Twine &message) {
    node.report(message);
    node.stop();
  }

  int64_t axisOf(llvm::ArrayRef<int64_t> axes, size_t i, int64_t rank) {
    int64_t axis = i < axes.size() ? axes[i] : 0, fromStart = axis < 0 ? axis + rank : axis;
    if (fromStart < 0 || fromStart >= rank)
      fail("axis " + llvm::Twine(axis) + " of scanned tensor " + llvm::Twine(i) + " is not within its rank " +
           llvm::Twine(rank));
    return fromStart;
  }

  /// The tensor in the order of the steps: reversed where the direction is 1.
  Value directed(Value tensor, int64_t axis, llvm::ArrayRef<int64_t> directions, size_t i) {
    if (i >= directions.size() || directions[i] == 0)
      return tensor;
    return node.create<pd::FlipOp>(tensor, llvm::SmallVector<int64_t>{axis});
  }

  /// The elements along an axis as an array.
  Value split(Value tensor, int64_t axis, const pd::DimSize &count) {
    OpBuilder &builder = node.getBuilder();
    pd::Expression sizes = pd::expandTo(node.scalar(1, builder.getI64Type()), {count});
    return node
        .createOp<pd::ArraySplitOp>(tensor, sizes, builder.getI64IntegerAttr(axis), builder.getBoolAttr(true))
        .getOut();
  }

  LoopIteration iterate(Value index, llvm::ArrayRef<Value> states, llvm::ArrayRef<Value> inputs,
                        llvm::ArrayRef<Value> pieces) {
    Values values(states);
    for (auto [input, piece] : llvm::zip(inputs, pieces)) {
      values.push_back(node.create<pd::ArrayReadOp>(piece, index));
      node.getGraph().keepKind(input, values.back());
    }
    Values outputs = node.getGraph().importBody(body, values);
    if (outputs.size() != body.outputs.size())
      node.stop();
    llvm::ArrayRef<Value> after(outputs);
    return {Value(), Values(after.take_front(states.size())), Values(after.drop_front(states.size()))};
  }

  NodeImporter &node;
  const onnx::Graph &body;
  const ScanAttributes &attributes;
};

/// The operands of a Scan.
struct ScanOperands {
  const onnx::Graph *body;
  Values states, inputs;
};

ScanOperands operandsOf(NodeImporter &node) {
  ScanOperands operands{node.graphAttribute("body"), node.inputs("initial_state_and_scan_inputs"), {}};
  int64_t count = node.intAttribute("num_scan_inputs");
  if (!operands.body || count < 1 || count > static_cast<int64_t>(operands.states.size())) {
    node.report("expected a graph 'body', and at least one scanned input, found 'num_scan_inputs' " +
                llvm::Twine(count) + " of " + llvm::Twine(operands.states.size()) + " inputs");
    node.stop();
  }
  for (Value value : operands.states)
    if (!value) {
      node.report("an input is absent, expected a tensor");
      node.stop();
    }
  size_t states = operands.states.size() - static_cast<size_t>(count);
  operands.inputs.assign(operands.states.begin() + states, operands.states.end());
  operands.states.truncate(states);
  return operands;
}

} // namespace

void importScan(NodeImporter &node) {
  ScanOperands operands = operandsOf(node);
  ScanAttributes attributes{
      node.intsAttribute("scan_input_axes"), node.intsAttribute("scan_input_directions"),
      node.intsAttribute("scan_output_axes"), node.intsAttribute("scan_output_directions")};
  node.setOutputs("final_state_and_scan_outputs",
                  ScanImporter(node, *operands.body, attributes).run(operands.states, operands.inputs));
}

//===-- Scan of opset 8 ---------------------------------------------------------------------------------===//

/// Row `index` (a vector of one element) of a tensor.
static pd::Expression rowOf(NodeImporter &node, Value tensor, Value index) {
  pd::Expression rank0 = node.tensors().reshape(node.wrap(index), {});
  return node.create<pd::GatherOp>(tensor, rank0, Value(), uint64_t(0));
}

/// x with zeros after its rows, `count` in all.
static Value paddedTo(NodeImporter &node, Value tensor, const pd::DimSize &count) {
  pd::TensorBuilder &e = node.tensors();
  pd::Expression x = node.wrap(tensor);
  llvm::SmallVector<pd::DimSize> dims = pd::dimSizesOf(x);
  dims[0] = pd::sum(e, count, pd::dimSizeOf(e.wrap(dims[0].getValue(e)) * -1.0));
  pd::Expression zeros = pd::expandTo(node.scalar(0, x.type().getElementType()), dims);
  pd::Expression all = pd::concat({x, zeros}, 0);
  llvm::SmallVector<int64_t> shape(all.type().getShape());
  shape[0] = count.getNumber();
  return pd::widened(node.getBuilder(), node.getLocation(), all, all.type().clone(shape));
}

/// Each example of the batch is scanned by itself, along axis 1 and up to its length.
void importScan8(NodeImporter &node) {
  ScanOperands operands = operandsOf(node);
  Value lengths = node.input("sequence_lens");
  ScanAttributes attributes;
  attributes.inputDirections = node.intsAttribute("directions");
  for (Value input : operands.inputs)
    if (pd::tensorType(input).getRank() < 2) {
      node.report("a scanned input has no batch and no steps, expected rank 2 or more");
      return;
    }
  pd::DimSize batch(node.wrap(operands.inputs.front()), 0), steps(node.wrap(operands.inputs.front()), 1);
  GraphLoop loop;
  loop.count = asCount(node, batch.getValue(node.tensors()));
  loop.iterate = [&](Value example, llvm::ArrayRef<Value>) {
    Values states, inputs;
    for (Value state : operands.states)
      states.push_back(rowOf(node, state, example));
    for (Value input : operands.inputs) {
      pd::Expression own = rowOf(node, input, example);
      inputs.push_back(lengths ? pd::sliceBetween(own, 0, 0, pd::dimSizeOf(rowOf(node, lengths, example)))
                               : own);
    }
    LoopIteration end;
    end.collected = ScanImporter(node, *operands.body, attributes).run(states, inputs);
    if (lengths)
      for (Value &output : llvm::drop_begin(end.collected, states.size()))
        output = paddedTo(node, output, steps);
    return end;
  };
  GraphLoopResults results = createLoop(node, loop);
  Values outputs;
  for (size_t i = 0; i < results.arrays.size(); ++i)
    outputs.push_back(stackCollected(node, results, i, 0));
  node.setOutputs("final_state_and_scan_outputs", outputs);
}

} // namespace proa::import::onnxhooks
