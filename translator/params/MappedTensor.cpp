#include "translator/params/MappedTensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace proa::params {
namespace {

/// The alignment of elements, in bytes.
size_t alignmentOf(DType dtype) { return std::min<size_t>(sizeOf(dtype), alignof(double)); }

} // namespace

std::optional<size_t> byteCount(DType dtype, std::span<const int64_t> dims) {
  std::optional<int64_t> count = elementCount(dims);
  size_t bytes = 0;
  if (!count || __builtin_mul_overflow(static_cast<size_t>(*count), sizeOf(dtype), &bytes))
    return std::nullopt;
  return bytes;
}

Result<Tensor> mappedTensor(const std::shared_ptr<const MappedFile> &file, size_t offset, DType dtype,
                            std::vector<int64_t> dims) {
  size_t bytes = byteCount(dtype, dims).value();
  const std::byte *from = file->bytes().data() + offset;
  if (dtype == DType::Bool) {
    const std::byte *bad = std::find_if(from, from + bytes, [](std::byte b) { return b > std::byte{1}; });
    if (bad != from + bytes)
      return errorAt("", fmt::format("element {} is a bool with the value {}, expected 0 or 1", bad - from,
                                     static_cast<int>(*bad)));
  }
  if (reinterpret_cast<uintptr_t>(from) % alignmentOf(dtype) == 0)
    return Tensor(dtype, std::move(dims), const_cast<std::byte *>(from), file);
  Tensor copy(dtype, std::move(dims));
  if (bytes != 0)
    std::memcpy(copy.data(), from, bytes);
  return copy;
}

} // namespace proa::params
