#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/nn/Nn.h"
#include "dialects/pd/ops/nn/SoftmaxOps.h"
#include "dialects/pd/ops/random/Random.h"
#include "dialects/pd/ops/reduce/Reduce.h"
#include "dialects/pd/ops/sequence/Rows.h"
#include "dialects/pd/ops/shape/OpenExtents.h"
#include "dialects/pd/reference/Evaluate.h"

#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;

namespace proa::pd {

LogicalResult checkAxis(std::optional<Location> location, int64_t axis, int64_t rank) {
  int64_t dims = std::max<int64_t>(rank, 1);
  if (axis >= -dims && axis < dims)
    return success();
  return inferenceError(location, "C1: axis must be in [-" + llvm::Twine(dims) + ", " + llvm::Twine(dims) +
                                      "), found " + llvm::Twine(axis));
}

LogicalResult checkDropout(std::optional<Location> location, double p) {
  if (!(p >= 0 && p <= 1))
    return inferenceError(location, "C1: p must be in [0, 1], found " + std::to_string(p));
  return success();
}

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
  if (failed(checkAxis(location, axis, x.getRank())) || x.getRank() == 0)
    return failure();
  llvm::SmallVector<int64_t> shape(x.getShape());
  int64_t &dim = shape[axis < 0 ? axis + x.getRank() : axis];
  if (groups <= 0 || (!ShapedType::isDynamic(dim) && dim % groups != 0))
    return inferenceError(location, "C2: groups must be above 0 and divide the extent " + llvm::Twine(dim) +
                                        ", found " + llvm::Twine(groups));
  if (!ShapedType::isDynamic(dim))
    dim /= groups;
  results.push_back(RankedTensorType::get(shape, x.getElementType()));
  return success();
}

namespace {

/// The axis as a non-negative index; nothing for a tensor of rank 0, whose only element is along every axis.
llvm::SmallVector<int64_t> frontAxis(int64_t axis, int64_t rank) {
  if (rank == 0)
    return {};
  return {axis < 0 ? axis + rank : axis};
}

} // namespace

/// Not below -64, as in Paddle's kernels: the logarithm of elements far below the maximum stays finite.
Expression shiftedByMaximum(Expression x, llvm::ArrayRef<int64_t> axes) {
  constexpr double least = -64;
  TensorBuilder &e = x.owner();
  Expression shifted = x - e.max(x, axes);
  return e.select(shifted < least, e.constant(least, x.type().getElementType()), shifted);
}

Expression logSoftmax(Expression x, llvm::ArrayRef<int64_t> axes) {
  TensorBuilder &e = x.owner();
  Expression shifted = shiftedByMaximum(x, axes);
  return shifted - e.log(e.sum(e.exp(shifted), axes));
}

FailureOr<SmallVector<Value>> SoftmaxOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  llvm::SmallVector<int64_t> axes = frontAxis(getAxis(), x.rank());
  Expression exponentials = e.exp(shiftedByMaximum(x, axes));
  return e.results({exponentials / e.sum(exponentials, axes)});
}

FailureOr<SmallVector<Value>> LogSoftmaxOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  return e.results({logSoftmax(x, frontAxis(getAxis(), x.rank()))});
}

LogicalResult checkSoftmaxMask(std::optional<Location> location, RankedTensorType x, RankedTensorType mask) {
  auto shape = broadcastShapes(std::nullopt, {x, mask});
  if (x.getRank() > 0 && succeeded(shape) && succeeded(verifyCompatibleShape(*shape, x.getShape())))
    return success();
  std::string text;
  llvm::raw_string_ostream(text) << "C1: mask must broadcast to x, found " << x << " and " << mask;
  return inferenceError(location, text);
}

FailureOr<SmallVector<Value>> FusedSoftmaxMaskOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  llvm::SmallVector<int64_t> axes{x.rank() - 1};
  Expression exponentials =
      e.exp(shiftedByMaximum(x + e.cast(e.computed(getMask()), x.type().getElementType()), axes));
  return e.results({exponentials / e.sum(exponentials, axes)});
}

LogicalResult checkPositionEncoding(std::optional<Location> location, RankedTensorType x, bool hasOffsets) {
  int64_t rank = hasOffsets ? 2 : 3;
  if (x.getRank() == rank && (x.isDynamicDim(rank - 1) || x.getShape().back() % 2 == 0))
    return success();
  std::string text;
  llvm::raw_string_ostream(text) << "C1: x must have rank " << rank
                                 << " and an even number of features, found " << x;
  return inferenceError(location, text);
}

FailureOr<SmallVector<Value>> AddPositionEncodingOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  Type element = x.type().getElementType(), i64 = builder.getI64Type();
  Extent half = divide(e, Extent(x, x.rank() - 1), 2);
  Expression places = getOffsets() ? rowPlaces(x, e.wrap(getOffsets())).position : iota(e, Extent(x, 1), i64);
  Expression steps = e.reshape(e.cast(places, element), {-1, 1});
  // From 1 to 10000, or only 10000.
  Expression last = e.cast(e.wrap(add(e, half, -1).getValue(e)), element);
  Expression power = e.select(last > 0.0, e.cast(iota(e, half, i64), element) / e.maximum(last, 1.0), 1.0);
  Expression angles = steps / e.exp(power * std::log(10000.0));
  Expression encoding = concat({e.sin(angles), e.cos(angles)}, 1);
  return e.results({x * getAlpha().convertToDouble() + encoding * getBeta().convertToDouble()});
}

namespace {

using Effects = llvm::SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// In training each execution creates a new value.
template <class Op> void addEffects(Op op, Effects &effects) {
  if (!op.getIsTest())
    effects.emplace_back(MemoryEffects::Allocate::get(), op->getOpResult(0),
                         SideEffects::DefaultResource::get());
}

} // namespace

void RreluOp::getEffects(Effects &effects) { addEffects(*this, effects); }
void DropoutOp::getEffects(Effects &effects) { addEffects(*this, effects); }

FailureOr<SmallVector<Value>> RreluOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  double lower = getLower().convertToDouble(), upper = getUpper().convertToDouble();
  Type element = x.type().getElementType();
  Expression slopes = getIsTest()
                          ? e.constant((lower + upper) / 2, element)
                          : e.cast(uniform(e, extentsOf(x), builder.getF32Type(), lower, upper, 0), element);
  Expression noise = e.select(x >= 0.0, e.constant(1, element), slopes);
  return e.results({x * noise, noise});
}

/// The probability of zero, in the type of x.
static Expression dropProbability(TensorBuilder &e, DropoutOp op, Expression x) {
  Type element = x.type().getElementType();
  if (Value p = op.getPTensor())
    return e.cast(e.reshape(e.wrap(p), {}), element);
  return e.constant(op.getP().convertToDouble(), element);
}

/// x if `mask` is not 0, in mode upscale_in_train divided by 1 - p; else 0, also if x is not finite.
static Expression keepMasked(TensorBuilder &e, DropoutOp op, Expression x, Expression keep) {
  if (op.getMode() == DropoutMode::UpscaleInTrain)
    x = x / (1.0 - dropProbability(e, op, x));
  return e.select(keep, x, 0.0);
}

FailureOr<SmallVector<Value>> DropoutOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.wrap(getX());
  Type maskElement = tensorType(getMask()).getElementType();
  if (!getIsTest()) {
    Expression wide = e.computed(x), numbers = uniform(e, extentsOf(x), builder.getF32Type(), 0, 1,
                                                       getFixSeed() ? getSeed() : 0, getSeedTensor());
    Expression p = e.cast(dropProbability(e, *this, wide), builder.getF32Type());
    Expression keep = e.wrap(e.create<GreaterEqualOp>(numbers, p));
    return e.results({keepMasked(e, *this, wide, keep), e.cast(keep, maskElement)});
  }
  Expression mask = expandTo(e.constant(1, maskElement), extentsOf(x));
  if (getMode() == DropoutMode::UpscaleInTrain)
    return e.results({x, mask});
  Expression wide = e.computed(x);
  return e.results({wide * (1.0 - dropProbability(e, *this, wide)), mask});
}

/// The gradient uses the factors of the forward run.
FailureOr<SmallVector<Value>> RreluOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  if (!cotangents[0])
    return SmallVector<Value>{Value()};
  TensorBuilder e(builder, getOperation());
  return SmallVector<Value>{e.gradient(e.computed(cotangents[0]) * e.computed(getNoise()), getX())};
}

/// The mask is applied to the cotangent: nothing is sampled again.
FailureOr<SmallVector<Value>> DropoutOp::vjp(OpBuilder &builder, llvm::ArrayRef<Value> cotangents) {
  SmallVector<Value> gradients(getNumOperands());
  if (!cotangents[0])
    return gradients;
  TensorBuilder e(builder, getOperation());
  Expression out = e.computed(cotangents[0]), gradient = out;
  if (!getIsTest())
    gradient = keepMasked(e, *this, out, e.cast(e.wrap(getMask()), builder.getI1Type()));
  else if (getMode() != DropoutMode::UpscaleInTrain)
    gradient = out * (1.0 - dropProbability(e, *this, out));
  gradients[0] = e.gradient(gradient, getX());
  return gradients;
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
    llvm::SmallVector<Extent> extents = extentsOf(x);
    alpha = reshapeTo(alpha, llvm::ArrayRef<Extent>(extents).drop_front());
  }
  return e.results({e.select(x > 0.0, x, x * alpha)});
}

FailureOr<SmallVector<Value>> MaxoutOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  int64_t axis = frontAxis(getAxis(), x.rank()).front();
  llvm::SmallVector<Extent> extents = extentsOf(x);
  auto groups = static_cast<int64_t>(getGroups());
  extents[axis] = divide(e, extents[axis], groups);
  extents.insert(extents.begin() + axis + 1, Extent(groups));
  // One channel after the other: of equal ones the first has the gradient, as in Paddle.
  Expression grouped = reshapeTo(x, extents);
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
#include "dialects/pd/ops/nn/Softmax.cpp.inc"
#include "dialects/pd/ops/nn/Softmax.methods.inc"
#include "dialects/pd/ops/nn/Softmax.scalar.inc"
