//! Forward mode through scf.if, scf.while and scf.for: values that are carried get their tangents beside
//! them.
#include "dialects/pd/autodiff/ForwardControlFlow.h"

#include "dialects/pd/autodiff/ArrayGradient.h"
#include "dialects/pd/ir/Types.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// Values that have a tangent, and those that turn out to need one.
class Values {
public:
  explicit Values(const Tangents &tangents) : tangents(tangents) {}
  bool contains(Value value) const { return tangents.contains(value) || found.contains(value); }
  void insert(Value value) { found.insert(value); }
  size_t size() const { return found.size(); }

private:
  const Tangents &tangents;
  llvm::DenseSet<Value> found;
};

/// Adds to `active` every value that may have a tangent. A value that turns out to have none gets zeros.
void findActive(Operation *op, Values &active);

void findActive(Block &block, Values &active) {
  for (Operation &op : block)
    findActive(&op, active);
}

void flow(ValueRange from, ValueRange to, Values &active) {
  for (auto [source, target] : llvm::zip(from, to))
    if (active.contains(source) && hasTangent(target.getType()))
      active.insert(target);
}

void findActive(Operation *op, Values &active) {
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (Region &region : op->getRegions())
      if (!region.empty()) {
        findActive(region.front(), active);
        flow(region.front().getTerminator()->getOperands(), op->getResults(), active);
      }
    return;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    flow(loop.getInits(), loop.getBeforeArguments(), active);
    for (size_t before = ~size_t(0); before != active.size();) {
      before = active.size();
      findActive(*loop.getBeforeBody(), active);
      flow(loop.getConditionOp().getArgs(), loop.getAfterArguments(), active);
      findActive(*loop.getAfterBody(), active);
      flow(loop.getYieldOp().getOperands(), loop.getBeforeArguments(), active);
    }
    flow(loop.getConditionOp().getArgs(), op->getResults(), active);
    return;
  }
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    flow(loop.getInitArgs(), loop.getRegionIterArgs(), active);
    for (size_t before = ~size_t(0); before != active.size();) {
      before = active.size();
      findActive(*loop.getBody(), active);
      flow(loop.getBody()->getTerminator()->getOperands(), loop.getRegionIterArgs(), active);
    }
    flow(loop.getRegionIterArgs(), op->getResults(), active);
    return;
  }
  if (readsAny(op, [&](Value v) { return active.contains(v); }))
    for (Value result : op->getResults())
      if (hasTangent(result.getType()))
        active.insert(result);
}

/// The positions of the values that are active.
SmallVector<unsigned> activeAmong(ValueRange values, const Values &active) {
  SmallVector<unsigned> numbers;
  for (auto [i, value] : llvm::enumerate(values))
    if (active.contains(value))
      numbers.push_back(static_cast<unsigned>(i));
  return numbers;
}

/// Adds the tangents of some of the terminator's operands after the others.
void passOn(Operation *terminator, ValueRange values, ArrayRef<unsigned> numbers, TypeRange types,
            const Tangents &tangents) {
  OpBuilder builder(terminator);
  SmallVector<Value> operands(terminator->getOperands());
  for (auto [number, type] : llvm::zip(numbers, types)) {
    Value tangent = tangentOrZero(builder, values[number], tangents);
    operands.push_back(widened(builder, terminator->getLoc(), tangent, type));
  }
  terminator->setOperands(operands);
}

SmallVector<Type> typesAt(ValueRange values, ArrayRef<unsigned> numbers) {
  SmallVector<Type> types;
  for (unsigned number : numbers)
    types.push_back(values[number].getType());
  return types;
}

/// Replaces `op` by `created`, whose further results are the tangents of those in `numbers`.
void replace(Operation *op, Operation *created, ArrayRef<unsigned> numbers, Tangents &tangents) {
  unsigned own = op->getNumResults();
  op->replaceAllUsesWith(created->getResults().take_front(own));
  for (auto [i, number] : llvm::enumerate(numbers))
    tangents[created->getResult(number)] = created->getResult(own + static_cast<unsigned>(i));
  op->erase();
}

LogicalResult pushThroughBranch(scf::IfOp op, Tangents &tangents, ArrayRef<unsigned> numbers) {
  OpBuilder builder(op);
  SmallVector<Type> types(op.getResultTypes()), added = typesAt(op.getResults(), numbers);
  llvm::append_range(types, added);
  auto created = scf::IfOp::create(builder, op.getLoc(), types, op.getCondition(), /*withElseRegion=*/false);
  for (auto [from, to] : llvm::zip(op->getRegions(), created->getRegions())) {
    to.takeBody(from);
    if (to.empty())
      continue;
    if (failed(pushForward(to.front(), tangents)))
      return failure();
    Operation *yield = to.front().getTerminator();
    passOn(yield, SmallVector<Value>(yield->getOperands()), numbers, added, tangents);
  }
  replace(op, created, numbers, tangents);
  return success();
}

LogicalResult pushThroughLoop(scf::WhileOp op, Tangents &tangents, const Values &active) {
  SmallVector<unsigned> carried = activeAmong(op.getBeforeArguments(), active),
                        passed = activeAmong(op.getAfterArguments(), active);
  SmallVector<Type> carriedTypes = typesAt(op.getBeforeArguments(), carried),
                    passedTypes = typesAt(op.getAfterArguments(), passed), types(op.getResultTypes());
  llvm::append_range(types, passedTypes);
  OpBuilder builder(op);
  SmallVector<Value> inits(op.getInits());
  for (auto [number, type] : llvm::zip(carried, carriedTypes))
    inits.push_back(
        widened(builder, op.getLoc(), tangentOrZero(builder, op.getInits()[number], tangents), type));
  auto created = scf::WhileOp::create(builder, op.getLoc(), types, inits);
  created.getBefore().takeBody(op.getBefore());
  created.getAfter().takeBody(op.getAfter());
  auto addArguments = [&](Block &block, ArrayRef<unsigned> numbers, ArrayRef<Type> added) {
    for (auto [number, type] : llvm::zip(numbers, added))
      tangents[block.getArgument(number)] = block.addArgument(type, op.getLoc());
  };
  addArguments(*created.getBeforeBody(), carried, carriedTypes);
  addArguments(*created.getAfterBody(), passed, passedTypes);
  if (failed(pushForward(*created.getBeforeBody(), tangents)))
    return failure();
  passOn(created.getConditionOp(), SmallVector<Value>(created.getConditionOp().getArgs()), passed,
         passedTypes, tangents);
  if (failed(pushForward(*created.getAfterBody(), tangents)))
    return failure();
  passOn(created.getYieldOp(), SmallVector<Value>(created.getYieldOp().getOperands()), carried, carriedTypes,
         tangents);
  replace(op, created, passed, tangents);
  return success();
}

LogicalResult pushThroughFor(scf::ForOp op, Tangents &tangents, const Values &active) {
  SmallVector<unsigned> carried = activeAmong(op.getRegionIterArgs(), active);
  SmallVector<Type> types = typesAt(op.getRegionIterArgs(), carried);
  OpBuilder builder(op);
  SmallVector<Value> inits(op.getInitArgs());
  for (auto [number, type] : llvm::zip(carried, types))
    inits.push_back(
        widened(builder, op.getLoc(), tangentOrZero(builder, op.getInitArgs()[number], tangents), type));
  auto created =
      scf::ForOp::create(builder, op.getLoc(), op.getLowerBound(), op.getUpperBound(), op.getStep(), inits);
  created->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  created.getRegion().takeBody(op.getRegion());
  Block &body = *created.getBody();
  for (auto [number, type] : llvm::zip(carried, types))
    tangents[created.getRegionIterArgs()[number]] = body.addArgument(type, op.getLoc());
  if (failed(pushForward(body, tangents)))
    return failure();
  passOn(body.getTerminator(), SmallVector<Value>(body.getTerminator()->getOperands()), carried, types,
         tangents);
  replace(op, created, carried, tangents);
  return success();
}

} // namespace

bool readsAny(Operation *op, llvm::function_ref<bool(Value)> isOne) {
  auto walk = op->walk([&](Operation *inside) {
    return llvm::any_of(inside->getOperands(), isOne) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

Value tangentOrZero(OpBuilder &builder, Value value, const Tangents &tangents) {
  if (Value tangent = tangents.lookup(value))
    return tangent;
  return zerosLikeAny(builder, value.getLoc(), value);
}

LogicalResult pushThroughControlFlow(Operation *op, Tangents &tangents) {
  Values active(tangents);
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
