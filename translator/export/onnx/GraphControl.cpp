//! Control flow as If and Loop, tensor arrays as sequences.
#include "translator/export/onnx/GraphExporter.h"
#include "translator/export/onnx/NodeExporter.h"

#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/control/CheckOps.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/reference/Evaluate.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace proa::exporter {
namespace {

onnx::Attribute graphAttribute(const char *name, onnx::Graph graph) {
  onnx::Attribute attribute;
  attribute.name = name;
  attribute.kind = onnx::AttributeKind::Graph;
  attribute.value = std::vector<onnx::Graph>{std::move(graph)};
  return attribute;
}

} // namespace

bool GraphExporter::writeStructure(Operation &op) {
  // A cast only says more or less of the type of the same value.
  if (isa<tensor::CastOp, pd::ArrayCastOp>(op)) {
    bind(op.getResult(0), nameOf(op.getOperand(0)));
    return true;
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    // Others are indices of tensor.extract, which reads the one element of a condition.
    if (auto flag = dyn_cast<BoolAttr>(constant.getValue())) {
      Tensor value(DType::Bool, {});
      *value.as<bool>() = flag.getValue();
      bind(constant, addConstant(value));
    }
    return true;
  }
  if (isa<pd::AssertOp, pd::PrintOp>(op))
    return true;
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    std::string name = nameOf(extract.getTensor());
    if (extract.getTensor().getType().getRank() > 0) {
      onnx::Node scalar;
      scalar.type = "Reshape";
      scalar.inputs = {name, addConstant(Tensor(DType::Int64, {0}))};
      name = freshName();
      scalar.outputs = {name};
      addNode(std::move(scalar));
    }
    bind(extract.getResult(), name);
    return true;
  }
  if (auto constant = dyn_cast<pd::ConstantOp>(op)) {
    bind(constant.getOut(), addConstant(pd::tensorFromAttribute(constant.getValue())));
    return true;
  }
  if (auto fail = dyn_cast<pd::FailOp>(op))
    return writeFail(fail), true;
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return writeIf(branch), true;
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return writeWhile(loop), true;
  return false;
}

/// Element 0 of an empty vector, which a run cannot read. The index is random, so that no runtime reads it
/// when it loads the model.
void GraphExporter::writeFail(pd::FailOp op) {
  auto add = [&](const char *type, std::vector<std::string> inputs, std::vector<onnx::Attribute> attributes) {
    onnx::Node node;
    node.type = type;
    node.inputs = std::move(inputs);
    node.attributes = std::move(attributes);
    node.outputs = {freshName()};
    std::string name = node.outputs.front();
    addNode(std::move(node));
    return name;
  };
  auto castTo = [&](std::string value, onnx::DataType type) {
    onnx::Attribute to{"to", onnx::AttributeKind::Int, static_cast<int64_t>(type), "", "", ""};
    return add("Cast", {std::move(value)}, {to});
  };
  onnx::Attribute shape{"shape", onnx::AttributeKind::Ints, std::vector<int64_t>{1}, "", "", ""};
  std::string index = castTo(add("RandomUniform", {}, {shape}), onnx::DataType::Int64);
  std::string element = add("Gather", {addConstant(Tensor(DType::Float32, {0})), index}, {});
  for (Value result : op.getResults()) {
    auto type = cast<RankedTensorType>(result.getType());
    Tensor dims(DType::Int64, {type.getRank()});
    for (auto [i, dim] : llvm::enumerate(type.getShape()))
      dims.as<int64_t>()[i] = ShapedType::isDynamic(dim) ? 1 : dim;
    std::string cast = castTo(element, typeOf(type, op).elementType);
    std::string scalar = add("Reshape", {cast, addConstant(Tensor(DType::Int64, {0}))}, {});
    bind(result, add("Expand", {scalar, addConstant(dims)}, {}));
  }
}

void GraphExporter::writeIf(scf::IfOp op) {
  if (op.getNumResults() == 0) // only checks and prints
    return;
  if (std::optional<int64_t> known = getConstantIntValue(op.getCondition())) {
    Region &taken = *known ? op.getThenRegion() : op.getElseRegion();
    writeBlock(taken.front());
    for (auto [result, value] : llvm::zip(op.getResults(), taken.front().getTerminator()->getOperands()))
      bind(result, nameOf(value));
    return;
  }
  auto branch = [&](Region &region) {
    return subgraph([&](onnx::Graph &) {
      writeBlock(region.front());
      return llvm::SmallVector<Value>(region.front().getTerminator()->getOperands());
    });
  };
  onnx::Node node;
  node.type = "If";
  node.inputs = {nameOf(op.getCondition())};
  node.attributes.push_back(graphAttribute("then_branch", branch(op.getThenRegion())));
  node.attributes.push_back(graphAttribute("else_branch", branch(op.getElseRegion())));
  for (Value result : op.getResults()) {
    bind(result, freshName());
    node.outputs.push_back(nameOf(result));
  }
  addNode(std::move(node));
}

/// The condition is the first region of scf.while, and the last part of an iteration of Loop. So it is
/// written twice: before the loop and in it.
void GraphExporter::writeWhile(scf::WhileOp op) {
  Block &before = *op.getBeforeBody(), &after = *op.getAfterBody();
  auto condition = cast<scf::ConditionOp>(before.getTerminator());
  auto writeTest = [&](ValueRange values) {
    for (auto [argument, value] : llvm::zip(before.getArguments(), values))
      bind(argument, nameOf(value));
    writeBlock(before);
  };
  writeTest(op.getInits());
  onnx::Node node;
  node.type = "Loop";
  node.inputs = {"", nameOf(condition.getCondition())};
  for (Value value : condition.getArgs())
    node.inputs.push_back(nameOf(value));
  node.attributes.push_back(
      graphAttribute("body", subgraph([&](onnx::Graph &graph) {
                       auto addInput = [&](Type type) {
                         std::string name = freshName();
                         graph.inputs.push_back(infoOf(name, type, op));
                         return name;
                       };
                       addInput(RankedTensorType::get({}, IntegerType::get(op.getContext(), 64)));
                       addInput(RankedTensorType::get({}, IntegerType::get(op.getContext(), 1)));
                       for (Value argument : after.getArguments())
                         bind(argument, addInput(argument.getType()));
                       writeBlock(after);
                       writeTest(after.getTerminator()->getOperands());
                       llvm::SmallVector<Value> outputs{condition.getCondition()};
                       llvm::append_range(outputs, condition.getArgs());
                       return outputs;
                     })));
  for (Value result : op.getResults()) {
    bind(result, freshName());
    node.outputs.push_back(nameOf(result));
  }
  addNode(std::move(node));
}

} // namespace proa::exporter
