//! The inputs, outputs and weights of a model, and its last form.
#include "translator/export/onnx/ComplexPairs.h"
#include "translator/export/onnx/GraphExporter.h"

#include "dialects/pd/ir/FunctionAttributes.h"
#include "dialects/pd/ir/Infer.h"

#include <map>

using namespace mlir;

namespace proa::exporter {
namespace {

/// The version of the format that came with an opset: readers of that time read it.
int64_t irVersionOf(int64_t opset) {
  static const std::map<int64_t, int64_t> firstOpsets{{13, 7},  {15, 8},  {19, 9},  {21, 10},
                                                      {23, 11}, {24, 12}, {25, 13}, {28, 14}};
  return std::prev(firstOpsets.upper_bound(opset))->second;
}

} // namespace

StringAttr GraphExporter::roleOf(BlockArgument argument, llvm::StringRef role) {
  return main.getArgAttrOfType<StringAttr>(argument.getArgNumber(), role);
}

bool GraphExporter::isState(llvm::StringRef parameter) {
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    if (auto state = main.getResultAttrOfType<StringAttr>(i, pd::stateAttribute);
        state && state.getValue() == parameter)
      return true;
  return false;
}

const Tensor *GraphExporter::parameterOf(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &main.getBody().front())
    return nullptr;
  StringAttr name = roleOf(argument, pd::parameterAttribute);
  return name && !isState(name) ? options.parameter(name.str()) : nullptr;
}

/// The names of the interface belong to it alone.
void GraphExporter::reserveNames() {
  model.opsetImports.push_back({"", options.opset, ""});
  model.irVersion = irVersionOf(options.opset);
  model.producerName = "proa";
  model.graph.name = "main";
  for (BlockArgument argument : main.getArguments())
    for (llvm::StringRef role : {pd::feedAttribute, pd::parameterAttribute})
      if (StringAttr name = roleOf(argument, role))
        taken.insert(name.getValue());
  for (unsigned i = 0; i < main.getNumResults(); ++i)
    if (auto name = main.getResultAttrOfType<StringAttr>(i, pd::fetchAttribute))
      taken.insert(name.getValue());
}

void GraphExporter::addArgument(BlockArgument argument) {
  StringAttr feed = roleOf(argument, pd::feedAttribute), parameter = roleOf(argument, pd::parameterAttribute);
  if (!feed && !parameter)
    return diagnostics.add("argument " + std::to_string(argument.getArgNumber()) + " of main",
                           "expected the attribute pd.feed or pd.param");
  std::string name = (feed ? feed : parameter).str();
  bind(argument, name);
  if (feed || isState(name)) {
    onnx::ValueInfo info = infoOf(name, argument.getType(), main);
    if (info.type && info.type->dims)
      for (auto [i, dim] : llvm::enumerate(*info.type->dims))
        if (std::holds_alternative<std::monostate>(dim.value))
          dim.value = name + "_dim" + std::to_string(i);
    model.graph.inputs.push_back(std::move(info));
  }
  if (feed)
    return;
  const Tensor *value = options.parameter(name);
  if (!value)
    return diagnostics.add("parameter '" + name + "'",
                           "has no value: expected it in the weights of the model");
  onnx::TensorValue tensor;
  tensor.name = name;
  tensor.elements = asPairs(*value);
  tensor.type = onnx::dataTypeOf(tensor.elements.dtype());
  tensor.dims = tensor.elements.dims();
  model.graph.initializers.push_back(std::move(tensor));
}

void GraphExporter::addOutput(Value value, std::string name) {
  std::string from = nameOf(value);
  auto isTaken = [&](const std::vector<onnx::ValueInfo> &list) {
    return llvm::any_of(list, [&](const onnx::ValueInfo &info) { return info.name == name; });
  };
  bool isInput = isTaken(model.graph.inputs);
  if (isInput && from != name)
    name += "@OUT";
  bool isComputed = graphs.back().second.contains(from);
  auto known = renamed.find(from);
  bool isOutput = known != renamed.end() && outputNames.contains(known->second);
  if (isComputed && !isOutput) {
    renamed[from] = name;
  } else if (from != name) {
    onnx::Node copy;
    copy.type = "Identity";
    copy.inputs = {from};
    copy.outputs = {name};
    addNode(std::move(copy));
  }
  outputNames.insert(name);
  model.graph.outputs.push_back(infoOf(name, value.getType(), main));
}

/// A state that the program writes and never reads has no next run to serve: scales of quantized weights.
bool GraphExporter::isRead(llvm::StringRef state) {
  return llvm::any_of(main.getArguments(), [&](BlockArgument argument) {
    StringAttr name = roleOf(argument, pd::parameterAttribute);
    return name && name.getValue() == state;
  });
}

/// A batch norm of inference returns its statistics as they were: they are parameters like others.
bool GraphExporter::dropUnchanged(Value value, llvm::StringRef state) {
  if (nameOf(value) != state)
    return false;
  llvm::erase_if(model.graph.inputs, [&](const onnx::ValueInfo &input) { return input.name == state; });
  return true;
}

void GraphExporter::addFetches() {
  for (auto [i, value] : llvm::enumerate(main.getBody().front().getTerminator()->getOperands())) {
    if (auto fetch = main.getResultAttrOfType<StringAttr>(i, pd::fetchAttribute))
      addOutput(value, fetch.str());
    if (auto state = main.getResultAttrOfType<StringAttr>(i, pd::stateAttribute);
        state && isRead(state) && !dropUnchanged(value, state))
      addOutput(value, state.str() + "@NEXT");
  }
}

void GraphExporter::finish() {
  renameValues(model.graph, renamed);
  removeUnused(model.graph);
}

void renameValues(onnx::Graph &graph, const llvm::StringMap<std::string> &renamed) {
  auto rename = [&](std::string &name) {
    if (auto found = renamed.find(name); found != renamed.end())
      name = found->second;
  };
  for (onnx::Node &node : graph.nodes) {
    llvm::for_each(node.inputs, rename);
    llvm::for_each(node.outputs, rename);
    node.name = node.outputs.empty() ? "" : node.outputs.front();
    for (onnx::Attribute &attribute : node.attributes)
      if (std::vector<onnx::Graph> *graphs = attribute.mutableGraphs())
        for (onnx::Graph &inner : *graphs)
          renameValues(inner, renamed);
  }
  for (onnx::ValueInfo &output : graph.outputs)
    rename(output.name);
}

static void addReads(const onnx::Graph &graph, llvm::StringSet<> &read) {
  for (const onnx::ValueInfo &output : graph.outputs)
    read.insert(output.name);
  for (const onnx::Node &node : graph.nodes) {
    for (const std::string &input : node.inputs)
      read.insert(input);
    for (const onnx::Attribute &attribute : node.attributes)
      for (const onnx::Graph &inner : attribute.graphs())
        addReads(inner, read);
  }
}

void removeUnused(onnx::Graph &graph) {
  llvm::StringSet<> read;
  for (const onnx::ValueInfo &output : graph.outputs)
    read.insert(output.name);
  std::vector<onnx::Node> kept;
  for (onnx::Node &node : llvm::reverse(graph.nodes)) {
    if (llvm::none_of(node.outputs, [&](const std::string &output) { return read.contains(output); }))
      continue;
    for (const std::string &input : node.inputs)
      read.insert(input);
    for (onnx::Attribute &attribute : node.attributes)
      if (std::vector<onnx::Graph> *graphs = attribute.mutableGraphs())
        for (onnx::Graph &inner : *graphs) {
          removeUnused(inner);
          addReads(inner, read);
        }
    kept.push_back(std::move(node));
  }
  std::reverse(kept.begin(), kept.end());
  graph.nodes = std::move(kept);
  llvm::StringSet<> inputs;
  for (const onnx::ValueInfo &input : graph.inputs)
    inputs.insert(input.name);
  llvm::erase_if(graph.initializers, [&](const onnx::TensorValue &tensor) {
    return !read.contains(tensor.name) && !inputs.contains(tensor.name);
  });
}

} // namespace proa::exporter
