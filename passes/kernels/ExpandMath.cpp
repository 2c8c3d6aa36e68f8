// Polynomials for math functions: see Passes.td.
#include "passes/kernels/ExpandMath.h"
#include "passes/kernels/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include "llvm/ADT/StringSet.h"

#include <array>
#include <numbers>

namespace proa {
#define GEN_PASS_DEF_EXPANDMATH
#include "passes/kernels/Passes.h.inc"
} // namespace proa

using namespace mlir;

namespace {

// Functions whose polynomial in MLIR is exact to about 5 units in the last place. Polynomials of sin and cos
// are less exact beyond small arguments and near zeros, as are polynomials of atan2 and cbrt: atan2 and cbrt
// stay calls of libm, and others have a polynomial of ours.
bool hasGoodPolynomial(llvm::StringRef function) {
  static const llvm::StringSet<> good = {"exp", "expm1", "log", "log1p", "log2", "erf", "tanh"};
  function.consume_front("math.");
  return good.contains(function);
}

/// log and log2 of f32: the polynomials take subnormal numbers for the smallest normal one, so those are
/// scaled up first.
template <class Log> void scaleSubnormals(Operation *root, double logOfTwo) {
  SmallVector<Log> logarithms;
  root->walk([&](Log op) {
    if (op.getType().isF32())
      logarithms.push_back(op);
  });
  constexpr double smallestNormal = 0x1p-126;
  constexpr int shift = 24;
  for (Log op : logarithms) {
    OpBuilder builder(op);
    Location location = op.getLoc();
    auto constant = [&](double value) {
      return arith::ConstantOp::create(builder, location, builder.getF32FloatAttr(static_cast<float>(value)))
          .getResult();
    };
    Value x = op.getOperand();
    Value isSmall =
        arith::CmpFOp::create(builder, location, arith::CmpFPredicate::OLT, x, constant(smallestNormal));
    Value scaled = arith::MulFOp::create(builder, location, x, constant(double(1 << shift)));
    op->setOperand(0, arith::SelectOp::create(builder, location, isSmall, scaled, x));
    builder.setInsertionPointAfter(op);
    Value less = arith::SelectOp::create(builder, location, isSmall, constant(shift * logOfTwo), constant(0));
    auto result = arith::SubFOp::create(builder, location, op, less);
    op.getResult().replaceAllUsesExcept(result, result);
  }
}

Value constant(ImplicitLocOpBuilder &builder, float value) {
  return arith::ConstantOp::create(builder, builder.getF32FloatAttr(value));
}

/// Horner's scheme, with the constant coefficient first.
Value polynomial(ImplicitLocOpBuilder &builder, Value x, ArrayRef<float> coefficients) {
  Value sum = constant(builder, coefficients.back());
  for (float coefficient : llvm::reverse(coefficients.drop_back()))
    sum = math::FmaOp::create(builder, x, sum, constant(builder, coefficient));
  return sum;
}

/// By the instruction for powers of two, whose relative error is below 2^-22.
Value powerOfTwo(ImplicitLocOpBuilder &builder, Value exponent) {
  return math::Exp2Op::create(builder, exponent, arith::FastMathFlags::afn);
}

/// A float of this size has no fraction: its lowest bits hold the integer that is added to it.
constexpr float integerInLowBits = 0x1.8p23F;

/// Whether a select makes x at least `least`, or NaN.
bool isSelectedAbove(Value x, float least) {
  auto select = x.getDefiningOp<arith::SelectOp>();
  auto compare = select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : arith::CmpFOp();
  FloatAttr bound;
  return compare && compare.getPredicate() == arith::CmpFPredicate::OLT &&
         compare.getLhs() == select.getFalseValue() && compare.getRhs() == select.getTrueValue() &&
         matchPattern(select.getTrueValue(), m_Constant(&bound)) && bound.getValueAsDouble() >= least;
}

/// exp of f32:
///   2^n P(x - n ln 2),  n = x log2(e), rounded to an integer of at most 127
/// P is a minimax polynomial of e^r on [-ln(2) / 2, 0.7], weighted for the relative error: at most 1.4 units
/// in the last place. Results below 2^-126 are zero; NaN and infinities are as of exp.
struct ExpByPolynomial : OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpOp op, PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "the coefficients are for f32");
    static constexpr std::array p = {1.0F,         1.0F,          0.50000215F,  0.1666704F,
                                     0.041621681F, 0.0083231423F, 0.0016267231F};
    constexpr float log2e = 1.44269504F;
    constexpr float lnHigh = 0.693145752F, lnLow = 1.42860677e-6F; // ln(2) = their sum
    constexpr float greatest = 127, least = -88;                   // of n, and of x: 2^n is zero below
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    // Selects keep NaN, and are one instruction each.
    Value x = op.getOperand(), lowest = constant(builder, least);
    if (!isSelectedAbove(x, least)) // as in softmax
      x = arith::SelectOp::create(
          builder, arith::CmpFOp::create(builder, arith::CmpFPredicate::OLT, x, lowest), lowest, x);
    Value rounding = constant(builder, integerInLowBits),
          most = constant(builder, integerInLowBits + greatest);
    Value rounded = math::FmaOp::create(builder, x, constant(builder, log2e), rounding);
    rounded = arith::SelectOp::create(
        builder, arith::CmpFOp::create(builder, arith::CmpFPredicate::OGT, rounded, most), most, rounded);
    Value n = arith::SubFOp::create(builder, rounded, rounding);
    Value rest = math::FmaOp::create(builder, n, constant(builder, -lnHigh), x);
    rest = math::FmaOp::create(builder, n, constant(builder, -lnLow), rest);
    Value scale = proa::powerOfInteger(builder, rounded);
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, polynomial(builder, rest, p), scale);
    return success();
  }
};

/// exp of f32 on a device that has an instruction for powers of two:
///   2^n 2^(x log2(e) - n),  n = x log2(e), rounded to an integer from -126 to 127
/// with log2(e) as the sum of two floats: at most 2 units in the last place. The second power becomes
/// infinite, zero or NaN as exp does, and gives subnormal results.
struct ExpByPowerOfTwo : OpRewritePattern<math::ExpOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::ExpOp op, PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "the constants are for f32");
    constexpr float log2e = 1.44269502F;
    constexpr float rest = 1.92596303e-8F;
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value x = op.getOperand();
    Value scaled = arith::MulFOp::create(builder, x, constant(builder, log2e));
    scaled = arith::MaximumFOp::create(builder, scaled, constant(builder, -126));
    scaled = arith::MinimumFOp::create(builder, scaled, constant(builder, 127));
    Value rounded = arith::AddFOp::create(builder, scaled, constant(builder, integerInLowBits));
    Value n = arith::SubFOp::create(builder, rounded, constant(builder, integerInLowBits));
    Value fraction =
        math::FmaOp::create(builder, x, constant(builder, log2e), arith::NegFOp::create(builder, n));
    fraction = math::FmaOp::create(builder, x, constant(builder, rest), fraction);
    Value scale = proa::powerOfInteger(builder, rounded);
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, powerOfTwo(builder, fraction), scale);
    return success();
  }
};

/// 2^x of f32 for x of at most 127: a minimax polynomial of 2^r on [-1/2, 1/2], whose relative error is below
/// 2^-23. Below 2^-126 it is 2^-126; NaN stays.
Value powerOfTwoByPolynomial(ImplicitLocOpBuilder &builder, Value x) {
  static constexpr std::array p = {1.00000007F,   0.693146974F,  0.240221198F,
                                   0.0555071265F, 0.0096755363F, 0.00132764720F};
  Value lowest = constant(builder, -126), rounding = constant(builder, integerInLowBits);
  x = arith::SelectOp::create(builder, arith::CmpFOp::create(builder, arith::CmpFPredicate::OLT, x, lowest),
                              lowest, x);
  Value rounded = arith::AddFOp::create(builder, x, rounding);
  Value rest = arith::SubFOp::create(builder, x, arith::SubFOp::create(builder, rounded, rounding));
  Value scale = proa::powerOfInteger(builder, rounded);
  return arith::MulFOp::create(builder, polynomial(builder, rest, p), scale);
}

/// erf of f32, without a division:
///   |x| <= 0.9:  x + x P(x^2)
///   else:        1 - 2^Q(|x|), with the sign of x
/// P and Q are minimax polynomials of erf(x) / x - 1 on [0, 0.9] and of log2(1 - erf(x)) on [0.9, 4.05],
/// weighted for the error of erf: at most 2 units in the last place. Beyond 4.05, Q stays below -25, so that
/// the result is 1.
struct ErfByPowerOfTwo : OpRewritePattern<math::ErfOp> {
  /// `hasExp2`: the power is an instruction of a device.
  ErfByPowerOfTwo(MLIRContext *context, PatternBenefit benefit, bool hasExp2)
      : OpRewritePattern(context, benefit), hasExp2(hasExp2) {}

  LogicalResult matchAndRewrite(math::ErfOp op, PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "the coefficients are for f32");
    static constexpr std::array p = {0.12837915F,   -0.37612525F,  0.11282141F,
                                     -0.026778916F, 0.0050119707F, -0.00060903933F};
    static constexpr std::array q = {0.0002441091F, -1.6295073F,    -0.9138043F,   -0.15612899F,
                                     0.036183663F,  -0.0059962003F, 0.0006223676F, -3.0049187e-05F};
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value x = op.getOperand();
    Value square = arith::MulFOp::create(builder, x, x);
    Value small = math::FmaOp::create(builder, x, polynomial(builder, square, p), x);
    Value size = math::AbsFOp::create(builder, x);
    Value exponent = polynomial(builder, size, q);
    Value power = hasExp2 ? powerOfTwo(builder, exponent) : powerOfTwoByPolynomial(builder, exponent);
    Value rest = arith::SubFOp::create(builder, constant(builder, 1), power);
    Value large = math::CopySignOp::create(builder, rest, x);
    // False for NaN, which `small` keeps.
    Value isLarge = arith::CmpFOp::create(builder, arith::CmpFPredicate::OGT, size, constant(builder, 0.9F));
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isLarge, large, small);
    return success();
  }

private:
  bool hasExp2;
};

/// atan of f32, at most 3 units in the last place, after Cephes' atanf: with tan(pi / 8) and tan(3 pi / 8) as
/// limits, atan(x) is atan(x), pi/4 + atan((x - 1) / (x + 1)) or pi/2 + atan(-1 / x) for x >= 0.
struct AtanByPolynomial : OpRewritePattern<math::AtanOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(math::AtanOp op, PatternRewriter &rewriter) const override {
    if (!op.getType().isF32())
      return rewriter.notifyMatchFailure(op, "the coefficients are for f32");
    constexpr float low = 0.414213562F, high = 2.41421356F;
    static constexpr std::array coefficients = {-0.333329491539F, 0.199777106478F, -0.138776856032F,
                                                0.0805374449538F};
    ImplicitLocOpBuilder builder(op.getLoc(), rewriter);
    Value x = op.getOperand(), size = math::AbsFOp::create(builder, x), one = constant(builder, 1);
    auto isAbove = [&](float limit) -> Value {
      return arith::CmpFOp::create(builder, arith::CmpFPredicate::OGT, size, constant(builder, limit));
    };
    Value isLarge = isAbove(high), isMiddle = isAbove(low); // false for NaN
    auto choose = [&](Value large, Value middle, Value small) -> Value {
      Value others = arith::SelectOp::create(builder, isMiddle, middle, small);
      return arith::SelectOp::create(builder, isLarge, large, others);
    };
    Value dividend = choose(constant(builder, -1), arith::SubFOp::create(builder, size, one), size);
    Value divisor = choose(size, arith::AddFOp::create(builder, size, one), one);
    Value reduced = arith::DivFOp::create(builder, dividend, divisor);
    Value square = arith::MulFOp::create(builder, reduced, reduced);
    Value cube = arith::MulFOp::create(builder, square, reduced);
    Value angle = math::FmaOp::create(builder, cube, polynomial(builder, square, coefficients), reduced);
    Value begin = choose(constant(builder, std::numbers::pi_v<float> / 2),
                         constant(builder, std::numbers::pi_v<float> / 4), constant(builder, 0));
    Value result = arith::AddFOp::create(builder, begin, angle);
    rewriter.replaceOpWithNewOp<math::CopySignOp>(op, result, x);
    return success();
  }
};

struct ExpandMath : proa::impl::ExpandMathBase<ExpandMath> {
  using ExpandMathBase::ExpandMathBase;

  void runOnOperation() override {
    scaleSubnormals<math::LogOp>(getOperation(), std::numbers::ln2);
    scaleSubnormals<math::Log2Op>(getOperation(), 1);
    if (!hasExp2)
      proa::expandRemainders(getOperation());
    RewritePatternSet patterns(&getContext());
    populateMathAlgebraicSimplificationPatterns(patterns);
    populateMathPolynomialApproximationPatterns(patterns, hasGoodPolynomial);
    patterns.add<AtanByPolynomial>(&getContext());
    patterns.add<ErfByPowerOfTwo>(&getContext(), PatternBenefit(2), hasExp2);
    if (hasExp2)
      patterns.add<ExpByPowerOfTwo>(&getContext(), /*benefit=*/2);
    else
      patterns.add<ExpByPolynomial>(&getContext(), /*benefit=*/2);
    if (!hasExp2) {
      proa::populateTrigonometricPatterns(patterns);
      proa::populateDoubleExponentialPatterns(patterns);
    }
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
