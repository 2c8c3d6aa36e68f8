//! Reference kernels that sample lists: by weights, in random order, of classes.
#include "dialects/pd/ops/random/Random.h"
#include "dialects/pd/reference/Evaluate.h"
#include "dialects/pd/reference/Reference.h"

#include <cmath>

using namespace mlir;

namespace proa::pd {
namespace {

/// One index with the probability of its weight: the first whose running sum is above a share of the sum of
/// all.
int64_t drawOne(llvm::ArrayRef<double> weights, double unit) {
  double all = 0, sum = 0;
  for (double weight : weights)
    all += weight;
  int64_t last = 0;
  for (auto [i, weight] : llvm::enumerate(weights)) {
    sum += weight;
    if (weight > 0)
      last = static_cast<int64_t>(i);
    if (sum > unit * all)
      return static_cast<int64_t>(i);
  }
  return last;
}

/// The indices with the least of exponentially distributed times, whose rates are the weights.
std::vector<int64_t> drawDifferent(llvm::ArrayRef<double> weights, size_t samples, Stream &stream) {
  std::vector<std::pair<double, int64_t>> arrivals;
  for (auto [i, weight] : llvm::enumerate(weights))
    if (double time = -std::log1p(-stream.unit()); weight > 0)
      arrivals.emplace_back(time / weight, static_cast<int64_t>(i));
  llvm::sort(arrivals);
  std::vector<int64_t> out;
  for (size_t i = 0; i < std::min(samples, arrivals.size()); ++i)
    out.push_back(arrivals[i].second);
  return out;
}

} // namespace

LogicalResult SkipRandomOp::computeReference(llvm::ArrayRef<Tensor>, llvm::MutableArrayRef<Tensor>,
                                             RandomState *state) {
  for (uint64_t i = 0, count = getCount(); state && i < count; ++i)
    state->next();
  return success(state != nullptr);
}

LogicalResult RandpermOp::computeReference(llvm::ArrayRef<Tensor>, llvm::MutableArrayRef<Tensor> results,
                                           RandomState *state) {
  if (!state)
    return failure();
  Sequence sequence = state->next(static_cast<uint64_t>(getSeed()));
  for (auto [i, value] : llvm::enumerate(shuffled(sequence, static_cast<int64_t>(getN()))))
    storeScalar(results[0], static_cast<int64_t>(i), HostScalar::of(value));
  return success();
}

LogicalResult MultinomialOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                              llvm::MutableArrayRef<Tensor> results, RandomState *state) {
  if (!state)
    return failure();
  auto samples = static_cast<int64_t>(getNumSamples());
  if (const Tensor *given = operandOf(getOperation(), operands, getNumSamplesTensor()))
    samples = loadScalar(*given, 0).integer;
  std::vector<int64_t> dims = operands[0].dims();
  if (dims.empty() || dims.back() == 0 || samples < 1)
    return failure();
  int64_t categories = dims.back(), rows = operands[0].size() / categories;
  dims.back() = samples;
  results[0] = Tensor(results[0].dtype(), dims);
  Sequence sequence = state->next(static_cast<uint64_t>(getSeed()));
  for (int64_t row = 0; row < rows; ++row) {
    std::vector<double> weights;
    for (int64_t i = 0; i < categories; ++i)
      weights.push_back(realAt(operands[0], row * categories + i));
    if (llvm::any_of(weights, [](double weight) { return !(weight >= 0) || std::isinf(weight); }) ||
        llvm::all_of(weights, [](double weight) { return weight == 0; }))
      return failure();
    Stream stream(sequence, static_cast<uint64_t>(row));
    std::vector<int64_t> drawn;
    if (getReplacement())
      for (int64_t i = 0; i < samples; ++i)
        drawn.push_back(drawOne(weights, stream.unit()));
    else
      drawn = drawDifferent(weights, static_cast<size_t>(samples), stream);
    if (static_cast<int64_t>(drawn.size()) != samples)
      return failure();
    for (auto [i, index] : llvm::enumerate(drawn))
      storeScalar(results[0], row * samples + static_cast<int64_t>(i), HostScalar::of(index));
  }
  return success();
}

LogicalResult SamplingIdOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                             llvm::MutableArrayRef<Tensor> results, RandomState *state) {
  if (!state)
    return failure();
  double low = getMin().convertToDouble(), high = getMax().convertToDouble();
  int64_t rows = operands[0].dims()[0], columns = operands[0].dims()[1];
  results[0] = Tensor(results[0].dtype(), {rows});
  Sequence sequence = state->next(static_cast<uint64_t>(getSeed()));
  for (int64_t row = 0; row < rows; ++row) {
    double position = low + (high - low) * Stream(sequence, static_cast<uint64_t>(row)).unit(), sum = 0;
    int64_t chosen = 0;
    while (chosen + 1 < columns && !((sum += realAt(operands[0], row * columns + chosen)) > position))
      ++chosen;
    storeScalar(results[0], row, HostScalar::of(chosen));
  }
  return success();
}

LogicalResult ShuffleBatchOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                               llvm::MutableArrayRef<Tensor> results, RandomState *state) {
  if (!state)
    return failure();
  const Tensor &x = operands[0];
  int64_t width = x.dims().back(), rows = 1;
  for (int64_t dimSize : llvm::ArrayRef(x.dims()).drop_back())
    rows *= dimSize;
  int64_t seed = operands[1].size() == 0 ? 0 : loadScalar(operands[1], 0).integer;
  if (seed == 0)
    seed = static_cast<int64_t>(getStartupSeed());
  Sequence sequence = state->next(static_cast<uint64_t>(seed));
  std::vector<int64_t> order = shuffled(sequence, rows);
  results[0] = Tensor(x.dtype(), x.dims());
  for (int64_t i = 0; i < x.size(); ++i)
    storeScalar(results[0], i, loadScalar(x, order[static_cast<size_t>(i / width)] * width + i % width));
  results[1] = vectorOf(results[1].dtype(), order);
  Stream next(sequence, 1);
  results[2] = vectorOf(results[2].dtype(), {static_cast<int64_t>(next() / 2 | 1)});
  return success();
}

LogicalResult ClassCenterSampleOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                    llvm::MutableArrayRef<Tensor> results,
                                                    RandomState *state) {
  if (!state)
    return failure();
  auto classes = static_cast<int64_t>(getNumClasses()), samples = static_cast<int64_t>(getNumSamples());
  std::vector<int64_t> labels = integersOf(operands[0]), centers = labels;
  if (llvm::any_of(labels, [&](int64_t label) { return label < 0 || label >= classes; }))
    return failure();
  llvm::sort(centers);
  centers.erase(llvm::unique(centers), centers.end());
  Sequence sequence = state->next(getFixSeed() ? static_cast<uint64_t>(getSeed()) : 0);
  for (int64_t other : shuffled(sequence, classes))
    if (static_cast<int64_t>(centers.size()) < samples && !llvm::is_contained(centers, other))
      centers.push_back(other);
  llvm::sort(centers);
  for (int64_t &label : labels)
    label = llvm::find(centers, label) - centers.begin();
  results[0] = vectorOf(results[0].dtype(), labels).reshaped(operands[0].dims());
  results[1] = vectorOf(results[1].dtype(), centers);
  return success();
}

} // namespace proa::pd
