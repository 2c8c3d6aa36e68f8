#include "dialects/pd/autodiff/BatchingRules.h"
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/conv/ConvOps.h"
#include "dialects/pd/ops/conv/Convolution.h"
#include "dialects/pd/ops/conv/IntegerConvOps.h"
#include "dialects/pd/reference/Evaluate.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// C1 and C5 of convolutions.
LogicalResult checkConvWindow(std::optional<Location> location, RankedTensorType input,
                              RankedTensorType filter, const Window &window) {
  int64_t rank = window.spatial + 2;
  if (input.getRank() != rank || filter.getRank() != rank)
    return inferenceError(location, "C1: input and filter must have rank " + llvm::Twine(rank) +
                                        ", found ranks " + llvm::Twine(input.getRank()) + " and " +
                                        llvm::Twine(filter.getRank()));
  return checkWindow(location, window, "C5");
}

/// C1, C2 and C5.
LogicalResult checkConv(std::optional<Location> location, RankedTensorType input, RankedTensorType filter,
                        const Window &window) {
  if (failed(checkConvWindow(location, input, filter, window)))
    return failure();
  if (input.getElementType() == filter.getElementType())
    return success();
  std::string text;
  llvm::raw_string_ostream(text) << "C2: input and filter must have one element type, found "
                                 << input.getElementType() << " and " << filter.getElementType();
  return inferenceError(location, text);
}

/// C4: the groups divide `channels`.
LogicalResult checkGroups(std::optional<Location> location, int64_t groups, int64_t channels,
                          llvm::StringRef which) {
  if (groups > 0 && (ShapedType::isDynamic(channels) || channels % groups == 0))
    return success();
  return inferenceError(location, "C4: groups must be above 0 and divide the " + llvm::Twine(channels) + " " +
                                      which + " channels, found " + llvm::Twine(groups));
}

/// C8 in one dimension.
LogicalResult checkOutputSize(std::optional<Location> location, int64_t outputSize, int64_t dimSize,
                              int64_t stride) {
  if (outputSize >= dimSize && outputSize < dimSize + stride)
    return success();
  return inferenceError(location, "C8: output_size must be at least " + llvm::Twine(dimSize) + " and below " +
                                      llvm::Twine(dimSize + stride) + ", found " + llvm::Twine(outputSize));
}

/// Replaces attributes of the padding algorithm by explicit ones; whether something changed.
template <class ConvOp> bool makePaddingsExplicit(ConvOp op, Value input) {
  int64_t spatial = tensorType(input).getRank() - 2;
  llvm::SmallVector<int64_t> dims = spatialDims(tensorType(input).getShape(), op.getDataFormat());
  Window window = convWindow(op, spatial, tensorType(op.getFilter()));
  llvm::SmallVector<int64_t> paddings = window.resolvedPaddings(dims);
  if (llvm::is_contained(paddings, ShapedType::kDynamic) ||
      (op.getPaddingAlgorithm() == PaddingAlgorithm::Explicit &&
       llvm::ArrayRef(paddings) == op.getPaddings()))
    return false;
  llvm::SmallVector<int64_t> dilations;
  for (int64_t i = 0; i < spatial; ++i)
    dilations.push_back(window.dilation(i));
  op.setPaddings(paddings);
  op.setDilations(dilations);
  op.setPaddingAlgorithm(PaddingAlgorithm::Explicit);
  return true;
}

} // namespace

LogicalResult inferConvOf(std::optional<Location> location, ValueRange operands, const Window &window,
                          int64_t groups, DataFormat dataFormat, Results &results, Type element) {
  RankedTensorType input = tensorType(operands[0]), filter = tensorType(operands[1]);
  if (failed(element ? checkConvWindow(location, input, filter, window)
                     : checkConv(location, input, filter, window)))
    return failure();
  int64_t channels = channelsOf(input, dataFormat), perGroup = filter.getDimSize(1);
  if (failed(checkGroups(location, groups, filter.getDimSize(0), "output")))
    return failure();
  if (!mayBeEqual(channels, ShapedType::isDynamic(perGroup) ? perGroup : perGroup * groups))
    return inferenceError(location, "C3: the input must have groups (" + llvm::Twine(groups) +
                                        ") times the filter's " + llvm::Twine(perGroup) +
                                        " channels, found " + llvm::Twine(channels));
  auto spatial = windowCounts(location, window, spatialDims(input.getShape(), dataFormat), false, "C7");
  if (failed(spatial))
    return failure();
  results.push_back(
      RankedTensorType::get(shapeOf(input.getDimSize(0), filter.getDimSize(0), *spatial, dataFormat),
                            element ? element : input.getElementType()));
  return success();
}

LogicalResult inferConvTransposeOf(std::optional<Location> location, ValueRange operands,
                                   const Window &window, int64_t groups, DataFormat dataFormat,
                                   llvm::ArrayRef<int64_t> outputPadding, llvm::ArrayRef<int64_t> outputSize,
                                   Results &results) {
  RankedTensorType x = tensorType(operands[0]), filter = tensorType(operands[1]);
  if (failed(checkConv(location, x, filter, window)))
    return failure();
  int64_t channels = channelsOf(x, dataFormat);
  if (!mayBeEqual(channels, filter.getDimSize(0)))
    return inferenceError(location, "C3: x must have the " + llvm::Twine(filter.getDimSize(0)) +
                                        " input channels of the filter, found " + llvm::Twine(channels));
  if (failed(checkGroups(location, groups, channels, "input")))
    return failure();
  auto n = static_cast<size_t>(window.spatial);
  bool isPadded = outputPadding.size() == n;
  if (!isPadded && !outputPadding.empty())
    return inferenceError(location, "C7: output_padding must be empty or " + llvm::Twine(n) +
                                        " numbers, found " + llvm::Twine(outputPadding.size()));
  if (outputSize.size() != n && !outputSize.empty())
    return inferenceError(location, "C8: output_size must be empty or " + llvm::Twine(n) +
                                        " numbers, found " + llvm::Twine(outputSize.size()));
  llvm::SmallVector<int64_t> input = spatialDims(x.getShape(), dataFormat),
                             paddings = window.resolvedPaddings(input), out;
  for (size_t i = 0; i < n; ++i) {
    int64_t extra = isPadded ? outputPadding[i] : 0;
    if (extra < 0 || (extra > 0 && extra >= std::max(window.strides[i], window.dilation(i))))
      return inferenceError(location, "C7: output_padding must be at least 0 and below the stride " +
                                          llvm::Twine(window.strides[i]) + " or the dilation, found " +
                                          llvm::Twine(extra));
    if (ShapedType::isDynamic(input[i]) || ShapedType::isDynamic(window.kernel[i]) ||
        ShapedType::isDynamic(paddings[2 * i])) {
      out.push_back(outputSize.empty() ? ShapedType::kDynamic : outputSize[i]);
      continue;
    }
    int64_t dimSize = (input[i] - 1) * window.strides[i] - paddings[2 * i] - paddings[2 * i + 1] +
                      window.dilation(i) * (window.kernel[i] - 1) + 1;
    if (!outputSize.empty() && failed(checkOutputSize(location, outputSize[i], dimSize, window.strides[i])))
      return failure();
    out.push_back(outputSize.empty() ? dimSize + extra : outputSize[i]);
    if (out.back() <= 0 && input[i] > 0)
      return inferenceError(location, "C9: the output dims must be positive, found " +
                                          llvm::Twine(out.back()) + " in spatial dimension " +
                                          llvm::Twine(i));
  }
  int64_t perGroup = filter.getDimSize(1);
  results.push_back(RankedTensorType::get(
      shapeOf(x.getDimSize(0), ShapedType::isDynamic(perGroup) ? perGroup : perGroup * groups, out,
              dataFormat),
      x.getElementType()));
  return success();
}

/// Each element of `each` is combined with all elements of the filter except elements of other channels on
/// its side (dimension 0).
static std::optional<int64_t> multiplyAddsOfConv(Value each, Value filter) {
  llvm::SmallVector<int64_t> dimSizes(tensorType(each).getShape());
  llvm::append_range(dimSizes, tensorType(filter).getShape().drop_front());
  return productOfDims(dimSizes);
}

std::optional<int64_t> Conv2dOp::getMultiplyAdds() { return multiplyAddsOfConv(getOut(), getFilter()); }
std::optional<int64_t> IntegerConv2dOp::getMultiplyAdds() {
  return multiplyAddsOfConv(getOut(), getFilter());
}
std::optional<int64_t> Conv3dOp::getMultiplyAdds() { return multiplyAddsOfConv(getOut(), getFilter()); }
std::optional<int64_t> Conv2dTransposeOp::getMultiplyAdds() {
  return multiplyAddsOfConv(getX(), getFilter());
}
std::optional<int64_t> Conv3dTransposeOp::getMultiplyAdds() {
  return multiplyAddsOfConv(getX(), getFilter());
}

OpFoldResult Conv2dOp::fold(FoldAdaptor) {
  return makePaddingsExplicit(*this, getInput()) ? getOut() : OpFoldResult();
}
OpFoldResult IntegerConv2dOp::fold(FoldAdaptor) {
  return makePaddingsExplicit(*this, getInput()) ? getOut() : OpFoldResult();
}
OpFoldResult Conv3dOp::fold(FoldAdaptor) {
  return makePaddingsExplicit(*this, getInput()) ? getOut() : OpFoldResult();
}
OpFoldResult Conv2dTransposeOp::fold(FoldAdaptor) {
  return makePaddingsExplicit(*this, getX()) ? getOut() : OpFoldResult();
}
OpFoldResult Conv3dTransposeOp::fold(FoldAdaptor) {
  return makePaddingsExplicit(*this, getX()) ? getOut() : OpFoldResult();
}

//===-- Batching ----------------------------------------------------------------------------------------===//

// The examples are joined to the batch of the images or, if each example has its own filter, to their
// channels.

namespace {

/// Images of [examples, batch, ..., channels, ...] with the examples joined to the channels: [batch, ...,
/// examples * channels, ...].
Expression joinChannels(TensorBuilder &e, Expression x, bool isLast) {
  int64_t channels = isLast ? x.rank() - 1 : 2;
  SmallVector<int64_t> order;
  for (int64_t d = 1; d < x.rank(); ++d) {
    if (d == channels)
      order.push_back(0);
    order.push_back(d);
  }
  Expression moved = e.transpose(x, order);
  SmallVector<DimSize> shape = dimSizesOf(moved);
  shape[channels - 1] = multiply(e, shape[channels - 1], shape[channels]);
  shape.erase(shape.begin() + channels);
  return reshapeTo(moved, shape);
}

/// The reverse.
Expression separateChannels(TensorBuilder &e, Expression x, bool isLast, int64_t examples) {
  int64_t channels = isLast ? x.rank() - 1 : 1;
  SmallVector<DimSize> shape = dimSizesOf(x);
  shape[channels] = divide(e, shape[channels], examples);
  shape.insert(shape.begin() + channels, DimSize(examples));
  SmallVector<int64_t> order{channels};
  for (int64_t d = 0; d <= x.rank(); ++d)
    if (d != channels)
      order.push_back(d);
  return e.transpose(reshapeTo(x, shape), order);
}

Type scaledType(Type type, int64_t axis, int64_t factor) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  if (!ShapedType::isDynamic(shape[axis]))
    shape[axis] *= factor;
  return tensor.clone(shape);
}

/// The examples, each with a filter of its own, are groups of one convolution.
template <class Op> BatchedResults batchAsGroups(Batcher &batcher, Op op) {
  TensorBuilder e(batcher.builder, op.getOperation());
  DimSize examples = batcher.examples(e);
  if (!examples.isKnown())
    return failure();
  bool isLast = channelsAreLast(op.getDataFormat());
  Expression image = joinChannels(e, e.wrap(batcher.batched(op->getOperand(0))), isLast);
  Expression filter = joinImages(e, e.wrap(batcher.batched(op->getOperand(1))));
  auto created = cast<Op>(batcher.builder.clone(*op.getOperation()));
  created->setOperands({Value(image), Value(filter)});
  created.setGroups(op.getGroups() * examples.getNumber());
  Value out = created->getResult(0);
  int64_t channels = isLast ? tensorType(out).getRank() - 1 : 1;
  out.setType(scaledType(out.getType(), channels, examples.getNumber()));
  return one(separateChannels(e, e.wrap(out), isLast, examples.getNumber()));
}

template <class Op> BatchedResults batchConv(Batcher &batcher, Op op) {
  return batcher.isBatched(op.getFilter()) ? batchAsGroups(batcher, op) : batchJoined(batcher, op, 1);
}

template <class Op> BatchedResults batchWeightGradient(Batcher &batcher, Op op) {
  TensorBuilder e(batcher.builder, op);
  DimSize examples = batcher.examples(e);
  if (!examples.isKnown())
    return failure();
  bool isLast = channelsAreLast(op.getDataFormat());
  Expression input = joinChannels(e, e.wrap(batcher.batched(op.getInput())), isLast),
             cotangent = joinChannels(e, e.wrap(batcher.batched(op.getOutGradient())), isLast);
  auto created = cast<Op>(batcher.builder.clone(*op.getOperation()));
  created->setOperands({Value(input), Value(cotangent)});
  created.setGroups(op.getGroups() * examples.getNumber());
  Value out = created->getResult(0);
  out.setType(scaledType(out.getType(), 0, examples.getNumber()));
  SmallVector<DimSize> shape = dimSizesOf(e.wrap(out));
  shape[0] = divide(e, shape[0], examples.getNumber());
  shape.insert(shape.begin(), examples);
  return one(reshapeTo(e.wrap(out), shape));
}

} // namespace

BatchedResults Conv2dOp::batch(Batcher &batcher) { return batchConv(batcher, *this); }
BatchedResults Conv3dOp::batch(Batcher &batcher) { return batchConv(batcher, *this); }
BatchedResults Conv2dTransposeOp::batch(Batcher &batcher) { return batchConv(batcher, *this); }
BatchedResults Conv3dTransposeOp::batch(Batcher &batcher) { return batchConv(batcher, *this); }
BatchedResults Conv2dWeightGradientOp::batch(Batcher &batcher) { return batchWeightGradient(batcher, *this); }
BatchedResults Conv3dWeightGradientOp::batch(Batcher &batcher) { return batchWeightGradient(batcher, *this); }

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/conv/Conv.cpp.inc"
#include "dialects/pd/ops/conv/Conv.methods.inc"
#include "dialects/pd/ops/conv/Conv.scalar.inc"
