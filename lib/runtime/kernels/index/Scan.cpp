/// The library kernels "cumsum", "cumprod" and "logcumsumexp" (x, for cumsum axis as a tensor, which wins;
/// axis, flatten, exclusive, reverse), "linear_recurrence" (x, decay; axis, reverse) and "cummax" and
/// "cummin" (x; axis; results: values and indices).
#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/common/Convert.h"
#include "lib/runtime/kernels/common/OutputMemory.h"
#include "lib/runtime/kernels/index/Lines.h"

#include "dialects/pd/ops/reduce/Scan.kernels.inc"

#include <algorithm>
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

template <class Combine, class T>
void scanLines(const Lines &lines, const ScanAttributes &attributes, const T *x, T *out) {
  parallelFor(lines.count(), 1 + 8192 / (lines.dim + 1), [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line) {
      int64_t first = lines.begin(line, lines.dim);
      auto total = Combine::template start<Wide<T>>();
      for (int64_t i = 0; i < lines.dim; ++i) {
        int64_t at = first + (attributes.reverse ? lines.dim - 1 - i : i) * lines.inner;
        auto value = static_cast<Wide<T>>(x[at]); // before the write, which may be in place
        if (attributes.exclusive)
          out[at] = static_cast<T>(total);
        total = Combine::combine(total, value);
        if (!attributes.exclusive)
          out[at] = static_cast<T>(total);
      }
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
  parallelFor(lines.count(), 1 + 8192 / (lines.dim + 1), [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line) {
      int64_t first = lines.begin(line, lines.dim);
      Wide<T> total(0);
      for (int64_t i = 0; i < lines.dim; ++i) {
        int64_t at = first + (reverse ? lines.dim - 1 - i : i) * lines.inner;
        auto value = static_cast<Wide<T>>(x[at]), share = static_cast<Wide<T>>(decay[at]);
        total = i == 0 ? value : value + share * total;
        out[at] = static_cast<T>(total);
      }
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
template <class T>
void extremeLines(const Lines &lines, bool greatest, const T *x, T *out, const View &indices) {
  parallelFor(lines.count(), 1 + 8192 / (lines.dim + 1), [&](int64_t begin, int64_t end) {
    for (int64_t line = begin; line < end; ++line) {
      int64_t first = lines.begin(line, lines.dim), best = 0;
      for (int64_t i = 0; i < lines.dim; ++i) {
        auto value = static_cast<Wide<T>>(x[first + i * lines.inner]);
        auto held = static_cast<Wide<T>>(x[first + best * lines.inner]);
        if (value != value || (greatest ? value >= held : value <= held))
          best = i;
        out[first + i * lines.inner] = x[first + best * lines.inner];
        if (indices)
          dispatchIndex(indices.dtype, [&](auto zero) {
            using Index = decltype(zero);
            indices.as<Index>()[first + i * lines.inner] = static_cast<Index>(best);
          });
      }
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
  bool known = dispatchReal(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    extremeLines(Lines(x.dims, *axis), greatest, x.as<T>(), out->as<T>(), indices);
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
