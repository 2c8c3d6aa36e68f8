// Polynomials for sin, cos and tan of f32: see ExpandMath.h.
#include "passes/kernels/ExpandMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <array>
#include <numbers>

using namespace mlir;

namespace proa {
namespace {

/// Constants that reduce floats from a bound on. Such a float is s 2^k with an integer s, unless k is 0, and
/// s below 2^50.
struct Reduction {
  double bound; ///< of the next row
  double scale; ///< 2^-k
  /// 2^k 2 / pi without a multiple of 4, as a sum: s times the first two numbers, of 29 bits, is exact.
  std::array<double, 3> turns;
};

constexpr std::array<Reduction, 4> reductions = {
    {{0x1p50, 1, {0x1.45f306ep-1, -0x1.b1bbeadp-32, -0x1.80f62a0b82b2dp-62}},
     {0x1p77, 0x1p-27, {-0x1.1b1bbebp-1, 0x1.4fe13acp-32, -0x1.70565911f924fp-64}},
     {0x1p104, 0x1p-54, {0x1.4a7f09dp+0, 0x1.7d1f535p-30, -0x1.11f924eb53362p-61}},
     {0, 0x1p-81, {-0x1.505c159p+0, -0x1.911f925p-30, 0x1.4acc9e21c8210p-62}}}};

/// |x| as a number of quarters of a turn and a rest.
struct Angle {
  Value quarters; ///< i32, modulo 4
  Value rest;     ///< f32, from -pi / 4 to pi / 4
};

/// Cody's and Waite's reduction in doubles, for all floats: the rest of each is exact to half a unit in the
/// last place. A row of `reductions` is chosen by selects, so that loops vectorize.
Angle reduce(ImplicitLocOpBuilder &builder, Value absolute) {
  FloatMath floats(builder, builder.getF32Type()), doubles(builder, builder.getF64Type());
  Value isBelow[3];
  for (auto [below, row] : llvm::zip(isBelow, reductions))
    below = floats.less(absolute, row.bound);
  auto choose = [&](auto member) {
    Value chosen = doubles.constant(member(reductions[3]));
    for (int row = 2; row >= 0; --row)
      chosen = doubles.select(isBelow[row], doubles.constant(member(reductions[row])), chosen);
    return chosen;
  };
  Value rounding = doubles.constant(integerInDouble);
  Value wide = arith::ExtFOp::create(builder, builder.getF64Type(), absolute);
  Value scaled = doubles.multiply(wide, choose([](const Reduction &row) { return row.scale; }));
  auto turns = [&](int index) {
    return doubles.multiply(scaled, choose([&](const Reduction &row) { return row.turns[index]; }));
  };
  Value bits;
  auto fraction = [&](Value x) {
    Value rounded = doubles.add(x, rounding);
    Value integer = arith::BitcastOp::create(builder, builder.getI64Type(), rounded);
    bits = bits ? arith::AddIOp::create(builder, bits, integer).getResult() : integer;
    return doubles.subtract(x, doubles.subtract(rounded, rounding));
  };
  Value first = fraction(turns(0)), second = fraction(turns(1));
  // Knuth's sum of two numbers, with the rounding error.
  Value sum = doubles.add(first, second), added = doubles.subtract(sum, first);
  Value error =
      doubles.add(doubles.subtract(first, doubles.subtract(sum, added)), doubles.subtract(second, added));
  Value rest = doubles.add(fraction(sum), doubles.add(error, turns(2)));
  rest = doubles.multiply(rest, doubles.constant(std::numbers::pi / 2));
  return {arith::TruncIOp::create(builder, builder.getI32Type(), bits),
          arith::TruncFOp::create(builder, builder.getF32Type(), rest)};
}

/// Minimax polynomials on [-pi / 4, pi / 4], with relative errors of 2^-27.8 and 2^-33.
struct Polynomials {
  Value sine, cosine;
};

Polynomials polynomials(ImplicitLocOpBuilder &builder, Value x) {
  static constexpr std::array s = {-0.16666653752326965, 0.008332083001732826, -0.00019504317606333643};
  static constexpr std::array c = {1.0, -0.5, 0.04166664555668831, -0.0013887243112549186,
                                   2.4423889044555835e-05};
  FloatMath math(builder, builder.getF32Type());
  Value square = math.multiply(x, x);
  return {math.fma(math.multiply(x, square), math.polynomial(square, s), x), math.polynomial(square, c)};
}

Value integer(ImplicitLocOpBuilder &builder, int32_t value) {
  return arith::ConstantOp::create(builder, builder.getI32IntegerAttr(value));
}

/// x with its sign flipped where the highest bit of `bits` is set.
Value flipSign(ImplicitLocOpBuilder &builder, Value x, Value bits) {
  constexpr int32_t sign = std::numeric_limits<int32_t>::min();
  bits = arith::AndIOp::create(builder, bits, integer(builder, sign));
  Value changed = arith::XOrIOp::create(
      builder, arith::BitcastOp::create(builder, builder.getI32Type(), x).getResult(), bits);
  return arith::BitcastOp::create(builder, builder.getF32Type(), changed);
}

Value isOdd(ImplicitLocOpBuilder &builder, Value x) {
  return arith::TruncIOp::create(builder, builder.getI1Type(), x);
}

Value bitsOf(ImplicitLocOpBuilder &builder, Value x) {
  return arith::BitcastOp::create(builder, builder.getI32Type(), x);
}

/// sin: at most 1.6 units in the last place. The sign comes last, so that sin(-0) is -0.
Value sine(ImplicitLocOpBuilder &builder, Value x) {
  FloatMath math(builder, builder.getF32Type());
  Angle angle = reduce(builder, math.absolute(x));
  auto [sine, cosine] = polynomials(builder, angle.rest);
  Value size = math.select(isOdd(builder, angle.quarters), cosine, sine);
  Value halves = arith::ShLIOp::create(builder, angle.quarters, integer(builder, 30));
  return flipSign(builder, size, arith::XOrIOp::create(builder, halves, bitsOf(builder, x)));
}

/// cos: at most 1.6 units in the last place.
Value cosine(ImplicitLocOpBuilder &builder, Value x) {
  FloatMath math(builder, builder.getF32Type());
  Angle angle = reduce(builder, math.absolute(x));
  auto [sine, cosine] = polynomials(builder, angle.rest);
  Value quarters = arith::AddIOp::create(builder, angle.quarters, integer(builder, 1));
  Value size = math.select(isOdd(builder, quarters), cosine, sine);
  return flipSign(builder, size, arith::ShLIOp::create(builder, quarters, integer(builder, 30)));
}

/// tan: at most 3.3 units in the last place.
Value tangent(ImplicitLocOpBuilder &builder, Value x) {
  FloatMath math(builder, builder.getF32Type());
  Angle angle = reduce(builder, math.absolute(x));
  auto [sine, cosine] = polynomials(builder, angle.rest);
  Value swap = isOdd(builder, angle.quarters);
  Value size = math.divide(math.select(swap, cosine, sine), math.select(swap, sine, cosine));
  Value odd = arith::ShLIOp::create(builder, angle.quarters, integer(builder, 31));
  return flipSign(builder, size, arith::XOrIOp::create(builder, odd, bitsOf(builder, x)));
}

template <class Op, Value (*expand)(ImplicitLocOpBuilder &, Value)>
struct ExpandFloat : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "the coefficients are for f32");
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    rewriter.replaceOp(op, expand(builder, op.getOperand()));
    return success();
  }
};

} // namespace

void populateTrigonometricPatterns(RewritePatternSet &patterns) {
  patterns.add<ExpandFloat<math::SinOp, sine>, ExpandFloat<math::CosOp, cosine>,
               ExpandFloat<math::TanOp, tangent>>(patterns.getContext());
}

} // namespace proa
