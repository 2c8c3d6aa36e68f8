//! Hooks of ONNX Runtime's ops on quantized tensors (com.microsoft): the function of the numbers, quantized
//! again.
#include "translator/import/onnx/ElementTypes.h"
#include "translator/import/onnx/GraphImporter.h"
#include "translator/import/onnx/hooks/Quantization.h"

#include "dialects/pd/ops/math/ActivationOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/nn/SoftmaxOps.h"
#include "dialects/pd/ops/shape/DimSize.h"

using namespace mlir;

namespace proa::import {

using onnx::DataType;
using pd::Expression;

/// A parameter of one element without dims; others as they are.
static Expression scalarOf(NodeImporter &node, Value parameter) {
  Expression x = single(node, parameter);
  bool isVector = x.rank() == 1 && x.type().getDimSize(0) == 1;
  return isVector ? node.tensors().reshape(x, {}) : x;
}

Expression dequantized(NodeImporter &node, Value x, Value scale, Value zeroPoint) {
  Expression values = single(node, x);
  if (zeroPoint)
    values = values - scalarOf(node, zeroPoint);
  return values * scalarOf(node, scale);
}

Expression quantizedAs(NodeImporter &node, Expression x, llvm::StringRef scale, llvm::StringRef zeroPoint,
                       Value like) {
  Value zero = node.input(zeroPoint);
  DataType to = dataTypeOf(node, zero ? zero : like);
  Expression quotient = x / scalarOf(node, node.requiredInput(scale));
  return quantized(node, quotient, zero ? Value(scalarOf(node, zero)) : Value(), to);
}

namespace onnxhooks {
namespace {

Expression dequantized(NodeImporter &node, llvm::StringRef name, llvm::StringRef scale,
                       llvm::StringRef zeroPoint) {
  return import::dequantized(node, node.requiredInput(name), node.requiredInput(scale),
                             node.input(zeroPoint));
}

void importQLinearBinary(NodeImporter &node, bool isProduct) {
  Expression a = dequantized(node, "A", "A_scale", "A_zero_point");
  Expression b = dequantized(node, "B", "B_scale", "B_zero_point");
  node.setOutput("C",
                 quantizedAs(node, isProduct ? a * b : a + b, "C_scale", "C_zero_point", node.operand("A")));
}

} // namespace

void importQLinearAdd(NodeImporter &node) { importQLinearBinary(node, false); }
void importQLinearMul(NodeImporter &node) { importQLinearBinary(node, true); }

void importQLinearSigmoid(NodeImporter &node) {
  Expression x = dequantized(node, "X", "X_scale", "X_zero_point");
  node.setOutput(
      "Y", quantizedAs(node, node.create<pd::SigmoidOp>(x), "Y_scale", "Y_zero_point", node.operand("X")));
}

void importQLinearLeakyRelu(NodeImporter &node) {
  Expression x = dequantized(node, "X", "X_scale", "X_zero_point");
  Expression out = node.tensors().select(x >= 0.0, x, x * node.floatAttribute("alpha"));
  node.setOutput("Y", quantizedAs(node, out, "Y_scale", "Y_zero_point", node.operand("X")));
}

void importQLinearSoftmax(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression x = dequantized(node, "X", "X_scale", "x_zero_point");
  int64_t axis = node.intAttribute("axis", -1);
  axis += axis < 0 ? x.rank() : 0;
  // Before opset 13 all dimensions from `axis` on are one.
  int64_t end = node.intAttribute("opset") < 13 ? x.rank() : axis + 1;
  llvm::SmallVector<int64_t> axes = dimsBetween(axis, end);
  Expression powers = e.exp(x - e.max(x, axes));
  node.setOutput(
      "Y", quantizedAs(node, powers / e.sum(powers, axes), "y_scale", "y_zero_point", node.operand("X")));
}

void importQLinearConcat(NodeImporter &node) {
  NodeImporter::Values pieces = node.inputs("inputs");
  llvm::SmallVector<Expression> values;
  for (size_t i = 0; i + 2 < pieces.size(); i += 3)
    values.push_back(import::dequantized(node, pieces[i], pieces[i + 1], pieces[i + 2]));
  if (values.empty() || pieces.size() % 3 != 0)
    return node.report("has " + llvm::Twine(pieces.size()) +
                       " inputs to join, expected tensors, each with scale and " + "zero point");
  Expression all = pd::concat(values, node.intAttribute("axis"));
  node.setOutput("Y", quantizedAs(node, all, "Y_scale", "Y_zero_point", pieces[0]));
}

void importQLinearWhere(NodeImporter &node) {
  Expression x = dequantized(node, "X", "x_scale", "x_zero_point");
  Expression y = dequantized(node, "Y", "y_scale", "y_zero_point");
  Expression chosen = node.tensors().select(node.operand("condition"), x, y);
  node.setOutput("Z", quantizedAs(node, chosen, "z_scale", "z_zero_point", node.operand("X")));
}

void importQLinearReduceMean(NodeImporter &node) {
  Expression x = dequantized(node, "data", "data_scale", "data_zero_point");
  llvm::SmallVector<int64_t> axes = node.intsAttribute("axes");
  if (axes.empty())
    axes = dimsBetween(0, x.rank());
  for (int64_t &axis : axes)
    axis += axis < 0 ? x.rank() : 0;
  Expression mean = node.tensors().mean(x, axes, node.intAttribute("keepdims", 1) != 0);
  node.setOutput("reduced",
                 quantizedAs(node, mean, "reduced_scale", "reduced_zero_point", node.operand("data")));
}

void importQLinearGlobalAveragePool(NodeImporter &node) {
  Expression x = dequantized(node, "X", "x_scale", "x_zero_point");
  int64_t first = node.boolAttribute("channels_last") ? 1 : 2;
  llvm::SmallVector<int64_t> axes = dimsBetween(first, first + x.rank() - 2);
  node.setOutput(
      "Y", quantizedAs(node, node.tensors().mean(x, axes), "y_scale", "y_zero_point", node.operand("X")));
}

//===-- Products ----------------------------------------------------------------------------------------===//

namespace {

/// An exact product of integer matrices less their zero points.
Expression centeredProduct(NodeImporter &node, Value aZero, Value bZero, bool transposeA = false,
                           bool transposeB = false) {
  Expression a = node.operand("A"), b = node.operand("B");
  Type type = exactSumType(node, a.type().getDimSize(transposeA ? a.rank() - 2 : a.rank() - 1));
  if (bZero && transposeB && pd::tensorType(bZero).getRank() == 1)
    bZero = node.tensors().reshape(node.wrap(bZero), {-1, 1});
  return node.tensors().matmul(centered(node, a, aZero, type), centered(node, b, bZero, type), transposeA,
                               transposeB);
}

} // namespace

void importQGemm(NodeImporter &node) {
  Type f32 = node.getBuilder().getF32Type();
  Expression sums = centeredProduct(node, node.input("a_zero_point"), node.input("b_zero_point"),
                                    node.boolAttribute("transA"), node.boolAttribute("transB"));
  if (Value c = node.input("C"))
    sums = sums + node.tensors().cast(node.wrap(c), sums.type().getElementType());
  Expression scale = single(node, node.requiredInput("a_scale")) *
                     single(node, node.requiredInput("b_scale")) * node.floatAttribute("alpha", 1);
  Expression out = node.tensors().cast(sums, f32) * scale;
  node.setOutput("Y", node.hasInput("y_scale")
                          ? quantizedAs(node, out, "y_scale", "y_zero_point", node.operand("A"))
                          : out);
}

void importMatMulInteger16(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Type f64 = node.getBuilder().getF64Type();
  Expression sums = e.matmul(e.cast(node.operand("A"), f64), e.cast(node.operand("B"), f64));
  // The sum wraps around in 32 bits.
  node.setOutput("Y", e.cast(e.cast(sums, node.getBuilder().getI64Type()), node.getBuilder().getI32Type()));
}

void importMatMulIntegerToFloat(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Type element = node.operand("a_scale").type().getElementType();
  Expression sums = centeredProduct(node, node.input("a_zero_point"), node.input("b_zero_point"));
  Expression scale =
      single(node, node.requiredInput("a_scale")) * single(node, node.requiredInput("b_scale"));
  Expression out = e.cast(sums, node.getBuilder().getF32Type()) * scale;
  if (Value bias = node.input("bias"))
    out = out + single(node, bias);
  node.setOutput("Y", e.cast(out, element));
}

void importDynamicQuantizeMatMul(NodeImporter &node) {
  pd::TensorBuilder &e = node.tensors();
  Expression a = node.operand("A"), b = node.operand("B");
  auto [codes, scale, zeroPoint] = quantizedByRange(node, a);
  Type type = exactSumType(node, a.type().getDimSize(a.rank() - 1));
  Value bZero = node.input("b_zero_point");
  Expression sums = e.matmul(e.cast(codes - zeroPoint, type), centered(node, b, bZero, type));
  Expression out =
      e.cast(sums, node.getBuilder().getF32Type()) * (scale * single(node, node.requiredInput("b_scale")));
  if (Value bias = node.input("bias"))
    out = out + node.wrap(bias);
  node.setOutput("Y", out);
}

} // namespace onnxhooks
} // namespace proa::import
