/// The library kernel "auc" (predict, label, stat_pos, stat_neg, ins_tag_weight; num_thresholds, slide_steps;
/// results: auc, stat_pos_out, stat_neg_out). dialects/pd/ops/search/Metrics.td says what it computes.
#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/common/Convert.h"

#include "dialects/pd/ops/search/Metrics.kernels.inc"

#include <algorithm>
#include <cmath>

namespace proa::runtime {
namespace {

struct AucShape {
  int64_t thresholds, steps;
  int64_t buckets() const { return thresholds + 1; }
  int64_t counts() const { return (1 + steps) * buckets() + (steps > 0 ? 1 : 0); }
};

/// Adds one for each sample to the bucket of its probability.
template <class T>
Result<void> countSamples(const View &predict, const std::vector<int64_t> &labels, const AucShape &shape,
                          int64_t *positive, int64_t *negative) {
  int64_t width = predict.dims[1];
  for (int64_t row = 0; row < predict.dims[0]; ++row) {
    auto probability = static_cast<float>(predict.as<T>()[row * width + width - 1]);
    if (!(probability >= 0 && probability <= 1))
      return failure("a prediction is {}, expected a number from 0 to 1", probability);
    auto bucket = static_cast<int64_t>(probability * static_cast<float>(shape.thresholds));
    int64_t label = labels[static_cast<size_t>(row)];
    if (label > 0)
      ++positive[bucket];
    else if (label == 0)
      ++negative[bucket];
  }
  return {};
}

double areaOf(const int64_t *positive, const int64_t *negative, int64_t buckets) {
  double area = 0, positives = 0, negatives = 0;
  for (int64_t bucket = buckets; bucket-- > 0;) {
    double before = positives;
    positives += static_cast<double>(positive[bucket]);
    negatives += static_cast<double>(negative[bucket]);
    area += std::abs(static_cast<double>(negative[bucket])) * (positives + before) / 2;
  }
  return positives > 0 && negatives > 0 ? area / positives / negatives : area;
}

/// Takes the counts of the oldest call out of the sums and makes room for the counts of this one.
int64_t openStep(const AucShape &shape, std::vector<int64_t> &positive, std::vector<int64_t> &negative) {
  int64_t calls = positive.back(), begin = (calls % shape.steps) * shape.buckets(),
          sums = shape.steps * shape.buckets();
  for (auto *counts : {&positive, &negative})
    for (int64_t i = 0; i < shape.buckets(); ++i) {
      (*counts)[static_cast<size_t>(sums + i)] -= (*counts)[static_cast<size_t>(begin + i)];
      (*counts)[static_cast<size_t>(begin + i)] = 0;
    }
  return begin;
}

Result<void> auc(Call &call, const AucShape &shape) {
  const View &predict = call.input(0), &weight = call.input(4);
  Result<std::vector<int64_t>> labels = integersOf(call.input(1)), positive = integersOf(call.input(2)),
                               negative = integersOf(call.input(3));
  for (const auto *list : {&labels, &positive, &negative})
    if (!*list)
      return list->diagnostics();
  if (static_cast<int64_t>(positive->size()) < shape.counts() ||
      static_cast<int64_t>(negative->size()) < shape.counts())
    return failure("stat_pos and stat_neg hold {} and {} counts, expected {}", positive->size(),
                   negative->size(), shape.counts());
  if (predict.dims[1] < 1 || static_cast<int64_t>(labels->size()) != predict.dims[0])
    return failure("there are {} labels for {} predictions", labels->size(), predict.dims[0]);
  positive->resize(static_cast<size_t>(shape.counts()));
  negative->resize(static_cast<size_t>(shape.counts()));
  bool isReal = !weight || weight.size() == 0 || weight.as<float>()[0] != 0;
  double area = 0;
  if (isReal || shape.steps > 0) {
    if (shape.steps > 0 && positive->back() < 0)
      return failure("stat_pos counts {} calls", positive->back());
    int64_t begin = shape.steps > 0 ? openStep(shape, *positive, *negative) : 0,
            sums = shape.steps * shape.buckets();
    Result<void> counted;
    dispatchFloat(predict.dtype, [&](auto zero) {
      counted = countSamples<decltype(zero)>(predict, *labels, shape, positive->data() + begin,
                                             negative->data() + begin);
    });
    if (!counted)
      return counted;
    for (auto *counts : {&*positive, &*negative})
      for (int64_t i = 0; shape.steps > 0 && isReal && i < shape.buckets(); ++i)
        (*counts)[static_cast<size_t>(sums + i)] += (*counts)[static_cast<size_t>(begin + i)];
    area = areaOf(positive->data() + sums, negative->data() + sums, shape.buckets());
    if (shape.steps > 0) {
      ++positive->back();
      ++negative->back();
    }
  }
  if (call.hasOutput(0)) {
    Result<View> out = call.output(0, {});
    if (!out)
      return out.diagnostics();
    out->as<double>()[0] = area;
  }
  std::vector<int64_t> dims{1, shape.buckets()};
  if (shape.steps > 0)
    dims = {shape.counts()};
  for (auto [position, counts] : {std::pair(1, &*positive), std::pair(2, &*negative)}) {
    if (!call.hasOutput(static_cast<size_t>(position)))
      continue;
    Result<View> out = call.output(static_cast<size_t>(position), dims);
    if (!out)
      return out.diagnostics();
    std::copy(counts->begin(), counts->end(), out->as<int64_t>());
  }
  return {};
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeAuc(const AucAttributes &op, const KernelRequest &request) {
  Checks checks(request);
  AucShape shape{op.numThresholds, op.slideSteps};
  checks.expectOperands(4, 0);
  checks.expectDType(4, {DType::Float32});
  checks.expect(shape.thresholds > 0 && shape.steps >= 0,
                "num_thresholds must be positive and slide_steps not negative");
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([shape](Call &call) { return auc(call, shape); });
}

} // namespace proa::runtime
