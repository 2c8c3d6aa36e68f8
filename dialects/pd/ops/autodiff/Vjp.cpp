#include "dialects/pd/autodiff/Autodiff.h"
#include "dialects/pd/autodiff/ForLoop.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/MatchFailure.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/autodiff/RecomputeOps.h"
#include "dialects/pd/ops/autodiff/VjpOps.h"
#include "dialects/pd/ops/control/CheckOps.h"
#include "dialects/pd/reference/Evaluate.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace proa::pd {

LogicalResult VjpOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                      Results &results) {
  for (Value input : adaptor.getInputs())
    results.push_back(input.getType());
  return success();
}

namespace {

/// Checks that each of `values` has the type of the region's result with the index in `numbers`.
LogicalResult verifyResultsOf(VjpOp op, StringRef what, ValueRange values, llvm::ArrayRef<int64_t> indices,
                              ValueRange yielded) {
  if (values.size() != indices.size())
    return op.emitOpError() << "C2: expected one number in '" << what << "_of' for each " << what
                            << " value, found " << indices.size() << " for " << values.size();
  for (auto [value, index] : llvm::zip(values, indices)) {
    if (index < 0 || index >= static_cast<int64_t>(yielded.size()))
      return op.emitOpError() << "C2: '" << what << "_of' names result " << index << ", the region has "
                              << yielded.size();
    if (!compatibleTypes(yielded[index].getType(), value.getType()))
      return op.emitOpError() << "C2: the " << what << " value of result " << index << " has type "
                              << value.getType() << ", expected " << yielded[index].getType();
  }
  return success();
}

} // namespace

LogicalResult VjpOp::verifyRegions() {
  Block &block = getBody().front();
  if (!compatibleTypes(block.getArgumentTypes(), getInputs().getTypes()))
    return emitOpError() << "C1: expected block arguments of the types of the inputs";
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield)
    return emitOpError() << "expected a region that ends with pd.yield";
  if (failed(verifyResultsOf(*this, "saved", getSaved(), getSavedOf(), yield.getValues())))
    return failure();
  return verifyResultsOf(*this, "cotangent", getCotangents(), getCotangentOf(), yield.getValues());
}

/// Why a region without an error has no derivative yet: the rule of an op needs a static dim.
static std::string reasonOfDeferral(VjpOp op) {
  std::string reason = "its derivative needs static dims";
  llvm::raw_string_ostream stream(reason);
  for (Operation &inner : op.getBody().front().without_terminator())
    for (OpOperand &operand : inner.getOpOperands())
      if (auto type = dyn_cast<RankedTensorType>(operand.get().getType()); type && !type.hasStaticShape()) {
        stream << "; operand " << operand.getOperandNumber() << " of '" << inner.getName().getStringRef()
               << "' has dynamic dims: '" << type << "'";
        return reason;
      }
  return reason;
}

/// Differentiates the region, replaces computed results by the saved ones, and moves used ops out of it.
FailureOr<llvm::SmallVector<Value>> VjpOp::decompose(OpBuilder &builder) {
  if (isLoopGradient(*this))
    return decomposeLoopGradient(builder, *this);
  // A failure must leave the op unchanged.
  IRMapping mapping;
  Operation *clone = getOperation()->clone(mapping);
  builder.insert(clone);
  auto copy = cast<VjpOp>(clone);
  copy->walk([](PrintOp print) { print.erase(); }); // the forward op has printed it
  Block &block = copy.getBody().front();
  auto yield = cast<YieldOp>(block.getTerminator());
  llvm::SmallVector<Value> cotangents(copy.getCotangents()),
      inputs(block.getArguments().begin(), block.getArguments().end());
  // A deferred gradient must not create another deferred one.
  bool isOneOp = llvm::hasSingleElement(block.without_terminator());
  auto gradients = differentiate(block, copy.getCotangentOf(), cotangents, inputs, !isOneOp);
  if (failed(gradients)) {
    std::string reason = reasonOfDeferral(*this);
    clone->erase();
    return notifyDecompositionFailure(builder, *this, reason);
  }
  for (auto [saved, index] : llvm::zip(copy.getSaved(), copy.getSavedOf())) {
    Value computed = yield.getValues()[index];
    if (isa<OpResult>(computed))
      computed.replaceUsesWithIf(saved,
                                 [&](OpOperand &use) { return use.getOwner() != yield.getOperation(); });
    for (Value &gradient : *gradients)
      gradient = gradient == computed ? saved : gradient;
  }
  for (auto [argument, input] : llvm::zip(block.getArguments(), copy.getInputs())) {
    argument.replaceAllUsesWith(input);
    for (Value &gradient : *gradients)
      gradient = gradient == argument ? input : gradient;
  }
  yield->erase();
  // An unused op of the forward region must not run again, even if it is random.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (op.use_empty() && llvm::none_of(*gradients, [&](Value v) { return v.getDefiningOp() == &op; }))
      op.erase();
  clone->getBlock()->getOperations().splice(clone->getIterator(), block.getOperations());
  clone->erase();
  return gradients;
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/autodiff/Vjp.cpp.inc"
#include "dialects/pd/ops/autodiff/Vjp.methods.inc"
