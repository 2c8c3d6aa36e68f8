#include "dialects/pd/shape/Shape.h"
#include "dialects/pd/Evaluate.h"
#include "dialects/pd/Families.h"
#include "dialects/pd/TensorBuilder.h"

#include <cstring>

using namespace mlir;

namespace proa::pd {

FailureOr<llvm::SmallVector<int64_t>> reshapedDims(std::optional<Location> location, llvm::ArrayRef<int64_t> from,
                                                   llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t> dims;
  int64_t rest = -1;
  for (auto [i, dim] : llvm::enumerate(shape)) {
    if (dim == -1) {
      if (rest >= 0)
        return inferenceError(location, "only one dimension of the shape may be -1");
      rest = static_cast<int64_t>(i);
      dims.push_back(ShapedType::kDynamic);
    } else if (dim == 0) {
      if (i >= from.size())
        return inferenceError(location, "dimension " + llvm::Twine(i) + " of the shape is 0 (copied), but the operand has rank " +
                                            llvm::Twine(from.size()));
      dims.push_back(from[i]);
    } else if (dim < 0 && !ShapedType::isDynamic(dim)) {
      return inferenceError(location, "dimension " + llvm::Twine(i) + " of the shape is " + llvm::Twine(dim) +
                                          ", expected an extent, 0 or -1");
    } else {
      dims.push_back(dim);
    }
  }
  // Dynamic extents that are copied stand on both sides and cancel out.
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
      return inferenceError(location, "can't reshape " + llvm::Twine(sourceKnown) + " elements: -1 leaves a multiple of " +
                                          llvm::Twine(targetKnown));
    dims[rest] = targetKnown == 0 ? 0 : sourceKnown / targetKnown;
  } else if (known && sourceKnown != targetKnown) {
    return inferenceError(location, "can't reshape " + llvm::Twine(sourceKnown) + " elements into " +
                                        llvm::Twine(targetKnown));
  }
  return dims;
}

FailureOr<llvm::SmallVector<int64_t>> expandedDims(std::optional<Location> location, llvm::ArrayRef<int64_t> from,
                                                   llvm::ArrayRef<int64_t> shape) {
  if (shape.size() < from.size())
    return inferenceError(location, "the shape has rank " + llvm::Twine(shape.size()) + ", less than the operand's " +
                                        llvm::Twine(from.size()));
  llvm::SmallVector<int64_t> dims(shape);
  size_t offset = shape.size() - from.size();
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t source = i < offset ? 1 : from[i - offset];
    if (dims[i] == -1 || (ShapedType::isDynamic(dims[i]) && source > 1))
      dims[i] = source;
    else if (!ShapedType::isDynamic(source) && !ShapedType::isDynamic(dims[i]) && source != 1 && source != dims[i])
      return inferenceError(location, "can't expand dimension " + llvm::Twine(i) + " from " + llvm::Twine(source) + " to " +
                                          llvm::Twine(dims[i]));
  }
  return dims;
}

LogicalResult inferTransposeOf(std::optional<Location> location, RankedTensorType type, llvm::ArrayRef<int64_t> permutation,
                               Results &results) {
  if (static_cast<int64_t>(permutation.size()) != type.getRank())
    return inferenceError(location, "the permutation has " + llvm::Twine(permutation.size()) + " entries, the operand rank " +
                                        llvm::Twine(type.getRank()));
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<bool> seen(permutation.size(), false);
  for (int64_t entry : permutation) {
    auto axis = normalizeAxis(location, entry, type.getRank());
    if (failed(axis))
      return failure();
    if (std::exchange(seen[*axis], true))
      return inferenceError(location, "the permutation names dimension " + llvm::Twine(*axis) + " twice");
    shape.push_back(type.getDimSize(*axis));
  }
  results.push_back(RankedTensorType::get(shape, type.getElementType()));
  return success();
}

LogicalResult ReshapeOp::evaluate(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  std::memcpy(results[0].data(), operands[0].data(), operands[0].bytes());
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

FailureOr<AffineMap> TransposeOp::getSourceMap() {
  auto rank = static_cast<int64_t>(getPerm().size());
  llvm::SmallVector<AffineExpr> exprs(rank);
  for (auto [i, axis] : llvm::enumerate(getPerm()))
    exprs[axis < 0 ? axis + rank : axis] = getAffineDimExpr(i, getContext());
  return AffineMap::get(rank, 0, exprs, getContext());
}

FailureOr<AffineMap> ExpandOp::getSourceMap() {
  llvm::ArrayRef<int64_t> from = tensorType(getX()).getShape(), to = tensorType(getOut()).getShape();
  llvm::SmallVector<AffineExpr> exprs;
  for (auto [i, dim] : llvm::enumerate(from)) {
    unsigned position = to.size() - from.size() + i;
    // A dynamic extent may be 1 at run time, which only the library kernel can tell.
    if (ShapedType::isDynamic(dim))
      return failure();
    exprs.push_back(dim == 1 ? getAffineConstantExpr(0, getContext()) : getAffineDimExpr(position, getContext()));
  }
  return AffineMap::get(to.size(), 0, exprs, getContext());
}

OpFoldResult DimOp::fold(FoldAdaptor) {
  auto type = tensorType(getX());
  int64_t dim = type.getDimSize(getIndex() < 0 ? getIndex() + type.getRank() : getIndex());
  if (ShapedType::isDynamic(dim))
    return {};
  return DenseElementsAttr::get(cast<RankedTensorType>(getType()), Builder(getContext()).getI64IntegerAttr(dim));
}

void registerShapeOps(PdDialect &dialect) {
  dialect.addFamily<
#define GET_OP_LIST
#include "dialects/pd/shape/Shape.cpp.inc"
      >();
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/shape/Shape.cpp.inc"
#include "dialects/pd/shape/Shape.scalar.inc"
#include "dialects/pd/shape/Shape.methods.inc"
