#include "dialects/pd/ir/Contraction.h"

namespace proa::pd {

std::optional<int64_t> productOfExtents(llvm::ArrayRef<int64_t> extents) {
  int64_t product = 1;
  for (int64_t extent : extents)
    if (extent < 0 || __builtin_mul_overflow(product, extent, &product))
      return std::nullopt;
  return product;
}

} // namespace proa::pd

#include "dialects/pd/ir/Contraction.cpp.inc"
