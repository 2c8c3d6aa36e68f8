#include "dialects/pd/ops/shape/View.h"
#include "dialects/pd/ir/MatchFailure.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/shape/KnownElements.h"
#include "dialects/pd/ops/shape/Shape.h"
#include "dialects/pd/reference/Evaluate.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// The dimensions of x that a squeeze removes.
FailureOr<llvm::SmallVector<int64_t>> squeezedDims(std::optional<Location> location, RankedTensorType type,
                                                   Value axisTensor, llvm::ArrayRef<int64_t> attribute) {
  auto axes = constantOr(location, "axis", axisTensor, attribute, "C1");
  if (failed(axes))
    return failure();
  llvm::SmallVector<int64_t> out;
  for (int64_t axis = 0; axes->empty() && axis < type.getRank(); ++axis)
    if (type.getDimSize(axis) == 1)
      out.push_back(axis);
  for (int64_t entry : *axes) {
    if (type.getRank() == 0 && (entry == 0 || entry == -1))
      continue;
    auto axis = normalizeAxis(location, entry, type.getRank(), "C1");
    if (failed(axis))
      return failure();
    int64_t dim = type.getDimSize(*axis);
    if ((dim == 1 || ShapedType::isDynamic(dim)) && !llvm::is_contained(out, *axis))
      out.push_back(*axis);
  }
  return out;
}

/// Inserts `one` into `shape` at each of `axes` in turn.
template <class T>
LogicalResult insertAxes(std::optional<Location> location, llvm::SmallVectorImpl<T> &shape,
                         llvm::ArrayRef<int64_t> axes, T one) {
  for (int64_t entry : axes) {
    auto axis = normalizeAxis(location, entry, static_cast<int64_t>(shape.size()) + 1, "C1");
    if (failed(axis))
      return failure();
    shape.insert(shape.begin() + *axis, one);
  }
  return success();
}

int64_t productOf(llvm::ArrayRef<int64_t> dims) {
  int64_t product = 1;
  for (int64_t dim : dims) {
    if (dim == 0)
      return 0;
    product =
        ShapedType::isDynamic(dim) || ShapedType::isDynamic(product) ? ShapedType::kDynamic : product * dim;
  }
  return product;
}

DimSize productOf(TensorBuilder &e, llvm::ArrayRef<DimSize> dimSizes) {
  DimSize product = 1;
  for (const DimSize &dimSize : dimSizes)
    product = multiply(e, product, dimSize);
  return product;
}

/// The dimensions of channels, height and width of an image.
struct ImageAxes {
  int64_t channel, height, width;
  explicit ImageAxes(DataFormat format)
      : channel(format == DataFormat::NHWC ? 3 : 1), height(format == DataFormat::NHWC ? 1 : 2),
        width(format == DataFormat::NHWC ? 2 : 3) {}
};

LogicalResult checkImage(std::optional<Location> location, RankedTensorType type, DataFormat format) {
  if (format != DataFormat::NCHW && format != DataFormat::NHWC)
    return inferenceError(location,
                          "C2: data_format must be NCHW or NHWC, found " + stringifyDataFormat(format));
  if (type.getRank() != 4)
    return inferenceError(location, "C1: x must have rank 4, found rank " + llvm::Twine(type.getRank()));
  return success();
}

/// `dim` divided; emits an error if it is not a multiple.
FailureOr<int64_t> quotient(std::optional<Location> location, int64_t dim, int64_t divisor) {
  if (divisor <= 0)
    return inferenceError(location, "C3: the factor must be positive, found " + llvm::Twine(divisor));
  if (ShapedType::isDynamic(dim))
    return dim;
  if (dim % divisor != 0)
    return inferenceError(location,
                          "C3: dim " + llvm::Twine(dim) + " is not a multiple of " + llvm::Twine(divisor));
  return dim / divisor;
}

int64_t times(int64_t dim, int64_t factor) { return ShapedType::isDynamic(dim) ? dim : dim * factor; }

/// Whether the rank of the result depends on dynamic dims: no axes are given, so that each dim of size 1
/// goes.
bool removesAllOnes(SqueezeOp op) {
  auto axes = constantOr(std::nullopt, "axis", op.getAxisTensor(), op.getAxis(), "C1");
  return succeeded(axes) && axes->empty() && !tensorType(op.getX()).hasStaticShape();
}

} // namespace

LogicalResult SqueezeOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                          llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX());
  auto dropped = squeezedDims(location, type, adaptor.getAxisTensor(), adaptor.getAxis());
  if (failed(dropped))
    return failure();
  llvm::SmallVector<int64_t> shape;
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    if (!llvm::is_contained(*dropped, axis))
      shape.push_back(type.getDimSize(axis));
  results.push_back(type.clone(shape));
  return success();
}

FailureOr<SmallVector<Value>> SqueezeOp::decompose(OpBuilder &builder) {
  auto dropped = squeezedDims(std::nullopt, tensorType(getX()), getAxisTensor(), getAxis());
  if (failed(dropped))
    return notifyDecompositionFailure(builder, *this, "its axes are not constants, or out of range");
  if (removesAllOnes(*this))
    return notifyDecompositionFailure(builder, *this, "a dynamic dim may be 1, and would be removed");
  TensorBuilder e(builder, getOperation());
  llvm::SmallVector<DimSize> shape;
  for (auto [axis, dimSize] : llvm::enumerate(dimSizesOf(e.wrap(getX()))))
    if (!llvm::is_contained(*dropped, static_cast<int64_t>(axis)))
      shape.push_back(dimSize);
  return SmallVector<Value>{reshapeTo(e.wrap(getX()), shape)};
}

LogicalResult UnsqueezeOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                            llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX());
  auto axes = constantOr(location, "axis", adaptor.getAxisTensor(), adaptor.getAxis(), "C1");
  llvm::SmallVector<int64_t> shape(type.getShape());
  if (failed(axes) || failed(insertAxes<int64_t>(location, shape, *axes, 1)))
    return failure();
  results.push_back(type.clone(shape));
  return success();
}

FailureOr<SmallVector<Value>> UnsqueezeOp::decompose(OpBuilder &builder) {
  auto axes = constantOr(getAxisTensor(), getAxis());
  if (failed(axes))
    return notifyDecompositionFailure(builder, *this, "its axes are not constants");
  TensorBuilder e(builder, getOperation());
  llvm::SmallVector<DimSize> shape = dimSizesOf(e.wrap(getX()));
  if (failed(insertAxes<DimSize>(std::nullopt, shape, *axes, 1)))
    return notifyDecompositionFailure(builder, *this, "its axes are out of range");
  return SmallVector<Value>{reshapeTo(e.wrap(getX()), shape)};
}

LogicalResult FlattenOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                          llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX());
  if (type.getRank() == 0) {
    results.push_back(type.clone(llvm::ArrayRef<int64_t>{1}));
    return success();
  }
  auto start = normalizeAxis(location, adaptor.getStartAxis(), type.getRank(), "C1");
  auto stop = normalizeAxis(location, adaptor.getStopAxis(), type.getRank(), "C1");
  if (failed(start) || failed(stop))
    return failure();
  if (*start > *stop)
    return inferenceError(location, "C2: start_axis must not be above stop_axis, found " +
                                        llvm::Twine(*start) + " and " + llvm::Twine(*stop));
  llvm::SmallVector<int64_t> shape(type.getShape().take_front(*start));
  shape.push_back(productOf(type.getShape().slice(*start, *stop - *start + 1)));
  shape.append(type.getShape().begin() + *stop + 1, type.getShape().end());
  results.push_back(type.clone(shape));
  return success();
}

FailureOr<SmallVector<Value>> FlattenOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  int64_t rank = tensorType(getX()).getRank();
  if (rank == 0)
    return SmallVector<Value>{reshapeTo(e.wrap(getX()), {DimSize(1)})};
  size_t start = *normalizeAxis(getStartAxis(), rank), stop = *normalizeAxis(getStopAxis(), rank);
  llvm::SmallVector<DimSize> all = dimSizesOf(e.wrap(getX())), shape(all.begin(), all.begin() + start);
  shape.push_back(productOf(e, llvm::ArrayRef(all).slice(start, stop - start + 1)));
  shape.append(all.begin() + stop + 1, all.end());
  return SmallVector<Value>{reshapeTo(e.wrap(getX()), shape)};
}

LogicalResult FlattenToMatrixOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                                  Adaptor adaptor, llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX());
  auto axis = normalizeAxis(location, adaptor.getAxis(), type.getRank() + 1, "C1");
  if (failed(axis))
    return failure();
  results.push_back(type.clone(
      {productOf(type.getShape().take_front(*axis)), productOf(type.getShape().drop_front(*axis))}));
  return success();
}

FailureOr<SmallVector<Value>> FlattenToMatrixOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  int64_t axis = *normalizeAxis(getAxis(), tensorType(getX()).getRank() + 1);
  llvm::SmallVector<DimSize> all = dimSizesOf(e.wrap(getX()));
  DimSize rows = productOf(e, llvm::ArrayRef(all).take_front(axis)),
          columns = productOf(e, llvm::ArrayRef(all).drop_front(axis));
  return SmallVector<Value>{reshapeTo(e.wrap(getX()), {rows, columns})};
}

LogicalResult PixelShuffleOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                               Adaptor adaptor, llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX());
  if (failed(checkImage(location, type, adaptor.getDataFormat())))
    return failure();
  ImageAxes at(adaptor.getDataFormat());
  auto factor = static_cast<int64_t>(adaptor.getUpscaleFactor());
  llvm::SmallVector<int64_t> shape(type.getShape());
  auto channels = quotient(location, shape[at.channel], factor * factor);
  if (failed(channels))
    return failure();
  shape[at.channel] = *channels;
  shape[at.height] = times(shape[at.height], factor);
  shape[at.width] = times(shape[at.width], factor);
  results.push_back(type.clone(shape));
  return success();
}

FailureOr<SmallVector<Value>> PixelShuffleOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX());
  ImageAxes at(getDataFormat());
  auto r = static_cast<int64_t>(getUpscaleFactor());
  DimSize n(x, 0), c = divide(e, DimSize(x, at.channel), r * r), h(x, at.height), w(x, at.width);
  DimSize tall = multiply(e, h, r), wide = multiply(e, w, r);
  if (at.channel == 1) {
    Expression split = reshapeTo(x, {n, c, r, r, h, w});
    return SmallVector<Value>{reshapeTo(e.transpose(split, {0, 1, 4, 2, 5, 3}), {n, c, tall, wide})};
  }
  Expression split = reshapeTo(x, {n, h, w, c, r, r});
  return SmallVector<Value>{reshapeTo(e.transpose(split, {0, 1, 4, 2, 5, 3}), {n, tall, wide, c})};
}

LogicalResult PixelUnshuffleOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                                 Adaptor adaptor, llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX());
  if (failed(checkImage(location, type, adaptor.getDataFormat())))
    return failure();
  ImageAxes at(adaptor.getDataFormat());
  auto factor = static_cast<int64_t>(adaptor.getDownscaleFactor());
  llvm::SmallVector<int64_t> shape(type.getShape());
  auto height = quotient(location, shape[at.height], factor);
  if (failed(height))
    return failure();
  auto width = quotient(location, shape[at.width], factor);
  if (failed(width))
    return failure();
  shape[at.channel] = times(shape[at.channel], factor * factor);
  shape[at.height] = *height;
  shape[at.width] = *width;
  results.push_back(type.clone(shape));
  return success();
}

FailureOr<SmallVector<Value>> PixelUnshuffleOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX());
  ImageAxes at(getDataFormat());
  auto r = static_cast<int64_t>(getDownscaleFactor());
  DimSize n(x, 0), c(x, at.channel), h = divide(e, DimSize(x, at.height), r),
                                     w = divide(e, DimSize(x, at.width), r);
  DimSize deep = multiply(e, c, r * r);
  if (at.channel == 1) {
    Expression split = reshapeTo(x, {n, c, h, r, w, r});
    return SmallVector<Value>{reshapeTo(e.transpose(split, {0, 1, 3, 5, 2, 4}), {n, deep, h, w})};
  }
  Expression split = reshapeTo(x, {n, h, r, w, r, c});
  return SmallVector<Value>{reshapeTo(e.transpose(split, {0, 1, 3, 5, 2, 4}), {n, h, w, deep})};
}

LogicalResult ChannelShuffleOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                                 Adaptor adaptor, llvm::SmallVectorImpl<Type> &results) {
  auto type = tensorType(adaptor.getX());
  if (failed(checkImage(location, type, adaptor.getDataFormat())) ||
      failed(quotient(location, type.getDimSize(ImageAxes(adaptor.getDataFormat()).channel),
                      adaptor.getGroups())))
    return failure();
  results.push_back(type);
  return success();
}

FailureOr<SmallVector<Value>> ChannelShuffleOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX());
  ImageAxes at(getDataFormat());
  auto groups = static_cast<int64_t>(getGroups());
  llvm::SmallVector<DimSize> shape = dimSizesOf(x), split = shape;
  split[at.channel] = divide(e, shape[at.channel], groups);
  split.insert(split.begin() + at.channel, DimSize(groups));
  llvm::SmallVector<int64_t> swapped = {0, 1, 2, 3, 4};
  std::swap(swapped[at.channel], swapped[at.channel + 1]);
  return SmallVector<Value>{reshapeTo(e.transpose(reshapeTo(x, split), swapped), shape)};
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/shape/View.cpp.inc"
#include "dialects/pd/ops/shape/View.methods.inc"
