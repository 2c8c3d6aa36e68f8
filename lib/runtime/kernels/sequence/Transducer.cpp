/// The library kernel "warprnnt" (input, label, input_lengths, label_lengths; blank, fastemit_lambda;
/// results: loss, warprnntgrad). dialects/pd/ops/loss/TransducerLoss.td says what it computes.
#include "lib/runtime/kernels/sequence/Sequences.h"

#include "dialects/pd/ops/loss/TransducerLoss.kernels.inc"

#include <algorithm>
#include <cmath>
#include <limits>

namespace proa::runtime {
namespace {

/// The lattice of one sample: places (t, u) after t steps and u labels.
template <class T> class Lattice {
public:
  /// `input`: the sample's logarithms of probabilities, `width` places a step.
  Lattice(const T *input, int64_t width, int64_t classes, int64_t time, std::span<const int64_t> labels,
          int64_t blank)
      : input(input), width(width), classes(classes), time(time), count(static_cast<int64_t>(labels.size())),
        labels(labels), blank(blank) {
    forward();
    backward();
  }

  T loss() const { return -beta[0]; }

  void addGradient(T *gradient, T emission) const {
    for (int64_t t = 0; t < time; ++t)
      for (int64_t u = 0; u <= count; ++u) {
        T before = alpha[at(t, u)] - beta[0];
        bool isLast = t == time - 1 && u == count;
        if (t < time - 1 || isLast)
          gradient[position(t, u, blank)] -=
              std::exp(before + step(t, u) + (isLast ? T(0) : beta[at(t + 1, u)]));
        if (u < count)
          gradient[position(t, u, labels[static_cast<size_t>(u)])] -=
              emission * std::exp(before + label(t, u) + beta[at(t, u + 1)]);
      }
  }

private:
  size_t at(int64_t t, int64_t u) const { return static_cast<size_t>(t * (count + 1) + u); }
  int64_t position(int64_t t, int64_t u, int64_t c) const { return (t * width + u) * classes + c; }
  T step(int64_t t, int64_t u) const { return input[position(t, u, blank)]; }
  T label(int64_t t, int64_t u) const { return input[position(t, u, labels[static_cast<size_t>(u)])]; }

  void forward() {
    alpha.assign(at(time, 0), -std::numeric_limits<T>::infinity());
    alpha[0] = 0;
    for (int64_t t = 0; t < time; ++t)
      for (int64_t u = 0; u <= count; ++u) {
        if (t > 0)
          alpha[at(t, u)] = alpha[at(t - 1, u)] + step(t - 1, u);
        if (u > 0)
          alpha[at(t, u)] = logAdd(alpha[at(t, u)], alpha[at(t, u - 1)] + label(t, u - 1));
      }
  }

  void backward() {
    beta.assign(at(time, 0), -std::numeric_limits<T>::infinity());
    beta[at(time - 1, count)] = step(time - 1, count);
    for (int64_t t = time; t-- > 0;)
      for (int64_t u = count; u >= 0; --u) {
        if (t < time - 1)
          beta[at(t, u)] = beta[at(t + 1, u)] + step(t, u);
        if (u < count)
          beta[at(t, u)] = logAdd(beta[at(t, u)], beta[at(t, u + 1)] + label(t, u));
      }
  }

  const T *input;
  int64_t width, classes, time, count;
  std::span<const int64_t> labels;
  int64_t blank;
  std::vector<T> alpha, beta;
};

struct Transducer {
  int64_t blank;
  double emission;
};

template <class T> Result<void> run(Call &call, const Transducer &transducer) {
  const View &input = call.input(0), &label = call.input(1);
  Result<std::vector<int64_t>> labels = integersOf(label), times = integersOf(call.input(2)),
                               counts = integersOf(call.input(3));
  for (const auto *list : {&labels, &times, &counts})
    if (!*list)
      return list->diagnostics();
  int64_t batch = input.dims[0], time = input.dims[1], width = input.dims[2], classes = input.dims[3];
  OutputMemory memory;
  const int64_t lossDims[] = {batch};
  Result<View> loss = memory.get(call, 0, input.dtype, lossDims),
               gradient = memory.get(call, 1, input.dtype, input.dims);
  if (!loss || !gradient)
    return loss ? gradient.diagnostics() : loss.diagnostics();
  std::fill_n(gradient->as<T>(), gradient->size(), T(0));
  for (int64_t i = 0; i < batch; ++i) {
    auto sample = static_cast<size_t>(i);
    if (times->size() <= sample || counts->size() <= sample)
      return failure("there are {} and {} lengths for {} samples", times->size(), counts->size(), batch);
    int64_t length = (*times)[sample], count = (*counts)[sample];
    if (length < 1 || length > time || count < 0 || count >= width || count > label.dims[1])
      return failure("sample {} has lengths {} and {}, expected 1 to {} and 0 to {}", i, length, count, time,
                     std::min(width - 1, label.dims[1]));
    std::span<const int64_t> own(labels->data() + i * label.dims[1], static_cast<size_t>(count));
    for (int64_t index : own)
      if (index < 0 || index >= classes)
        return failure("a label of sample {} is {}, expected 0 to {}", i, index, classes - 1);
    int64_t offset = i * time * width * classes;
    Lattice<T> lattice(input.as<T>() + offset, width, classes, length, own, transducer.blank);
    loss->as<T>()[i] = lattice.loss();
    if (call.hasOutput(1))
      lattice.addGradient(gradient->as<T>() + offset, static_cast<T>(1 + transducer.emission));
  }
  return {};
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeWarprnnt(const WarprnntAttributes &op,
                                                    const KernelRequest &request) {
  Checks checks(request);
  Transducer transducer{op.blank, op.fastemitLambda};
  if (!checks.ok())
    return checks.diagnostics();
  return floatKernel(request, 4,
                     [transducer](Call &call, auto zero) { return run<decltype(zero)>(call, transducer); });
}

} // namespace proa::runtime
