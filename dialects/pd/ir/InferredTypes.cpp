#include "dialects/pd/ir/InferredTypes.h"

#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace mlir;

namespace proa::pd {

FailureOr<llvm::SmallVector<Type>> inferredTypes(Operation *op, std::optional<Location> location) {
  llvm::SmallVector<Type> types;
  auto inference = dyn_cast<InferTypeOpInterface>(op);
  if (!inference || failed(inference.inferReturnTypes(op->getContext(), location, op->getOperands(),
                                                      op->getDiscardableAttrDictionary(),
                                                      op->getPropertiesStorage(), op->getRegions(), types)))
    return failure();
  if (types.size() != op->getNumResults())
    return failure();
  return types;
}

LogicalResult inferAgain(Operation *op, std::optional<Location> location) {
  FailureOr<llvm::SmallVector<Type>> types = inferredTypes(op, location);
  if (failed(types))
    return failure();
  for (auto [result, type] : llvm::zip(op->getResults(), *types))
    result.setType(type);
  return success();
}

} // namespace proa::pd
