#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/nn/Nn.h"
#include "dialects/pd/ops/nn/ParametricActivationOps.h"
#include "dialects/pd/ops/nn/RandomInTraining.h"
#include "dialects/pd/ops/random/Random.h"
#include "dialects/pd/ops/shape/DimSize.h"

using namespace mlir;

namespace proa::pd {

LogicalResult checkPrelu(std::optional<Location> location, RankedTensorType x, RankedTensorType alpha,
                         PreluMode mode, DataFormat dataFormat) {
  int64_t expectedElements = 1;
  if (mode == PreluMode::Channel) {
    expectedElements = x.getRank() < 2 ? ShapedType::kDynamic
                                       : x.getDimSize(channelsAreLast(dataFormat) ? x.getRank() - 1 : 1);
  } else if (mode == PreluMode::Element) {
    for (int64_t dim : x.getShape().drop_front(x.getRank() > 0))
      expectedElements = ShapedType::isDynamic(dim) || ShapedType::isDynamic(expectedElements)
                             ? ShapedType::kDynamic
                             : expectedElements * dim;
  }
  if (ShapedType::isDynamic(expectedElements) || !alpha.hasStaticShape() ||
      alpha.getNumElements() == expectedElements)
    return success();
  return inferenceError(location, "C2: alpha must have " + llvm::Twine(expectedElements) +
                                      " elements in mode " + stringifyPreluMode(mode) + ", found " +
                                      llvm::Twine(alpha.getNumElements()));
}

LogicalResult inferMaxoutOf(std::optional<Location> location, RankedTensorType x, int64_t groups,
                            int64_t axis, Results &results) {
  if (failed(normalizeAxis(location, axis, x.getRank(), "C1")))
    return failure();
  llvm::SmallVector<int64_t> shape(x.getShape());
  int64_t &dim = shape[axis < 0 ? axis + x.getRank() : axis];
  if (groups <= 0 || (!ShapedType::isDynamic(dim) && dim % groups != 0))
    return inferenceError(location, "C2: groups must be above 0 and divide the dim " + llvm::Twine(dim) +
                                        ", found " + llvm::Twine(groups));
  if (!ShapedType::isDynamic(dim))
    dim /= groups;
  results.push_back(RankedTensorType::get(shape, x.getElementType()));
  return success();
}

void RreluOp::getEffects(Effects &effects) { addEffectsInTraining(*this, effects); }

FailureOr<SmallVector<Value>> RreluOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  double lower = getLower().convertToDouble(), upper = getUpper().convertToDouble();
  Type element = x.type().getElementType();
  Expression slopes = getIsTest()
                          ? e.constant((lower + upper) / 2, element)
                          : e.cast(uniform(e, dimSizesOf(x), builder.getF32Type(), lower, upper, 0), element);
  Expression noise = e.select(x >= 0.0, e.constant(1, element), slopes);
  return e.results({x * noise, noise});
}

/// The gradient uses the factors of the forward run.
FailureOr<SmallVector<Value>> RreluOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  if (!cotangents[0])
    return SmallVector<Value>{Value()};
  TensorBuilder e(builder, getOperation());
  return SmallVector<Value>{e.gradient(e.computed(cotangents[0]) * e.computed(getNoise()), getX())};
}

/// An alpha for each element has the layout of x, so that x cannot change alone.
bool PreluOp::supportsImageLayout(ImageLayout layout) {
  return getMode() != PreluMode::Element || getImageLayout() == layout;
}

FailureOr<SmallVector<Value>> PreluOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX()), alpha = e.computed(getAlpha());
  if (getMode() == PreluMode::All) {
    alpha = e.reshape(alpha, {});
  } else if (getMode() == PreluMode::Channel) {
    bool last = channelsAreLast(getDataFormat());
    llvm::SmallVector<int64_t> shape(last ? 1 : x.rank() - 1, 1);
    shape[0] = -1;
    alpha = e.reshape(alpha, shape);
  } else {
    llvm::SmallVector<DimSize> dimSizes = dimSizesOf(x);
    alpha = reshapeTo(alpha, llvm::ArrayRef<DimSize>(dimSizes).drop_front());
  }
  return e.results({e.select(x > 0.0, x, x * alpha)});
}

FailureOr<SmallVector<Value>> MaxoutOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  int64_t axis = *normalizeAxis(static_cast<int64_t>(getAxis()), x.rank());
  llvm::SmallVector<DimSize> dimSizes = dimSizesOf(x);
  auto groups = static_cast<int64_t>(getGroups());
  dimSizes[axis] = divide(e, dimSizes[axis], groups);
  dimSizes.insert(dimSizes.begin() + axis + 1, DimSize(groups));
  // One channel after the other: of equal ones the first has the gradient, as in Paddle.
  Expression grouped = reshapeTo(x, dimSizes);
  auto channel = [&](int64_t i) { return dropDim(slice(grouped, axis + 1, i, i + 1), axis + 1); };
  Expression out = channel(0);
  for (int64_t i = 1; i < groups; ++i) {
    Expression next = channel(i);
    out = e.select(out >= next, out, next);
  }
  return e.results({out});
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/nn/ParametricActivation.cpp.inc"
#include "dialects/pd/ops/nn/ParametricActivation.methods.inc"
#include "dialects/pd/ops/nn/ParametricActivation.scalar.inc"
