//! Hooks of ops of ONNX that create tensors.
#include "translator/import/onnx/GraphImporter.h"

using namespace mlir;

namespace proa::import::onnxhooks {

template <class Element> static Tensor tensorOf(DType dtype, const std::vector<Element> &elements) {
  Tensor tensor(dtype, {static_cast<int64_t>(elements.size())});
  std::copy(elements.begin(), elements.end(), tensor.as<Element>());
  return tensor;
}

void importConstant(NodeImporter &node) {
  if (const onnx::TensorValue *value = node.tensorAttribute("value"))
    return node.setOutput("output", node.getGraph().importInitializer(*value));
  if (node.hasAttribute("value_int"))
    return node.setOutput(
        "output",
        node.constant(
            tensorOf(DType::Int64, std::vector<int64_t>{node.intAttribute("value_int")}).reshaped({})));
  if (node.hasAttribute("value_ints")) {
    llvm::SmallVector<int64_t> list = node.intsAttribute("value_ints");
    return node.setOutput(
        "output", node.constant(tensorOf(DType::Int64, std::vector<int64_t>(list.begin(), list.end()))));
  }
  bool isList = node.hasAttribute("value_floats");
  if (isList || node.hasAttribute("value_float")) {
    llvm::SmallVector<double> list = node.floatsAttribute(isList ? "value_floats" : "value_float");
    Tensor tensor = tensorOf(DType::Float32, std::vector<float>(list.begin(), list.end()));
    return node.setOutput("output", node.constant(isList ? tensor : tensor.reshaped({})));
  }
  node.report("has a sparse tensor or strings, expected a tensor of numbers");
}

void importIdentity(NodeImporter &node) { node.setOutput("output", node.value("input")); }

} // namespace proa::import::onnxhooks
