//! Types of the ops on sequences.
#include "dialects/pd/ops/conv/Window.h"
#include "dialects/pd/ops/sequence/Sequence.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace proa::pd {
namespace {

std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

bool hasOneElementRows(RankedTensorType type) {
  return llvm::all_of(type.getShape().drop_front(), [](int64_t dim) { return dim == 1 || dim == unknown; });
}

} // namespace

LogicalResult checkOffsets(std::optional<Location> location, Value offsets) {
  RankedTensorType type = tensorType(offsets);
  if (type.getRank() == 1 && type.getElementType().isSignlessInteger(64) && type.getDimSize(0) != 0)
    return success();
  return inferenceError(location,
                        "C1: offsets must be an int64 vector that is not empty, found " + textOf(type));
}

LogicalResult checkRows(std::optional<Location> location, Value x, Value offsets) {
  if (tensorType(x).getRank() == 0)
    return inferenceError(location, "C1: x must have a rank of at least 1, found " + textOf(x.getType()));
  return checkOffsets(location, offsets);
}

LogicalResult checkOneElementRows(std::optional<Location> location, Value x, Value offsets) {
  if (failed(checkRows(location, x, offsets)))
    return failure();
  RankedTensorType type = tensorType(x);
  return hasOneElementRows(type)
             ? success()
             : inferenceError(location, "C1: x must have one element a row, found " + textOf(type));
}

LogicalResult checkOnePerSequence(std::optional<Location> location, ValueRange values, Value offsets) {
  int64_t count = sequenceCount(offsets);
  for (Value value : values)
    if (!mayHaveElements(value, count))
      return inferenceError(location, "C1: expected one element for each of the " + llvm::Twine(count) +
                                          " sequences, found " + textOf(value.getType()));
  return success();
}

LogicalResult checkScattered(std::optional<Location> location, Value x, Value ids, Value updates) {
  RankedTensorType type = tensorType(x), added = tensorType(updates);
  bool fits = type.getRank() == 2 && added.getRank() > 0 && hasOneElementRows(added) &&
              added.getElementType() == type.getElementType() &&
              succeeded(verifyCompatibleShape(added.getShape().take_front(),
                                              tensorType(ids).getShape().take_front()));
  return fits ? success()
              : inferenceError(location,
                               "C2: x must have rank 2, and updates its element type, the rows of ids "
                               "and one element a row, found " +
                                   textOf(type) + " and " + textOf(added));
}

int64_t sequenceCount(Value offsets) {
  int64_t dimSize = tensorType(offsets).getDimSize(0);
  return dimSize == unknown ? unknown : dimSize - 1;
}

RankedTensorType withRows(RankedTensorType type, int64_t rows) {
  llvm::SmallVector<int64_t> shape(type.getShape());
  shape[0] = rows;
  return type.clone(shape);
}

RankedTensorType vectorOfInts(MLIRContext *context, int64_t dimSize) {
  return RankedTensorType::get({dimSize}, IntegerType::get(context, 64));
}

LogicalResult inferRangesOf(std::optional<Location> location, Value starts, Value lengths, Results &results) {
  RankedTensorType first = tensorType(starts), second = tensorType(lengths);
  bool isValid = first.getRank() == 1 && first.getElementType().isSignlessInteger(64) &&
                 first.getElementType() == second.getElementType() &&
                 succeeded(verifyCompatibleShape(first.getShape(), second.getShape()));
  if (!isValid)
    return inferenceError(location, "C1: starts and lengths must be int64 vectors of one dim, found " +
                                        textOf(first) + " and " + textOf(second));
  int64_t count = first.isDynamicDim(0) ? second.getDimSize(0) : first.getDimSize(0);
  results.push_back(vectorOfInts(first.getContext(), unknown));
  results.push_back(vectorOfInts(first.getContext(), count == unknown ? unknown : count + 1));
  return success();
}

LogicalResult inferSequencePoolOf(std::optional<Location> location, Value x, Value offsets,
                                  Results &results) {
  if (failed(checkRows(location, x, offsets)))
    return failure();
  RankedTensorType type = withRows(tensorType(x), sequenceCount(offsets));
  results.push_back(type);
  results.push_back(type.clone(IntegerType::get(type.getContext(), 32)));
  return success();
}

LogicalResult inferSequenceConcatOf(std::optional<Location> location, ValueRange x, ValueRange offsets,
                                    Results &results) {
  if (x.empty() || x.size() != offsets.size())
    return inferenceError(location, "C1: there must be as many offsets as tensors, found " +
                                        llvm::Twine(offsets.size()) + " and " + llvm::Twine(x.size()));
  RankedTensorType first = tensorType(x.front());
  int64_t rows = 0, count = unknown;
  llvm::SmallVector<int64_t> shape(first.getShape());
  for (auto [tensor, levels] : llvm::zip(x, offsets)) {
    if (failed(checkRows(location, tensor, levels)))
      return failure();
    RankedTensorType type = tensorType(tensor);
    bool fits = type.getElementType() == first.getElementType() && type.getRank() == first.getRank() &&
                succeeded(verifyCompatibleShape(type.getShape().drop_front(), first.getShape().drop_front()));
    if (!fits)
      return inferenceError(location, "C2: the tensors must agree in all dimensions but the first, found " +
                                          textOf(first) + " and " + textOf(type));
    rows = rows == unknown || type.isDynamicDim(0) ? unknown : rows + type.getDimSize(0);
    int64_t own = sequenceCount(levels);
    if (count != unknown && own != unknown && own != count)
      return inferenceError(location, "C1: the tensors must have as many sequences, found " +
                                          llvm::Twine(count) + " and " + llvm::Twine(own));
    count = own == unknown ? count : own;
    for (int64_t d = 1; d < type.getRank(); ++d)
      shape[d] = shape[d] == unknown ? type.getDimSize(d) : shape[d];
  }
  results.push_back(withRows(first.clone(shape), rows));
  results.push_back(vectorOfInts(first.getContext(), count == unknown ? unknown : count + 1));
  return success();
}

LogicalResult inferSequenceReshapeOf(std::optional<Location> location, Value x, Value offsets, int64_t width,
                                     Results &results) {
  if (failed(checkRows(location, x, offsets)))
    return failure();
  RankedTensorType type = tensorType(x);
  if (type.getRank() != 2)
    return inferenceError(location, "C1: x must have rank 2, found " + textOf(type));
  if (width <= 0)
    return inferenceError(location, "C2: new_dim must be positive, found " + llvm::Twine(width));
  results.push_back(type.clone({type.hasStaticShape() ? type.getNumElements() / width : unknown, width}));
  results.push_back(offsets.getType());
  return success();
}

LogicalResult inferSequenceConvOf(std::optional<Location> location, Value x, Value offsets, Value filter,
                                  int64_t length, int64_t stride, Results &results) {
  if (failed(checkRows(location, x, offsets)))
    return failure();
  RankedTensorType type = tensorType(x), weights = tensorType(filter);
  if (type.getRank() != 2)
    return inferenceError(location, "C1: x must have rank 2, found " + textOf(type));
  if (length <= 0 || stride != 1)
    return inferenceError(location, "C2: context_length must be positive and context_stride 1, found " +
                                        llvm::Twine(length) + " and " + llvm::Twine(stride));
  int64_t rows = type.isDynamicDim(1) ? unknown : length * type.getDimSize(1);
  if (weights.getRank() != 2 ||
      failed(verifyCompatibleShape(weights.getShape().take_front(1), llvm::ArrayRef(rows))))
    return inferenceError(
        location, "C3: filter must have rank 2 and context_length times the width of x as rows, found " +
                      textOf(weights) + " for " + textOf(type));
  results.push_back(type.clone({type.getDimSize(0), weights.getDimSize(1)}));
  return success();
}

LogicalResult inferRowConvOf(std::optional<Location> location, Value x, Value filter, Value offsets,
                             Results &results) {
  RankedTensorType type = tensorType(x), weights = tensorType(filter);
  if (offsets && failed(checkOffsets(location, offsets)))
    return failure();
  if (type.getRank() != (offsets ? 2 : 3))
    return inferenceError(location,
                          "C1: x must have rank " + llvm::Twine(offsets ? 2 : 3) + ", found " + textOf(type));
  bool fits = weights.getRank() == 2 && !weights.isDynamicDim(0) && weights.getDimSize(0) > 0 &&
              succeeded(verifyCompatibleShape(weights.getShape().take_back(), type.getShape().take_back()));
  if (!fits)
    return inferenceError(location,
                          "C2: filter must be [future context + 1, width of x], found " + textOf(weights));
  results.push_back(type);
  return success();
}

LogicalResult inferIm2sequenceOf(std::optional<Location> location, RankedTensorType x,
                                 llvm::ArrayRef<int64_t> kernels, llvm::ArrayRef<int64_t> strides,
                                 llvm::ArrayRef<int64_t> paddings, Results &results) {
  if (x.getRank() != 4)
    return inferenceError(location, "C1: x must have rank 4, found " + textOf(x));
  bool hasPairs = kernels.size() == 2 && strides.size() == 2 && paddings.size() == 4;
  if (!hasPairs || llvm::any_of(kernels, [](int64_t dimSize) { return dimSize <= 0; }))
    return inferenceError(
        location, "C2: kernels and strides must be pairs of positive numbers, and paddings four numbers");
  Window window{2,
                llvm::SmallVector<int64_t>(kernels),
                llvm::SmallVector<int64_t>(strides),
                {paddings[0], paddings[2], paddings[1], paddings[3]},
                {1, 1}};
  if (failed(checkWindow(location, window, "C2")))
    return failure();
  auto counts = windowCounts(location, window, x.getShape().drop_front(2), false, "C2");
  if (failed(counts))
    return failure();
  bool isKnown = !x.isDynamicDim(0) && !llvm::is_contained(*counts, unknown);
  results.push_back(x.clone({isKnown ? x.getDimSize(0) * (*counts)[0] * (*counts)[1] : unknown,
                             x.isDynamicDim(1) ? unknown : x.getDimSize(1) * kernels[0] * kernels[1]}));
  results.push_back(vectorOfInts(x.getContext(), x.isDynamicDim(0) ? unknown : x.getDimSize(0) + 1));
  return success();
}

LogicalResult inferIm2sequenceRows(std::optional<Location> location, RankedTensorType x,
                                   RankedTensorType sizes, llvm::ArrayRef<int64_t> outStride,
                                   Results &results) {
  bool isPair = outStride.size() == 2 && llvm::all_of(outStride, [](int64_t stride) { return stride > 0; });
  if (!isPair || failed(verifyCompatibleShape({x.getDimSize(0), 2}, sizes.getShape())))
    return inferenceError(location, "C3: sizes must have two elements for each image, and out_stride two "
                                    "positive numbers, found " +
                                        textOf(sizes));
  auto rows = cast<RankedTensorType>(results.front());
  if (x.getDimSize(0) != 1)
    results.front() = rows.clone({unknown, rows.getDimSize(1)});
  return success();
}

} // namespace proa::pd
