/// The description of a tensor in global memory that emulated kernels get instead of a CUtensorMap.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace proa::emulator {

/// Byte widths of the swizzle patterns in shared memory.
enum class Swizzle : int32_t { None = 0, Bytes32 = 32, Bytes64 = 64, Bytes128 = 128 };

/// The arguments of cuTensorMapEncodeTiled that the copy needs. It has the size of a CUtensorMap, so that a
/// launch may pass either in the same place. Dimensions are innermost first.
struct alignas(64) TensorMap {
  std::byte *base = nullptr;
  int32_t rank = 0;
  int32_t elementBytes = 0;
  std::array<int64_t, 5> dims{};    ///< in elements
  std::array<int64_t, 4> strides{}; ///< in bytes, of the dimensions 1, 2, ...
  std::array<int32_t, 5> box{};     ///< elements of one copy
  Swizzle swizzle = Swizzle::None;
};
static_assert(sizeof(TensorMap) == 128);

/// The address at which an element is that would be at `address` without a swizzle: bits 4 to 6 (or fewer)
/// are combined with bits 7 to 9.
inline uintptr_t swizzled(uintptr_t address, Swizzle swizzle) {
  uintptr_t mask = swizzle == Swizzle::Bytes128  ? 7
                   : swizzle == Swizzle::Bytes64 ? 3
                   : swizzle == Swizzle::Bytes32 ? 1
                                                 : 0;
  return address ^ ((address >> 7 & mask) << 4);
}

} // namespace proa::emulator
