#include "dialects/pd/Types.h"

using namespace mlir;

namespace proa::pd {

Type joinedTypes(Type a, Type b) {
  if (a == b)
    return a;
  auto x = dyn_cast<RankedTensorType>(a), y = dyn_cast<RankedTensorType>(b);
  if (!x || !y || x.getRank() != y.getRank() || x.getElementType() != y.getElementType())
    return {};
  llvm::SmallVector<int64_t> shape(x.getShape());
  for (auto [i, dim] : llvm::enumerate(shape))
    if (dim != y.getDimSize(i))
      dim = ShapedType::kDynamic;
  return x.clone(shape);
}

} // namespace proa::pd
