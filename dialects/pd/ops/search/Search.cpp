#include "dialects/pd/ops/search/Search.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/reduce/Reduce.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/reduce/ScanOps.h"
#include "dialects/pd/ops/search/CountOps.h"
#include "dialects/pd/ops/search/SearchOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/shape/DynamicDims.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/ops/shape/KnownElements.h"
#include "dialects/pd/ops/shape/Shape.h"
#include "dialects/pd/reference/Evaluate.h"
#include "lib/base/support/SortOrder.h"

#include "dialects/pd/ir/MatchFailure.h"
#include <cmath>
#include <numeric>

using namespace mlir;

namespace proa::pd {
namespace {

Type int64Type(MLIRContext *context) { return IntegerType::get(context, 64); }

/// x seen as lines along one axis.
struct Lines {
  int64_t dimSize = 1, inner = 1, count = 1;
  Lines(llvm::ArrayRef<int64_t> dims, int64_t axis) {
    for (auto [d, dim] : llvm::enumerate(dims)) {
      (static_cast<int64_t>(d) == axis ? dimSize : count) *= dim;
      if (static_cast<int64_t>(d) > axis)
        inner *= dim;
    }
  }
  /// The offset of element i of a line of a tensor with `length` elements along the axis.
  int64_t at(int64_t line, int64_t i, int64_t length) const {
    return (line / inner * length + i) * inner + line % inner;
  }
};

/// NaN is larger than every number.
bool less(const HostScalar &x, const HostScalar &y) {
  if (x.isInteger())
    return x.isLessInteger(y);
  return !std::isnan(x.real()) && (std::isnan(y.real()) || x.real() < y.real());
}

/// x < y; false if either is NaN.
bool isBelow(const HostScalar &x, const HostScalar &y) {
  return x.isInteger() ? x.isLessInteger(y) : x.real() < y.real();
}

/// The value that elements must be better than to be found: of floats, the worst finite number.
HostScalar firstBest(Value x, HostScalar firstElement, bool greatest) {
  auto type = dyn_cast<FloatType>(tensorType(x).getElementType());
  if (!type)
    return firstElement;
  llvm::APFloat bound = llvm::APFloat::getLargest(type.getFloatSemantics(), /*Negative=*/greatest);
  return HostScalar::of(bound.convertToDouble());
}

/// The indices along a line, with the first `count` in the order of its elements.
llvm::SmallVector<int64_t> sortedPositions(const Tensor &x, const Lines &lines, int64_t line, int64_t count,
                                           bool descending, SortOrder how) {
  llvm::SmallVector<int64_t> order(lines.dimSize);
  std::iota(order.begin(), order.end(), 0);
  auto value = [&](int64_t i) { return loadScalar(x, lines.at(line, i, lines.dimSize)); };
  sortFirst(order.begin(), order.end(), count, how, [&](int64_t a, int64_t b) {
    return descending ? less(value(b), value(a)) : less(value(a), value(b));
  });
  return order;
}

/// Writes the first elements of the order of each line.
void storeSorted(const Tensor &x, int64_t axis, bool descending, SortOrder how, Tensor &values,
                 Tensor &indices) {
  int64_t length = values.dims().empty() ? 1 : values.dims()[axis];
  Lines lines(x.dims(), axis);
  for (int64_t line = 0; line < lines.count; ++line) {
    llvm::SmallVector<int64_t> order = sortedPositions(x, lines, line, length, descending, how);
    for (int64_t i = 0; i < length; ++i) {
      storeScalar(values, lines.at(line, i, length), loadScalar(x, lines.at(line, order[i], lines.dimSize)));
      storeScalar(indices, lines.at(line, i, length), HostScalar::of(order[i]));
    }
  }
}

/// The axis of a tensor, where a scalar counts as a vector of one element; C1.
FailureOr<int64_t> axisOf(std::optional<Location> location, int64_t axis, int64_t rank) {
  return normalizeAxis(location, axis, std::max<int64_t>(rank, 1), "C1");
}

template <class Op> LogicalResult evaluateArg(Op op, const Tensor &x, Tensor &out, bool greatest) {
  Tensor view = op.getFlatten() ? x.reshaped({x.size()}) : x;
  auto entry = constantOr(op.getAxisTensor(), static_cast<int64_t>(op.getAxis()));
  if (failed(entry))
    return failure();
  auto axis = axisOf(std::nullopt, op.getFlatten() ? 0 : *entry, static_cast<int64_t>(view.dims().size()));
  if (failed(axis))
    return failure();
  Lines lines(view.dims(), *axis);
  for (int64_t line = 0; line < lines.count; ++line) {
    int64_t best = 0;
    HostScalar top = firstBest(op.getX(), loadScalar(view, lines.at(line, 0, lines.dimSize)), greatest);
    for (int64_t i = 0; i < lines.dimSize; ++i) {
      HostScalar value = loadScalar(view, lines.at(line, i, lines.dimSize));
      if (greatest ? isBelow(top, value) : isBelow(value, top)) {
        best = i;
        top = value;
      }
    }
    storeScalar(out, line, HostScalar::of(best));
  }
  return success();
}

template <class Op> LogicalResult absorbAxis(Op op, PatternRewriter &rewriter) {
  return absorbOperand(rewriter, op, op.getAxisTensorMutable(), [&](auto axis) { op.setAxis(axis.front()); });
}

} // namespace

//===-- argmax and argmin -------------------------------------------------------------------------------===//

LogicalResult inferArgOf(std::optional<Location> location, RankedTensorType type, Value axisTensor,
                         int64_t axisAttribute, bool keepdims, bool flatten, std::optional<Type> dtype,
                         Results &results) {
  auto entry = constantOr(location, "axis", axisTensor, axisAttribute, "C2");
  auto axis =
      failed(entry) || flatten ? FailureOr<int64_t>(int64_t(0)) : axisOf(location, *entry, type.getRank());
  if (failed(entry) || failed(axis))
    return failure();
  llvm::SmallVector<int64_t> shape(type.getShape());
  if (flatten)
    shape.assign(keepdims ? type.getRank() : 0, 1);
  else if (keepdims && type.getRank() > 0)
    shape[*axis] = 1;
  else if (type.getRank() > 0)
    shape.erase(shape.begin() + *axis);
  results.push_back(RankedTensorType::get(shape, dtype.value_or(int64Type(type.getContext()))));
  return success();
}

LogicalResult ArgmaxOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  return evaluateArg(*this, operands[0], results[0], true);
}
LogicalResult ArgminOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  return evaluateArg(*this, operands[0], results[0], false);
}
OpFoldResult ArgmaxOp::fold(FoldAdaptor adaptor) {
  return foldByEvaluation(getOperation(), adaptor.getOperands());
}
OpFoldResult ArgminOp::fold(FoldAdaptor adaptor) {
  return foldByEvaluation(getOperation(), adaptor.getOperands());
}
LogicalResult ArgmaxOp::canonicalize(ArgmaxOp op, PatternRewriter &rewriter) {
  return absorbAxis(op, rewriter);
}
LogicalResult ArgminOp::canonicalize(ArgminOp op, PatternRewriter &rewriter) {
  return absorbAxis(op, rewriter);
}

//===-- Sorting -----------------------------------------------------------------------------------------===//

LogicalResult ArgsortOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                          Adaptor adaptor, llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX());
  if (failed(axisOf(location, adaptor.getAxis(), type.getRank())))
    return failure();
  results.push_back(type);
  results.push_back(type.clone(int64Type(context)));
  return success();
}

LogicalResult ArgsortOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  auto axis = axisOf(std::nullopt, getAxis(), static_cast<int64_t>(operands[0].dims().size()));
  if (failed(axis))
    return failure();
  storeSorted(operands[0], *axis, getDescending(), getStable() ? SortOrder::Stable : SortOrder::Sort,
              results[0], results[1]);
  return success();
}

LogicalResult ArgsortOp::fold(FoldAdaptor adaptor, llvm::SmallVectorImpl<OpFoldResult> &results) {
  return foldAllByEvaluation(getOperation(), adaptor.getOperands(), results);
}

LogicalResult TopkOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                       Adaptor adaptor, llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX());
  auto axis = axisOf(location, adaptor.getAxis(), type.getRank());
  if (failed(axis))
    return failure();
  auto k = static_cast<int64_t>(adaptor.getK());
  if (adaptor.getKTensor()) {
    auto known = allKnownElements(adaptor.getKTensor());
    k = known && known->size() == 1 ? known->front() : unknown;
  }
  llvm::SmallVector<int64_t> shape(type.getShape());
  if (!shape.empty()) {
    if (k != unknown && (k < 1 || (shape[*axis] != unknown && k > shape[*axis])))
      return inferenceError(location, "C2: k must be at least 1 and at most the dim of the axis, found " +
                                          llvm::Twine(k));
    shape[*axis] = k;
  }
  results.push_back(type.clone(shape));
  results.push_back(RankedTensorType::get(shape, int64Type(context)));
  return success();
}

LogicalResult TopkOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  auto axis = axisOf(std::nullopt, getAxis(), static_cast<int64_t>(operands[0].dims().size()));
  if (failed(axis))
    return failure();
  storeSorted(operands[0], *axis, getLargest(), orderOfSelection(getSorted(), getStable()), results[0],
              results[1]);
  return success();
}

LogicalResult TopkOp::fold(FoldAdaptor adaptor, llvm::SmallVectorImpl<OpFoldResult> &results) {
  return foldAllByEvaluation(getOperation(), adaptor.getOperands(), results);
}

LogicalResult TopkOp::canonicalize(TopkOp op, PatternRewriter &rewriter) {
  return absorbOperand(rewriter, op, op.getKTensorMutable(), [&](auto k) { op.setK(k.front()); });
}

LogicalResult KthvalueOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                           Adaptor adaptor, llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX());
  auto axis = axisOf(location, adaptor.getAxis(), type.getRank());
  if (failed(axis))
    return failure();
  auto k = static_cast<int64_t>(adaptor.getK());
  llvm::SmallVector<int64_t> shape(type.getShape());
  if (k < 1 || (!shape.empty() && shape[*axis] != unknown && k > shape[*axis]))
    return inferenceError(location, "C2: k must be at least 1 and at most the dim of the axis, found " +
                                        llvm::Twine(k));
  if (!shape.empty() && adaptor.getKeepdim())
    shape[*axis] = 1;
  else if (!shape.empty())
    shape.erase(shape.begin() + *axis);
  results.push_back(type.clone(shape));
  results.push_back(RankedTensorType::get(shape, int64Type(context)));
  return success();
}

FailureOr<SmallVector<Value>> KthvalueOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX());
  int64_t axis = *axisOf(std::nullopt, getAxis(), x.rank());
  auto at = static_cast<int64_t>(getK()) - 1;
  auto least =
      TopkOp::create(builder, getLoc(), getX(), Value(), getK(), axis, /*largest=*/false, /*sorted=*/false,
                     /*stable=*/false);
  SmallVector<Value> out;
  for (Value result : least->getResults()) {
    Expression all = e.wrap(result);
    if (x.rank() > 0)
      all = slice(all, axis, at, at + 1);
    out.push_back(getKeepdim() || x.rank() == 0 ? all : dropDim(all, axis));
  }
  return out;
}

/// NaNs are ignored, or make the result NaN.
template <class Op>
static FailureOr<SmallVector<Value>> medianOf(Op op, OpBuilder &builder, bool passesOverNan) {
  TensorBuilder e(builder, op);
  Expression x = e.operand(0);
  llvm::SmallVector<int64_t> axes = reducedAxes(op.getAxis(), x.rank()), order;
  llvm::SmallVector<DimSize> lines, out;
  DimSize length(1);
  for (int64_t d = 0; d < x.rank(); ++d) {
    bool isReduced = llvm::is_contained(axes, d);
    length = isReduced ? multiply(e, length, DimSize(x, d)) : length;
    if (!isReduced)
      lines.push_back(DimSize(x, d));
    if (!isReduced || op.getKeepdim())
      out.push_back(isReduced ? DimSize(1) : DimSize(x, d));
    if (!isReduced)
      order.push_back(d);
  }
  order.append(axes.begin(), axes.end());
  auto last = static_cast<int64_t>(lines.size());
  lines.push_back(length);
  // NaNs are sorted to the end, after `count` numbers.
  Expression flat = reshapeTo(x.rank() > 0 ? e.transpose(x, order) : x, lines);
  Expression sorted = e.wrap(e.create<ArgsortOp>(flat, last, false, true));
  Expression valid = e.wrap(e.create<LogicalNotOp>(e.isnan(flat)));
  Expression count = e.sum(e.cast(valid, builder.getI64Type()), {last});
  auto at = [&](Expression index) { return e.wrap(e.create<TakeAlongAxisOp>(sorted, index, last)); };
  Expression lower = at(e.maximum(count - 1.0, 0.0) / 2.0), upper = at(count / 2.0);
  Expression median = op.getMode() == MedianMode::Min ? lower : lower * 0.5 + upper * 0.5;
  if (!passesOverNan) {
    Expression isComplete = e.equal(e.sum(e.cast(e.isnan(flat), builder.getI64Type()), {last}), 0.0);
    median = e.select(isComplete, median, std::numeric_limits<double>::quiet_NaN());
  }
  return e.results({reshapeTo(median, out)});
}

FailureOr<SmallVector<Value>> NanmedianOp::decompose(OpBuilder &builder) {
  return medianOf(*this, builder, true);
}
FailureOr<SmallVector<Value>> MedianOp::decompose(OpBuilder &builder) {
  return medianOf(*this, builder, false);
}

LogicalResult SearchsortedOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                               Adaptor adaptor, llvm::SmallVectorImpl<Type> &results) {
  auto sequence = tensorType(adaptor.getSortedSequence()), values = tensorType(adaptor.getValues());
  if (sequence.getRank() != 1 && sequence.getRank() != values.getRank())
    return inferenceError(location, "C1: sorted_sequence must have rank 1 or " +
                                        llvm::Twine(values.getRank()) + ", found rank " +
                                        llvm::Twine(sequence.getRank()));
  results.push_back(values.clone(IntegerType::get(context, adaptor.getOutInt32() ? 32 : 64)));
  return success();
}

FailureOr<SmallVector<Value>> SearchsortedOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression sequence = e.wrap(getSortedSequence()), values = e.wrap(getValues());
  if (sequence.rank() > 1)
    sequence = insertDim(sequence, sequence.rank() - 1);
  values = insertDim(e.cast(values, sequence.type().getElementType()), values.rank());
  Value before =
      getRight() ? e.create<LessEqualOp>(sequence, values) : e.create<LessThanOp>(sequence, values);
  if (isa<FloatType>(values.type().getElementType())) { // all are before infinities and NaN
    Expression zero = values - values;
    before = e.create<LogicalOrOp>(before, e.create<NotEqualOp>(zero, zero));
  }
  Type dtype = tensorType(getOut()).getElementType();
  int64_t last = tensorType(before).getRank() - 1;
  return SmallVector<Value>{e.create<SumOp>(before, llvm::ArrayRef(last), false, TypeAttr::get(dtype))};
}

//===-- Finding -----------------------------------------------------------------------------------------===//

LogicalResult NonzeroOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, Adaptor adaptor,
                                          llvm::SmallVectorImpl<Type> &results) {
  results.push_back(
      RankedTensorType::get({unknown, tensorType(adaptor.getCondition()).getRank()}, int64Type(context)));
  return success();
}

LogicalResult MaskedSelectOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                               Adaptor adaptor, llvm::SmallVectorImpl<Type> &results) {
  if (failed(broadcastShapes(location, adaptor.getOperands().getTypes(), "C1")))
    return failure();
  results.push_back(tensorType(adaptor.getX()).clone(llvm::ArrayRef<int64_t>{unknown}));
  return success();
}

FailureOr<SmallVector<Value>> MaskedSelectOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX()), mask = e.wrap(getMask());
  if (x.type().getShape() != mask.type().getShape()) {
    auto box = BroadcastTensorsOp::create(builder, getLoc(), ValueRange{x, mask});
    x = e.wrap(box->getResult(0));
    mask = e.wrap(box->getResult(1));
  }
  // One number for each element instead of one for each axis.
  DimSize count = elementsOf(x);
  Value positions = e.create<NonzeroOp>(reshapeTo(mask, {count}));
  return SmallVector<Value>{e.create<GatherNdOp>(reshapeTo(x, {count}), positions)};
}

LogicalResult OneHotOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                         Adaptor adaptor, llvm::SmallVectorImpl<Type> &results) {
  llvm::SmallVector<int64_t> shape(tensorType(adaptor.getX()).getShape());
  auto classes = static_cast<int64_t>(adaptor.getNumClasses());
  if (adaptor.getNumClassesTensor()) {
    auto known = allKnownElements(adaptor.getNumClassesTensor());
    classes = known && known->size() == 1 ? known->front() : unknown;
  }
  if (classes < 1 && classes != unknown)
    return inferenceError(location, "C1: num_classes must be at least 1, found " + llvm::Twine(classes));
  shape.push_back(classes);
  results.push_back(RankedTensorType::get(shape, adaptor.getDtype().value_or(Float32Type::get(context))));
  return success();
}

FailureOr<SmallVector<Value>> OneHotOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX());
  Type element = x.type().getElementType();
  auto type = tensorType(getOut());
  DimSize count = type.getShape().back() == unknown
                      ? DimSize::element(reshapeTo(e.wrap(getNumClassesTensor()), {DimSize(1)}), 0)
                      : DimSize(type.getShape().back());
  Value hot = e.create<EqualOp>(insertDim(x, x.rank()), iota(e, count, element));
  return SmallVector<Value>{e.cast(e.wrap(hot), type.getElementType())};
}

LogicalResult OneHotOp::canonicalize(OneHotOp op, PatternRewriter &rewriter) {
  return absorbOperand(rewriter, op, op.getNumClassesTensorMutable(),
                       [&](auto v) { op.setNumClasses(v.front()); });
}

FailureOr<SmallVector<Value>> ShardIndexOp::decompose(OpBuilder &builder) {
  auto count = static_cast<int64_t>(getIndexNum()), shards = static_cast<int64_t>(getNshards());
  if (shards < 1 || count < 1)
    return notifyDecompositionFailure(builder, *this, "nshards and index_num must be positive");
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX());
  Type element = x.type().getElementType();
  Expression size = e.constant(double((count + shards - 1) / shards), element);
  Expression shard = e.wrap(e.create<FloorDivideOp>(x, size)), local = e.wrap(e.create<RemainderOp>(x, size));
  Value ours = e.create<EqualOp>(shard, e.constant(double(getShardId()), element));
  return SmallVector<Value>{e.select(e.wrap(ours), local, double(static_cast<int64_t>(getIgnoreValue())))};
}

LogicalResult inferModeOf(std::optional<Location> location, RankedTensorType x, int64_t axisAttribute,
                          bool keepdim, Results &results) {
  auto axis = axisOf(location, axisAttribute, x.getRank());
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
FailureOr<SmallVector<Value>> ModeOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX());
  Type i64 = builder.getI64Type();
  if (x.rank() == 0)
    return SmallVector<Value>{x, e.constant(0, i64)};
  int64_t axis = *normalizeAxis(static_cast<int64_t>(getAxis()), x.rank());
  auto sorting = ArgsortOp::create(builder, getLoc(), getX(), axis, false, false);
  Expression sorted = e.wrap(sorting.getOut()), indices = e.wrap(sorting.getIndices());
  DimSize length(x, axis);
  llvm::SmallVector<DimSize> line(x.rank(), DimSize(1));
  line[axis] = length;
  Expression positions = reshapeTo(iota(e, length, i64), line);
  Expression differs =
      e.wrap(e.create<NotEqualOp>(slice(sorted, axis, 1, toTheEnd), slice(sorted, axis, 0, -1)));
  Expression begins = e.cast(differs, i64) * slice(positions, axis, 1, toTheEnd);
  begins = concat({slice(indices, axis, 0, 1) * 0.0, begins}, axis);
  Expression runBegin = e.wrap(e.create<CummaxOp>(begins, axis, TypeAttr()));
  Value best = e.create<ArgmaxOp>(positions - runBegin, Value(), axis, true, false, TypeAttr());
  SmallVector<Value> results;
  for (Expression all : {sorted, indices}) {
    Expression taken = e.wrap(e.create<TakeAlongAxisOp>(all, best, axis));
    results.push_back(getKeepdim() ? taken : dropDim(taken, axis));
  }
  return results;
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/search/Search.cpp.inc"
#include "dialects/pd/ops/search/Search.methods.inc"
