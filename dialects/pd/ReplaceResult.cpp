#include "dialects/pd/ReplaceResult.h"

#include "dialects/pd/Pd.h"
#include "dialects/pd/Types.h"

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

} // namespace proa::pd
