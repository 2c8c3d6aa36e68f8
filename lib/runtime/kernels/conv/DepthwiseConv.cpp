#include "lib/runtime/kernels/conv/DepthwiseConv.h"

#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/common/Vectors.h"

#include <algorithm>

namespace proa::runtime {
namespace {

/// One axis of the convolution.
struct Axis {
  int64_t in, out, kernel, stride, dilation, before;

  Axis(const ConvGeometry &g, size_t i)
      : in(g.input.dims[2 + i]), out(g.output.dims[2 + i]), kernel(g.kernel[i]), stride(g.strides[i]),
        dilation(g.dilations[i]), before(g.before[i]) {}
};

/// The operands of one row of the output.
struct Row {
  Axis height, width;
  int64_t channels, y;
  const float *input, *taps, *bias; ///< the input is the sample's
  float *output;                    ///< the row's
};

constexpr int64_t tile = 8;

/// Computes up to `tile` positions of the row from x on, of which `count` are stored, for 16 channels from
/// `channel` on.
PROA_VECTOR_INLINE void computeTile(const Row &row, int64_t x, int64_t count, int64_t channel) {
  Vector sums[tile], first{};
  if (row.bias)
    load(row.bias + channel, vectorSize, first);
  for (Vector &sum : sums)
    sum = first;
  const Axis &w = row.width;
  int64_t step = w.stride * row.channels;
  for (int64_t i = 0; i < row.height.kernel; ++i) {
    int64_t y = row.y * row.height.stride - row.height.before + i * row.height.dilation;
    if (y < 0 || y >= row.height.in)
      continue;
    for (int64_t j = 0; j < w.kernel; ++j) {
      int64_t left = x * w.stride - w.before + j * w.dilation, right = left + (tile - 1) * w.stride;
      Vector factor, value;
      load(row.taps + (i * w.kernel + j) * row.channels + channel, vectorSize, factor);
      const float *from = row.input + (y * w.in + left) * row.channels + channel;
      if (left >= 0 && right < w.in) {
#pragma GCC unroll 8
        for (int64_t t = 0; t < tile; ++t) {
          load(from + t * step, vectorSize, value);
          sums[t] += value * factor;
        }
        continue;
      }
#pragma GCC unroll 8
      for (int64_t t = 0; t < tile; ++t)
        if (int64_t at = left + t * w.stride; at >= 0 && at < w.in) {
          load(from + t * step, vectorSize, value);
          sums[t] += value * factor;
        }
    }
  }
#pragma GCC unroll 8
  for (int64_t t = 0; t < tile; ++t)
    if (t < count)
      store(sums[t], vectorSize, row.output + (x + t) * row.channels + channel);
}

} // namespace

PROA_VECTOR_CLONES void computeDepthwiseRow(const Row &row);
PROA_VECTOR_CLONES void computeDepthwiseRow(const Row &row) {
  // The last 16 channels may overlap those before; they are computed twice.
  for (int64_t channel = 0; channel < row.channels; channel += vectorSize)
    for (int64_t x = 0; x < row.width.out; x += tile)
      computeTile(row, x, std::min(tile, row.width.out - x), std::min(channel, row.channels - vectorSize));
}

bool DepthwiseConv::supports(const ConvConfig &attributes, const ConvGeometry &geometry,
                             std::span<const OperandType> inputs) {
  int64_t channels = geometry.inputChannels();
  bool isDense = geometry.input.strides == convStrides(geometry.input.dims, true) &&
                 geometry.output.strides == convStrides(geometry.output.dims, true);
  bool isFloat32 = std::ranges::all_of(
      inputs, [](const OperandType &input) { return !input.present || input.dtype == DType::Float32; });
  return isFloat32 && !attributes.transposed && attributes.spatial == 2 && geometry.groups == channels &&
         geometry.outputChannels() == channels && channels >= vectorSize && isDense &&
         std::ranges::any_of(geometry.dilations, [](int64_t dilation) { return dilation > 1; });
}

DepthwiseConv::DepthwiseConv(const ConvConfig &attributes, const ConvGeometry &geometry, const float *filter)
    : geometry(geometry) {
  if (!attributes.postOps.empty() && attributes.postOps[0].kind == PostOp::Kind::Bias)
    biasInput = attributes.postOps[0].input;
  int64_t channels = geometry.inputChannels(), places = geometry.kernel[0] * geometry.kernel[1];
  taps.resize(static_cast<size_t>(places * channels));
  for (int64_t channel = 0; channel < channels; ++channel)
    for (int64_t place = 0; place < places; ++place)
      taps[static_cast<size_t>(place * channels + channel)] = filter[channel * places + place];
}

void DepthwiseConv::run(const float *input, const float *bias, float *output) const {
  Axis height(geometry, 0), width(geometry, 1);
  int64_t channels = geometry.inputChannels(), rows = geometry.input.dims[0] * height.out;
  constexpr double operationsPerNanosecond = 50;
  double rowNanoseconds = 2.0 * static_cast<double>(width.out * channels * height.kernel * width.kernel) /
                          operationsPerNanosecond;
  parallelFor(rows, static_cast<int64_t>(minimalForkNanoseconds / std::max(rowNanoseconds, 1.0)) + 1,
              [&](int64_t begin, int64_t end) {
                for (int64_t row = begin; row < end; ++row)
                  computeDepthwiseRow({height, width, channels, row % height.out,
                                       input + row / height.out * height.in * width.in * channels,
                                       taps.data(), bias, output + row * width.out * channels});
              });
}

} // namespace proa::runtime
