//! Hooks of ops of ONNX that create tensors.
#include "translator/import/onnx/hooks/Dims.h"
#include "translator/import/onnx/hooks/Strings.h"
#include "translator/onnx/Strings.h"

#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/reference/Evaluate.h"

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
  if (node.hasAttribute("value_strings"))
    return setStrings(node, "output", stringConstants(node, node.stringsAttribute("value_strings")));
  if (node.hasAttribute("value_string"))
    return setStrings(node, "output",
                      node.wrap(node.constant(onnx::bytesOf({node.stringAttribute("value_string")}, {}))));
  node.report("has a sparse tensor, expected a tensor of numbers or strings");
}

/// A tensor of these dims with the only element of a constant.
static Value filledWith(NodeImporter &node, const Tensor &value, const IntList &dims) {
  Type element = pd::elementTypeOf(node.getBuilder().getContext(), value.dtype());
  Value scalar;
  IntegerAttr integer;
  double real = 0;
  if (isa<ComplexType>(element))
    scalar = node.constant(value.reshaped({}));
  else if (isa<FloatType>(element))
    real = pd::loadScalar(value, 0).real();
  else
    integer = node.getBuilder().getI64IntegerAttr(pd::loadScalar(value, 0).integer);
  return node.create<pd::FullOp>(dims.tensor, scalar, dims.numbers.value_or(Ints()), element,
                                 llvm::APFloat(real), integer);
}

void importConstantOfShape(NodeImporter &node) {
  node.requiredInput("input");
  IntList dims = IntList::of(node, "input");
  dims.size(node);
  const onnx::TensorValue *value = node.tensorAttribute("value");
  if (!value)
    return node.setOutput("output", filledWith(node, tensorOf(DType::Float32, std::vector<float>{0}), dims));
  if (!onnx::storageOf(value->type) || value->elements.size() != 1)
    return node.report("attribute 'value' has " + llvm::Twine(value->elements.size()) +
                       " elements of type '" + std::string(onnx::nameOf(value->type)) +
                       "', expected one number");
  Value filled = filledWith(node, value->elements, dims);
  if (onnx::dataTypeOf(value->elements.dtype()) != value->type)
    node.getGraph().setStoredType(filled, value->type);
  node.setOutput("output", filled);
}

void importIdentity(NodeImporter &node) { node.setOutput("output", node.value("input")); }

} // namespace proa::import::onnxhooks
