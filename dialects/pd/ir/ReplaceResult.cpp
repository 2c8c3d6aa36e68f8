#include "dialects/pd/ir/ReplaceResult.h"

#include "dialects/pd/ir/InferredTypes.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ir/Types.h"

#include "llvm/ADT/SetVector.h"

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
  llvm::SetVector<Operation *> users;
  for (auto [result, value] : llvm::zip(op->getResults(), values)) {
    if (value.getType() != result.getType())
      users.insert(result.getUsers().begin(), result.getUsers().end());
    replaceResult(builder, result, value);
  }
  // Dims that became static may contradict an op that reads them.
  for (Operation *user : users)
    if (isa_and_present<PdDialect>(user->getDialect()) && isa<InferTypeOpInterface>(user) &&
        failed(inferredTypes(user, user->getLoc())))
      return failure();
  return success();
}

FailureOr<Operation *> replaceByDecomposition(OpBuilder &builder, DecomposableOpInterface op) {
  Operation *before = op->getPrevNode();
  Block *block = op->getBlock();
  auto values = op.tryDecompose(builder);
  if (failed(values))
    return nullptr;
  if (failed(replaceResults(op, *values)))
    return failure();
  op->erase();
  return before ? before->getNextNode() : &block->front();
}

} // namespace proa::pd
