#include "passes/spmd/OptimizerUpdates.h"

#include "dialects/pd/ir/FunctionAttributes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace proa {

llvm::SmallVector<OptimizerUpdate> optimizerUpdatesOf(func::FuncOp function) {
  llvm::StringMap<Value> newValues;
  for (auto [index, value] : llvm::enumerate(function.getBody().front().getTerminator()->getOperands()))
    if (auto name = function.getResultAttrOfType<StringAttr>(index, pd::stateAttribute))
      newValues[name] = value;
  llvm::MapVector<Operation *, SmallVector<BlockArgument>> argumentsOf;
  for (BlockArgument argument : function.getArguments()) {
    auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), pd::parameterAttribute);
    Operation *op = name ? newValues.lookup(name).getDefiningOp() : nullptr;
    if (op && llvm::is_contained(op->getOperands(), argument) && isa<RankedTensorType>(argument.getType()))
      argumentsOf[op].push_back(argument);
  }
  SmallVector<OptimizerUpdate> updates;
  for (auto &[op, operands] : argumentsOf) {
    OptimizerUpdate update{op, {}, {}};
    for (BlockArgument argument : operands) {
      bool isOwn =
          llvm::all_of(argument.getUsers(), [&](Operation *user) { return argumentsOf.contains(user); });
      if (isOwn)
        update.states.push_back(argument);
      else
        update.parameter = argument;
    }
    if (update.parameter)
      updates.push_back(update);
  }
  return updates;
}

} // namespace proa
