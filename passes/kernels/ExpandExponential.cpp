// Polynomials for exp, expm1, tanh and log of f64: see ExpandMath.h.
#include "passes/kernels/ExpandMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <array>
#include <limits>

using namespace mlir;

namespace proa {

namespace {

/// x as n ln(2) + a rest.
struct Logarithm {
  Value n;         ///< an integer as a double
  Value exponent;  ///< n + integerInDouble
  Value remainder; ///< e^rest - 1
};

/// P(r) = r + r^2 Q(r) with a minimax polynomial Q on [-ln(2) / 2, ln(2) / 2]: a relative error of 2^-59.9.
Logarithm reduce(FloatMath math, Value x) {
  static constexpr std::array q = {0.5,
                                   0.1666666666666667,
                                   0.04166666666666667,
                                   0.008333333333325544,
                                   0.0013888888888883327,
                                   0.00019841269876864356,
                                   2.4801587327007187e-05,
                                   2.755725283351691e-06,
                                   2.75572718102198e-07,
                                   2.5106274733573296e-08,
                                   2.0915442297780116e-09};
  constexpr double log2e = 1.4426950408889634;
  constexpr double lnHigh = 0.6931471805598903, lnLow = 5.497923018708371e-14; // ln(2) = their sum
  Value rounding = math.constant(integerInDouble);
  Value exponent = math.fma(x, math.constant(log2e), rounding);
  Value n = math.subtract(exponent, rounding);
  Value rest = math.fma(n, math.constant(-lnHigh), x);
  rest = math.fma(n, math.constant(-lnLow), rest);
  Value square = math.multiply(rest, rest);
  return {n, exponent, math.fma(square, math.polynomial(rest, q), rest)};
}

/// NaN stays.
Value clamp(FloatMath math, ImplicitLocOpBuilder &builder, Value x, double least, double greatest) {
  Value isAbove = arith::CmpFOp::create(builder, arith::CmpFPredicate::OGT, x, math.constant(greatest));
  return math.select(math.less(x, least), math.constant(least),
                     math.select(isAbove, math.constant(greatest), x));
}

/// exp: at most 1 unit in the last place. 2^n is a product of two powers, so that results become subnormal,
/// zero or infinite as they should.
Value exponential(ImplicitLocOpBuilder &builder, Value x) {
  FloatMath math(builder, builder.getF64Type());
  constexpr double least = -746, greatest = 710; // zero below, infinite above
  Logarithm reduced = reduce(math, clamp(math, builder, x, least, greatest));
  Value rounding = math.constant(integerInDouble);
  Value half = math.fma(reduced.n, math.constant(0.5), rounding);
  Value other = math.add(math.subtract(reduced.n, math.subtract(half, rounding)), rounding);
  Value result = math.add(reduced.remainder, math.constant(1));
  result = math.multiply(result, powerOfInteger(builder, half));
  return math.multiply(result, powerOfInteger(builder, other));
}

/// expm1 of x at least `least`: 2 (2^(n - 1) P + (2^(n - 1) - 1/2)), at most 2 units in the last place.
Value exponentialLessOne(ImplicitLocOpBuilder &builder, Value x) {
  FloatMath math(builder, builder.getF64Type());
  constexpr double least = -100, greatest = 710; // -1 below, infinite above
  Logarithm reduced = reduce(math, clamp(math, builder, x, least, greatest));
  Value half = powerOfInteger(builder, math.subtract(reduced.exponent, math.constant(1)));
  Value rest = math.subtract(half, math.constant(0.5));
  Value result = math.fma(half, reduced.remainder, rest);
  return math::CopySignOp::create(builder, math.add(result, result), x); // of -0
}

/// tanh: e / (e + 2) with e = expm1(2 |x|), at most 3 units in the last place. It is 1 from 20 on.
Value hyperbolicTangent(ImplicitLocOpBuilder &builder, Value x) {
  FloatMath math(builder, builder.getF64Type());
  constexpr double greatest = 20;
  Value size = clamp(math, builder, math.absolute(x), 0, greatest);
  Logarithm reduced = reduce(math, math.add(size, size));
  Value power = powerOfInteger(builder, reduced.exponent);
  Value e = math.fma(power, reduced.remainder, math.subtract(power, math.constant(1)));
  return math::CopySignOp::create(builder, math.divide(e, math.add(e, math.constant(2))), x);
}

/// log, at most 1 unit in the last place, as in FreeBSD's libm: with x = 2^k m and m in [sqrt(1/2), sqrt(2)),
///   k ln(2) + log(m),  log(1 + f) = f - f^2 / 2 + s (f^2 / 2 + R(s^2)),  s = f / (2 + f)
Value logarithm(ImplicitLocOpBuilder &builder, Value x) {
  static constexpr std::array r = {
      6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01, 2.222219843214978396e-01,
      1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860511658591e-01};
  constexpr double lnHigh = 6.93147180369123816490e-01, lnLow = 1.90821492927058770002e-10;
  constexpr double leastNormal = 0x1p-1022, scale = 0x1p54;
  constexpr int64_t rootOfHalf = 0x3fe6a09e667f3bcd, mantissa = (int64_t(1) << 52) - 1;
  FloatMath math(builder, builder.getF64Type());
  auto integer = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, builder.getI64IntegerAttr(value));
  };
  auto asInteger = [&](Value value) -> Value {
    return arith::BitcastOp::create(builder, builder.getI64Type(), value);
  };
  auto asDouble = [&](Value value) -> Value {
    return arith::BitcastOp::create(builder, builder.getF64Type(), value);
  };
  Value isSubnormal = math.less(x, leastNormal);
  Value normal = math.select(isSubnormal, math.multiply(x, math.constant(scale)), x);
  Value bits = arith::SubIOp::create(builder, asInteger(normal), integer(rootOfHalf));
  Value exponent = arith::ShRSIOp::create(builder, bits, integer(52));
  Value rounding = math.constant(integerInDouble);
  Value k = asDouble(arith::AddIOp::create(builder, exponent, asInteger(rounding)));
  k = math.subtract(k, math.select(isSubnormal, math.constant(integerInDouble + 54), rounding));
  Value scaled = arith::AndIOp::create(builder, bits, integer(mantissa));
  scaled = asDouble(arith::AddIOp::create(builder, scaled, integer(rootOfHalf)));
  Value f = math.subtract(scaled, math.constant(1)),
        half = math.multiply(math.multiply(f, f), math.constant(0.5));
  Value s = math.divide(f, math.add(f, math.constant(2))), square = math.multiply(s, s);
  Value sum = math.add(half, math.multiply(square, math.polynomial(square, r)));
  sum = math.fma(s, sum, math.multiply(k, math.constant(lnLow)));
  Value result = math.fma(k, math.constant(lnHigh), math.subtract(f, math.subtract(half, sum)));
  // Infinity and NaN stay; zeros give -infinity, and numbers below zero NaN.
  constexpr double infinity = std::numeric_limits<double>::infinity();
  result = math.select(math.less(x, infinity), result, x);
  Value isPositive = arith::CmpFOp::create(builder, arith::CmpFPredicate::UGT, x, math.constant(0));
  Value special = math.select(math.less(x, 0), math.constant(std::numeric_limits<double>::quiet_NaN()),
                              math.constant(-infinity));
  return math.select(isPositive, result, special);
}

template <class Op, Value (*expand)(ImplicitLocOpBuilder &, Value)>
struct ExpandDouble : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!op.getType().isF64())
      return rewriter.notifyMatchFailure(op, "the coefficients are for f64");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(op, expand(builder, op.getOperand()));
    return success();
  }
};

} // namespace

void populateDoubleExponentialPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandDouble<math::ExpOp, exponential>, ExpandDouble<math::ExpM1Op, exponentialLessOne>,
               ExpandDouble<math::TanhOp, hyperbolicTangent>, ExpandDouble<math::LogOp, logarithm>>(
      patterns.getContext());
}

} // namespace proa
