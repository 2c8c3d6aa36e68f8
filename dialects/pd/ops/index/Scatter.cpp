#include "dialects/pd/ir/MatchFailure.h"
#include "dialects/pd/ops/index/Positions.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/shape/KnownElements.h"
#include "dialects/pd/ops/shape/SliceBox.h"
#include "dialects/pd/reference/Evaluate.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::pd {
namespace {

void copyAll(const Tensor &from, Tensor &to) {
  for (int64_t i = 0; i < to.size(); ++i)
    storeScalar(to, i, loadScalar(from, i));
}

/// Scatter into x.
LogicalResult checkElementType(std::optional<Location> location, llvm::StringRef constraint,
                               llvm::StringRef name, Value x, Value put) {
  Type own = tensorType(x).getElementType(), other = tensorType(put).getElementType();
  if (own == other)
    return success();
  std::string text;
  llvm::raw_string_ostream(text) << constraint << ": x and " << name << " must have one element type, found "
                                 << own << " and " << other;
  return inferenceError(location, text);
}

/// `values` broadcasts to `box`; leading dims of 1 are ignored.
LogicalResult checkBroadcasts(std::optional<Location> location, llvm::StringRef constraint,
                              RankedTensorType values, llvm::ArrayRef<int64_t> box, llvm::StringRef what) {
  int64_t skipped = static_cast<int64_t>(box.size()) - values.getRank();
  bool fits = true;
  for (int64_t d = 0; d < values.getRank(); ++d) {
    int64_t dimSize = values.getDimSize(d), boxDim = skipped + d < 0 ? 1 : box[skipped + d];
    fits &=
        dimSize == 1 || dimSize == boxDim || ShapedType::isDynamic(dimSize) || ShapedType::isDynamic(boxDim);
  }
  if (fits)
    return success();
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << constraint << ": values must broadcast to the dimensions of " << what << " (";
  llvm::interleaveComma(box, stream, [&](int64_t dimSize) {
    if (ShapedType::isDynamic(dimSize))
      stream << "?";
    else
      stream << dimSize;
  });
  stream << "), found " << values;
  return inferenceError(location, text);
}

void update(Tensor &out, int64_t at, const HostScalar &value, ScatterReduce reduce) {
  HostScalarBuilder b(out.dtype());
  HostScalar old = loadScalar(out, at);
  storeScalar(out, at,
              reduce == ScatterReduce::Add        ? b.add(old, value)
              : reduce == ScatterReduce::Multiply ? b.multiply(old, value)
              : reduce == ScatterReduce::Amin     ? b.minimum(old, value)
              : reduce == ScatterReduce::Amax     ? b.maximum(old, value)
                                                  : value);
}

/// A vector of row indices, or one row index, as the index tensor of scatter_nd.
Expression asColumn(Expression index) {
  return reshapeTo(index, {index.rank() > 0 ? DimSize(index, 0) : DimSize(1), DimSize(1)});
}

/// The dims of operands that are broadcast to `shape`. Where it is dynamic, some operand is.
llvm::SmallVector<DimSize> commonDims(TensorBuilder &e, ValueRange operands, llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<DimSize> dimSizes(shape.begin(), shape.end());
  auto rank = static_cast<int64_t>(shape.size());
  for (int64_t d = 0; d < rank; ++d)
    for (Value operand : operands)
      if (int64_t own = d - rank + tensorType(operand).getRank();
          ShapedType::isDynamic(shape[d]) && own >= 0 && tensorType(operand).isDynamicDim(own))
        dimSizes[d] = DimSize(e.wrap(operand), own);
  return dimSizes;
}

} // namespace

//===-- scatter_nd --------------------------------------------------------------------------------------===//

LogicalResult ScatterNdOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                            llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX()), index = tensorType(adaptor.getIndex()),
       updates = tensorType(adaptor.getUpdates());
  auto depth = addressedDims(location, type, index);
  if (failed(depth))
    return failure();
  llvm::SmallVector<int64_t> expected(index.getShape().drop_back());
  expected.append(type.getShape().begin() + *depth, type.getShape().end());
  if (failed(verifyCompatibleShape(expected, updates.getShape())))
    return inferenceError(location, "C3: updates must have the dimensions of index and of the rest of x");
  if (failed(checkElementType(location, "C5", "updates", adaptor.getX(), adaptor.getUpdates())))
    return failure();
  results.push_back(type);
  return success();
}

LogicalResult ScatterNdOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  const Tensor &updates = operands[2];
  copyAll(operands[0], results[0]);
  RowPositions rows(operands[0].dims(), operands[1]);
  for (int64_t i = 0; i < updates.size(); ++i) {
    auto row = rows.offset(i / rows.inner());
    if (!row)
      return failure();
    update(results[0], *row + i % rows.inner(), loadScalar(updates, i), getReduce());
  }
  return success();
}

//===-- put_along_axis ----------------------------------------------------------------------------------===//

LogicalResult PutAlongAxisOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                               Adaptor adaptor, llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX()), indices = tensorType(adaptor.getIndices());
  if (failed(dimsAlongAxis(location, adaptor.getAxis(), type, indices)) ||
      failed(checkElementType(location, "C5", "values", adaptor.getX(), adaptor.getValues())) ||
      failed(checkBroadcasts(location, "C6", tensorType(adaptor.getValues()), indices.getShape(),
                             "the indices")))
    return failure();
  results.push_back(type);
  return success();
}

LogicalResult PutAlongAxisOp::evaluate(llvm::ArrayRef<Tensor> operands,
                                       llvm::MutableArrayRef<Tensor> results) {
  const Tensor &indices = operands[1], &values = operands[2];
  copyAll(operands[0], results[0]);
  auto axis = normalizeAxis(getAxis(), static_cast<int64_t>(results[0].dims().size()));
  bool inside = succeeded(axis);
  forEachIndex(indices.dims(), [&](llvm::ArrayRef<int64_t> index, int64_t position) {
    auto at = positionIn(loadScalar(indices, position).integer, results[0].dims()[*axis]);
    inside &= at.has_value();
    llvm::SmallVector<int64_t> target(index);
    target[*axis] = at.value_or(0);
    if (inside)
      update(results[0], broadcastOffset(results[0].dims(), target),
             loadScalar(values, broadcastOffset(values.dims(), index)), getReduce());
  });
  return success(inside);
}

//===-- set_value ---------------------------------------------------------------------------------------===//

namespace {

template <class SetValue> SliceOperands replacedBy(SetValue op) {
  return {tensorType(op.getX()), op.getAxes(),         op.getStarts(),     op.getEnds(),
          op.getSteps(),         op.getStartsTensor(), op.getEndsTensor(), op.getStepsTensor()};
}

} // namespace

LogicalResult SetValueOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                           llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX());
  auto box = slicedDims(location, replacedBy(adaptor));
  if (failed(box) ||
      failed(checkElementType(location, "C4", "values", adaptor.getX(), adaptor.getValues())) ||
      failed(checkBroadcasts(location, "C5", tensorType(adaptor.getValues()), *box, "the slice")))
    return failure();
  results.push_back(type);
  return success();
}

LogicalResult SetValueOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  const std::vector<int64_t> &dims = results[0].dims();
  auto box = sliceBox(replacedBy(*this), dims);
  if (failed(box))
    return failure();
  copyAll(operands[0], results[0]);
  forEachIndex(box->counts, [&](llvm::ArrayRef<int64_t> index, int64_t) {
    storeScalar(results[0], box->flatIndex(index, dims),
                loadScalar(operands[1], broadcastOffset(operands[1].dims(), index)));
  });
  return success();
}

OpFoldResult SetValueOp::fold(FoldAdaptor adaptor) {
  return foldByEvaluation(getOperation(), adaptor.getOperands());
}

LogicalResult SetValueOp::canonicalize(SetValueOp op, PatternRewriter &rewriter) {
  bool changed =
      succeeded(absorbOperand(rewriter, op, op.getStartsTensorMutable(), [&](auto v) { op.setStarts(v); }));
  changed |=
      succeeded(absorbOperand(rewriter, op, op.getEndsTensorMutable(), [&](auto v) { op.setEnds(v); }));
  changed |=
      succeeded(absorbOperand(rewriter, op, op.getStepsTensorMutable(), [&](auto v) { op.setSteps(v); }));
  return success(changed);
}

//===-- Composites --------------------------------------------------------------------------------------===//

FailureOr<SmallVector<Value>> ScatterOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression index = asColumn(e.wrap(getIndex())), updates = e.wrap(getUpdates());
  if (updates.rank() < tensorType(getX()).getRank())
    updates = insertDim(updates, 0);
  if (getOverwrite())
    return SmallVector<Value>{
        e.create<ScatterNdOp>(getX(), index, updates, ScatterReduce::Assign, getPaddleGradient())};
  Expression zeros = expandTo(e.constant(0, updates.type().getElementType()), dimSizesOf(updates));
  Value cleared = e.create<ScatterNdOp>(getX(), index, zeros, ScatterReduce::Assign);
  return SmallVector<Value>{e.create<ScatterNdOp>(cleared, index, updates, ScatterReduce::Add)};
}

FailureOr<SmallVector<Value>> ScatterNdAddOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  return SmallVector<Value>{e.create<ScatterNdOp>(getX(), getIndex(), getUpdates(), ScatterReduce::Add)};
}

FailureOr<SmallVector<Value>> IndexAddOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX());
  auto axis = normalizeAxis(getAxis(), x.rank());
  if (failed(axis))
    return notifyDecompositionFailure(builder, *this, "its axis is out of range");
  // Swapping a dimension with the first one is its own inverse.
  llvm::SmallVector<int64_t> swap;
  for (int64_t d = 0; d < x.rank(); ++d)
    swap.push_back(d == 0 ? *axis : d == *axis ? 0 : d);
  auto swapped = [&](Expression v) { return *axis == 0 ? v : e.transpose(v, swap); };
  Value added = e.create<ScatterNdOp>(swapped(x), asColumn(e.wrap(getIndex())),
                                      swapped(e.wrap(getAddValue())), ScatterReduce::Add);
  return SmallVector<Value>{swapped(e.wrap(added))};
}

FailureOr<SmallVector<Value>> IndexPutOp::decompose(OpBuilder &builder) {
  auto common = broadcastShapes(getIndices().getTypes());
  auto type = tensorType(getX());
  auto count = static_cast<int64_t>(getIndices().size());
  if (failed(common) || count == 0 || count > type.getRank())
    return notifyDecompositionFailure(
        builder, *this, "its indices have different shapes, or more of them than x has dimensions");
  TensorBuilder e(builder, getOperation());
  llvm::SmallVector<DimSize> box = commonDims(e, getIndices(), *common), value = box;
  box.push_back(1);
  llvm::SmallVector<Expression> columns;
  for (Value index : getIndices()) {
    Expression wide = e.cast(e.wrap(index), builder.getI64Type());
    columns.push_back(reshapeTo(expandTo(wide, llvm::ArrayRef(box).drop_back()), box));
  }
  Expression index =
      columns.size() == 1 ? columns.front() : concat(columns, static_cast<int64_t>(common->size()));
  for (int64_t d = count; d < type.getRank(); ++d)
    value.push_back(DimSize(e.wrap(getX()), d));
  Expression updates = expandTo(e.wrap(getValue()), value);
  return SmallVector<Value>{e.create<ScatterNdOp>(
      getX(), index, updates, getAccumulate() ? ScatterReduce::Add : ScatterReduce::Assign,
      getPaddleGradient())};
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/index/Scatter.cpp.inc"
#include "dialects/pd/ops/index/Scatter.methods.inc"
