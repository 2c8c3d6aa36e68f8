/// Helpers of the kernels that match boxes with ground truth: overlaps of pixels, box targets, samples.
#pragma once

#include "lib/runtime/kernels/random/Draw.h"
#include "lib/runtime/kernels/sequence/Sequences.h"

#include <cmath>

namespace proa::runtime {

/// Intersection over union of boxes whose corners are pixels and may be fractions: boxes less than a pixel
/// apart have some.
template <class T> T pixelOverlap(const T *a, const T *b) {
  auto area = [](const T *box) { return (box[2] - box[0] + 1) * (box[3] - box[1] + 1); };
  T width = std::max(std::min(a[2], b[2]) - std::max(a[0], b[0]) + 1, T(0)),
    height = std::max(std::min(a[3], b[3]) - std::max(a[1], b[1]) + 1, T(0));
  T common = width * height;
  return common == 0 ? T(0) : common / (area(a) + area(b) - common);
}

/// The distance between the centres of `to` and `from`, in sizes of `from`, and the logarithms of the ratios
/// of sizes, each divided by its weight (null: 1).
template <class T> void boxDelta(const T *from, const T *to, const double *weights, T *delta) {
  for (int64_t axis = 0; axis < 2; ++axis) {
    T size = from[axis + 2] - from[axis] + 1, target = to[axis + 2] - to[axis] + 1;
    T distance = (to[axis] + target / 2) - (from[axis] + size / 2);
    T scale = weights ? static_cast<T>(static_cast<float>(weights[axis])) : T(1),
      logScale = weights ? static_cast<T>(static_cast<float>(weights[axis + 2])) : T(1);
    delta[axis] = distance / size / scale;
    delta[axis + 2] = std::log(target / size) / logScale;
  }
}

/// Keeps `count` elements of a list: the first ones, or, with random numbers, any.
template <class Element>
void keepSample(std::vector<Element> &list, int64_t count, std::optional<RandomStream> &random) {
  auto kept = static_cast<size_t>(std::max<int64_t>(0, count));
  if (list.size() <= kept)
    return;
  for (size_t i = kept; random && i < list.size(); ++i) {
    auto position = static_cast<size_t>((*random)() % (i + 1));
    if (position < kept)
      list[position] = list[i];
  }
  list.resize(kept);
}

/// Writes a list to an output of these dims; nothing where nobody wants it.
template <class To, class From>
Result<void> writeOutput(Call &call, size_t index, std::span<const int64_t> dims,
                         const std::vector<From> &values) {
  if (!call.hasOutput(index))
    return {};
  Result<View> out = call.output(index, dims);
  if (!out)
    return out.diagnostics();
  if (sizeOf(out->dtype) != sizeof(To) || out->size() != static_cast<int64_t>(values.size()))
    return failure("result {} is {}; expected {} elements of {} bytes", index,
                   describe(out->dtype, out->dims), values.size(), sizeof(To));
  std::transform(values.begin(), values.end(), out->as<To>(),
                 [](const From &value) { return static_cast<To>(value); });
  return {};
}

} // namespace proa::runtime
