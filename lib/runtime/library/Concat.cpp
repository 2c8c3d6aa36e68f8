/// The library kernels "concat" (x..., axis), "split" (x; sections or num, axis) and "stack" (x..., axis).
#include "lib/runtime/library/Attributes.h"
#include "lib/runtime/library/Families.h"
#include "lib/runtime/library/OneDnn.h"
#include "lib/runtime/library/StridedCopy.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace proa::runtime {
namespace {

/// Elements before, along and after an axis, in row-major order.
struct Split {
  int64_t outer = 1, along = 1, inner = 1;

  Split(std::span<const int64_t> dims, size_t axis) {
    for (size_t i = 0; i < dims.size(); ++i)
      (i < axis ? outer : i == axis ? along : inner) *= dims[i];
  }
};

Result<void> concat(Call &call, int64_t axisAttribute) {
  const View &first = call.input(0);
  Result<size_t> axis = normalizeAxis(axisAttribute, first.rank());
  if (!axis)
    return axis.problems();
  std::vector<int64_t> dims(first.dims.begin(), first.dims.end());
  dims[*axis] = 0;
  for (size_t i = 0; i < call.inputCount(); ++i) {
    std::span<const int64_t> other = call.input(i).dims;
    bool fits = other.size() == dims.size() && call.input(i).dtype == first.dtype;
    for (size_t d = 0; fits && d < dims.size(); ++d)
      fits = d == *axis || other[d] == dims[d];
    if (!fits)
      return failure("can not join {} to {} at axis {}", describe(call.input(i).dtype, other),
                     describe(first.dtype, first.dims), *axis);
    dims[*axis] += other[*axis];
  }
  Result<View> out = call.output(0, dims);
  if (!out)
    return out.problems();
  Split whole(dims, *axis);
  size_t bytes = sizeOf(first.dtype);
  int64_t offset = 0;
  for (size_t i = 0; i < call.inputCount(); ++i) {
    Split part(call.input(i).dims, *axis);
    int64_t line = part.along * part.inner;
    stridedCopy(bytes, {{part.outer, line, whole.along * whole.inner}, {line, 1, 1}}, call.input(i).data,
                out->as<std::byte>() + static_cast<size_t>(offset) * bytes);
    offset += line;
  }
  return {};
}

/// The sizes of the parts: one of the sections may be -1, the rest.
Result<std::vector<int64_t>> sectionsOf(std::vector<int64_t> sections, int64_t number, int64_t extent) {
  if (sections.empty()) {
    if (number < 1 || extent % number != 0)
      return failure("can not split {} into {} equal parts", extent, number);
    return std::vector<int64_t>(static_cast<size_t>(number), extent / number);
  }
  auto open = std::find(sections.begin(), sections.end(), -1);
  if (open != sections.end())
    *open = extent - (std::accumulate(sections.begin(), sections.end(), int64_t(0)) + 1);
  bool negative = std::any_of(sections.begin(), sections.end(), [](int64_t size) { return size < 0; });
  if (negative || std::accumulate(sections.begin(), sections.end(), int64_t(0)) != extent)
    return failure("sections [{}] do not add up to {}", fmt::join(sections, ", "), extent);
  return sections;
}

Result<void> split(Call &call, const std::vector<int64_t> &sections, int64_t number, int64_t axisAttribute) {
  const View &x = call.input(0);
  Result<size_t> axis = normalizeAxis(axisAttribute, x.rank());
  if (!axis)
    return axis.problems();
  auto count = static_cast<int64_t>(call.outputCount());
  Result<std::vector<int64_t>> sizes = sectionsOf(sections, number == 0 ? count : number, x.dims[*axis]);
  if (!sizes)
    return sizes.problems();
  if (sizes->size() != call.outputCount())
    return failure("{} sections for {} results", sizes->size(), call.outputCount());
  Split whole(x.dims, *axis);
  size_t bytes = sizeOf(x.dtype);
  int64_t offset = 0;
  for (size_t i = 0; i < sizes->size(); ++i) {
    int64_t line = (*sizes)[i] * whole.inner;
    if (call.hasOutput(i)) {
      std::vector<int64_t> dims(x.dims.begin(), x.dims.end());
      dims[*axis] = (*sizes)[i];
      Result<View> out = call.output(i, dims);
      if (!out)
        return out.problems();
      stridedCopy(bytes, {{whole.outer, whole.along * whole.inner, line}, {line, 1, 1}},
                  x.as<std::byte>() + static_cast<size_t>(offset) * bytes, out->data);
    }
    offset += line;
  }
  return {};
}

Result<void> stack(Call &call, int64_t axisAttribute) {
  const View &first = call.input(0);
  Result<size_t> axis = normalizeAxis(axisAttribute, first.rank() + 1);
  if (!axis)
    return axis.problems();
  for (size_t i = 1; i < call.inputCount(); ++i)
    if (!std::ranges::equal(call.input(i).dims, first.dims) || call.input(i).dtype != first.dtype)
      return failure("can not stack {} on {}", describe(call.input(i).dtype, call.input(i).dims),
                     describe(first.dtype, first.dims));
  std::vector<int64_t> dims(first.dims.begin(), first.dims.end());
  auto count = static_cast<int64_t>(call.inputCount());
  dims.insert(dims.begin() + static_cast<ptrdiff_t>(*axis), count);
  Result<View> out = call.output(0, dims);
  if (!out)
    return out.problems();
  Split whole(dims, *axis);
  size_t bytes = sizeOf(first.dtype);
  for (size_t i = 0; i < call.inputCount(); ++i)
    stridedCopy(bytes, {{whole.outer, whole.inner, count * whole.inner}, {whole.inner, 1, 1}}, call.input(i).data,
                out->as<std::byte>() + i * static_cast<size_t>(whole.inner) * bytes);
  return {};
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeConcat(const KernelRequest &request) {
  Attributes reader(request);
  int64_t axis = reader.integer("axis", 0);
  reader.expectOperands(std::max<size_t>(1, request.inputs.size()), 1);
  if (!reader.ok())
    return reader.problems();
  return makeKernel([axis](Call &call) { return concat(call, axis); });
}

Result<std::unique_ptr<LibraryKernel>> makeSplit(const KernelRequest &request) {
  Attributes reader(request);
  std::vector<int64_t> sections = reader.integers("sections");
  int64_t number = reader.integer("num", 0), axis = reader.integer("axis", 0);
  reader.expectOperands(1, 0);
  if (!reader.ok())
    return reader.problems();
  return makeKernel([=](Call &call) { return split(call, sections, number, axis); });
}

Result<std::unique_ptr<LibraryKernel>> makeStack(const KernelRequest &request) {
  Attributes reader(request);
  int64_t axis = reader.integer("axis", 0);
  reader.expectOperands(std::max<size_t>(1, request.inputs.size()), 1);
  if (!reader.ok())
    return reader.problems();
  return makeKernel([axis](Call &call) { return stack(call, axis); });
}

} // namespace proa::runtime
