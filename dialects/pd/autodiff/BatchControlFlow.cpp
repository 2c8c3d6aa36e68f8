//! Batching of scf.if and scf.while. A condition that is the same for all examples stays one. Where it
//! differs, both arms of a branch are computed and selected from, and a loop runs until no example goes on;
//! those that have ended keep what they had.
#include "dialects/pd/Types.h"
#include "dialects/pd/autodiff/BatchingRules.h"
#include "dialects/pd/autodiff/CountedLoop.h"
#include "dialects/pd/control/Control.h"
#include "dialects/pd/math/Math.h"
#include "dialects/pd/reduce/Reduce.h"
#include "dialects/pd/shape/Shape.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace proa::pd {
namespace {

using Values = llvm::DenseSet<Value>;

void flow(ValueRange from, ValueRange to, Values &differing) {
  for (auto [source, target] : llvm::zip(from, to))
    if (differing.contains(source))
      differing.insert(target);
}

/// Finds the values that may differ from example to example, given some of them.
void findDiffering(Batcher &batcher, Operation *op, Values &differing) {
  auto differs = [&](Value value) { return differing.contains(value) || batcher.isBatched(value); };
  auto findIn = [&](Block &block) {
    for (Operation &inner : block)
      findDiffering(batcher, &inner, differing);
  };
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    bool all = differs(branch.getCondition());
    for (Region &arm : op->getRegions()) {
      if (arm.empty())
        continue;
      findIn(arm.front());
      for (auto [source, target] : llvm::zip(arm.front().getTerminator()->getOperands(), op->getResults()))
        if (all || differs(source))
          differing.insert(target);
    }
    return;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    for (auto [init, argument] : llvm::zip(loop.getInits(), loop.getBeforeArguments()))
      if (differs(init))
        differing.insert(argument);
    for (size_t before = ~size_t(0); before != differing.size();) {
      before = differing.size();
      findIn(*loop.getBeforeBody());
      bool all = differs(loop.getConditionOp().getCondition());
      for (auto [source, target] : llvm::zip(loop.getConditionOp().getArgs(), loop.getAfterArguments()))
        if (all || differs(source))
          differing.insert(target);
      findIn(*loop.getAfterBody());
      flow(loop.getYieldOp().getOperands(), loop.getBeforeArguments(), differing);
      for (auto [source, target] : llvm::zip(loop.getYieldOp().getOperands(), loop.getBeforeArguments()))
        if (differs(source))
          differing.insert(target);
    }
    flow(loop.getAfterArguments(), op->getResults(), differing);
    return;
  }
  // Extents are the same for all.
  if (isa<ShapeOp, DimOp, ArrayLengthOp>(op))
    return;
  bool any = false;
  op->walk([&](Operation *inner) { any |= llvm::any_of(inner->getOperands(), differs); });
  if (any)
    differing.insert(op->result_begin(), op->result_end());
}

/// `x` where the condition of its example holds, else `y`; null for what can't be selected.
Value select(OpBuilder &builder, Operation *op, Value condition, Value x, Value y) {
  auto type = dyn_cast<RankedTensorType>(x.getType());
  if (!type)
    return {};
  TensorBuilder e(builder, op);
  SmallVector<Extent> shape(type.getRank(), Extent(1));
  shape[0] = Extent(e.wrap(condition), 0);
  return WhereOp::create(builder, op->getLoc(), reshapeTo(e.wrap(condition), shape), x, y);
}

class ControlFlowBatcher {
public:
  ControlFlowBatcher(Batcher &batcher, Operation *op) : batcher(batcher), builder(batcher.builder), op(op) {
    findDiffering(batcher, op, differing);
  }

  LogicalResult branch(scf::IfOp branch) {
    if (batcher.isBatched(branch.getCondition()))
      return bothArms(branch);
    SmallVector<Type> types;
    for (Value result : branch.getResults())
      types.push_back(typeOf(result));
    auto made = scf::IfOp::create(builder, op->getLoc(), types, batcher.plain(branch.getCondition()),
                                  !branch.getElseRegion().empty());
    for (auto [from, to] : llvm::zip(op->getRegions(), made->getRegions())) {
      if (from.empty())
        continue;
      OpBuilder::InsertionGuard guard(builder);
      if (to.empty())
        to.emplaceBlock();
      for (Operation &old : llvm::make_early_inc_range(to.front()))
        old.erase();
      builder.setInsertionPointToStart(&to.front());
      if (failed(batcher.write(from.front())))
        return failure();
      scf::YieldOp::create(builder, op->getLoc(),
                           asTypes(from.front().getTerminator()->getOperands(), branch.getResults(), types));
    }
    mapAll(branch.getResults(), made.getResults());
    return success();
  }

  LogicalResult loop(scf::WhileOp loop) {
    Value condition = loop.getConditionOp().getCondition();
    return differing.contains(condition) || batcher.isBatched(condition) ? untilAllEnd(loop) : together(loop);
  }

private:
  bool differs(Value value) const { return differing.contains(value); }
  Type typeOf(Value value) const {
    return differs(value) ? batcher.batchedType(value.getType()) : value.getType();
  }

  /// What stands for the values, batched where those that they become are, widened to the types.
  SmallVector<Value> asTypes(ValueRange values, ValueRange become, ArrayRef<Type> types) {
    SmallVector<Value> out;
    for (auto [value, target, type] : llvm::zip(values, become, types)) {
      Value found = differs(target) ? batcher.batched(value) : batcher.plain(value);
      out.push_back(widened(builder, op->getLoc(), found, type));
    }
    return out;
  }

  void mapAll(ValueRange originals, ValueRange values) {
    for (auto [original, value] : llvm::zip(originals, values))
      batcher.map(original, Batched(value, differs(original)));
  }

  LogicalResult refuse(const char *what) {
    return op->emitError() << "'" << op->getName().getStringRef() << "' can not be batched: " << what;
  }

  LogicalResult bothArms(scf::IfOp branch) {
    for (Region &arm : op->getRegions())
      for (Operation &inner : arm.getOps())
        if (!isMemoryEffectFree(&inner) && !inner.hasTrait<OpTrait::IsTerminator>())
          return refuse("its condition differs from example to example, and an arm does more than compute");
    Value condition = batcher.batched(branch.getCondition());
    SmallVector<SmallVector<Value>> given;
    for (Region &arm : op->getRegions()) {
      if (arm.empty())
        return success(); // no results
      if (failed(batcher.write(arm.front())))
        return failure();
      given.push_back(llvm::map_to_vector(arm.front().getTerminator()->getOperands(),
                                          [&](Value value) { return batcher.batched(value); }));
    }
    for (auto [result, x, y] : llvm::zip(branch.getResults(), given[0], given[1])) {
      Value chosen = select(builder, op, condition, x, y);
      if (!chosen)
        return refuse("its condition differs from example to example, and an arm gives a tensor array");
      batcher.map(result, Batched(chosen));
    }
    return success();
  }

  /// All examples go on equally long.
  LogicalResult together(scf::WhileOp loop) {
    SmallVector<Type> before, after;
    for (Value argument : loop.getBeforeArguments())
      before.push_back(typeOf(argument));
    for (Value argument : loop.getAfterArguments())
      after.push_back(typeOf(argument));
    SmallVector<Value> inits = asTypes(loop.getInits(), loop.getBeforeArguments(), before);
    auto made = scf::WhileOp::create(builder, op->getLoc(), after, inits);
    OpBuilder::InsertionGuard guard(builder);
    auto begin = [&](Region &region, ArrayRef<Type> types, ValueRange originals) {
      Block *block =
          builder.createBlock(&region, {}, types, SmallVector<Location>(types.size(), op->getLoc()));
      mapAll(originals, block->getArguments());
    };
    begin(made.getBefore(), before, loop.getBeforeArguments());
    if (failed(batcher.write(*loop.getBeforeBody())))
      return failure();
    scf::ConditionOp::create(builder, op->getLoc(), batcher.plain(loop.getConditionOp().getCondition()),
                             asTypes(loop.getConditionOp().getArgs(), loop.getAfterArguments(), after));
    begin(made.getAfter(), after, loop.getAfterArguments());
    if (failed(batcher.write(*loop.getAfterBody())))
      return failure();
    scf::YieldOp::create(builder, op->getLoc(),
                         asTypes(loop.getYieldOp().getOperands(), loop.getBeforeArguments(), before));
    for (Value result : loop.getResults())
      if (differs(loop.getAfterArguments()[cast<OpResult>(result).getResultNumber()]))
        differing.insert(result);
    mapAll(loop.getResults(), made.getResults());
    return success();
  }

  /// The test, whose condition is one for each example: that condition, and what it passes on.
  FailureOr<std::pair<Value, SmallVector<Value>>> test(scf::WhileOp loop, ValueRange arguments) {
    for (auto [argument, value] : llvm::zip(loop.getBeforeArguments(), arguments))
      batcher.map(argument, Batched(value));
    if (failed(batcher.write(*loop.getBeforeBody())))
      return failure();
    SmallVector<Value> passed = llvm::map_to_vector(loop.getConditionOp().getArgs(),
                                                    [&](Value value) { return batcher.batched(value); });
    return std::pair(batcher.batched(loop.getConditionOp().getCondition()), passed);
  }

  LogicalResult untilAllEnd(scf::WhileOp loop) {
    Location location = op->getLoc();
    SmallVector<Value> inits =
        llvm::map_to_vector(loop.getInits(), [&](Value value) { return batcher.batched(value); });
    auto first = test(loop, inits);
    if (failed(first))
      return failure();
    SmallVector<Value> carried = first->second;
    SmallVector<Type> types;
    for (auto [value, argument] : llvm::zip(carried, loop.getAfterArguments())) {
      if (!isa<RankedTensorType>(value.getType()))
        return refuse("its condition differs from example to example, and it carries a tensor array");
      types.push_back(batcher.batchedType(argument.getType()));
      value = widened(builder, location, value, types.back());
    }
    carried.push_back(first->first);
    types.push_back(first->first.getType());
    auto made = scf::WhileOp::create(builder, location, types, carried);
    OpBuilder::InsertionGuard guard(builder);
    SmallVector<Location> locations(types.size(), location);
    Block *before = builder.createBlock(&made.getBefore(), {}, types, locations);
    Value any = AnyOp::create(builder, location, before->getArguments().back(), ArrayRef<int64_t>{0}, false);
    scf::ConditionOp::create(builder, location, asCondition(builder, location, any), before->getArguments());
    Block *after = builder.createBlock(&made.getAfter(), {}, types, locations);
    Value goesOn = after->getArguments().back();
    for (auto [original, value] : llvm::zip(loop.getAfterArguments(), after->getArguments().drop_back()))
      batcher.map(original, Batched(value));
    if (failed(batcher.write(*loop.getAfterBody())))
      return failure();
    auto next = test(loop, llvm::map_to_vector(loop.getYieldOp().getOperands(),
                                               [&](Value value) { return batcher.batched(value); }));
    if (failed(next))
      return failure();
    SmallVector<Value> yielded;
    for (auto [value, kept, type] : llvm::zip(next->second, after->getArguments().drop_back(), types))
      yielded.push_back(widened(builder, location, select(builder, op, goesOn, value, kept), type));
    yielded.push_back(LogicalAndOp::create(builder, location, goesOn, next->first));
    scf::YieldOp::create(builder, location, yielded);
    for (auto [original, value] : llvm::zip(loop.getResults(), made.getResults().drop_back()))
      batcher.map(original, Batched(value));
    return success();
  }

  Batcher &batcher;
  OpBuilder &builder;
  Operation *op;
  Values differing;
};

} // namespace

LogicalResult writeBatchedControlFlow(Batcher &batcher, Operation *op) {
  ControlFlowBatcher writer(batcher, op);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return writer.branch(branch);
  return writer.loop(cast<scf::WhileOp>(op));
}

} // namespace proa::pd
