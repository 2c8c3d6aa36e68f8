//! Gradients of scf.if, and what they share with those of scf.while. Each body becomes a pd.vjp, so that
//! control flow in control flow needs nothing more.
#include "dialects/pd/autodiff/ControlFlow.h"

#include "dialects/pd/autodiff/ForwardMode.h"
#include "dialects/pd/autodiff/RegionGradient.h"
#include "dialects/pd/ops/autodiff/VjpOps.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace proa::pd {

SmallVector<Value> activeCaptures(Operation *op, llvm::function_ref<bool(Value)> isActive) {
  // MLIR's own search does not expect a region without an op around it, in which rules and batches are
  // written, or a block without a region, in which formulas are evaluated.
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
  SmallVector<int64_t> numbers, savedNumbers;
  auto yield = [&](SmallVector<int64_t> &list, Value value) {
    list.push_back(static_cast<int64_t>(yielded.size()));
    yielded.push_back(value);
  };
  for (int64_t output : outputs)
    yield(numbers, mapping.lookupOrDefault(block.getTerminator()->getOperand(static_cast<unsigned>(output))));
  // The gradient of a value that the body passes on unchanged is that of its result.
  for (auto [original, value] : llvm::zip(originals, soFar))
    if (value)
      yield(numbers, mapping.lookup(original));
  for (Value value : computed)
    yield(savedNumbers, mapping.lookup(value));
  YieldOp::create(builder, location, yielded);
  vjp.setCotangentOf(numbers);
  vjp.setSavedOf(savedNumbers);
  return SmallVector<Value>(vjp.getGradients());
}

LogicalResult differentiateBranch(OpBuilder &builder, scf::IfOp op, ArrayRef<Value> cotangents,
                                  llvm::function_ref<bool(Value)> isActive, GradientSink accumulate) {
  SmallVector<Value> captures = activeCaptures(op, isActive), given;
  SmallVector<int64_t> outputs;
  for (auto [i, cotangent] : llvm::enumerate(cotangents))
    if (cotangent) {
      outputs.push_back(static_cast<int64_t>(i));
      given.push_back(cotangent);
    }
  if (captures.empty())
    return success();
  SmallVector<Type> types(ValueRange(captures).getTypes());
  Location location = op.getLoc();
  auto branch = scf::IfOp::create(builder, location, types, op.getCondition(), /*withElseRegion=*/true);
  for (auto [from, to] : {std::pair(&op.getThenRegion(), &branch.getThenRegion()),
                          std::pair(&op.getElseRegion(), &branch.getElseRegion())}) {
    OpBuilder inRegion = OpBuilder::atBlockBegin(&to->front());
    RegionGradient gradientOf{from->front(), captures, captures, {}, outputs, given, {}, {}, {}};
    scf::YieldOp::create(inRegion, location, gradientOf.create(inRegion, location));
  }
  for (auto [capture, gradient] : llvm::zip(captures, branch.getResults()))
    accumulate(capture, gradient);
  return success();
}

} // namespace proa::pd
