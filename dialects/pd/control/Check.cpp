#include "dialects/pd/control/CheckOps.h"

using namespace mlir;

namespace proa::pd {

LogicalResult AssertOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                         Results &) {
  auto type = tensorType(adaptor.getCondition());
  if (type.hasStaticShape() && type.getNumElements() != 1)
    return inferenceError(location, "C1: the condition has " + llvm::Twine(type.getNumElements()) +
                                        " elements, expected one");
  return success();
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/control/Check.cpp.inc"
#include "dialects/pd/control/Check.methods.inc"
