#include "translator/onnx/Parameters.h"

#include <cstring>
#include <unordered_set>

namespace proa::onnx {

static bool hasEqualElements(const Tensor &tensor) {
  const std::byte *first = tensor.as<std::byte>();
  size_t size = sizeOf(tensor.dtype()), bytes = static_cast<size_t>(tensor.size()) * size;
  return std::memcmp(first, first + size, bytes - size) == 0;
}

static bool isConstant(const TensorValue &tensor) {
  std::optional<DType> dtype = storageOf(tensor.type);
  if (!dtype)
    return true; // strings
  if (*dtype <= DType::Int64)
    return tensor.elements.size() <= Parameters::longestConstant ||
           (tensor.dims.size() == 1 && hasEqualElements(tensor.elements));
  return tensor.dims.empty();
}

Parameters::Parameters(const Model &model) {
  countUses(model.graph);
  add(model.graph);
  makeUnique();
}

void Parameters::countUses(const Graph &graph) {
  for (const ValueInfo &output : graph.outputs)
    otherNames.insert(output.name);
  countUses(graph.nodes);
}

void Parameters::countUses(const std::vector<Node> &nodes) {
  for (const Node &node : nodes) {
    bool isSelection = node.type == "Where" && canonicalDomain(node.domain).empty();
    (isSelection ? selectedNames : otherNames).insert(node.inputs.begin(), node.inputs.end());
    countUses(node.expansion);
    for (const Attribute &attribute : node.attributes)
      for (const Graph &inner : attribute.graphs())
        countUses(inner);
  }
}

bool Parameters::isSelected(const std::string &name, const TensorValue &tensor) const {
  return tensor.dims == std::vector<int64_t>{1} && selectedNames.contains(name) && !otherNames.contains(name);
}

void Parameters::add(const std::string &name, const TensorValue &tensor) {
  if (isConstant(tensor) || isSelected(name, tensor))
    return;
  indices.emplace(&tensor, list.size());
  list.push_back({name, &tensor});
}

void Parameters::makeUnique() {
  std::unordered_set<std::string> own, used;
  for (const Parameter &parameter : list)
    own.insert(parameter.name);
  for (Parameter &parameter : list) {
    if (used.insert(parameter.name).second)
      continue;
    std::string base = parameter.name;
    for (int index = 1; own.count(parameter.name) || !used.insert(parameter.name).second; ++index)
      parameter.name = base + "." + std::to_string(index);
  }
}

void Parameters::add(const Graph &graph) {
  for (const TensorValue &tensor : graph.initializers)
    add(tensor.name, tensor);
  add(graph.nodes);
}

void Parameters::add(const std::vector<Node> &nodes) {
  for (const Node &node : nodes) {
    add(node.expansion);
    for (const Attribute &attribute : node.attributes) {
      const auto *tensors = std::get_if<std::vector<TensorValue>>(&attribute.value);
      if (tensors && tensors->size() == 1 && node.type == "Constant" &&
          canonicalDomain(node.domain).empty() && node.outputs.size() == 1)
        add(node.outputs[0], tensors->front());
      for (const Graph &inner : attribute.graphs())
        add(inner);
    }
  }
}

const std::string *Parameters::nameOf(const TensorValue &tensor) const {
  auto found = indices.find(&tensor);
  return found == indices.end() ? nullptr : &list[found->second].name;
}

std::map<std::string, Tensor> knownTensors(const Model &model) {
  std::map<std::string, Tensor> known;
  for (const TensorValue &tensor : model.graph.initializers)
    if (storageOf(tensor.type) && tensor.elements.size() <= longestKnown)
      known.emplace(tensor.name, tensor.elements);
  return known;
}

} // namespace proa::onnx
