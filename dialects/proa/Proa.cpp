#include "dialects/proa/Proa.h"

#include "mlir/IR/DialectImplementation.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "dialects/proa/Dialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/proa/Attributes.cpp.inc"

namespace proa {

void ProaDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/proa/Attributes.cpp.inc"
      >();
}

LogicalResult ProaDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() != targetAttribute)
    return success();
  if (!isa<ModuleOp>(op) || !isa<TargetAttr>(attribute.getValue()))
    return op->emitError() << "attribute '" << targetAttribute
                           << "': expected a #proa.target on a module, found " << attribute.getValue()
                           << " on " << op->getName();
  return success();
}

} // namespace proa
