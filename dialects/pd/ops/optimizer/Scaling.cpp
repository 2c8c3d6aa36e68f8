#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/optimizer/Optimizer.h"
#include "dialects/pd/ops/optimizer/ScalingOps.h"
#include "dialects/pd/ops/reduce/Reduce.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/shape/JoinOps.h"

using namespace mlir;

namespace proa::pd {
namespace {

bool mayHaveOneElement(Value value) {
  auto type = tensorType(value);
  return !type.hasStaticShape() || type.getNumElements() == 1;
}

Expression number(TensorBuilder &e, Value value) { return e.reshape(e.wrap(value), {}); }
Expression logicalAnd(TensorBuilder &e, Expression x, Expression y) {
  return e.wrap(e.create<LogicalAndOp>(x, y));
}
Expression logicalOr(TensorBuilder &e, Expression x, Expression y) {
  return e.wrap(e.create<LogicalOrOp>(x, y));
}
Expression logicalNot(TensorBuilder &e, Expression x) { return e.wrap(e.create<LogicalNotOp>(x)); }
Expression isFinite(TensorBuilder &e, Expression x) { return e.wrap(e.create<IsfiniteOp>(x)); }
Expression equal(TensorBuilder &e, Expression x, Expression y) { return e.wrap(e.create<EqualOp>(x, y)); }

/// A rank-0 value in the type and dims of a result.
Value shapedAs(TensorBuilder &e, Expression x, Value result) {
  auto type = tensorType(result);
  Expression typed = e.cast(x, type.getElementType());
  return e.reshape(typed, llvm::SmallVector<int64_t>(type.getRank(), 1));
}

} // namespace

//===-- add_n -------------------------------------------------------------------------------------------===//

LogicalResult inferAddNOf(std::optional<Location> location, ValueRange inputs, Results &results) {
  if (inputs.empty())
    return inferenceError(location, "C1: there is no input");
  auto first = tensorType(inputs[0]);
  llvm::SmallVector<int64_t> shape(first.getShape());
  for (Value input : inputs) {
    auto type = tensorType(input);
    if (type.getElementType() != first.getElementType() ||
        failed(verifyCompatibleShape(shape, type.getShape())))
      return inferenceError(location,
                            "C1: the inputs must have the same dimensions and element type, found " +
                                llvm::Twine(debugString(first)) + " and " + debugString(type));
    for (auto [known, dim] : llvm::zip(shape, type.getShape()))
      if (ShapedType::isDynamic(known))
        known = dim;
  }
  results.push_back(first.clone(shape));
  return success();
}

FailureOr<SmallVector<Value>> AddNOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression sum = e.operand(0);
  for (unsigned i = 1; i < getNumOperands(); ++i)
    sum = sum + e.operand(i);
  return e.results({sum});
}

//===-- Loss scaling ------------------------------------------------------------------------------------===//

LogicalResult inferUnscaleOf(std::optional<Location> location, ValueRange x, Value scale, Results &results) {
  if (!mayHaveOneElement(scale))
    return inferenceError(location, "C1: scale must have one element, found " +
                                        llvm::Twine(debugString(scale.getType())));
  llvm::append_range(results, x.getTypes());
  results.push_back(RankedTensorType::get({1}, IntegerType::get(scale.getContext(), 1)));
  return success();
}

FailureOr<SmallVector<Value>> CheckFiniteAndUnscaleOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  llvm::SmallVector<Expression> outs;
  Expression found = e.cast(e.constant(0, builder.getI32Type()), builder.getI1Type());
  for (Value value : getX()) {
    Expression x = e.computed(value);
    Expression finite = e.wrap(e.create<AllOp>(isFinite(e, x), reducedAxes({}, x.rank()), false));
    found = logicalOr(e, found, logicalNot(e, finite));
    Expression inverse = 1.0 / e.cast(number(e, getScale()), x.type().getElementType());
    outs.push_back(x * e.select(found, 0.0, inverse));
  }
  outs.push_back(e.reshape(found, {1}));
  return e.results(outs);
}

LogicalResult inferLossScalingOf(std::optional<Location> location, ValueRange x,
                                 llvm::ArrayRef<Value> numbers, Results &results) {
  for (Value value : numbers)
    if (!mayHaveOneElement(value))
      return inferenceError(location,
                            "C1: found_infinite, the scale and both counters must have one element, found " +
                                llvm::Twine(debugString(value.getType())));
  llvm::append_range(results, x.getTypes());
  for (Value value : numbers.take_front(3))
    results.push_back(value.getType());
  return success();
}

FailureOr<SmallVector<Value>> UpdateLossScalingOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression found = number(e, getFoundInfinite());
  llvm::SmallVector<Value> values;
  for (Value x : getX())
    values.push_back(e.select(found, 0.0, e.wrap(x)));
  Expression scale = number(e, getPrevLossScaling());
  Expression good = number(e, getInGoodSteps()), bad = number(e, getInBadSteps());
  Type counter = good.type().getElementType();
  Expression zero = e.constant(0, counter);
  Expression moreGood = good + 1.0, moreBad = bad + 1.0;
  Expression grows = equal(e, moreGood, e.constant(static_cast<double>(getIncrEveryNSteps()), counter));
  Expression shrinks = equal(e, moreBad, e.constant(static_cast<double>(getDecrEveryNNanOrInf()), counter));
  Expression grown = scale * getIncrRatio().convertToDouble();
  grown = e.select(isFinite(e, grown), grown, scale);
  Expression shrunk = e.maximum(scale * getDecrRatio().convertToDouble(), 1.0);
  Expression newScale = e.select(found, e.select(shrinks, shrunk, scale), e.select(grows, grown, scale));
  Expression newGood = e.select(found, zero, e.select(grows, zero, moreGood));
  Expression newBad = e.select(found, e.select(shrinks, zero, moreBad), zero);
  if (getStopUpdateTensor() || getStopUpdate()) {
    Expression stop = getStopUpdateTensor()
                          ? number(e, getStopUpdateTensor())
                          : e.cast(e.constant(1, builder.getI32Type()), builder.getI1Type());
    newScale = e.select(stop, scale, newScale);
    newGood = e.select(stop, good, newGood);
    newBad = e.select(stop, bad, newBad);
  }
  values.push_back(shapedAs(e, newScale, getLossScaling()));
  values.push_back(shapedAs(e, newGood, getOutGoodSteps()));
  values.push_back(shapedAs(e, newBad, getOutBadSteps()));
  return values;
}

//===-- Averages ----------------------------------------------------------------------------------------===//

FailureOr<SmallVector<Value>> AverageAccumulatesOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  // The number of addends that a float can sum without losing them.
  constexpr double mostSummands = 16384;
  Expression sum1 = e.computed(getInSum_1()), sum2 = e.computed(getInSum_2()),
             sum3 = e.computed(getInSum_3());
  Expression updates = number(e, getInNumUpdates()) + 1.0,
             accumulates = number(e, getInNumAccumulates()) + 1.0;
  Expression old = number(e, getInOldNumAccumulates());
  Type counter = updates.type().getElementType(), wide = builder.getF64Type();
  Expression full = equal(e, e.wrap(e.create<RemainderOp>(updates, e.constant(mostSummands, counter))),
                          e.constant(0, counter));
  // As in Paddle, the product is converted to an integer.
  Expression share = e.cast(e.cast(updates, wide) * getAverageWindow().convertToDouble(), counter);
  Expression longest = e.minimum(share, static_cast<double>(getMaxAverageWindow()));
  Expression done = logicalAnd(e, accumulates >= static_cast<double>(getMinAverageWindow()),
                               e.wrap(e.create<GreaterEqualOp>(accumulates, longest)));
  sum1 = sum1 + e.computed(getParam());
  Expression newSum3 = e.select(done, sum1 + sum2, sum3), newSum2 = e.select(full, sum2 + sum1, sum2);
  Expression newSum1 = e.select(logicalOr(e, full, done), 0.0, sum1);
  llvm::SmallVector<Value> sums{
      e.cast(newSum1, tensorType(getOutSum_1()).getElementType()),
      e.cast(e.select(done, 0.0, newSum2), tensorType(getOutSum_2()).getElementType()),
      e.cast(newSum3, tensorType(getOutSum_3()).getElementType())};
  sums.push_back(shapedAs(e, e.select(done, 0.0, accumulates), getOutNumAccumulates()));
  sums.push_back(shapedAs(e, e.select(done, accumulates, old), getOutOldNumAccumulates()));
  sums.push_back(shapedAs(e, updates, getOutNumUpdates()));
  return sums;
}

FailureOr<SmallVector<Value>> Pow2DecayWithLinearWarmupOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  double warmup = static_cast<double>(getWarmupSteps()), total = static_cast<double>(getTotalSteps());
  double base = getBaseLr().convertToDouble(), end = getEndLr().convertToDouble();
  Expression step = number(e, getStep()) + 1.0;
  Expression s = e.cast(step, builder.getF64Type());
  Expression left = 1.0 - (s - warmup) / (total - warmup);
  Expression later =
      e.select(s <= total, (base - end) * (left * left) + end, e.constant(end, builder.getF64Type()));
  Expression rate = e.select(s <= warmup, s / warmup * base, later);
  return SmallVector<Value>{shapedAs(e, rate, getLearningRateOut()), shapedAs(e, step, getStepOut())};
}

//===-- coalesce_tensor ---------------------------------------------------------------------------------===//

int64_t coalescedElements(RankedTensorType type, int64_t alignment) {
  Type dtype = type.getElementType();
  int64_t bytes = std::max<int64_t>(1, dtype.isIntOrFloat() ? dtype.getIntOrFloatBitWidth() / 8 : 8);
  int64_t size = type.getNumElements() * bytes;
  return alignment > 0 ? (size + alignment - 1) / alignment * alignment / bytes : size / bytes;
}

LogicalResult inferCoalesceOf(std::optional<Location> location, ValueRange x, Type dtype, int64_t alignment,
                              Results &results) {
  results.clear();
  int64_t total = 0;
  for (Value value : x) {
    auto type = tensorType(value);
    if (!type.hasStaticShape())
      return inferenceError(location,
                            "C1: the dimensions must be known, found " + llvm::Twine(debugString(type)));
    results.push_back(type.clone(dtype));
    total += coalescedElements(type.clone(dtype), alignment);
  }
  results.push_back(RankedTensorType::get({total}, dtype));
  return success();
}

FailureOr<SmallVector<Value>> CoalesceTensorOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  int64_t alignment = coalesceAlignment(*this);
  llvm::SmallVector<Value> values;
  llvm::SmallVector<Expression> pieces;
  for (Value input : getInput()) {
    Expression x = e.cast(e.wrap(input), getDtype());
    if (!getCopyData())
      x = expandTo(e.constant(getSetConstant() ? getConstant().convertToDouble() : 0, getDtype()),
                   dimSizesOf(x));
    values.push_back(x);
    int64_t count = x.type().getNumElements();
    int64_t padding = coalescedElements(x.type(), alignment) - count;
    Expression flat = e.reshape(x, {count});
    if (padding > 0)
      flat = e.wrap(e.create<PadOp>(flat, llvm::ArrayRef<int64_t>{0, padding},
                                    getSetConstant() ? getConstant() : llvm::APFloat(0.0)));
    pieces.push_back(flat);
  }
  values.push_back(pieces.size() == 1 ? pieces.front() : concat(pieces, 0));
  return values;
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/optimizer/Scaling.cpp.inc"
#include "dialects/pd/ops/optimizer/Scaling.methods.inc"
#include "dialects/pd/ops/optimizer/Scaling.scalar.inc"
