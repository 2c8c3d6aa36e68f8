#include "dialects/pd/ops/detection/Targets.h"

using namespace mlir;

namespace proa::pd {

RankedTensorType intTensor(MLIRContext *context, llvm::ArrayRef<int64_t> shape, unsigned bits) {
  return RankedTensorType::get(shape, IntegerType::get(context, bits));
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/detection/Targets.cpp.inc"
#include "dialects/pd/ops/detection/Targets.methods.inc"
