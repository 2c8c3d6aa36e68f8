//! Elementwise ops that ONNX lacks, as formulas.
#include "translator/export/ShiftFormula.h"
#include "translator/export/onnx/NodeExporter.h"

#include "dialects/pd/ops/math/ActivationOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"

#include <cmath>
#include <limits>
#include <numbers>

using namespace mlir;

namespace proa::exporter::onnxhooks {

using pd::Expression;
using pd::TensorBuilder;
using Values = llvm::SmallVector<Value>;

static Expression ceilOf(TensorBuilder &e, Expression x) { return e.wrap(e.create<pd::CeilOp>(x)); }
static Expression bothOf(TensorBuilder &e, Expression x, Expression y) {
  return e.wrap(e.create<pd::LogicalAndOp>(x, y));
}
static Expression eitherOf(TensorBuilder &e, Expression x, Expression y) {
  return e.wrap(e.create<pd::LogicalOrOp>(x, y));
}
static Expression notOf(TensorBuilder &e, Expression x) { return e.wrap(e.create<pd::LogicalNotOp>(x)); }
static bool hasFloats(Value value) { return isa<FloatType>(pd::tensorType(value).getElementType()); }

void exportCastToOnnx(NodeExporter &node) {
  auto op = node.get<pd::CastOp>();
  Type from = pd::tensorType(op.getX()).getElementType();
  if (isa<ComplexType>(from) || isa<ComplexType>(op.getDtype()))
    return node.report("ONNX does not compute with complex numbers");
  node.setResult(0, node.cast(node.of(op.getX()), op.getDtype()));
}

void exportRsqrt(NodeExporter &node) {
  node.exportAs([&](TensorBuilder &e) { return e.results({1.0 / e.sqrt(e.operand(0))}); });
}

/// Near zero by tanh, which does not cancel digits.
void exportExpm1(NodeExporter &node) {
  node.exportAs([&](TensorBuilder &e) {
    Expression x = e.operand(0), half = e.tanh(x * 0.5);
    return e.results({e.select(e.abs(x) < 0.5, 2.0 * half / (1.0 - half), e.exp(x) - 1.0)});
  });
}

/// log(u) x / (u - 1) with u = 1 + x: the error of u cancels.
void exportLog1p(NodeExporter &node) {
  node.exportAs([&](TensorBuilder &e) {
    Expression x = e.operand(0), u = x + 1.0, rest = u - 1.0;
    Expression isTiny = e.equal(rest, 0.0);
    // Infinite u: the quotient would be NaN.
    Expression scaled = e.select(u > 1e18, e.log(u), e.log(u) * (x / e.select(isTiny, 1.0, rest)));
    return e.results({e.select(isTiny, x, scaled)});
  });
}

void exportLog2(NodeExporter &node) {
  node.exportAs([&](TensorBuilder &e) { return e.results({e.log(e.operand(0)) * (1 / std::numbers::ln2)}); });
}

void exportLog10(NodeExporter &node) {
  node.exportAs(
      [&](TensorBuilder &e) { return e.results({e.log(e.operand(0)) * (1 / std::numbers::ln10)}); });
}

void exportTrunc(NodeExporter &node) {
  if (!hasFloats(node.getOp()->getOperand(0)))
    return node.setResult(0, node.of(node.getOp()->getOperand(0)));
  node.exportAs([&](TensorBuilder &e) {
    Expression x = e.operand(0);
    return e.results({e.select(x < 0.0, ceilOf(e, x), e.floor(x))});
  });
}

/// ONNX rounds halves to even. Away from zero: by the digits after the point, which is exact.
void exportRound(NodeExporter &node) {
  auto op = node.get<pd::RoundOp>();
  if (op.getHalfToEven() && op.getDecimals() == 0)
    return node.setResult(0, node.node("Round", {node.of(op.getX())}));
  node.exportAs([&](TensorBuilder &e) {
    double power = std::pow(10.0, static_cast<double>(op.getDecimals()));
    Expression x = op.getDecimals() == 0 ? e.operand(0) : e.operand(0) * power;
    Expression rounded = x;
    if (op.getHalfToEven()) {
      rounded = e.wrap(pd::RoundOp::create(e.getBuilder(), op.getLoc(), x, uint64_t(0), true));
    } else {
      Expression size = e.abs(x), whole = e.floor(size);
      Expression up = e.select(size - whole >= 0.5, whole + 1.0, whole);
      rounded = e.select(x < 0.0, -up, up);
    }
    return e.results({op.getDecimals() == 0 ? rounded : rounded / power});
  });
}

void exportLogicalNot(NodeExporter &node) {
  Value x = node.getOp()->getOperand(0);
  Type element = pd::tensorType(x).getElementType();
  if (element.isInteger(1))
    return node.setResult(0, node.node("Not", {node.of(x)}));
  node.setResult(0, node.node("Equal", {node.of(x), node.scalar(0, element)}));
}

void exportBitwiseNot(NodeExporter &node) {
  if (pd::tensorType(node.getOp()->getOperand(0)).getElementType().isInteger(1))
    return exportLogicalNot(node);
  node.exportAs([&](TensorBuilder &e) { return Values{-e.operand(0) - 1.0}; });
}

/// On bools. Other element types have ops from opset 18 on.
void exportBitsOfBools(NodeExporter &node) {
  llvm::StringRef name = node.getOp()->getName().stripDialect();
  llvm::StringRef type = name == "bitwise_and" ? "And" : name == "bitwise_or" ? "Or" : "Xor";
  node.setResult(0, node.node(type, node.of(ValueRange(node.getOp()->getOperands()))));
}

static std::string constantOfShape(NodeExporter &node, Value like, bool value) {
  Type boolean = IntegerType::get(like.getContext(), 1);
  return node.node("Expand", {node.scalar(value, boolean), node.shapeOf(node.of(like))});
}

/// IsNaN and IsInf take the float types of their versions.
static void exportFloatTest(NodeExporter &node, llvm::StringRef type) {
  Value x = node.getOp()->getOperand(0);
  if (!hasFloats(x))
    return node.setResult(0, constantOfShape(node, x, false));
  if (!node.widen({DType::Float16, DType::BFloat16}, DType::Float32))
    node.setResult(0, node.node(type, {node.of(x)}));
}

void exportIsnan(NodeExporter &node) { exportFloatTest(node, "IsNaN"); }
void exportIsinf(NodeExporter &node) { exportFloatTest(node, "IsInf"); }

void exportIsfinite(NodeExporter &node) {
  Value x = node.getOp()->getOperand(0);
  if (!hasFloats(x))
    return node.setResult(0, constantOfShape(node, x, true));
  node.exportAs([&](TensorBuilder &e) {
    Value isOther = e.create<pd::LogicalOrOp>(e.create<pd::IsnanOp>(x), e.create<pd::IsinfOp>(x));
    return Values{e.create<pd::LogicalNotOp>(isOther)};
  });
}

/// pd compares and so takes y if x or y is NaN; Max and Min give NaN.
template <class Op> static void exportExtreme(NodeExporter &node, llvm::StringRef type) {
  auto op = node.get<Op>();
  bool isMax = type == "Max";
  if (hasFloats(op.getX()) && !op.getPropagateNan()) {
    std::string condition = node.node(isMax ? "Greater" : "Less", {node.of(op.getX()), node.of(op.getY())});
    return node.setResult(0, node.node("Where", {condition, node.of(op.getX()), node.of(op.getY())}));
  }
  if (!node.widen({DType::Bool, DType::Int8, DType::UInt8, DType::Int16, DType::UInt16}, DType::Int32))
    node.setResult(0, node.node(type, {node.of(op.getX()), node.of(op.getY())}));
}

void exportMaximum(NodeExporter &node) { exportExtreme<pd::MaximumOp>(node, "Max"); }
void exportMinimum(NodeExporter &node) { exportExtreme<pd::MinimumOp>(node, "Min"); }

static void exportNumberExtreme(NodeExporter &node, bool isMax) {
  node.exportAs([&](TensorBuilder &e) {
    Expression x = e.operand(0), y = e.operand(1);
    Expression isX = isMax ? x > y : x < y;
    if (hasFloats(x))
      isX = eitherOf(e, isX, e.isnan(y));
    return e.results({e.select(isX, x, y)});
  });
}

void exportFmax(NodeExporter &node) { exportNumberExtreme(node, true); }
void exportFmin(NodeExporter &node) { exportNumberExtreme(node, false); }

void exportRemainder(NodeExporter &node) {
  Value x = node.getOp()->getOperand(0), y = node.getOp()->getOperand(1);
  if (!hasFloats(x)) // which has the sign of the divisor
    return node.setResult(0, node.node("Mod", {node.of(x), node.of(y)}));
  node.exportAs([&](TensorBuilder &e) {
    // The remainder with the sign of x is exact.
    Expression a = e.operand(0), b = e.operand(1);
    Expression quotient = a / b;
    Expression whole = e.select(quotient < 0.0, ceilOf(e, quotient), e.floor(quotient));
    Expression rest = a - whole * b;
    Expression isOther =
        bothOf(e, notOf(e, e.equal(rest, 0.0)), e.wrap(e.create<pd::LogicalXorOp>(rest < 0.0, b < 0.0)));
    return e.results({e.select(isOther, rest + b, rest)});
  });
}

void exportFloorDivide(NodeExporter &node) {
  node.exportAs([&](TensorBuilder &e) {
    Expression x = e.operand(0), y = e.operand(1);
    if (hasFloats(x))
      return e.results({e.floor(x / y)});
    Expression quotient = x / y;
    Expression rest = x - quotient * y;
    Expression isBelow =
        bothOf(e, notOf(e, e.equal(rest, 0.0)), e.wrap(e.create<pd::LogicalXorOp>(rest < 0.0, y < 0.0)));
    return e.results({e.select(isBelow, quotient - 1.0, quotient)});
  });
}

/// The sign of a zero counts: 1 / -0 is below 0.
static Expression isNegative(TensorBuilder &e, Expression x) { return eitherOf(e, x < 0.0, 1.0 / x < 0.0); }

void exportAtan2(NodeExporter &node) {
  node.exportAs([&](TensorBuilder &e) {
    Expression y = e.operand(0), x = e.operand(1);
    Expression one = e.constant(1, y.type().getElementType());
    Expression below = isNegative(e, y), left = isNegative(e, x);
    auto isInfinite = [&](Expression value) { return e.wrap(e.create<pd::IsinfOp>(value)); };
    // Quotients of two infinities and of two zeros follow from their signs, or are 0.
    Expression bothInfinite = bothOf(e, isInfinite(x), isInfinite(y));
    Expression bothZero = bothOf(e, e.equal(y, 0.0), e.equal(x, 0.0));
    Expression signX = e.select(left, -one, one), signY = e.select(below, -one, one);
    Expression above = e.select(bothInfinite, signY, y);
    Expression aside = e.select(bothInfinite, signX, e.select(bothZero, signX, x));
    Expression angle = e.wrap(e.create<pd::AtanOp>(above / aside));
    return e.results({e.select(left, angle + signY * std::numbers::pi, angle)});
  });
}

/// In f64: a bit more than half of the distance to the next f32 is added, and the sum is rounded to f32.
void exportNextafter(NodeExporter &node) {
  auto op = node.get<pd::NextafterOp>();
  Type element = pd::tensorType(op.getOut()).getElementType();
  if (!element.isF32())
    return node.report("has a result of another type than f32; ONNX does not read the bits of floats");
  node.exportAs([&](TensorBuilder &e) {
    constexpr double most = std::numeric_limits<float>::max(),
                     least = std::numeric_limits<float>::denorm_min();
    constexpr double infinity = std::numeric_limits<double>::infinity();
    Type f64 = e.getBuilder().getF64Type();
    Expression x = e.cast(e.operand(0), f64), y = e.cast(e.operand(1), f64);
    // 1.25 / 2 to 1.25 of the distance; below the smallest normal number distances are equal.
    Expression step = e.maximum(e.abs(x) * std::ldexp(1.25, -24), least * 0.625);
    Expression next = e.cast(e.select(y > x, x + step, x - step), element);
    Expression ofInfinity = e.cast(e.minimum(e.maximum(x, -most), most), element);
    next = e.select(e.equal(e.abs(x), infinity), ofInfinity, next);
    Expression isInvalid = eitherOf(e, e.isnan(x), e.isnan(y));
    next = e.select(x == y, e.cast(y, element), next);
    return Values{e.select(isInvalid, e.cast(x + y, element), next)};
  });
}

void exportCopysign(NodeExporter &node) {
  node.exportAs([&](TensorBuilder &e) {
    Expression x = e.abs(e.operand(0)), y = e.operand(1);
    return e.results({e.select(isNegative(e, y), -x, x)});
  });
}

void exportHeaviside(NodeExporter &node) {
  node.exportAs([&](TensorBuilder &e) {
    Expression x = e.operand(0), y = e.operand(1);
    return e.results({e.select(e.equal(x, 0.0), y, e.indicator(x > 0.0, y))});
  });
}

/// Equality within a tolerance.
static Expression equalOf(TensorBuilder &e, Value x, Value y, double tolerance) {
  Expression exact = e.wrap(e.create<pd::EqualOp>(x, y));
  if (tolerance == 0)
    return exact;
  // Paddle compares with the number in double precision, which may be above the nearest float.
  Expression distance = e.abs(e.wrap(x) - e.wrap(y));
  bool isRoundedDown = distance.type().getElementType().isF32() && static_cast<float>(tolerance) < tolerance;
  return eitherOf(e, exact, isRoundedDown ? distance <= tolerance : distance < tolerance);
}

void exportEqual(NodeExporter &node) {
  auto op = node.get<pd::EqualOp>();
  node.exportAs([&](TensorBuilder &e) {
    return Values{equalOf(e, op.getX(), op.getY(), op.getTolerance().convertToDouble())};
  });
}

void exportNotEqual(NodeExporter &node) {
  auto op = node.get<pd::NotEqualOp>();
  node.exportAs([&](TensorBuilder &e) {
    return Values{notOf(e, equalOf(e, op.getX(), op.getY(), op.getTolerance().convertToDouble()))};
  });
}

void exportGelu(NodeExporter &node) {
  node.setResult(
      0, node.node("Gelu", {node.of(node.get<pd::GeluOp>().getX())}, {{"approximate", std::string("tanh")}}));
}

void exportSilu(NodeExporter &node) {
  node.setResult(0, node.node("Swish", {node.of(node.get<pd::SiluOp>().getX())}));
}

/// A choice of bools, which ONNX Runtime's Where does not take.
void exportWhereOfBools(NodeExporter &node) {
  auto op = node.get<pd::WhereOp>();
  node.exportAs([&](TensorBuilder &e) {
    Expression condition = e.wrap(op.getCondition()), x = e.wrap(op.getX()), y = e.wrap(op.getY());
    return Values{eitherOf(e, bothOf(e, condition, x), bothOf(e, notOf(e, condition), y))};
  });
}

/// And for bools, as pd multiplies and adds them.
void exportBoolAdd(NodeExporter &node) {
  node.setResult(0, node.node("Or", node.of(ValueRange(node.getOp()->getOperands()))));
}
void exportBoolMultiply(NodeExporter &node) {
  node.setResult(0, node.node("And", node.of(ValueRange(node.getOp()->getOperands()))));
}

/// BitShift takes unsigned integers only, and counts that are below their width.
void exportShift(NodeExporter &node) {
  node.exportAs([&](TensorBuilder &e) {
    auto left = dyn_cast<pd::BitwiseLeftShiftOp>(node.getOp());
    return Values{left ? formulaOf(left, e) : formulaOf(node.get<pd::BitwiseRightShiftOp>(), e)};
  });
}

} // namespace proa::exporter::onnxhooks
