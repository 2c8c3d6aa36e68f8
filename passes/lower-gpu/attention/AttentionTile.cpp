#include "passes/lower-gpu/attention/AttentionTile.h"

using namespace mlir;

namespace proa {

SmallVector<Value> AttentionTensor::indices(ValueRange at) const {
  SmallVector<Value> own(4);
  for (auto [dim, index] : llvm::zip(dims, at))
    own[static_cast<size_t>(dim)] = index;
  return own;
}

} // namespace proa
