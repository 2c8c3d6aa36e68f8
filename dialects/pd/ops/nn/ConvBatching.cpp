//! Batching rules of convolutions: the examples are joined to the images' batch or, where each example has a
//! filter of its own, to their channels.
#include "dialects/pd/autodiff/BatchingRules.h"
#include "dialects/pd/ops/nn/ConvOps.h"

using namespace mlir;

namespace proa::pd {
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
  SmallVector<Extent> shape = extentsOf(moved);
  shape[channels - 1] = multiply(e, shape[channels - 1], shape[channels]);
  shape.erase(shape.begin() + channels);
  return reshapeTo(moved, shape);
}

/// The reverse.
Expression separateChannels(TensorBuilder &e, Expression x, bool isLast, int64_t examples) {
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

/// The examples, each with a filter of its own, are groups of one convolution.
template <class Op> BatchedResults batchAsGroups(Batcher &batcher, Op op) {
  TensorBuilder e(batcher.builder, op.getOperation());
  Extent examples = batcher.examples(e);
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
  Extent examples = batcher.examples(e);
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
  SmallVector<Extent> shape = extentsOf(e.wrap(out));
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
