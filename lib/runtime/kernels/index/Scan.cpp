/// The library kernels "cumsum", "cumprod" and "logcumsumexp" (x, for cumsum axis as a tensor, which wins;
/// axis, flatten, exclusive, reverse), "linear_recurrence" (x, decay; axis, reverse) and "cummax" and
/// "cummin" (x; axis; results: values and indices).
#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/common/Convert.h"
#include "lib/runtime/kernels/common/OutputMemory.h"
#include "lib/runtime/kernels/common/Vectors.h"
#include "lib/runtime/kernels/index/Lines.h"

#include "dialects/pd/ops/reduce/Scan.kernels.inc"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace proa::runtime {
namespace {

struct ScanAttributes {
  int64_t axis = -1;
  bool flatten = false, exclusive = false, reverse = false;
};

struct ScanSum {
  template <class T> static T start() { return T(0); }
  template <class T> static T combine(T a, T b) { return a + b; }
};
struct Product {
  template <class T> static T start() { return T(1); }
  template <class T> static T combine(T a, T b) { return a * b; }
};
struct LogSumExp {
  template <class T> static T start() { return -std::numeric_limits<T>::infinity(); }
  template <class T> static T combine(T a, T b) {
    if (std::isinf(a) && a == b)
      return a;
    T high = std::max(a, b), low = std::min(a, b);
    return high + std::log1p(std::exp(low - high));
  }
};

/// Number of lines side by side that are scanned together, as memory is read.
constexpr int64_t scanBlock = 1024;

/// Calls body(index of the first element, stride, number of lines) for lines that begin side by side. A
/// single line has a constant as their number.
template <class Body> void forEachBlock(const Lines &lines, Body &&body) {
  int64_t width = std::min(scanBlock, lines.inner),
          blocks = width == 0 || lines.dim == 0 ? 0 : (lines.inner - 1) / width + 1;
  parallelFor(lines.outer * blocks, 1 + 8192 / (lines.dim * width + 1), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t line = i % blocks * width, first = i / blocks * lines.dim * lines.inner + line;
      if (lines.inner == 1)
        body(first, lines.inner, std::integral_constant<int64_t, 1>());
      else
        body(first, lines.inner, std::min(width, lines.inner - line));
    }
  });
}

/// Lines side by side, of which each element is the one before it in the result combined with its own.
template <class T> struct LineBlock {
  const T *x;
  T *out;
  int64_t dim, stride, count;
  bool reverse;
};

/// Chunks are read before they are written, which may be in place.
template <class Combine, class T> PROA_VECTOR_INLINE static void scanBlockOf(const LineBlock<T> &block) {
  constexpr int64_t chunk = 64 / sizeof(T);
  for (int64_t i = 0; i < block.dim; ++i) {
    int64_t at = (block.reverse ? block.dim - 1 - i : i) * block.stride;
    const T *from = block.x + at, *before = block.out + at + (block.reverse ? block.stride : -block.stride);
    T *to = block.out + at;
    if (i == 0) {
      std::memmove(to, from, static_cast<size_t>(block.count) * sizeof(T));
      continue;
    }
    int64_t line = 0;
    for (; line + chunk <= block.count; line += chunk) {
      T values[chunk], totals[chunk];
      std::memcpy(values, from + line, sizeof(values));
      std::memcpy(totals, before + line, sizeof(totals));
      for (int64_t k = 0; k < chunk; ++k)
        totals[k] = Combine::combine(totals[k], values[k]);
      std::memcpy(to + line, totals, sizeof(totals));
    }
    for (; line < block.count; ++line)
      to[line] = Combine::combine(before[line], from[line]);
  }
}

/// Whether sums are kept in the type of the elements, so that the line before has them.
template <class Combine, class T>
inline constexpr bool keepsSums = std::is_arithmetic_v<T> && !std::is_same_v<Combine, LogSumExp>;

template <class Combine, class T>
void scanLines(const Lines &lines, const ScanAttributes &attributes, const T *x, T *out) {
  forEachBlock(lines, [&](int64_t first, int64_t stride, auto count) {
    if constexpr (keepsSums<Combine, T> && std::is_same_v<decltype(count), int64_t>)
      if (!attributes.exclusive)
        return runVectors<scanBlockOf<Combine, T>>(
            LineBlock<T>{x + first, out + first, lines.dim, stride, count, attributes.reverse});
    std::array<Wide<T>, scanBlock> totals;
    std::fill_n(totals.begin(), int64_t(count), Combine::template start<Wide<T>>());
    for (int64_t i = 0; i < lines.dim; ++i) {
      int64_t at = first + (attributes.reverse ? lines.dim - 1 - i : i) * stride;
      const T *from = x + at; // read before the write, which may be in place
      T *to = out + at;
      if (attributes.exclusive) {
        for (int64_t line = 0; line < count; ++line) {
          auto value = static_cast<Wide<T>>(from[line]);
          to[line] = static_cast<T>(totals[line]);
          totals[line] = Combine::combine(totals[line], value);
        }
        continue;
      }
      for (int64_t line = 0; line < count; ++line)
        totals[line] = Combine::combine(totals[line], static_cast<Wide<T>>(from[line]));
      for (int64_t line = 0; line < count; ++line)
        to[line] = static_cast<T>(totals[line]);
    }
  });
}

template <class Combine> Result<void> scan(Call &call, ScanAttributes attributes) {
  const View &x = call.input(0);
  if (call.input(1)) {
    Result<std::vector<int64_t>> axis = integersOf(call.input(1));
    if (!axis || axis->size() != 1)
      return failure("expected one axis");
    attributes.axis = axis->front();
  }
  std::vector<int64_t> dims(x.dims.begin(), x.dims.end());
  if (attributes.flatten)
    dims = {x.size()};
  Result<size_t> axis =
      normalizeAxis(attributes.flatten ? 0 : attributes.axis, std::max<size_t>(1, dims.size()));
  if (!axis)
    return axis.diagnostics();
  Result<View> out = call.output(0, dims);
  if (!out)
    return out.diagnostics();
  Lines lines(dims, *axis);
  bool known = false;
  auto run = [&](auto zero) {
    using T = decltype(zero);
    scanLines<Combine>(lines, attributes, x.as<T>(), out->template as<T>());
  };
  if constexpr (std::is_same_v<Combine, LogSumExp>)
    known = dispatchFloat(x.dtype, run);
  else
    known = dispatchAll(x.dtype, run);
  return known ? Result<void>() : failure("a scan of {} is not supported", nameOf(x.dtype));
}

/// Each sum is the next element and a share of the sum before it.
template <class T> void recurLines(const Lines &lines, bool reverse, const T *x, const T *decay, T *out) {
  forEachBlock(lines, [&](int64_t first, int64_t stride, auto count) {
    std::array<Wide<T>, scanBlock> totals;
    for (int64_t i = 0; i < lines.dim; ++i) {
      int64_t at = first + (reverse ? lines.dim - 1 - i : i) * stride;
      for (int64_t line = 0; line < count; ++line) {
        auto value = static_cast<Wide<T>>(x[at + line]), share = static_cast<Wide<T>>(decay[at + line]);
        totals[line] = i == 0 ? value : value + share * totals[line];
      }
      for (int64_t line = 0; line < count; ++line)
        out[at + line] = static_cast<T>(totals[line]);
    }
  });
}

Result<void> recur(Call &call, int64_t axisAttribute, bool reverse) {
  const View &x = call.input(0), &decay = call.input(1);
  if (x.dtype != decay.dtype || !std::ranges::equal(x.dims, decay.dims))
    return failure("expected a decay of the type and dims of x");
  Result<size_t> axis = normalizeAxis(axisAttribute, x.rank());
  if (!axis)
    return axis.diagnostics();
  Result<View> out = call.output(0, std::vector<int64_t>(x.dims.begin(), x.dims.end()));
  if (!out)
    return out.diagnostics();
  bool known = dispatchAll(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    recurLines(Lines(x.dims, *axis), reverse, x.as<T>(), decay.as<T>(), out->template as<T>());
  });
  return known ? Result<void>() : failure("a recurrence of {} is not supported", nameOf(x.dtype));
}

/// The extreme so far and where it stands; of equal ones the last. NaN is an extreme that stays.
template <class T, bool greatest, class Index>
void extremeLines(const Lines &lines, const T *x, T *out, Index *indices) {
  forEachBlock(lines, [&](int64_t first, int64_t stride, auto count) {
    std::array<T, scanBlock> held;
    std::array<Index, scanBlock> best;
    std::copy_n(x + first, int64_t(count), held.begin());
    std::fill_n(best.begin(), int64_t(count), Index(0));
    for (int64_t i = 0; i < lines.dim; ++i) {
      int64_t at = first + i * stride;
      for (int64_t line = 0; line < count; ++line) {
        auto value = static_cast<Wide<T>>(x[at + line]), before = static_cast<Wide<T>>(held[line]);
        bool isBetter = value != value || (greatest ? value >= before : value <= before);
        held[line] = isBetter ? x[at + line] : held[line];
        best[line] = isBetter ? static_cast<Index>(i) : best[line];
      }
      std::copy_n(held.begin(), int64_t(count), out + at);
      if (indices)
        std::copy_n(best.begin(), int64_t(count), indices + at);
    }
  });
}

Result<void> extreme(Call &call, int64_t axisAttribute, bool greatest) {
  const View &x = call.input(0);
  Result<size_t> axis = normalizeAxis(axisAttribute, std::max<size_t>(1, x.rank()));
  if (!axis)
    return axis.diagnostics();
  OutputMemory memory;
  Result<View> out = memory.get(call, 0, x.dtype, x.dims);
  if (!out)
    return out.diagnostics();
  View indices;
  if (call.hasOutput(1)) {
    Result<View> given = call.output(1, x.dims);
    if (!given)
      return given.diagnostics();
    indices = *given;
  }
  bool isWide = indices.dtype == DType::Int64;
  if (indices && !isWide && indices.dtype != DType::Int32)
    return failure("expected indices of int32 or int64, found {}", nameOf(indices.dtype));
  bool known = dispatchReal(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    Lines lines(x.dims, *axis);
    auto run = [&](auto *to) {
      greatest ? extremeLines<T, true>(lines, x.as<T>(), out->as<T>(), to)
               : extremeLines<T, false>(lines, x.as<T>(), out->as<T>(), to);
    };
    isWide ? run(indices.as<int64_t>()) : run(indices.as<int32_t>());
  });
  return known ? Result<void>() : failure("a scan of {} is not supported", nameOf(x.dtype));
}

template <class Combine, class Op>
Result<std::unique_ptr<LibraryKernel>> makeScan(const Op &op, const KernelRequest &request) {
  Checks checks(request);
  ScanAttributes attributes{op.axis, op.flatten, op.exclusive, op.reverse};
  checks.expectOperands(1, 1);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([attributes](Call &call) { return scan<Combine>(call, attributes); });
}

template <class Op>
Result<std::unique_ptr<LibraryKernel>> makeExtreme(const Op &op, const KernelRequest &request,
                                                   bool greatest) {
  Checks checks(request);
  int64_t axis = op.axis;
  checks.expectOperands(1, 0);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([axis, greatest](Call &call) { return extreme(call, axis, greatest); });
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeCumsum(const CumsumAttributes &op, const KernelRequest &request) {
  return makeScan<ScanSum>(op, request);
}
Result<std::unique_ptr<LibraryKernel>> makeCumprod(const CumprodAttributes &op,
                                                   const KernelRequest &request) {
  return makeScan<Product>(op, request);
}
Result<std::unique_ptr<LibraryKernel>> makeLogcumsumexp(const LogcumsumexpAttributes &op,
                                                        const KernelRequest &request) {
  return makeScan<LogSumExp>(op, request);
}
Result<std::unique_ptr<LibraryKernel>> makeLinearRecurrence(const LinearRecurrenceAttributes &op,
                                                            const KernelRequest &request) {
  Checks checks(request);
  int64_t axis = op.axis;
  bool reverse = op.reverse;
  checks.expectOperands(2, 0);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([axis, reverse](Call &call) { return recur(call, axis, reverse); });
}
Result<std::unique_ptr<LibraryKernel>> makeCummax(const CummaxAttributes &op, const KernelRequest &request) {
  return makeExtreme(op, request, true);
}
Result<std::unique_ptr<LibraryKernel>> makeCummin(const CumminAttributes &op, const KernelRequest &request) {
  return makeExtreme(op, request, false);
}

} // namespace proa::runtime
