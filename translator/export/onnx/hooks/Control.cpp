//! Tensor arrays as sequences of ONNX.
#include "translator/export/ArrayFormula.h"
#include "translator/export/onnx/ArrayLength.h"
#include "translator/export/onnx/NodeExporter.h"

#include "dialects/pd/autodiff/CountedLoop.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/creation/CreationOps.h"

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
  auto length = index.getDefiningOp<pd::ArrayLengthOp>();
  return (length && length.getArray() == array) || lengthMinus(array, index) == 0;
}

/// Element `index` after the end of the array. Elements between, which are never read, are tensors without
/// elements.
static Value writeAfterEnd(pd::TensorBuilder &e, pd::ArrayWriteOp op) {
  OpBuilder &builder = e.getBuilder();
  auto element = pd::tensorType(op.getX());
  llvm::SmallVector<int64_t> noDims(std::max<int64_t>(element.getRank(), 1), 0),
      anyDims(noDims.size(), ShapedType::kDynamic);
  Type type = pd::ArrayType::get(builder.getContext(), element.clone(anyDims));
  auto noElements = DenseElementsAttr::get(element.clone(noDims), llvm::ArrayRef<Attribute>());
  Value hole = pd::ConstantOp::create(builder, op.getLoc(), noElements.getType(), noElements);
  pd::Expression index = e.reshape(e.cast(e.wrap(op.getIndex()), builder.getI64Type()), {1});
  pd::Expression missing = index - e.wrap(e.create<pd::ArrayLengthOp>(op.getArray()));
  auto body = [&](OpBuilder &inside, Value, ValueRange arrays) {
    Value longer =
        e.create<pd::ArrayWriteOp>(arrays.front(), e.create<pd::ArrayLengthOp>(arrays.front()), hole);
    return llvm::SmallVector<Value>{pd::widened(inside, op.getLoc(), longer, type)};
  };
  Value array = pd::countedLoop(builder, op.getLoc(), missing,
                                {pd::widened(builder, op.getLoc(), op.getArray(), type)}, body)
                    .front();
  return e.create<pd::ArrayWriteOp>(array, e.create<pd::ArrayLengthOp>(array), op.getX());
}

/// Replaces the element, or appends it if the index is the length.
void exportArrayWrite(NodeExporter &node) {
  auto op = node.get<pd::ArrayWriteOp>();
  std::string array = node.of(op.getArray()), x = node.of(op.getX());
  if (isLengthOf(op.getIndex(), op.getArray()))
    return node.setResult(0, node.node("SequenceInsert", {array, x}));
  std::string index = positionOf(node, op.getIndex());
  std::string isInside = node.node("Less", {index, node.node("SequenceLength", {array})});
  auto branch = [&](llvm::function_ref<void()> write) {
    return std::vector<onnx::Graph>{node.getGraph().subgraph([&](onnx::Graph &) {
      write();
      return llvm::SmallVector<Value>{op.getOut()};
    })};
  };
  std::vector<onnx::Graph> inside = branch([&] {
    node.setResult(0, node.node("SequenceInsert", {node.node("SequenceErase", {array, index}), x, index}));
  });
  std::vector<onnx::Graph> after = branch([&] {
    node.exportAs([&](pd::TensorBuilder &e) { return llvm::SmallVector<Value>{writeAfterEnd(e, op)}; });
  });
  node.setResult(0, node.node("If", {isInside}, {{"then_branch", inside}, {"else_branch", after}}));
}

void exportArrayRead(NodeExporter &node) {
  auto op = node.get<pd::ArrayReadOp>();
  node.setResult(0, node.node("SequenceAt", {node.of(op.getArray()), positionOf(node, op.getIndex())}));
}

/// An element is missing after the end of the array, and where it has no elements (writeAfterEnd).
void exportArrayReadOr(NodeExporter &node) {
  auto op = node.get<pd::ArrayReadOrOp>();
  std::string array = node.of(op.getArray()), index = positionOf(node, op.getIndex());
  std::string otherwise = node.of(op.getOtherwise());
  auto choice = [&](std::string condition, llvm::function_ref<std::string()> inside) {
    auto branch = [&](llvm::function_ref<std::string()> value) {
      return std::vector<onnx::Graph>{node.getGraph().subgraph([&](onnx::Graph &) {
        node.setResult(0, value());
        return llvm::SmallVector<Value>{op.getOut()};
      })};
    };
    std::vector<onnx::Graph> then = branch(inside), other = branch([&] { return otherwise; });
    return node.node("If", {std::move(condition)}, {{"then_branch", then}, {"else_branch", other}});
  };
  std::string isBefore = node.node("Less", {index, node.node("SequenceLength", {array})});
  node.setResult(0, choice(isBefore, [&] {
                   std::string element = node.node("SequenceAt", {array, index});
                   Type count = IntegerType::get(op.getContext(), 64);
                   std::string isWritten =
                       node.node("Greater", {node.node("Size", {element}), node.scalar(0, count)});
                   return choice(isWritten, [&] { return element; });
                 }));
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
