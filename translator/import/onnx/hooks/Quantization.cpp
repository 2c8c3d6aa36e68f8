//! Hooks of ONNX's ops on quantized tensors. Quotients round to even before the zero point is added, and
//! results are limited to their type, as the schemas of QuantizeLinear and QLinearMatMul say.
#include "translator/import/onnx/hooks/Quantization.h"
#include "translator/import/onnx/ElementTypes.h"
#include "translator/import/onnx/GraphImporter.h"

#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/linalg/Contract.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/shape/DimSize.h"

using namespace mlir;

namespace proa::import {

using onnx::DataType;
using pd::Expression;

llvm::SmallVector<int64_t> dimsBetween(int64_t first, int64_t end) {
  llvm::SmallVector<int64_t> dims;
  for (int64_t dim = first; dim < end; ++dim)
    dims.push_back(dim);
  return dims;
}

Expression roundEven(NodeImporter &node, Expression x) {
  return node.create<pd::RoundOp>(x, /*decimals=*/0, /*half_to_even=*/true);
}

Expression single(NodeImporter &node, Value value) {
  return node.tensors().cast(numbersOf(node, value), node.getBuilder().getF32Type());
}

/// The elements of a scale or zero point that belong to the elements of x: of a scalar as they are, of a
/// vector along `axis`, of blocks repeated.
static Expression alongBlocks(NodeImporter &node, Expression x, Expression parameter, int64_t axis,
                              int64_t blockSize) {
  pd::TensorBuilder &e = node.tensors();
  if (parameter.rank() == 0)
    return parameter;
  if (parameter.rank() == 1 && parameter.type().getDimSize(0) == 1)
    return e.reshape(parameter, {});
  axis += axis < 0 ? x.rank() : 0;
  if (axis < 0 || axis >= x.rank()) {
    node.report("attribute 'axis' is not a dimension of the input, which has rank " + llvm::Twine(x.rank()));
    node.stop();
  }
  if (parameter.rank() == 1 && (x.rank() == 1 || blockSize == 0)) {
    llvm::SmallVector<int64_t> shape(x.rank() - axis, 1);
    shape[0] = -1;
    return x.rank() - axis == 1 ? parameter : e.reshape(parameter, shape);
  }
  if (blockSize <= 0 || parameter.rank() != x.rank()) {
    node.report("the scale has rank " + llvm::Twine(parameter.rank()) +
                ", expected 0 or 1, or with a 'block_size' " + "the rank of the input, " +
                llvm::Twine(x.rank()));
    node.stop();
  }
  Type i64 = node.getBuilder().getI64Type();
  Expression block = iota(e, pd::DimSize(x, axis), i64);
  block = node.create<pd::FloorDivideOp>(block, e.constant(static_cast<double>(blockSize), i64));
  return node.create<pd::GatherOp>(parameter, block, Value(), axis);
}

Expression quantized(NodeImporter &node, Expression quotient, Value zeroPoint, DataType to) {
  pd::TensorBuilder &e = node.tensors();
  Type f32 = node.getBuilder().getF32Type();
  Expression rounded = e.cast(roundEven(node, quotient), f32);
  if (zeroPoint)
    rounded = rounded + e.cast(node.wrap(zeroPoint), f32);
  auto [least, greatest] = integerRange(to);
  return convertTo(node, e.maximum(e.minimum(rounded, greatest), least), to);
}

namespace onnxhooks {

void importQuantizeLinear(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = node.operand("x"), scale = numbersOf(node, node.requiredInput("y_scale"));
  Value zeroPoint = node.input("y_zero_point");
  int64_t axis = node.intAttribute("axis", 1), blockSize = node.intAttribute("block_size");
  auto to = static_cast<DataType>(node.intAttribute("output_dtype"));
  if (to == DataType::Undefined)
    to = zeroPoint ? dataTypeOf(node, zeroPoint) : DataType::UInt8;
  ConversionRules rules;
  rules.saturates = node.intAttribute("saturate", 1) != 0;
  Type precision = node.typeAttribute("precision");
  if (!precision)
    precision = scale.type().getElementType();
  if (!isa<FloatType>(precision))
    precision = node.getBuilder().getF32Type();
  scale = alongBlocks(node, x, e.cast(scale, precision), axis, blockSize);
  Expression quotient = node.create<pd::DivideOp>(e.cast(x, precision), scale);
  if (zeroPoint)
    zeroPoint = alongBlocks(node, x, single(node, zeroPoint), axis, blockSize);
  if (isInteger(to))
    return node.setOutput("y", quantized(node, quotient, zeroPoint, to));
  Expression shifted =
      zeroPoint ? e.cast(quotient, node.getBuilder().getF32Type()) + node.wrap(zeroPoint) : quotient;
  node.setOutput("y", convertTo(node, shifted, to, rules));
}

void importDequantizeLinear(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Value x = node.requiredInput("x");
  Expression scale = node.operand("x_scale"), given = node.wrap(x), numbers = single(node, x);
  int64_t axis = node.intAttribute("axis", 1), blockSize = node.intAttribute("block_size");
  Type type = node.typeAttribute("output_dtype");
  if (!type)
    type = isStored(dataTypeOf(node, scale)) ? Type(node.getBuilder().getF32Type())
                                             : scale.type().getElementType();
  if (Value zeroPoint = node.input("x_zero_point"))
    numbers = numbers - alongBlocks(node, given, single(node, zeroPoint), axis, blockSize);
  Expression factor = alongBlocks(node, given, single(node, scale), axis, blockSize);
  node.setOutput("y", e.cast(numbers * factor, type));
}

} // namespace onnxhooks

RangeQuantized quantizedByRange(NodeImporter &node, Expression x) {
  pd::TensorBuilder &e = node.tensors();
  llvm::SmallVector<int64_t> axes = dimsBetween(0, x.rank());
  Type f32 = node.getBuilder().getF32Type();
  Expression zero = e.constant(0, f32);
  Expression greatest = e.maximum(e.max(x, axes, false), zero);
  Expression least = e.minimum(-e.max(-x, axes, false), zero);
  Expression range = greatest - least;
  Expression scale = e.select(e.equal(range, 0), 1.0, range) / 255.0;
  Expression zeroPoint = roundEven(node, e.maximum(e.minimum(-least / scale, 255.0), 0.0));
  return {e.maximum(e.minimum(roundEven(node, x / scale) + zeroPoint, 255.0), 0.0), scale, zeroPoint};
}

namespace onnxhooks {

void importDynamicQuantizeLinear(NodeImporter &node) {
  auto [codes, scale, zeroPoint] = quantizedByRange(node, node.operand("x"));
  node.setOutput("y", convertTo(node, codes, DataType::UInt8));
  node.setOutput("y_scale", scale);
  node.setOutput("y_zero_point", convertTo(node, zeroPoint, DataType::UInt8));
}

} // namespace onnxhooks

//===-- Sums of integer products ------------------------------------------------------------------------===//

Type exactSumType(NodeImporter &node, int64_t count) {
  // Products of two bytes less their zero points are below 2^16.
  bool isExact = !ShapedType::isDynamic(count) && count <= (1 << 24) / (255 * 255);
  return isExact ? Type(node.getBuilder().getF32Type()) : Type(node.getBuilder().getF64Type());
}

Expression centered(NodeImporter &node, Value value, Value zeroPoint, Type type) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = e.cast(node.wrap(value), type);
  return zeroPoint ? x - e.cast(node.wrap(zeroPoint), type) : x;
}

/// A parameter for each row or column of matrices, with the dimension along which it is constant; others as
/// they are.
static Value alongMatrix(NodeImporter &node, llvm::StringRef name, bool ofRows) {
  Value given = node.input(name);
  if (!given || pd::tensorType(given).getRank() != 1)
    return given;
  pd::TensorBuilder &e = node.tensors();
  if (pd::tensorType(given).getDimSize(0) == 1)
    return e.reshape(node.wrap(given), {});
  return ofRows ? e.reshape(node.wrap(given), {-1, 1}) : node.wrap(given);
}

/// The product of two integer matrices, exact, as float values.
static Expression integerProduct(NodeImporter &node, llvm::StringRef a, llvm::StringRef b,
                                 llvm::StringRef aZero, llvm::StringRef bZero) {
  Expression x = node.operand(a), y = node.operand(b);
  Type type = exactSumType(node, x.rank() == 0 ? 1 : x.type().getDimSize(x.rank() - 1));
  return node.tensors().matmul(centered(node, x, alongMatrix(node, aZero, true), type),
                               centered(node, y, alongMatrix(node, bZero, false), type));
}

Expression requantized(NodeImporter &node, Expression sums, Expression scale, llvm::StringRef zeroPoint) {
  Value zero = node.requiredInput(zeroPoint);
  DataType to = dataTypeOf(node, zero);
  if (pd::tensorType(zero).getRank() == 1 && pd::tensorType(zero).getDimSize(0) == 1)
    zero = node.tensors().reshape(node.wrap(zero), {});
  return quantized(node, node.tensors().cast(sums, node.getBuilder().getF32Type()) * scale, zero, to);
}

namespace onnxhooks {

void importMatMulInteger(NodeImporter &node) {
  Expression sums = integerProduct(node, "A", "B", "a_zero_point", "b_zero_point");
  node.setOutput("Y", node.tensors().cast(sums, node.getBuilder().getI32Type()));
}

void importQLinearMatMul(NodeImporter &node) {
  Expression sums = integerProduct(node, "a", "b", "a_zero_point", "b_zero_point");
  auto scale = [&](llvm::StringRef name, bool ofRows) {
    return single(node, alongMatrix(node, name, ofRows));
  };
  for (llvm::StringRef name : {"a_scale", "b_scale", "y_scale"})
    node.requiredInput(name);
  Expression factor = scale("a_scale", true) * scale("b_scale", false) / scale("y_scale", true);
  node.setOutput("y", requantized(node, sums, factor, "y_zero_point"));
}

} // namespace onnxhooks
} // namespace proa::import
