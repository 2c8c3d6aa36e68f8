#include "dialects/pd/ops/distributed/Distributed.h"
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/MatchFailure.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/loss/LossOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/DimSize.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;

namespace proa::pd {

//===-- Inference ---------------------------------------------------------------------------------------===//

LogicalResult checkGroup(std::optional<Location> location, int64_t group) {
  return group >= 0
             ? success()
             : inferenceError(location, "C1: ring_id must not be negative, found " + llvm::Twine(group));
}

LogicalResult checkProcess(std::optional<Location> location, llvm::StringRef name, int64_t process,
                           int64_t ranks, bool mayBeUnknown) {
  if (ranks < 0 || (ranks == 0 && !mayBeUnknown))
    return inferenceError(location, "C2: nranks must be above 0, found " + llvm::Twine(ranks));
  if (process < 0 || (ranks > 0 && process >= ranks))
    return inferenceError(location, "C3: " + name + " must be a process of the group, found " +
                                        llvm::Twine(process) +
                                        (ranks > 0 ? " of " + llvm::Twine(ranks).str() : std::string()));
  return success();
}

LogicalResult checkShard(std::optional<Location> location, int64_t id, int64_t count) {
  if (count > 0 && id >= 0 && id < count)
    return success();
  return inferenceError(location, "C4: id must be in [0, num), found " + llvm::Twine(id) + " and " +
                                      llvm::Twine(count));
}

LogicalResult inferScaledDim(std::optional<Location> location, RankedTensorType x, bool isLast,
                             int64_t factor, int64_t divisor, Results &results) {
  if (x.getRank() == 0)
    return inferenceError(location, "C4: x must have a dimension, found " + debugString(x));
  llvm::SmallVector<int64_t> shape(x.getShape());
  int64_t &dimSize = isLast ? shape.back() : shape.front();
  if (!ShapedType::isDynamic(dimSize)) {
    if (dimSize % divisor != 0)
      return inferenceError(location, "C4: nranks must divide the dimension " +
                                          llvm::Twine(isLast ? x.getRank() - 1 : 0) + " of x, found " +
                                          llvm::Twine(divisor) + " for " + debugString(x));
    dimSize = ShapedType::isDynamic(factor) ? factor : dimSize / divisor * factor;
  }
  results.push_back(x.clone(shape));
  return success();
}

LogicalResult inferExchangeOf(std::optional<Location> location, ValueRange operands, Results &results) {
  auto x = tensorType(operands[0]);
  if (x.getRank() != 2 || tensorType(operands[1]).getRank() != 1 || tensorType(operands[2]).getRank() != 1)
    return inferenceError(location, "C4: x must have rank 2 and both counts rank 1, found " + debugString(x) +
                                        ", " + debugString(operands[1].getType()) + " and " +
                                        debugString(operands[2].getType()));
  results.push_back(RankedTensorType::get({ShapedType::kDynamic, x.getDimSize(1)}, x.getElementType()));
  return success();
}

LogicalResult inferPartialEmbeddingOf(std::optional<Location> location, RankedTensorType weight,
                                      RankedTensorType x, Results &results) {
  if (weight.getRank() != 2)
    return inferenceError(location, "C4: weight must have rank 2, found " + debugString(weight));
  llvm::SmallVector<int64_t> shape(x.getShape());
  shape.push_back(weight.getDimSize(1));
  results.push_back(weight.clone(shape));
  return success();
}

LogicalResult inferParallelCrossEntropyOf(std::optional<Location> location, RankedTensorType logits,
                                          RankedTensorType label, Results &results) {
  llvm::SmallVector<int64_t> shape(logits.getShape());
  if (!shape.empty())
    shape.back() = 1;
  if (shape.empty() || failed(verifyCompatibleShape(shape, label.getShape())))
    return inferenceError(location,
                          "C4: label must have the dimensions of logits with 1 for the last, found " +
                              debugString(label) + " for " + debugString(logits));
  results.append({logits, logits.clone(shape)});
  return success();
}

//===-- On one process ----------------------------------------------------------------------------------===//

namespace {

FailureOr<SmallVector<Value>> asIs(Value x) { return SmallVector<Value>{x}; }

/// The identity on a process group of one process; failure if the op names more.
template <class Op> FailureOr<SmallVector<Value>> asIsAlone(OpBuilder &builder, Op op) {
  if (op.getNranks() > 1)
    return notifyDecompositionFailure(builder, op, "it has several ranks");
  return asIs(op.getX());
}

} // namespace

FailureOr<SmallVector<Value>> CAllreduceSumOp::decompose(OpBuilder &) { return asIs(getX()); }
FailureOr<SmallVector<Value>> CAllreduceMaxOp::decompose(OpBuilder &) { return asIs(getX()); }
FailureOr<SmallVector<Value>> CAllreduceMinOp::decompose(OpBuilder &) { return asIs(getX()); }
FailureOr<SmallVector<Value>> CAllreduceProdOp::decompose(OpBuilder &) { return asIs(getX()); }
FailureOr<SmallVector<Value>> MpAllreduceSumOp::decompose(OpBuilder &) { return asIs(getX()); }
FailureOr<SmallVector<Value>> AllReduceOp::decompose(OpBuilder &) { return asIs(getX()); }
FailureOr<SmallVector<Value>> BarrierOp::decompose(OpBuilder &) { return asIs(getX()); }
FailureOr<SmallVector<Value>> CIdentityOp::decompose(OpBuilder &) { return asIs(getX()); }
FailureOr<SmallVector<Value>> AllToAllOp::decompose(OpBuilder &) { return asIs(getX()); }
FailureOr<SmallVector<Value>> AllGatherOp::decompose(OpBuilder &builder) { return asIsAlone(builder, *this); }
FailureOr<SmallVector<Value>> CConcatOp::decompose(OpBuilder &builder) { return asIsAlone(builder, *this); }
FailureOr<SmallVector<Value>> ReduceScatterOp::decompose(OpBuilder &builder) {
  return asIsAlone(builder, *this);
}
FailureOr<SmallVector<Value>> CScatterOp::decompose(OpBuilder &builder) { return asIsAlone(builder, *this); }
FailureOr<SmallVector<Value>> PartialAllgatherOp::decompose(OpBuilder &builder) {
  return asIsAlone(builder, *this);
}

/// Ops with a root: a root other than 0 is another process.
template <class Op> static FailureOr<SmallVector<Value>> asIsAtRoot(OpBuilder &builder, Op op) {
  if (op.getRoot() != 0)
    return notifyDecompositionFailure(builder, op, "its root is another process");
  return asIs(op.getX());
}
FailureOr<SmallVector<Value>> CReduceSumOp::decompose(OpBuilder &builder) {
  return asIsAtRoot(builder, *this);
}
FailureOr<SmallVector<Value>> CReduceMaxOp::decompose(OpBuilder &builder) {
  return asIsAtRoot(builder, *this);
}
FailureOr<SmallVector<Value>> CReduceMinOp::decompose(OpBuilder &builder) {
  return asIsAtRoot(builder, *this);
}
FailureOr<SmallVector<Value>> CReduceProdOp::decompose(OpBuilder &builder) {
  return asIsAtRoot(builder, *this);
}
FailureOr<SmallVector<Value>> ReduceOp::decompose(OpBuilder &builder) { return asIsAtRoot(builder, *this); }
FailureOr<SmallVector<Value>> BroadcastOp::decompose(OpBuilder &builder) {
  return asIsAtRoot(builder, *this);
}

//===-- Without communication ---------------------------------------------------------------------------===//

FailureOr<SmallVector<Value>> CSplitOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX());
  auto ranks = static_cast<int64_t>(getNranks()), rank = static_cast<int64_t>(getRank());
  int64_t axis = x.rank() - 1, dimSize = x.type().getDimSize(axis);
  if (ranks == 1)
    return asIs(x);
  if (ShapedType::isDynamic(dimSize))
    return notifyDecompositionFailure(builder, *this, "the dimension that it splits is dynamic");
  return SmallVector<Value>{slice(x, axis, dimSize / ranks * rank, dimSize / ranks * (rank + 1))};
}

FailureOr<SmallVector<Value>> CEmbeddingOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression weight = e.wrap(getWeight()), x = e.wrap(getX());
  Type index = x.type().getElementType();
  Expression local = x - e.constant(static_cast<double>(getStartIndex()), index);
  Expression rows = e.cast(e.wrap(DimSize(weight, 0).getValue(e)), index);
  Expression isHere = e.wrap(e.create<LogicalAndOp>(local >= 0.0, local < rows));
  Expression found = e.wrap(e.create<GatherOp>(weight, e.select(isHere, local, 0.0), Value(), 0));
  return e.results({e.select(insertDim(isHere, x.rank()), found, 0.0)});
}

FailureOr<SmallVector<Value>> CSoftmaxWithCrossEntropyOp::decompose(OpBuilder &builder) {
  if (getNranks() > 1)
    return notifyDecompositionFailure(builder, *this, "it has several ranks");
  auto whole =
      CrossEntropyWithSoftmaxOp::create(builder, getLoc(), getLogits(), getLabel(), /*soft_label=*/false,
                                        /*use_softmax=*/true, /*numeric_stable_mode=*/true,
                                        static_cast<int64_t>(getIgnoreIndex()), /*axis=*/int64_t(-1));
  return SmallVector<Value>(whole->getResults());
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/distributed/Distributed.cpp.inc"
#include "dialects/pd/ops/distributed/Distributed.methods.inc"
#include "dialects/pd/ops/distributed/Distributed.scalar.inc"
