//! Gradients of communication: the gradient of the sum of all processes' losses.
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/distributed/Distributed.h"
#include "dialects/pd/ops/distributed/ProcessGroup.h"
#include "dialects/pd/ops/shape/DimSize.h"

using namespace mlir;

namespace proa::pd {
namespace {

using Gradients = FailureOr<SmallVector<Value>>;

/// The gradient of `x` from the cotangent of the only result.
template <class Op, class Compute>
Gradients fromResult(OpBuilder &builder, Op op, ArrayRef<Value> cotangents, const Compute &compute) {
  TensorBuilder e(builder, op.getOperation());
  return SmallVector<Value>{compute(e, e.wrap(cotangents[0]))};
}

template <class Op> int64_t groupIdOf(Op op) { return static_cast<int64_t>(op.getRingId()); }

Expression sumInGroup(TensorBuilder &e, Expression x, int64_t group) {
  return e.wrap(e.create<CAllreduceSumOp>(x, group));
}

/// Of a reduction with the result `out`, whose cotangents of all processes have the sum `dout`. Processes
/// with equal extrema share it.
Expression throughReduction(TensorBuilder &e, GroupReduction reduction, Expression x, Value out,
                            Expression dout, int64_t group) {
  if (reduction.isMean)
    return dout / sumInGroup(e, e.constant(1.0, x.type().getElementType()), group);
  if (reduction.kind == ReductionKind::Sum)
    return dout;
  if (reduction.kind == ReductionKind::Product)
    return dout * e.wrap(out) / x;
  Expression isExtremum = e.indicator(x == e.wrap(out), x);
  return isExtremum * dout / sumInGroup(e, isExtremum, group);
}

template <class Op>
Gradients throughAllReduce(OpBuilder &builder, Op op, ArrayRef<Value> cotangents, GroupReduction reduction) {
  return fromResult(builder, op, cotangents, [&](TensorBuilder &e, Expression dout) {
    Expression total = sumInGroup(e, dout, groupIdOf(op));
    return throughReduction(e, reduction, e.wrap(op.getX()), op.getOut(), total, groupIdOf(op));
  });
}

/// The result and its cotangent belong to the root.
template <class Op>
Gradients throughReduceToRoot(OpBuilder &builder, Op op, ArrayRef<Value> cotangents,
                              GroupReduction reduction) {
  return fromResult(builder, op, cotangents, [&](TensorBuilder &e, Expression dout) {
    auto root = static_cast<int64_t>(op.getRoot());
    auto ofRoot = [&](Value x) {
      return e.create<BroadcastOp>(x, groupIdOf(op), root, int64_t(0), int64_t(0));
    };
    Value out = reduction.kind == ReductionKind::Sum ? op.getOut() : ofRoot(op.getOut());
    return throughReduction(e, reduction, e.wrap(op.getX()), out, e.wrap(ofRoot(dout)), groupIdOf(op));
  });
}

template <class Op> FailureOr<GroupReduction> reductionOf(Op op) {
  auto kind = static_cast<int64_t>(op.getReduceType());
  if (std::optional<GroupReduction> reduction = reductionOfKind(kind))
    return *reduction;
  return op.emitOpError() << "reduce_type must be from 0 to 4, found " << kind;
}

/// The gradient on the root, zero on the other processes: their x has no effect. `process` is a vector with
/// the number of this process.
template <class Op> Value onRoot(TensorBuilder &e, Op op, Expression gradient, Expression process) {
  return e.select(e.equal(e.reshape(process, {}), static_cast<double>(op.getRoot())), gradient, 0.0);
}

/// The indices of the classes of this process among the classes of all processes.
FailureOr<Expression> classesOfProcess(TensorBuilder &e, CSoftmaxWithCrossEntropyOp op, Type type) {
  Expression logits = e.wrap(op.getLogits());
  int64_t axis = logits.rank() - 1, classes = logits.type().getDimSize(axis);
  auto ranks = static_cast<int64_t>(op.getNranks());
  if (ranks <= 1)
    return iota(e, DimSize(logits, axis), type);
  if (ShapedType::isDynamic(classes))
    return op.emitOpError() << "expected a static number of classes";
  Expression all = iota(e, DimSize(classes * ranks), type);
  return e.wrap(e.create<CSplitOp>(all, static_cast<int64_t>(op.getRank()), ranks, groupIdOf(op)));
}

} // namespace

Gradients CAllreduceSumOp::vjp(OpBuilder &builder, ArrayRef<Value> cotangents) {
  return throughAllReduce(builder, *this, cotangents, {ReductionKind::Sum});
}
Gradients CAllreduceMaxOp::vjp(OpBuilder &builder, ArrayRef<Value> cotangents) {
  return throughAllReduce(builder, *this, cotangents, {ReductionKind::Maximum});
}
Gradients CAllreduceMinOp::vjp(OpBuilder &builder, ArrayRef<Value> cotangents) {
  return throughAllReduce(builder, *this, cotangents, {ReductionKind::Minimum});
}
Gradients CAllreduceProdOp::vjp(OpBuilder &builder, ArrayRef<Value> cotangents) {
  return throughAllReduce(builder, *this, cotangents, {ReductionKind::Product});
}
Gradients CReduceSumOp::vjp(OpBuilder &builder, ArrayRef<Value> cotangents) {
  return throughReduceToRoot(builder, *this, cotangents, {ReductionKind::Sum});
}
Gradients CReduceMaxOp::vjp(OpBuilder &builder, ArrayRef<Value> cotangents) {
  return throughReduceToRoot(builder, *this, cotangents, {ReductionKind::Maximum});
}
Gradients CReduceMinOp::vjp(OpBuilder &builder, ArrayRef<Value> cotangents) {
  return throughReduceToRoot(builder, *this, cotangents, {ReductionKind::Minimum});
}
Gradients CReduceProdOp::vjp(OpBuilder &builder, ArrayRef<Value> cotangents) {
  return throughReduceToRoot(builder, *this, cotangents, {ReductionKind::Product});
}
Gradients AllReduceOp::vjp(OpBuilder &builder, ArrayRef<Value> cotangents) {
  FailureOr<GroupReduction> reduction = reductionOf(*this);
  if (failed(reduction))
    return failure();
  return throughAllReduce(builder, *this, cotangents, *reduction);
}
Gradients ReduceOp::vjp(OpBuilder &builder, ArrayRef<Value> cotangents) {
  FailureOr<GroupReduction> reduction = reductionOf(*this);
  if (failed(reduction))
    return failure();
  return throughReduceToRoot(builder, *this, cotangents, *reduction);
}

Gradients BroadcastOp::vjp(OpBuilder &builder, ArrayRef<Value> cotangents) {
  auto ranks = static_cast<int64_t>(getNranks());
  if (ranks == 0)
    return emitOpError() << "has no derivative: expected a known nranks";
  if (ranks == 1)
    return SmallVector<Value>{cotangents[0]};
  return fromResult(builder, *this, cotangents, [&](TensorBuilder &e, Expression dout) {
    Expression all = iota(e, DimSize(ranks), builder.getI64Type());
    Expression own = e.wrap(e.create<CSplitOp>(all, getRank(), getNranks(), getRingId()));
    return onRoot(e, *this, sumInGroup(e, dout, groupIdOf(*this)), own);
  });
}
/// The shards of all processes make up x of the root.
Gradients CScatterOp::vjp(OpBuilder &builder, ArrayRef<Value> cotangents) {
  auto ranks = static_cast<int64_t>(getNranks());
  if (ranks == 1)
    return SmallVector<Value>{cotangents[0]};
  return fromResult(builder, *this, cotangents, [&](TensorBuilder &e, Expression dout) {
    Expression all = iota(e, DimSize(ranks), builder.getI64Type());
    Expression own = e.wrap(e.create<CScatterOp>(all, getRingId(), getRoot(), getNranks()));
    return onRoot(e, *this, e.wrap(e.create<AllGatherOp>(dout, getRingId(), getNranks())), own);
  });
}

/// Megatron's pair: x is equal on all processes, and so is the sum.
Gradients MpAllreduceSumOp::vjp(OpBuilder &builder, ArrayRef<Value> cotangents) {
  return fromResult(builder, *this, cotangents, [&](TensorBuilder &e, Expression dout) {
    return e.create<CIdentityOp>(dout, groupIdOf(*this));
  });
}
Gradients CIdentityOp::vjp(OpBuilder &builder, ArrayRef<Value> cotangents) {
  return fromResult(builder, *this, cotangents, [&](TensorBuilder &e, Expression dout) {
    return e.create<MpAllreduceSumOp>(dout, groupIdOf(*this));
  });
}
/// x and the joined tensor are equal on all processes.
Gradients CConcatOp::vjp(OpBuilder &builder, ArrayRef<Value> cotangents) {
  return fromResult(builder, *this, cotangents, [&](TensorBuilder &e, Expression dout) {
    return e.create<CSplitOp>(dout, getRank(), getNranks(), getRingId());
  });
}
Gradients CSplitOp::vjp(OpBuilder &builder, ArrayRef<Value> cotangents) {
  return fromResult(builder, *this, cotangents, [&](TensorBuilder &e, Expression dout) {
    return e.create<CConcatOp>(dout, getRank(), getNranks(), getRingId());
  });
}

Gradients AllGatherOp::vjp(OpBuilder &builder, ArrayRef<Value> cotangents) {
  if (getNranks() == 0)
    return emitOpError() << "has no derivative: expected a known nranks";
  return fromResult(builder, *this, cotangents, [&](TensorBuilder &e, Expression dout) {
    return e.create<ReduceScatterOp>(dout, getRingId(), getNranks());
  });
}
Gradients ReduceScatterOp::vjp(OpBuilder &builder, ArrayRef<Value> cotangents) {
  return fromResult(builder, *this, cotangents, [&](TensorBuilder &e, Expression dout) {
    return e.create<AllGatherOp>(dout, getRingId(), getNranks());
  });
}
/// The shard of the process, a row of x as [nranks, size / nranks], has an effect on all processes.
Gradients PartialAllgatherOp::vjp(OpBuilder &builder, ArrayRef<Value> cotangents) {
  auto ranks = static_cast<int64_t>(getNranks());
  RankedTensorType type = tensorType(getX());
  if (ranks == 1)
    return SmallVector<Value>{cotangents[0]};
  if (!type.hasStaticShape() || type.getNumElements() % ranks != 0)
    return emitOpError() << "has no derivative: expected static dims and a number of elements that nranks = "
                         << ranks << " divides, found " << type;
  return fromResult(builder, *this, cotangents, [&](TensorBuilder &e, Expression dout) {
    Expression rows =
        e.reshape(sumInGroup(e, dout, groupIdOf(*this)), {ranks, type.getNumElements() / ranks});
    Expression all = iota(e, DimSize(ranks), builder.getI64Type());
    Expression own = e.wrap(e.create<CSplitOp>(all, getRank(), getNranks(), getRingId()));
    return e.reshape(e.select(e.reshape(all, {ranks, 1}) == own, rows, 0.0), type.getShape());
  });
}

/// The exchange is its own inverse.
Gradients AllToAllOp::vjp(OpBuilder &builder, ArrayRef<Value> cotangents) {
  return fromResult(builder, *this, cotangents, [&](TensorBuilder &e, Expression dout) {
    return e.create<AllToAllOp>(dout, getRingId());
  });
}
Gradients BarrierOp::vjp(OpBuilder &, ArrayRef<Value> cotangents) {
  return SmallVector<Value>{cotangents[0]};
}

/// (softmax - [class is the label]) times the cotangent of the loss, as in Paddle; and through softmax, whose
/// sums are over the classes of all processes.
Gradients CSoftmaxWithCrossEntropyOp::vjp(OpBuilder &builder, ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Expression softmax = e.wrap(getSoftmax()), label = e.wrap(getLabel());
  std::optional<Expression> gradient;
  if (cotangents[1]) {
    FailureOr<Expression> classes = classesOfProcess(e, *this, label.type().getElementType());
    if (failed(classes))
      return failure();
    Expression isIgnored = e.equal(label, static_cast<double>(static_cast<int64_t>(getIgnoreIndex())));
    Expression counted = e.select(isIgnored, 0.0, e.wrap(cotangents[1]));
    gradient = (softmax - e.indicator(*classes == label, softmax)) * counted;
  }
  if (cotangents[0]) {
    Expression dsoftmax = e.wrap(cotangents[0]);
    Expression total = sumInGroup(e, e.sum(dsoftmax * softmax, {softmax.rank() - 1}), groupIdOf(*this));
    Expression through = (dsoftmax - total) * softmax;
    gradient = gradient ? *gradient + through : through;
  }
  return SmallVector<Value>{gradient ? Value(*gradient) : Value(), Value()};
}

} // namespace proa::pd
