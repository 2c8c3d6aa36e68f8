#include "lib/runtime/kernels/common/Convert.h"
#include "lib/runtime/kernels/conv/Conv.h"
#include "lib/runtime/kernels/linalg/Lapack.h"

#include <algorithm>

namespace proa::runtime {
namespace {

/// The sizes of the matrices that a convolution multiplies, for each group.
struct Sizes {
  int64_t taps, inputs, outputs; ///< channels of one group
  int64_t positions;             ///< of the output

  explicit Sizes(const ConvGeometry &g)
      : taps(*elementCount(g.kernel)), inputs(g.inputChannels() / g.groups),
        outputs(g.outputChannels() / g.groups),
        positions(*elementCount(std::span(g.output.dims).subspan(2))) {}
};

/// How many positions of the output are treated at once, so that what `rows` of them need stays in the cache.
int64_t blockFor(int64_t rows, int64_t positions) {
  constexpr int64_t elements = 1 << 15;
  return std::min(positions, std::clamp<int64_t>(elements / std::max<int64_t>(1, rows), 16, 512));
}

/// A block of the output's positions: which input meets which tap there.
template <class T, class C> class Columns {
public:
  Columns(const ConvGeometry &g, bool transposed)
      : g(g), transposed(transposed), taps(*elementCount(g.kernel)) {}

  int64_t width() const { return static_cast<int64_t>(outputAt.size()); }

  /// Moves to the positions [begin, end).
  void locate(int64_t begin, int64_t end) {
    if (begin == first && end - begin == width())
      return;
    first = begin;
    outputAt.assign(static_cast<size_t>(end - begin), 0);
    inputAt.assign(static_cast<size_t>(taps * width()), 0);
    std::vector<int64_t> position(g.kernel.size());
    for (int64_t i = 0; i < width(); ++i) {
      for (size_t axis = position.size(), rest = static_cast<size_t>(begin + i); axis-- > 0;) {
        auto dim = static_cast<size_t>(g.output.dims[2 + axis]);
        position[axis] = static_cast<int64_t>(rest % dim);
        rest /= dim;
        outputAt[static_cast<size_t>(i)] += position[axis] * g.output.strides[2 + axis];
      }
      for (int64_t tap = 0; tap < taps; ++tap)
        inputAt[static_cast<size_t>(tap * width() + i)] = offsetOf(position, tap);
    }
  }

  /// Row (channel, tap), column position: the input that meets the tap there, or zero.
  void fill(const T *image, int64_t channel, int64_t channels, C *to) const {
    for (int64_t c = channel; c < channel + channels; ++c) {
      const T *from = image + c * g.input.strides[1];
      for (int64_t offset : inputAt)
        *to++ = offset < 0 ? C(0) : static_cast<C>(from[offset]);
    }
  }

  /// Row channel, column position: of a tensor that lies as the output does.
  void gather(const T *image, int64_t channel, int64_t channels, C *to) const {
    for (int64_t c = channel; c < channel + channels; ++c)
      for (int64_t offset : outputAt)
        *to++ = static_cast<C>(image[c * g.output.strides[1] + offset]);
  }
  void scatter(const C *from, T *image, int64_t channel, int64_t channels) const {
    for (int64_t c = channel; c < channel + channels; ++c)
      for (int64_t offset : outputAt)
        image[c * g.output.strides[1] + offset] = static_cast<T>(*from++);
  }

private:
  int64_t offsetOf(std::span<const int64_t> position, int64_t tap) const {
    int64_t offset = 0;
    for (size_t axis = position.size(); axis-- > 0; tap /= g.kernel[axis]) {
      int64_t in = along(axis, position[axis], tap % g.kernel[axis]);
      if (in < 0)
        return -1;
      offset += in * g.input.strides[2 + axis];
    }
    return offset;
  }

  /// The input's position that meets a tap, or -1.
  int64_t along(size_t axis, int64_t at, int64_t tap) const {
    int64_t in = 0;
    if (transposed) {
      int64_t reached = at + g.before[axis] - tap * g.dilations[axis];
      if (reached % g.strides[axis] != 0)
        return -1;
      in = reached / g.strides[axis];
    } else {
      in = at * g.strides[axis] - g.before[axis] + tap * g.dilations[axis];
    }
    return in >= 0 && in < g.input.dims[2 + axis] ? in : -1;
  }

  const ConvGeometry &g;
  bool transposed;
  int64_t taps, first = -1;
  std::vector<int64_t> outputAt, inputAt;
};

/// out = alpha x y + beta out of row-major matrices, y transposed or not.
template <class C>
void multiply(const C *x, const C *y, bool transposeY, C *out, int64_t rows, int64_t inner, int64_t columns,
              C beta) {
  Lapack<C>::gemm(CblasRowMajor, CblasNoTrans, transposeY ? CblasTrans : CblasNoTrans, blasSize(rows),
                  blasSize(columns), blasSize(inner), C(1), x, leading(inner), y,
                  leading(transposeY ? inner : columns), beta, out, leading(columns));
}

/// The filter as matrices [outputs, inputs * taps], one a group.
template <class T, class C>
std::vector<C> filterMatrices(const ConvGeometry &g, const Sizes &e, bool transposed, const T *filter) {
  std::vector<C> out;
  out.reserve(static_cast<size_t>(g.groups * e.outputs * e.inputs * e.taps));
  for (int64_t group = 0; group < g.groups; ++group)
    for (int64_t output = 0; output < e.outputs; ++output)
      for (int64_t input = 0; input < e.inputs; ++input) {
        int64_t row = transposed ? (group * e.inputs + input) * e.outputs + output
                                 : (group * e.outputs + output) * e.inputs + input;
        std::transform(filter + row * e.taps, filter + (row + 1) * e.taps, std::back_inserter(out),
                       [](T value) { return static_cast<C>(value); });
      }
  return out;
}

template <class T, class C>
void convolve(const ConvGeometry &g, bool transposed, const T *input, const T *filter, T *output) {
  Sizes e(g);
  int64_t inner = e.inputs * e.taps, images = g.output.dims[0];
  if (e.positions == 0)
    return;
  std::vector<C> weights = filterMatrices<T, C>(g, e, transposed, filter);
  int64_t block = blockFor(inner, e.positions), blocks = (e.positions + block - 1) / block;
  parallelFor(blocks * images * g.groups, 1, [&](int64_t begin, int64_t end) {
    Columns<T, C> columns(g, transposed);
    std::vector<C> windows(static_cast<size_t>(inner * block)),
        results(static_cast<size_t>(e.outputs * block));
    for (int64_t task = begin; task < end; ++task) {
      int64_t group = task % g.groups, image = task / g.groups % images,
              at = task / g.groups / images * block;
      columns.locate(at, std::min(at + block, e.positions));
      columns.fill(input + image * g.input.strides[0], group * e.inputs, e.inputs, windows.data());
      multiply<C>(weights.data() + group * e.outputs * inner, windows.data(), false, results.data(),
                  e.outputs, inner, columns.width(), 0);
      columns.scatter(results.data(), output + image * g.output.strides[0], group * e.outputs, e.outputs);
    }
  });
}

/// The gradient by the filter's slices of input channels [begin, end) of one group.
template <class T, class C>
void differentiate(const ConvGeometry &g, const Sizes &e, int64_t group, int64_t begin, int64_t end,
                   const T *input, const T *outGradient, T *filterGradient) {
  int64_t rows = (end - begin) * e.taps, block = blockFor(rows, e.positions);
  std::vector<C> windows(static_cast<size_t>(rows * block)),
      gradients(static_cast<size_t>(e.outputs * block)), sums(static_cast<size_t>(e.outputs * rows));
  Columns<T, C> columns(g, /*transposed=*/false);
  for (int64_t at = 0; at < e.positions; at += block)
    for (int64_t image = 0; image < g.output.dims[0]; ++image) {
      columns.locate(at, std::min(at + block, e.positions));
      columns.fill(input + image * g.input.strides[0], group * e.inputs + begin, end - begin, windows.data());
      columns.gather(outGradient + image * g.output.strides[0], group * e.outputs, e.outputs,
                     gradients.data());
      multiply<C>(gradients.data(), windows.data(), true, sums.data(), e.outputs, columns.width(), rows, 1);
    }
  for (int64_t output = 0; output < e.outputs; ++output)
    std::transform(sums.begin() + output * rows, sums.begin() + (output + 1) * rows,
                   filterGradient + ((group * e.outputs + output) * e.inputs + begin) * e.taps,
                   [](C value) { return static_cast<T>(value); });
}

} // namespace

Result<void> blasWeightGradient(DType dtype, const ConvGeometry &g, const void *input,
                                const void *outGradient, void *filterGradient) {
  useOneBlasThread();
  bool known = dispatchFloat(dtype, [&](auto zero) {
    using T = decltype(zero);
    Sizes e(g);
    parallelFor(g.inputChannels(), 1, [&](int64_t begin, int64_t end) {
      while (begin < end) {
        int64_t group = begin / e.inputs, first = begin % e.inputs,
                last = std::min(e.inputs, first + end - begin);
        differentiate<T, Wide<T>>(g, e, group, first, last, static_cast<const T *>(input),
                                  static_cast<const T *>(outGradient), static_cast<T *>(filterGradient));
        begin += last - first;
      }
    });
  });
  return known ? Result<void>() : failure("a convolution of {} is not supported", nameOf(dtype));
}

Result<void> blasConv(DType dtype, const ConvGeometry &g, bool transposed, const void *input,
                      const void *filter, void *output) {
  useOneBlasThread();
  bool known = dispatchFloat(dtype, [&](auto zero) {
    using T = decltype(zero);
    convolve<T, Wide<T>>(g, transposed, static_cast<const T *>(input), static_cast<const T *>(filter),
                         static_cast<T *>(output));
  });
  return known ? Result<void>() : failure("a convolution of {} is not supported", nameOf(dtype));
}

} // namespace proa::runtime
