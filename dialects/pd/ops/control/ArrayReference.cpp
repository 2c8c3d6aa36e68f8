//! Reference kernels of tensor arrays.
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/reference/Arrays.h"
#include "dialects/pd/reference/Evaluate.h"
#include "dialects/pd/reference/Reference.h"

#include <cstring>

using namespace mlir;

namespace proa::pd {
namespace {

int64_t integerAt(const HostValues &values, Value value) {
  return loadScalar(values.tensors.at(value), 0).integer;
}

/// The element at `index`, which counts from the end if it is negative; null if it was never written.
const Tensor *elementOf(const HostArray &array, int64_t index) {
  index += index < 0 ? static_cast<int64_t>(array.size()) : 0;
  bool isWritten =
      index >= 0 && index < static_cast<int64_t>(array.size()) && array[static_cast<size_t>(index)];
  return isWritten ? &*array[static_cast<size_t>(index)] : nullptr;
}

Tensor sumOf(const Tensor &a, const Tensor &b) {
  Tensor out(a.dtype(), a.dims());
  HostScalarBuilder scalars(a.dtype());
  for (int64_t i = 0; i < a.size(); ++i)
    storeScalar(out, i, scalars.add(loadScalar(a, i), loadScalar(b, i)));
  return out;
}

Tensor zerosLike(const Tensor &x) {
  Tensor out(x.dtype(), x.dims());
  std::memset(out.data(), 0, out.bytes());
  return out;
}

/// Copies the slice of `whole` that starts at `from` along the axis to `entry`, or back if `intoWhole`.
void copyAlong(Tensor &whole, Tensor &entry, int64_t axis, int64_t from, bool intoWhole) {
  std::vector<int64_t> dims = entry.dims();
  llvm::SmallVector<int64_t> strides = rowMajorStrides(whole.dims());
  size_t bytes = sizeOf(whole.dtype());
  forEachIndex(dims, [&](llvm::ArrayRef<int64_t> index, int64_t position) {
    int64_t offset = from * strides[static_cast<size_t>(axis)];
    for (size_t d = 0; d < index.size(); ++d)
      offset += index[d] * strides[d];
    auto *at = static_cast<char *>(whole.data()) + static_cast<size_t>(offset) * bytes;
    auto *own = static_cast<char *>(entry.data()) + static_cast<size_t>(position) * bytes;
    std::memcpy(intoWhole ? at : own, intoWhole ? own : at, bytes);
  });
}

/// The elements of x with other dims.
Tensor withDims(const Tensor &x, std::vector<int64_t> dims) {
  Tensor out(x.dtype(), std::move(dims));
  std::memcpy(out.data(), x.data(), x.bytes());
  return out;
}

std::string readElement(Value array, Value index, Value otherwise, Value out, HostValues &values) {
  const Tensor *element = elementOf(values.arrays.at(array), integerAt(values, index));
  if (!element && !otherwise)
    return "the element was never written";
  Tensor result = element ? *element : values.tensors.at(otherwise);
  values.tensors[out] = result;
  return {};
}

} // namespace

std::string ArrayCreateOp::computeOnArrays(HostValues &values) {
  values.arrays[getOut()] = {};
  return {};
}

std::string ArrayCastOp::computeOnArrays(HostValues &values) {
  values.copy(getArray(), getOut());
  return {};
}

std::string ArrayReadOp::computeOnArrays(HostValues &values) {
  return readElement(getArray(), getIndex(), Value(), getOut(), values);
}

std::string ArrayReadOrOp::computeOnArrays(HostValues &values) {
  return readElement(getArray(), getIndex(), getOtherwise(), getOut(), values);
}

std::string ArrayLengthOp::computeOnArrays(HostValues &values) {
  auto length = static_cast<int64_t>(values.arrays.at(getArray()).size());
  values.tensors[getOut()] = vectorOf(DType::Int64, {length});
  return {};
}

std::string ArrayConcatOp::computeOnArrays(HostValues &values) {
  HostArray out = values.arrays.at(getX());
  const HostArray &more = values.arrays.at(getY());
  out.insert(out.end(), more.begin(), more.end());
  values.arrays[getOut()] = std::move(out);
  return {};
}

std::string ArrayZerosLikeOp::computeOnArrays(HostValues &values) {
  HostArray out = values.arrays.at(getArray());
  for (std::optional<Tensor> &element : out)
    if (element)
      element = zerosLike(*element);
  values.arrays[getOut()] = std::move(out);
  return {};
}

std::string ArrayToTensorOp::computeOnArrays(HostValues &values) {
  const HostArray &array = values.arrays.at(getArray());
  bool isStack = getUseStack();
  auto axis = static_cast<int64_t>(getAxis());
  std::vector<Tensor> entries;
  Tensor sizes(DType::Int32, {static_cast<int64_t>(array.size())});
  for (size_t i = 0; i < array.size(); ++i) {
    if (!array[i])
      return "the array has an element that was never written";
    std::vector<int64_t> dims = array[i]->dims();
    if (i == 0 && axis < 0)
      axis += static_cast<int64_t>(dims.size()) + (isStack ? 1 : 0);
    bool hasAxis = axis < static_cast<int64_t>(dims.size());
    sizes.as<int32_t>()[i] = hasAxis ? static_cast<int32_t>(dims[static_cast<size_t>(axis)]) : 1;
    if (isStack)
      dims.insert(dims.begin() + axis, 1);
    entries.push_back(withDims(*array[i], dims));
  }
  if (entries.empty())
    return "the array has no elements";
  std::vector<int64_t> dims = entries.front().dims();
  dims[static_cast<size_t>(axis)] = 0;
  for (const Tensor &entry : entries) {
    std::vector<int64_t> others = entry.dims();
    if (axis < 0 || axis >= static_cast<int64_t>(others.size()) || others.size() != dims.size())
      return "the elements of the array have different ranks, or the axis is out of range";
    dims[static_cast<size_t>(axis)] += others[static_cast<size_t>(axis)];
    others[static_cast<size_t>(axis)] = dims[static_cast<size_t>(axis)];
    if (others != dims)
      return "the elements of the array have different dims";
  }
  Tensor out(entries.front().dtype(), dims);
  int64_t from = 0;
  for (Tensor &entry : entries) {
    copyAlong(out, entry, axis, from, /*intoWhole=*/true);
    from += entry.dims()[static_cast<size_t>(axis)];
  }
  values.tensors[getOut()] = out;
  values.tensors[getSizes()] = sizes;
  return {};
}

std::string ArraySplitOp::computeOnArrays(HostValues &values) {
  Tensor x = values.tensors.at(getX()), sizes = values.tensors.at(getSizes());
  auto axis = static_cast<int64_t>(getAxis());
  axis += axis < 0 ? static_cast<int64_t>(x.dims().size()) : 0;
  HostArray out;
  int64_t from = 0;
  for (int64_t i = 0; i < sizes.size(); ++i) {
    std::vector<int64_t> dims = x.dims();
    int64_t size = getUseStack() ? 1 : loadScalar(sizes, i).integer;
    if (size < 0 || from + size > dims[static_cast<size_t>(axis)])
      return "the sizes are negative or exceed the dim that is split";
    dims[static_cast<size_t>(axis)] = size;
    Tensor entry(x.dtype(), dims);
    copyAlong(x, entry, axis, from, /*intoWhole=*/false);
    from += dims[static_cast<size_t>(axis)];
    if (getUseStack())
      dims.erase(dims.begin() + axis);
    out.emplace_back(withDims(entry, dims));
  }
  values.arrays[getOut()] = std::move(out);
  return {};
}

std::string ArraySliceOp::computeOnArrays(HostValues &values) {
  const HostArray &array = values.arrays.at(getArray());
  auto length = static_cast<int64_t>(array.size());
  auto bound = [&](Value value) {
    int64_t index = integerAt(values, value);
    return std::clamp(index < 0 ? index + length : index, int64_t(0), length);
  };
  int64_t from = bound(getStart()), to = std::max(from, bound(getEnd()));
  values.arrays[getOut()] = HostArray(array.begin() + from, array.begin() + to);
  return {};
}

std::string ArrayAddOp::computeOnArrays(HostValues &values) {
  HostArray out = values.arrays.at(getX());
  const HostArray &other = values.arrays.at(getY());
  out.resize(std::max(out.size(), other.size()));
  for (size_t i = 0; i < other.size(); ++i) {
    if (out[i] && other[i] && out[i]->dims() != other[i]->dims())
      return "the elements of the arrays have different dims";
    if (other[i])
      out[i] = out[i] ? sumOf(*out[i], *other[i]) : *other[i];
  }
  values.arrays[getOut()] = std::move(out);
  return {};
}

std::string ArrayWriteOp::computeOnArrays(HostValues &values) {
  HostArray array = values.arrays.at(getArray());
  int64_t index = integerAt(values, getIndex());
  if (index < 0 || index > 100000)
    return "expected an array index from 0 to 100000";
  array.resize(std::max(array.size(), static_cast<size_t>(index) + 1));
  array[static_cast<size_t>(index)] = values.tensors.at(getX());
  values.arrays[getOut()] = std::move(array);
  return {};
}

} // namespace proa::pd
