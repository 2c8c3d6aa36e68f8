//! Hooks of ops of ONNX that convert element types.
#include "translator/import/onnx/GraphImporter.h"

#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/shape/StridedOps.h"

using namespace mlir;

namespace proa::import::onnxhooks {
namespace {

/// The type that ONNX gives the elements of a value.
onnx::DataType dataTypeOf(NodeImporter &node, Value value) {
  onnx::DataType stored = node.getGraph().storedType(value);
  if (stored != onnx::DataType::Undefined)
    return stored;
  return onnx::dataTypeOf(*pd::dtypeOf(cast<RankedTensorType>(value.getType()).getElementType()));
}

/// The largest finite number of an 8-bit float of pd; 0 for other types.
double largestOf(onnx::DataType type) {
  return type == onnx::DataType::Float8E4M3FN ? 448 : type == onnx::DataType::Float8E5M2 ? 57344 : 0;
}

/// Limits x to what the type can hold; NaN stays.
pd::Expression saturate(NodeImporter &node, pd::Expression x, onnx::DataType to) {
  pd::TensorBuilder &tensors = node.tensors();
  double largest = largestOf(to);
  if (largest == 0 || !isa<FloatType>(x.type().getElementType()) ||
      x.type().getElementType().getIntOrFloatBitWidth() < 16)
    return x;
  pd::Expression bound = tensors.constant(largest, x.type().getElementType());
  return tensors.maximum(tensors.constant(-largest, x.type().getElementType()), tensors.minimum(bound, x));
}

void castTo(NodeImporter &node, onnx::DataType to, bool saturates) {
  Value x = node.requiredInput("input");
  onnx::DataType from = dataTypeOf(node, x);
  for (onnx::DataType type : {from, to})
    if (onnx::storageOf(type) && onnx::dataTypeOf(*onnx::storageOf(type)) != type)
      return node.report("casts from '" + std::string(onnx::nameOf(from)) + "' to '" +
                         std::string(onnx::nameOf(to)) + "', which is not supported");
  Type type = pd::elementTypeOf(node.getBuilder().getContext(), *onnx::storageOf(to));
  pd::Expression result = node.wrap(x);
  if (saturates)
    result = saturate(node, result, to);
  node.setOutput("output", node.create<pd::CastOp>(result, type, /*toward_zero=*/false));
}

} // namespace

void importCast(NodeImporter &node) {
  node.stringAttribute("round_mode"); // of float8e8m0 only
  if (node.typeAttribute("to"))
    castTo(node, static_cast<onnx::DataType>(node.intAttribute("to")), node.intAttribute("saturate", 1) != 0);
}

void importCastLike(NodeImporter &node) {
  node.stringAttribute("round_mode");
  castTo(node, dataTypeOf(node, node.requiredInput("target_type")), node.intAttribute("saturate", 1) != 0);
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
  node.setOutput("output", node.create<pd::ViewDtypeOp>(x, type));
}

} // namespace proa::import::onnxhooks
