//! Hooks of ops of ONNX that convert element types.
#include "translator/import/onnx/ElementTypes.h"
#include "translator/import/onnx/GraphImporter.h"

#include "dialects/pd/ops/shape/StridedOps.h"

using namespace mlir;

namespace proa::import::onnxhooks {

static ConversionRules rulesOf(NodeImporter &node) {
  ConversionRules rules;
  rules.saturates = node.intAttribute("saturate", 1) != 0;
  std::string mode = node.stringAttribute("round_mode", "up");
  if (std::optional<pd::FloatRounding> rounding = pd::symbolizeFloatRounding(mode))
    rules.rounding = *rounding;
  else
    node.report("attribute 'round_mode' is '" + mode + "', expected up, down or nearest");
  return rules;
}

void importCast(NodeImporter &node) {
  Value x = node.requiredInput("input");
  if (node.typeAttribute("to"))
    node.setOutput("output",
                   convertTo(node, x, static_cast<onnx::DataType>(node.intAttribute("to")), rulesOf(node)));
}

void importCastLike(NodeImporter &node) {
  onnx::DataType to = dataTypeOf(node, node.requiredInput("target_type"));
  node.setOutput("output", convertTo(node, node.requiredInput("input"), to, rulesOf(node)));
}

void importBitCast(NodeImporter &node) {
  Value x = node.requiredInput("input");
  Type type = node.typeAttribute("to");
  if (!type)
    return;
  auto to = static_cast<onnx::DataType>(node.intAttribute("to"));
  onnx::DataType from = dataTypeOf(node, x);
  if (onnx::bitsOf(from) != onnx::bitsOf(to))
    return node.report("casts the bits of '" + std::string(onnx::nameOf(from)) + "' to '" +
                       std::string(onnx::nameOf(to)) + "', expected a type of the same size");
  if (onnx::bitsOf(to) < 8 && onnx::isSigned(from) != onnx::isSigned(to))
    return node.report("casts the bits of '" + std::string(onnx::nameOf(from)) + "' to '" +
                       std::string(onnx::nameOf(to)) + "', which is not supported");
  Value result = node.create<pd::ViewDtypeOp>(x, type);
  if (isStored(to))
    node.getGraph().setStoredType(result, to);
  node.setOutput("output", result);
}

} // namespace proa::import::onnxhooks
