#include "dialects/rt/Rt.h"
#include "dialects/rt/Fusable.h"

using namespace mlir;

#include "dialects/rt/RtDialect.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/rt/Rt.cpp.inc"

namespace proa::rt {

void RtDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/rt/Rt.cpp.inc"
      >();
  attachFusableInterfaces(*getContext());
}

static ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

/// One for each element of the result and of the summed dimension.
std::optional<int64_t> MatmulOp::getMultiplyAdds() {
  ArrayRef<int64_t> x = shapeOf(getX()), permutation = getXPermutation();
  size_t summed = x.size() - (x.size() > 1 && getTransposeX() ? 2 : 1);
  SmallVector<int64_t> dimSizes(shapeOf(getOut()));
  dimSizes.push_back(x[permutation.empty() ? summed : static_cast<size_t>(permutation[summed])]);
  return pd::productOfDims(dimSizes);
}

/// One for each element of the result and of the filter of its channel.
std::optional<int64_t> Conv2dOp::getMultiplyAdds() {
  SmallVector<int64_t> dimSizes(shapeOf(getOut()));
  llvm::append_range(dimSizes, shapeOf(getFilter()).drop_front());
  return pd::productOfDims(dimSizes);
}

} // namespace proa::rt
