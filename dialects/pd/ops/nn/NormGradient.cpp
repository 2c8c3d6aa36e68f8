//! Gradients of normalizations, from the moments computed by the forward op.
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/nn/Nn.h"
#include "dialects/pd/ops/nn/NormOps.h"
#include "dialects/pd/ops/shape/DimSize.h"

using namespace mlir;

namespace proa::pd {
namespace {

using Gradients = FailureOr<llvm::SmallVector<Value>>;

/// A gradient that may be zero.
using Term = std::optional<Expression>;

Term operator+(Term x, Term y) { return x && y ? *x + *y : x ? x : y; }

/// The values of a normalization: `normal` = (x - mean) * inverse, with mean and inverse over the elements
/// along axes.
struct Normalization {
  TensorBuilder &e;
  Expression centered, inverse, normal;
  llvm::SmallVector<int64_t> axes;

  Normalization(Expression x, Expression mean, Expression inverse, llvm::SmallVector<int64_t> axes)
      : e(x.owner()), centered(x - mean), inverse(inverse), normal(centered * inverse),
        axes(std::move(axes)) {}

  /// The gradient of x, where `cotangent` is the cotangent of `normal`.
  Expression throughNormal(Expression cotangent) const {
    return (cotangent - e.mean(cotangent, axes) - normal * e.mean(cotangent * normal, axes)) * inverse;
  }
  /// The gradient of x from the results mean and variance, with the dims of x.
  Term throughMoments(Term mean, Term variance) const {
    Expression count = e.countAlong(centered, axes);
    Term first = mean ? Term(expandTo(*mean / count, dimSizesOf(centered))) : std::nullopt;
    return first + (variance ? Term(centered * (*variance * 2.0 / count)) : std::nullopt);
  }
  /// The derivative of inverse = (variance + epsilon)^(-1/2), by the chain rule.
  Term varianceFromInverse(Term cotangent) const {
    return cotangent ? Term(*cotangent * (inverse * inverse * inverse) * -0.5) : std::nullopt;
  }
};

/// The gradients of an op by operand; missing ones are null.
struct Collected {
  TensorBuilder &e;
  llvm::SmallVector<Value> gradients;

  Collected(TensorBuilder &e, Operation *op) : e(e), gradients(op->getNumOperands()), op(op) {}
  void set(Value operand, Term gradient) {
    if (!operand || !gradient)
      return;
    // An operand may occur several times: each occurrence has a gradient.
    for (auto [i, candidate] : llvm::enumerate(op->getOperands()))
      if (candidate == operand && !gradients[i]) {
        gradients[i] = e.gradient(*gradient, operand);
        return;
      }
  }

private:
  Operation *op;
};

Term term(TensorBuilder &e, Value value) { return value ? Term(e.computed(value)) : std::nullopt; }

} // namespace

/// Statistics of the batch depend on x.
static Gradients trainedBatchNorm(TensorBuilder &e, BatchNormOp op, llvm::ArrayRef<Value> cotangents) {
  Expression x = e.computed(op.getX());
  int64_t axis = channelAxis(x.type(), op.getDataFormat()), rank = x.rank();
  auto placed = [&](Expression parameter) { return alongAxis(parameter, axis, rank); };
  auto flat = [&](Expression kept) { return e.reshape(kept, {-1}); };
  Normalization n(x, placed(e.computed(op.getSavedMean())), placed(e.computed(op.getSavedVariance())),
                  axesBut(rank, {axis}));
  Collected collected(e, op);
  Term dx, toMean = term(e, cotangents[3]), toVariance;
  if (cotangents[0]) {
    Expression dout = e.computed(cotangents[0]);
    Expression dbias = e.sum(dout, n.axes), dscale = e.sum(dout * n.normal, n.axes),
               count = e.countAlong(x, n.axes);
    Expression factor = op.getScale() ? n.inverse * placed(e.computed(op.getScale())) : n.inverse;
    dx = (dout - dbias / count - n.normal * (dscale / count)) * factor;
    collected.set(op.getScale(), flat(dscale));
    collected.set(op.getBias(), flat(dbias));
  }
  if (toMean)
    toMean = placed(*toMean);
  if (cotangents[4])
    toVariance = n.varianceFromInverse(placed(e.computed(cotangents[4])));
  Expression mean = e.computed(op.getMean());
  Expression momentum =
      op.getMomentumTensor()
          ? e.cast(e.reshape(e.wrap(op.getMomentumTensor()), {}), mean.type().getElementType())
          : e.constant(op.getMomentum().convertToDouble(), mean.type().getElementType());
  if (Term running = term(e, cotangents[1])) {
    collected.set(op.getMean(), *running * momentum);
    toMean = toMean + Term(placed(*running * (1.0 - momentum)));
  }
  if (Term running = term(e, cotangents[2])) {
    collected.set(op.getVariance(), *running * momentum);
    toVariance = toVariance + Term(placed(*running * (1.0 - momentum)));
  }
  collected.set(op.getX(), dx + n.throughMoments(toMean, toVariance));
  return collected.gradients;
}

/// Given statistics: a factor and an offset for each channel.
static Gradients frozenBatchNorm(TensorBuilder &e, BatchNormOp op, llvm::ArrayRef<Value> cotangents) {
  Expression x = e.computed(op.getX());
  int64_t axis = channelAxis(x.type(), op.getDataFormat()), rank = x.rank();
  auto placed = [&](Expression parameter) { return alongAxis(parameter, axis, rank); };
  llvm::SmallVector<int64_t> axes = axesBut(rank, {axis});
  Expression inverse = 1.0 / e.sqrt(e.computed(op.getVariance()) + op.getEpsilon().convertToDouble());
  Term dmean = term(e, cotangents[1]) + term(e, cotangents[3]),
       dvariance = term(e, cotangents[2]) + term(e, cotangents[4]);
  Collected collected(e, op);
  if (cotangents[0]) {
    Expression dout = e.computed(cotangents[0]);
    Expression factor = op.getScale() ? inverse * e.computed(op.getScale()) : inverse;
    Expression centered = x - placed(e.computed(op.getMean()));
    Expression dbias = e.reshape(e.sum(dout, axes), {-1}),
               along = e.reshape(e.sum(dout * centered, axes), {-1});
    collected.set(op.getX(), dout * placed(factor));
    collected.set(op.getScale(), along * inverse);
    collected.set(op.getBias(), dbias);
    dmean = dmean + Term(-(dbias * factor));
    dvariance = dvariance + Term(along * factor * (inverse * inverse) * -0.5);
  }
  collected.set(op.getMean(), dmean);
  collected.set(op.getVariance(), dvariance);
  return collected.gradients;
}

Gradients BatchNormOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  RankedTensorType type = tensorType(getX());
  bool isFrozen = getUseGlobalStats() || (getIsTest() && !getTrainableStatistics());
  if (!isFrozen && isOneElementAChannel(type, channelAxis(type, getDataFormat()))) {
    Collected collected(e, *this);
    collected.set(getX(), term(e, cotangents[0]));
    collected.set(getMean(), term(e, cotangents[1]));
    collected.set(getVariance(), term(e, cotangents[2]));
    return collected.gradients;
  }
  if (isFrozen)
    return frozenBatchNorm(e, *this, cotangents);
  Gradients trained = trainedBatchNorm(e, *this, cotangents);
  auto have = haveChannelsElements(e.computed(getX()), channelAxis(type, getDataFormat()));
  if (failed(trained) || !have)
    return trained;
  // For channels of one element: the identity.
  std::pair<Value, Value> identity[]{
      {getX(), cotangents[0]}, {getMean(), cotangents[1]}, {getVariance(), cotangents[2]}};
  for (auto [operand, gradient] : llvm::zip(getOperands(), *trained)) {
    auto own = llvm::find_if(identity, [&](auto &pair) { return pair.first == operand && pair.second; });
    if (gradient && own != std::end(identity))
      gradient = e.select(*have, e.wrap(gradient), e.wrap(own->second));
    else if (gradient)
      gradient = e.select(*have, e.wrap(gradient), 0.0);
  }
  return trained;
}

Gradients LayerNormOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  auto first = static_cast<int64_t>(getBeginNormAxis());
  llvm::SmallVector<int64_t> inner = llvm::to_vector(llvm::seq<int64_t>(first, x.rank())),
                             outer = llvm::to_vector(llvm::seq<int64_t>(0, first));
  llvm::SmallVector<DimSize> dimSizes = dimSizesOf(x), rows(dimSizes.begin(), dimSizes.begin() + first);
  rows.append(inner.size(), DimSize(1));
  auto normalized = llvm::ArrayRef<DimSize>(dimSizes).drop_front(first);
  auto perRow = [&](Expression moment) { return reshapeTo(moment, rows); };
  Expression inverse = e.rsqrt(e.computed(getVariance()) + getEpsilon().convertToDouble());
  Normalization n(x, perRow(e.computed(getMean())), perRow(inverse), inner);
  Collected collected(e, getOperation());
  Term dx, toMean = term(e, cotangents[1]), toVariance = term(e, cotangents[2]);
  if (cotangents[0]) {
    Expression dout = e.computed(cotangents[0]);
    auto flat = [&](Expression elements) { return e.reshape(e.sum(elements, outer, false), {-1}); };
    Expression scaled = getScale() ? dout * reshapeTo(e.computed(getScale()), normalized) : dout;
    dx = n.throughNormal(scaled);
    collected.set(getScale(), flat(dout * n.normal));
    collected.set(getBias(), flat(dout));
  }
  if (toMean)
    toMean = perRow(*toMean);
  if (toVariance)
    toVariance = perRow(*toVariance);
  collected.set(getX(), dx + n.throughMoments(toMean, toVariance));
  return collected.gradients;
}

Gradients GroupNormOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  int64_t axis = channelAxis(x.type(), getDataFormat()), groups = getGroups();
  llvm::SmallVector<DimSize> dimSizes = dimSizesOf(x), grouped = dimSizes;
  grouped[axis] = divide(e, dimSizes[axis], groups);
  grouped.insert(grouped.begin() + axis, DimSize(groups));
  llvm::SmallVector<DimSize> groupShape(grouped.size(), DimSize(1));
  groupShape[0] = dimSizes[0];
  groupShape[axis] = DimSize(groups);
  auto perGroup = [&](Expression moment) { return reshapeTo(moment, groupShape); };
  Expression inverse = e.rsqrt(e.computed(getVariance()) + getEpsilon().convertToDouble());
  Normalization n(reshapeTo(x, grouped), perGroup(e.computed(getMean())), perGroup(inverse),
                  axesBut(x.rank() + 1, {0, axis}));
  Collected collected(e, getOperation());
  Term dx, toMean = term(e, cotangents[1]), toVariance = term(e, cotangents[2]);
  if (cotangents[0]) {
    Expression dout = e.computed(cotangents[0]);
    llvm::SmallVector<int64_t> others = axesBut(x.rank(), {axis});
    Expression scaled = getScale() ? dout * alongAxis(e.computed(getScale()), axis, x.rank()) : dout;
    dx = n.throughNormal(reshapeTo(scaled, grouped));
    collected.set(getScale(), e.sum(dout * reshapeTo(n.normal, dimSizes), others, false));
    collected.set(getBias(), e.sum(dout, others, false));
  }
  if (toMean)
    toMean = perGroup(*toMean);
  if (toVariance)
    toVariance = perGroup(*toVariance);
  dx = dx + n.throughMoments(toMean, toVariance);
  if (dx)
    collected.set(getX(), reshapeTo(*dx, dimSizes));
  return collected.gradients;
}

Gradients InstanceNormOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  llvm::SmallVector<DimSize> planes = dimSizesOf(x), given = planes;
  bool isMatrix = x.rank() == 2; // channels of one element
  if (isMatrix) {
    x = insertDim(x, 2);
    planes.push_back(DimSize(1));
  }
  for (DimSize &dimSize : llvm::MutableArrayRef<DimSize>(planes).drop_front(2))
    dimSize = DimSize(1);
  auto perPlane = [&](Expression moment) { return reshapeTo(moment, planes); };
  Normalization n(x, perPlane(e.computed(getSavedMean())), perPlane(e.computed(getSavedVariance())),
                  axesBut(x.rank(), {0, 1}));
  Collected collected(e, getOperation());
  Term dx, toMean = term(e, cotangents[1]), toVariance;
  if (cotangents[0]) {
    Expression dout = e.computed(cotangents[0]);
    if (isMatrix)
      dout = insertDim(dout, 2);
    llvm::SmallVector<int64_t> others = axesBut(x.rank(), {1});
    dx = n.throughNormal(getScale() ? dout * alongAxis(e.computed(getScale()), 1, x.rank()) : dout);
    collected.set(getScale(), e.sum(dout * n.normal, others, false));
    collected.set(getBias(), e.sum(dout, others, false));
  }
  if (toMean)
    toMean = perPlane(*toMean);
  if (cotangents[2])
    toVariance = n.varianceFromInverse(perPlane(e.computed(cotangents[2])));
  dx = dx + n.throughMoments(toMean, toVariance);
  collected.set(getX(), dx && isMatrix ? Term(reshapeTo(*dx, given)) : dx);
  return collected.gradients;
}

} // namespace proa::pd
