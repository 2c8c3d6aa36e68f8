/// The library kernel "concat" (x..., and perhaps an absent operand; axis).
#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/index/Lines.h"
#include "lib/runtime/kernels/tensor/StridedCopy.h"

#include "dialects/pd/ops/shape/Join.kernels.inc"

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
    return axis.diagnostics();
  dims[*axis] = 0;
  std::vector<View> operands;
  for (size_t i = 0; i < call.inputCount(); ++i) {
    const View &operand = call.input(i);
    if (!operand)
      continue;
    std::vector<int64_t> other = dimsOf(operand);
    bool fits = other.size() == dims.size() && operand.dtype == first.dtype;
    for (size_t d = 0; fits && d < dims.size(); ++d)
      fits = d == *axis || other[d] == dims[d];
    if (!fits)
      return failure("cannot join {} to {} at axis {}", describe(operand.dtype, other),
                     describe(first.dtype, first.dims), *axis);
    dims[*axis] += other[*axis];
    operands.push_back(operand);
  }
  Result<View> out = call.output(0, dims);
  if (!out)
    return out.diagnostics();
  Lines whole(dims, *axis);
  size_t bytes = sizeOf(first.dtype);
  int64_t offset = 0;
  for (const View &operand : operands) {
    int64_t line = whole.outer == 0 ? 0 : operand.size() / whole.outer;
    stridedCopy(bytes, {{whole.outer, line, whole.dim * whole.inner}, {line, 1, 1}}, operand.data,
                out->as<std::byte>() + static_cast<size_t>(offset) * bytes);
    offset += line;
  }
  return {};
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeConcat(const ConcatAttributes &op, const KernelRequest &request) {
  Checks checks(request);
  int64_t axis = op.axis;
  checks.expectOperands(1, 1);
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([axis](Call &call) { return concat(call, axis); });
}

} // namespace proa::runtime
