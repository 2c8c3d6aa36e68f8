#include "dialects/pd/ops/control/CheckOps.h"

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

LogicalResult FailOp::verify() {
  if (getMessage().empty())
    return emitOpError() << "C1: message must not be empty";
  return success();
}

LogicalResult PrintOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                        Results &) {
  for (Value level : adaptor.getLod())
    if (auto type = tensorType(level); type.getRank() != 1 || !type.getElementType().isInteger(64)) {
      std::string text;
      llvm::raw_string_ostream(text) << "C1: a level of lod must be a vector of i64, found " << type;
      return inferenceError(location, text);
    }
  return success();
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/control/Check.cpp.inc"
#include "dialects/pd/ops/control/Check.methods.inc"
