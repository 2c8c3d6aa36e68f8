//! Batching of scf.if and scf.while. A condition that is equal for all examples stays a scalar. If it
//! differs, both branches of an scf.if are computed and selected by example, and an scf.while runs until all
//! examples have finished; finished examples keep their last state.
#include "dialects/pd/autodiff/BatchingRules.h"
#include "dialects/pd/autodiff/CountedLoop.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/autodiff/RecomputeOps.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/reduce/ReduceOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace proa::pd {
namespace {

using Values = llvm::DenseSet<Value>;

/// Propagates membership in `differing` from each source to its target.
void flow(ValueRange from, ValueRange to, Values &differing) {
  for (auto [source, target] : llvm::zip(from, to))
    if (differing.contains(source))
      differing.insert(target);
}

/// Adds the values of the op's regions and its results that may differ between examples.
void findDiffering(Batcher &batcher, Operation *op, Values &differing) {
  auto differs = [&](Value value) { return differing.contains(value) || batcher.isBatched(value); };
  auto findIn = [&](Block &block) {
    for (Operation &inner : block)
      findDiffering(batcher, &inner, differing);
  };
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    bool all = differs(branch.getCondition());
    for (Region &region : op->getRegions()) {
      if (region.empty())
        continue;
      findIn(region.front());
      for (auto [source, target] : llvm::zip(region.front().getTerminator()->getOperands(), op->getResults()))
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
  if (op->hasTrait<SameForAllExamples>())
    return;
  bool any = false;
  op->walk([&](Operation *inner) { any |= llvm::any_of(inner->getOperands(), differs); });
  if (any)
    differing.insert(op->result_begin(), op->result_end());
}

/// `x` for the examples whose condition holds, else `y`; null if the value is not a tensor.
Value select(OpBuilder &builder, Operation *op, Value condition, Value x, Value y) {
  auto type = dyn_cast<RankedTensorType>(x.getType());
  if (!type)
    return {};
  TensorBuilder e(builder, op);
  SmallVector<DimSize> shape(type.getRank(), DimSize(1));
  shape[0] = DimSize(e.wrap(condition), 0);
  return WhereOp::create(builder, op->getLoc(), reshapeTo(e.wrap(condition), shape), x, y);
}

/// Whether a value is defined in the regions of an op. Unlike MLIR's queries it accepts a region without a
/// parent op, in which rules create ops.
bool isInside(Operation *op, Value value) {
  if (Operation *producer = value.getDefiningOp())
    return op->isProperAncestor(producer);
  Operation *owner = cast<BlockArgument>(value).getOwner()->getParentOp();
  return owner && op->isAncestor(owner);
}

class ControlFlowBatcher {
public:
  ControlFlowBatcher(Batcher &batcher, Operation *op) : batcher(batcher), builder(batcher.builder), op(op) {
    findDiffering(batcher, op, differing);
  }

  LogicalResult branch(scf::IfOp branch) {
    if (batcher.isBatched(branch.getCondition()))
      return writeSelect(branch);
    SmallVector<Type> types;
    for (Value result : branch.getResults())
      types.push_back(typeOf(result));
    auto newIf = scf::IfOp::create(builder, op->getLoc(), types, batcher.plain(branch.getCondition()),
                                   !branch.getElseRegion().empty());
    for (auto [from, to] : llvm::zip(op->getRegions(), newIf->getRegions())) {
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
    mapAll(branch.getResults(), newIf.getResults());
    return success();
  }

  LogicalResult loop(scf::WhileOp loop) {
    Value condition = loop.getConditionOp().getCondition();
    bool isMasked = differing.contains(condition) || batcher.isBatched(condition);
    return isMasked ? writeMaskedLoop(loop) : writeUniformLoop(loop);
  }

private:
  bool differs(Value value) const { return differing.contains(value); }
  Type typeOf(Value value) const {
    return differs(value) ? batcher.batchedType(value.getType()) : value.getType();
  }

  /// The new values, batched if the target of the value is, and widened to the types.
  SmallVector<Value> asTypes(ValueRange values, ValueRange targets, ArrayRef<Type> types) {
    SmallVector<Value> out;
    for (auto [value, target, type] : llvm::zip(values, targets, types)) {
      Value newValue = differs(target) ? batcher.batched(value) : batcher.plain(value);
      out.push_back(widened(builder, op->getLoc(), newValue, type));
    }
    return out;
  }

  void mapAll(ValueRange originals, ValueRange values) {
    for (auto [original, value] : llvm::zip(originals, values))
      batcher.map(original, Batched(value, differs(original)));
  }

  LogicalResult refuse(const char *why) { return Batcher::refuse(op, why); }

  /// Computes both branches and selects between their results by example.
  LogicalResult writeSelect(scf::IfOp branch) {
    for (Region &region : op->getRegions())
      for (Operation &inner : region.getOps())
        if (!isMemoryEffectFree(&inner) && !inner.hasTrait<OpTrait::IsTerminator>())
          return refuse("its condition differs between examples, and a branch has side effects");
    Value condition = batcher.batched(branch.getCondition());
    SmallVector<SmallVector<Value>> yielded;
    for (Region &region : op->getRegions()) {
      if (region.empty())
        return success(); // no results
      if (failed(batcher.write(region.front())))
        return failure();
      yielded.push_back(llvm::map_to_vector(region.front().getTerminator()->getOperands(),
                                            [&](Value value) { return batcher.batched(value); }));
    }
    for (auto [result, x, y] : llvm::zip(branch.getResults(), yielded[0], yielded[1])) {
      Value selected = select(builder, op, condition, x, y);
      if (!selected)
        return refuse("its condition differs between examples, and a branch yields a tensor array");
      batcher.map(result, Batched(selected));
    }
    return success();
  }

  /// A loop with one trip count for all examples.
  LogicalResult writeUniformLoop(scf::WhileOp loop) {
    SmallVector<Type> before, after;
    for (Value argument : loop.getBeforeArguments())
      before.push_back(typeOf(argument));
    for (Value argument : loop.getAfterArguments())
      after.push_back(typeOf(argument));
    SmallVector<Value> inits = asTypes(loop.getInits(), loop.getBeforeArguments(), before);
    auto newLoop = scf::WhileOp::create(builder, op->getLoc(), after, inits);
    OpBuilder::InsertionGuard guard(builder);
    auto begin = [&](Region &region, ArrayRef<Type> types, ValueRange originals) {
      Block *block =
          builder.createBlock(&region, {}, types, SmallVector<Location>(types.size(), op->getLoc()));
      mapAll(originals, block->getArguments());
    };
    begin(newLoop.getBefore(), before, loop.getBeforeArguments());
    if (failed(batcher.write(*loop.getBeforeBody())))
      return failure();
    scf::ConditionOp::create(builder, op->getLoc(), batcher.plain(loop.getConditionOp().getCondition()),
                             asTypes(loop.getConditionOp().getArgs(), loop.getAfterArguments(), after));
    begin(newLoop.getAfter(), after, loop.getAfterArguments());
    if (failed(batcher.write(*loop.getAfterBody())))
      return failure();
    scf::YieldOp::create(builder, op->getLoc(),
                         asTypes(loop.getYieldOp().getOperands(), loop.getBeforeArguments(), before));
    for (Value result : loop.getResults())
      if (differs(loop.getAfterArguments()[cast<OpResult>(result).getResultNumber()]))
        differing.insert(result);
    mapAll(loop.getResults(), newLoop.getResults());
    return success();
  }

  /// Creates the loop's test, whose condition is a vector with one element per example. Returns the condition
  /// and the values that the test passes to the body.
  FailureOr<std::pair<Value, SmallVector<Value>>> test(scf::WhileOp loop, ValueRange arguments) {
    for (auto [argument, value] : llvm::zip(loop.getBeforeArguments(), arguments))
      batcher.map(argument, Batched(value));
    if (failed(batcher.write(*loop.getBeforeBody())))
      return failure();
    SmallVector<Value> passed = llvm::map_to_vector(loop.getConditionOp().getArgs(),
                                                    [&](Value value) { return batcher.batched(value); });
    return std::pair(batcher.batched(loop.getConditionOp().getCondition()), passed);
  }

  /// A loop until all examples have finished. It carries the values passed to the body, the condition of each
  /// example, and the common counters.
  LogicalResult writeMaskedLoop(scf::WhileOp loop) {
    Location location = op->getLoc();
    SmallVector<Value> inits =
        llvm::map_to_vector(loop.getInits(), [&](Value value) { return batcher.batched(value); });
    auto first = test(loop, inits);
    if (failed(first))
      return failure();
    SmallVector<Value> carried = first->second;
    for (auto [value, argument] : llvm::zip(carried, loop.getAfterArguments())) {
      if (isa<ArrayType>(argument.getType()) && !isOutputArray(loop, argument))
        return refuse("its condition differs between examples, and it carries a tensor array that it reads "
                      "or writes at an index other than a loop counter");
      value = widened(builder, location, value, batcher.batchedType(argument.getType()));
    }
    carried.push_back(first->first);
    CommonCounters common = findCommon(loop);
    for (auto [argument, initIndex] : common)
      carried.push_back(batcher.plain(loop.getInits()[initIndex]));
    SmallVector<Type> types(ValueRange(carried).getTypes());
    auto newLoop = scf::WhileOp::create(builder, location, types, carried);
    OpBuilder::InsertionGuard guard(builder);
    SmallVector<Location> locations(types.size(), location);
    size_t own = loop.getAfterArguments().size();
    Block *before = builder.createBlock(&newLoop.getBefore(), {}, types, locations);
    Value any = AnyOp::create(builder, location, before->getArgument(own), ArrayRef<int64_t>{0}, false);
    scf::ConditionOp::create(builder, location, asCondition(builder, location, any), before->getArguments());
    Block *after = builder.createBlock(&newLoop.getAfter(), {}, types, locations);
    Value isRunning = after->getArgument(own);
    for (auto [original, value] : llvm::zip(loop.getAfterArguments(), after->getArguments().take_front(own)))
      batcher.map(original, Batched(value));
    SmallVector<Value> nextCounters = advance(loop, common, after->getArguments().drop_front(own + 1));
    if (failed(batcher.write(*loop.getAfterBody())))
      return failure();
    auto next = test(loop, llvm::map_to_vector(loop.getYieldOp().getOperands(),
                                               [&](Value value) { return batcher.batched(value); }));
    if (failed(next))
      return failure();
    SmallVector<Value> yielded;
    for (auto [value, kept, type] : llvm::zip(next->second, after->getArguments().take_front(own), types)) {
      // Elements that a finished example writes to an output array are never read.
      Value selected = isa<ArrayType>(type) ? value : select(builder, op, isRunning, value, kept);
      yielded.push_back(widened(builder, location, selected, type));
    }
    yielded.push_back(LogicalAndOp::create(builder, location, isRunning, next->first));
    llvm::append_range(yielded, nextCounters);
    scf::YieldOp::create(builder, location, yielded);
    for (auto [original, value] : llvm::zip(loop.getResults(), newLoop.getResults().take_front(own)))
      batcher.map(original, Batched(value));
    return success();
  }

  /// Body arguments that are equal for all running examples, each with its index among the loop's inits.
  using CommonCounters = llvm::MapVector<Value, unsigned>;

  /// Integers with equal initial values for all examples, whose next values depend only on such integers.
  CommonCounters findCommon(scf::WhileOp loop) {
    CommonCounters common;
    for (auto [value, argument] : llvm::zip(loop.getConditionOp().getArgs(), loop.getAfterArguments())) {
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      auto passed = dyn_cast<BlockArgument>(value);
      if (type && type.hasStaticShape() && type.getElementType().isInteger() && passed &&
          passed.getOwner() == loop.getBeforeBody() &&
          !batcher.isBatched(loop.getInits()[passed.getArgNumber()]))
        common.insert({argument, passed.getArgNumber()});
    }
    auto dependsOnOthers = [&](auto &entry) {
      return !isCommon(loop, loop.getYieldOp().getOperand(entry.second), common);
    };
    for (size_t before = common.size() + 1; before != common.size();) {
      before = common.size();
      common.remove_if(dependsOnOthers);
    }
    return common;
  }

  bool isCommon(scf::WhileOp loop, Value value, const CommonCounters &common) {
    if (!isInside(loop, value))
      return !batcher.isBatched(value);
    Operation *producer = value.getDefiningOp();
    if (!producer)
      return common.count(value) != 0;
    return producer->getNumRegions() == 0 && isMemoryEffectFree(producer) &&
           llvm::all_of(producer->getOperands(),
                        [&](Value operand) { return isCommon(loop, operand, common); });
  }

  /// Computes the next values of the counters and allows the body to use the current ones as array indices.
  SmallVector<Value> advance(scf::WhileOp loop, const CommonCounters &common, ValueRange current) {
    IRMapping mapping;
    for (auto [entry, counter] : llvm::zip(common, current)) {
      mapping.map(entry.first, counter);
      batcher.setCommon(entry.first, counter);
    }
    SmallVector<Value> next;
    for (auto [argument, initIndex] : common)
      next.push_back(copyOf(loop, loop.getYieldOp().getOperand(initIndex), mapping));
    return next;
  }

  /// Clones the ops of the loop that compute the value.
  Value copyOf(scf::WhileOp loop, Value value, IRMapping &mapping) {
    if (Value mapped = mapping.lookupOrNull(value))
      return mapped;
    if (!isInside(loop, value))
      return batcher.plain(value);
    Operation *producer = value.getDefiningOp();
    for (Value operand : producer->getOperands())
      mapping.map(operand, copyOf(loop, operand, mapping));
    builder.clone(*producer, mapping);
    return mapping.lookup(value);
  }

  /// Whether an array is only written in the loop, at a common counter, and only read after the loop.
  bool isOutputArray(scf::WhileOp loop, BlockArgument argument) {
    CommonCounters common = findCommon(loop);
    auto isUsedBy = [](Value value, llvm::function_ref<bool(Operation *)> allowed) {
      SmallVector<Value> aliases{value};
      while (!aliases.empty())
        for (Operation *user : aliases.pop_back_val().getUsers()) {
          if (!allowed(user))
            return false;
          if (isa<ArrayCastOp, ArrayWriteOp>(user))
            aliases.push_back(user->getResult(0));
        }
      return true;
    };
    return isUsedBy(argument,
                    [&](Operation *user) {
                      if (auto write = dyn_cast<ArrayWriteOp>(user))
                        return common.count(write.getIndex()) != 0;
                      return isa<ArrayCastOp, scf::YieldOp>(user);
                    }) &&
           isUsedBy(loop.getResult(argument.getArgNumber()),
                    [](Operation *user) { return isa<ArrayCastOp, ArrayReadOp>(user); });
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
