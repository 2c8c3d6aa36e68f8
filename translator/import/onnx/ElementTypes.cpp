#include "translator/import/onnx/ElementTypes.h"

#include "translator/import/onnx/GraphImporter.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/FloatFormatOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"

#include <cmath>

using namespace mlir;

namespace proa::import {

using onnx::DataType;
using pd::Expression;

DataType dataTypeOf(NodeImporter &node, Value value) {
  DataType stored = node.getGraph().storedType(value);
  if (stored != DataType::Undefined)
    return stored;
  return onnx::dataTypeOf(*pd::dtypeOf(pd::tensorType(value).getElementType()));
}

bool isStored(DataType type) {
  std::optional<DType> storage = onnx::storageOf(type);
  return storage && onnx::dataTypeOf(*storage) != type;
}

Type storageType(NodeImporter &node, DataType type) {
  if (std::optional<DType> storage = onnx::storageOf(type))
    return pd::elementTypeOf(node.getBuilder().getContext(), *storage);
  node.report("has elements of type '" + std::string(onnx::nameOf(type)) +
              "', which proa does not compute with");
  node.stop();
}

bool isInteger(DataType type) {
  switch (type) {
  case DataType::UInt8:
  case DataType::UInt16:
  case DataType::UInt32:
  case DataType::UInt64:
  case DataType::UInt4:
  case DataType::UInt2:
    return true;
  default:
    return onnx::isSigned(type);
  }
}

std::pair<double, double> integerRange(DataType type) {
  int bits = onnx::bitsOf(type);
  double half = std::ldexp(1.0, bits - 1);
  return onnx::isSigned(type) ? std::pair(-half, half - 1) : std::pair(0.0, 2 * half - 1);
}

/// The format of a small float that pd stores as bytes.
static std::optional<pd::FloatFormat> formatOf(DataType type) {
  switch (type) {
  case DataType::Float8E4M3FNUZ:
    return pd::FloatFormat::E4M3FNUZ;
  case DataType::Float8E5M2FNUZ:
    return pd::FloatFormat::E5M2FNUZ;
  case DataType::Float8E8M0:
    return pd::FloatFormat::E8M0;
  case DataType::Float4E2M1:
    return pd::FloatFormat::E2M1;
  case DataType::Float6E2M3:
    return pd::FloatFormat::E2M3;
  case DataType::Float6E3M2:
    return pd::FloatFormat::E3M2;
  default:
    return std::nullopt;
  }
}

Expression numbersOf(NodeImporter &node, Value value) {
  if (std::optional<pd::FloatFormat> format = formatOf(dataTypeOf(node, value)))
    return node.create<pd::DecodeFloatOp>(value, *format);
  return node.wrap(value);
}

/// Limits x to the numbers of an 8-bit float of pd; NaN stays. Other types limit nothing.
static Expression saturated(NodeImporter &node, Expression x, DataType to) {
  double largest = to == DataType::Float8E4M3FN ? 448 : to == DataType::Float8E5M2 ? 57344 : 0;
  if (largest == 0)
    return x;
  pd::TensorBuilder &e = node.tensors();
  Type element = x.type().getElementType();
  return e.maximum(e.constant(-largest, element), e.minimum(e.constant(largest, element), x));
}

/// The low bits of an integer, as a number of a type of fewer than 8 bits.
static Expression lowBits(NodeImporter &node, Expression x, DataType to) {
  pd::TensorBuilder &e = node.tensors();
  Type i32 = node.getBuilder().getI32Type();
  Expression shift = e.constant(32 - onnx::bitsOf(to), i32);
  Expression high = node.create<pd::BitwiseLeftShiftOp>(e.cast(x, i32), shift, /*is_arithmetic=*/true);
  return node.create<pd::BitwiseRightShiftOp>(high, shift, /*is_arithmetic=*/onnx::isSigned(to));
}

Expression convertTo(NodeImporter &node, Value value, DataType to, ConversionRules rules) {
  Type storage = storageType(node, to);
  if (dataTypeOf(node, value) == to)
    return node.wrap(value);
  pd::TensorBuilder &e = node.tensors();
  Expression x = numbersOf(node, value);
  Type f32 = node.getBuilder().getF32Type();
  std::optional<pd::FloatFormat> format = formatOf(to);
  // From integers too, small floats are computed from f32.
  if (format || to == DataType::Float8E4M3FN || to == DataType::Float8E5M2)
    x = e.cast(x, f32);
  if (format)
    x = node.create<pd::EncodeFloatOp>(x, *format, rules.rounding, rules.saturates);
  else if (isInteger(to) && onnx::bitsOf(to) < 8)
    x = lowBits(node, x, to);
  else if (rules.saturates)
    x = saturated(node, x, to);
  // A new value in any case: the stored type belongs to a value.
  Expression result = format ? x : node.create<pd::CastOp>(x, storage, /*toward_zero=*/false);
  if (isStored(to))
    node.getGraph().setStoredType(result, to);
  return result;
}

} // namespace proa::import
