//! Batching of losses and normalizations: each stays one op, as its gradient is a rule of its own and not the
//! derivative of its decomposition.
#include "dialects/pd/autodiff/BatchSamples.h"
#include "dialects/pd/ops/autodiff/RecomputeOps.h"
#include "dialects/pd/ops/autodiff/VjpOps.h"
#include "dialects/pd/ops/loss/LossOps.h"
#include "dialects/pd/ops/math/SpecialOps.h"
#include "dialects/pd/ops/nn/Deformable.h"
#include "dialects/pd/ops/nn/NormOps.h"
#include "dialects/pd/ops/shape/StridedOps.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// Ops on operands of the same dimensions.
BatchedResults allBatched(Batcher &batcher, Operation *op) {
  auto operands =
      llvm::map_to_vector(op->getOperands(), [&](Value operand) { return batcher.batched(operand); });
  return batcher.allOf(batcher.cloneOn(op, operands));
}

BatchedResults crossEntropy(Batcher &batcher, Operation *op) {
  auto loss = cast<CrossEntropyWithSoftmaxOp>(op);
  Value operands[] = {batcher.batched(loss.getInput()), batcher.batched(loss.getLabel())};
  auto made = cast<CrossEntropyWithSoftmaxOp>(batcher.cloneOn(op, operands));
  made.setAxis(batchedAxis(static_cast<int64_t>(loss.getAxis()), tensorType(loss.getInput()).getRank()));
  return batcher.allOf(made);
}

/// `out`, which a normalization without scale and bias gave, times the one plus the other. `dims`: their
/// dims in an example.
FailureOr<Expression> affine(Batcher &batcher, TensorBuilder &e, Expression out, Value scale, Value bias,
                             ArrayRef<Extent> dims) {
  auto placed = [&](Value parameter) {
    SmallVector<Extent> shape(dims);
    bool isBatched = batcher.isBatched(parameter);
    if (isBatched)
      shape.insert(shape.begin(), batcher.examples(e));
    return reshapeTo(e.wrap(batcher.either(parameter)), shape);
  };
  for (Value parameter : {scale, bias})
    if (parameter && tensorType(parameter).getElementType() != out.type().getElementType())
      return failure();
  if (scale)
    out = out * placed(scale);
  if (bias)
    out = out + placed(bias);
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

BatchedResults layerNorm(Batcher &batcher, Operation *op) {
  auto norm = cast<LayerNormOp>(op);
  auto begin = static_cast<int64_t>(norm.getBeginNormAxis());
  Value x = norm.getX();
  bool areBatched = hasBatchedParameters(batcher, norm), hasExamples = batcher.isBatched(x);
  Operation *made = batcher.builder.clone(*op);
  auto copy = cast<LayerNormOp>(made);
  if (areBatched) {
    copy.getScaleMutable().clear();
    copy.getBiasMutable().clear();
  }
  for (OpOperand &operand : made->getOpOperands())
    operand.set(batcher.either(operand.get()));
  if (hasExamples) {
    copy.setBeginNormAxis(begin + 1);
    for (Value result : made->getResults())
      result.setType(batcher.batchedType(result.getType()));
  }
  SmallVector<Batched> results =
      llvm::map_to_vector(made->getResults(), [&](Value value) { return Batched(value, hasExamples); });
  if (!areBatched)
    return results;
  TensorBuilder e(batcher.builder, op);
  SmallVector<Extent> dims = extentsOf(e.wrap(copy.getX()));
  if (hasExamples)
    dims.erase(dims.begin());
  std::fill(dims.begin(), dims.begin() + begin, Extent(1));
  auto out = affine(batcher, e, e.wrap(copy.getOut()), norm.getScale(), norm.getBias(), dims);
  if (failed(out))
    return failure();
  results[0] = Batched(*out);
  return results;
}

DataFormat formatOf(GroupNormOp op) { return op.getDataFormat(); }
DataFormat formatOf(InstanceNormOp) { return DataFormat::NCHW; }

/// Each sample has moments of its own: the examples' samples become more of them.
template <class Op> BatchedResults ofSamples(Batcher &batcher, Operation *op) {
  auto norm = cast<Op>(op);
  SmallVector<Role> results(3, Role::First), operands{Role::First};
  operands.resize(op->getNumOperands(), Role::Shared);
  if (!hasBatchedParameters(batcher, norm))
    return SampleJoiner(batcher, op).join(operands, results);
  Op plain = withoutParameters(norm);
  BatchedResults joined = SampleJoiner(batcher, plain).join({Role::First}, results);
  plain->erase();
  if (failed(joined))
    return failure();
  TensorBuilder e(batcher.builder, op);
  auto type = tensorType(norm.getX());
  SmallVector<Extent> dims(static_cast<size_t>(type.getRank()), Extent(1));
  int64_t channels = channelAxis(type, formatOf(norm));
  Expression out = e.wrap((*joined)[0].value);
  dims[channels] = Extent(out, channels + 1);
  auto moved = affine(batcher, e, out, norm.getScale(), norm.getBias(), dims);
  if (failed(moved))
    return failure();
  (*joined)[0] = Batched(*moved);
  return joined;
}

/// Each channel has moments of its own: the examples' channels become more of them.
BatchedResults batchNorm(Batcher &batcher, Operation *op) {
  auto norm = cast<BatchNormOp>(op);
  auto type = tensorType(norm.getX());
  Role channels = channelAxis(type, norm.getDataFormat()) == 1 ? Role::Second : Role::Last;
  SmallVector<Role> operands(op->getNumOperands(), Role::First), results(op->getNumResults(), Role::First);
  operands.front() = results.front() = channels;
  if (norm.getMomentumTensor())
    operands.back() = Role::Shared;
  results.back() = Role::Shared; // reserve_space, which has no elements
  return SampleJoiner(batcher, op).join(operands, results);
}

/// Counters of columns: the examples' columns become more of them.
BatchedResults dataNorm(Batcher &batcher, Operation *op) {
  SmallVector<Role> operands(op->getNumOperands(), Role::First);
  operands.front() = Role::Second;
  return SampleJoiner(batcher, op).join(operands, {Role::Second, Role::First, Role::First});
}

/// Shows and clicks of rows.
BatchedResults cvm(Batcher &batcher, Operation *op) {
  SmallVector<Role> operands(op->getNumOperands(), Role::First);
  return SampleJoiner(batcher, op).join(operands, {Role::First});
}

/// The region for a batch, whose gradient computes it again too.
BatchedResults checkpoint(Batcher &batcher, Operation *op) {
  auto region = cast<CheckpointOp>(op);
  SmallVector<Value> inputs =
      llvm::map_to_vector(region.getInputs(), [&](Value input) { return batcher.either(input); });
  // The result types follow from the body, which rules write into an op: they take locations from it.
  auto holder = CheckpointOp::create(batcher.builder, op->getLoc(), TypeRange(), inputs);
  Block &block = holder.getBody().emplaceBlock();
  OpBuilder inside(op->getContext());
  inside.setInsertionPointToStart(&block);
  Value source;
  for (auto [original, input] : llvm::zip(region.getInputs(), inputs)) {
    Value argument = block.addArgument(input.getType(), op->getLoc());
    source = !source && batcher.isBatched(original) ? argument : source;
  }
  Batcher inner = batcher.inside(inside, source);
  for (auto [original, argument, own] :
       llvm::zip(region.getInputs(), block.getArguments(), region.getBody().getArguments()))
    inner.map(own, Batched(argument, batcher.isBatched(original)));
  Block &old = region.getBody().front();
  if (failed(inner.write(old)))
    return failure();
  SmallVector<Value> yielded = llvm::map_to_vector(old.getTerminator()->getOperands(),
                                                   [&](Value value) { return inner.batched(value); });
  YieldOp::create(inside, op->getLoc(), yielded);
  auto made = CheckpointOp::create(batcher.builder, op->getLoc(), ValueRange(yielded).getTypes(), inputs);
  made.getBody().takeBody(holder.getBody());
  holder.erase();
  return batcher.allOf(made);
}

} // namespace

void addLayerBatching(BatchingRules &rules) {
  rules.add<BceLossOp, GammainccOp, ViewDtypeOp>(allBatched);
  rules.add<CrossEntropyWithSoftmaxOp>(crossEntropy);
  rules.add<LayerNormOp>(layerNorm);
  rules.add<GroupNormOp>(ofSamples<GroupNormOp>);
  rules.add<InstanceNormOp>(ofSamples<InstanceNormOp>);
  rules.add<BatchNormOp>(batchNorm);
  rules.add<DataNormOp>(dataNorm);
  rules.add<CvmOp>(cvm);
  rules.add<CheckpointOp>(checkpoint);
}

} // namespace proa::pd
