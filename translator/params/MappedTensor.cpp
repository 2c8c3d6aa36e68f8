#include "translator/params/MappedTensor.h"

#include "lib/base/support/SharedTensor.h"

namespace proa::params {

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
  return sharedTensor(file, file->bytes().subspan(offset, bytes), dtype, std::move(dims));
}

} // namespace proa::params
