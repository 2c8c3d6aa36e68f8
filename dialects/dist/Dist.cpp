#include "dialects/dist/Dist.h"
#include "dialects/dist/Schedule.h"
#include "dialects/dist/StageMark.h"

#include "lib/base/support/UnknownOp.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

#include "dialects/dist/Dialect.cpp.inc"
#include "dialects/dist/Interfaces.cpp.inc"

namespace proa::dist {

void DistDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "dialects/dist/Ops.cpp.inc"
      ,
#define GET_OP_LIST
#include "dialects/dist/Schedule.cpp.inc"
      >();
}

std::optional<Dialect::ParseOpHook> DistDialect::getParseOperationHook(StringRef) const {
  return reportUnknownOp;
}

/// A sharding annotates a ranked tensor with as many dims. dist.mesh checks the axes: a lookup of symbols for
/// each op of a program would take quadratic time.
static LogicalResult verifyAnnotation(function_ref<InFlightDiagnostic()> emitError, Attribute attribute,
                                      Type type) {
  auto sharding = dyn_cast<ShardingAttr>(attribute);
  if (!sharding)
    return emitError() << "expected a #dist.sharding, found " << attribute;
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return emitError() << "expected a sharding of a ranked tensor, found one of " << type;
  if (static_cast<size_t>(tensor.getRank()) != sharding.getDims().size())
    return emitError() << "the sharding has " << sharding.getDims().size() << " dimensions, but the tensor "
                       << tensor.getRank();
  return success();
}

LogicalResult DistDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  auto emitError = [&] {
    return op->emitOpError() << "attribute '" << attribute.getName().getValue() << "': ";
  };
  if (attribute.getName() == unevenAttribute && isa<UnitAttr>(attribute.getValue()))
    return success();
  if (attribute.getName() == stageAttribute) {
    auto stage = dyn_cast<IntegerAttr>(attribute.getValue());
    return stage && stage.getType().isInteger() && !stage.getValue().isNegative()
               ? success()
               : emitError() << "expected the number of a stage from 0, found " << attribute.getValue();
  }
  if (attribute.getName() != shardingsAttribute)
    return emitError() << "is not an attribute of ops; expected '" << shardingsAttribute << "' or '"
                       << stageAttribute << "'";
  auto list = dyn_cast<ArrayAttr>(attribute.getValue());
  if (!list || list.size() != op->getNumResults())
    return emitError() << "expected an array with one entry for each of the " << op->getNumResults()
                       << " results";
  for (auto [entry, result] : llvm::zip(list, op->getResults()))
    if (!isa<UnitAttr>(entry) && failed(verifyAnnotation(emitError, entry, result.getType())))
      return failure();
  return success();
}

/// The global type of a local tensor has its rank and element type. `type` may be null, if it is not known.
static LogicalResult verifyGlobalType(function_ref<InFlightDiagnostic()> emitError, Attribute attribute,
                                      Type type) {
  auto global = dyn_cast<TypeAttr>(attribute);
  auto globalTensor = global ? dyn_cast<RankedTensorType>(global.getValue()) : RankedTensorType();
  if (!globalTensor)
    return emitError() << "expected the type of a ranked tensor, found " << attribute;
  auto local = dyn_cast_if_present<RankedTensorType>(type);
  if (type && (!local || local.getRank() != globalTensor.getRank() ||
               local.getElementType() != globalTensor.getElementType()))
    return emitError() << "expected the rank and element type of " << type << ", found " << globalTensor;
  return success();
}

static LogicalResult verifyFunctionAttribute(Operation *op, NamedAttribute attribute, Type type,
                                             StringRef what, unsigned index) {
  auto emitError = [&] {
    return op->emitOpError() << "attribute '" << attribute.getName().getValue() << "' of " << what << " "
                             << index << ": ";
  };
  if (attribute.getName() == globalAttribute)
    return verifyGlobalType(emitError, attribute.getValue(), type);
  if (attribute.getName() != shardingAttribute)
    return emitError() << "is not an attribute of arguments or results; expected '" << shardingAttribute
                       << "' or '" << globalAttribute << "'";
  return type ? verifyAnnotation(emitError, attribute.getValue(), type) : success();
}

LogicalResult DistDialect::verifyRegionArgAttribute(Operation *op, unsigned region, unsigned index,
                                                    NamedAttribute attribute) {
  Region &body = op->getRegion(region);
  Type type = body.empty() ? Type() : body.getArgument(index).getType();
  return verifyFunctionAttribute(op, attribute, type, "argument", index);
}

LogicalResult DistDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned index,
                                                       NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  Type type = function && index < function.getNumResults() ? function.getResultTypes()[index] : Type();
  return verifyFunctionAttribute(op, attribute, type, "result", index);
}

} // namespace proa::dist
