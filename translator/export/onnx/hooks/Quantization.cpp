//! Quantization as QuantizeLinear and DequantizeLinear, from which other engines make integer kernels.
#include "translator/export/onnx/NodeExporter.h"

#include "dialects/pd/ops/image/PoolOps.h"
#include "dialects/pd/ops/math/ActivationOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/nn/SoftmaxOps.h"
#include "dialects/pd/ops/quantization/Quantization.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/View.h"
#include "dialects/pd/reference/Evaluate.h"
#include "dialects/pd/reference/HostScalar.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace proa::exporter::onnxhooks {
namespace {

/// The integers of a quantization: x * bound / scale, rounded.
struct Grid {
  double bound;
  int64_t bits, axis; ///< an axis of -1: one scale
  bool clipsFirst;    ///< to [-scale, scale], so that -bound is the least integer

  Type integer(MLIRContext *context) const { return IntegerType::get(context, static_cast<unsigned>(bits)); }
};

template <class Op> Grid gridOf(Op op, int64_t axis) {
  auto bits = static_cast<int64_t>(op.getBitLength());
  return {static_cast<double>((int64_t(1) << (bits - 1)) - 1), bits, axis, op.getRoundType() == 1};
}

/// ONNX has int8, and int16 from opset 21 on.
bool isGridInOnnx(Value x, const Grid &grid, int64_t opset) {
  return pd::tensorType(x).getElementType().isF32() && (grid.bits == 8 || (grid.bits == 16 && opset >= 21));
}

bool areUnused(ResultRange results) {
  return llvm::all_of(results, [](Value result) { return result.use_empty(); });
}

double numberAt(const Tensor &tensor, int64_t index) { return pd::loadScalar(tensor, index).real(); }

/// The scales divided by a number, in a shape, which may have one -1.
std::string scaleBy(NodeExporter &node, Value scale, double divisor, llvm::ArrayRef<int64_t> shape) {
  if (const Tensor *known = node.getGraph().parameterOf(scale)) {
    std::vector<int64_t> dims(shape);
    std::replace(dims.begin(), dims.end(), int64_t(-1), known->size());
    Tensor divided(DType::Float32, dims);
    for (int64_t i = 0; i < divided.size(); ++i)
      divided.as<float>()[i] = static_cast<float>(numberAt(*known, i) / divisor);
    return node.getGraph().addConstant(divided);
  }
  return node.compute([&](pd::TensorBuilder &e) {
    pd::Expression values = e.cast(e.reshape(e.wrap(scale), shape), Float32Type::get(scale.getContext()));
    return llvm::SmallVector<Value>{values / divisor};
  })[0];
}

/// The scale as ONNX has it: divided by the bound, of rank 0 for all elements, else of rank 1.
std::string scaleOf(NodeExporter &node, Value scale, const Grid &grid) {
  return scaleBy(node, scale, grid.bound,
                 grid.axis < 0 ? llvm::ArrayRef<int64_t>() : llvm::ArrayRef<int64_t>{-1});
}

std::string zeroPoint(NodeExporter &node, const Grid &grid, int64_t channels) {
  Type integer = grid.integer(node.getOp()->getContext());
  return grid.axis < 0 ? node.scalar(0, integer) : node.numbers(std::vector<double>(channels, 0.0), integer);
}

std::vector<NodeExporter::Named> axisOf(const Grid &grid) {
  return grid.axis < 0 ? std::vector<NodeExporter::Named>{}
                       : std::vector<NodeExporter::Named>{{"axis", grid.axis}};
}

/// Whether no element is negative.
bool isNonNegative(Value x) {
  Operation *op = x.getDefiningOp();
  if (isa_and_nonnull<pd::Pool2dOp, pd::ReshapeOp, pd::FlattenOp>(op))
    return isNonNegative(op->getOperand(0));
  return isa_and_nonnull<pd::ReluOp, pd::Relu6Op, pd::SigmoidOp, pd::HardsigmoidOp, pd::SoftmaxOp>(op);
}

/// x as integers. QuantizeLinear clips to the range of int8, whose least integer is -bound - 1.
std::string quantize(NodeExporter &node, Value x, Value scale, const Grid &grid) {
  std::string from = node.of(x);
  if (grid.clipsFirst && !isNonNegative(x)) {
    llvm::SmallVector<int64_t> shape(grid.axis < 0 ? 0 : pd::tensorType(x).getRank(), 1);
    if (grid.axis >= 0)
      shape[grid.axis] = -1;
    from = node.node("Max", {from, scaleBy(node, scale, -1, shape)});
  }
  int64_t channels = grid.axis < 0 ? 1 : pd::tensorType(scale).getNumElements();
  return node.node("QuantizeLinear", {from, scaleOf(node, scale, grid), zeroPoint(node, grid, channels)},
                   axisOf(grid));
}

std::string dequantize(NodeExporter &node, std::string integers, std::string scale, const Grid &grid) {
  return node.node("DequantizeLinear", {std::move(integers), std::move(scale)}, axisOf(grid));
}

/// Floats that are integers, and the integers for an op that dequantizes them.
void setIntegers(NodeExporter &node, std::string integers) {
  Value result = node.getOp()->getResult(0);
  node.setResult(0, node.cast(integers, pd::tensorType(result).getElementType()));
  node.getGraph().bindIntegers(result, std::move(integers));
}

/// The nearest integers to x * bound / scale, with the scales along `axis` of x.
Tensor integersOf(const Tensor &x, const Tensor &scales, const Grid &grid) {
  Tensor integers(grid.bits == 8 ? DType::Int8 : DType::Int16, x.dims());
  int64_t inner = 1;
  for (size_t i = static_cast<size_t>(grid.axis) + 1; grid.axis >= 0 && i < x.dims().size(); ++i)
    inner *= x.dims()[i];
  for (int64_t i = 0; i < x.size(); ++i) {
    double scale = numberAt(scales, grid.axis < 0 ? 0 : i / inner % scales.size());
    double integer = scale == 0 ? 0 : std::round(numberAt(x, i) * grid.bound / scale);
    pd::storeScalar(integers, i, pd::HostScalar::of(static_cast<int64_t>(integer)));
  }
  return integers;
}

/// The results of the op on a parameter; none if its first operand is another value.
std::optional<llvm::SmallVector<Tensor>> onParameter(NodeExporter &node) {
  const Tensor *known = node.getGraph().parameterOf(node.getOp()->getOperand(0));
  if (!known)
    return std::nullopt;
  Result<llvm::SmallVector<Tensor>> results = pd::evaluateOp(node.getOp(), {*known});
  return results ? std::optional(std::move(*results)) : std::nullopt;
}

/// A weight as integers with the scales that the op computes from it.
void exportWeight(NodeExporter &node, const Grid &grid, bool andBack) {
  std::optional<llvm::SmallVector<Tensor>> known;
  if (isGridInOnnx(node.getOp()->getOperand(0), grid, node.getOpset()))
    known = onParameter(node);
  if (!known)
    return node.decompose();
  const Tensor &out = (*known)[0], &scales = (*known)[1];
  Tensor divided(DType::Float32, grid.axis < 0 ? std::vector<int64_t>{} : scales.dims());
  Tensor unit(DType::Float32, scales.dims());
  for (int64_t i = 0; i < scales.size(); ++i) {
    divided.as<float>()[i] = static_cast<float>(numberAt(scales, i) / grid.bound);
    unit.as<float>()[i] = static_cast<float>(grid.bound);
  }
  std::string integers = node.getGraph().addConstant(integersOf(out, andBack ? scales : unit, grid));
  node.setResult(1, node.getGraph().addConstant(scales));
  if (!andBack)
    return setIntegers(node, integers);
  node.setResult(0, dequantize(node, integers, node.getGraph().addConstant(divided), grid));
}

/// The integers of an operand: the result of an op that quantized it, an integer tensor, or a parameter of
/// floats that are integers. Empty for others.
std::string integersOf(NodeExporter &node, Value x, const Grid &grid) {
  if (std::string known = node.getGraph().integersOf(x); !known.empty())
    return known;
  Type element = pd::tensorType(x).getElementType();
  if (element.isInteger(8) || element.isInteger(32) || (element.isInteger(16) && node.getOpset() >= 21))
    return node.of(x);
  const Tensor *parameter = node.getGraph().parameterOf(x);
  if (!parameter || !isGridInOnnx(x, grid, node.getOpset()))
    return "";
  for (int64_t i = 0; i < parameter->size(); ++i) {
    double value = numberAt(*parameter, i);
    if (value != std::round(value) || value > grid.bound || value < -grid.bound - 1)
      return "";
  }
  Tensor unit(DType::Float32, {1});
  *unit.as<float>() = static_cast<float>(grid.bound);
  return node.getGraph().addConstant(integersOf(*parameter, unit, {grid.bound, grid.bits, -1, false}));
}

/// x * scale / bound.
void exportDequantized(NodeExporter &node, Value x, Value scale, const Grid &grid) {
  bool isFloat = pd::tensorType(node.getOp()->getResult(0)).getElementType().isF32();
  std::string integers = isFloat ? integersOf(node, x, grid) : "";
  if (integers.empty())
    return node.decompose();
  node.setResult(0, dequantize(node, integers, scaleOf(node, scale, grid), grid));
}

/// An op that quantizes by a scale that it does not compute.
template <class Op> void exportByMovingScale(NodeExporter &node, bool andBack) {
  auto op = node.get<Op>();
  Grid grid = gridOf(op, -1);
  if (!op.getIsTest() || !areUnused(op->getResults().drop_front(2)) ||
      !isGridInOnnx(op.getX(), grid, node.getOpset()) ||
      op.getInScale().getType() != op.getOutScale().getType())
    return node.decompose();
  std::string integers = quantize(node, op.getX(), op.getInScale(), grid);
  node.setResult(1, node.of(op.getInScale()));
  if (!andBack)
    return setIntegers(node, integers);
  node.setResult(0, dequantize(node, integers, scaleOf(node, op.getInScale(), grid), grid));
}

} // namespace

void exportQuantizeLinear(NodeExporter &node) {
  auto op = node.get<pd::QuantizeLinearOp>();
  Grid grid = gridOf(op, static_cast<int64_t>(op.getQuantAxis()));
  if (!op.getIsTest() || op.getOnlyObserver() || !areUnused(op->getResults().drop_front(1)) ||
      !pd::tensorType(op.getScale()).hasStaticShape() || !isGridInOnnx(op.getX(), grid, node.getOpset()))
    return node.decompose();
  setIntegers(node, quantize(node, op.getX(), op.getScale(), grid));
}

void exportDequantizeLinear(NodeExporter &node) {
  auto op = node.get<pd::DequantizeLinearOp>();
  if (op.getOnlyObserver() || !op.getScale() || !areUnused(op->getResults().drop_front(1)))
    return node.decompose();
  exportDequantized(node, op.getX(), op.getScale(), gridOf(op, static_cast<int64_t>(op.getQuantAxis())));
}

void exportFakeQuantizeAbsMax(NodeExporter &node) {
  exportWeight(node, gridOf(node.get<pd::FakeQuantizeAbsMaxOp>(), -1), false);
}
void exportFakeQuantizeDequantizeAbsMax(NodeExporter &node) {
  exportWeight(node, gridOf(node.get<pd::FakeQuantizeDequantizeAbsMaxOp>(), -1), true);
}
void exportFakeChannelWiseQuantizeAbsMax(NodeExporter &node) {
  auto op = node.get<pd::FakeChannelWiseQuantizeAbsMaxOp>();
  exportWeight(node, gridOf(op, static_cast<int64_t>(op.getQuantAxis())), false);
}
void exportFakeChannelWiseQuantizeDequantizeAbsMax(NodeExporter &node) {
  auto op = node.get<pd::FakeChannelWiseQuantizeDequantizeAbsMaxOp>();
  exportWeight(node, gridOf(op, static_cast<int64_t>(op.getQuantAxis())), true);
}

void exportFakeQuantizeMovingAverage(NodeExporter &node) {
  exportByMovingScale<pd::FakeQuantizeMovingAverageAbsMaxOp>(node, false);
}
void exportFakeQuantizeDequantizeMovingAverage(NodeExporter &node) {
  exportByMovingScale<pd::FakeQuantizeDequantizeMovingAverageAbsMaxOp>(node, true);
}
void exportFakeQuantizeRange(NodeExporter &node) {
  exportByMovingScale<pd::FakeQuantizeRangeAbsMaxOp>(node, false);
}

void exportFakeDequantizeMaxAbs(NodeExporter &node) {
  auto op = node.get<pd::FakeDequantizeMaxAbsOp>();
  exportDequantized(node, op.getX(), op.getScale(), {op.getMaxRange().convertToDouble(), 8, -1, false});
}

void exportDequantizeAbsMax(NodeExporter &node) {
  auto op = node.get<pd::DequantizeAbsMaxOp>();
  exportDequantized(node, op.getX(), op.getScale(), {op.getMaxRange().convertToDouble(), 8, -1, false});
}

/// A zero point must be an integer of the type; others stay in the formula.
static std::optional<double> zeroPointOf(const llvm::APFloat &shift, Type element) {
  if (!element.isInteger(8))
    return std::nullopt;
  double value = shift.convertToDouble(), low = element.isUnsignedInteger() ? 0 : -128;
  return value == std::round(value) && value >= low && value <= low + 255 ? std::optional(value)
                                                                          : std::nullopt;
}

void exportQuantize(NodeExporter &node) {
  auto op = node.get<pd::QuantizeOp>();
  Type element = pd::tensorType(op.getOutput()).getElementType(),
       from = pd::tensorType(op.getInput()).getElementType();
  std::optional<double> shift = zeroPointOf(op.getShift(), element);
  if (!shift || !from.isF32() || op.getScale().isZero())
    return node.decompose();
  node.setResult(0, node.node("QuantizeLinear",
                              {node.of(op.getInput()), node.scalar(1 / op.getScale().convertToDouble(), from),
                               node.scalar(*shift, element)}));
}

void exportDequantize(NodeExporter &node) {
  auto op = node.get<pd::DequantizeOp>();
  Type element = pd::tensorType(op.getInput()).getElementType(),
       to = pd::tensorType(op.getOutput()).getElementType();
  std::optional<double> shift = zeroPointOf(op.getShift(), element);
  if (!shift || op.getScale().isZero())
    return node.decompose();
  node.setResult(0, node.node("DequantizeLinear",
                              {node.of(op.getInput()), node.scalar(1 / op.getScale().convertToDouble(), to),
                               node.scalar(*shift, element)}));
}

} // namespace proa::exporter::onnxhooks
