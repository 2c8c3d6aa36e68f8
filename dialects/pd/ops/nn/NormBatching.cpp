//! Batching rules of normalizations: each stays one op, because its gradient is a rule of its own and not the
//! derivative of its decomposition.
#include "dialects/pd/autodiff/BatchSamples.h"
#include "dialects/pd/ops/nn/NormOps.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// `out`, the result of a normalization without scale and bias, times the scale plus the bias. `dims`: the
/// dims that these have in an example.
FailureOr<Expression> affine(Batcher &batcher, TensorBuilder &e, Expression out, Value scale, Value bias,
                             ArrayRef<DimSize> dims) {
  auto shaped = [&](Value parameter) {
    SmallVector<DimSize> shape(dims);
    if (batcher.isBatched(parameter))
      shape.insert(shape.begin(), batcher.examples(e));
    return reshapeTo(e.wrap(batcher.either(parameter)), shape);
  };
  for (Value parameter : {scale, bias})
    if (parameter && tensorType(parameter).getElementType() != out.type().getElementType())
      return failure();
  if (scale)
    out = out * shaped(scale);
  if (bias)
    out = out + shaped(bias);
  return out;
}

template <class Op> bool hasBatchedParameters(Batcher &batcher, Op op) {
  return (op.getScale() && batcher.isBatched(op.getScale())) ||
         (op.getBias() && batcher.isBatched(op.getBias()));
}

/// A copy of the op without scale and bias, to be erased.
template <class Op> Op withoutParameters(Op op) {
  OpBuilder local(op);
  auto copy = cast<Op>(local.clone(*op));
  copy.getScaleMutable().clear();
  copy.getBiasMutable().clear();
  return copy;
}

DataFormat formatOf(GroupNormOp op) { return op.getDataFormat(); }
DataFormat formatOf(InstanceNormOp) { return DataFormat::NCHW; }

/// Each sample has its own mean and variance: the examples' samples are joined.
template <class Op> BatchedResults batchSampleNorm(Batcher &batcher, Op norm) {
  SmallVector<Role> results(3, Role::First), operands{Role::First};
  operands.resize(norm->getNumOperands(), Role::Shared);
  if (!hasBatchedParameters(batcher, norm))
    return SampleJoiner(batcher, norm).join(operands, results);
  Op plain = withoutParameters(norm);
  BatchedResults joined = SampleJoiner(batcher, plain).join({Role::First}, results);
  plain->erase();
  if (failed(joined))
    return failure();
  TensorBuilder e(batcher.builder, norm);
  auto type = tensorType(norm.getX());
  SmallVector<DimSize> dims(static_cast<size_t>(type.getRank()), DimSize(1));
  int64_t channels = channelAxis(type, formatOf(norm));
  Expression out = e.wrap((*joined)[0].value);
  dims[channels] = DimSize(out, channels + 1);
  auto moved = affine(batcher, e, out, norm.getScale(), norm.getBias(), dims);
  if (failed(moved))
    return failure();
  (*joined)[0] = Batched(*moved);
  return joined;
}

} // namespace

BatchedResults LayerNormOp::batch(Batcher &batcher) {
  auto begin = static_cast<int64_t>(getBeginNormAxis());
  bool areBatched = hasBatchedParameters(batcher, *this), hasExamples = batcher.isBatched(getX());
  auto copy = cast<LayerNormOp>(batcher.builder.clone(*getOperation()));
  if (areBatched) {
    copy.getScaleMutable().clear();
    copy.getBiasMutable().clear();
  }
  for (OpOperand &operand : copy->getOpOperands())
    operand.set(batcher.either(operand.get()));
  if (hasExamples) {
    copy.setBeginNormAxis(begin + 1);
    for (Value result : copy->getResults())
      result.setType(batcher.batchedType(result.getType()));
  }
  SmallVector<Batched> results =
      llvm::map_to_vector(copy->getResults(), [&](Value value) { return Batched(value, hasExamples); });
  if (!areBatched)
    return results;
  TensorBuilder e(batcher.builder, getOperation());
  SmallVector<DimSize> dims = dimSizesOf(e.wrap(copy.getX()));
  if (hasExamples)
    dims.erase(dims.begin());
  std::fill(dims.begin(), dims.begin() + begin, DimSize(1));
  auto out = affine(batcher, e, e.wrap(copy.getOut()), getScale(), getBias(), dims);
  if (failed(out))
    return failure();
  results[0] = Batched(*out);
  return results;
}

BatchedResults GroupNormOp::batch(Batcher &batcher) { return batchSampleNorm(batcher, *this); }
BatchedResults InstanceNormOp::batch(Batcher &batcher) { return batchSampleNorm(batcher, *this); }

/// Each channel has its own mean and variance: the examples' channels are joined.
BatchedResults BatchNormOp::batch(Batcher &batcher) {
  Role channels = channelAxis(tensorType(getX()), getDataFormat()) == 1 ? Role::Second : Role::Last;
  SmallVector<Role> operands(getOperation()->getNumOperands(), Role::First),
      results(getOperation()->getNumResults(), Role::First);
  operands.front() = results.front() = channels;
  if (getMomentumTensor())
    operands.back() = Role::Shared;
  results.back() = Role::Shared; // reserve_space, which has no elements
  return SampleJoiner(batcher, *this).join(operands, results);
}

} // namespace proa::pd
