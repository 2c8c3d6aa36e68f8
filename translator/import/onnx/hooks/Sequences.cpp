//! Hooks of sequences and optionals of ONNX, which are tensor arrays. An optional has no element or one.
#include "translator/import/onnx/GraphLoop.h"

#include "dialects/pd/autodiff/CountedLoop.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/control/CheckOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

#include <limits>

using namespace mlir;

namespace proa::import::onnxhooks {

using Values = NodeImporter::Values;

namespace {

Value oneInteger(NodeImporter &node, int64_t value) {
  return pd::oneInt(node.getBuilder(), node.getLocation(), value);
}

Value arrayOf(NodeImporter &node, llvm::ArrayRef<Value> elements) {
  Value array = pd::ArrayCreateOp::create(node.getBuilder(), node.getLocation());
  for (auto [i, element] : llvm::enumerate(elements)) {
    array =
        node.createOp<pd::ArrayWriteOp>(array, oneInteger(node, static_cast<int64_t>(i)), element).getOut();
    node.getGraph().keepKind(element, array);
  }
  return array;
}

Value lengthOf(NodeImporter &node, Value array) {
  return pd::ArrayLengthOp::create(node.getBuilder(), node.getLocation(), array);
}

/// The elements [start, end) of an array.
Value elementsBetween(NodeImporter &node, Value array, Value start, Value end) {
  return pd::ArraySliceOp::create(node.getBuilder(), node.getLocation(), array, start, end);
}

/// Ends the run unless `isValid`.
void checkInRun(NodeImporter &node, Value isValid, const char *message) {
  pd::AssertOp::create(node.getBuilder(), node.getLocation(), isValid, ValueRange(), uint64_t(0),
                       llvm::StringRef(message));
}

/// A position in an array, counted from its start; a run checks that it is below `end`.
Value positionIn(NodeImporter &node, Value position, Value array, int64_t beyondLast) {
  pd::TensorBuilder &e = node.tensors();
  pd::Expression given = e.wrap(asCount(node, position)), length = e.wrap(lengthOf(node, array));
  pd::Expression fromStart = e.select(given < 0.0, given + length, given);
  pd::Expression isWithin = e.wrap(
      e.create<pd::LogicalAndOp>(fromStart >= 0.0, fromStart < length + static_cast<double>(beyondLast)));
  checkInRun(node, isWithin, "the position is not within the sequence");
  return fromStart;
}

} // namespace

//===-- Sequences ---------------------------------------------------------------------------------------===//

void importSequenceEmpty(NodeImporter &node) {
  if (!node.typeAttribute("dtype", onnx::DataType::Float))
    return;
  node.setOutput("output", arrayOf(node, {}));
}

void importSequenceConstruct(NodeImporter &node) {
  Values elements = node.inputs("inputs");
  if (llvm::is_contained(elements, Value()))
    return node.report("an input is absent, expected a tensor");
  node.setOutput("output_sequence", arrayOf(node, elements));
}

void importSequenceInsert(NodeImporter &node) {
  Value array = node.array("input_sequence"), element = node.requiredInput("tensor"), out;
  Value position = node.input("position");
  if (!position) {
    out = node.createOp<pd::ArrayWriteOp>(array, lengthOf(node, array), element).getOut();
  } else {
    Value index = positionIn(node, position, array, 1);
    Value before = elementsBetween(node, array, oneInteger(node, 0), index);
    before = node.createOp<pd::ArrayWriteOp>(before, index, element).getOut();
    Value after = elementsBetween(node, array, index, oneInteger(node, std::numeric_limits<int64_t>::max()));
    out = node.createOp<pd::ArrayConcatOp>(before, after).getOut();
  }
  node.getGraph().keepKind(element, out);
  node.setOutput("output_sequence", out);
}

void importSequenceErase(NodeImporter &node) {
  Value array = node.array("input_sequence"), position = node.input("position");
  Value index = positionIn(node, position ? position : oneInteger(node, -1), array, 0);
  Value next = node.tensors().wrap(index) + 1.0;
  Value before = elementsBetween(node, array, oneInteger(node, 0), index);
  Value after = elementsBetween(node, array, next, oneInteger(node, std::numeric_limits<int64_t>::max()));
  Value out = node.createOp<pd::ArrayConcatOp>(before, after).getOut();
  node.getGraph().keepKind(array, out);
  node.setOutput("output_sequence", out);
}

void importSequenceAt(NodeImporter &node) {
  Value array = node.array("input_sequence");
  Value out = node.create<pd::ArrayReadOp>(array, node.requiredInput("position"));
  node.getGraph().keepKind(array, out);
  node.setOutput("tensor", out);
}

void importSequenceLength(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  node.setOutput("length", e.reshape(e.wrap(lengthOf(node, node.array("input_sequence"))), {}));
}

/// The sizes of the pieces: the elements of `split`, if it is a vector; else pieces of one size, of which the
/// last one may be smaller.
static Value splitSizes(NodeImporter &node, pd::Expression x, int64_t axis, Value split) {
  OpBuilder &builder = node.getBuilder();
  pd::TensorBuilder &e = node.tensors();
  if (split && pd::tensorType(split).getRank() == 1)
    return split;
  pd::DimSize whole(x, axis);
  if (!split)
    return pd::expandTo(e.constant(1, builder.getI64Type()), {whole});
  pd::Expression size = e.reshape(e.cast(e.wrap(split), builder.getI64Type()), {1}),
                 length = e.reshape(e.wrap(whole.getValue(e)), {1});
  pd::Expression count = e.wrap(e.create<pd::FloorDivideOp>(length + size - 1.0, size));
  pd::Expression starts = pd::iota(e, pd::DimSize::element(count, 0), builder.getI64Type()) * size;
  return e.minimum(length - starts, size);
}

void importSplitToSequence(NodeImporter &node) {
  OpBuilder &builder = node.getBuilder();
  pd::Expression x = node.operand("input");
  int64_t axis = node.intAttribute("axis"), fromStart = axis < 0 ? axis + x.rank() : axis;
  if (fromStart < 0 || fromStart >= x.rank())
    return node.report("axis " + llvm::Twine(axis) + " is not within the rank " + llvm::Twine(x.rank()) +
                       " of the input");
  Value split = node.input("split");
  bool keepsDim = node.boolAttribute("keepdims");
  Value out = node.createOp<pd::ArraySplitOp>(x, splitSizes(node, x, fromStart, split),
                                              builder.getI64IntegerAttr(fromStart),
                                              builder.getBoolAttr(!split && !keepsDim))
                  .getOut();
  node.getGraph().keepKind(x, out);
  node.setOutput("output_sequence", out);
}

void importConcatFromSequence(NodeImporter &node) {
  OpBuilder &builder = node.getBuilder();
  Value array = node.array("input_sequence");
  Value out = node.createOp<pd::ArrayToTensorOp>(array, builder.getI64IntegerAttr(node.intAttribute("axis")),
                                                 builder.getBoolAttr(node.boolAttribute("new_axis")))
                  .getOut();
  node.getGraph().keepKind(array, out);
  node.setOutput("concat_result", out);
}

/// A loop over the elements, whose results are collected.
void importSequenceMap(NodeImporter &node) {
  const onnx::Graph *body = node.graphAttribute("body");
  Values inputs{node.array("input_sequence")};
  llvm::append_range(inputs, node.values("additional_inputs"));
  if (!body || body->inputs.size() != inputs.size() || llvm::is_contained(inputs, Value()))
    return node.report("expected a graph 'body' with an input for each of the " + llvm::Twine(inputs.size()) +
                       " inputs");
  GraphLoop loop;
  loop.count = lengthOf(node, inputs.front());
  loop.iterate = [&](Value index, llvm::ArrayRef<Value>) {
    Values elements;
    for (Value input : inputs) {
      elements.push_back(pd::isArray(input) ? Value(node.create<pd::ArrayReadOp>(input, index)) : input);
      node.getGraph().keepKind(input, elements.back());
    }
    LoopIteration end;
    end.collected = node.getGraph().importBody(*body, elements);
    if (end.collected.size() != body->outputs.size())
      node.stop();
    return end;
  };
  node.setOutputs("out_sequence", createLoop(node, loop).arrays);
}

//===-- Optionals ---------------------------------------------------------------------------------------===//

void importOptional(NodeImporter &node) {
  GraphImporter &graph = node.getGraph();
  Value element = node.value("input");
  node.hasAttribute("type");
  const onnx::Attribute *declared = node.getNode().attribute("type");
  const auto *types = declared ? std::get_if<std::vector<onnx::Type>>(&declared->value) : nullptr;
  bool isSequence = element
                        ? pd::isArray(element)
                        : types && types->size() == 1 && types->front().kind == onnx::Type::Kind::Sequence;
  // A copy: the given sequence stays one.
  Value out = isSequence && element
                  ? elementsBetween(node, element, oneInteger(node, 0),
                                    oneInteger(node, std::numeric_limits<int64_t>::max()))
                  : arrayOf(node, element ? llvm::ArrayRef(element) : llvm::ArrayRef<Value>());
  if (element)
    graph.keepKind(element, out);
  graph.setArrayKind(out, isSequence ? ArrayKind::OptionalSequence : ArrayKind::Optional);
  node.setOutput("output", out);
}

void importOptionalGetElement(NodeImporter &node) {
  GraphImporter &graph = node.getGraph();
  Value given = node.value("input");
  if (!given)
    return node.report("input 'input' is missing");
  ArrayKind kind = pd::isArray(given) ? graph.arrayKind(given) : ArrayKind::Sequence;
  Value out = given;
  if (kind == ArrayKind::Optional) {
    out = node.create<pd::ArrayReadOp>(given, oneInteger(node, 0));
    graph.keepKind(given, out);
  } else if (kind == ArrayKind::OptionalSequence) {
    out = elementsBetween(node, given, oneInteger(node, 0),
                          oneInteger(node, std::numeric_limits<int64_t>::max()));
    graph.keepKind(given, out);
    graph.setArrayKind(out, ArrayKind::Sequence);
  }
  node.setOutput("output", out);
}

void importOptionalHasElement(NodeImporter &node) {
  Value given = node.value("input");
  if (!given || !pd::isArray(given) || node.getGraph().arrayKind(given) == ArrayKind::Sequence)
    return node.setOutput("output", node.scalar(given ? 1 : 0, node.getBuilder().getI1Type()));
  pd::TensorBuilder &e = node.tensors();
  node.setOutput("output", e.reshape(e.wrap(lengthOf(node, given)) > 0.0, {}));
}

} // namespace proa::import::onnxhooks
