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

/// Elements of the result times the size of the contracted dimension.
std::optional<int64_t> MatmulOp::getMultiplyAdds() {
  ArrayRef<int64_t> x = shapeOf(getX()), permutation = getXPermutation();
  size_t contracted = x.size() - (x.size() > 1 && getTransposeX() ? 2 : 1);
  SmallVector<int64_t> dims(shapeOf(getOut()));
  dims.push_back(x[permutation.empty() ? contracted : static_cast<size_t>(permutation[contracted])]);
  return pd::productOfExtents(dims);
}

/// Elements of the result times the elements of the filter of one output channel.
std::optional<int64_t> Conv2dOp::getMultiplyAdds() {
  SmallVector<int64_t> dims(shapeOf(getOut()));
  llvm::append_range(dims, shapeOf(getFilter()).drop_front());
  return pd::productOfExtents(dims);
}

} // namespace proa::rt
