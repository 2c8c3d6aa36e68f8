#include "dialects/pd/ops/loss/Loss.h"
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/loss/LossOps.h"
#include "dialects/pd/ops/loss/RankingOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/nn/Nn.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/reference/Evaluate.h"

#include "mlir/IR/TypeUtilities.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// "found <type> and <type>" after a message.
LogicalResult typesError(std::optional<Location> location, llvm::StringRef message, Type x, Type y) {
  std::string text;
  llvm::raw_string_ostream(text) << message << ", found " << x << " and " << y;
  return inferenceError(location, text);
}

bool areCompatible(llvm::ArrayRef<int64_t> x, llvm::ArrayRef<int64_t> y) {
  return succeeded(verifyCompatibleShape(x, y));
}

} // namespace

LogicalResult inferCrossEntropyOf(std::optional<Location> location, RankedTensorType input,
                                  RankedTensorType label, bool softLabel, int64_t axis, Results &results) {
  int64_t rank = input.getRank();
  if (axis < -rank || axis >= rank)
    return inferenceError(location, "C1: axis must be in [-" + llvm::Twine(rank) + ", " + llvm::Twine(rank) +
                                        "), found " + llvm::Twine(axis));
  axis = axis < 0 ? axis + rank : axis;
  llvm::SmallVector<int64_t> shape(input.getShape()), without(shape);
  shape[axis] = 1;
  without.erase(without.begin() + axis);
  if (softLabel) {
    if (!areCompatible(label.getShape(), input.getShape()) || !isa<FloatType>(label.getElementType()))
      return typesError(location, "C3: a soft label must be a float tensor with the dimensions of input",
                        input, label);
  } else if (!isa<IntegerType>(label.getElementType()) ||
             (!areCompatible(label.getShape(), shape) && !areCompatible(label.getShape(), without))) {
    return typesError(location,
                      "C2: a class label must be an integer tensor with the other dimensions of input", input,
                      label);
  }
  results.append({input, RankedTensorType::get(shape, input.getElementType())});
  return success();
}

LogicalResult inferNllLossOf(std::optional<Location> location, RankedTensorType input, RankedTensorType label,
                             Value weight, LossReduction reduction, Results &results) {
  llvm::SmallVector<int64_t> without(input.getShape());
  if (without.size() >= 2)
    without.erase(without.begin() + 1);
  if (input.getRank() < 2 || !areCompatible(label.getShape(), without))
    return typesError(location, "C1: label must have the dimensions of input but the second", input, label);
  if (weight && !areCompatible(tensorType(weight).getShape(), {input.getDimSize(1)}))
    return typesError(location, "C2: weight must have one element for each class of input", input,
                      weight.getType());
  if (reduction == LossReduction::BatchMean)
    return inferenceError(location, "C3: reduction must be none, mean or sum, found batchmean");
  auto scalar = RankedTensorType::get({}, input.getElementType());
  results.append(
      {reduction == LossReduction::None ? RankedTensorType::get(without, input.getElementType()) : scalar,
       scalar});
  return success();
}

LogicalResult checkSameShapes(std::optional<Location> location, ValueRange operands) {
  RankedTensorType x = tensorType(operands[0]), y = tensorType(operands[1]);
  if (!areCompatible(x.getShape(), y.getShape()))
    return typesError(location, "C1: both operands must have the same dimensions", x, y);
  if (x.getElementType() != y.getElementType())
    return typesError(location, "C2: the operands must have one element type", x, y);
  return success();
}

LogicalResult checkLabelSmooth(std::optional<Location> location, RankedTensorType label, Value prior) {
  if (label.getRank() == 0)
    return inferenceError(location, "C1: label must have rank 1 or more, found rank 0");
  int64_t classes = label.getShape().back();
  if (!prior || !tensorType(prior).hasStaticShape() || ShapedType::isDynamic(classes) ||
      tensorType(prior).getNumElements() == classes)
    return success();
  return inferenceError(location, "C2: prior_dist must have " + llvm::Twine(classes) + " elements, found " +
                                      llvm::Twine(tensorType(prior).getNumElements()));
}

LogicalResult inferAccuracyOf(std::optional<Location> location, RankedTensorType indices,
                              RankedTensorType label, Results &results) {
  if (indices.getRank() != 2 || label.getRank() != 2 || !areCompatible(label.getShape().drop_front(), {1}))
    return typesError(location, "C1: indices and label must have rank 2, and label one column", indices,
                      label);
  if (!areCompatible(indices.getShape().take_front(), label.getShape().take_front()))
    return typesError(location, "C2: indices and label must have as many rows", indices, label);
  MLIRContext *context = indices.getContext();
  auto count = RankedTensorType::get({}, IntegerType::get(context, 32));
  results.append({RankedTensorType::get({}, Float32Type::get(context)), count, count});
  return success();
}

Expression isClass(Expression x, Expression label, int64_t axis) {
  TensorBuilder &e = x.owner();
  llvm::SmallVector<int64_t> shape(x.rank() - axis, 1);
  shape[0] = -1;
  Expression indices = e.reshape(iota(e, DimSize(x, axis), label.type().getElementType()), shape);
  return e.wrap(e.create<EqualOp>(label, indices));
}

Expression isEqual(Expression x, double y) {
  TensorBuilder &e = x.owner();
  return e.wrap(e.create<EqualOp>(x, e.constant(y, x.type().getElementType())));
}

FailureOr<SmallVector<Value>> CrossEntropyWithSoftmaxOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression input = e.computed(getInput());
  auto axis = static_cast<int64_t>(getAxis());
  axis = axis < 0 ? axis + input.rank() : axis;
  Expression logarithms = getUseSoftmax() ? logSoftmax(input, {axis}) : e.log(input);
  Expression softmax = getUseSoftmax() ? e.exp(logarithms) : input;
  if (getSoftLabel())
    return e.results(
        {softmax, -e.sum(e.cast(e.wrap(getLabel()), input.type().getElementType()) * logarithms, {axis})});
  Expression label = e.wrap(getLabel());
  if (label.rank() < input.rank())
    label = insertDim(label, axis);
  // log(0) of another class is not used.
  Expression loss = -e.sum(e.select(isClass(input, label, axis), logarithms, 0.0), {axis});
  return e.results(
      {softmax,
       e.select(isEqual(label, static_cast<double>(static_cast<int64_t>(getIgnoreIndex()))), 0.0, loss)});
}

FailureOr<SmallVector<Value>> NllLossOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression input = e.computed(getInput()), label = insertDim(e.wrap(getLabel()), 1);
  Expression chosen = isClass(input, label, 1);
  Expression ignored = isEqual(label, static_cast<double>(static_cast<int64_t>(getIgnoreIndex())));
  Expression weights = e.constant(1, input.type().getElementType());
  if (getWeight()) {
    llvm::SmallVector<int64_t> shape(input.rank() - 1, 1);
    shape[0] = -1;
    weights = e.reshape(e.computed(getWeight()), shape);
  }
  Expression none = e.constant(0, input.type().getElementType());
  Expression counted = e.select(chosen, e.select(ignored, none, weights), none);
  Expression terms = -e.sum(e.select(chosen, input, 0.0) * counted, {1}, false);
  if (getReduction() == LossReduction::None)
    return e.results({terms, none});
  Expression total = e.sum(counted, {}, false), sum = e.sum(terms, {}, false);
  Expression divisor = e.select(isEqual(total, 0.0), 1.0, total);
  return e.results({getReduction() == LossReduction::Sum ? sum : sum / divisor, total});
}

FailureOr<SmallVector<Value>> HuberLossOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  double delta = getDelta().convertToDouble();
  Expression residual = e.computed(getLabel()) - e.computed(getInput());
  Expression size = e.abs(residual);
  Expression loss = e.select(size <= delta, residual * residual * 0.5, (size - delta * 0.5) * delta);
  return e.results({loss, residual});
}

FailureOr<SmallVector<Value>> KldivLossOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX()), label = e.computed(getLabel());
  auto positiveTerms = [&] {
    // The logarithm of 0, which is not selected, would make the derivatives NaN.
    Expression isPositive = label > 0.0;
    return e.select(isPositive, label * (e.log(e.select(isPositive, label, 1.0)) - x), 0.0);
  };
  Expression terms = getLogTarget() ? e.exp(label) * (label - x) : positiveTerms();
  if (getReduction() == LossReduction::None)
    return e.results({terms});
  Expression sum = e.sum(terms, {}, false);
  if (getReduction() == LossReduction::Sum)
    return e.results({sum});
  llvm::SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  if (getReduction() == LossReduction::BatchMean)
    axes.resize(std::min<size_t>(axes.size(), 1));
  return e.results({sum / e.countAlong(x, axes)});
}

FailureOr<SmallVector<Value>> SigmoidCrossEntropyWithLogitsOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX()), label = e.computed(getLabel());
  // Not max(x, 0) and |x|: their kinks at zero do not cancel in the derivative.
  Expression isPositive = x > 0.0;
  Expression rest = e.log1p(e.exp(e.select(isPositive, -x, x)));
  bool weighsLinear = getPosWeight() && getWeighsLinearPart();
  Expression linear = weighsLinear ? (1.0 - label) * x : e.select(isPositive, x, 0.0) - x * label;
  if (weighsLinear)
    rest = rest + e.select(isPositive, 0.0, -x);
  if (getPosWeight())
    rest = rest * e.computed(getPosWeight());
  Expression ignored = isEqual(label, static_cast<double>(static_cast<int64_t>(getIgnoreIndex())));
  Expression out = e.select(ignored, 0.0, linear + rest);
  if (!getNormalize())
    return e.results({out});
  Expression one = e.constant(1, x.type().getElementType());
  Expression count = e.sum(e.select(ignored, 0.0, expandTo(one, dimSizesOf(x))), {}, false);
  return e.results({out / e.maximum(count, 1e-5)});
}

FailureOr<SmallVector<Value>> LabelSmoothOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression label = e.computed(getLabel());
  double epsilon = getEpsilon().convertToDouble();
  Expression prior = getPriorDist() ? e.reshape(e.computed(getPriorDist()), {-1}) * epsilon
                                    : epsilon / e.countAlong(label, {label.rank() - 1});
  return e.results({label * (1.0 - epsilon) + prior});
}

FailureOr<SmallVector<Value>> AccuracyOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression indices = e.wrap(getIndices()), label = e.wrap(getLabel());
  Type element = tensorType(getAccuracy()).getElementType(),
       integer = tensorType(getCorrect()).getElementType();
  label = e.cast(label, indices.type().getElementType());
  // A class occurs at most once among the predictions of a sample.
  Expression hits = e.cast(e.wrap(e.create<EqualOp>(indices, label)), integer);
  Expression correct = e.minimum(e.cast(e.sum(hits, {1}, false), integer), 1.0);
  Expression sum = e.cast(e.sum(correct, {}, false), integer);
  Expression total = e.countAlong(indices, {0});
  return e.results({e.cast(sum, element) / e.cast(total, element), sum, total});
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/loss/Loss.cpp.inc"
#include "dialects/pd/ops/loss/Loss.methods.inc"
#include "dialects/pd/ops/loss/Loss.scalar.inc"
