//! Gradients of losses.
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/loss/Loss.h"
#include "dialects/pd/ops/loss/LossOps.h"
#include "dialects/pd/ops/shape/DimSize.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// The gradient of the input through the loss.
Expression throughLoss(CrossEntropyWithSoftmaxOp op, TensorBuilder &e, Expression softmax, Expression dloss,
                       int64_t axis) {
  if (op.getSoftLabel()) {
    Expression label = e.cast(e.wrap(op.getLabel()), softmax.type().getElementType());
    if (!op.getUseSoftmax())
      return -(label / softmax) * dloss;
    return ((op.getPaddleGradient() ? softmax : softmax * e.sum(label, {axis})) - label) * dloss;
  }
  Expression label = e.wrap(op.getLabel());
  if (label.rank() < softmax.rank())
    label = insertDim(label, axis);
  auto ignored = static_cast<double>(static_cast<int64_t>(op.getIgnoreIndex()));
  Expression chosen = isClass(softmax, label, axis), counted = e.select(isEqual(label, ignored), 0.0, dloss);
  if (!op.getUseSoftmax())
    return e.select(chosen, -(counted / softmax), 0.0);
  return (softmax - e.indicator(chosen, softmax)) * counted;
}

} // namespace

/// From the softmax that the forward op computed.
FailureOr<SmallVector<Value>> CrossEntropyWithSoftmaxOp::vjp(OpBuilder &builder, ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  auto axis = static_cast<int64_t>(getAxis());
  axis = axis < 0 ? axis + tensorType(getInput()).getRank() : axis;
  Expression softmax = e.computed(getUseSoftmax() ? Value(getSoftmax()) : getInput());
  std::optional<Expression> dinput;
  SmallVector<Value> gradients(2);
  if (cotangents[1]) {
    Expression dloss = e.computed(cotangents[1]);
    dinput = throughLoss(*this, e, softmax, dloss, axis);
    if (getSoftLabel())
      gradients[1] = e.gradient(-(e.log(softmax) * dloss), getLabel());
  }
  if (cotangents[0]) {
    Expression dsoftmax = e.computed(cotangents[0]);
    if (getUseSoftmax())
      dsoftmax = (dsoftmax - e.sum(dsoftmax * softmax, {axis})) * softmax;
    dinput = dinput ? *dinput + dsoftmax : dsoftmax;
  }
  if (dinput)
    gradients[0] = e.gradient(*dinput, getInput());
  return gradients;
}

} // namespace proa::pd
