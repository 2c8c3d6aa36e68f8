/// The library kernels "multinomial" (x, num_samples; num_samples, replacement, seed), "sampling_id" (x; min,
/// max, seed), "randperm" (n, seed), "shuffle_batch" (x, seed; startup_seed) and "class_center_sample"
/// (label; num_classes, num_samples), and "skip_random" (count).
#include "lib/runtime/kernels/common/Convert.h"
#include "lib/runtime/kernels/random/Draw.h"

#include "dialects/pd/ops/random/Random.kernels.inc"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace proa::runtime {
namespace {

/// A number in [0, count), of a stream.
uint64_t below(RandomStream &stream, uint64_t count) {
  return static_cast<uint64_t>((static_cast<unsigned __int128>(stream()) * count) >> 64);
}

/// 0 to count - 1 in random order.
std::vector<int64_t> permutation(const RandomCall &draw, int64_t count) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), int64_t(0));
  RandomStream stream(draw, 0);
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[below(stream, i)]);
  return order;
}

Result<std::vector<double>> weightsOf(const View &x, int64_t row, int64_t count) {
  std::vector<double> weights(static_cast<size_t>(count));
  bool known = dispatchFloat(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < count; ++i)
      weights[static_cast<size_t>(i)] = static_cast<Wide<T>>(x.as<T>()[row * count + i]);
  });
  if (!known)
    return failure("weights of {} are not supported", nameOf(x.dtype));
  return weights;
}

/// `samples` indices, each with the probability of its weight.
void sampleWithReplacement(const std::vector<double> &weights, RandomStream &stream,
                           std::span<int64_t> samples) {
  std::vector<double> sums(weights.size());
  std::partial_sum(weights.begin(), weights.end(), sums.begin());
  size_t last = weights.size() - 1;
  while (weights[last] == 0)
    --last;
  for (int64_t &sample : samples) {
    auto found = std::upper_bound(sums.begin(), sums.end(), stream.uniform() * sums.back());
    sample = std::min<int64_t>(found - sums.begin(), static_cast<int64_t>(last));
  }
}

/// The order of exponential arrival times is the order of sequential draws without replacement.
void sampleWithoutReplacement(const std::vector<double> &weights, RandomStream &stream,
                              std::span<int64_t> samples) {
  std::vector<std::pair<double, int64_t>> arrivals;
  for (size_t i = 0; i < weights.size(); ++i) {
    double time = -std::log1p(-stream.uniform());
    if (weights[i] > 0)
      arrivals.emplace_back(time / weights[i], static_cast<int64_t>(i));
  }
  std::partial_sort(arrivals.begin(), arrivals.begin() + static_cast<ptrdiff_t>(samples.size()),
                    arrivals.end());
  for (size_t i = 0; i < samples.size(); ++i)
    samples[i] = arrivals[i].second;
}

Result<void> sampleRow(const std::vector<double> &weights, bool replacement, RandomStream stream,
                       std::span<int64_t> samples) {
  size_t above = 0;
  for (double weight : weights) {
    if (!(weight >= 0) || std::isinf(weight))
      return failure("expected weights that are finite and not negative, found {}", weight);
    above += weight > 0 ? 1 : 0;
  }
  if (above == 0)
    return failure("all weights are zero");
  if (!replacement && above < samples.size())
    return failure("{} samples without replacement of {} weights above zero", samples.size(), above);
  (replacement ? sampleWithReplacement : sampleWithoutReplacement)(weights, stream, samples);
  return {};
}

Result<void> multinomial(Call &call, int64_t samples, bool replacement, uint64_t seed) {
  const View &x = call.input(0);
  if (x.rank() == 0)
    return failure("expected weights of rank 1 or 2, found rank 0");
  if (call.input(1)) {
    Result<std::vector<int64_t>> given = integersOf(call.input(1));
    if (!given)
      return given.diagnostics();
    if (given->size() != 1)
      return failure("expected one number of samples, found {}", given->size());
    samples = given->front();
  }
  if (samples < 1)
    return failure("expected a number of samples above 0, found {}", samples);
  std::vector<int64_t> dims(x.dims.begin(), x.dims.end());
  int64_t categories = dims.back();
  dims.back() = samples;
  Result<View> out = call.output(0, dims);
  if (!out)
    return out.diagnostics();
  RandomCall draw = drawOf(call, seed);
  int64_t rows = categories == 0 ? 0 : x.size() / categories;
  if (rows == 0 && out->size() != 0)
    return failure("there is no weight to draw from");
  for (int64_t row = 0; row < rows; ++row) {
    Result<std::vector<double>> weights = weightsOf(x, row, categories);
    if (!weights)
      return weights.diagnostics();
    std::span<int64_t> target(out->as<int64_t>() + row * samples, static_cast<size_t>(samples));
    if (Result<void> done =
            sampleRow(*weights, replacement, RandomStream(draw, static_cast<uint64_t>(row)), target);
        !done)
      return done;
  }
  return {};
}

Result<void> samplingId(Call &call, double min, double max, uint64_t seed) {
  const View &x = call.input(0);
  if (x.rank() != 2 || x.dims[1] == 0)
    return failure("expected rows of weights");
  int64_t rows = x.dims[0], categories = x.dims[1];
  Result<View> out = call.output(0, std::span(&rows, 1));
  if (!out)
    return out.diagnostics();
  RandomCall draw = drawOf(call, seed);
  for (int64_t row = 0; row < rows; ++row) {
    Result<std::vector<double>> weights = weightsOf(x, row, categories);
    if (!weights)
      return weights.diagnostics();
    double position = min + (max - min) * RandomStream(draw, static_cast<uint64_t>(row)).uniform(), sum = 0;
    int64_t found = categories - 1;
    for (int64_t i = 0; i < categories; ++i)
      if (sum += (*weights)[static_cast<size_t>(i)]; sum > position) {
        found = i;
        break;
      }
    out->as<int64_t>()[row] = found;
  }
  return {};
}

Result<void> randperm(Call &call, int64_t n, uint64_t seed) {
  Result<View> out = call.output(0, std::span(&n, 1));
  if (!out)
    return out.diagnostics();
  std::vector<int64_t> order = permutation(drawOf(call, seed), n);
  bool known = dispatchReal(out->dtype, [&](auto zero) {
    using T = decltype(zero);
    for (size_t i = 0; i < order.size(); ++i)
      out->template as<T>()[i] = static_cast<T>(static_cast<Wide<T>>(order[i]));
  });
  return known ? Result<void>() : failure("a permutation of {} is not supported", nameOf(out->dtype));
}

Result<void> shuffleBatch(Call &call, int64_t startupSeed) {
  const View &x = call.input(0);
  Result<std::vector<int64_t>> seeds = integersOf(call.input(1));
  if (!seeds)
    return seeds.diagnostics();
  int64_t width = x.rank() == 0 ? 1 : x.dims.back();
  int64_t rows = 1;
  for (size_t i = 0; i + 1 < x.rank(); ++i)
    rows *= x.dims[i];
  int64_t seed = seeds->empty() || seeds->front() == 0 ? startupSeed : seeds->front();
  RandomCall draw = drawOf(call, static_cast<uint64_t>(seed));
  std::vector<int64_t> order = permutation(draw, rows);
  if (call.hasOutput(0)) {
    Result<View> out = call.output(0, x.dims);
    if (!out)
      return out.diagnostics();
    size_t bytes = static_cast<size_t>(width) * sizeOf(x.dtype);
    for (size_t i = 0; i < order.size() && bytes > 0; ++i)
      std::memcpy(out->as<std::byte>() + i * bytes, x.as<std::byte>() + static_cast<size_t>(order[i]) * bytes,
                  bytes);
  }
  if (call.hasOutput(1)) {
    Result<View> indices = call.output(1, std::span(&rows, 1));
    if (!indices)
      return indices.diagnostics();
    std::copy(order.begin(), order.end(), indices->as<int64_t>());
  }
  if (call.hasOutput(2)) {
    int64_t one = 1;
    Result<View> next = call.output(2, std::span(&one, 1));
    if (!next)
      return next.diagnostics();
    RandomStream stream(draw, 1);
    next->as<int64_t>()[0] = static_cast<int64_t>(stream() >> 1 | 1);
  }
  return {};
}

/// The classes of `labels`, filled up to `samples` with random others, in order.
std::vector<int64_t> sampleClasses(const std::vector<int64_t> &labels, int64_t classes, int64_t samples,
                                   const RandomCall &draw) {
  std::vector<bool> chosen(static_cast<size_t>(classes), false);
  int64_t count = 0;
  for (int64_t label : labels)
    if (!chosen[static_cast<size_t>(label)]) {
      chosen[static_cast<size_t>(label)] = true;
      ++count;
    }
  for (int64_t other : permutation(draw, classes)) {
    if (count >= samples)
      break;
    if (!chosen[static_cast<size_t>(other)]) {
      chosen[static_cast<size_t>(other)] = true;
      ++count;
    }
  }
  std::vector<int64_t> out;
  for (int64_t i = 0; i < classes; ++i)
    if (chosen[static_cast<size_t>(i)])
      out.push_back(i);
  return out;
}

Result<void> storeIntegers(Call &call, size_t output, std::span<const int64_t> dims,
                           const std::vector<int64_t> &values) {
  if (!call.hasOutput(output))
    return {};
  Result<View> out = call.output(output, dims);
  if (!out)
    return out.diagnostics();
  bool known = dispatchIndex(out->dtype, [&](auto zero) {
    using T = decltype(zero);
    std::transform(values.begin(), values.end(), out->template as<T>(),
                   [](int64_t value) { return static_cast<T>(value); });
  });
  return known ? Result<void>() : failure("expected int32 or int64, found {}", nameOf(out->dtype));
}

Result<void> classCenterSample(Call &call, int64_t classes, int64_t samples, uint64_t seed) {
  const View &label = call.input(0);
  Result<std::vector<int64_t>> labels = integersOf(label);
  if (!labels)
    return labels.diagnostics();
  for (int64_t value : *labels)
    if (value < 0 || value >= classes)
      return failure("expected labels in [0, {}), found {}", classes, value);
  std::vector<int64_t> chosen = sampleClasses(*labels, classes, samples, drawOf(call, seed));
  for (int64_t &value : *labels)
    value = std::lower_bound(chosen.begin(), chosen.end(), value) - chosen.begin();
  if (Result<void> done = storeIntegers(call, 0, label.dims, *labels); !done)
    return done;
  auto count = static_cast<int64_t>(chosen.size());
  return storeIntegers(call, 1, std::span(&count, 1), chosen);
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeSkipRandom(const SkipRandomAttributes &op,
                                                      const KernelRequest &request) {
  Checks checks(request);
  checks.expectOperands(0, 0);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([count = static_cast<uint64_t>(op.count)](Call &call) -> Result<void> {
    call.random().skip(count);
    return {};
  });
}

Result<std::unique_ptr<LibraryKernel>> makeMultinomial(const MultinomialAttributes &op,
                                                       const KernelRequest &request) {
  Checks checks(request);
  int64_t samples = op.numSamples;
  bool replacement = op.replacement;
  auto seed = static_cast<uint64_t>(op.seed);
  checks.expectOperands(1, 1);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([=](Call &call) { return multinomial(call, samples, replacement, seed); });
}

Result<std::unique_ptr<LibraryKernel>> makeSamplingId(const SamplingIdAttributes &op,
                                                      const KernelRequest &request) {
  Checks checks(request);
  double min = op.min, max = op.max;
  auto seed = static_cast<uint64_t>(op.seed);
  checks.expectOperands(1, 1);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([=](Call &call) { return samplingId(call, min, max, seed); });
}

Result<std::unique_ptr<LibraryKernel>> makeRandperm(const RandpermAttributes &op,
                                                    const KernelRequest &request) {
  Checks checks(request);
  int64_t n = op.n;
  auto seed = static_cast<uint64_t>(op.seed);
  checks.expectOperands(0, 1);
  checks.expect(n >= 0, fmt::format("n is {}, expected a number from 0 on", n));
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([=](Call &call) { return randperm(call, n, seed); });
}

Result<std::unique_ptr<LibraryKernel>> makeShuffleBatch(const ShuffleBatchAttributes &op,
                                                        const KernelRequest &request) {
  Checks checks(request);
  int64_t startupSeed = op.startupSeed;
  checks.expectOperands(2, 0);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([=](Call &call) { return shuffleBatch(call, startupSeed); });
}

Result<std::unique_ptr<LibraryKernel>> makeClassCenterSample(const ClassCenterSampleAttributes &op,
                                                             const KernelRequest &request) {
  Checks checks(request);
  int64_t classes = op.numClasses, samples = op.numSamples;
  auto seed = static_cast<uint64_t>(op.fixSeed ? op.seed : 0);
  checks.expectOperands(1, 0);
  checks.expect(classes > 0, "expected num_classes above 0");
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([=](Call &call) { return classCenterSample(call, classes, samples, seed); });
}

} // namespace proa::runtime
