/// The library kernels "concat" (x..., and perhaps an absent operand; axis) and "split" (x; sections or num,
/// axis).
#include "lib/runtime/kernels/Attributes.h"
#include "lib/runtime/kernels/Families.h"
#include "lib/runtime/kernels/Lines.h"
#include "lib/runtime/kernels/StridedCopy.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace proa::runtime {
namespace {

/// A scalar counts as a vector of one element.
std::vector<int64_t> dimsOf(const View &view) {
  return view.rank() == 0 ? std::vector<int64_t>{1}
                          : std::vector<int64_t>(view.dims.begin(), view.dims.end());
}

Result<void> concat(Call &call, int64_t axisAttribute) {
  const View &first = call.input(0);
  std::vector<int64_t> dims = dimsOf(first);
  Result<size_t> axis = normalizeAxis(axisAttribute, dims.size());
  if (!axis)
    return axis.problems();
  dims[*axis] = 0;
  std::vector<View> parts;
  for (size_t i = 0; i < call.inputCount(); ++i) {
    const View &part = call.input(i);
    if (!part)
      continue;
    std::vector<int64_t> other = dimsOf(part);
    bool fits = other.size() == dims.size() && part.dtype == first.dtype;
    for (size_t d = 0; fits && d < dims.size(); ++d)
      fits = d == *axis || other[d] == dims[d];
    if (!fits)
      return failure("cannot join {} to {} at axis {}", describe(part.dtype, other),
                     describe(first.dtype, first.dims), *axis);
    dims[*axis] += other[*axis];
    parts.push_back(part);
  }
  Result<View> out = call.output(0, dims);
  if (!out)
    return out.problems();
  Lines whole(dims, *axis);
  size_t bytes = sizeOf(first.dtype);
  int64_t offset = 0;
  for (const View &part : parts) {
    int64_t line = whole.outer == 0 ? 0 : part.size() / whole.outer;
    stridedCopy(bytes, {{whole.outer, line, whole.extent * whole.inner}, {line, 1, 1}}, part.data,
                out->as<std::byte>() + static_cast<size_t>(offset) * bytes);
    offset += line;
  }
  return {};
}

/// The sizes of the parts: one of the sections may be -1, the rest.
Result<std::vector<int64_t>> sectionsOf(std::vector<int64_t> sections, int64_t number, int64_t extent) {
  if (sections.empty()) {
    if (number < 1 || extent % number != 0)
      return failure("cannot split {} into {} equal parts", extent, number);
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
  Lines whole(x.dims, *axis);
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
      stridedCopy(bytes, {{whole.outer, whole.extent * whole.inner, line}, {line, 1, 1}},
                  x.as<std::byte>() + static_cast<size_t>(offset) * bytes, out->data);
    }
    offset += line;
  }
  return {};
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeConcat(const KernelRequest &request) {
  Attributes reader(request);
  int64_t axis = reader.integer("axis", 0);
  reader.expectOperands(1, 1);
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

} // namespace proa::runtime
