#include "dialects/pd/ir/Contraction.h"

namespace proa::pd {

std::optional<int64_t> productOfDims(llvm::ArrayRef<int64_t> dimSizes) {
  int64_t product = 1;
  for (int64_t dimSize : dimSizes)
    if (dimSize < 0 || __builtin_mul_overflow(product, dimSize, &product))
      return std::nullopt;
  return product;
}

} // namespace proa::pd

#include "dialects/pd/ir/Contraction.cpp.inc"
