//! Tensor arrays as sequences of ONNX.
#include "translator/export/ArrayFormula.h"
#include "translator/export/onnx/NodeExporter.h"

#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/shape/KnownElements.h"

using namespace mlir;

namespace proa::exporter::onnxhooks {

/// The element type of the arrays that an array without writes becomes; float32 if there is none.
static Type elementOf(Value array) {
  if (RankedTensorType element = cast<pd::ArrayType>(array.getType()).getElement())
    return element.getElementType();
  for (Operation *user : array.getUsers()) {
    if (auto writing = dyn_cast<pd::ArrayWriteOp>(user))
      return pd::tensorType(writing.getX()).getElementType();
    if (auto widening = dyn_cast<pd::ArrayCastOp>(user))
      return elementOf(widening.getOut());
  }
  return Float32Type::get(array.getContext());
}

static std::string positionOf(NodeExporter &node, Value index) {
  auto type = pd::tensorType(index);
  std::string name = node.of(index);
  if (!type.getElementType().isInteger(64))
    name = node.cast(name, IntegerType::get(index.getContext(), 64));
  return type.getRank() == 0 ? name : node.reshape(name, {});
}

void exportArrayCreate(NodeExporter &node) {
  auto op = node.get<pd::ArrayCreateOp>();
  onnx::DataType type = onnx::dataTypeOf(*pd::dtypeOf(elementOf(op.getOut())));
  node.setResult(0, node.node("SequenceEmpty", {}, {{"dtype", static_cast<int64_t>(type)}}));
}

static bool isLengthOf(Value index, Value array) {
  if (auto length = index.getDefiningOp<pd::ArrayLengthOp>())
    return length.getArray() == array;
  while (auto widening = array.getDefiningOp<pd::ArrayCastOp>())
    array = widening.getArray();
  int64_t count = 0;
  for (; array.getDefiningOp<pd::ArrayWriteOp>(); ++count) {
    array = array.getDefiningOp<pd::ArrayWriteOp>().getArray();
    while (auto widening = array.getDefiningOp<pd::ArrayCastOp>())
      array = widening.getArray();
  }
  auto known = pd::allKnownElements(index);
  return array.getDefiningOp<pd::ArrayCreateOp>() && known && known->size() == 1 && known->front() == count;
}

/// Replaces the element, or appends it if the index is the length.
void exportArrayWrite(NodeExporter &node) {
  auto op = node.get<pd::ArrayWriteOp>();
  std::string array = node.of(op.getArray()), x = node.of(op.getX());
  if (isLengthOf(op.getIndex(), op.getArray()))
    return node.setResult(0, node.node("SequenceInsert", {array, x}));
  std::string index = positionOf(node, op.getIndex());
  std::string isInside = node.node("Less", {index, node.node("SequenceLength", {array})});
  auto branch = [&](bool replaces) {
    return node.getGraph().subgraph([&](onnx::Graph &) {
      std::string from = replaces ? node.node("SequenceErase", {array, index}) : array;
      node.setResult(0, node.node("SequenceInsert", {from, x, index}));
      return llvm::SmallVector<Value>{op.getOut()};
    });
  };
  std::vector<onnx::Graph> shorter{branch(true)}, longer{branch(false)};
  node.setResult(0, node.node("If", {isInside}, {{"then_branch", shorter}, {"else_branch", longer}}));
}

void exportArrayRead(NodeExporter &node) {
  auto op = node.get<pd::ArrayReadOp>();
  node.setResult(0, node.node("SequenceAt", {node.of(op.getArray()), positionOf(node, op.getIndex())}));
}

/// Each element of a sequence has been written, so that only those after the end are others.
void exportArrayReadOr(NodeExporter &node) {
  auto op = node.get<pd::ArrayReadOrOp>();
  std::string array = node.of(op.getArray()), index = positionOf(node, op.getIndex());
  std::string isInside = node.node("Less", {index, node.node("SequenceLength", {array})});
  auto branch = [&](bool reads) {
    return std::vector<onnx::Graph>{node.getGraph().subgraph([&](onnx::Graph &) {
      node.setResult(0, reads ? node.node("SequenceAt", {array, index}) : node.of(op.getOtherwise()));
      return llvm::SmallVector<Value>{op.getOut()};
    })};
  };
  std::vector<onnx::Graph> inside = branch(true), outside = branch(false);
  node.setResult(0, node.node("If", {isInside}, {{"then_branch", inside}, {"else_branch", outside}}));
}

void exportArraySlice(NodeExporter &node) {
  node.exportAs([&](pd::TensorBuilder &e) {
    return llvm::SmallVector<Value>{formulaOf(node.get<pd::ArraySliceOp>(), e)};
  });
}

void exportArrayAdd(NodeExporter &node) {
  node.exportAs([&](pd::TensorBuilder &e) {
    return llvm::SmallVector<Value>{formulaOf(node.get<pd::ArrayAddOp>(), e)};
  });
}

void exportArrayConcat(NodeExporter &node) {
  node.exportAs([&](pd::TensorBuilder &e) {
    return llvm::SmallVector<Value>{formulaOf(node.get<pd::ArrayConcatOp>(), e)};
  });
}

void exportArrayLength(NodeExporter &node) {
  auto op = node.get<pd::ArrayLengthOp>();
  node.setResult(0, node.reshape(node.node("SequenceLength", {node.of(op.getArray())}), {1}));
}

void exportArrayToTensor(NodeExporter &node) {
  auto op = node.get<pd::ArrayToTensorOp>();
  if (!op.getSizes().use_empty())
    return node.exportAs([&](pd::TensorBuilder &e) { return formulaOf(op, e); });
  node.setResult(
      0, node.node("ConcatFromSequence", {node.of(op.getArray())},
                   {{"axis", static_cast<int64_t>(op.getAxis())}, {"new_axis", int64_t(op.getUseStack())}}));
}

void exportArraySplit(NodeExporter &node) {
  auto op = node.get<pd::ArraySplitOp>();
  std::vector<NodeExporter::Named> attributes{{"axis", static_cast<int64_t>(op.getAxis())}};
  if (op.getUseStack()) {
    attributes.push_back({"keepdims", int64_t(0)});
    return node.setResult(0, node.node("SplitToSequence", {node.of(op.getX())}, attributes));
  }
  node.setResult(0, node.node("SplitToSequence", {node.of(op.getX()), node.of(op.getSizes())}, attributes));
}

} // namespace proa::exporter::onnxhooks
