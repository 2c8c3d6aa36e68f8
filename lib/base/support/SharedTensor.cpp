#include "lib/base/support/SharedTensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace proa {

Result<Tensor> sharedTensor(std::shared_ptr<const void> owner, std::span<const std::byte> bytes, DType dtype,
                            std::vector<int64_t> dims) {
  if (dtype == DType::Bool) {
    auto bad = std::ranges::find_if(bytes, [](std::byte byte) { return byte > std::byte{1}; });
    if (bad != bytes.end())
      return errorAt("", fmt::format("element {} is a bool with the value {}, expected 0 or 1",
                                     bad - bytes.begin(), static_cast<int>(*bad)));
  }
  size_t alignment = std::min<size_t>(sizeOf(dtype), alignof(double));
  if (reinterpret_cast<uintptr_t>(bytes.data()) % alignment == 0)
    return Tensor(dtype, std::move(dims), const_cast<std::byte *>(bytes.data()), std::move(owner));
  Tensor copy(dtype, std::move(dims));
  if (!bytes.empty())
    std::memcpy(copy.data(), bytes.data(), bytes.size());
  return copy;
}

} // namespace proa
