/// The library kernels "pad" (x; paddings: before and after of each axis, pad_value), "arange" (start, end,
/// step), "repeat_interleave" (x, repeats as a tensor, which wins; repeats, axis) and "view_dtype" (x; the
/// element type is the result's).
#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/common/Convert.h"
#include "lib/runtime/kernels/common/OneDnn.h"
#include "lib/runtime/kernels/index/Lines.h"
#include "lib/runtime/kernels/tensor/StridedCopy.h"

#include "dialects/pd/ops/creation/Range.kernels.inc"
#include "dialects/pd/ops/shape/Join.kernels.inc"
#include "dialects/pd/ops/shape/Strided.kernels.inc"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace proa::runtime {
namespace {

Result<void> pad(Call &call, const std::vector<int64_t> &paddings, double value) {
  const View &x = call.input(0);
  if (paddings.size() != 2 * x.rank())
    return failure("{} paddings for rank {}", paddings.size(), x.rank());
  std::vector<int64_t> dims;
  for (size_t i = 0; i < x.rank(); ++i) {
    dims.push_back(x.dims[i] + paddings[2 * i] + paddings[2 * i + 1]);
    if (paddings[2 * i] < 0 || paddings[2 * i + 1] < 0)
      return failure("paddings [{}] are negative", fmt::join(paddings, ", "));
  }
  Result<View> out = call.output(0, dims);
  if (!out)
    return out.diagnostics();
  bool known = dispatchAll(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    T fill = convertElement<T>(value);
    parallelFor(out->size(), 65536, [&](int64_t begin, int64_t end) {
      std::fill(out->as<T>() + begin, out->as<T>() + end, fill);
    });
  });
  if (!known)
    return failure("padding {} is not supported", nameOf(x.dtype));
  std::vector<int64_t> strides = rowMajorStrides(dims);
  int64_t offset = 0;
  for (size_t i = 0; i < x.rank(); ++i)
    offset += paddings[2 * i] * strides[i];
  size_t bytes = sizeOf(x.dtype);
  stridedCopy(bytes, x.dims, x.data, rowMajorStrides(x.dims),
              out->as<std::byte>() + offset * static_cast<int64_t>(bytes), strides);
  return {};
}

/// start + i * step in the operands' type, then converted.
template <class T> Result<void> arangeOf(Call &call) {
  using Number = std::conditional_t<std::is_integral_v<T>, int64_t, double>;
  auto numberOf = [&](size_t i) {
    return static_cast<Number>(static_cast<Wide<T>>(call.input(i).as<T>()[0]));
  };
  Number start = numberOf(0), end = numberOf(1), step = numberOf(2);
  if (step == 0 || step != step)
    return failure("the step is {}", step);
  int64_t count = 0;
  if constexpr (std::is_integral_v<T>)
    count = (step > 0 ? end > start : end < start) ? (std::abs(end - start) - 1) / std::abs(step) + 1 : 0;
  else if (double exact = std::ceil((end - start) / step); exact > 0)
    count = exact < 0x1p62 ? static_cast<int64_t>(exact) : INT64_MAX;
  Result<View> out = call.output(0, std::span(&count, 1));
  if (!out)
    return out.diagnostics();
  bool known = dispatchReal(out->dtype, [&](auto zero) {
    using To = decltype(zero);
    auto first = static_cast<Wide<T>>(start), by = static_cast<Wide<T>>(step);
    for (int64_t i = 0; i < count; ++i)
      out->template as<To>()[i] =
          convertElement<To>(static_cast<Wide<T>>(first + static_cast<Wide<T>>(i) * by));
  });
  return known ? Result<void>() : failure("a range of {} is not supported", nameOf(out->dtype));
}

Result<void> arange(Call &call) {
  Result<void> done;
  DType dtype = call.input(0).dtype;
  for (size_t i = 0; i < 3; ++i)
    if (call.input(i).dtype != dtype || call.input(i).size() != 1)
      return failure("expected start, end and step to be one {} each", nameOf(dtype));
  bool known = dispatchReal(dtype, [&](auto zero) { done = arangeOf<decltype(zero)>(call); });
  return known ? done : failure("a range of {} is not supported", nameOf(dtype));
}

Result<void> repeatInterleave(Call &call, int64_t repeats, int64_t axisAttribute) {
  const View &x = call.input(0);
  Result<size_t> axis = normalizeAxis(axisAttribute, x.rank());
  if (!axis)
    return axis.diagnostics();
  Lines lines(x.dims, *axis);
  std::vector<int64_t> times{repeats};
  if (call.input(1)) {
    Result<std::vector<int64_t>> given = integersOf(call.input(1));
    if (!given)
      return given.diagnostics();
    times = std::move(*given);
  }
  if (times.size() == 1)
    times.resize(static_cast<size_t>(lines.dim), times.front());
  bool fits = static_cast<int64_t>(times.size()) == lines.dim &&
              std::all_of(times.begin(), times.end(), [](int64_t count) { return count >= 0; });
  if (!fits)
    return failure("repeats [{}] do not fit a dim of {}", fmt::join(times, ", "), lines.dim);
  std::vector<int64_t> dims(x.dims.begin(), x.dims.end());
  dims[*axis] = std::accumulate(times.begin(), times.end(), int64_t(0));
  Result<View> out = call.output(0, dims);
  if (!out)
    return out.diagnostics();
  size_t rowBytes = static_cast<size_t>(lines.inner) * sizeOf(x.dtype);
  auto *target = out->as<std::byte>();
  for (int64_t outer = 0; outer < lines.outer; ++outer)
    for (int64_t i = 0; i < lines.dim; ++i)
      for (int64_t copy = 0; copy < times[static_cast<size_t>(i)]; ++copy, target += rowBytes)
        std::memcpy(target, x.as<std::byte>() + static_cast<size_t>(outer * lines.dim + i) * rowBytes,
                    rowBytes);
  return {};
}

Result<void> viewDtype(Call &call, DType dtype) {
  const View &x = call.input(0);
  std::vector<int64_t> dims(x.dims.begin(), x.dims.end());
  auto from = static_cast<int64_t>(sizeOf(x.dtype)), to = static_cast<int64_t>(sizeOf(dtype));
  if (from != to) {
    if (dims.empty() || dims.back() * from % to != 0)
      return failure("the last dimension of [{}] holds no multiple of {} bytes", fmt::join(dims, ", "), to);
    dims.back() = dims.back() * from / to;
  }
  Result<View> out = call.output(0, dims);
  if (!out)
    return out.diagnostics();
  std::memcpy(out->data, x.data, static_cast<size_t>(x.size() * from));
  return {};
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makePad(const PadAttributes &op, const KernelRequest &request) {
  Checks checks(request);
  std::vector<int64_t> paddings = op.paddings;
  double value = op.padValue;
  checks.expectOperands(1, 1);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([=](Call &call) { return pad(call, paddings, value); });
}

Result<std::unique_ptr<LibraryKernel>> makeArange(const ArangeAttributes &op, const KernelRequest &request) {
  Checks checks(request);
  checks.expectOperands(3, 1);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel(arange);
}

Result<std::unique_ptr<LibraryKernel>> makeRepeatInterleave(const RepeatInterleaveAttributes &op,
                                                            const KernelRequest &request) {
  Checks checks(request);
  int64_t repeats = op.repeats, axis = op.axis;
  checks.expectOperands(1, 1);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([=](Call &call) { return repeatInterleave(call, repeats, axis); });
}

Result<std::unique_ptr<LibraryKernel>> makeViewDtype(const ViewDtypeAttributes &op,
                                                     const KernelRequest &request) {
  Checks checks(request);
  checks.expectOperands(1, 1);
  if (!checks.ok())
    return checks.diagnostics();
  DType dtype = request.outputs.front().dtype;
  return makeKernel([=](Call &call) { return viewDtype(call, dtype); });
}

} // namespace proa::runtime
