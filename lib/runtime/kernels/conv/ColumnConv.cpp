#include "lib/runtime/kernels/conv/ColumnConv.h"

#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/common/OneDnn.h"
#include "lib/runtime/kernels/common/Vectors.h"

#include <algorithm>
#include <memory>

namespace proa::runtime {
namespace {

/// One row of the image out of the columns of its taps, `step` elements apart.
struct TapRow {
  const float *columns;
  int64_t step, width;
  float *out;
};

template <int64_t Taps> PROA_VECTOR_INLINE void interleaveTaps(const TapRow &row) {
  const float *columns = row.columns;
  float *out = row.out;
  int64_t step = row.step;
  for (int64_t w = 0; w < row.width; ++w)
    for (int64_t tap = 0; tap < Taps; ++tap)
      out[w * Taps + tap] = columns[tap * step + w];
}

void interleaveAny(const TapRow &row, int64_t taps) {
  for (int64_t w = 0; w < row.width; ++w)
    for (int64_t tap = 0; tap < taps; ++tap)
      row.out[w * taps + tap] = row.columns[tap * row.step + w];
}

void interleaveRow(const TapRow &row, int64_t taps) {
  switch (taps) {
  case 2:
    return runVectors<interleaveTaps<2>>(row);
  case 4:
    return runVectors<interleaveTaps<4>>(row);
  default:
    interleaveAny(row, taps);
  }
}

/// The sizes of the GEMMs: blocks of channels of the result and of rows of the input, whose columns stay in
/// the second-level cache.
struct Blocks {
  static constexpr int64_t rowsOfGemm = 256, columnElements = 96 << 10;
  int64_t taps, channels, rows;

  explicit Blocks(const ConvGeometry &g) : taps(g.kernel[0] * g.kernel[1]) {
    channels = std::clamp<int64_t>(rowsOfGemm / taps, 1, g.outputChannels() / g.groups);
    rows = std::clamp<int64_t>(columnElements / (channels * taps * g.input.dims[3]), 1, g.input.dims[2]);
  }
};

/// The channels [first, first + count) of one group of one image.
struct ColumnTask {
  const ConvGeometry &g;
  const Blocks &blocks;
  int64_t image, group, first, count;

  void run(const float *input, const float *filter, float *columns, float *output) const {
    int64_t inputs = g.inputChannels() / g.groups, outputs = g.outputChannels() / g.groups;
    int64_t width = g.input.dims[3], plane = g.input.dims[2] * width, taps = blocks.taps;
    const float *x = input + image * g.input.strides[0] + group * inputs * plane;
    const float *matrix = filter + (group * inputs * outputs + first) * taps; // its transpose
    for (int64_t row = 0; row < g.input.dims[2]; row += blocks.rows) {
      int64_t rows = std::min(blocks.rows, g.input.dims[2] - row), size = rows * width;
      dnnl::sgemm('T', 'N', count * taps, size, inputs, 1.0f, matrix, outputs * taps, x + row * width, plane,
                  0.0f, columns, size);
      for (int64_t channel = 0; channel < count; ++channel)
        store(columns + channel * taps * size, row, rows, channel, output);
    }
  }

private:
  void store(const float *columns, int64_t row, int64_t rows, int64_t channel, float *output) const {
    int64_t width = g.input.dims[3], size = rows * width, outWidth = g.output.dims[3];
    int64_t at = group * (g.outputChannels() / g.groups) + first + channel;
    float *plane = output + image * g.output.strides[0] + at * g.output.strides[1];
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t tap = 0; tap < g.kernel[0]; ++tap)
        interleaveRow({columns + tap * g.kernel[1] * size + r * width, size, width,
                       plane + ((row + r) * g.kernel[0] + tap) * outWidth},
                      g.kernel[1]);
  }
};

} // namespace

const char *ColumnConv::whyNot(const ConvProblem &problem) {
  const ConvGeometry &g = problem.geometry;
  if (!problem.attributes.transposed)
    return "it is not transposed";
  if (problem.inputs[0].dtype != DType::Float32 || problem.attributes.spatial != 2)
    return "it is not one of images in float32";
  for (size_t i = 0; i < 2; ++i)
    if (g.kernel[i] != g.strides[i] || g.dilations[i] != 1 || g.before[i] != 0 ||
        g.output.dims[2 + i] != g.input.dims[2 + i] * g.strides[i])
      return "its taps overlap, or leave gaps";
  for (const StridedOperand *tensor : {&g.input, &g.output})
    if (tensor->strides != convStrides(tensor->dims, false))
      return "a tensor has channels last";
  return nullptr;
}

double ColumnConv::nanoseconds(const ConvProblem &problem, const CpuFacts &cpu) {
  constexpr double share = 0.9, storedNanoseconds = 0.15;
  return convOperations(problem) / (share * operationsPerNanosecond(cpu)) +
         storedNanoseconds * static_cast<double>(*elementCount(problem.geometry.output.dims));
}

void ColumnConv::run(const ConvGeometry &g, const float *input, const float *filter, float *output) {
  Blocks blocks(g);
  int64_t outputs = g.outputChannels() / g.groups, chunks = (outputs + blocks.channels - 1) / blocks.channels;
  parallelFor(g.input.dims[0] * g.groups * chunks, 1, [&](int64_t begin, int64_t end) {
    auto columns = std::make_unique_for_overwrite<float[]>(
        static_cast<size_t>(blocks.channels * blocks.taps * blocks.rows * g.input.dims[3]));
    for (int64_t task = begin; task < end; ++task) {
      int64_t first = task % chunks * blocks.channels;
      ColumnTask{g,
                 blocks,
                 task / chunks / g.groups,
                 task / chunks % g.groups,
                 first,
                 std::min(blocks.channels, outputs - first)}
          .run(input, filter, columns.get(), output);
    }
  });
}

} // namespace proa::runtime
