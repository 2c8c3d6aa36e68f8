#include "dialects/pd/ir/ReplaceResult.h"

#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ir/Types.h"

using namespace mlir;

namespace proa::pd {

static bool needsType(OpOperand &use) {
  return use.getOwner()->hasTrait<OpTrait::IsTerminator>() ||
         !isa_and_present<PdDialect>(use.getOwner()->getDialect());
}

void replaceResult(OpBuilder &builder, Value result, Value value) {
  if (value.getType() != result.getType() && llvm::any_of(result.getUses(), needsType))
    result.replaceUsesWithIf(widened(builder, result.getLoc(), value, result.getType()), needsType);
  result.replaceAllUsesWith(value);
}

LogicalResult replaceResults(Operation *op, ValueRange values) {
  for (auto [result, value] : llvm::zip(op->getResults(), values))
    // A decomposition may return any value for a result without uses.
    if (!result.use_empty() && !compatibleTypes(value.getType(), result.getType()))
      return op->emitOpError("declares the result ")
             << result.getType() << ", but computes " << value.getType()
             << " from its operands, whose dims are known";
  OpBuilder builder(op);
  for (auto [result, value] : llvm::zip(op->getResults(), values))
    replaceResult(builder, result, value);
  return success();
}

} // namespace proa::pd
