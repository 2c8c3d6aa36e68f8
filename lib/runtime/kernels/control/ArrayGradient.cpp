/// The library kernels "array_add" (x, y), "array_concat" (x, y), "array_read_or" (array, index, otherwise),
/// "array_split" (x, sizes; axis, use_stack), "array_zeros_like" (array).
#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/common/Convert.h"
#include "lib/runtime/kernels/index/Lines.h"
#include "lib/runtime/kernels/tensor/StridedCopy.h"

#include "dialects/pd/ops/control/Array.kernels.inc"

#include <algorithm>
#include <numeric>

namespace proa::runtime {
namespace {

/// An element of its own memory.
ArrayElement makeElement(DType dtype, std::vector<int64_t> dims) {
  ArrayElement element{dtype, std::move(dims), nullptr, {}};
  size_t bytes = std::max<size_t>(1, static_cast<size_t>(element.view().size()) * sizeOf(dtype));
  element.buffer = {std::shared_ptr<void>(allocateAligned(bytes), FreeDeleter()), bytes};
  element.data = element.buffer.memory.get();
  if (!element.data)
    throw std::bad_alloc();
  return element;
}

Result<ArrayElement> sum(const ArrayElement &x, const ArrayElement &y) {
  if (x.dtype != y.dtype || x.dims != y.dims)
    return failure("the elements are {} and {}, expected equal ones", describe(x.dtype, x.dims),
                   describe(y.dtype, y.dims));
  ArrayElement out = makeElement(x.dtype, x.dims);
  bool known = dispatchAll(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    const T *a = x.view().as<T>(), *b = y.view().as<T>();
    T *to = out.view().as<T>();
    for (int64_t i = 0, size = out.view().size(); i < size; ++i)
      if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>)
        to[i] = T(static_cast<float>(a[i]) + static_cast<float>(b[i]));
      else
        to[i] = static_cast<T>(a[i] + b[i]);
  });
  if (!known)
    return failure("there is no sum of {}", describe(x.dtype, x.dims));
  return out;
}

Result<void> add(Call &call) {
  TensorArray other = call.array(1);
  TensorArray &out = call.outputArray(0, 0);
  out.resize(std::max(out.size(), other.size()));
  for (size_t i = 0; i < other.size(); ++i) {
    if (!other[i].data)
      continue;
    if (!out[i].data) {
      out[i] = other[i];
      continue;
    }
    Result<ArrayElement> both = sum(out[i], other[i]);
    if (!both)
      return both.diagnostics();
    out[i] = std::move(*both);
  }
  return {};
}

Result<void> concat(Call &call) {
  TensorArray other = call.array(1);
  TensorArray &out = call.outputArray(0, 0);
  out.insert(out.end(), other.begin(), other.end());
  return {};
}

Result<void> zerosLike(Call &call) {
  TensorArray zeros;
  for (const ArrayElement &element : call.array(0)) {
    zeros.push_back(element.data ? makeElement(element.dtype, element.dims) : ArrayElement());
    if (element.data)
      std::memset(zeros.back().data, 0, zeros.back().buffer.bytes);
  }
  call.outputArray(0, std::nullopt) = std::move(zeros);
  return {};
}

Result<void> readOr(Call &call) {
  Result<std::vector<int64_t>> index = integersOf(call.input(1));
  if (!index)
    return index.diagnostics();
  if (index->size() != 1)
    return failure("the index has {} elements, expected one", index->size());
  const TensorArray &array = call.array(0);
  int64_t position = index->front();
  if (position >= 0 && position < static_cast<int64_t>(array.size()) &&
      array[static_cast<size_t>(position)].data)
    return call.setOutput(0, array[static_cast<size_t>(position)]);
  const View &otherwise = call.input(2);
  Result<View> out = call.output(0, otherwise.dims);
  if (!out)
    return out.diagnostics();
  std::memcpy(out->data, otherwise.data, static_cast<size_t>(otherwise.size()) * sizeOf(otherwise.dtype));
  return {};
}

Result<void> split(Call &call, int64_t axisAttribute, bool stack) {
  const View &x = call.input(0);
  Result<std::vector<int64_t>> sizes = integersOf(call.input(1));
  Result<size_t> axis = normalizeAxis(axisAttribute, x.rank());
  if (!sizes || !axis)
    return sizes ? axis.diagnostics() : sizes.diagnostics();
  std::vector<int64_t> whole(x.dims.begin(), x.dims.end());
  bool isNegative = std::any_of(sizes->begin(), sizes->end(), [](int64_t size) { return size < 0; });
  int64_t total =
      stack ? static_cast<int64_t>(sizes->size()) : std::accumulate(sizes->begin(), sizes->end(), int64_t(0));
  if (isNegative || total != whole[*axis])
    return failure("the entries have {} of {} indices of the axis", total, whole[*axis]);
  Lines lines(whole, *axis);
  size_t bytes = sizeOf(x.dtype);
  TensorArray &out = call.outputArray(0, std::nullopt);
  int64_t offset = 0;
  for (int64_t size : *sizes) {
    std::vector<int64_t> dims = whole;
    if (stack)
      dims.erase(dims.begin() + static_cast<ptrdiff_t>(*axis));
    else
      dims[*axis] = size;
    out.push_back(makeElement(x.dtype, dims));
    int64_t line = (stack ? 1 : size) * lines.inner;
    if (lines.outer > 0 && line > 0)
      stridedCopy(bytes, {{lines.outer, lines.dim * lines.inner, line}, {line, 1, 1}},
                  x.as<std::byte>() + static_cast<size_t>(offset) * bytes,
                  static_cast<std::byte *>(out.back().data));
    offset += line;
  }
  return {};
}

/// A kernel that makes an array of two.
Result<std::unique_ptr<LibraryKernel>> makeOfTwo(const KernelRequest &request, Result<void> (*run)(Call &)) {
  Checks checks(request);
  checks.expectOperands(2, 1);
  checks.expect(!checks.ok() ||
                    (request.inputs[0].array && request.inputs[1].array && request.outputs[0].array),
                "expected tensor arrays");
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel(run);
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeArrayAdd(const ArrayAddAttributes &op,
                                                    const KernelRequest &request) {
  return makeOfTwo(request, add);
}
Result<std::unique_ptr<LibraryKernel>> makeArrayConcat(const ArrayConcatAttributes &op,
                                                       const KernelRequest &request) {
  return makeOfTwo(request, concat);
}

Result<std::unique_ptr<LibraryKernel>> makeArrayZerosLike(const ArrayZerosLikeAttributes &op,
                                                          const KernelRequest &request) {
  Checks checks(request);
  checks.expectOperands(1, 1);
  checks.expect(!checks.ok() || (request.inputs[0].array && request.outputs[0].array),
                "expected a tensor array");
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel(zerosLike);
}

Result<std::unique_ptr<LibraryKernel>> makeArrayReadOr(const ArrayReadOrAttributes &op,
                                                       const KernelRequest &request) {
  Checks checks(request);
  checks.expectOperands(3, 1);
  checks.expect(!checks.ok() ||
                    (request.inputs[0].array && !request.inputs[2].array && !request.outputs[0].array),
                "expected a tensor array, an index and a tensor");
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel(readOr);
}

Result<std::unique_ptr<LibraryKernel>> makeArraySplit(const ArraySplitAttributes &op,
                                                      const KernelRequest &request) {
  Checks checks(request);
  int64_t axis = op.axis;
  bool stack = op.useStack;
  checks.expectOperands(2, 1);
  checks.expect(!checks.ok() || (!request.inputs[0].array && request.outputs[0].array),
                "expected a tensor and a tensor array");
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([axis, stack](Call &call) { return split(call, axis, stack); });
}

} // namespace proa::runtime
