#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/shape/DynamicDims.h"
#include "dialects/pd/ops/signal/FftOps.h"
#include "dialects/pd/ops/signal/FrameOps.h"

#include <cmath>

using namespace mlir;

namespace proa::pd {
namespace {

LogicalResult checkAxis(std::optional<Location> location, RankedTensorType type, int64_t axis, int64_t rank) {
  if ((axis == 0 || axis == -1) && type.getRank() >= rank)
    return success();
  std::string text;
  llvm::raw_string_ostream(text) << "C1: axis must be 0 or -1 and x have rank " << rank
                                 << " or more, found axis " << axis << " and " << type;
  return inferenceError(location, text);
}

/// The number of frames; failure after an error naming C2.
FailureOr<int64_t> countFrames(std::optional<Location> location, int64_t length, int64_t frame, int64_t hop) {
  if (frame <= 0 || hop <= 0 || (!ShapedType::isDynamic(length) && frame > length))
    return inferenceError(
        location, "C2: the frame length must be above 0 and at most the signal's, the hop above 0, found " +
                      llvm::Twine(frame) + ", " + llvm::Twine(length) + " and " + llvm::Twine(hop));
  return ShapedType::isDynamic(length) ? ShapedType::kDynamic : (length - frame) / hop + 1;
}

/// Element (i, j) of the table is i * rowStep + j * columnStep.
Expression positions(TensorBuilder &e, const DimSize &rows, int64_t rowStep, const DimSize &columns,
                     int64_t columnStep) {
  Type i64 = e.getBuilder().getI64Type();
  Expression down = insertDim(iota(e, rows, i64), 1), across = insertDim(iota(e, columns, i64), 0);
  return down * static_cast<double>(rowStep) + across * static_cast<double>(columnStep);
}

Expression flattened(Expression table) { return table.owner().reshape(table, {-1}); }

} // namespace

LogicalResult FrameOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                        Results &results) {
  auto type = tensorType(adaptor.getX());
  auto axis = static_cast<int64_t>(adaptor.getAxis()),
       length = static_cast<int64_t>(adaptor.getFrameLength());
  if (failed(checkAxis(location, type, axis, 1)))
    return failure();
  llvm::SmallVector<int64_t> shape(type.getShape());
  auto frames =
      countFrames(location, axis == 0 ? shape.front() : shape.back(), length, adaptor.getHopLength());
  if (failed(frames))
    return failure();
  if (axis == 0) {
    shape.front() = length;
    shape.insert(shape.begin(), *frames);
  } else {
    shape.back() = length;
    shape.push_back(*frames);
  }
  results.push_back(type.clone(shape));
  return success();
}

FailureOr<SmallVector<Value>> FrameOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.operand(0);
  auto frameLength = static_cast<int64_t>(getFrameLength()), hop = static_cast<int64_t>(getHopLength());
  bool first = static_cast<int64_t>(getAxis()) == 0;
  int64_t axis = first ? 0 : x.rank() - 1;
  DimSize frames = add(e, divide(e, add(e, DimSize(x, axis), -frameLength), hop), 1);
  Expression table =
      first ? positions(e, frames, hop, frameLength, 1) : positions(e, frameLength, 1, frames, hop);
  Expression taken = e.wrap(e.create<GatherOp>(x, flattened(table), Value(), axis));
  llvm::SmallVector<DimSize> shape = dimSizesOf(x);
  shape[axis] = first ? frames : DimSize(frameLength);
  shape.insert(shape.begin() + axis + 1, first ? DimSize(frameLength) : frames);
  return e.results({reshapeTo(taken, shape)});
}

LogicalResult OverlapAddOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                             Results &results) {
  auto type = tensorType(adaptor.getX());
  auto axis = static_cast<int64_t>(adaptor.getAxis()), hop = static_cast<int64_t>(adaptor.getHopLength());
  if (failed(checkAxis(location, type, axis, 2)))
    return failure();
  if (hop <= 0)
    return inferenceError(location, "C2: hop_length must be above 0, found " + llvm::Twine(hop));
  llvm::SmallVector<int64_t> shape(type.getShape());
  int64_t rank = type.getRank(), frames = axis == 0 ? shape[0] : shape[rank - 1],
          length = axis == 0 ? shape[1] : shape[rank - 2];
  bool unknown = ShapedType::isDynamic(frames) || ShapedType::isDynamic(length);
  int64_t total = unknown ? ShapedType::kDynamic : std::max<int64_t>(0, (frames - 1) * hop + length);
  if (axis == 0)
    shape.erase(shape.begin());
  else
    shape.pop_back();
  (axis == 0 ? shape.front() : shape.back()) = total;
  results.push_back(type.clone(shape));
  return success();
}

FailureOr<SmallVector<Value>> OverlapAddOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.operand(0);
  int64_t rank = x.rank();
  bool first = getAxis() == 0;
  auto hop = static_cast<int64_t>(getHopLength());
  DimSize frames(x, first ? 0 : rank - 1), length(x, first ? 1 : rank - 2);
  DimSize total = atLeast(e, sum(e, multiply(e, add(e, frames, -1), hop), length), 0);
  // Frames and their elements are moved to the front, where one index addresses a slice.
  llvm::SmallVector<int64_t> forth, back;
  for (int64_t d = 0; d + 1 < rank; ++d)
    back.push_back(d + 1 < rank - 1 ? d + 1 : 0);
  forth.append({rank - 1, rank - 2});
  for (int64_t d = 0; d < rank - 2; ++d)
    forth.push_back(d);
  Expression front = first ? x : e.transpose(x, forth);
  llvm::SmallVector<DimSize> dimSizes = dimSizesOf(front);
  llvm::SmallVector<DimSize> slices{multiply(e, frames, length)}, sums{total};
  slices.append(dimSizes.begin() + 2, dimSizes.end());
  sums.append(dimSizes.begin() + 2, dimSizes.end());
  Expression index = insertDim(flattened(positions(e, frames, hop, length, 1)), 1);
  Expression start = expandTo(e.constant(0, x.type().getElementType()), sums);
  Expression added = e.wrap(e.create<ScatterNdAddOp>(start, index, reshapeTo(front, slices)));
  return e.results({first || rank == 2 ? added : e.transpose(added, back)});
}

LogicalResult StftOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                       Results &results) {
  auto type = tensorType(adaptor.getX()), window = tensorType(adaptor.getWindow());
  auto length = static_cast<int64_t>(adaptor.getNFft());
  if (type.getRank() != 2 || window.getRank() != 1 ||
      (!window.isDynamicDim(0) && window.getDimSize(0) != length)) {
    std::string text;
    llvm::raw_string_ostream(text) << "C1: x must have rank 2 and the window n_fft elements, found " << type
                                   << ", " << window << " and " << length;
    return inferenceError(location, text);
  }
  auto frames = countFrames(location, type.getDimSize(1), length, adaptor.getHopLength());
  if (failed(frames))
    return failure();
  results.push_back(
      RankedTensorType::get({type.getDimSize(0), adaptor.getOnesided() ? length / 2 + 1 : length, *frames},
                            ComplexType::get(type.getElementType())));
  return success();
}

FailureOr<SmallVector<Value>> StftOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression window = e.operand(1);
  Expression frames = e.wrap(e.create<FrameOp>(getX(), getNFft(), getHopLength(), -1)) * insertDim(window, 1);
  llvm::SmallVector<int64_t> axes{1};
  Value out =
      e.create<FftR2cOp>(frames, axes, getNormalized() ? FftNormalization::Ortho : FftNormalization::Backward,
                         true, getOnesided());
  return SmallVector<Value>{out};
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/signal/Frame.cpp.inc"
#include "dialects/pd/ops/signal/Frame.methods.inc"
#include "dialects/pd/ops/signal/Frame.scalar.inc"
