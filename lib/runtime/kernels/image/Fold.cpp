/// The library kernel "fold" (x; output_sizes, kernel_sizes, strides, paddings, dilations): columns added to
/// images. Unfold.td of dialects/pd/ops/conv says what it computes.
#include "lib/runtime/host/ForkCost.h"
#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/common/Convert.h"
#include "lib/runtime/kernels/common/Vectors.h"

#include "dialects/pd/ops/conv/Unfold.kernels.inc"

#include <algorithm>

namespace proa::runtime {
namespace {

/// The windows along one dimension of an image.
struct FoldAxis {
  int64_t size = 0, kernel = 0, stride = 0, before = 0, dilation = 0, count = 0;

  /// Where element `k` of window 0 is, perhaps before the image.
  int64_t begin(int64_t k) const { return k * dilation - before; }
  /// The windows whose element `k` is in the image.
  std::pair<int64_t, int64_t> windows(int64_t k) const {
    int64_t first = begin(k) >= 0 ? 0 : (stride - 1 - begin(k)) / stride;
    int64_t last = size - begin(k) <= 0 ? 0 : (size - begin(k) + stride - 1) / stride;
    last = std::min(last, count);
    return {std::min(first, last), last};
  }
};

struct FoldWindows {
  FoldAxis rows, columns;
};

template <int count, class T> PROA_VECTOR_INLINE void addChunk(const T *from, Wide<T> *to) {
  Wide<T> sums[count];
  std::memcpy(sums, to, sizeof(sums));
  for (int k = 0; k < count; ++k)
    sums[k] += static_cast<Wide<T>>(from[k]);
  std::memcpy(to, sums, sizeof(sums));
}

/// to[i * step] += from[i].
template <class T>
PROA_VECTOR_INLINE void addSpread(const T *from, int64_t count, int64_t step, Wide<T> *to) {
  int64_t i = 0;
  if (step == 1) {
    for (; i + 8 <= count; i += 8)
      addChunk<8>(from + i, to + i);
    if (i + 4 <= count) {
      addChunk<4>(from + i, to + i);
      i += 4;
    }
  }
  for (; i < count; ++i)
    to[i * step] += static_cast<Wide<T>>(from[i]);
}

/// Adds the columns of one channel to its image.
template <class T>
PROA_VECTOR_INLINE static void foldPlane(const FoldWindows &windows, const T *x, Wide<T> *image) {
  const FoldAxis &rows = windows.rows, &columns = windows.columns;
  for (int64_t i = 0; i < rows.kernel; ++i)
    for (int64_t j = 0; j < columns.kernel; ++j, x += rows.count * columns.count) {
      auto [top, bottom] = rows.windows(i);
      auto [left, right] = columns.windows(j);
      for (int64_t p = top; p < bottom; ++p)
        addSpread(x + p * columns.count + left, right - left, columns.stride,
                  image + (rows.begin(i) + p * rows.stride) * columns.size + columns.begin(j) +
                      left * columns.stride);
    }
}

template <class T> void foldPlanes(const FoldWindows &windows, const View &x, const View &out) {
  int64_t size = windows.rows.size * windows.columns.size;
  int64_t elements =
      windows.rows.kernel * windows.rows.count * windows.columns.kernel * windows.columns.count;
  constexpr double nanosecondsOfElement = 0.2;
  parallelFor(out.dims[0] * out.dims[1], grainFor(nanosecondsOfElement * static_cast<double>(elements)),
              [&](int64_t begin, int64_t end) {
                std::vector<Wide<T>> sums(std::is_same_v<T, Wide<T>> ? 0 : static_cast<size_t>(size));
                for (int64_t plane = begin; plane < end; ++plane) {
                  const T *from = x.as<T>() + plane * elements;
                  T *to = out.as<T>() + plane * size;
                  Wide<T> *image;
                  if constexpr (std::is_same_v<T, Wide<T>>)
                    image = to;
                  else
                    image = sums.data();
                  std::fill_n(image, size, Wide<T>(0));
                  runVectors<foldPlane<T>>(windows, from, image);
                  if constexpr (!std::is_same_v<T, Wide<T>>)
                    std::transform(image, image + size, to, [](Wide<T> sum) { return static_cast<T>(sum); });
                }
              });
}

Result<void> fold(Call &call, const FoldWindows &windows) {
  const View &x = call.input(0);
  int64_t count = windows.rows.count * windows.columns.count,
          elements = windows.rows.kernel * windows.columns.kernel;
  if (x.rank() != 3 || x.dims[1] % elements != 0 || x.dims[2] != count)
    return failure("x is {}; expected a multiple of {} rows and {} columns", describe(x.dtype, x.dims),
                   elements, count);
  const int64_t dims[] = {x.dims[0], x.dims[1] / elements, windows.rows.size, windows.columns.size};
  Result<View> out = call.output(0, dims);
  if (!out)
    return out.diagnostics();
  bool known = dispatchFloat(x.dtype, [&](auto zero) { foldPlanes<decltype(zero)>(windows, x, *out); });
  return known ? Result<void>() : failure("folding {} is not supported", nameOf(x.dtype));
}

/// Paddings before and after a dimension: of one, two or four numbers.
std::pair<int64_t, int64_t> paddingsOf(const std::vector<int64_t> &paddings, size_t axis) {
  size_t count = paddings.size();
  return {paddings[count == 1 ? 0 : axis], paddings[count == 1 ? 0 : count == 2 ? axis : axis + 2]};
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeFold(const FoldAttributes &op, const KernelRequest &request) {
  Checks checks(request);
  checks.expectOperands(1, 0);
  bool isValid = op.paddings.size() == 1 || op.paddings.size() == 2 || op.paddings.size() == 4;
  for (const auto *list : {&op.outputSizes, &op.kernelSizes, &op.strides, &op.dilations})
    isValid = isValid && list->size() == 2 && std::ranges::all_of(*list, [](int64_t n) { return n > 0; });
  FoldWindows windows;
  for (size_t i = 0; isValid && i < 2; ++i) {
    auto [before, after] = paddingsOf(op.paddings, i);
    FoldAxis axis{op.outputSizes[i], op.kernelSizes[i], op.strides[i], before, op.dilations[i], 0};
    int64_t beyond = axis.size + before + after - axis.dilation * (axis.kernel - 1) - 1;
    axis.count = beyond / axis.stride + 1;
    isValid = before >= 0 && after >= 0 && beyond >= 0;
    (i == 0 ? windows.rows : windows.columns) = axis;
  }
  checks.expect(isValid, "expected windows that fit into the padded image");
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([windows](Call &call) { return fold(call, windows); });
}

} // namespace proa::runtime
