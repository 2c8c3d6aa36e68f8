/// The library kernels of tensor arrays: "array_create", "array_write" (array, index, x), "array_read"
/// (array, index), "array_length" (array), "array_slice" (array, start, end), "array_to_tensor" (array; axis,
/// use_stack).
#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/index/Lines.h"
#include "lib/runtime/kernels/tensor/StridedCopy.h"

#include "dialects/pd/ops/control/Array.kernels.inc"

#include <algorithm>

namespace proa::runtime {
namespace {

/// No program has that many elements; a wrong index must not take all memory.
constexpr int64_t maximalLength = int64_t(1) << 28;

Result<int64_t> numberOf(const View &view) {
  Result<std::vector<int64_t>> values = integersOf(view);
  if (!values)
    return values.diagnostics();
  if (values->size() != 1)
    return failure("the index has {} elements, expected one", values->size());
  return values->front();
}

Result<void> createArray(Call &call) {
  call.outputArray(0, std::nullopt);
  return {};
}

Result<void> write(Call &call) {
  Result<int64_t> index = numberOf(call.input(1));
  if (!index)
    return index.diagnostics();
  if (*index < 0 || *index >= maximalLength)
    return failure("index {} is not between 0 and {}", *index, maximalLength);
  Result<ArrayElement> element = call.share(2);
  if (!element)
    return element.diagnostics();
  TensorArray &array = call.outputArray(0, 0);
  array.resize(std::max(array.size(), static_cast<size_t>(*index) + 1));
  array[static_cast<size_t>(*index)] = std::move(*element);
  return {};
}

Result<void> read(Call &call) {
  Result<int64_t> index = numberOf(call.input(1));
  if (!index)
    return index.diagnostics();
  const TensorArray &array = call.array(0);
  auto length = static_cast<int64_t>(array.size());
  int64_t position = *index < 0 ? *index + length : *index;
  if (position < 0 || position >= length)
    return failure("index {} is out of an array of {} elements", *index, length);
  const ArrayElement &element = array[static_cast<size_t>(position)];
  if (!element.data)
    return failure("nothing was written to element {}", position);
  return call.setOutput(0, element);
}

Result<void> length(Call &call) {
  Result<View> out = call.output(0, std::vector<int64_t>{1});
  if (!out)
    return out.diagnostics();
  *out->as<int64_t>() = static_cast<int64_t>(call.array(0).size());
  return {};
}

Result<void> slice(Call &call) {
  Result<int64_t> start = numberOf(call.input(1)), end = numberOf(call.input(2));
  if (!start)
    return start.diagnostics();
  if (!end)
    return end.diagnostics();
  auto length = static_cast<int64_t>(call.array(0).size());
  auto within = [&](int64_t position) {
    return std::clamp(position < 0 ? position + length : position, int64_t(0), length);
  };
  int64_t first = within(*start), last = std::max(first, within(*end));
  TensorArray range(call.array(0).begin() + first, call.array(0).begin() + last);
  call.outputArray(0, std::nullopt) = std::move(range);
  return {};
}

/// The dims of all elements joined; an error where they do not fit.
Result<std::vector<int64_t>> joinedDims(const TensorArray &array, int64_t axisAttribute, bool stack,
                                        size_t &axis) {
  if (array.empty())
    return failure("the array has no elements");
  std::vector<int64_t> dims = array.front().dims;
  Result<size_t> position = normalizeAxis(axisAttribute, dims.size() + (stack ? 1 : 0));
  if (!position)
    return position.diagnostics();
  axis = *position;
  int64_t sum = 0;
  for (size_t i = 0; i < array.size(); ++i) {
    const ArrayElement &element = array[i];
    if (!element.data)
      return failure("nothing was written to element {}", i);
    bool fits = element.dims.size() == dims.size() && element.dtype == array.front().dtype;
    for (size_t d = 0; fits && d < dims.size(); ++d)
      fits = (!stack && d == axis) || element.dims[d] == dims[d];
    if (!fits)
      return failure("element {} is {}, which does not fit to {}", i, describe(element.dtype, element.dims),
                     describe(array.front().dtype, dims));
    sum += stack ? 1 : element.dims[axis];
  }
  if (stack)
    dims.insert(dims.begin() + static_cast<ptrdiff_t>(axis), sum);
  else
    dims[axis] = sum;
  return dims;
}

Result<void> join(Call &call, const TensorArray &array, const std::vector<int64_t> &dims, size_t axis) {
  Result<View> out = call.output(0, dims);
  if (!out)
    return out.diagnostics();
  Lines whole(dims, axis);
  size_t bytes = sizeOf(array.front().dtype);
  int64_t offset = 0;
  for (const ArrayElement &element : array) {
    int64_t line = whole.outer == 0 ? 0 : element.view().size() / whole.outer;
    stridedCopy(bytes, {{whole.outer, line, whole.dim * whole.inner}, {line, 1, 1}}, element.data,
                out->as<std::byte>() + static_cast<size_t>(offset) * bytes);
    offset += line;
  }
  return {};
}

Result<void> toTensor(Call &call, int64_t axisAttribute, bool stack) {
  const TensorArray &array = call.array(0);
  size_t axis = 0;
  Result<std::vector<int64_t>> dims = joinedDims(array, axisAttribute, stack, axis);
  if (!dims)
    return dims.diagnostics();
  if (call.hasOutput(0))
    if (Result<void> joined = join(call, array, *dims, axis); !joined)
      return joined;
  if (!call.hasOutput(1))
    return {};
  Result<View> sizes = call.output(1, std::vector<int64_t>{static_cast<int64_t>(array.size())});
  if (!sizes)
    return sizes.diagnostics();
  for (size_t i = 0; i < array.size(); ++i)
    sizes->as<int32_t>()[i] = axis < array[i].dims.size() ? static_cast<int32_t>(array[i].dims[axis]) : 1;
  return {};
}

/// Which inputs and whether output 0 must be arrays.
Result<void> checkOperands(const KernelRequest &request, size_t inputs, bool readsArray, bool writesArray) {
  Checks checks(request);
  checks.expectOperands(inputs, 1);
  for (size_t i = 0; checks.ok() && i < inputs; ++i)
    checks.expect(request.inputs[i].array == (i == 0 && readsArray),
                  fmt::format("input {} is of the wrong kind", i));
  checks.expect(!checks.ok() || request.outputs[0].array == writesArray, "output 0 is of the wrong kind");
  return checks.diagnostics();
}

template <class Run>
Result<std::unique_ptr<LibraryKernel>> makeArrayKernel(const KernelRequest &request, size_t inputs,
                                                       bool readsArray, bool writesArray, Run run) {
  if (Result<void> valid = checkOperands(request, inputs, readsArray, writesArray); !valid)
    return valid.diagnostics();
  return makeKernel(run);
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeArrayCreate(const ArrayCreateAttributes &op,
                                                       const KernelRequest &request) {
  return makeArrayKernel(request, 0, false, true, createArray);
}
Result<std::unique_ptr<LibraryKernel>> makeArrayWrite(const ArrayWriteAttributes &op,
                                                      const KernelRequest &request) {
  return makeArrayKernel(request, 3, true, true, write);
}
Result<std::unique_ptr<LibraryKernel>> makeArrayRead(const ArrayReadAttributes &op,
                                                     const KernelRequest &request) {
  return makeArrayKernel(request, 2, true, false, read);
}
Result<std::unique_ptr<LibraryKernel>> makeArrayLength(const ArrayLengthAttributes &op,
                                                       const KernelRequest &request) {
  return makeArrayKernel(request, 1, true, false, length);
}
Result<std::unique_ptr<LibraryKernel>> makeArraySlice(const ArraySliceAttributes &op,
                                                      const KernelRequest &request) {
  return makeArrayKernel(request, 3, true, true, slice);
}
Result<std::unique_ptr<LibraryKernel>> makeArrayToTensor(const ArrayToTensorAttributes &op,
                                                         const KernelRequest &request) {
  Checks checks(request);
  int64_t axis = op.axis;
  bool stack = op.useStack;
  checks.expectOperands(1, 0);
  checks.expect(!checks.ok() || request.inputs[0].array, "input 0 is of the wrong kind");
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([axis, stack](Call &call) { return toTensor(call, axis, stack); });
}

} // namespace proa::runtime
