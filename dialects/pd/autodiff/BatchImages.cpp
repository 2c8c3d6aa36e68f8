//! Batching of ops on images: the examples join the images' own batch, or, where filters differ, their
//! channels.
#include "dialects/pd/autodiff/BatchingRules.h"
#include "dialects/pd/ops/detection/DetectionOps.h"
#include "dialects/pd/ops/detection/RoiPool.h"
#include "dialects/pd/ops/detection/Selection.h"
#include "dialects/pd/ops/loss/Kernels.h"
#include "dialects/pd/ops/nn/ConvOps.h"
#include "dialects/pd/ops/nn/InterpolateOps.h"
#include "dialects/pd/ops/nn/PoolOps.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// x of [examples, batch, ...] as [examples * batch, ...].
Expression joined(TensorBuilder &e, Expression x) {
  SmallVector<Extent> shape = extentsOf(x);
  Extent both = multiply(e, shape[0], shape[1]);
  shape.erase(shape.begin());
  shape[0] = both;
  return reshapeTo(x, shape);
}

/// The type with its first extent multiplied.
Type joinedType(Type type, const Extent &examples) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  bool known = examples.isKnown() && !ShapedType::isDynamic(shape[0]);
  shape[0] = known ? shape[0] * examples.getNumber() : ShapedType::kDynamic;
  return tensor.clone(shape);
}

/// The op on its first `images` operands joined; results, which have as many rows as operand `like`, come
/// apart again.
BatchedResults onJoined(Batcher &batcher, Operation *op, unsigned images, unsigned like = 0) {
  TensorBuilder e(batcher.builder, op);
  SmallVector<Value> operands;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    if (i < images)
      operands.push_back(joined(e, e.wrap(batcher.batched(operand))));
    else if (!batcher.isBatched(operand))
      operands.push_back(batcher.plain(operand));
    else
      return failure();
  }
  Operation *made = batcher.builder.clone(*op);
  made->setOperands(operands);
  SmallVector<Batched> results;
  for (auto [result, original] : llvm::zip(made->getResults(), op->getResults())) {
    result.setType(joinedType(original.getType(), batcher.examples(e)));
    SmallVector<Extent> shape = extentsOf(e.wrap(result));
    shape[0] = Extent(e.wrap(batcher.batched(op->getOperand(like))), 1);
    shape.insert(shape.begin(), batcher.examples(e));
    results.push_back(Batched(reshapeTo(e.wrap(result), shape)));
  }
  return results;
}

template <unsigned images> BatchedResults joinedRule(Batcher &batcher, Operation *op) {
  return onJoined(batcher, op, images);
}

BatchedResults allJoined(Batcher &batcher, Operation *op) {
  return onJoined(batcher, op, op->getNumOperands());
}

/// Regions, whose numbers for each image must be known: without them all are of the first image.
template <class Op, unsigned like> BatchedResults regions(Batcher &batcher, Operation *op) {
  return cast<Op>(op).getBoxesNum() ? onJoined(batcher, op, op->getNumOperands(), like)
                                    : BatchedResults(failure());
}

/// Images of [examples, batch, ..., channels, ...] with the examples' channels side by side: [batch, ...,
/// examples * channels, ...].
Expression asChannels(TensorBuilder &e, Expression x, bool isLast) {
  int64_t channels = isLast ? x.rank() - 1 : 2;
  SmallVector<int64_t> order;
  for (int64_t d = 1; d < x.rank(); ++d) {
    if (d == channels)
      order.push_back(0);
    order.push_back(d);
  }
  Expression moved = e.transpose(x, order);
  SmallVector<Extent> shape = extentsOf(moved);
  shape[channels - 1] = multiply(e, shape[channels - 1], shape[channels]);
  shape.erase(shape.begin() + channels);
  return reshapeTo(moved, shape);
}

/// The reverse.
Expression fromChannels(TensorBuilder &e, Expression x, bool isLast, int64_t examples) {
  int64_t channels = isLast ? x.rank() - 1 : 1;
  SmallVector<Extent> shape = extentsOf(x);
  shape[channels] = divide(e, shape[channels], examples);
  shape.insert(shape.begin() + channels, Extent(examples));
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

/// Where each example has a filter of its own they are groups of one convolution.
template <class Op> BatchedResults grouped(Batcher &batcher, Op op) {
  TensorBuilder e(batcher.builder, op.getOperation());
  Extent examples = batcher.examples(e);
  if (!examples.isKnown())
    return failure();
  bool isLast = channelsAreLast(op.getDataFormat());
  Expression image = asChannels(e, e.wrap(batcher.batched(op->getOperand(0))), isLast);
  Expression filter = joined(e, e.wrap(batcher.batched(op->getOperand(1))));
  auto made = cast<Op>(batcher.builder.clone(*op.getOperation()));
  made->setOperands({Value(image), Value(filter)});
  made.setGroups(op.getGroups() * examples.getNumber());
  Value out = made->getResult(0);
  int64_t channels = isLast ? tensorType(out).getRank() - 1 : 1;
  out.setType(scaledType(out.getType(), channels, examples.getNumber()));
  return SmallVector<Batched>{Batched(fromChannels(e, e.wrap(out), isLast, examples.getNumber()))};
}

template <class Op> BatchedResults convolution(Batcher &batcher, Operation *op) {
  return batcher.isBatched(op->getOperand(1)) ? grouped(batcher, cast<Op>(op)) : onJoined(batcher, op, 1);
}

template <class Op> BatchedResults weightGradient(Batcher &batcher, Operation *op) {
  auto gradient = cast<Op>(op);
  TensorBuilder e(batcher.builder, op);
  Extent examples = batcher.examples(e);
  if (!examples.isKnown())
    return failure();
  bool isLast = channelsAreLast(gradient.getDataFormat());
  Expression input = asChannels(e, e.wrap(batcher.batched(op->getOperand(0))), isLast),
             cotangent = asChannels(e, e.wrap(batcher.batched(op->getOperand(1))), isLast);
  auto made = cast<Op>(batcher.builder.clone(*op));
  made->setOperands({Value(input), Value(cotangent)});
  made.setGroups(gradient.getGroups() * examples.getNumber());
  Value out = made->getResult(0);
  out.setType(scaledType(out.getType(), 0, examples.getNumber()));
  SmallVector<Extent> shape = extentsOf(e.wrap(out));
  shape[0] = divide(e, shape[0], examples.getNumber());
  shape.insert(shape.begin(), examples);
  return SmallVector<Batched>{Batched(reshapeTo(e.wrap(out), shape))};
}

} // namespace

void addImageBatching(BatchingRules &rules) {
  rules.add<Pool2dOp, Pool3dOp, MaxPool2dWithIndexOp, MaxPool3dWithIndexOp, LinearInterpOp, BilinearInterpOp,
            TrilinearInterpOp, BicubicInterpOp, NearestInterpOp, SimilarityFocusOp>(joinedRule<1>);
  rules.add<Pool2dGradientOp, Pool3dGradientOp, InterpolateGradientOp>(joinedRule<2>);
  rules.add<YoloBoxOp, YoloLossOp>(allJoined);
  rules.add<RoiAlignOp>(regions<RoiAlignOp, 1>);
  rules.add<RoiPoolOp>(regions<RoiPoolOp, 1>);
  rules.add<PsroiPoolOp>(regions<PsroiPoolOp, 1>);
  rules.add<DeformablePsroiPoolingOp>(regions<DeformablePsroiPoolingOp, 1>);
  rules.add<RoiAlignGradOp>(regions<RoiAlignGradOp, 0>);
  rules.add<RoiPoolGradOp>(regions<RoiPoolGradOp, 0>);
  rules.add<PsroiPoolGradOp>(regions<PsroiPoolGradOp, 0>);
  rules.add<Conv2dOp>(convolution<Conv2dOp>);
  rules.add<Conv3dOp>(convolution<Conv3dOp>);
  rules.add<Conv2dTransposeOp>(convolution<Conv2dTransposeOp>);
  rules.add<Conv3dTransposeOp>(convolution<Conv3dTransposeOp>);
  rules.add<Conv2dWeightGradientOp>(weightGradient<Conv2dWeightGradientOp>);
  rules.add<Conv3dWeightGradientOp>(weightGradient<Conv3dWeightGradientOp>);
}

} // namespace proa::pd
