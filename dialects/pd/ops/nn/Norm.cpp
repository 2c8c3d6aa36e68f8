#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/nn/Nn.h"
#include "dialects/pd/ops/nn/NormOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/reference/Evaluate.h"

using namespace mlir;

namespace proa::pd {

int64_t channelAxis(RankedTensorType x, DataFormat dataFormat) {
  return channelsAreLast(dataFormat) ? x.getRank() - 1 : 1;
}

llvm::SmallVector<int64_t> axesBut(int64_t rank, llvm::ArrayRef<int64_t> kept) {
  llvm::SmallVector<int64_t> axes;
  for (int64_t d = 0; d < rank; ++d)
    if (!llvm::is_contained(kept, d))
      axes.push_back(d);
  return axes;
}

Expression alongAxis(Expression parameter, int64_t axis, int64_t rank) {
  if (axis == rank - 1)
    return parameter;
  llvm::SmallVector<int64_t> shape(rank - axis, 1);
  shape[0] = -1;
  return parameter.owner().reshape(parameter, shape);
}

namespace {

struct Moments {
  Expression mean, variance, centered;
};

/// Mean and biased variance in two passes, dimensions kept.
Moments momentsOf(Expression x, llvm::ArrayRef<int64_t> axes) {
  TensorBuilder &e = x.owner();
  Expression mean = e.mean(x, axes);
  Expression centered = x - mean;
  return {mean, e.mean(centered * centered, axes), centered};
}

Expression scaledAndShifted(Expression x, std::optional<Expression> scale, std::optional<Expression> bias,
                            int64_t axis) {
  if (scale)
    x = x * alongAxis(*scale, axis, x.rank());
  if (bias)
    x = x + alongAxis(*bias, axis, x.rank());
  return x;
}

std::optional<Expression> optional(TensorBuilder &e, Value value) {
  return value ? std::optional(e.computed(value)) : std::nullopt;
}

/// C2: `parameters` have one element for each of `count`.
LogicalResult checkParameters(std::optional<Location> location, llvm::ArrayRef<Value> parameters,
                              int64_t count, llvm::StringRef what) {
  for (Value parameter : parameters) {
    if (!parameter)
      continue;
    RankedTensorType type = tensorType(parameter);
    bool isRightSize = type.getRank() == 1 &&
                       (ShapedType::isDynamic(count) || type.isDynamicDim(0) || type.getDimSize(0) == count);
    if (isRightSize)
      continue;
    std::string text;
    llvm::raw_string_ostream os(text);
    os << "C2: parameters must have rank 1 and one element for each of the " << what << ", ";
    ShapedType::isDynamic(count) ? os << "found " : os << count << " in number, found ";
    os << type;
    return inferenceError(location, text);
  }
  return success();
}

LogicalResult checkHasChannels(std::optional<Location> location, RankedTensorType x) {
  if (x.getRank() >= 2)
    return success();
  return inferenceError(location, "C1: x must have rank 2 or more, found rank " + llvm::Twine(x.getRank()));
}

} // namespace

LogicalResult inferChannelNorm(std::optional<Location> location, Value x, llvm::ArrayRef<Value> parameters,
                               DataFormat dataFormat) {
  RankedTensorType type = tensorType(x);
  if (failed(checkHasChannels(location, type)))
    return failure();
  return checkParameters(location, parameters, type.getDimSize(channelAxis(type, dataFormat)), "channels");
}

LogicalResult inferLayerNormOf(std::optional<Location> location, Value x, Value scale, Value bias,
                               int64_t axis, Results &results) {
  RankedTensorType type = tensorType(x);
  if (axis <= 0 || axis >= type.getRank())
    return inferenceError(location, "C1: begin_norm_axis must be above 0 and below the rank " +
                                        llvm::Twine(type.getRank()) + " of x, found " + llvm::Twine(axis));
  int64_t count = 1;
  for (int64_t dim : type.getShape().drop_front(axis))
    count = ShapedType::isDynamic(dim) || ShapedType::isDynamic(count) ? ShapedType::kDynamic : count * dim;
  if (failed(checkParameters(location, {scale, bias}, count, "normalized elements")))
    return failure();
  // Paddle keeps the moments of 16-bit tensors in float32.
  Type element = isa<FloatType>(type.getElementType()) && type.getElementType().getIntOrFloatBitWidth() < 32
                     ? Float32Type::get(type.getContext())
                     : type.getElementType();
  auto moments = RankedTensorType::get(type.getShape().take_front(axis), element);
  results.append({type, moments, moments});
  return success();
}

LogicalResult inferGroupNormOf(std::optional<Location> location, Value x, llvm::ArrayRef<Value> parameters,
                               int64_t groups, DataFormat dataFormat, Results &results) {
  if (failed(inferChannelNorm(location, x, parameters, dataFormat)))
    return failure();
  RankedTensorType type = tensorType(x);
  int64_t channels = type.getDimSize(channelAxis(type, dataFormat));
  if (groups <= 0 || (!ShapedType::isDynamic(channels) && channels % groups != 0))
    return inferenceError(location, "C4: groups must be above 0 and divide the " + llvm::Twine(channels) +
                                        " channels, found " + llvm::Twine(groups));
  auto moments = RankedTensorType::get({type.getDimSize(0), groups}, type.getElementType());
  results.append({type, moments, moments});
  return success();
}

LogicalResult inferInstanceNormOf(std::optional<Location> location, Value x, llvm::ArrayRef<Value> parameters,
                                  Results &results) {
  if (failed(inferChannelNorm(location, x, parameters, DataFormat::NCHW)))
    return failure();
  RankedTensorType type = tensorType(x);
  int64_t batch = type.getDimSize(0), channels = type.getDimSize(1);
  bool isKnown = !ShapedType::isDynamic(batch) && !ShapedType::isDynamic(channels);
  auto saved =
      RankedTensorType::get({isKnown ? batch * channels : ShapedType::kDynamic}, type.getElementType());
  results.append({type, saved, saved});
  return success();
}

bool isOneElementAChannel(RankedTensorType x, int64_t channelAxis) {
  return x.hasStaticShape() && x.getNumElements() == x.getDimSize(channelAxis);
}

std::optional<Expression> haveChannelsElements(Expression x, int64_t channelAxis) {
  int64_t known = 1;
  for (auto [axis, dimSize] : llvm::enumerate(x.type().getShape()))
    if (static_cast<int64_t>(axis) != channelAxis && !ShapedType::isDynamic(dimSize))
      known *= dimSize;
  llvm::SmallVector<int64_t> others = axesBut(x.rank(), {channelAxis});
  bool isOpen = llvm::any_of(others, [&](int64_t axis) { return x.type().isDynamicDim(axis); });
  if (known > 1 || !isOpen)
    return std::nullopt;
  return x.owner().countAlong(x, others) > 1.0;
}

FailureOr<SmallVector<Value>> BatchNormOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX()), mean = e.computed(getMean()), variance = e.computed(getVariance());
  std::optional<Expression> scale = optional(e, getScale()), bias = optional(e, getBias());
  double epsilon = getEpsilon().convertToDouble();
  int64_t axis = channelAxis(x.type(), getDataFormat());
  auto emptyType = mlir::cast<RankedTensorType>(getReserveSpace().getType());
  Expression reserve =
      e.wrap(e.create<ConstantOp>(emptyType, DenseElementsAttr::get(emptyType, llvm::ArrayRef<Attribute>())));
  if (getUseGlobalStats() || (getIsTest() && !getTrainableStatistics())) {
    // One factor and one offset for each channel: both are constants of a trained model.
    Expression factor = 1.0 / e.sqrt(variance + epsilon);
    if (scale)
      factor = factor * *scale;
    Expression offset = bias ? *bias - mean * factor : -(mean * factor);
    Expression givenMean = e.wrap(getMean()), givenVariance = e.wrap(getVariance());
    return e.results({scaledAndShifted(x, factor, offset, axis), givenMean, givenVariance, givenMean,
                      givenVariance, reserve});
  }
  if (isOneElementAChannel(x.type(), axis)) {
    Expression zeros = expandTo(e.constant(0, mean.type().getElementType()), dimSizesOf(mean));
    return e.results({e.wrap(getX()), e.wrap(getMean()), e.wrap(getVariance()), zeros, zeros, reserve});
  }
  auto [batchMean, batchVariance, centered] = momentsOf(x, axesBut(x.rank(), {axis}));
  Expression inverse = 1.0 / e.sqrt(batchVariance + epsilon);
  Expression out = scaledAndShifted(centered * inverse, scale, bias, axis);
  Expression momentum = getMomentumTensor()
                            ? e.cast(e.reshape(e.wrap(getMomentumTensor()), {}), mean.type().getElementType())
                            : e.constant(getMomentum().convertToDouble(), mean.type().getElementType());
  Expression flatMean = e.reshape(batchMean, {-1}), flatVariance = e.reshape(batchVariance, {-1});
  auto moved = [&](Expression running, Expression batch) {
    return running * momentum + batch * (1.0 - momentum);
  };
  llvm::SmallVector<Expression> results{out,      moved(mean, flatMean),    moved(variance, flatVariance),
                                        flatMean, e.reshape(inverse, {-1}), reserve};
  if (auto have = haveChannelsElements(x, axis)) {
    const std::array given{x, mean, variance};
    for (size_t i = 0; i < given.size(); ++i)
      results[i] = e.select(*have, results[i], given[i]);
    for (size_t i : {3, 4})
      results[i] = e.select(*have, results[i], 0.0);
  }
  return e.results(results);
}

FailureOr<SmallVector<Value>> LayerNormOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  auto first = static_cast<size_t>(getBeginNormAxis());
  llvm::SmallVector<int64_t> axes = llvm::to_vector(llvm::seq<int64_t>(first, x.rank()));
  Moments moments = momentsOf(x, axes);
  Expression out = moments.centered * e.rsqrt(moments.variance + getEpsilon().convertToDouble());
  llvm::SmallVector<DimSize> dimSizes = dimSizesOf(x);
  auto normalized = llvm::ArrayRef<DimSize>(dimSizes).drop_front(first),
       rows = llvm::ArrayRef<DimSize>(dimSizes).take_front(first);
  auto placed = [&](Expression parameter) {
    return axes.size() == 1 ? parameter : reshapeTo(parameter, normalized);
  };
  if (getScale())
    out = out * placed(e.computed(getScale()));
  if (getBias())
    out = out + placed(e.computed(getBias()));
  return e.results({out, reshapeTo(moments.mean, rows), reshapeTo(moments.variance, rows)});
}

FailureOr<SmallVector<Value>> GroupNormOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  int64_t axis = channelAxis(x.type(), getDataFormat()), groups = getGroups();
  llvm::SmallVector<DimSize> dimSizes = dimSizesOf(x), grouped = dimSizes;
  grouped[axis] = divide(e, dimSizes[axis], groups);
  grouped.insert(grouped.begin() + axis, DimSize(groups));
  Expression split = reshapeTo(x, grouped);
  Moments moments = momentsOf(split, axesBut(split.rank(), {0, axis}));
  Expression normal = moments.centered * e.rsqrt(moments.variance + getEpsilon().convertToDouble());
  Expression y =
      scaledAndShifted(reshapeTo(normal, dimSizes), optional(e, getScale()), optional(e, getBias()), axis);
  llvm::SmallVector<DimSize> rows{dimSizes[0], DimSize(groups)};
  return e.results({y, reshapeTo(moments.mean, rows), reshapeTo(moments.variance, rows)});
}

FailureOr<SmallVector<Value>> InstanceNormOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  bool isMatrix = x.rank() == 2; // channels of one element
  if (isMatrix)
    x = insertDim(x, 2);
  Moments moments = momentsOf(x, axesBut(x.rank(), {0, 1}));
  Expression inverse = e.rsqrt(moments.variance + getEpsilon().convertToDouble());
  Expression y =
      scaledAndShifted(moments.centered * inverse, optional(e, getScale()), optional(e, getBias()), 1);
  return e.results({isMatrix ? reshapeTo(y, dimSizesOf(e.computed(getX()))) : y,
                    e.reshape(moments.mean, {-1}), e.reshape(inverse, {-1})});
}

FailureOr<SmallVector<Value>> NormOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  Expression norm = e.sqrt(e.sum(x * x, {static_cast<int64_t>(getAxis())}) + getEpsilon().convertToDouble());
  return e.results({x / norm, norm});
}

/// Most channels of a window and most iterations that are unrolled into ops.
static constexpr int64_t mostUnrolled = 4096;

LogicalResult checkLrn(std::optional<Location> location, RankedTensorType x, int64_t n) {
  if (x.getRank() != 4)
    return inferenceError(location, "C1: x must have rank 4, found rank " + llvm::Twine(x.getRank()));
  if (n < 1 || n > mostUnrolled)
    return inferenceError(location, "C2: n must be from 1 to " + llvm::Twine(mostUnrolled) + ", found " +
                                        llvm::Twine(n));
  return success();
}

FailureOr<SmallVector<Value>> LrnOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  int64_t axis = channelAxis(x.type(), getDataFormat());
  auto count = static_cast<int64_t>(getN());
  llvm::SmallVector<int64_t> paddings(8, 0);
  paddings[2 * axis] = (count - 1) / 2;
  paddings[2 * axis + 1] = count - 1 - (count - 1) / 2;
  Expression squares = e.wrap(e.create<PadOp>(x * x, llvm::ArrayRef<int64_t>(paddings), llvm::APFloat(0.0)));
  Expression sum = slice(squares, axis, 0, 1 - count == 0 ? toTheEnd : 1 - count);
  for (int64_t i = 1; i < count; ++i)
    sum = sum + slice(squares, axis, i, i + 1 == count ? toTheEnd : i + 1 - count);
  Expression middle = sum * getAlpha().convertToDouble() + getK().convertToDouble();
  Expression power = e.pow(middle, e.constant(-getBeta().convertToDouble(), x.type().getElementType()));
  return e.results({x * power, middle});
}

LogicalResult checkSpectralNorm(std::optional<Location> location, RankedTensorType weight, RankedTensorType u,
                                RankedTensorType v, int64_t dim, int64_t iterations) {
  if (dim < 0 || dim >= weight.getRank() || iterations < 0 || iterations > mostUnrolled)
    return inferenceError(location, "C1: dim must be below the rank " + llvm::Twine(weight.getRank()) +
                                        " and power_iters from 0 to " + llvm::Twine(mostUnrolled) +
                                        ", found " + llvm::Twine(dim) + " and " + llvm::Twine(iterations));
  if (!weight.hasStaticShape() || !u.hasStaticShape() || !v.hasStaticShape())
    return success();
  int64_t rows = weight.getDimSize(dim);
  if (u.getNumElements() == rows && u.getNumElements() * v.getNumElements() == weight.getNumElements())
    return success();
  return inferenceError(
      location, "C2: u must have " + llvm::Twine(rows) + " elements and v one for each column, found " +
                    llvm::Twine(u.getNumElements()) + " and " + llvm::Twine(v.getNumElements()));
}

FailureOr<SmallVector<Value>> SpectralNormOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression weight = e.computed(getWeight()), u = e.reshape(e.computed(getU()), {-1}),
             v = e.reshape(e.computed(getV()), {-1});
  llvm::SmallVector<int64_t> order{static_cast<int64_t>(getDim())};
  llvm::append_range(order, axesBut(weight.rank(), order));
  Expression turned = e.transpose(weight, order);
  llvm::SmallVector<int64_t> shape{0, -1};
  Expression matrix = e.reshape(turned, shape);
  auto normal = [&](Expression x) { return x / (e.sqrt(e.sum(x * x, {0})) + getEps().convertToDouble()); };
  for (uint64_t i = 0; i < getPowerIters(); ++i) {
    v = normal(e.matmul(u, matrix));
    u = normal(e.matmul(matrix, v));
  }
  return e.results({weight / e.matmul(u, e.matmul(matrix, v))});
}

FailureOr<SmallVector<Value>> AffineChannelOp::decompose(OpBuilder &builder) {
  TensorBuilder e(builder, getOperation());
  Expression x = e.computed(getX());
  return e.results({scaledAndShifted(x, e.computed(getScale()), e.computed(getBias()),
                                     channelAxis(x.type(), getDataFormat()))});
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/nn/Norm.cpp.inc"
#include "dialects/pd/ops/nn/Norm.methods.inc"
#include "dialects/pd/ops/nn/Norm.scalar.inc"
