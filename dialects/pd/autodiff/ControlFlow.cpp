//! The gradient of scf.if, and code shared with the gradient of scf.while. The gradient of each region is a
//! pd.vjp, which also differentiates nested control flow.
#include "dialects/pd/autodiff/ControlFlow.h"

#include "dialects/pd/autodiff/ForwardMode.h"
#include "dialects/pd/autodiff/RegionGradient.h"
#include "dialects/pd/ops/autodiff/VjpOps.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace proa::pd {

SmallVector<Value> activeCaptures(Operation *op, llvm::function_ref<bool(Value)> isActive) {
  // MLIR's queries require a parent op. Rules create ops in a region without one, and formulas are evaluated
  // in a block without a region.
  auto isInside = [&](Value value) {
    Region *region = value.getParentRegion();
    Operation *owner = region ? region->getParentOp() : nullptr;
    return owner && op->isAncestor(owner);
  };
  llvm::SetVector<Value> captures;
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    for (Value value : inner->getOperands())
      if (inner != op && !isInside(value) && isActive(value) && hasTangent(value.getType()))
        captures.insert(value);
  });
  return captures.takeVector();
}

SmallVector<Value> RegionGradient::create(OpBuilder &builder, Location location) {
  SmallVector<Value> allCotangents = cotangents;
  llvm::copy_if(soFar, std::back_inserter(allCotangents), [](Value value) { return value != nullptr; });
  auto vjp = VjpOp::create(builder, location, inputs, saved, allCotangents, builder.getDenseI64ArrayAttr({}),
                           builder.getDenseI64ArrayAttr(outputs));
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&vjp.getBody());
  for (auto [input, original] : llvm::zip(inputs, originals))
    mapping.map(original, body->addArgument(input.getType(), location));
  for (Operation &op : block.without_terminator())
    builder.clone(op, mapping);
  SmallVector<Value> yielded;
  SmallVector<int64_t> cotangentOf, savedOf;
  auto yield = [&](SmallVector<int64_t> &list, Value value) {
    list.push_back(static_cast<int64_t>(yielded.size()));
    yielded.push_back(value);
  };
  for (int64_t output : outputs)
    yield(cotangentOf,
          mapping.lookupOrDefault(block.getTerminator()->getOperand(static_cast<unsigned>(output))));
  // Yielding the input itself adds its accumulated cotangent to its gradient.
  for (auto [original, value] : llvm::zip(originals, soFar))
    if (value)
      yield(cotangentOf, mapping.lookup(original));
  for (Value value : computed)
    yield(savedOf, mapping.lookup(value));
  YieldOp::create(builder, location, yielded);
  vjp.setCotangentOf(cotangentOf);
  vjp.setSavedOf(savedOf);
  return SmallVector<Value>(vjp.getGradients());
}

LogicalResult differentiateBranch(OpBuilder &builder, scf::IfOp op, ArrayRef<Value> cotangents,
                                  llvm::function_ref<bool(Value)> isActive, GradientSink accumulate) {
  SmallVector<Value> captures = activeCaptures(op, isActive), nonZero;
  SmallVector<int64_t> outputs;
  for (auto [i, cotangent] : llvm::enumerate(cotangents))
    if (cotangent) {
      outputs.push_back(static_cast<int64_t>(i));
      nonZero.push_back(cotangent);
    }
  if (captures.empty())
    return success();
  SmallVector<Type> types(ValueRange(captures).getTypes());
  Location location = op.getLoc();
  auto branch = scf::IfOp::create(builder, location, types, op.getCondition(), /*withElseRegion=*/true);
  for (auto [from, to] : {std::pair(&op.getThenRegion(), &branch.getThenRegion()),
                          std::pair(&op.getElseRegion(), &branch.getElseRegion())}) {
    OpBuilder inRegion = OpBuilder::atBlockBegin(&to->front());
    RegionGradient region{from->front(), captures, captures, {}, outputs, nonZero, {}, {}, {}};
    scf::YieldOp::create(inRegion, location, region.create(inRegion, location));
  }
  for (auto [capture, gradient] : llvm::zip(captures, branch.getResults()))
    accumulate(capture, gradient);
  return success();
}

} // namespace proa::pd
