#include "dialects/pd/ops/quantization/Quantization.h"
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/MatchFailure.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/shape/DimSize.h"

#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;

namespace proa::pd {

//===-- Inference ---------------------------------------------------------------------------------------===//

LogicalResult checkQuantization(std::optional<Location> location, int64_t bitLength, int64_t roundType) {
  if (bitLength < 2 || bitLength > 16)
    return inferenceError(location, "C1: bit_length must be in [2, 16], found " + llvm::Twine(bitLength));
  if (roundType != 0 && roundType != 1)
    return inferenceError(location, "C2: round_type must be 0 or 1, found " + llvm::Twine(roundType));
  return success();
}

RankedTensorType scaleType(RankedTensorType x, int64_t axis) {
  return RankedTensorType::get({axis < 0 ? 1 : x.getDimSize(axis)}, x.getElementType());
}

LogicalResult checkScale(std::optional<Location> location, RankedTensorType x, Value scale, int64_t axis) {
  if (axis < -1 || axis >= x.getRank())
    return inferenceError(location, "C3: quant_axis must be -1 or a dimension of x, found " +
                                        llvm::Twine(axis) + " for " + debugString(x));
  if (!scale)
    return success();
  auto type = tensorType(scale);
  int64_t expected = axis < 0 ? 1 : x.getDimSize(axis);
  if (!type.hasStaticShape() || ShapedType::isDynamic(expected) || type.getNumElements() == expected)
    return success();
  return inferenceError(location, "C4: scale must have " + llvm::Twine(expected) + " elements, found " +
                                      debugString(type));
}

LogicalResult checkTrainedScale(std::optional<Location> location, bool isTraining, int64_t axis, Value accum,
                                Value state) {
  if (isTraining && axis < 0 && (!accum || !state))
    return inferenceError(location,
                          "C5: in_accum or in_state is missing, which training with one scale needs");
  return success();
}

LogicalResult inferChannelDequantizeOf(std::optional<Location> location, RankedTensorType x,
                                       ValueRange scales, size_t bits, int64_t axis, int64_t secondAxis,
                                       Results &results) {
  if ((scales.size() != 1 && scales.size() != 2) || bits < scales.size())
    return inferenceError(location,
                          "C5: expected one or two tensors of scales and as many quant_bits, found " +
                              llvm::Twine(scales.size()) + " and " + llvm::Twine(bits));
  if (failed(checkScale(location, x, scales[0], scales.size() == 1 ? axis : secondAxis)) ||
      (scales.size() == 2 && failed(checkScale(location, x, scales[1], -1))))
    return failure();
  results.push_back(x);
  return success();
}

//===-- Formulas ----------------------------------------------------------------------------------------===//

namespace {

double boundOf(int64_t bitLength) { return static_cast<double>((int64_t(1) << (bitLength - 1)) - 1); }

Expression roundAway(TensorBuilder &e, Expression x) { return e.wrap(e.create<RoundOp>(x)); }

Expression roundEven(TensorBuilder &e, Expression x) {
  return e.wrap(e.create<RoundOp>(x, /*decimals=*/0, /*half_to_even=*/true));
}

/// A scale as a tensor that broadcasts to x: along `axis`, or a single one.
Expression alongAxis(TensorBuilder &e, Expression x, Expression scale, int64_t axis) {
  if (axis < 0)
    return e.reshape(scale, {});
  llvm::SmallVector<int64_t> shape(x.rank(), 1);
  shape[axis] = -1;
  return e.reshape(scale, shape);
}

struct Rounding {
  double bound;
  int64_t type;
};

/// x quantized to integers; `scale` broadcasts.
Expression quantized(TensorBuilder &e, Expression x, Expression scale, Rounding rounding) {
  Expression inverse = e.select(scale <= 1e-30, 1.0 / (scale + 1e-6), 1.0 / scale);
  if (rounding.type == 0)
    return e.maximum(-rounding.bound - 1,
                     e.minimum(rounding.bound, roundEven(e, rounding.bound * inverse * x)));
  Expression clipped = e.minimum(scale, e.maximum(-scale, x));
  // The bounds hold by then; they tell passes the range of the integers.
  return e.maximum(-rounding.bound,
                   e.minimum(rounding.bound, roundAway(e, rounding.bound * inverse * clipped)));
}

Expression dequantized(Expression x, Expression scale, double bound) { return x * scale / bound; }

/// max|x| for each index along `axis`, or of all elements, as a 1-D tensor.
Expression greatest(TensorBuilder &e, Expression x, int64_t axis) {
  llvm::SmallVector<int64_t> axes;
  for (int64_t i = 0; i < x.rank(); ++i)
    if (i != axis)
      axes.push_back(i);
  Expression absolute = e.abs(x);
  return e.reshape(axes.empty() ? absolute : e.max(absolute, axes, false), {axis < 0 ? 1 : -1});
}

struct MovingScale {
  Expression scale, state, accum;
};

/// The moving average of max|x|, with states of one element; missing states are 0.
MovingScale movingScale(TensorBuilder &e, Expression x, Value inState, Value inAccum, double rate) {
  Type element = x.type().getElementType();
  auto old = [&](Value value) {
    return value ? e.cast(e.reshape(e.wrap(value), {1}), element) : e.reshape(e.constant(0, element), {1});
  };
  Expression state = old(inState) * rate + 1.0;
  Expression accum = old(inAccum) * rate + greatest(e, x, -1);
  return {accum / state, state, accum};
}

template <class Op> Rounding roundingOf(Op op) {
  return {boundOf(static_cast<int64_t>(op.getBitLength())), static_cast<int64_t>(op.getRoundType())};
}

template <class Op> SmallVector<Value> byAbsMax(OpBuilder &builder, Op op, int64_t axis, bool andBack) {
  TensorBuilder e(builder, op);
  Expression x = e.computed(op.getX());
  Rounding rounding = roundingOf(op);
  Expression scales = greatest(e, x, axis), scale = alongAxis(e, x, scales, axis);
  Expression out = quantized(e, x, scale, rounding);
  return e.results({andBack ? dequantized(out, scale, rounding.bound) : out, scales});
}

template <class Op> SmallVector<Value> byMovingAverage(OpBuilder &builder, Op op, bool andBack) {
  TensorBuilder e(builder, op);
  Expression x = e.computed(op.getX());
  Rounding rounding = roundingOf(op);
  MovingScale moving =
      movingScale(e, x, op.getInState(), op.getInAccum(), op.getMovingRate().convertToDouble());
  if (op.getIsTest()) {
    auto old = [&](Value value) {
      return e.reshape(value ? e.computed(value) : e.constant(0, x.type().getElementType()), {1});
    };
    moving = {e.reshape(e.computed(op.getInScale()), {1}), old(op.getInState()), old(op.getInAccum())};
  }
  Expression scale = alongAxis(e, x, moving.scale, -1);
  Expression out = quantized(e, x, scale, rounding);
  return e.results(
      {andBack ? dequantized(out, scale, rounding.bound) : out, moving.scale, moving.state, moving.accum});
}

} // namespace

FailureOr<SmallVector<Value>> QuantizeLinearOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  auto axis = static_cast<int64_t>(getQuantAxis());
  Type element = x.type().getElementType();
  Expression nothing = e.reshape(e.constant(0, element), {1});
  Expression state = getInState() ? e.reshape(e.computed(getInState()), {1}) : nothing;
  Expression accum = getInAccum() ? e.reshape(e.computed(getInAccum()), {1}) : nothing;
  if (getOnlyObserver())
    return e.results({x, state, accum, nothing});
  if (getIsTest()) {
    Expression scale = alongAxis(e, x, e.computed(getScale()), axis);
    return e.results({quantized(e, x, scale, roundingOf(*this)), state, accum, nothing});
  }
  Expression scales = nothing;
  if (axis < 0) {
    MovingScale moving = movingScale(e, x, getInState(), getInAccum(), getMovingRate().convertToDouble());
    scales = moving.scale;
    state = moving.state;
    accum = moving.accum;
  } else {
    scales = greatest(e, x, axis);
  }
  return e.results({quantized(e, x, alongAxis(e, x, scales, axis), roundingOf(*this)), state, accum, scales});
}

FailureOr<SmallVector<Value>> DequantizeLinearOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Type element = tensorType(getY()).getElementType();
  Type computed = element.isF64() ? element : Type(builder.getF32Type());
  Expression x = e.cast(e.wrap(getX()), computed);
  Expression nothing = e.reshape(e.constant(0, computed), {1});
  Expression y = x;
  if (!getOnlyObserver()) {
    if (!getScale())
      return notifyDecompositionFailure(builder, *this, "it has no scale");
    Expression scale =
        alongAxis(e, x, e.cast(e.wrap(getScale()), computed), static_cast<int64_t>(getQuantAxis()));
    y = dequantized(x, scale, boundOf(static_cast<int64_t>(getBitLength())));
  }
  // In training Paddle's kernel returns a scale that is not used. Without an axis it has one element, also
  // where the type of the result does not say so.
  auto axis = static_cast<int64_t>(getQuantAxis());
  int64_t count = axis < 0 ? 1 : tensorType(getOutScale()).getDimSize(0);
  Expression scale =
      expandTo(e.constant(0, computed), {ShapedType::isDynamic(count) ? DimSize(x, axis) : DimSize(count)});
  return e.results({y, nothing, nothing, scale});
}

FailureOr<SmallVector<Value>> FakeQuantizeAbsMaxOp::decompose(OpBuilder &builder) {
  return byAbsMax(builder, *this, -1, false);
}
FailureOr<SmallVector<Value>> FakeQuantizeDequantizeAbsMaxOp::decompose(OpBuilder &builder) {
  return byAbsMax(builder, *this, -1, true);
}
FailureOr<SmallVector<Value>> FakeChannelWiseQuantizeAbsMaxOp::decompose(OpBuilder &builder) {
  return byAbsMax(builder, *this, static_cast<int64_t>(getQuantAxis()), false);
}
FailureOr<SmallVector<Value>> FakeChannelWiseQuantizeDequantizeAbsMaxOp::decompose(OpBuilder &builder) {
  return byAbsMax(builder, *this, static_cast<int64_t>(getQuantAxis()), true);
}
FailureOr<SmallVector<Value>> FakeQuantizeMovingAverageAbsMaxOp::decompose(OpBuilder &builder) {
  return byMovingAverage(builder, *this, false);
}
FailureOr<SmallVector<Value>> FakeQuantizeDequantizeMovingAverageAbsMaxOp::decompose(OpBuilder &builder) {
  return byMovingAverage(builder, *this, true);
}

FailureOr<SmallVector<Value>> MovingAverageAbsMaxScaleOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  if (!getIsTest()) {
    MovingScale moving = movingScale(e, x, getInState(), getInAccum(), getMovingRate().convertToDouble());
    return e.results({x, moving.scale, moving.state, moving.accum});
  }
  Expression zero = e.reshape(e.constant(0, x.type().getElementType()), {1});
  auto old = [&](Value value) { return value ? e.reshape(e.computed(value), {1}) : zero; };
  return e.results({x, zero, old(getInState()), old(getInAccum())});
}

FailureOr<SmallVector<Value>> FakeQuantizeRangeAbsMaxOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  Type element = x.type().getElementType(), index = builder.getI64Type();
  Expression last = e.reshape(e.computed(getInScale()), {});
  auto ring = [&] {
    return getInScales() ? e.computed(getInScales())
                         : expandTo(e.constant(0, element), {DimSize(static_cast<int64_t>(getWindowSize()))});
  };
  if (getIsTest())
    return e.results({quantized(e, x, last, roundingOf(*this)), e.reshape(last, {1}), ring()});
  auto window = static_cast<double>(getWindowSize());
  Expression old = ring();
  Expression positions = iota(e, DimSize(old, 0), index);
  Expression step = e.cast(e.reshape(e.wrap(getIter()), {}), index);
  Expression position = e.wrap(e.create<RemainderOp>(step, e.constant(window, index)));
  Expression isPlace = e.wrap(e.create<EqualOp>(positions, position));
  Expression current = e.reshape(greatest(e, x, -1), {});
  Expression removed = e.max(e.select(isPlace, old, -std::numeric_limits<double>::infinity()), {0}, false);
  Expression now = e.select(isPlace, current, old);
  Expression count = e.minimum(step, window);
  Expression kept =
      e.max(e.select(positions < count, now, -std::numeric_limits<double>::infinity()), {0}, false);
  Expression hasLeft = e.abs(removed - last) < 1e-6;
  Expression scale =
      e.select(e.wrap(e.create<LessThanOp>(last, current)), current, e.select(hasLeft, kept, last));
  return e.results({quantized(e, x, scale, roundingOf(*this)), e.reshape(scale, {1}), now});
}

FailureOr<SmallVector<Value>> FakeDequantizeMaxAbsOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  return e.results({dequantized(e.computed(getX()), e.reshape(e.computed(getScale()), {}),
                                getMaxRange().convertToDouble())});
}

FailureOr<SmallVector<Value>> FakeChannelWiseDequantizeMaxAbsOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  bool two = getScales().size() == 2;
  double range = boundOf(getQuantBits()[0]) * (two ? boundOf(getQuantBits()[1]) : 1);
  auto axis = static_cast<int64_t>(two ? getXNumColDims() : getQuantAxis());
  Expression scale = alongAxis(e, x, e.computed(getScales()[0]), axis);
  if (two)
    scale = scale * e.reshape(e.computed(getScales()[1]), {});
  return e.results({dequantized(x, scale, range)});
}

FailureOr<SmallVector<Value>> DequantizeAbsMaxOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression scale = e.reshape(e.computed(getScale()), {});
  Expression x = e.cast(e.wrap(getX()), scale.type().getElementType());
  return e.results({scale * x / getMaxRange().convertToDouble()});
}

FailureOr<SmallVector<Value>> DequantizeLogOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.cast(e.wrap(getX()), builder.getI64Type()), table = e.reshape(e.wrap(getDict()), {-1});
  Expression isNegative = x < 0.0;
  Value position = e.select(isNegative, x + 128.0, x);
  Expression entry = e.wrap(e.create<GatherOp>(table, position, Value(), uint64_t(0)));
  return SmallVector<Value>{e.select(isNegative, -entry, entry)};
}

//===-- The affine ops of oneDNN ------------------------------------------------------------------------===//

namespace {

/// Rounded and clamped to the range of an integer type.
Expression toInteger(TensorBuilder &e, Expression x, Type element) {
  if (!element.isInteger())
    return x;
  bool isUnsigned = element.isUnsignedInteger();
  unsigned bits = element.getIntOrFloatBitWidth();
  double low = isUnsigned ? 0 : -std::ldexp(1.0, static_cast<int>(bits) - 1);
  double high = std::ldexp(1.0, static_cast<int>(isUnsigned ? bits : bits - 1)) - 1;
  return e.cast(e.maximum(e.minimum(roundEven(e, x), high), low), element);
}

/// oneDNN takes shifts as integers.
double integerShift(const llvm::APFloat &shift) { return std::trunc(shift.convertToDouble()); }

} // namespace

FailureOr<SmallVector<Value>> QuantizeOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getInput());
  Type element = tensorType(getOutput()).getElementType();
  return e.results({toInteger(e, x * getScale().convertToDouble() + integerShift(getShift()), element)});
}

FailureOr<SmallVector<Value>> DequantizeOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.cast(e.wrap(getInput()), builder.getF32Type());
  return e.results({(x - integerShift(getShift())) / getScale().convertToDouble()});
}

FailureOr<SmallVector<Value>> RequantizeOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.cast(e.wrap(getInput()), builder.getF32Type());
  // Paddle rounds the shift of the whole before it gives it to oneDNN.
  double scale = getScaleOut().convertToDouble() / getScaleIn().convertToDouble();
  double shift = std::round(integerShift(getShiftOut()) - scale * integerShift(getShiftIn()));
  Expression moved = x * scale + std::clamp(shift, 0.0, 255.0);
  return e.results({toInteger(e, moved, tensorType(getOutput()).getElementType())});
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/quantization/Quantization.cpp.inc"
#include "dialects/pd/ops/quantization/Quantization.methods.inc"
#include "dialects/pd/ops/quantization/Quantization.scalar.inc"
