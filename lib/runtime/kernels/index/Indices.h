/// Indices that count from the end where they are negative.
#pragma once

#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/common/Convert.h"
#include "lib/runtime/kernels/common/Vectors.h"

namespace proa::runtime {

/// Sets `any` if one of `count` indices is outside of [-dim, dim).
template <class Index>
PROA_VECTOR_INLINE void findOutside(const Index *indices, int64_t count, int64_t dim, bool &any) {
  // In one comparison; the sum of an index that is much too large may wrap around, but not into the range.
  uint64_t outside = 0;
  for (int64_t i = 0; i < count; ++i)
    outside |=
        static_cast<uint64_t>(indices[i]) + static_cast<uint64_t>(dim) >= static_cast<uint64_t>(2 * dim);
  any = outside != 0;
}

/// Error: the first of `indices` that is outside of [-dim, dim), or their dtype. The common case reads them
/// once and allocates nothing.
inline Result<void> checkWrappingIndices(const View &indices, int64_t dim) {
  std::optional<int64_t> wrong;
  int64_t wrongIndex = 0;
  bool known = dispatchIndex(indices.dtype, [&](auto zero) {
    using Index = decltype(zero);
    const Index *all = indices.as<Index>();
    int64_t count = indices.size();
    auto isOutside = [&](int64_t i) { return all[i] < -dim || all[i] >= dim; };
    bool any = false;
    runVectors<findOutside<Index>>(all, count, dim, any);
    for (int64_t i = 0; any && i < count && !wrong; ++i)
      if (isOutside(i)) {
        wrong = i;
        wrongIndex = all[i];
      }
  });
  if (!known)
    return failure("expected indices of int32 or int64, found {}", nameOf(indices.dtype));
  if (wrong)
    return failure("{}", wrongIndexText(wrongIndex, *wrong, indices.dims, dim, /*wraps=*/true));
  return {};
}

/// Writes the `count` indices from `begin` on, wrapped.
inline void wrapIndices(const View &indices, int64_t dim, int64_t begin, int64_t count, int64_t *to) {
  dispatchIndex(indices.dtype, [&](auto zero) {
    const auto *from = indices.as<decltype(zero)>() + begin;
    for (int64_t i = 0; i < count; ++i)
      to[i] = int64_t{from[i]} + (from[i] < 0 ? dim : 0);
  });
}

} // namespace proa::runtime
