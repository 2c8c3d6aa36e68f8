/// Random numbers.
#pragma once

#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ir/RandomShard.h"
#include "dialects/pd/ir/SamplingInterface.h"
#include "dialects/pd/ops/creation/Creation.h"
#include "dialects/pd/ops/shape/DimSize.h"

namespace proa::pd {

/// Random numbers in [min, max), and normally distributed ones with mean 0, for decompositions. `seedTensor`
/// overrides `seed`.
Expression uniform(TensorBuilder &e, llvm::ArrayRef<DimSize> shape, mlir::Type elementType, double min,
                   double max, int64_t seed, mlir::Value seedTensor = {}, RandomShard shard = {});
Expression gaussian(TensorBuilder &e, llvm::ArrayRef<DimSize> shape, mlir::Type elementType, double deviation,
                    int64_t seed);

mlir::LogicalResult inferBatchSizeLikeOf(std::optional<mlir::Location> location, mlir::RankedTensorType input,
                                         llvm::ArrayRef<int64_t> shape, int64_t from, int64_t to,
                                         mlir::Type dtype, Results &results);
mlir::LogicalResult inferMultinomialOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                       std::optional<int64_t> samples, Results &results);

/// Places in the sequence of the model's seed that an op with this seed takes; `seedTensor`, if not null,
/// overrides `seed`.
std::optional<int64_t> placesWithSeed(mlir::Value seedTensor, int64_t seed);

template <class Adaptor>
mlir::LogicalResult inferRandomShape(std::optional<mlir::Location> location, Adaptor adaptor,
                                     Results &results) {
  if (failed(inferFull(location, adaptor, results)))
    return mlir::failure();
  return checkShard(location, adaptor.getPartBegin(), adaptor.getWholeShape(),
                    mlir::cast<mlir::RankedTensorType>(results.back()).getRank());
}

template <class Adaptor>
mlir::LogicalResult inferSampledForEach(std::optional<mlir::Location> location, Adaptor adaptor,
                                        Results &results) {
  results.push_back(adaptor.getX().getType());
  return checkShard(location, adaptor.getPartBegin(), adaptor.getWholeShape(),
                    tensorType(adaptor.getX()).getRank());
}

template <class Adaptor>
mlir::LogicalResult inferRandint(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  auto low = static_cast<int64_t>(adaptor.getLow()), high = static_cast<int64_t>(adaptor.getHigh());
  if (low >= high)
    return inferenceError(location, "C3: low must be below high, found " + llvm::Twine(low) + " and " +
                                        llvm::Twine(high));
  return inferRandomShape(location, adaptor, results);
}

template <class Adaptor>
mlir::LogicalResult inferRandperm(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  auto n = static_cast<int64_t>(adaptor.getN());
  if (n < 0)
    return inferenceError(location, "C1: n must not be negative, found " + llvm::Twine(n));
  results.push_back(mlir::RankedTensorType::get({n}, adaptor.getDtype()));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferBatchSizeLike(std::optional<mlir::Location> location, Adaptor adaptor,
                                       Results &results) {
  return inferBatchSizeLikeOf(location, tensorType(adaptor.getInput()), adaptor.getShape(),
                              static_cast<int64_t>(adaptor.getInputDimIdx()),
                              static_cast<int64_t>(adaptor.getOutputDimIdx()), adaptor.getDtype(), results);
}

template <class Adaptor>
mlir::LogicalResult inferGumbelSoftmax(std::optional<mlir::Location> location, Adaptor adaptor,
                                       Results &results) {
  auto type = tensorType(adaptor.getX());
  if (failed(normalizeAxis(location, static_cast<int64_t>(adaptor.getAxis()), type.getRank(), "C1")))
    return mlir::failure();
  results.push_back(type);
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferMultinomial(std::optional<mlir::Location> location, Adaptor adaptor,
                                     Results &results) {
  std::optional<int64_t> samples;
  if (!adaptor.getNumSamplesTensor())
    samples = static_cast<int64_t>(adaptor.getNumSamples());
  return inferMultinomialOf(location, tensorType(adaptor.getX()), samples, results);
}

template <class Adaptor>
mlir::LogicalResult inferSamplingId(std::optional<mlir::Location> location, Adaptor adaptor,
                                    Results &results) {
  auto type = tensorType(adaptor.getX());
  if (type.getRank() != 2)
    return inferenceError(location, "C1: x must have rank 2, found " + llvm::Twine(type.getRank()));
  results.push_back(
      mlir::RankedTensorType::get({type.getDimSize(0)}, mlir::IntegerType::get(type.getContext(), 64)));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferSkipRandom(std::optional<mlir::Location> location, Adaptor adaptor, Results &) {
  auto count = static_cast<int64_t>(adaptor.getCount());
  return count > 0 ? mlir::success()
                   : inferenceError(location, "C1: count must be above 0, found " + llvm::Twine(count));
}

mlir::LogicalResult inferShuffleBatchOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                        Results &results);

template <class Adaptor>
mlir::LogicalResult inferShuffleBatch(std::optional<mlir::Location> location, Adaptor adaptor,
                                      Results &results) {
  return inferShuffleBatchOf(location, tensorType(adaptor.getX()), results);
}

template <class Adaptor>
mlir::LogicalResult inferClassCenterSample(std::optional<mlir::Location> location, Adaptor adaptor,
                                           Results &results) {
  auto type = tensorType(adaptor.getLabel());
  auto ranks = static_cast<int64_t>(adaptor.getNranks()),
       samples = static_cast<int64_t>(adaptor.getNumSamples());
  if (ranks != 1)
    return inferenceError(location, "C1: nranks must be 1, found " + llvm::Twine(ranks));
  if (samples < 1 || samples > static_cast<int64_t>(adaptor.getNumClasses()))
    return inferenceError(location,
                          "C2: num_samples must be in [1, num_classes], found " + llvm::Twine(samples));
  results.append({type, mlir::RankedTensorType::get({mlir::ShapedType::kDynamic}, type.getElementType())});
  return mlir::success();
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/random/Random.h.inc"
