#include "proa/Memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace proa {
namespace {

std::vector<int64_t> denseStrides(const std::vector<int64_t> &dims) {
  std::vector<int64_t> strides(dims.size());
  int64_t next = 1;
  for (size_t axis = dims.size(); axis-- > 0;) {
    strides[axis] = next;
    next *= std::max<int64_t>(1, dims[axis]);
  }
  return strides;
}

/// Error: the view describes no elements.
Result<void> check(const StridedView &view) {
  std::optional<int64_t> count = elementCount(view.dims);
  if (!count || *count > INT64_MAX / 16)
    return errorAt("", describe(view.dtype, view.dims) + " has an invalid size");
  if (!view.strides.empty() && view.strides.size() != view.dims.size())
    return errorAt("", fmt::format("found {} strides, expected {}", view.strides.size(), view.dims.size()));
  if (*count > 0 && !view.data)
    return errorAt("", "its data is null, but it is " + describe(view.dtype, view.dims));
  return {};
}

/// Copies between the dense memory and the view, row by row.
template <bool isToView> void copyElements(const StridedView &view, std::byte *dense) {
  size_t rank = view.dims.size(), size = sizeOf(view.dtype);
  std::vector<int64_t> strides = view.strides.empty() ? denseStrides(view.dims) : view.strides;
  int64_t count = *elementCount(view.dims);
  std::vector<int64_t> index(rank, 0);
  auto *base = static_cast<std::byte *>(view.data);
  int64_t row = rank == 0 ? 1 : view.dims.back();
  int64_t step = (rank == 0 ? 1 : strides.back()) * static_cast<int64_t>(size);
  for (int64_t done = 0; done < count; done += row) {
    int64_t offset = 0;
    for (size_t axis = 0; axis + 1 < rank; ++axis)
      offset += index[axis] * strides[axis];
    std::byte *at = base + offset * static_cast<int64_t>(size);
    for (int64_t i = 0; i < row; ++i, at += step, dense += size)
      isToView ? std::memcpy(at, dense, size) : std::memcpy(dense, at, size);
    for (size_t axis = rank - 1; rank > 0 && axis-- > 0;) {
      if (++index[axis] < view.dims[axis])
        break;
      index[axis] = 0;
    }
  }
}

} // namespace

bool StridedView::isDense() const {
  if (strides.empty() || elementCount(dims).value_or(0) == 0)
    return true;
  std::vector<int64_t> dense = denseStrides(dims);
  for (size_t axis = 0; axis < dims.size(); ++axis)
    if (dims[axis] != 1 && strides[axis] != dense[axis])
      return false;
  return true;
}

Result<Tensor> tensorOf(const StridedView &view, std::shared_ptr<const void> owner) {
  if (Result<void> valid = check(view); !valid)
    return valid.diagnostics();
  if (view.isDense())
    return Tensor(view.dtype, view.dims, view.data, std::move(owner));
  Tensor copy(view.dtype, view.dims);
  copyElements<false>(view, static_cast<std::byte *>(copy.data()));
  return copy;
}

Result<void> copyTensor(const Tensor &from, const StridedView &to) {
  if (Result<void> valid = check(to); !valid)
    return valid;
  if (from.dtype() != to.dtype || from.dims() != to.dims)
    return errorAt("", "is " + describe(to.dtype, to.dims) + "; expected " + from.describe());
  if (from.bytes() == 0 || from.data() == to.data)
    return {};
  if (to.isDense())
    std::memcpy(to.data, from.data(), from.bytes());
  else
    copyElements<true>(to, static_cast<std::byte *>(const_cast<void *>(from.data())));
  return {};
}

} // namespace proa
