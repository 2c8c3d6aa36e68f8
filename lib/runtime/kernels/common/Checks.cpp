#include "lib/runtime/kernels/common/Checks.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace proa::runtime {

void Checks::expectOperands(size_t inputs, size_t outputs) {
  auto check = [&](std::span<const OperandType> operands, size_t count, const char *what) {
    for (size_t i = 0; i < count; ++i)
      if (i >= operands.size() || !operands[i].present)
        list.add("", fmt::format("{} {} is missing", what, i));
  };
  check(request.inputs, inputs, "input");
  check(request.outputs, outputs, "output");
}

void Checks::expectDType(size_t input, std::initializer_list<DType> allowed) {
  if (input >= request.inputs.size() || !request.inputs[input].present)
    return;
  DType actual = request.inputs[input].dtype;
  if (std::find(allowed.begin(), allowed.end(), actual) != allowed.end())
    return;
  std::string names;
  for (DType dtype : allowed)
    names += (names.empty() ? "" : ", ") + std::string(nameOf(dtype));
  list.add("", fmt::format("input {} is {}; expected one of {}", input, nameOf(actual), names));
}

Result<size_t> normalizeAxis(int64_t axis, size_t rank) {
  auto signedRank = static_cast<int64_t>(rank);
  if (axis < -signedRank || axis >= signedRank)
    return failure("axis {} is outside of [{}, {})", axis, -signedRank, signedRank);
  return static_cast<size_t>(axis < 0 ? axis + signedRank : axis);
}

std::string wrongIndexText(std::optional<int64_t> index, int64_t position, std::span<const int64_t> dims,
                           int64_t size, bool wraps) {
  std::vector<int64_t> coordinates(dims.size());
  for (size_t i = dims.size(); i-- > 0; position /= std::max<int64_t>(1, dims[i]))
    coordinates[i] = position % std::max<int64_t>(1, dims[i]);
  return fmt::format("{} at [{}] is outside of [{}, {})",
                     index ? fmt::format("index {}", *index) : "an index", fmt::join(coordinates, ", "),
                     wraps ? -size : 0, size);
}

std::string wrongSizeText(std::optional<int64_t> size, int64_t group, int64_t most) {
  if (!size)
    return fmt::format("the size at [{}] is negative, or the sizes up to it sum to more than {}", group,
                       most);
  return *size < 0 ? fmt::format("size {} at [{}] is negative", *size, group)
                   : fmt::format("the sizes up to [{}] sum to {}, which is more than {}", group, *size, most);
}

Result<std::vector<int64_t>> integersOf(const View &view) {
  std::vector<int64_t> out(static_cast<size_t>(view.size()));
  for (size_t i = 0; i < out.size(); ++i) {
    if (view.dtype == DType::Int64)
      out[i] = view.as<int64_t>()[i];
    else if (view.dtype == DType::Int32)
      out[i] = view.as<int32_t>()[i];
    else
      return failure("expected a tensor of int32 or int64, found {}", nameOf(view.dtype));
  }
  return out;
}

} // namespace proa::runtime
