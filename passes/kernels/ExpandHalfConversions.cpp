// Conversions to and from 8 and 16 bits by integer arithmetic: see Passes.td.
#include "passes/kernels/NarrowFloats.h"
#include "passes/kernels/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <bit>

namespace proa {
#define GEN_PASS_DEF_EXPANDHALFCONVERSIONS
#include "passes/kernels/Passes.h.inc"
} // namespace proa

using namespace mlir;

namespace {

/// Emits arithmetic on scalars, or on vectors of one shape.
class Arithmetic {
public:
  Arithmetic(PatternRewriter &rewriter, Location location, Type like)
      : builder(location, rewriter), shape(dyn_cast<ShapedType>(like)) {}

  Value extendBF16(Value x) {
    return bitcast(f32(), shiftLeft(arith::ExtUIOp::create(builder, i32(), bitcast(i16(), x)), 16));
  }

  Value extendF16(Value x) {
    Value bits = arith::ExtUIOp::create(builder, i32(), bitcast(i16(), x));
    Value magnitude = bitAnd(bits, 0x7fff);
    // Moved to the places of a float, the exponent is too small by 112, also of subnormal numbers.
    Value scale = arith::ConstantOp::create(builder, floats(0x1p112f));
    Value scalar =
        bitcast(i32(), arith::MulFOp::create(builder, bitcast(f32(), shiftLeft(magnitude, 13)), scale));
    Value notFinite = arith::OrIOp::create(builder, scalar, integer(0x7f800000));
    Value value = select(compare(arith::CmpIPredicate::uge, magnitude, 0x7c00), notFinite, scalar);
    return bitcast(f32(), arith::OrIOp::create(builder, value, shiftLeft(bitAnd(bits, 0x8000), 16)));
  }

  Value truncateToBF16(Value x, Type to) {
    Value word = bitcast(i32(), x), upper = shiftRight(word, 16);
    Value rounded = shiftRight(add(add(word, 0x7fff), bitAnd(upper, 1)), 16);
    Value quiet = arith::OrIOp::create(builder, upper, integer(0x40));
    return narrow(select(isNan(x), quiet, rounded), to);
  }

  Value extendFloat8(Value x) {
    if (isa<Float8E5M2Type>(getElementTypeOrSelf(x))) { // the upper half of an f16
      Value bits = arith::ExtUIOp::create(builder, i16(), bitcast(i8(), x));
      Value eight = arith::ConstantOp::create(builder, spread(builder.getI16IntegerAttr(8)));
      return extendF16(bitcast(shaped(builder.getF16Type()), arith::ShLIOp::create(builder, bits, eight)));
    }
    Value bits = arith::ExtUIOp::create(builder, i32(), bitcast(i8(), x)), magnitude = bitAnd(bits, 0x7f);
    Value scale = arith::ConstantOp::create(builder, floats(0x1p120f));
    Value scalar =
        bitcast(i32(), arith::MulFOp::create(builder, bitcast(f32(), shiftLeft(magnitude, 20)), scale));
    Value value = select(compare(arith::CmpIPredicate::eq, magnitude, 0x7f), integer(0x7fc00000), scalar);
    return bitcast(f32(), arith::OrIOp::create(builder, value, shiftLeft(bitAnd(bits, 0x80), 24)));
  }

  /// A format of at most 16 bits.
  struct Format {
    int32_t mantissaBits, bias;
    int32_t firstOverflow; ///< bits of the least f32 that is rounded beyond the largest number
    int32_t overflow, nan; ///< bits of the result of an overflow, and of a NaN
    int32_t signBit;
  };
  static Format formatOf(Type element) {
    if (element.isF16())
      return {10, 15, 0x477ff000, 0x7c00, 0x7e00, 0x8000};
    if (isa<Float8E5M2Type>(element))
      return {2, 15, 0x47700000, 0x7c, 0x7e, 0x80};
    return {3, 7, 0x43e80001, 0x7f, 0x7f, 0x80}; // f8E4M3FN, which has no infinity
  }

  Value truncateTo(Value x, Type to) {
    Format format = formatOf(getElementTypeOrSelf(to));
    int32_t shift = 23 - format.mantissaBits;
    Value word = bitcast(i32(), x), magnitude = bitAnd(word, 0x7fffffff);
    Value odd = bitAnd(shiftRight(magnitude, shift), 1);
    int32_t rounding = (1 << (shift - 1)) - 1, biases = (127 - format.bias) << 23;
    Value normal = shiftRight(add(add(magnitude, rounding - biases), odd), shift);
    // Subnormal numbers are multiples of 2^(1 - bias - mantissaBits), which is what floats next to `unit` are
    // rounded to.
    auto unit = std::bit_cast<float>((127 + 24 - format.bias - format.mantissaBits) << 23);
    Value raised = arith::AddFOp::create(builder, bitcast(f32(), magnitude),
                                         arith::ConstantOp::create(builder, floats(unit)));
    Value subnormal = add(bitcast(i32(), raised), -std::bit_cast<int32_t>(unit));
    Value bits =
        select(compare(arith::CmpIPredicate::ult, magnitude, (128 - format.bias) << 23), subnormal, normal);
    bits = select(compare(arith::CmpIPredicate::uge, magnitude, format.firstOverflow),
                  integer(format.overflow), bits);
    bits = select(isNan(x), integer(format.nan), bits);
    int32_t toSign = std::countl_zero(static_cast<uint32_t>(format.signBit));
    return narrow(arith::OrIOp::create(builder, bits, bitAnd(shiftRight(word, toSign), format.signBit)), to);
  }

  /// An f64 as the f32 that both roundings to nearest, by way of it, and one at once give the same 16 bits
  /// for: of the two next to it the one with an odd last bit.
  Value truncateToOdd(Value x) {
    Value nearest = arith::TruncFOp::create(builder, f32(), x), word = bitcast(i32(), nearest);
    Value back = arith::ExtFOp::create(builder, f64(), nearest);
    Value beyond = arith::CmpFOp::create(builder, arith::CmpFPredicate::OGT, absolute(back), absolute(x));
    Value before = arith::CmpFOp::create(builder, arith::CmpFPredicate::OLT, absolute(back), absolute(x));
    Value odd = bitAnd(word, 1);
    // An even one with |back| > |x| has its odd neighbor a step below, else a step above.
    Value step = select(beyond, integer(-1), select(before, integer(1), integer(0)));
    Value moved = arith::AddIOp::create(builder, word, step);
    return bitcast(f32(), select(compare(arith::CmpIPredicate::eq, odd, 0), moved, word));
  }

private:
  ImplicitLocOpBuilder builder;
  ShapedType shape; ///< null for scalars

  Type shaped(Type element) { return shape ? Type(shape.clone(element)) : element; }
  Type i8() { return shaped(builder.getI8Type()); }
  Type i16() { return shaped(builder.getI16Type()); }
  Type i32() { return shaped(builder.getI32Type()); }
  Type f32() { return shaped(builder.getF32Type()); }
  Type f64() { return shaped(builder.getF64Type()); }

  TypedAttr spread(TypedAttr value) {
    return shape ? TypedAttr(DenseElementsAttr::get(shape.clone(value.getType()), Attribute(value))) : value;
  }
  TypedAttr floats(float value) { return spread(builder.getF32FloatAttr(value)); }
  Value integer(int32_t value) {
    return arith::ConstantOp::create(builder, spread(builder.getI32IntegerAttr(value)));
  }
  Value bitcast(Type to, Value x) { return arith::BitcastOp::create(builder, to, x); }
  Value add(Value x, int32_t y) { return add(x, integer(y)); }
  Value add(Value x, Value y) { return arith::AddIOp::create(builder, x, y); }
  Value bitAnd(Value x, int32_t y) { return arith::AndIOp::create(builder, x, integer(y)); }
  Value shiftLeft(Value x, int32_t positions) {
    return arith::ShLIOp::create(builder, x, integer(positions));
  }
  Value shiftRight(Value x, int32_t positions) {
    return arith::ShRUIOp::create(builder, x, integer(positions));
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(builder, condition, x, y);
  }
  Value compare(arith::CmpIPredicate predicate, Value x, int32_t y) {
    return arith::CmpIOp::create(builder, predicate, x, integer(y));
  }
  Value isNan(Value x) { return arith::CmpFOp::create(builder, arith::CmpFPredicate::UNO, x, x); }
  Value narrow(Value bits, Type to) {
    Type integer = proa::isFloat8(getElementTypeOrSelf(to)) ? i8() : i16();
    return bitcast(to, arith::TruncIOp::create(builder, integer, bits));
  }
  /// Of an f64, without the math dialect.
  Value absolute(Value x) {
    Type i64 = shaped(builder.getI64Type());
    Value mask = arith::ConstantOp::create(builder, spread(builder.getI64IntegerAttr(INT64_MAX)));
    return bitcast(f64(), arith::AndIOp::create(builder, bitcast(i64, x), mask));
  }
};

/// Which types the CPU converts to and from f32.
struct Instructions {
  bool bf16, f16;
  bool convert(Type narrow) const { return narrow.isBF16() ? bf16 : narrow.isF16() && f16; }
};

Type clonedType(Type type, Type element) {
  auto shape = dyn_cast<ShapedType>(type);
  return shape ? Type(shape.clone(element)) : element;
}

/// Integers become f32 first; canonicalization combined the two steps into one.
template <class Conversion> struct FromInteger : OpRewritePattern<Conversion> {
  using OpRewritePattern<Conversion>::OpRewritePattern;

  LogicalResult matchAndRewrite(Conversion op, PatternRewriter &rewriter) const override {
    if (!proa::isNarrowFloat(getElementTypeOrSelf(op.getType())))
      return rewriter.notifyMatchFailure(op, "not to 8 or 16 bits");
    Type single = clonedType(op.getType(), rewriter.getF32Type());
    Value value = Conversion::create(rewriter, op.getLoc(), single, op.getIn());
    rewriter.replaceOpWithNewOp<arith::TruncFOp>(op, op.getType(), value);
    return success();
  }
};

template <class Conversion> struct ToInteger : OpRewritePattern<Conversion> {
  using OpRewritePattern<Conversion>::OpRewritePattern;

  LogicalResult matchAndRewrite(Conversion op, PatternRewriter &rewriter) const override {
    Type from = op.getIn().getType();
    if (!proa::isNarrowFloat(getElementTypeOrSelf(from)))
      return rewriter.notifyMatchFailure(op, "not from 8 or 16 bits");
    Value value =
        arith::ExtFOp::create(rewriter, op.getLoc(), clonedType(from, rewriter.getF32Type()), op.getIn());
    rewriter.replaceOpWithNewOp<Conversion>(op, op.getType(), value);
    return success();
  }
};

struct ExpandExtension : OpRewritePattern<arith::ExtFOp> {
  ExpandExtension(MLIRContext *context, Instructions instructions)
      : OpRewritePattern(context), instructions(instructions) {}

  LogicalResult matchAndRewrite(arith::ExtFOp op, PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    Type from = getElementTypeOrSelf(x), to = getElementTypeOrSelf(op.getType());
    if (!proa::isNarrowFloat(from))
      return rewriter.notifyMatchFailure(op, "not from 8 or 16 bits");
    if (to.isF32() && instructions.convert(from))
      return rewriter.notifyMatchFailure(op, "the CPU has an instruction");
    Arithmetic emit(rewriter, op.getLoc(), x.getType());
    Type single = clonedType(x.getType(), rewriter.getF32Type());
    Value extended = instructions.convert(from)
                         ? arith::ExtFOp::create(rewriter, op.getLoc(), single, x).getResult()
                     : from.isBF16() ? emit.extendBF16(x)
                     : from.isF16()  ? emit.extendF16(x)
                                     : emit.extendFloat8(x);
    if (proa::isHalf(to)) // exact
      extended = arith::TruncFOp::create(rewriter, op.getLoc(), op.getType(), extended);
    else if (!to.isF32())
      extended = arith::ExtFOp::create(rewriter, op.getLoc(), op.getType(), extended);
    rewriter.replaceOp(op, extended);
    return success();
  }

private:
  Instructions instructions;
};

struct ExpandTruncation : OpRewritePattern<arith::TruncFOp> {
  ExpandTruncation(MLIRContext *context, Instructions instructions)
      : OpRewritePattern(context), instructions(instructions) {}

  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    Type from = getElementTypeOrSelf(x), to = getElementTypeOrSelf(op.getType());
    if (!proa::isNarrowFloat(to))
      return rewriter.notifyMatchFailure(op, "not to 8 or 16 bits");
    if (op.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even) !=
        arith::RoundingMode::to_nearest_even)
      return rewriter.notifyMatchFailure(op, "rounds another way");
    if (from.isF32() && instructions.convert(to))
      return rewriter.notifyMatchFailure(op, "the CPU has an instruction");
    if (!from.isF32() && !from.isF64() && !proa::isHalf(from))
      return rewriter.notifyMatchFailure(op, "from a type that no program converts");
    Arithmetic emit(rewriter, op.getLoc(), x.getType());
    if (from.isF64())
      x = emit.truncateToOdd(x);
    else if (!from.isF32())
      x = arith::ExtFOp::create(rewriter, op.getLoc(), clonedType(x.getType(), rewriter.getF32Type()), x);
    rewriter.replaceOp(op, instructions.convert(to)
                               ? arith::TruncFOp::create(rewriter, op.getLoc(), op.getType(), x).getResult()
                           : to.isBF16() ? emit.truncateToBF16(x, op.getType())
                                         : emit.truncateTo(x, op.getType()));
    return success();
  }

private:
  Instructions instructions;
};

struct ExpandHalfConversions : proa::impl::ExpandHalfConversionsBase<ExpandHalfConversions> {
  using ExpandHalfConversionsBase::ExpandHalfConversionsBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    Instructions instructions{!expandBFloat16, !expandFloat16};
    patterns.add<ExpandExtension, ExpandTruncation>(&getContext(), instructions);
    patterns.add<FromInteger<arith::SIToFPOp>, FromInteger<arith::UIToFPOp>, ToInteger<arith::FPToSIOp>,
                 ToInteger<arith::FPToUIOp>>(&getContext());
    // Folding would make one step of the two from integers again.
    GreedyRewriteConfig config;
    config.enableFolding(false).setUseTopDownTraversal();
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
