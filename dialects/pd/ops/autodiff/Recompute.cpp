//! pd.checkpoint and the barriers that keep recomputed values apart from the original ones.
#include "dialects/pd/autodiff/Autodiff.h"
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/autodiff/RecomputeOps.h"
#include "dialects/pd/ops/autodiff/VjpOps.h"
#include "dialects/pd/reference/Evaluate.h"

#include "mlir/IR/IRMapping.h"

#include <cstring>

using namespace mlir;

namespace proa::pd {

LogicalResult inferYielded(RegionRange regions, SmallVectorImpl<Type> &results) {
  if (regions.size() != 1 || regions.front()->empty() || !regions.front()->front().mightHaveTerminator())
    return failure();
  llvm::append_range(results, regions.front()->front().getTerminator()->getOperandTypes());
  return success();
}

Value barrierOn(OpBuilder &builder, Location location, Value value) {
  auto label = llvm::count_if(value.getUsers(), llvm::IsaPred<OptimizationBarrierOp>);
  return OptimizationBarrierOp::create(builder, location, value, static_cast<uint64_t>(label));
}

LogicalResult OptimizationBarrierOp::evaluate(ArrayRef<Tensor> operands, MutableArrayRef<Tensor> results) {
  std::memcpy(results[0].data(), operands[0].data(), operands[0].bytes());
  return success();
}

LogicalResult BinomialScheduleOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                                   Adaptor adaptor, SmallVectorImpl<Type> &results) {
  RankedTensorType iterations = tensorType(adaptor.getIterations());
  if (iterations.hasStaticShape() && iterations.getNumElements() != 1)
    return inferenceError(location, "C1: iterations must have one element, found " +
                                        llvm::Twine(iterations.getNumElements()));
  auto snapshots = static_cast<int64_t>(adaptor.getSnapshots());
  if (snapshots < 1)
    return inferenceError(location, "C2: snapshots must be positive, found " + llvm::Twine(snapshots));
  results.append(2, RankedTensorType::get({ShapedType::kDynamic}, IntegerType::get(context, 64)));
  return success();
}

/// pd.vjp has no effect of its own; its decomposition has the effects of the ops in its region.
Operation *CheckpointOp::findEffect(Operation *op) {
  Operation *found = nullptr;
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    // An op with recursive effects has the effects of the ops in its regions, which follow.
    bool isFree = isMemoryEffectFree(inner) || inner->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
    found = isFree ? nullptr : inner;
    return isFree ? WalkResult::advance() : WalkResult::interrupt();
  });
  return found;
}

LogicalResult CheckpointOp::verifyRegions() {
  Block &block = getBody().front();
  if (!compatibleTypes(block.getArgumentTypes(), getInputs().getTypes()))
    return emitOpError() << "C1: expected block arguments of the types of the inputs";
  for (Operation &op : block)
    if (Operation *effect = findEffect(&op))
      return emitOpError() << "C2: expected ops without effects, found '" << effect->getName() << "'";
  auto yield = dyn_cast<YieldOp>(block.getTerminator());
  if (!yield || !compatibleTypes(yield.getOperandTypes(), getResultTypes()))
    return emitOpError() << "C3: expected a region that ends with pd.yield of the results' types";
  return success();
}

/// Inlines the region.
FailureOr<SmallVector<Value>> CheckpointOp::decompose(OpBuilder &builder) {
  Block &block = getBody().front();
  IRMapping mapping;
  mapping.map(block.getArguments(), getInputs());
  for (Operation &op : block.without_terminator())
    builder.clone(op, mapping);
  return llvm::map_to_vector(block.getTerminator()->getOperands(),
                             [&](Value value) { return mapping.lookup(value); });
}

/// The gradient of the region, which recomputes its values after barriers.
FailureOr<SmallVector<Value>> CheckpointOp::vjp(OpBuilder &builder, ArrayRef<Value> cotangents) {
  Location location = getLoc();
  SmallVector<Value> inputs, given;
  SmallVector<int64_t> indices;
  IRMapping mapping;
  for (auto [argument, input] : llvm::zip(getBody().getArguments(), getInputs())) {
    Value again = barrierOn(builder, location, input);
    mapping.map(argument, again);
    if (isDifferentiable(input.getType()))
      inputs.push_back(again);
  }
  for (auto [i, cotangent] : llvm::enumerate(cotangents))
    if (cotangent) {
      given.push_back(cotangent);
      indices.push_back(static_cast<int64_t>(i));
    }
  auto gradient = VjpOp::create(builder, location, inputs, ValueRange(), given,
                                builder.getDenseI64ArrayAttr({}), builder.getDenseI64ArrayAttr(indices));
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&gradient.getBody());
  for (BlockArgument argument : getBody().getArguments())
    if (isDifferentiable(argument.getType()))
      mapping.map(argument, body->addArgument(argument.getType(), location));
  for (Operation &op : getBody().front())
    builder.clone(op, mapping);
  SmallVector<Value> gradients;
  unsigned next = 0;
  for (Value input : getInputs())
    gradients.push_back(isDifferentiable(input.getType()) ? gradient.getResult(next++) : Value());
  return gradients;
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/autodiff/Recompute.cpp.inc"
#include "dialects/pd/ops/autodiff/Recompute.methods.inc"
