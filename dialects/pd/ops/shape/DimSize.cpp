#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/creation/RangeOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/SliceOps.h"

using namespace mlir;

namespace proa::pd {

DimSize::DimSize(Expression x, int64_t axis) : known(x.type().getDimSize(axis)) {
  if (ShapedType::isDynamic(known))
    value = x.owner().create<DimOp>(x, axis);
}

DimSize DimSize::element(Expression tensor, int64_t i) {
  TensorBuilder &e = tensor.owner();
  return DimSize(e.reshape(e.cast(slice(tensor, 0, i, i + 1), e.getBuilder().getI64Type()), {}));
}

Value DimSize::getValue(TensorBuilder &e) const {
  if (value)
    return value;
  Type i64 = e.getBuilder().getI64Type();
  auto type = RankedTensorType::get({}, i64);
  return e.create<ConstantOp>(type, DenseElementsAttr::get(type, IntegerAttr::get(i64, known)));
}

bool DimSize::isDim(Value x, int64_t axis) const {
  if (axis >= tensorType(x).getRank())
    return false;
  if (!value)
    return tensorType(x).getDimSize(axis) == known;
  auto dim = value.getDefiningOp<DimOp>();
  return dim && dim.getX() == x && static_cast<int64_t>(dim.getIndex()) == axis;
}

DimSize multiply(TensorBuilder &e, const DimSize &x, const DimSize &y) {
  if (x.isKnown() && y.isKnown())
    return x.known * y.known;
  if (x.isKnown() && x.known == 1)
    return y;
  if (y.isKnown() && y.known == 1)
    return x;
  return DimSize(e.create<MultiplyOp>(x.getValue(e), y.getValue(e)));
}

DimSize divide(TensorBuilder &e, const DimSize &x, int64_t y) {
  if (x.isKnown())
    return x.known / y;
  return y == 1 ? x : DimSize(e.create<FloorDivideOp>(x.getValue(e), DimSize(y).getValue(e)));
}

DimSize maximum(TensorBuilder &e, const DimSize &x, const DimSize &y) {
  if (x.isKnown() && y.isKnown())
    return std::max(x.known, y.known);
  return DimSize(e.create<MaximumOp>(x.getValue(e), y.getValue(e)));
}

llvm::SmallVector<DimSize> dimSizesOf(Expression x) {
  llvm::SmallVector<DimSize> out;
  for (int64_t axis = 0; axis < x.rank(); ++axis)
    out.push_back(DimSize(x, axis));
  return out;
}

Value shapeTensor(TensorBuilder &e, llvm::ArrayRef<DimSize> shape) {
  llvm::SmallVector<Value> pieces;
  for (const DimSize &dimSize : shape)
    pieces.push_back(e.reshape(e.wrap(dimSize.getValue(e)), {1}));
  return e.create<ConcatOp>(pieces, Value(), uint64_t(0));
}

namespace {

/// The entries of the attribute of a reshape; nothing if they do not determine the shape.
std::optional<llvm::SmallVector<int64_t>> reshapeAttribute(Expression x, llvm::ArrayRef<DimSize> shape) {
  llvm::SmallVector<int64_t> sizes;
  bool hasRest = false, hasZero = false;
  for (auto [i, dimSize] : llvm::enumerate(shape)) {
    if (dimSize.isKnown()) {
      sizes.push_back(dimSize.getNumber());
      hasZero |= dimSize.getNumber() == 0;
    } else if (dimSize.isDim(x, static_cast<int64_t>(i))) {
      sizes.push_back(0);
    } else {
      if (std::exchange(hasRest, true))
        return std::nullopt;
      sizes.push_back(-1);
    }
  }
  // A zero would copy a dimension.
  return hasZero ? std::nullopt : std::optional(sizes);
}

bool allKnown(llvm::ArrayRef<DimSize> shape) {
  return llvm::all_of(shape, [](const DimSize &dimSize) { return dimSize.isKnown(); });
}

llvm::SmallVector<int64_t> numbersOf(llvm::ArrayRef<DimSize> shape) {
  return llvm::map_to_vector(shape, [](const DimSize &dimSize) { return dimSize.getNumber(); });
}

} // namespace

Expression reshapeTo(Expression x, llvm::ArrayRef<DimSize> shape) {
  TensorBuilder &e = x.owner();
  if (x.type().hasStaticShape() && allKnown(shape) && x.type().getShape() == llvm::ArrayRef(numbersOf(shape)))
    return x;
  if (auto scalars = reshapeAttribute(x, shape))
    return e.reshape(x, *scalars);
  auto isZero = [](const DimSize &dimSize) { return dimSize.isKnown() && dimSize.getNumber() == 0; };
  if (llvm::any_of(shape, isZero)) {
    // No elements: any tensor of the shape is correct.
    return expandTo(e.constant(0, x.type().getElementType()), shape);
  }
  return e.wrap(e.create<ReshapeOp>(x, shapeTensor(e, shape), llvm::ArrayRef<int64_t>()));
}

Expression expandTo(Expression x, llvm::ArrayRef<DimSize> shape) {
  TensorBuilder &e = x.owner();
  llvm::SmallVector<int64_t> sizes;
  int64_t offset = static_cast<int64_t>(shape.size()) - x.rank();
  for (auto [i, dimSize] : llvm::enumerate(shape)) {
    int64_t axis = static_cast<int64_t>(i) - offset;
    if (dimSize.isKnown())
      sizes.push_back(dimSize.getNumber());
    else if (axis >= 0 && dimSize.isDim(x, axis))
      sizes.push_back(-1);
    else
      return e.wrap(e.create<ExpandOp>(x, shapeTensor(e, shape), llvm::ArrayRef<int64_t>()));
  }
  if (x.type().hasStaticShape() && x.type().getShape() == llvm::ArrayRef(sizes))
    return x;
  return e.wrap(e.create<ExpandOp>(x, Value(), llvm::ArrayRef<int64_t>(sizes)));
}

Expression slice(Expression x, int64_t axis, int64_t start, int64_t end, int64_t stride) {
  TensorBuilder &e = x.owner();
  return e.wrap(e.create<SliceOp>(x, Value(), Value(), Value(), llvm::ArrayRef(axis), llvm::ArrayRef(start),
                                  llvm::ArrayRef(end), llvm::ArrayRef(stride)));
}

Expression concat(llvm::ArrayRef<Expression> pieces, int64_t axis) {
  TensorBuilder &e = pieces.front().owner();
  llvm::SmallVector<Value> values(pieces.begin(), pieces.end());
  return e.wrap(e.create<ConcatOp>(values, Value(), static_cast<uint64_t>(axis)));
}

Expression dropDim(Expression x, int64_t axis) {
  llvm::SmallVector<DimSize> shape = dimSizesOf(x);
  shape.erase(shape.begin() + axis);
  return reshapeTo(x, shape);
}

Expression insertDim(Expression x, int64_t axis) {
  llvm::SmallVector<DimSize> shape = dimSizesOf(x);
  shape.insert(shape.begin() + axis, DimSize(1));
  return reshapeTo(x, shape);
}

Expression iota(TensorBuilder &e, const DimSize &count, Type elementType) {
  auto bound = [&](const DimSize &dimSize) { return e.cast(e.wrap(dimSize.getValue(e)), elementType); };
  return e.wrap(e.create<ArangeOp>(bound(0), bound(count), bound(1), TypeAttr::get(elementType)));
}

} // namespace proa::pd
