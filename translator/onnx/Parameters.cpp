#include "translator/onnx/Parameters.h"

namespace proa::onnx {

static bool isConstant(const TensorValue &tensor) {
  std::optional<DType> dtype = storageOf(tensor.type);
  if (!dtype)
    return true; // strings
  if (*dtype <= DType::Int64)
    return tensor.elements.size() <= Parameters::longestConstant;
  return tensor.dims.empty();
}

Parameters::Parameters(const Model &model) { add(model.graph); }

void Parameters::add(const std::string &name, const TensorValue &tensor) {
  if (isConstant(tensor))
    return;
  size_t &uses = taken[name];
  indices.emplace(&tensor, list.size());
  list.push_back({uses == 0 ? name : name + "." + std::to_string(uses), &tensor});
  ++uses;
}

void Parameters::add(const Graph &graph) {
  for (const TensorValue &tensor : graph.initializers)
    add(tensor.name, tensor);
  for (const Node &node : graph.nodes)
    for (const Attribute &attribute : node.attributes) {
      const auto *tensors = std::get_if<std::vector<TensorValue>>(&attribute.value);
      if (tensors && tensors->size() == 1 && node.type == "Constant" &&
          canonicalDomain(node.domain).empty() && node.outputs.size() == 1)
        add(node.outputs[0], tensors->front());
      for (const Graph &inner : attribute.graphs())
        add(inner);
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
