#include "dialects/pd/ops/shape/Shape.h"
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/DiagonalOps.h"
#include "dialects/pd/ops/shape/DimRoots.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/shape/Fill.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/ops/shape/KnownElements.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/SliceOps.h"
#include "dialects/pd/ops/shape/StridedOps.h"
#include "dialects/pd/ops/shape/View.h"
#include "dialects/pd/reference/Evaluate.h"

using namespace mlir;

namespace proa::pd {

FailureOr<llvm::SmallVector<int64_t>>
reshapedDims(std::optional<Location> location, llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t> dims;
  int64_t rest = -1;
  for (auto [i, dim] : llvm::enumerate(shape)) {
    if (dim == -1) {
      if (rest >= 0)
        return inferenceError(location, "C1: at most one entry of shape may be -1");
      rest = static_cast<int64_t>(i);
      dims.push_back(ShapedType::kDynamic);
    } else if (dim == 0) {
      if (i >= from.size())
        return inferenceError(location, "C2: entry " + llvm::Twine(i) +
                                            " of shape is 0 (copied), but x has rank " +
                                            llvm::Twine(from.size()));
      dims.push_back(from[i]);
    } else if (dim < 0 && !ShapedType::isDynamic(dim)) {
      return inferenceError(location, "C1: entry " + llvm::Twine(i) +
                                          " of shape must be a dim, 0 or -1, found " + llvm::Twine(dim));
    } else {
      dims.push_back(dim);
    }
  }
  // Dynamic dims that are copied cancel out.
  int64_t sourceKnown = 1, targetKnown = 1, sourceDynamic = 0, targetDynamic = 0;
  for (auto [i, dim] : llvm::enumerate(from)) {
    bool copied = i < shape.size() && shape[i] == 0;
    if (ShapedType::isDynamic(dim))
      sourceDynamic += !copied;
    else
      sourceKnown *= dim;
  }
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (!ShapedType::isDynamic(dim))
      targetKnown *= dim;
    else if (static_cast<int64_t>(i) != rest)
      targetDynamic += shape[i] != 0;
  }
  bool known = sourceDynamic == 0 && targetDynamic == 0;
  if (known && rest >= 0) {
    if (targetKnown == 0 ? sourceKnown != 0 : sourceKnown % targetKnown != 0)
      return inferenceError(location, "C3: cannot reshape " + llvm::Twine(sourceKnown) +
                                          " elements: -1 leaves a multiple of " + llvm::Twine(targetKnown));
    dims[rest] = targetKnown == 0 ? 0 : sourceKnown / targetKnown;
  } else if (known && sourceKnown != targetKnown) {
    return inferenceError(location, "C3: cannot reshape " + llvm::Twine(sourceKnown) + " elements into " +
                                        llvm::Twine(targetKnown));
  }
  return dims;
}

FailureOr<llvm::SmallVector<int64_t>>
expandedDims(std::optional<Location> location, llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> shape) {
  if (shape.size() < from.size())
    return inferenceError(location, "C1: shape must have at least " + llvm::Twine(from.size()) +
                                        " entries, the rank of x, found " + llvm::Twine(shape.size()));
  llvm::SmallVector<int64_t> dims(shape);
  size_t offset = shape.size() - from.size();
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t source = i < offset ? 1 : from[i - offset];
    if (dims[i] < -1 && !ShapedType::isDynamic(dims[i]))
      return inferenceError(location,
                            "C4: entries of shape must be at least -1, found " + llvm::Twine(dims[i]));
    if (dims[i] == -1 || (ShapedType::isDynamic(dims[i]) && source > 1))
      dims[i] = source;
    else if (!ShapedType::isDynamic(source) && !ShapedType::isDynamic(dims[i]) && source != 1 &&
             source != dims[i])
      return inferenceError(location, "C2: cannot expand dimension " + llvm::Twine(i) + " from " +
                                          llvm::Twine(source) + " to " + llvm::Twine(dims[i]));
  }
  return dims;
}

LogicalResult inferTransposeOf(std::optional<Location> location, RankedTensorType type,
                               llvm::ArrayRef<int64_t> permutation, Results &results) {
  if (static_cast<int64_t>(permutation.size()) != type.getRank())
    return inferenceError(location, "C1: perm must have one entry for each of the " +
                                        llvm::Twine(type.getRank()) + " dimensions of x, found " +
                                        llvm::Twine(permutation.size()));
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<bool> seen(permutation.size(), false);
  for (int64_t entry : permutation) {
    auto axis = normalizeAxis(location, entry, type.getRank(), "C2");
    if (failed(axis))
      return failure();
    if (std::exchange(seen[*axis], true))
      return inferenceError(location, "C2: perm names dimension " + llvm::Twine(*axis) + " twice");
    shape.push_back(type.getDimSize(*axis));
  }
  results.push_back(RankedTensorType::get(shape, type.getElementType()));
  return success();
}

LogicalResult ReshapeOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  for (int64_t i = 0; i < results[0].size(); ++i)
    storeScalar(results[0], i, loadScalar(operands[0], i));
  return success();
}

LogicalResult TransposeOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  llvm::SmallVector<int64_t> strides = rowMajorStrides(operands[0].dims());
  int64_t rank = static_cast<int64_t>(strides.size());
  forEachIndex(results[0].dims(), [&](llvm::ArrayRef<int64_t> index, int64_t position) {
    int64_t at = 0;
    for (auto [i, axis] : llvm::enumerate(getPerm()))
      at += index[i] * strides[axis < 0 ? axis + rank : axis];
    storeScalar(results[0], position, loadScalar(operands[0], at));
  });
  return success();
}

LogicalResult ExpandOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  llvm::SmallVector<int64_t> strides = rowMajorStrides(operands[0].dims());
  size_t offset = results[0].dims().size() - strides.size();
  forEachIndex(results[0].dims(), [&](llvm::ArrayRef<int64_t> index, int64_t position) {
    int64_t at = 0;
    for (size_t i = 0; i < strides.size(); ++i)
      at += operands[0].dims()[i] == 1 ? 0 : index[offset + i] * strides[i];
    storeScalar(results[0], position, loadScalar(operands[0], at));
  });
  return success();
}

FailureOr<AffineMap> TransposeOp::getIndexingMap() {
  auto rank = static_cast<int64_t>(getPerm().size());
  llvm::SmallVector<AffineExpr> exprs(rank);
  for (auto [i, axis] : llvm::enumerate(getPerm()))
    exprs[axis < 0 ? axis + rank : axis] = getAffineDimExpr(i, getContext());
  return AffineMap::get(rank, 0, exprs, getContext());
}

FailureOr<AffineMap> ExpandOp::getIndexingMap() {
  llvm::ArrayRef<int64_t> from = tensorType(getX()).getShape(), to = tensorType(getOut()).getShape();
  llvm::SmallVector<AffineExpr> exprs;
  for (auto [i, dim] : llvm::enumerate(from)) {
    unsigned position = to.size() - from.size() + i;
    // A dynamic dim may be 1 at run time, which only the library kernel checks.
    if (ShapedType::isDynamic(dim))
      return failure();
    exprs.push_back(dim == 1 ? getAffineConstantExpr(0, getContext())
                             : getAffineDimExpr(position, getContext()));
  }
  return AffineMap::get(to.size(), 0, exprs, getContext());
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  auto from = tensorType(getX()), to = tensorType(getOut());
  // With at most one dynamic dim equal types have equal dims.
  if (from == to && from.getNumDynamicDims() <= 1)
    return getX();
  // A reshape of a reshape uses the first operand.
  auto inner = getX().getDefiningOp<ReshapeOp>();
  if (inner && to.hasStaticShape() && !getShapeTensor() && tensorType(inner.getX()).hasStaticShape() &&
      !llvm::is_contained(to.getShape(), 0)) {
    if (tensorType(inner.getX()) == to)
      return inner.getX();
    setShape(to.getShape());
    getXMutable().assign(inner.getX());
    return getResult();
  }
  return foldByEvaluation(getOperation(), adaptor.getOperands());
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  auto rank = static_cast<int64_t>(getPerm().size());
  auto source = [rank](TransposeOp op, int64_t i) {
    return op.getPerm()[i] < 0 ? op.getPerm()[i] + rank : op.getPerm()[i];
  };
  bool identity = true;
  for (int64_t i = 0; i < rank; ++i)
    identity &= source(*this, i) == i;
  if (identity && getX().getType() == getType())
    return getX();
  if (auto inner = getX().getDefiningOp<TransposeOp>()) {
    llvm::SmallVector<int64_t> perm;
    for (int64_t i = 0; i < rank; ++i)
      perm.push_back(source(inner, source(*this, i)));
    setPerm(perm);
    getXMutable().assign(inner.getX());
    return getResult();
  }
  return foldByEvaluation(getOperation(), adaptor.getOperands());
}

OpFoldResult ExpandOp::fold(FoldAdaptor adaptor) {
  // Equal dynamic dims may still be 1 on one side.
  if (getX().getType() == getType() && tensorType(getX()).hasStaticShape())
    return getX();
  return foldByEvaluation(getOperation(), adaptor.getOperands());
}

/// Replaces unknown entries of a reshape that are the dims of its operand by 0, which copies them. Not beside
/// an entry of 0.
static void copyDims(ReshapeOp op, llvm::SmallVectorImpl<int64_t> &shape) {
  if (llvm::is_contained(shape, 0))
    return;
  int64_t rank = std::min<int64_t>(tensorType(op.getX()).getRank(), static_cast<int64_t>(shape.size()));
  for (int64_t axis = 0; axis < rank; ++axis)
    if (ShapedType::isDynamic(shape[axis]) && holdsDimOf(op.getShapeTensor(), axis, op.getX(), axis))
      shape[axis] = 0;
}

LogicalResult ReshapeOp::canonicalize(ReshapeOp op, PatternRewriter &rewriter) {
  if (!op.getShapeTensor())
    return failure();
  auto shape = knownElements(op.getShapeTensor());
  if (failed(shape))
    return failure();
  auto countOpen = [&] { return llvm::count_if(*shape, [](int64_t dim) { return dim < 0; }); };
  // One dynamic dim may be inferred from the number of elements, if no other one is inferred and no dim is 0.
  if (countOpen() > 1)
    copyDims(op, *shape);
  bool isInferred = countOpen() == 1 && !llvm::is_contained(*shape, 0),
       isGiven = countOpen() == 1 && llvm::is_contained(*shape, -1);
  if (countOpen() > 0 && !isInferred && !isGiven)
    return failure();
  for (int64_t &dim : *shape)
    dim = dim < 0 ? -1 : dim;
  rewriter.modifyOpInPlace(op, [&] {
    op.setShape(*shape);
    op.getShapeTensorMutable().clear();
  });
  return success();
}

LogicalResult ExpandOp::canonicalize(ExpandOp op, PatternRewriter &rewriter) {
  if (!op.getShapeTensor())
    return failure();
  auto shape = knownElements(op.getShapeTensor());
  if (failed(shape))
    return failure();
  int64_t added = static_cast<int64_t>(shape->size()) - tensorType(op.getX()).getRank();
  for (auto [index, dim] : llvm::enumerate(*shape)) {
    int64_t axis = static_cast<int64_t>(index) - added;
    if (ShapedType::isDynamic(dim) && axis >= 0 &&
        holdsDimOf(op.getShapeTensor(), static_cast<int64_t>(index), op.getX(), axis))
      dim = -1; // kept
  }
  if (llvm::is_contained(*shape, ShapedType::kDynamic))
    return failure();
  rewriter.modifyOpInPlace(op, [&] {
    op.setShape(*shape);
    op.getShapeTensorMutable().clear();
  });
  return success();
}

/// Whether the attribute takes dims from y.
static bool isOpenTarget(llvm::ArrayRef<int64_t> shape) {
  return shape.empty() || llvm::is_contained(shape, -1);
}

LogicalResult ExpandAsOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                           llvm::SmallVectorImpl<Type> &results) {
  llvm::ArrayRef<int64_t> target = adaptor.getTargetShape();
  if (isOpenTarget(target) && adaptor.getY())
    target = tensorType(adaptor.getY()).getShape();
  auto dims = expandedDims(location, tensorType(adaptor.getX()).getShape(), target);
  if (failed(dims))
    return failure();
  results.push_back(tensorType(adaptor.getX()).clone(*dims));
  return success();
}

FailureOr<SmallVector<Value>> ExpandAsOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  if (getY() && isOpenTarget(getTargetShape()))
    return SmallVector<Value>{expandTo(e.wrap(getX()), dimSizesOf(e.wrap(getY())))};
  return SmallVector<Value>{e.create<ExpandOp>(getX(), Value(), getTargetShape())};
}

int64_t DimOp::getStaticSize() {
  auto type = tensorType(getX());
  auto index = static_cast<int64_t>(getIndex());
  return type.getDimSize(index < 0 ? index + type.getRank() : index);
}

OpFoldResult DimOp::fold(FoldAdaptor) {
  int64_t dim = getStaticSize();
  if (ShapedType::isDynamic(dim))
    return {};
  return DenseElementsAttr::get(cast<RankedTensorType>(getType()),
                                Builder(getContext()).getI64IntegerAttr(dim));
}

LogicalResult ShapeOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, Adaptor adaptor,
                                        llvm::SmallVectorImpl<Type> &results) {
  results.push_back(
      RankedTensorType::get({tensorType(adaptor.getX()).getRank()}, IntegerType::get(context, 32)));
  return success();
}

OpFoldResult ShapeOp::fold(FoldAdaptor) {
  auto type = tensorType(getX());
  if (!type.hasStaticShape())
    return {};
  llvm::SmallVector<int32_t> dims(type.getShape().begin(), type.getShape().end());
  return DenseElementsAttr::get(cast<RankedTensorType>(getType()), llvm::ArrayRef(dims));
}

LogicalResult NumelOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, Adaptor,
                                        llvm::SmallVectorImpl<Type> &results) {
  results.push_back(RankedTensorType::get({}, IntegerType::get(context, 64)));
  return success();
}

FailureOr<SmallVector<Value>> NumelOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  DimSize count = 1;
  for (const DimSize &dimSize : dimSizesOf(e.wrap(getX())))
    count = multiply(e, count, dimSize);
  return SmallVector<Value>{count.getValue(e)};
}

LogicalResult IsEmptyOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, Adaptor,
                                          llvm::SmallVectorImpl<Type> &results) {
  results.push_back(RankedTensorType::get({}, IntegerType::get(context, 1)));
  return success();
}

FailureOr<SmallVector<Value>> IsEmptyOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Value count = e.create<NumelOp>(getX());
  return SmallVector<Value>{e.create<EqualOp>(count, DimSize(0).getValue(e))};
}

OpFoldResult AssignOp::fold(FoldAdaptor) {
  return getX().getType() == getType() ? OpFoldResult(getX()) : OpFoldResult();
}

FailureOr<int64_t> constantOr(std::optional<Location> location, llvm::StringRef name, Value operand,
                              int64_t attribute, llvm::StringRef constraint) {
  auto list = constantOr(location, name, operand, llvm::ArrayRef<int64_t>(attribute), constraint);
  if (failed(list))
    return failure();
  if (list->size() != 1)
    return inferenceError(location, constraint + ": " + name + " must have one element, found " +
                                        llvm::Twine(list->size()));
  return list->front();
}

FailureOr<llvm::SmallVector<int64_t>> constantOr(std::optional<Location> location, llvm::StringRef name,
                                                 Value operand, llvm::ArrayRef<int64_t> attribute,
                                                 llvm::StringRef constraint) {
  if (!operand)
    return llvm::SmallVector<int64_t>(attribute);
  if (auto elements = allKnownElements(operand))
    return *elements;
  return inferenceError(location,
                        constraint + ": " + name + " must be constant, found a value that the run computes");
}

FailureOr<int64_t> constantOr(Value operand, int64_t attribute) {
  return constantOr(std::nullopt, "", operand, attribute, "");
}

FailureOr<llvm::SmallVector<int64_t>> constantOr(Value operand, llvm::ArrayRef<int64_t> attribute) {
  return constantOr(std::nullopt, "", operand, attribute, "");
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/shape/Shape.cpp.inc"
#include "dialects/pd/ops/shape/Shape.methods.inc"
#include "dialects/pd/ops/shape/Shape.scalar.inc"
