//! Special functions by the formulas of the dialect, on tensors. They compute in float64 and round once.
#include "translator/export/onnx/NodeExporter.h"

#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/Logic.h"
#include "dialects/pd/ops/math/Special.h"
#include "dialects/pd/ops/math/SpecialOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/sequence/Recurrence.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

#include <limits>
#include <numbers>

using namespace mlir;

namespace proa::exporter::onnxhooks {
namespace {

/// ScalarBuilder (dialects/pd/builders/ScalarMethods.inc) on tensors.
class TensorScalars {
public:
  using Value = mlir::Value;

  TensorScalars(pd::TensorBuilder &e, Type result) : e(e), result(result) {}

  Value number(double value, Value like) { return e.constant(value, pd::tensorType(like).getElementType()); }
  Value add(Value x, Value y) { return e.wrap(x) + e.wrap(y); }
  Value subtract(Value x, Value y) { return e.wrap(x) - e.wrap(y); }
  Value multiply(Value x, Value y) { return e.wrap(x) * e.wrap(y); }
  Value divide(Value x, Value y) { return e.wrap(x) / e.wrap(y); }
  Value negate(Value x) { return -e.wrap(x); }
  Value abs(Value x) { return e.abs(e.wrap(x)); }
  Value exp(Value x) { return e.exp(e.wrap(x)); }
  Value log(Value x) { return e.log(e.wrap(x)); }
  Value sqrt(Value x) { return e.sqrt(e.wrap(x)); }
  Value sin(Value x) { return e.sin(e.wrap(x)); }
  Value cos(Value x) { return e.cos(e.wrap(x)); }
  Value floor(Value x) { return e.floor(e.wrap(x)); }
  Value round(Value x) { return e.create<pd::RoundOp>(x); }
  Value equal(Value x, Value y) { return e.create<pd::EqualOp>(x, y); }
  Value lessThan(Value x, Value y) { return e.create<pd::LessThanOp>(x, y); }
  Value lessEqual(Value x, Value y) { return e.create<pd::LessEqualOp>(x, y); }
  Value bitAnd(Value x, Value y) { return e.create<pd::LogicalAndOp>(x, y); }
  Value bitOr(Value x, Value y) { return e.create<pd::LogicalOrOp>(x, y); }
  Value select(Value condition, Value x, Value y) {
    return e.select(e.wrap(condition), e.wrap(x), e.wrap(y));
  }
  Value widen(Value x) { return e.cast(e.wrap(x), Float64Type::get(x.getContext())); }
  Value cast(Value x) { return e.cast(e.wrap(x), result); }

private:
  pd::TensorBuilder &e;
  Type result;
};

void exportFunction(NodeExporter &node, llvm::function_ref<Value(TensorScalars &, Value)> function) {
  Operation *op = node.getOp();
  node.exportAs([&](pd::TensorBuilder &e) {
    TensorScalars scalars(e, pd::tensorType(op->getResult(0)).getElementType());
    return llvm::SmallVector<Value>{function(scalars, op->getOperand(0))};
  });
}

//===-- The incomplete gamma function -------------------------------------------------------------------===//

using pd::Expression;
using Expressions = llvm::SmallVector<Expression>;

/// y^a exp(-y) / gamma(a). Where a is great its factors are, too: they are taken together, with Stirling's
/// series for gamma.
Expression gammaDensity(Expression a, Expression y) {
  pd::TensorBuilder &e = a.owner();
  TensorScalars scalars(e, a.type().getElementType());
  Expression small = e.minimum(a, 20.0), great = e.maximum(a, 20.0);
  Expression direct = e.exp(small * e.log(y) - y - e.wrap(pd::special::lgamma(scalars, small)));
  Expression distance = (y - great) / great, inverse = 1.0 / great, square = inverse * inverse;
  Expression series = inverse * (1. / 12 - square * (1. / 360 - square * (1. / 1260 - square * (1. / 1680))));
  Expression byStirling =
      e.sqrt(great * (0.5 / std::numbers::pi)) * e.exp(-great * (distance - e.log1p(distance)) - series);
  return e.select(a < 20.0, direct, byStirling);
}

/// The number of terms of both expansions: a multiple of sqrt(a), as in the kernel.
pd::DimSize termsOf(Expression a) {
  pd::TensorBuilder &e = a.owner();
  Expression largest = a.rank() == 0 ? a : e.max(a, llvm::to_vector(llvm::seq<int64_t>(a.rank())), false);
  return pd::dimSizeOf(pd::asInts(e.minimum(e.sqrt(e.maximum(largest, 1.0)) * 10.0 + 60.0, 1e6)));
}

/// The sum of y^i / (a (a + 1) ... (a + i)): 1 - Q by the density, for y < a + 1.
Expression lowerSeries(Expression a, Expression y) {
  pd::TensorBuilder &e = a.owner();
  Expression first = 1.0 / a;
  return pd::runSteps(
             termsOf(a), {}, {first, first}, /*recorded=*/0,
             [&](Expression i, llvm::ArrayRef<Expression>, llvm::ArrayRef<Expression> before) -> Expressions {
               Expression value = e.reshape(e.cast(i, a.type().getElementType()), {}) + 1.0;
               Expression term = before[0] * (y / (a + value));
               return {term, before[1] + term};
             })
      .last[1];
}

/// The continued fraction of Q by the density (Lentz), for y >= a + 1.
Expression upperFraction(Expression a, Expression y) {
  constexpr double tiny = 1e-290;
  pd::TensorBuilder &e = a.owner();
  auto notZero = [&](Expression x) { return e.select(e.abs(x) < tiny, tiny, x); };
  Expression begin = y - a + 1.0, first = 1.0 / begin;
  return pd::runSteps(
             termsOf(a), {}, {y * 0.0 + 1.0 / tiny, first, first}, /*recorded=*/0,
             [&](Expression i, llvm::ArrayRef<Expression>, llvm::ArrayRef<Expression> before) -> Expressions {
               Expression value = e.reshape(e.cast(i, a.type().getElementType()), {}) + 1.0;
               Expression numerator = -value * (value - a), b = begin + value * 2.0;
               Expression d = 1.0 / notZero(numerator * before[1] + b);
               Expression c = notZero(b + numerator / before[0]);
               return {c, d, before[2] * (d * c)};
             })
      .last[2];
}

} // namespace

void exportGammaincc(NodeExporter &node) {
  auto op = node.get<pd::GammainccOp>();
  node.exportAs([&](pd::TensorBuilder &e) {
    constexpr double most = 1e300;
    Type f64 = e.getBuilder().getF64Type();
    Expression a = e.cast(e.wrap(op.getX()), f64), y = e.cast(e.wrap(op.getY()), f64);
    Expression isRegular = pd::both(pd::both(a > 0.0, a < most), pd::both(y > 0.0, y < most));
    // Elements that an expansion does not converge for have values for which it does.
    Expression inner = e.select(isRegular, a, 1.0), at = e.select(isRegular, y, 1.0);
    Expression isBelow = at < inner + 1.0, density = gammaDensity(inner, at);
    Expression below = 1.0 - lowerSeries(inner, e.select(isBelow, at, inner)) * density;
    Expression above = upperFraction(inner, e.select(isBelow, inner + 1.0, at)) * density;
    Expression isOne =
        pd::either(pd::either(e.equal(a, 0.0), e.equal(y, 0.0)), pd::both(a >= most, y < most));
    Expression nan = e.constant(std::numeric_limits<double>::quiet_NaN(), f64);
    Expression special = e.select(isOne, 1.0, e.select(pd::both(y >= most, a < most), 0.0, nan));
    Expression out = e.select(isRegular, e.select(isBelow, below, above), special);
    out = e.select(pd::both(a >= 0.0, y >= 0.0), out, nan);
    return llvm::SmallVector<Value>{e.cast(out, pd::tensorType(op.getOut()).getElementType())};
  });
}

void exportLgamma(NodeExporter &node) {
  exportFunction(node, [](TensorScalars &b, Value x) { return pd::special::lgamma(b, x); });
}
void exportDigamma(NodeExporter &node) {
  exportFunction(node, [](TensorScalars &b, Value x) { return pd::special::digamma(b, x); });
}
void exportErfinv(NodeExporter &node) {
  exportFunction(node, [](TensorScalars &b, Value x) { return pd::special::erfinv(b, x); });
}
void exportI0(NodeExporter &node) {
  exportFunction(node, [](TensorScalars &b, Value x) { return pd::special::besselI(b, x, 0, false); });
}
void exportI0e(NodeExporter &node) {
  exportFunction(node, [](TensorScalars &b, Value x) { return pd::special::besselI(b, x, 0, true); });
}
void exportI1(NodeExporter &node) {
  exportFunction(node, [](TensorScalars &b, Value x) { return pd::special::besselI(b, x, 1, false); });
}
void exportI1e(NodeExporter &node) {
  exportFunction(node, [](TensorScalars &b, Value x) { return pd::special::besselI(b, x, 1, true); });
}
void exportPolygamma(NodeExporter &node) {
  auto order = static_cast<int>(node.get<pd::PolygammaOp>().getN());
  exportFunction(node, [&](TensorScalars &b, Value x) { return pd::special::polygamma(b, x, order); });
}

} // namespace proa::exporter::onnxhooks
