#include "lib/runtime/kernels/conv/GroupedConv.h"

#include "lib/runtime/host/ForkCost.h"
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

} // namespace

/// The operands of one row of the output.
struct GroupedRow {
  Axis height, width;
  int64_t channels, groupChannels, y;
  const float *input, *taps; ///< the input is the sample's
  float *output;             ///< the row's
};

namespace {

/// The taps of one column of the window that are inside of the image's rows, for 16 channels.
struct Column {
  const float *input, *taps; ///< of the first position and tap
  int64_t rows, inputStep, tapStep, positionStep, channels;
};

/// Adds `x`, with input channel J of each group in the places of all channels of the group, times weights
/// [J], and so on for the channels after J.
template <int Group, int J>
PROA_VECTOR_INLINE void addChannels(const Vector &x, const Vector *weights, Vector &sum) {
  if constexpr (Group == 1) {
    sum += x * weights[0];
  } else if constexpr (J < Group) {
#define PROA_PLACE(i) (i) / Group *Group + J
    Vector spread = __builtin_shufflevector(x, x, PROA_PLACE(0), PROA_PLACE(1), PROA_PLACE(2), PROA_PLACE(3),
                                            PROA_PLACE(4), PROA_PLACE(5), PROA_PLACE(6), PROA_PLACE(7),
                                            PROA_PLACE(8), PROA_PLACE(9), PROA_PLACE(10), PROA_PLACE(11),
                                            PROA_PLACE(12), PROA_PLACE(13), PROA_PLACE(14), PROA_PLACE(15));
#undef PROA_PLACE
    sum += spread * weights[J];
    addChannels<Group, J + 1>(x, weights, sum);
  }
}

/// Adds a column to the sums of `Tile` positions; positions [first, last) meet the image there.
template <int Group, int Tile, bool All>
PROA_VECTOR_INLINE void addColumn(const Column &column, int64_t first, int64_t last, Vector (&sums)[Tile]) {
  const float *from = column.input, *taps = column.taps;
  for (int64_t i = 0; i < column.rows; ++i, from += column.inputStep, taps += column.tapStep) {
    Vector weights[Group];
    for (int j = 0; j < Group; ++j)
      std::memcpy(&weights[j], taps + j * column.channels, sizeof(Vector));
#pragma GCC unroll 8
    for (int64_t t = 0; t < Tile; ++t)
      if (All || (t >= first && t < last)) {
        Vector x;
        std::memcpy(&x, from + t * column.positionStep, sizeof(Vector));
        addChannels<Group, 0>(x, weights, sums[t]);
      }
  }
}

/// Computes the positions [x, x + count) of the row for 16 channels from `channel` on.
template <int Group, int Tile>
PROA_VECTOR_INLINE void computeTile(const GroupedRow &row, int64_t x, int64_t count, int64_t channel) {
  const Axis &w = row.width, &h = row.height;
  int64_t top = row.y * h.stride - h.before;
  int64_t first = top >= 0 ? 0 : (h.dilation - 1 - top) / h.dilation;
  int64_t end = std::min(h.kernel, (h.in - top + h.dilation - 1) / h.dilation);
  top += first * h.dilation;
  int64_t left = x * w.stride - w.before;
  Column column{row.input + (top * w.in + left) * row.channels + channel,
                row.taps + first * w.kernel * Group * row.channels + channel,
                std::max<int64_t>(end - first, 0),
                h.dilation * w.in * row.channels,
                w.kernel * Group * row.channels,
                w.stride * row.channels,
                row.channels};
  Vector sums[Tile] = {};
  for (int64_t j = 0; j < w.kernel; ++j, left += w.dilation) {
    int64_t right = left + (Tile - 1) * w.stride;
    if (left >= 0 && right < w.in) {
      addColumn<Group, Tile, true>(column, 0, Tile, sums);
    } else if (right >= 0 && left < w.in) {
      int64_t inside = left >= 0 ? 0 : (w.stride - 1 - left) / w.stride;
      addColumn<Group, Tile, false>(column, inside, (w.in - left + w.stride - 1) / w.stride, sums);
    }
    column.input += w.dilation * row.channels;
    column.taps += Group * row.channels;
  }
#pragma GCC unroll 8
  for (int64_t t = 0; t < Tile; ++t)
    if (t < count)
      std::memcpy(row.output + (x + t) * row.channels + channel, &sums[t], sizeof(Vector));
}

/// The last 16 channels may overlap those before, and the last tile the one before it; the sums of both are
/// computed twice.
template <int Group, int Tile> PROA_VECTOR_INLINE void computeTiles(const GroupedRow &row) {
  int64_t out = row.width.out, count = std::min<int64_t>(Tile, out);
  for (int64_t channel = 0; channel < row.channels; channel += vectorSize)
    for (int64_t x = 0; x < out; x += Tile)
      computeTile<Group, Tile>(row, std::min(x, out - count), count,
                               std::min(channel, row.channels - vectorSize));
}

bool hasForm(const ConvProblem &problem) {
  const ConvGeometry &g = problem.geometry;
  int64_t channels = g.inputChannels(), ofGroup = channels / g.groups;
  bool isPower = ofGroup == 1 || ofGroup == 2 || ofGroup == 4 || ofGroup == 8;
  return !whyNotPlanar(problem) && isPower && g.groups > 1 && g.outputChannels() == channels &&
         channels >= vectorSize && isDense(g.input, true) && isDense(g.output, true);
}

} // namespace

PROA_VECTOR_INLINE static void computeGroupedRow(const GroupedRow &row, bool wide) {
  // As many sums as registers hold beside the weights. Widths are often multiples of 7.
  switch (row.groupChannels) {
  case 1:
    return computeTiles<1, 7>(row);
  case 2:
    return wide ? computeTiles<2, 7>(row) : computeTiles<2, 4>(row);
  case 4:
    return wide ? computeTiles<4, 7>(row) : computeTiles<4, 4>(row);
  default:
    return wide ? computeTiles<8, 7>(row) : computeTiles<8, 4>(row);
  }
}

const char *GroupedConv::whyNot(const ConvProblem &problem) {
  return hasForm(problem)
             ? nullptr
             : "not groups of 1, 2, 4 or 8 channels to as many, 16 or more channels, last, in float32";
}

std::unique_ptr<GroupedConv> GroupedConv::create(const ConvProblem &problem, const float *filter) {
  const auto &[attributes, geometry, inputs, isConstant] = problem;
  std::unique_ptr<GroupedConv> conv(new GroupedConv(geometry));
  for (size_t count : {leadingWithoutTensors(attributes.postOps), size_t(0)}) {
    std::span<const PostOp> ops = std::span(attributes.postOps).first(count);
    if (auto postOps = RowPostOps::create(ops, geometry.output, geometry.operands, inputs)) {
      conv->postOps = std::move(*postOps);
      conv->fused = count;
      break;
    }
  }
  conv->pack(filter);
  return conv;
}

void GroupedConv::pack(const float *filter) {
  int64_t channels = geometry.outputChannels(), ofGroup = groupChannels(),
          positions = geometry.kernel[0] * geometry.kernel[1];
  taps.resize(static_cast<size_t>(positions * ofGroup * channels));
  for (int64_t channel = 0; channel < channels; ++channel)
    for (int64_t input = 0; input < ofGroup; ++input)
      for (int64_t position = 0; position < positions; ++position)
        taps[static_cast<size_t>((position * ofGroup + input) * channels + channel)] =
            filter[(channel * ofGroup + input) * positions + position];
}

void GroupedConv::run(Call &call, float *output) const {
  static const bool wide = hasWideVectors();
  constexpr double operationsPerNanosecond = 50;
  Axis height(geometry, 0), width(geometry, 1);
  const auto *input = call.input(0).as<float>();
  std::vector<const float *> operands = postOps.operands(call);
  int64_t channels = geometry.inputChannels(), rows = geometry.input.dims[0] * height.out;
  double operations =
      2.0 * static_cast<double>(width.out * channels * groupChannels() * height.kernel * width.kernel);
  parallelFor(rows, grainFor(operations / operationsPerNanosecond), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      int64_t offset = row * width.out * channels;
      runVectors<computeGroupedRow>(GroupedRow{height, width, channels, groupChannels(), row % height.out,
                                               input + row / height.out * height.in * width.in * channels,
                                               taps.data(), output + offset},
                                    wide);
      if (!postOps.empty())
        postOps.apply(output + offset, width.out, offset, operands);
    }
  });
}

} // namespace proa::runtime
