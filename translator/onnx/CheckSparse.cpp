#include "translator/onnx/Check.h"

#include <fmt/format.h>

namespace proa::onnx {
namespace {

/// The linear index of row `i`; -1 after an error.
int64_t linearIndex(const SparseTensorValue &tensor, int64_t i, int64_t size, const Location &at,
                    FileReport &report) {
  const TensorValue &indices = *tensor.indices;
  const auto *values = indices.elements.as<int64_t>();
  auto outOfRange = [&](int64_t index, int64_t bound) {
    report.add(at.text(), fmt::format("index {} is {}, expected 0 to {}", i, index, bound - 1));
    return int64_t(-1);
  };
  if (indices.dims.size() == 1)
    return values[i] >= 0 && values[i] < size ? values[i] : outOfRange(values[i], size);
  int64_t linear = 0, rank = static_cast<int64_t>(tensor.dims.size());
  for (int64_t d = 0; d < rank; ++d) {
    int64_t index = values[i * rank + d], bound = tensor.dims[static_cast<size_t>(d)];
    if (index < 0 || index >= bound)
      return outOfRange(index, bound);
    linear = linear * bound + index;
  }
  return linear;
}

/// Whether the indices have a type and dims that fit `count` values.
bool checkIndexDims(const SparseTensorValue &tensor, int64_t count, const Location &at, FileReport &report) {
  const TensorValue &indices = *tensor.indices;
  auto rank = static_cast<int64_t>(tensor.dims.size());
  bool isLinear = indices.dims == std::vector<int64_t>{count};
  bool areRows = indices.dims == std::vector<int64_t>{count, rank};
  if (indices.type == DataType::Int64 && (isLinear || areRows))
    return true;
  report.add(at.text(),
             fmt::format("the indices are {} with dims [{}], expected int64 with dims [{}] or [{}, {}]",
                         nameOf(indices.type), fmt::join(indices.dims, ", "), count, count, rank));
  return false;
}

} // namespace

void checkSparseTensor(const SparseTensorValue &tensor, const Location &parent, FileReport &report) {
  Location at{&parent, "sparse tensor", tensor.values.name};
  std::optional<int64_t> size = elementCount(tensor.dims);
  if (tensor.dims.empty() || !size || *size == 0)
    return report.add(at.text(), fmt::format("found dims [{}], expected one or more positive sizes",
                                             fmt::join(tensor.dims, ", ")));
  if (tensor.values.type == DataType::Undefined)
    return; // the reader has reported it
  if (tensor.values.dims.size() != 1)
    return report.add(at.text(),
                      fmt::format("the values have {} dims, expected 1", tensor.values.dims.size()));
  int64_t count = tensor.values.dims[0];
  if (!tensor.indices) {
    if (count != 0)
      report.add(at.text(), fmt::format("the indices of {} values are missing", count));
    return;
  }
  if (!checkIndexDims(tensor, count, at, report) ||
      tensor.indices->elements.size() != elementCount(tensor.indices->dims))
    return;
  int64_t previous = -1;
  for (int64_t i = 0; i < count; ++i) {
    int64_t index = linearIndex(tensor, i, *size, at, report);
    if (index < 0)
      return;
    if (index <= previous)
      return report.add(at.text(), fmt::format("index {} is not greater than the one before it", i));
    previous = index;
  }
}

} // namespace proa::onnx
