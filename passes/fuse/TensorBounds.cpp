#include "passes/fuse/TensorBounds.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/ScaleOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/View.h"

#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;

namespace proa {
namespace {

TensorBounds hullOf(ArrayRef<double> numbers) {
  return {*llvm::min_element(numbers), *llvm::max_element(numbers)};
}

std::optional<TensorBounds> ofConstant(DenseElementsAttr constant) {
  SmallVector<double> numbers;
  Type element = constant.getElementType();
  if (isa<FloatType>(element))
    for (const APFloat &own : constant.getValues<APFloat>())
      numbers.push_back(own.convertToDouble());
  else if (element.isSignlessInteger() && !element.isInteger(1))
    for (const APInt &own : constant.getValues<APInt>())
      numbers.push_back(static_cast<double>(own.getSExtValue()));
  bool areFinite = llvm::all_of(numbers, [](double own) { return std::isfinite(own); });
  return areFinite && !numbers.empty() ? std::optional(hullOf(numbers)) : std::nullopt;
}

std::optional<TensorBounds> ofUnary(Operation *op, TensorBounds x) {
  auto [least, greatest] = x;
  if (isa<pd::CastOp, pd::ReshapeOp, pd::UnsqueezeOp, pd::ExpandOp, pd::TransposeOp, pd::AssignOp>(op))
    return x;
  if (auto scale = dyn_cast<pd::ScaleOp>(op)) {
    double factor = scale.getScale().convertToDouble(), bias = scale.getBias().convertToDouble();
    double offset = scale.getBiasAfterScale() ? bias : factor * bias;
    return hullOf({factor * least + offset, factor * greatest + offset});
  }
  if (isa<pd::AbsOp>(op))
    return hullOf({least > 0 ? least : 0, std::max(std::abs(least), std::abs(greatest))});
  return std::nullopt;
}

std::optional<TensorBounds> ofBinary(Operation *op, TensorBounds x, TensorBounds y) {
  if (isa<pd::AddOp>(op))
    return TensorBounds{x.least + y.least, x.greatest + y.greatest};
  if (isa<pd::SubtractOp>(op))
    return TensorBounds{x.least - y.greatest, x.greatest - y.least};
  if (isa<pd::MinimumOp>(op))
    return TensorBounds{std::min(x.least, y.least), std::min(x.greatest, y.greatest)};
  if (isa<pd::MaximumOp>(op))
    return TensorBounds{std::max(x.least, y.least), std::max(x.greatest, y.greatest)};
  if (isa<pd::MultiplyOp>(op))
    return hullOf({x.least * y.least, x.least * y.greatest, x.greatest * y.least, x.greatest * y.greatest});
  if (isa<pd::WhereOp>(op))
    return hullOf({x.least, x.greatest, y.least, y.greatest});
  return std::nullopt;
}

std::optional<TensorBounds> boundsOf(Value value, unsigned depth) {
  constexpr unsigned mostDepth = 16;
  DenseElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return ofConstant(constant);
  Operation *op = value.getDefiningOp();
  if (!op || depth == mostDepth)
    return std::nullopt;
  if (auto cast = dyn_cast<pd::CastOp>(op); cast && pd::tensorType(cast.getX()).getElementType().isInteger(1))
    return TensorBounds{0, 1};
  OperandRange numbers = isa<pd::WhereOp>(op) ? op->getOperands().drop_front() : op->getOperands();
  SmallVector<TensorBounds> operands;
  for (Value operand : numbers) {
    std::optional<TensorBounds> own = boundsOf(operand, depth + 1);
    if (!own)
      return std::nullopt;
    operands.push_back(*own);
  }
  if (operands.size() == 1)
    return ofUnary(op, operands[0]);
  return operands.size() == 2 ? ofBinary(op, operands[0], operands[1]) : std::nullopt;
}

} // namespace

std::optional<TensorBounds> boundsOf(Value value) { return boundsOf(value, 0); }

} // namespace proa
