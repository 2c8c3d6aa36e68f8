#include "passes/analysis/ParameterValue.h"

#include "dialects/pd/ir/FunctionAttributes.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace proa {

const char *whyNotParameter(Value value) {
  llvm::SetVector<Value> values;
  values.insert(value);
  for (size_t i = 0; i < values.size(); ++i) {
    if (Operation *op = values[i].getDefiningOp()) {
      if (op->getNumRegions() > 0)
        return "it is computed by an op with regions";
      values.insert(op->operand_begin(), op->operand_end());
      continue;
    }
    auto argument = cast<BlockArgument>(values[i]);
    auto function = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
    if (!function || !function.getArgAttr(argument.getArgNumber(), pd::parameterAttribute))
      return "it depends on a value that is not a parameter";
  }
  return nullptr;
}

} // namespace proa
