//! Forward mode through scf.if, scf.while and scf.for: the tangents of results and carried values become
//! additional results and carried values.
#include "dialects/pd/autodiff/ForwardControlFlow.h"

#include "dialects/pd/autodiff/ArrayGradient.h"
#include "dialects/pd/ir/Types.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// Values that have a tangent, and values that need one.
class ActiveValues {
public:
  explicit ActiveValues(const Tangents &tangents) : tangents(tangents) {}
  bool contains(Value value) const { return tangents.contains(value) || added.contains(value); }
  void insert(Value value) { added.insert(value); }
  size_t size() const { return added.size(); }

private:
  const Tangents &tangents;
  llvm::DenseSet<Value> added;
};

/// Adds to `active` every value that may have a tangent. An active value without a tangent gets zeros.
void findActive(Operation *op, ActiveValues &active);

void findActive(Block &block, ActiveValues &active) {
  for (Operation &op : block)
    findActive(&op, active);
}

void passActivity(ValueRange from, ValueRange to, ActiveValues &active) {
  for (auto [source, target] : llvm::zip(from, to))
    if (active.contains(source) && hasTangent(target.getType()))
      active.insert(target);
}

void findActive(Operation *op, ActiveValues &active) {
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (Region &region : op->getRegions())
      if (!region.empty()) {
        findActive(region.front(), active);
        passActivity(region.front().getTerminator()->getOperands(), op->getResults(), active);
      }
    return;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    passActivity(loop.getInits(), loop.getBeforeArguments(), active);
    for (size_t before = ~size_t(0); before != active.size();) {
      before = active.size();
      findActive(*loop.getBeforeBody(), active);
      passActivity(loop.getConditionOp().getArgs(), loop.getAfterArguments(), active);
      findActive(*loop.getAfterBody(), active);
      passActivity(loop.getYieldOp().getOperands(), loop.getBeforeArguments(), active);
    }
    passActivity(loop.getConditionOp().getArgs(), op->getResults(), active);
    return;
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    passActivity(loop.getInitArgs(), loop.getRegionIterArgs(), active);
    for (size_t before = ~size_t(0); before != active.size();) {
      before = active.size();
      findActive(*loop.getBody(), active);
      passActivity(loop.getBody()->getTerminator()->getOperands(), loop.getRegionIterArgs(), active);
    }
    passActivity(loop.getRegionIterArgs(), op->getResults(), active);
    return;
  }
  if (readsAny(op, [&](Value v) { return active.contains(v); }))
    for (Value result : op->getResults())
      if (hasTangent(result.getType()))
        active.insert(result);
}

/// The indices of the active values.
SmallVector<unsigned> activeAmong(ValueRange values, const ActiveValues &active) {
  SmallVector<unsigned> indices;
  for (auto [i, value] : llvm::enumerate(values))
    if (active.contains(value))
      indices.push_back(static_cast<unsigned>(i));
  return indices;
}

/// Appends to the terminator the tangents of the values at the given indices, widened to the types.
void passOn(Operation *terminator, ValueRange values, ArrayRef<unsigned> indices, TypeRange types,
            const Tangents &tangents) {
  OpBuilder builder(terminator);
  SmallVector<Value> operands(terminator->getOperands());
  for (auto [index, type] : llvm::zip(indices, types)) {
    Value tangent = tangentOrZero(builder, values[index], tangents);
    operands.push_back(widened(builder, terminator->getLoc(), tangent, type));
  }
  terminator->setOperands(operands);
}

SmallVector<Type> typesAt(ValueRange values, ArrayRef<unsigned> indices) {
  SmallVector<Type> types;
  for (unsigned index : indices)
    types.push_back(values[index].getType());
  return types;
}

/// Replaces `op` by `newOp`, whose additional results are the tangents of the results at the given indices.
void replace(Operation *op, Operation *newOp, ArrayRef<unsigned> indices, Tangents &tangents) {
  unsigned own = op->getNumResults();
  op->replaceAllUsesWith(newOp->getResults().take_front(own));
  for (auto [i, index] : llvm::enumerate(indices))
    tangents[newOp->getResult(index)] = newOp->getResult(own + static_cast<unsigned>(i));
  op->erase();
}

LogicalResult pushThroughBranch(scf::IfOp op, Tangents &tangents, ArrayRef<unsigned> indices) {
  OpBuilder builder(op);
  SmallVector<Type> types(op.getResultTypes()), added = typesAt(op.getResults(), indices);
  llvm::append_range(types, added);
  auto newOp = scf::IfOp::create(builder, op.getLoc(), types, op.getCondition(), /*withElseRegion=*/false);
  for (auto [from, to] : llvm::zip(op->getRegions(), newOp->getRegions())) {
    to.takeBody(from);
    if (to.empty())
      continue;
    if (failed(pushForward(to.front(), tangents)))
      return failure();
    Operation *yield = to.front().getTerminator();
    passOn(yield, SmallVector<Value>(yield->getOperands()), indices, added, tangents);
  }
  replace(op, newOp, indices, tangents);
  return success();
}

LogicalResult pushThroughLoop(scf::WhileOp op, Tangents &tangents, const ActiveValues &active) {
  SmallVector<unsigned> carried = activeAmong(op.getBeforeArguments(), active),
                        passed = activeAmong(op.getAfterArguments(), active);
  SmallVector<Type> carriedTypes = typesAt(op.getBeforeArguments(), carried),
                    passedTypes = typesAt(op.getAfterArguments(), passed), types(op.getResultTypes());
  llvm::append_range(types, passedTypes);
  OpBuilder builder(op);
  SmallVector<Value> inits(op.getInits());
  for (auto [index, type] : llvm::zip(carried, carriedTypes))
    inits.push_back(
        widened(builder, op.getLoc(), tangentOrZero(builder, op.getInits()[index], tangents), type));
  auto newOp = scf::WhileOp::create(builder, op.getLoc(), types, inits);
  newOp.getBefore().takeBody(op.getBefore());
  newOp.getAfter().takeBody(op.getAfter());
  auto addArguments = [&](Block &block, ArrayRef<unsigned> indices, ArrayRef<Type> added) {
    for (auto [index, type] : llvm::zip(indices, added))
      tangents[block.getArgument(index)] = block.addArgument(type, op.getLoc());
  };
  addArguments(*newOp.getBeforeBody(), carried, carriedTypes);
  addArguments(*newOp.getAfterBody(), passed, passedTypes);
  if (failed(pushForward(*newOp.getBeforeBody(), tangents)))
    return failure();
  passOn(newOp.getConditionOp(), SmallVector<Value>(newOp.getConditionOp().getArgs()), passed, passedTypes,
         tangents);
  if (failed(pushForward(*newOp.getAfterBody(), tangents)))
    return failure();
  passOn(newOp.getYieldOp(), SmallVector<Value>(newOp.getYieldOp().getOperands()), carried, carriedTypes,
         tangents);
  replace(op, newOp, passed, tangents);
  return success();
}

LogicalResult pushThroughFor(scf::ForOp op, Tangents &tangents, const ActiveValues &active) {
  SmallVector<unsigned> carried = activeAmong(op.getRegionIterArgs(), active);
  SmallVector<Type> types = typesAt(op.getRegionIterArgs(), carried);
  OpBuilder builder(op);
  SmallVector<Value> inits(op.getInitArgs());
  for (auto [index, type] : llvm::zip(carried, types))
    inits.push_back(
        widened(builder, op.getLoc(), tangentOrZero(builder, op.getInitArgs()[index], tangents), type));
  auto newOp =
      scf::ForOp::create(builder, op.getLoc(), op.getLowerBound(), op.getUpperBound(), op.getStep(), inits);
  newOp->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  newOp.getRegion().takeBody(op.getRegion());
  Block &body = *newOp.getBody();
  for (auto [index, type] : llvm::zip(carried, types))
    tangents[newOp.getRegionIterArgs()[index]] = body.addArgument(type, op.getLoc());
  if (failed(pushForward(body, tangents)))
    return failure();
  passOn(body.getTerminator(), SmallVector<Value>(body.getTerminator()->getOperands()), carried, types,
         tangents);
  replace(op, newOp, carried, tangents);
  return success();
}

} // namespace

bool readsAny(Operation *op, llvm::function_ref<bool(Value)> predicate) {
  auto walk = op->walk([&](Operation *inside) {
    return llvm::any_of(inside->getOperands(), predicate) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

Value tangentOrZero(OpBuilder &builder, Value value, const Tangents &tangents) {
  if (Value tangent = tangents.lookup(value))
    return tangent;
  return zerosLikeAny(builder, value.getLoc(), value);
}

LogicalResult pushThroughControlFlow(Operation *op, Tangents &tangents) {
  ActiveValues active(tangents);
  findActive(op, active);
  SmallVector<unsigned> results = activeAmong(op->getResults(), active);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return results.empty() ? success() : pushThroughBranch(branch, tangents, results);
  if (results.empty())
    return success();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return pushThroughFor(loop, tangents, active);
  return pushThroughLoop(cast<scf::WhileOp>(op), tangents, active);
}

} // namespace proa::pd
