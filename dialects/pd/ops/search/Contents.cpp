#include "dialects/pd/ops/search/Contents.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/reduce/Reduce.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/reduce/ScanOps.h"
#include "dialects/pd/ops/search/SearchOps.h"
#include "dialects/pd/ops/shape/Extent.h"
#include "dialects/pd/reference/Evaluate.h"

using namespace mlir;

namespace proa::pd {
namespace {

using Values = FailureOr<SmallVector<Value>>;

/// Whether the predicate is true for any element of x: a bool vector of one element.
template <class Predicate> SmallVector<Value> anyOf(Operation *op, OpBuilder &builder) {
  TensorBuilder e(builder, op);
  Expression holds = e.wrap(e.create<Predicate>(op->getOperand(0)));
  llvm::SmallVector<int64_t> axes = reducedAxes({}, holds.rank());
  return SmallVector<Value>{
      e.reshape(e.wrap(e.create<AnyOp>(holds, llvm::ArrayRef<int64_t>(axes), false)), {1})};
}

} // namespace

//===-- mode --------------------------------------------------------------------------------------------===//

LogicalResult inferModeOf(std::optional<Location> location, RankedTensorType x, int64_t axisAttribute,
                          bool keepdim, Results &results) {
  auto axis = normalizeAxis(location, axisAttribute, std::max<int64_t>(x.getRank(), 1));
  if (failed(axis))
    return failure();
  llvm::SmallVector<int64_t> shape(x.getShape());
  if (!shape.empty() && keepdim)
    shape[*axis] = 1;
  else if (!shape.empty())
    shape.erase(shape.begin() + *axis);
  results.push_back(x.clone(shape));
  results.push_back(RankedTensorType::get(shape, IntegerType::get(x.getContext(), 64)));
  return success();
}

/// In the sorted line the last elements of runs of equal elements are compared: the first of the longest runs
/// is the result.
Values ModeOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX());
  Type i64 = builder.getI64Type();
  if (x.rank() == 0)
    return SmallVector<Value>{x, e.constant(0, i64)};
  int64_t axis = *normalizeAxis(std::nullopt, static_cast<int64_t>(getAxis()), x.rank());
  auto sorting = ArgsortOp::create(builder, getLoc(), getX(), axis, false, false);
  Expression sorted = e.wrap(sorting.getOut()), places = e.wrap(sorting.getIndices());
  Extent length(x, axis);
  llvm::SmallVector<Extent> line(x.rank(), Extent(1));
  line[axis] = length;
  Expression positions = reshapeTo(iota(e, length, i64), line);
  Expression differs =
      e.wrap(e.create<NotEqualOp>(slice(sorted, axis, 1, toTheEnd), slice(sorted, axis, 0, -1)));
  Expression begins = e.cast(differs, i64) * slice(positions, axis, 1, toTheEnd);
  begins = concat({slice(places, axis, 0, 1) * 0.0, begins}, axis);
  Expression runBegin = e.wrap(e.create<CummaxOp>(begins, axis, TypeAttr()));
  Value best = e.create<ArgmaxOp>(positions - runBegin, Value(), axis, true, false, TypeAttr());
  SmallVector<Value> results;
  for (Expression all : {sorted, places}) {
    Expression taken = e.wrap(e.create<TakeAlongAxisOp>(all, best, axis));
    results.push_back(getKeepdim() ? taken : dropDim(taken, axis));
  }
  return results;
}

//===-- NaNs and infinities -----------------------------------------------------------------------------===//

Values HasNanOp::decompose(OpBuilder &builder) { return anyOf<IsnanOp>(getOperation(), builder); }
Values HasInfOp::decompose(OpBuilder &builder) { return anyOf<IsinfOp>(getOperation(), builder); }

Values CheckNumericsOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.cast(e.wrap(getTensor()), builder.getF32Type());
  llvm::SmallVector<int64_t> axes = reducedAxes({}, x.rank());
  Type i64 = builder.getI64Type();
  auto vectorOf = [&](Expression scalar) { return e.reshape(scalar, {1}); };
  auto count = [&](Value holds) { return vectorOf(e.sum(e.cast(e.wrap(holds), i64), axes, false)); };
  Expression counts =
      concat({count(e.create<IsnanOp>(x)), count(e.create<IsinfOp>(x)), count(e.equal(x, 0.0))}, 0);
  Expression values = concat(
      {vectorOf(e.max(x, axes, false)), vectorOf(-e.max(-x, axes, false)), vectorOf(e.mean(x, axes, false))},
      0);
  return SmallVector<Value>{counts, values};
}

//===-- auc ---------------------------------------------------------------------------------------------===//

LogicalResult inferAucOf(std::optional<Location> location, RankedTensorType predict, RankedTensorType label,
                         int64_t thresholds, int64_t steps, Results &results) {
  bool fits = predict.getRank() == 2 && (!label.hasStaticShape() || predict.isDynamicDim(0) ||
                                         label.getNumElements() == predict.getDimSize(0));
  if (!fits) {
    std::string text;
    llvm::raw_string_ostream(text) << "C1: predict must have rank 2 and label an element for each row, found "
                                   << predict << " and " << label;
    return inferenceError(location, text);
  }
  if (thresholds < 1 || steps < 0)
    return inferenceError(location,
                          "C2: num_thresholds must be positive and slide_steps not negative, found " +
                              llvm::Twine(thresholds) + " and " + llvm::Twine(steps));
  MLIRContext *context = predict.getContext();
  results.push_back(RankedTensorType::get({}, Float64Type::get(context)));
  int64_t buckets = thresholds + 1;
  llvm::SmallVector<int64_t> shape{1, buckets};
  if (steps > 0)
    shape = {(1 + steps) * buckets + 1};
  results.append(2, RankedTensorType::get(shape, IntegerType::get(context, 64)));
  return success();
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/search/Contents.cpp.inc"
#include "dialects/pd/ops/search/Contents.methods.inc"
