//! Batching of scf.if and scf.while. A condition that is the same for all examples stays one. Where it
//! differs, both regions of a branch are computed and selected from, and a loop runs until the last example
//! ends; finished examples keep their last values.
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
  // Dims are the same for all, and a schedule is that of the example with most iterations.
  if (isa<ShapeOp, DimOp, ArrayLengthOp, BinomialScheduleOp>(op))
    return;
  bool any = false;
  op->walk([&](Operation *inner) { any |= llvm::any_of(inner->getOperands(), differs); });
  if (any)
    differing.insert(op->result_begin(), op->result_end());
}

/// `x` where the condition of its example holds, else `y`; null for values that cannot be selected.
Value select(OpBuilder &builder, Operation *op, Value condition, Value x, Value y) {
  auto type = dyn_cast<RankedTensorType>(x.getType());
  if (!type)
    return {};
  TensorBuilder e(builder, op);
  SmallVector<DimSize> shape(type.getRank(), DimSize(1));
  shape[0] = DimSize(e.wrap(condition), 0);
  return WhereOp::create(builder, op->getLoc(), reshapeTo(e.wrap(condition), shape), x, y);
}

/// Whether a value is defined in the regions of an op. Batched code may be in a region without an op, which
/// Region::isAncestor does not expect.
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
      return bothArms(branch);
    SmallVector<Type> types;
    for (Value result : branch.getResults())
      types.push_back(typeOf(result));
    auto created = scf::IfOp::create(builder, op->getLoc(), types, batcher.plain(branch.getCondition()),
                                     !branch.getElseRegion().empty());
    for (auto [from, to] : llvm::zip(op->getRegions(), created->getRegions())) {
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
    mapAll(branch.getResults(), created.getResults());
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

  /// The values in the batched form, batched where their targets are, widened to the types.
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

  LogicalResult refuse(const char *what) { return Batcher::refuse(op, what); }

  LogicalResult bothArms(scf::IfOp branch) {
    for (Region &region : op->getRegions())
      for (Operation &inner : region.getOps())
        if (!isMemoryEffectFree(&inner) && !inner.hasTrait<OpTrait::IsTerminator>())
          return refuse("its condition differs from example to example, and a region does more than compute");
    Value condition = batcher.batched(branch.getCondition());
    SmallVector<SmallVector<Value>> given;
    for (Region &region : op->getRegions()) {
      if (region.empty())
        return success(); // no results
      if (failed(batcher.write(region.front())))
        return failure();
      given.push_back(llvm::map_to_vector(region.front().getTerminator()->getOperands(),
                                          [&](Value value) { return batcher.batched(value); }));
    }
    for (auto [result, x, y] : llvm::zip(branch.getResults(), given[0], given[1])) {
      Value chosen = select(builder, op, condition, x, y);
      if (!chosen)
        return refuse("its condition differs from example to example, and a region gives a tensor array");
      batcher.map(result, Batched(chosen));
    }
    return success();
  }

  /// A loop whose condition is the same for all examples.
  LogicalResult together(scf::WhileOp loop) {
    SmallVector<Type> before, after;
    for (Value argument : loop.getBeforeArguments())
      before.push_back(typeOf(argument));
    for (Value argument : loop.getAfterArguments())
      after.push_back(typeOf(argument));
    SmallVector<Value> inits = asTypes(loop.getInits(), loop.getBeforeArguments(), before);
    auto created = scf::WhileOp::create(builder, op->getLoc(), after, inits);
    OpBuilder::InsertionGuard guard(builder);
    auto begin = [&](Region &region, ArrayRef<Type> types, ValueRange originals) {
      Block *block =
          builder.createBlock(&region, {}, types, SmallVector<Location>(types.size(), op->getLoc()));
      mapAll(originals, block->getArguments());
    };
    begin(created.getBefore(), before, loop.getBeforeArguments());
    if (failed(batcher.write(*loop.getBeforeBody())))
      return failure();
    scf::ConditionOp::create(builder, op->getLoc(), batcher.plain(loop.getConditionOp().getCondition()),
                             asTypes(loop.getConditionOp().getArgs(), loop.getAfterArguments(), after));
    begin(created.getAfter(), after, loop.getAfterArguments());
    if (failed(batcher.write(*loop.getAfterBody())))
      return failure();
    scf::YieldOp::create(builder, op->getLoc(),
                         asTypes(loop.getYieldOp().getOperands(), loop.getBeforeArguments(), before));
    for (Value result : loop.getResults())
      if (differs(loop.getAfterArguments()[cast<OpResult>(result).getResultNumber()]))
        differing.insert(result);
    mapAll(loop.getResults(), created.getResults());
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
    for (auto [value, argument] : llvm::zip(carried, loop.getAfterArguments())) {
      if (isa<ArrayType>(argument.getType()) && !isRecord(loop, argument))
        return refuse("its condition differs from example to example, and it carries a tensor array that it "
                      "does not only "
                      "write one element an iteration to, for others to read");
      value = widened(builder, location, value, batcher.batchedType(argument.getType()));
    }
    carried.push_back(first->first);
    // After the values of each example: counters, as running examples have them.
    CommonNumbers common = findCommon(loop);
    for (auto [argument, place] : common)
      carried.push_back(batcher.plain(loop.getInits()[place]));
    SmallVector<Type> types(ValueRange(carried).getTypes());
    auto created = scf::WhileOp::create(builder, location, types, carried);
    OpBuilder::InsertionGuard guard(builder);
    SmallVector<Location> locations(types.size(), location);
    size_t own = loop.getAfterArguments().size();
    Block *before = builder.createBlock(&created.getBefore(), {}, types, locations);
    Value any = AnyOp::create(builder, location, before->getArgument(own), ArrayRef<int64_t>{0}, false);
    scf::ConditionOp::create(builder, location, asCondition(builder, location, any), before->getArguments());
    Block *after = builder.createBlock(&created.getAfter(), {}, types, locations);
    Value goesOn = after->getArgument(own);
    for (auto [original, value] : llvm::zip(loop.getAfterArguments(), after->getArguments().take_front(own)))
      batcher.map(original, Batched(value));
    SmallVector<Value> nextNumbers = advance(loop, common, after->getArguments().drop_front(own + 1));
    if (failed(batcher.write(*loop.getAfterBody())))
      return failure();
    auto next = test(loop, llvm::map_to_vector(loop.getYieldOp().getOperands(),
                                               [&](Value value) { return batcher.batched(value); }));
    if (failed(next))
      return failure();
    SmallVector<Value> yielded;
    for (auto [value, kept, type] : llvm::zip(next->second, after->getArguments().take_front(own), types)) {
      // Nothing reads what a finished example writes to an array.
      Value chosen = isa<ArrayType>(type) ? value : select(builder, op, goesOn, value, kept);
      yielded.push_back(widened(builder, location, chosen, type));
    }
    yielded.push_back(LogicalAndOp::create(builder, location, goesOn, next->first));
    llvm::append_range(yielded, nextNumbers);
    scf::YieldOp::create(builder, location, yielded);
    for (auto [original, value] : llvm::zip(loop.getResults(), created.getResults().take_front(own)))
      batcher.map(original, Batched(value));
    return success();
  }

  /// Arguments of the body that are the same for all running examples, each with its index among the
  /// loop's inits.
  using CommonNumbers = llvm::MapVector<Value, unsigned>;

  /// Numbers that begin equal for all examples and whose next value depends on such numbers alone.
  CommonNumbers findCommon(scf::WhileOp loop) {
    CommonNumbers common;
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

  bool isCommon(scf::WhileOp loop, Value value, const CommonNumbers &common) {
    if (!isInside(loop, value))
      return !batcher.isBatched(value);
    Operation *producer = value.getDefiningOp();
    if (!producer)
      return common.count(value) != 0;
    return producer->getNumRegions() == 0 && isMemoryEffectFree(producer) &&
           llvm::all_of(producer->getOperands(),
                        [&](Value operand) { return isCommon(loop, operand, common); });
  }

  /// The counters' next values, and what they are now as what the body may write arrays at.
  SmallVector<Value> advance(scf::WhileOp loop, const CommonNumbers &common, ValueRange now) {
    IRMapping mapping;
    for (auto [entry, number] : llvm::zip(common, now)) {
      mapping.map(entry.first, number);
      batcher.setCommon(entry.first, number);
    }
    SmallVector<Value> next;
    for (auto [argument, place] : common)
      next.push_back(copyOf(loop, loop.getYieldOp().getOperand(place), mapping));
    return next;
  }

  Value copyOf(scf::WhileOp loop, Value value, IRMapping &mapping) {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    if (!isInside(loop, value))
      return batcher.plain(value);
    Operation *producer = value.getDefiningOp();
    for (Value operand : producer->getOperands())
      mapping.map(operand, copyOf(loop, operand, mapping));
    builder.clone(*producer, mapping);
    return mapping.lookup(value);
  }

  /// Whether an array is only written in the loop, at a counter, and after the loop only read.
  bool isRecord(scf::WhileOp loop, BlockArgument argument) {
    CommonNumbers common = findCommon(loop);
    auto isUsedBy = [](Value value, llvm::function_ref<bool(Operation *)> allowed) {
      SmallVector<Value> names{value};
      while (!names.empty())
        for (Operation *user : names.pop_back_val().getUsers()) {
          if (!allowed(user))
            return false;
          if (isa<ArrayCastOp, ArrayWriteOp>(user))
            names.push_back(user->getResult(0));
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
