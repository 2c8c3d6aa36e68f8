/// Sequences of rows: their offsets, and the types of ops on them.
#pragma once

#include "dialects/pd/ir/Enums.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

/// Emits an error unless `offsets` is an int64 vector (or a null value).
mlir::LogicalResult checkOffsets(std::optional<mlir::Location> location, mlir::Value offsets);
/// As above, and that x has rows.
mlir::LogicalResult checkRows(std::optional<mlir::Location> location, mlir::Value x, mlir::Value offsets);
/// One less than the length of `offsets`, if it is static.
int64_t sequenceCount(mlir::Value offsets);
/// `type` with another number of rows.
mlir::RankedTensorType withRows(mlir::RankedTensorType type, int64_t rows);
mlir::RankedTensorType vectorOfInts(mlir::MLIRContext *context, int64_t dimSize);

mlir::LogicalResult inferRangesOf(std::optional<mlir::Location> location, mlir::Value starts,
                                  mlir::Value lengths, Results &results);
mlir::LogicalResult inferSequencePoolOf(std::optional<mlir::Location> location, mlir::Value x,
                                        mlir::Value offsets, Results &results);
mlir::LogicalResult inferSequenceConcatOf(std::optional<mlir::Location> location, mlir::ValueRange x,
                                          mlir::ValueRange offsets, Results &results);
mlir::LogicalResult inferSequenceReshapeOf(std::optional<mlir::Location> location, mlir::Value x,
                                           mlir::Value offsets, int64_t width, Results &results);
mlir::LogicalResult inferSequenceConvOf(std::optional<mlir::Location> location, mlir::Value x,
                                        mlir::Value offsets, mlir::Value filter, int64_t length,
                                        int64_t stride, Results &results);
mlir::LogicalResult inferRowConvOf(std::optional<mlir::Location> location, mlir::Value x, mlir::Value filter,
                                   mlir::Value offsets, Results &results);
mlir::LogicalResult inferIm2sequenceOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                       llvm::ArrayRef<int64_t> kernels, llvm::ArrayRef<int64_t> strides,
                                       llvm::ArrayRef<int64_t> paddings, Results &results);
/// With sizes of the images the number of rows is dynamic.
mlir::LogicalResult inferIm2sequenceRows(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                         mlir::RankedTensorType sizes, llvm::ArrayRef<int64_t> outStride,
                                         Results &results);
mlir::LogicalResult checkOneElementRows(std::optional<mlir::Location> location, mlir::Value x,
                                        mlir::Value offsets);
/// Emits an error unless each of `values` has one element for each sequence of `offsets`.
mlir::LogicalResult checkOnePerSequence(std::optional<mlir::Location> location, mlir::ValueRange values,
                                        mlir::Value offsets);
/// Emits an error unless x is a matrix to which `updates`, one element for each row of `ids`, can be added.
mlir::LogicalResult checkScattered(std::optional<mlir::Location> location, mlir::Value x, mlir::Value ids,
                                   mlir::Value updates);

template <class Adaptor>
mlir::LogicalResult inferRowPositions(std::optional<mlir::Location> location, Adaptor adaptor,
                                      Results &results) {
  if (failed(checkRows(location, adaptor.getX(), adaptor.getOffsets())))
    return mlir::failure();
  results.append(2, vectorOfInts(adaptor.getX().getContext(), tensorType(adaptor.getX()).getDimSize(0)));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferRanges(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferRangesOf(location, adaptor.getStarts(), adaptor.getLengths(), results);
}

template <class Adaptor>
mlir::LogicalResult inferSequencePool(std::optional<mlir::Location> location, Adaptor adaptor,
                                      Results &results) {
  return inferSequencePoolOf(location, adaptor.getX(), adaptor.getOffsets(), results);
}

template <class Adaptor>
mlir::LogicalResult inferSequenceConcat(std::optional<mlir::Location> location, Adaptor adaptor,
                                        Results &results) {
  return inferSequenceConcatOf(location, adaptor.getX(), adaptor.getOffsets(), results);
}

template <class Adaptor>
mlir::LogicalResult inferSequencePad(std::optional<mlir::Location> location, Adaptor adaptor,
                                     Results &results) {
  if (failed(checkRows(location, adaptor.getX(), adaptor.getOffsets())))
    return mlir::failure();
  auto x = tensorType(adaptor.getX());
  int64_t count = sequenceCount(adaptor.getOffsets()), length = adaptor.getPaddedLength();
  llvm::SmallVector<int64_t> shape{count, length < 0 ? mlir::ShapedType::kDynamic : length};
  shape.append(x.getShape().begin() + 1, x.getShape().end());
  results.push_back(x.clone(shape));
  results.push_back(vectorOfInts(x.getContext(), count));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferSequenceUnpad(std::optional<mlir::Location> location, Adaptor adaptor,
                                       Results &results) {
  auto x = tensorType(adaptor.getX());
  if (x.getRank() < 2 || tensorType(adaptor.getLength()).getRank() != 1)
    return inferenceError(location, "C1: x must have rank 2 or more and length be a vector, found ranks " +
                                        llvm::Twine(x.getRank()) + " and " +
                                        llvm::Twine(tensorType(adaptor.getLength()).getRank()));
  if (!mayHaveElements(adaptor.getLength(), x.getDimSize(0)))
    return inferenceError(location, "C1: length must have one element for each of the " +
                                        llvm::Twine(x.getDimSize(0)) + " rows of x");
  llvm::SmallVector<int64_t> shape{mlir::ShapedType::kDynamic};
  shape.append(x.getShape().begin() + 2, x.getShape().end());
  int64_t count = tensorType(adaptor.getLength()).getDimSize(0);
  results.push_back(x.clone(shape));
  results.push_back(vectorOfInts(x.getContext(), mlir::ShapedType::isDynamic(count) ? count : count + 1));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferSequenceReshape(std::optional<mlir::Location> location, Adaptor adaptor,
                                         Results &results) {
  return inferSequenceReshapeOf(location, adaptor.getX(), adaptor.getOffsets(), adaptor.getNewDim(), results);
}

/// Rows selected from x, and their offsets: as many sequences as x has.
template <class Adaptor>
mlir::LogicalResult inferPickedRows(std::optional<mlir::Location> location, Adaptor adaptor,
                                    Results &results) {
  if (failed(checkRows(location, adaptor.getX(), adaptor.getOffsets())))
    return mlir::failure();
  results.push_back(withRows(tensorType(adaptor.getX()), mlir::ShapedType::kDynamic));
  results.push_back(adaptor.getOffsets().getType());
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferSequenceSlice(std::optional<mlir::Location> location, Adaptor adaptor,
                                       Results &results) {
  if (failed(inferPickedRows(location, adaptor, results)))
    return mlir::failure();
  return checkOnePerSequence(location, {adaptor.getBegin(), adaptor.getLength()}, adaptor.getOffsets());
}

/// The type of x, whose rows are sequences.
template <class Adaptor>
mlir::LogicalResult inferSameRows(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  if (failed(checkRows(location, adaptor.getX(), adaptor.getOffsets())))
    return mlir::failure();
  results.push_back(adaptor.getX().getType());
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferSequenceScatter(std::optional<mlir::Location> location, Adaptor adaptor,
                                         Results &results) {
  if (failed(checkOneElementRows(location, adaptor.getIds(), adaptor.getIdsOffsets())))
    return mlir::failure();
  results.push_back(adaptor.getX().getType());
  return checkScattered(location, adaptor.getX(), adaptor.getIds(), adaptor.getUpdates());
}

template <class Adaptor>
mlir::LogicalResult inferSequenceErase(std::optional<mlir::Location> location, Adaptor adaptor,
                                       Results &results) {
  if (failed(checkOneElementRows(location, adaptor.getX(), adaptor.getOffsets())))
    return mlir::failure();
  return inferPickedRows(location, adaptor, results);
}

template <class Adaptor>
mlir::LogicalResult inferSequenceExpand(std::optional<mlir::Location> location, Adaptor adaptor,
                                        Results &results) {
  if (failed(checkRows(location, adaptor.getX(), adaptor.getYOffsets())) ||
      (adaptor.getOffsets() && failed(checkOffsets(location, adaptor.getOffsets()))))
    return mlir::failure();
  results.push_back(withRows(tensorType(adaptor.getX()), mlir::ShapedType::kDynamic));
  results.push_back(vectorOfInts(adaptor.getX().getContext(), mlir::ShapedType::kDynamic));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferSequenceExpandAs(std::optional<mlir::Location> location, Adaptor adaptor,
                                          Results &results) {
  if (failed(checkRows(location, adaptor.getX(), adaptor.getYOffsets())))
    return mlir::failure();
  if (tensorType(adaptor.getY()).getRank() == 0)
    return inferenceError(location, "C1: y must have a rank of at least 1");
  results.push_back(withRows(tensorType(adaptor.getX()), tensorType(adaptor.getY()).getDimSize(0)));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferSequenceEnumerate(std::optional<mlir::Location> location, Adaptor adaptor,
                                           Results &results) {
  if (failed(checkOneElementRows(location, adaptor.getX(), adaptor.getOffsets())))
    return mlir::failure();
  auto x = tensorType(adaptor.getX());
  auto size = static_cast<int64_t>(adaptor.getWinSize());
  if (size <= 0)
    return inferenceError(location, "C2: win_size must be positive, found " + llvm::Twine(size));
  results.push_back(x.clone({x.getDimSize(0), size}));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferSequenceConv(std::optional<mlir::Location> location, Adaptor adaptor,
                                      Results &results) {
  return inferSequenceConvOf(location, adaptor.getX(), adaptor.getOffsets(), adaptor.getFilter(),
                             adaptor.getContextLength(), adaptor.getContextStride(), results);
}

template <class Adaptor>
mlir::LogicalResult inferSequenceMask(std::optional<mlir::Location>, Adaptor adaptor, Results &results) {
  auto x = tensorType(adaptor.getX());
  auto length = static_cast<int64_t>(adaptor.getMaxlen());
  llvm::SmallVector<int64_t> shape(x.getShape());
  shape.push_back(adaptor.getMaxlenTensor() || length < 0 ? mlir::ShapedType::kDynamic : length);
  results.push_back(mlir::RankedTensorType::get(shape, adaptor.getOutDtype()));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferRowConv(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferRowConvOf(location, adaptor.getX(), adaptor.getFilter(), adaptor.getOffsets(), results);
}

template <class Adaptor>
mlir::LogicalResult inferIm2sequence(std::optional<mlir::Location> location, Adaptor adaptor,
                                     Results &results) {
  auto x = tensorType(adaptor.getX());
  if (failed(inferIm2sequenceOf(location, x, adaptor.getKernels(), adaptor.getStrides(),
                                adaptor.getPaddings(), results)))
    return mlir::failure();
  return !adaptor.getSizes() ? mlir::success()
                             : inferIm2sequenceRows(location, x, tensorType(adaptor.getSizes()),
                                                    adaptor.getOutStride(), results);
}

} // namespace proa::pd
