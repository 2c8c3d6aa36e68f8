#include "passes/kernels/SizeBounds.h"

#include "mlir/Interfaces/ValueBoundsOpInterface.h"

using namespace mlir;

namespace proa {

static std::optional<int64_t> largest(const ValueBoundsConstraintSet::Variable &size) {
  FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(presburger::BoundType::UB, size,
                                                                            nullptr, /*closedUB=*/true);
  return succeeded(bound) ? std::optional(*bound) : std::nullopt;
}

std::optional<int64_t> largestSize(OpFoldResult size) {
  std::optional<int64_t> constant = getConstantIntValue(size);
  return constant ? constant : largest(size);
}

std::optional<int64_t> largestSize(Value shaped, int64_t dim) { return largest({shaped, dim}); }

std::optional<SmallVector<int64_t>> largestSizes(ArrayRef<OpFoldResult> sizes) {
  SmallVector<int64_t> all;
  for (OpFoldResult size : sizes) {
    std::optional<int64_t> own = largestSize(size);
    if (!own)
      return std::nullopt;
    all.push_back(*own);
  }
  return all;
}

} // namespace proa
