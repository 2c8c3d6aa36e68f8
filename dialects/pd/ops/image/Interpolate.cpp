#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/image/Image.h"
#include "dialects/pd/ops/image/InterpolateOps.h"
#include "dialects/pd/reference/Evaluate.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// The elements of a constant tensor.
std::optional<llvm::SmallVector<double>> constantValues(Value tensor) {
  ElementsAttr constant;
  if (!matchPattern(tensor, m_Constant(&constant)))
    return std::nullopt;
  Tensor values = tensorFromAttribute(constant);
  llvm::SmallVector<double> out;
  for (int64_t i = 0; i < values.size(); ++i)
    out.push_back(HostScalarBuilder(DType::Float64).cast(loadScalar(values, i)).real());
  return out;
}

using Sizes = llvm::SmallVector<int64_t>;

LogicalResult countError(std::optional<Location> location, llvm::StringRef what, int64_t expected,
                         size_t found) {
  return inferenceError(location, "C3: " + what + " must hold " + llvm::Twine(expected) + " numbers, found " +
                                      llvm::Twine(found));
}

FailureOr<Sizes> sizesFromTensors(std::optional<Location> location, ValueRange tensors, int64_t spatial) {
  if (static_cast<int64_t>(tensors.size()) != spatial)
    return countError(location, "size_tensor", spatial, tensors.size());
  Sizes sizes;
  for (Value tensor : tensors) {
    auto values = constantValues(tensor);
    sizes.push_back(values && !values->empty() ? static_cast<int64_t>(values->front())
                                               : ShapedType::kDynamic);
  }
  return sizes;
}

FailureOr<Sizes> sizesFromTensor(std::optional<Location> location, Value tensor, int64_t spatial) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.hasStaticShape() && type.getNumElements() != spatial)
    return countError(location, "out_size", spatial, static_cast<size_t>(type.getNumElements()));
  auto values = constantValues(tensor);
  if (!values)
    return Sizes(spatial, ShapedType::kDynamic);
  return llvm::map_to_vector(*values, [](double value) { return static_cast<int64_t>(value); });
}

FailureOr<Sizes> scaledSizes(std::optional<Location> location, llvm::ArrayRef<double> scale,
                             llvm::ArrayRef<int64_t> input) {
  if (scale.size() != 1 && scale.size() != input.size())
    return countError(location, "scale", static_cast<int64_t>(input.size()), scale.size());
  Sizes sizes;
  for (auto [i, dim] : llvm::enumerate(input)) {
    // Paddle stores the factors as float32.
    auto factor = static_cast<float>(scale[scale.size() == 1 ? 0 : i]);
    if (!(factor > 0))
      return inferenceError(location, "C3: scale must be positive, found " + std::to_string(factor));
    sizes.push_back(ShapedType::isDynamic(dim) ? dim
                                               : static_cast<int64_t>(static_cast<float>(dim) * factor));
  }
  return sizes;
}

FailureOr<Sizes> outputSizes(std::optional<Location> location, const InterpolateShape &given,
                             llvm::ArrayRef<int64_t> input) {
  auto spatial = static_cast<int64_t>(input.size());
  if (!given.sizeTensors.empty())
    return sizesFromTensors(location, given.sizeTensors, spatial);
  if (given.outSize)
    return sizesFromTensor(location, given.outSize, spatial);
  if (given.scaleTensor) {
    auto values = constantValues(given.scaleTensor);
    return values ? scaledSizes(location, *values, input)
                  : FailureOr<Sizes>(Sizes(spatial, ShapedType::kDynamic));
  }
  if (!given.scale.empty())
    return scaledSizes(location, given.scale, input);
  Sizes sizes(llvm::ArrayRef<int64_t>(given.attributes).take_back(spatial));
  return sizes;
}

} // namespace

/// The least and the greatest rank of an image, by the method.
static std::pair<int64_t, int64_t> ranksOf(Interpolation method) {
  switch (method) {
  case Interpolation::Linear:
    return {3, 3};
  case Interpolation::Bilinear:
  case Interpolation::Bicubic:
    return {4, 4};
  case Interpolation::Trilinear:
    return {5, 5};
  case Interpolation::Nearest:
    return {3, 5};
  }
  return {};
}

LogicalResult inferInterpolateOf(std::optional<Location> location, const InterpolateShape &given,
                                 Results &results) {
  auto [minRank, maxRank] = ranksOf(given.kind);
  int64_t rank = given.x.getRank();
  if (rank < minRank || rank > maxRank)
    return inferenceError(location, "C1: x must have rank " + llvm::Twine(minRank) + " to " +
                                        llvm::Twine(maxRank) + ", found rank " + llvm::Twine(rank));
  if (given.method != given.kind)
    return inferenceError(location, "C5: interp_method must be " + stringifyInterpolation(given.kind) +
                                        ", found " + stringifyInterpolation(given.method));
  auto sizes = outputSizes(location, given, spatialDims(given.x.getShape(), given.dataFormat));
  if (failed(sizes))
    return failure();
  for (auto [i, size] : llvm::enumerate(*sizes))
    if (!ShapedType::isDynamic(size) && size <= 0)
      return inferenceError(location, "C4: the output's dims must be positive, found " + llvm::Twine(size) +
                                          " in spatial dimension " + llvm::Twine(i));
  int64_t channels = given.x.getDimSize(channelsAreLast(given.dataFormat) ? rank - 1 : 1);
  results.push_back(RankedTensorType::get(shapeOf(given.x.getDimSize(0), channels, *sizes, given.dataFormat),
                                          given.x.getElementType()));
  return success();
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/image/Interpolate.cpp.inc"
#include "dialects/pd/ops/image/Interpolate.methods.inc"
#include "dialects/pd/ops/image/Interpolate.scalar.inc"
