//! The gradient of an scf.for in bounded memory. It is created as a pd.vjp around the loop alone, which can
//! be differentiated again: with g = J(x)^T u, the gradient of <v, g> by u is J(x) v, and by x it is the
//! gradient of <J(x) v, u>, where J(x) v is the loop in forward mode, again a loop in bounded memory. It is
//! decomposed to a loop over the actions of binomial checkpointing.
#include "dialects/pd/autodiff/ForLoop.h"

#include "dialects/pd/autodiff/ArrayGradient.h"
#include "dialects/pd/autodiff/Autodiff.h"
#include "dialects/pd/autodiff/CountedLoop.h"
#include "dialects/pd/autodiff/ForwardControlFlow.h"
#include "dialects/pd/autodiff/LoopStep.h"
#include "dialects/pd/autodiff/RegionGradient.h"
#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ir/Guarded.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/ReplaceResult.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/autodiff/RecomputeOps.h"
#include "dialects/pd/ops/autodiff/VjpOps.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "lib/base/support/BinomialSchedule.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// The indices of the results that have gradients.
SmallVector<unsigned> differentiableResults(scf::ForOp loop) {
  SmallVector<unsigned> indices;
  for (auto [i, type] : llvm::enumerate(loop.getResultTypes()))
    if (hasTangent(type))
      indices.push_back(static_cast<unsigned>(i));
  return indices;
}

int64_t snapshotsOf(scf::ForOp loop) { return loop->getAttrOfType<IntegerAttr>(snapshotsAttribute).getInt(); }

/// The loop inside a pd.vjp created by differentiateFor(); null for any other pd.vjp. The first inputs of the
/// pd.vjp are the initial values of the differentiable carried values, the others are captured values.
scf::ForOp loopOf(VjpOp op) {
  Block &block = op.getBody().front();
  auto loop = dyn_cast<scf::ForOp>(block.front());
  if (!loop || loop->getNextNode() != block.getTerminator() || !loop->hasAttr(snapshotsAttribute) ||
      !llvm::equal(block.getTerminator()->getOperands(), loop.getResults()))
    return {};
  auto carried = differentiableResults(loop);
  if (block.getNumArguments() < carried.size())
    return {};
  for (auto [i, index] : llvm::enumerate(carried))
    if (loop.getInitArgs()[index] != block.getArgument(i) || !block.getArgument(i).hasOneUse())
      return {};
  return loop;
}

/// The number of values that store the snapshots of one carried value. A tensor needs one array, with an
/// element per slot. An array needs two: the concatenated elements of all slots, and the end of each slot.
size_t storageCount(Type carried) { return isa<ArrayType>(carried) ? 2 : 1; }
size_t storageCount(TypeRange state) {
  size_t count = 0;
  for (Type carried : state)
    count += storageCount(carried);
  return count;
}

/// Creates the loop over actions. It carries the current state, the stored states, the cotangents of the
/// carried values and the accumulated gradients of captured values.
class ActionLoop {
public:
  /// `reads` are the captured values with gradients, as used in the loop's body, and `values` their values at
  /// the builder's insertion point.
  ActionLoop(OpBuilder &builder, scf::ForOp loop, const LoopStep &step, ValueRange reads = {},
             ValueRange values = {})
      : builder(builder), loop(loop), step(step), location(loop.getLoc()), reads(reads), values(values),
        carried(differentiableResults(loop)) {}

  /// The carried values before the first action: the initial state, and empty storage.
  SmallVector<Value> begin(ValueRange state) {
    SmallVector<Value> values(state);
    auto empty = [&](Type type) {
      values.push_back(widened(builder, location, ArrayCreateOp::create(builder, location), type));
    };
    for (Type type : loop.getResultTypes()) {
      bool hasEnds = isa<ArrayType>(type);
      empty(hasEnds ? type : arrayOf(type));
      if (hasEnds)
        empty(arrayOf(RankedTensorType::get({1}, builder.getI64Type())));
    }
    return values;
  }

  /// Actions as vectors: the kind and argument of each action, and the number of actions.
  struct Table {
    Value kinds, arguments, count;
    Value iterations; ///< the trip count if it is dynamic, else null
  };
  Table tableOf(ArrayRef<LoopAction> actions) {
    std::vector<int64_t> kinds, arguments;
    for (const LoopAction &action : actions) {
      kinds.push_back(action.kind);
      arguments.push_back(action.argument);
    }
    return {constant(kinds), constant(arguments),
            oneInt(builder, location, static_cast<int64_t>(actions.size())), Value()};
  }
  /// The actions of a loop with a dynamic trip count.
  Table tableOf(Value iterations, int64_t snapshots) {
    auto schedule =
        BinomialScheduleOp::create(builder, location, iterations, static_cast<uint64_t>(snapshots));
    Value count = DimOp::create(builder, location, schedule.getKinds(), builder.getI64IntegerAttr(0));
    return {schedule.getKinds(), schedule.getNumbers(),
            ReshapeOp::create(builder, location, count, Value(), builder.getDenseI64ArrayAttr({1})),
            iterations};
  }

  /// Runs the actions: returns the state and the stored states after them, and the gradients if `before`
  /// contains gradients.
  SmallVector<Value> run(const Table &table, ValueRange before) {
    size_t stateCount = loop.getNumResults(), keptCount = storageCount(loop.getResultTypes());
    return countedLoop(
        builder, location, table.count, before, [&](OpBuilder &inside, Value index, ValueRange values) {
          kind = at(inside, table.kinds, index);
          argument = at(inside, table.arguments, index);
          setIteration(inside, table.iterations);
          ValueRange state = values.take_front(stateCount), kept = values.slice(stateCount, keptCount),
                     gradients = values.drop_front(stateCount + keptCount);
          SmallVector<Value> next = stepOrRestore(inside, state, kept);
          llvm::append_range(next, store(inside, state, kept));
          if (!gradients.empty())
            llvm::append_range(next, reverse(inside, state, gradients));
          return next;
        });
  }

  /// The state after an iteration.
  SmallVector<Value> stepped(OpBuilder &inside, Value iteration, ValueRange state) {
    return step.write(inside, iteration, mapped(state));
  }

private:
  Type arrayOf(Type element) { return ArrayType::get(builder.getContext(), cast<RankedTensorType>(element)); }

  Value constant(ArrayRef<int64_t> scalars) {
    auto type = RankedTensorType::get({static_cast<int64_t>(scalars.size())}, builder.getI64Type());
    return ConstantOp::create(builder, location, type, DenseElementsAttr::get(type, scalars));
  }

  Value at(OpBuilder &inside, Value scalars, Value index) {
    return GatherOp::create(inside, location, scalars, index, Value(), inside.getI64IntegerAttr(0));
  }

  /// A batch has the actions of the example with the most iterations. An example without the current
  /// iteration uses its last one instead, and its result is discarded (`isOwn` is false).
  void setIteration(OpBuilder &inside, Value count) {
    iteration = argument;
    isOwn = Value();
    if (!count)
      return;
    TensorBuilder e(inside, loop);
    Expression last = e.wrap(count) - 1.0;
    isOwn = e.wrap(argument) <= last;
    iteration = e.maximum(e.minimum(e.wrap(argument), last), 0.0);
  }

  /// The values of `then` if the action has the expected kind, else `otherwise`.
  SmallVector<Value> where(OpBuilder &inside, LoopAction::Kind expected, ValueRange otherwise,
                           llvm::function_ref<SmallVector<Value>(OpBuilder &)> then) {
    Value is = EqualOp::create(inside, location, kind, oneInt(inside, location, expected));
    if (isOwn && (expected == LoopAction::Step || expected == LoopAction::Reverse))
      is = LogicalAndOp::create(inside, location, is, isOwn);
    auto branch = scf::IfOp::create(inside, location, otherwise.getTypes(), asCondition(inside, location, is),
                                    /*withElseRegion=*/true);
    OpBuilder inThen = OpBuilder::atBlockBegin(&branch.getThenRegion().front()),
              inElse = OpBuilder::atBlockBegin(&branch.getElseRegion().front());
    SmallVector<Value> values = then(inThen);
    for (auto [value, other] : llvm::zip(values, otherwise))
      value = widened(inThen, location, value, other.getType());
    scf::YieldOp::create(inThen, location, values);
    scf::YieldOp::create(inElse, location, otherwise);
    return SmallVector<Value>(branch.getResults());
  }

  IRMapping mapped(ValueRange state) {
    IRMapping mapping;
    mapping.map(reads, values);
    mapping.map(loop.getRegionIterArgs(), state);
    return mapping;
  }

  SmallVector<Value> stepOrRestore(OpBuilder &inside, ValueRange state, ValueRange kept) {
    auto next = where(inside, LoopAction::Step, state,
                      [&](OpBuilder &then) { return stepped(then, iteration, state); });
    return where(inside, LoopAction::Restore, next, [&](OpBuilder &then) {
      SmallVector<Value> restored;
      ValueRange remaining = kept;
      for (Value value : state) {
        restored.push_back(restore(then, remaining, isArray(value)));
        remaining = remaining.drop_front(storageCount(value.getType()));
      }
      return restored;
    });
  }

  Value restore(OpBuilder &then, ValueRange kept, bool isStoredArray) {
    if (!isStoredArray)
      return ArrayReadOp::create(then, location, kept[0], argument);
    Value end = ArrayReadOp::create(then, location, kept[1], argument);
    return ArraySliceOp::create(then, location, kept[0], beginOfSlot(then, kept[1]), end);
  }

  /// The offset of the elements of the action's slot: the end of the slot before it. Elements of later slots
  /// are no longer needed.
  Value beginOfSlot(OpBuilder &then, Value ends) {
    TensorBuilder e(then, loop);
    Expression slot = e.wrap(argument), before = e.maximum(slot - 1.0, 0.0);
    Value none = oneInt(then, location, 0);
    Expression end = e.wrap(ArrayReadOrOp::create(then, location, ends, before, none));
    return end * e.minimum(slot, 1.0);
  }

  SmallVector<Value> store(OpBuilder &inside, ValueRange state, ValueRange kept) {
    return where(inside, LoopAction::Store, kept, [&](OpBuilder &then) {
      SmallVector<Value> arrays;
      for (Value value : state) {
        Value array = kept[arrays.size()];
        if (!isArray(value)) {
          arrays.push_back(ArrayWriteOp::create(then, location, array, argument, value));
          continue;
        }
        Value ends = kept[arrays.size() + 1], begin = beginOfSlot(then, ends);
        Value others = ArraySliceOp::create(then, location, array, oneInt(then, location, 0), begin);
        Value joined = ArrayConcatOp::create(then, location, others, value);
        Value end = ArrayLengthOp::create(then, location, joined);
        arrays.append({joined, ArrayWriteOp::create(then, location, ends, argument, end)});
      }
      return arrays;
    });
  }

  SmallVector<Value> reverse(OpBuilder &inside, ValueRange state, ValueRange gradients) {
    return where(inside, LoopAction::Reverse, gradients, [&](OpBuilder &then) {
      SmallVector<Value> inputs, cotangents(gradients.take_front(carried.size()));
      SmallVector<int64_t> cotangentOf;
      for (unsigned index : carried) {
        inputs.push_back(state[index]);
        cotangentOf.push_back(index);
      }
      llvm::append_range(inputs, values);
      // The body yields captured arrays too, with their accumulated gradients as cotangents: their new
      // gradients include the accumulated ones.
      SmallVector<size_t> arraysRead;
      for (size_t i = carried.size(); i < inputs.size(); ++i)
        if (isArray(inputs[i])) {
          cotangentOf.push_back(static_cast<int64_t>(state.size() + arraysRead.size()));
          cotangents.push_back(gradients[i]);
          arraysRead.push_back(i);
        }
      auto gradient = VjpOp::create(then, location, inputs, ValueRange(), cotangents,
                                    then.getDenseI64ArrayAttr({}), then.getDenseI64ArrayAttr(cotangentOf));
      OpBuilder::InsertionGuard guard(then);
      Block *body = then.createBlock(&gradient.getBody());
      IRMapping mapping = mapped(state);
      for (auto [i, input] : llvm::enumerate(inputs)) {
        Value own = body->addArgument(input.getType(), location);
        mapping.map(i < carried.size() ? loop.getRegionIterArgs()[carried[i]] : reads[i - carried.size()],
                    own);
      }
      SmallVector<Value> yielded = step.write(then, iteration, mapping);
      for (size_t i : arraysRead)
        yielded.push_back(body->getArgument(static_cast<unsigned>(i)));
      YieldOp::create(then, location, yielded);
      SmallVector<Value> next(gradient.getResults());
      then.setInsertionPointAfter(gradient);
      for (size_t i = carried.size(); i < next.size(); ++i)
        if (!isArray(next[i]))
          next[i] = AddOp::create(then, location, gradients[i], next[i]);
      return next;
    });
  }

  OpBuilder &builder;
  scf::ForOp loop;
  const LoopStep &step;
  Location location;
  SmallVector<Value> reads, values;
  SmallVector<unsigned> carried;
  Value kind, argument;   ///< of the action
  Value iteration, isOwn; ///< the iteration's index, and whether the example has it; null: always
};

SmallVector<Value> tensorsOf(ValueRange values) {
  return llvm::to_vector(llvm::make_filter_range(values, [](Value value) { return !isArray(value); }));
}

/// The loop whose gradient the op computes, if it is still in the op's block: the saved values are its
/// tensor results.
scf::ForOp findPrimal(VjpOp op, scf::ForOp inside) {
  auto loop = op.getSaved().empty() ? scf::ForOp() : op.getSaved().front().getDefiningOp<scf::ForOp>();
  if (!loop || loop->getBlock() != op->getBlock() ||
      !llvm::equal(tensorsOf(loop.getResults()), op.getSaved()))
    return {};
  llvm::DenseMap<Value, Value> same;
  for (auto [argument, input] : llvm::zip(op.getBody().getArguments(), op.getInputs()))
    same[argument] = input;
  bool isSame = OperationEquivalence::isEquivalentTo(
      loop, inside,
      [&](Value own, Value other) {
        return success(own == other || (same.contains(other) && same.lookup(other) == own));
      },
      [&](Value own, Value other) { same[other] = own; }, OperationEquivalence::IgnoreLocations);
  return isSame ? loop : scf::ForOp();
}

/// The actions before the first Reverse, and the others.
std::pair<ArrayRef<LoopAction>, ArrayRef<LoopAction>> splitAtFirstReverse(ArrayRef<LoopAction> actions) {
  size_t first = 0;
  while (actions[first].kind != LoopAction::Reverse)
    ++first;
  return {actions.take_front(first), actions.drop_front(first)};
}

/// Computes the results of the loop by the actions before the first Reverse, and replaces them. Returns the
/// state and the stored states after these actions.
FailureOr<SmallVector<Value>> advancePrimal(scf::ForOp loop, ArrayRef<LoopAction> actions, int64_t last) {
  OpBuilder builder(loop);
  auto step = LoopStep::create(loop);
  if (failed(step))
    return failure();
  ActionLoop forward(builder, loop, *step);
  SmallVector<Value> carriedValues = forward.run(forward.tableOf(actions), forward.begin(loop.getInitArgs()));
  SmallVector<Value> results = forward.stepped(builder, oneInt(builder, loop.getLoc(), last),
                                               ArrayRef(carriedValues).take_front(loop.getNumResults()));
  for (auto [value, result] : llvm::zip(results, loop.getResults()))
    result.replaceAllUsesWith(widened(builder, loop.getLoc(), value, result.getType()));
  return carriedValues;
}

FailureOr<SmallVector<Value>> writeActions(OpBuilder &builder, VjpOp op, scf::ForOp primal) {
  scf::ForOp loop = loopOf(op);
  auto step = LoopStep::create(loop);
  auto iterations = iterationsOf(loop);
  if (failed(step))
    return failure();
  Location location = loop.getLoc();
  auto carried = differentiableResults(loop);
  SmallVector<Value> gradients;
  for (auto [i, index] : llvm::enumerate(carried)) {
    auto position = llvm::find(op.getCotangentOf(), static_cast<int64_t>(index));
    gradients.push_back(position == op.getCotangentOf().end()
                            ? noCotangent(builder, location, op.getInputs()[i])
                            : op.getCotangents()[position - op.getCotangentOf().begin()]);
  }
  ValueRange reads = op.getInputs().drop_front(carried.size());
  for (Value value : reads)
    gradients.push_back(noCotangent(builder, location, value));
  if (iterations == 0)
    return gradients;
  ActionLoop backward(builder, loop, *step, op.getBody().getArguments().drop_front(carried.size()), reads);
  SmallVector<Value> state(loop.getInitArgs());
  for (auto [i, index] : llvm::enumerate(carried))
    state[index] = op.getInputs()[i];
  auto goBack = [&](const ActionLoop::Table &table, SmallVector<Value> carriedValues) {
    llvm::append_range(carriedValues, gradients);
    return SmallVector<Value>(ArrayRef(backward.run(table, carriedValues))
                                  .drop_front(loop.getNumResults() + storageCount(loop.getResultTypes())));
  };
  if (!iterations)
    return goBack(backward.tableOf(iterationCount(builder, loop), snapshotsOf(loop)), backward.begin(state));
  auto actions = binomialSchedule(*iterations, snapshotsOf(loop));
  auto [before, rest] = splitAtFirstReverse(actions);
  FailureOr<SmallVector<Value>> carriedValues = failure();
  if (primal)
    carriedValues = advancePrimal(primal, before, *iterations - 1);
  else
    carriedValues = backward.run(backward.tableOf(before), backward.begin(state));
  if (failed(carriedValues))
    return failure();
  return goBack(backward.tableOf(rest), *carriedValues);
}

} // namespace

bool isLoopGradient(VjpOp op) { return loopOf(op) != nullptr; }

FailureOr<SmallVector<Value>> decomposeLoopGradient(OpBuilder &builder, VjpOp op) {
  return writeActions(builder, op, {});
}

LogicalResult differentiateFor(OpBuilder &builder, scf::ForOp loop, ArrayRef<Value> cotangents,
                               llvm::function_ref<bool(Value)> isActive, GradientSink accumulate) {
  auto snapshots = loop->getAttrOfType<IntegerAttr>(snapshotsAttribute);
  if (!snapshots || snapshots.getInt() < 1)
    return loop.emitError() << "expected the attribute '" << snapshotsAttribute
                            << "' to be the number of states to keep, 1 or more";
  if (failed(LoopStep::create(loop)) || failed(checkBounds(builder, loop)))
    return failure();
  SmallVector<Value> inputs, reads = activeCaptures(loop, isActive), nonZero;
  SmallVector<int64_t> savedOf, cotangentOf;
  auto carried = differentiableResults(loop);
  for (unsigned index : carried)
    inputs.push_back(loop.getInitArgs()[index]);
  llvm::append_range(inputs, reads);
  for (auto [i, cotangent] : llvm::enumerate(cotangents)) {
    if (!isArray(loop.getResult(static_cast<unsigned>(i))))
      savedOf.push_back(static_cast<int64_t>(i));
    if (!cotangent)
      continue;
    nonZero.push_back(cotangent);
    cotangentOf.push_back(static_cast<int64_t>(i));
  }
  auto gradient =
      VjpOp::create(builder, loop.getLoc(), inputs, tensorsOf(loop.getResults()), nonZero,
                    builder.getDenseI64ArrayAttr(savedOf), builder.getDenseI64ArrayAttr(cotangentOf));
  for (auto [value, result] : llvm::zip(inputs, gradient.getResults()))
    accumulate(value, result);
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&gradient.getBody());
  for (Value input : inputs)
    body->addArgument(input.getType(), loop.getLoc());
  IRMapping mapping;
  mapping.map(reads, body->getArguments().drop_front(carried.size()));
  auto copy = cast<scf::ForOp>(builder.clone(*loop, mapping));
  for (auto [i, index] : llvm::enumerate(carried))
    copy.getInitArgsMutable()[index].set(body->getArgument(i));
  YieldOp::create(builder, loop.getLoc(), copy.getResults());
  return success();
}

LogicalResult differentiateLoopGradient(OpBuilder &builder, VjpOp op, ArrayRef<Value> cotangents,
                                        llvm::function_ref<bool(Value)> isActive, GradientSink accumulate) {
  // The loop in forward mode, in a copy of the op. The cotangents of the op's results are the tangents.
  auto copy = cast<VjpOp>(builder.clone(*op));
  Block &block = copy.getBody().front();
  OpBuilder before(copy);
  Tangents tangents;
  SmallVector<std::pair<Value, Value>> inputTangents;
  for (auto [i, entry] : llvm::enumerate(cotangents))
    if (Value cotangent = entry) {
      // A cotangent may lack elements of an array; a tangent has all of them.
      Value input = op.getInputs()[i];
      if (isArray(input))
        cotangent = sumOfArrays(before, op.getLoc(), zerosLikeAny(before, op.getLoc(), input), cotangent);
      Value own = block.addArgument(cotangent.getType(), op.getLoc());
      tangents[block.getArgument(static_cast<unsigned>(i))] = own;
      inputTangents.emplace_back(own, cotangent);
    }
  if (failed(pushForward(block, tangents))) {
    copy.erase();
    return failure();
  }
  SmallVector<Value> results(block.getTerminator()->getOperands());
  auto forward = cast<scf::ForOp>(results.front().getDefiningOp());
  SmallVector<Value> forwardCotangents(forward.getNumResults());
  for (auto [index, cotangent] : llvm::zip(op.getCotangentOf(), op.getCotangents()))
    if (Value tangent = tangents.lookup(results[index])) {
      accumulate(cotangent, tangent);
      forwardCotangents[cast<OpResult>(tangent).getResultNumber()] = cotangent;
    }
  for (auto [argument, input] : llvm::zip(block.getArguments(), op.getInputs()))
    argument.replaceAllUsesWith(input);
  for (auto [own, cotangent] : inputTangents)
    own.replaceAllUsesWith(cotangent);
  block.getTerminator()->erase();
  copy->getBlock()->getOperations().splice(copy->getIterator(), block.getOperations());
  copy.erase();
  return differentiateFor(builder, forward, forwardCotangents, isActive, accumulate);
}

LogicalResult expandLoopGradients(Operation *root) {
  while (true) {
    VjpOp next;
    root->walk<WalkOrder::PreOrder>([&](VjpOp op) {
      auto walk = op.getBody().walk([&](scf::ForOp loop) {
        return loop->hasAttr(snapshotsAttribute) ? WalkResult::interrupt() : WalkResult::advance();
      });
      next = walk.wasInterrupted() ? op : VjpOp();
      return next ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (!next)
      return success();
    OpBuilder builder(next);
    scf::ForOp loop = loopOf(next), primal = loop ? findPrimal(next, loop) : scf::ForOp();
    auto values =
        loop ? guarded([&] { return writeActions(builder, next, primal); }) : next.tryDecompose(builder);
    if (failed(values) || failed(replaceResults(next, *values)))
      return failure();
    next->erase();
    if (primal && primal.use_empty()) // a loop without iterations keeps its uses
      primal.erase();
  }
}

} // namespace proa::pd
