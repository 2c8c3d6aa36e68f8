/// Convolutions by definition, for the tests of kernels.
#pragma once

#include "test/unit/runtime/KernelHarness.h"

namespace proa::runtime {

using Shape = std::vector<int64_t>;

struct Window {
  int64_t stride[2] = {1, 1}, before[2] = {0, 0}, dilation[2] = {1, 1}, groups = 1;
};

/// The definition, in double, of [N, C, H, W] with [O, C/groups, kh, kw].
inline std::vector<double> convolve(const Tensor &x, const Tensor &w, const Shape &out, const Window &p) {
  const Shape &in = x.dims(), &filter = w.dims();
  std::vector<double> result;
  int64_t perGroup = out[1] / p.groups;
  for (int64_t n = 0; n < out[0]; ++n)
    for (int64_t o = 0; o < out[1]; ++o)
      for (int64_t i = 0; i < out[2]; ++i)
        for (int64_t j = 0; j < out[3]; ++j) {
          double sum = 0;
          for (int64_t c = 0; c < filter[1]; ++c)
            for (int64_t a = 0; a < filter[2]; ++a)
              for (int64_t b = 0; b < filter[3]; ++b) {
                int64_t row = i * p.stride[0] - p.before[0] + a * p.dilation[0];
                int64_t column = j * p.stride[1] - p.before[1] + b * p.dilation[1];
                if (row < 0 || row >= in[2] || column < 0 || column >= in[3])
                  continue;
                int64_t channel = o / perGroup * filter[1] + c;
                sum += double(x.as<float>()[((n * in[1] + channel) * in[2] + row) * in[3] + column]) *
                       double(w.as<float>()[((o * filter[1] + c) * filter[2] + a) * filter[3] + b]);
              }
          result.push_back(sum);
        }
  return result;
}

/// The transposed convolution by scattering, [N, C, H, W] with [C, O/groups, kh, kw].
inline std::vector<double> scatterConvolve(const Tensor &x, const Tensor &w, const Shape &out,
                                           const Window &p) {
  const Shape &in = x.dims(), &filter = w.dims();
  std::vector<double> result(static_cast<size_t>(out[0] * out[1] * out[2] * out[3]), 0.0);
  int64_t inPerGroup = in[1] / p.groups;
  for (int64_t n = 0; n < in[0]; ++n)
    for (int64_t c = 0; c < in[1]; ++c)
      for (int64_t i = 0; i < in[2]; ++i)
        for (int64_t j = 0; j < in[3]; ++j)
          for (int64_t o = 0; o < filter[1]; ++o)
            for (int64_t a = 0; a < filter[2]; ++a)
              for (int64_t b = 0; b < filter[3]; ++b) {
                int64_t row = i * p.stride[0] - p.before[0] + a * p.dilation[0];
                int64_t column = j * p.stride[1] - p.before[1] + b * p.dilation[1];
                if (row < 0 || row >= out[2] || column < 0 || column >= out[3])
                  continue;
                int64_t channel = c / inPerGroup * filter[1] + o;
                result[static_cast<size_t>(((n * out[1] + channel) * out[2] + row) * out[3] + column)] +=
                    double(x.as<float>()[((n * in[1] + c) * in[2] + i) * in[3] + j]) *
                    double(w.as<float>()[((c * filter[1] + o) * filter[2] + a) * filter[3] + b]);
              }
  return result;
}

/// [N, C, H, W] to [N, H, W, C].
template <class T> std::vector<T> channelsLast(const std::vector<T> &values, const Shape &dims) {
  std::vector<T> out;
  for (int64_t n = 0; n < dims[0]; ++n)
    for (int64_t i = 0; i < dims[2] * dims[3]; ++i)
      for (int64_t c = 0; c < dims[1]; ++c)
        out.push_back(values[static_cast<size_t>((n * dims[1] + c) * dims[2] * dims[3] + i)]);
  return out;
}
inline Tensor channelsLast(const Tensor &x) {
  const Shape &d = x.dims();
  return floats({d[0], d[2], d[3], d[1]}, channelsLast(valuesOf<float>(x), d));
}

} // namespace proa::runtime
