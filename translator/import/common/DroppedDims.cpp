#include "translator/import/common/DroppedDims.h"

#include "dialects/pd/ir/Infer.h"

namespace proa::import {

std::string whyNotDropped(mlir::Value slice, llvm::ArrayRef<int64_t> axes) {
  auto type = pd::tensorType(slice);
  for (int64_t axis : axes) {
    int64_t own = axis < 0 ? axis + type.getRank() : axis;
    if (own < 0 || own >= type.getRank() || type.isDynamicDim(own) || type.getDimSize(own) == 1)
      continue; // pd.squeeze reports wrong axes
    return "decrease_axis: the slice has " + std::to_string(type.getDimSize(own)) +
           " elements along dimension " + std::to_string(own) + ", expected 1";
  }
  return "";
}

} // namespace proa::import
