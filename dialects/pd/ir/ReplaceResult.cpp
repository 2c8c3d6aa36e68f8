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

void replaceResults(Operation *op, ValueRange values) {
  OpBuilder builder(op);
  for (auto [result, value] : llvm::zip(op->getResults(), values))
    replaceResult(builder, result, value);
}

} // namespace proa::pd
