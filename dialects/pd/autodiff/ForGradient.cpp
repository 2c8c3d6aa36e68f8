//! The gradient of an scf.for in bounded memory. It is first a pd.vjp around the loop and nothing else, so
//! that it can be differentiated again by its definition: with g = J(x)^T u, the gradient of <v, g> is
//! J(x) v by u, and by x the gradient of <J(x) v, u>, where J(x) v is the loop in forward mode, again a loop
//! in bounded memory. Last it becomes a loop over the actions of binomial checkpointing.
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
#include "lib/support/BinomialSchedule.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// The results that a gradient flows through.
SmallVector<unsigned> differentiableResults(scf::ForOp loop) {
  SmallVector<unsigned> numbers;
  for (auto [i, type] : llvm::enumerate(loop.getResultTypes()))
    if (hasTangent(type))
      numbers.push_back(static_cast<unsigned>(i));
  return numbers;
}

int64_t snapshotsOf(scf::ForOp loop) { return loop->getAttrOfType<IntegerAttr>(snapshotsAttribute).getInt(); }

/// The loop of a gradient that differentiateFor() creates: its first arguments are what the differentiable
/// carried values begin with, the others values from outside that it reads. Null for another pd.vjp.
scf::ForOp loopOf(VjpOp op) {
  Block &block = op.getBody().front();
  auto loop = dyn_cast<scf::ForOp>(block.front());
  if (!loop || loop->getNextNode() != block.getTerminator() || !loop->hasAttr(snapshotsAttribute) ||
      !llvm::equal(block.getTerminator()->getOperands(), loop.getResults()))
    return {};
  auto carried = differentiableResults(loop);
  if (block.getNumArguments() < carried.size())
    return {};
  for (auto [i, number] : llvm::enumerate(carried))
    if (loop.getInitArgs()[number] != block.getArgument(i) || !block.getArgument(i).hasOneUse())
      return {};
  return loop;
}

bool isArray(Value value) { return isa<ArrayType>(value.getType()); }

/// Values that keep one part of a state: an array with it at each place; of a part that is an array itself
/// one array of all elements in order, and the ends of those of each place.
size_t keptFor(Type part) { return isa<ArrayType>(part) ? 2 : 1; }
size_t keptFor(TypeRange state) {
  size_t count = 0;
  for (Type part : state)
    count += keptFor(part);
  return count;
}

/// Makes the loop over actions. It carries a state, the states that are kept, the cotangents of the state's
/// parts and the sums of the gradients of values from outside.
class ActionLoop {
public:
  /// `reads` are the values from outside to be differentiated by, as the loop's body names them, `values`
  /// the same values here.
  ActionLoop(OpBuilder &builder, scf::ForOp loop, const LoopStep &step, ValueRange reads = {},
             ValueRange values = {})
      : builder(builder), loop(loop), step(step), location(loop.getLoc()), reads(reads), values(values),
        carried(differentiableResults(loop)) {}

  /// The carried values before the first action.
  SmallVector<Value> begin(ValueRange state) {
    SmallVector<Value> values(state);
    auto empty = [&](Type type) {
      values.push_back(widened(builder, location, ArrayCreateOp::create(builder, location), type));
    };
    for (Type type : loop.getResultTypes()) {
      bool isKeptWhole = isa<ArrayType>(type);
      empty(isKeptWhole ? type : arrayOf(type));
      if (isKeptWhole)
        empty(arrayOf(RankedTensorType::get({1}, builder.getI64Type())));
    }
    return values;
  }

  /// Actions as vectors: what is done, with what, and how many there are.
  struct Table {
    Value kinds, arguments, count;
    Value iterations; ///< where only the run knows them
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
  /// Where only the run knows how many iterations there are.
  Table tableOf(Value iterations, int64_t snapshots) {
    auto schedule =
        BinomialScheduleOp::create(builder, location, iterations, static_cast<uint64_t>(snapshots));
    Value count = DimOp::create(builder, location, schedule.getKinds(), builder.getI64IntegerAttr(0));
    return {schedule.getKinds(), schedule.getNumbers(),
            ReshapeOp::create(builder, location, count, Value(), builder.getDenseI64ArrayAttr({1})),
            iterations};
  }

  /// State and kept states after the actions, and the gradients where there were some before.
  SmallVector<Value> run(const Table &table, ValueRange before) {
    size_t parts = loop.getNumResults(), keptCount = keptFor(loop.getResultTypes());
    return countedLoop(builder, location, table.count, before,
                       [&](OpBuilder &inside, Value number, ValueRange values) {
                         kind = at(inside, table.kinds, number);
                         argument = at(inside, table.arguments, number);
                         setIteration(inside, table.iterations);
                         ValueRange state = values.take_front(parts), kept = values.slice(parts, keptCount),
                                    gradients = values.drop_front(parts + keptCount);
                         SmallVector<Value> next = move(inside, state, kept);
                         llvm::append_range(next, keep(inside, state, kept));
                         if (!gradients.empty())
                           llvm::append_range(next, reverse(inside, state, gradients));
                         return next;
                       });
  }

  /// The state behind an iteration.
  SmallVector<Value> stepped(OpBuilder &inside, Value iteration, ValueRange state) {
    return step.write(inside, iteration, mapped(state));
  }

private:
  Type arrayOf(Type element) { return ArrayType::get(builder.getContext(), cast<RankedTensorType>(element)); }

  Value constant(ArrayRef<int64_t> numbers) {
    auto type = RankedTensorType::get({static_cast<int64_t>(numbers.size())}, builder.getI64Type());
    return ConstantOp::create(builder, location, type, DenseElementsAttr::get(type, numbers));
  }

  Value at(OpBuilder &inside, Value numbers, Value index) {
    return GatherOp::create(inside, location, numbers, index, Value(), inside.getI64IntegerAttr(0));
  }

  /// In a batch the actions are those of the example with most iterations; the others have none of that
  /// number, and look at their last one instead.
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

  /// `then` where the action is of that kind, else `otherwise`.
  SmallVector<Value> where(OpBuilder &inside, LoopAction::Kind kindOfAction, ValueRange otherwise,
                           llvm::function_ref<SmallVector<Value>(OpBuilder &)> then) {
    Value is = EqualOp::create(inside, location, kind, oneInt(inside, location, kindOfAction));
    if (isOwn && (kindOfAction == LoopAction::Step || kindOfAction == LoopAction::Reverse))
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

  SmallVector<Value> move(OpBuilder &inside, ValueRange state, ValueRange kept) {
    auto next = where(inside, LoopAction::Step, state,
                      [&](OpBuilder &then) { return stepped(then, iteration, state); });
    return where(inside, LoopAction::Restore, next, [&](OpBuilder &then) {
      SmallVector<Value> restored;
      ValueRange left = kept;
      for (Value value : state) {
        restored.push_back(restore(then, left, isArray(value)));
        left = left.drop_front(keptFor(value.getType()));
      }
      return restored;
    });
  }

  Value restore(OpBuilder &then, ValueRange kept, bool isWhole) {
    if (!isWhole)
      return ArrayReadOp::create(then, location, kept[0], argument);
    Value end = ArrayReadOp::create(then, location, kept[1], argument);
    return ArraySliceOp::create(then, location, kept[0], beginOfPlace(then, kept[1]), end);
  }

  /// Where the elements of an array that is kept at the action's place begin: what was kept at the places
  /// before it stays, what stood at later ones is used up.
  Value beginOfPlace(OpBuilder &then, Value ends) {
    TensorBuilder e(then, loop);
    Expression place = e.wrap(argument), before = e.maximum(place - 1.0, 0.0);
    Value none = oneInt(then, location, 0);
    Expression end = e.wrap(ArrayReadOrOp::create(then, location, ends, before, none));
    return end * e.minimum(place, 1.0);
  }

  SmallVector<Value> keep(OpBuilder &inside, ValueRange state, ValueRange kept) {
    return where(inside, LoopAction::Store, kept, [&](OpBuilder &then) {
      SmallVector<Value> arrays;
      for (Value value : state) {
        Value array = kept[arrays.size()];
        if (!isArray(value)) {
          arrays.push_back(ArrayWriteOp::create(then, location, array, argument, value));
          continue;
        }
        Value ends = kept[arrays.size() + 1], begin = beginOfPlace(then, ends);
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
      SmallVector<Value> inputs, given(gradients.take_front(carried.size()));
      SmallVector<int64_t> numbers;
      for (unsigned number : carried) {
        inputs.push_back(state[number]);
        numbers.push_back(number);
      }
      llvm::append_range(inputs, values);
      // The gradient of an array from outside includes what has come to it: it is given on as it is.
      SmallVector<size_t> arraysRead;
      for (size_t i = carried.size(); i < inputs.size(); ++i)
        if (isArray(inputs[i])) {
          numbers.push_back(static_cast<int64_t>(state.size() + arraysRead.size()));
          given.push_back(gradients[i]);
          arraysRead.push_back(i);
        }
      auto gradient = VjpOp::create(then, location, inputs, ValueRange(), given,
                                    then.getDenseI64ArrayAttr({}), then.getDenseI64ArrayAttr(numbers));
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
  Value iteration, isOwn; ///< its number, and whether there is such an iteration; null: there is
};

SmallVector<Value> tensorsOf(ValueRange values) {
  return llvm::to_vector(llvm::make_filter_range(values, [](Value value) { return !isArray(value); }));
}

/// The loop in the program whose gradient the op is, if it is still there: its tensors are the saved values.
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

/// The actions up to the first way back, and the others.
std::pair<ArrayRef<LoopAction>, ArrayRef<LoopAction>> parted(ArrayRef<LoopAction> actions) {
  size_t first = 0;
  while (actions[first].kind != LoopAction::Reverse)
    ++first;
  return {actions.take_front(first), actions.drop_front(first)};
}

/// Replaces the loop by the first part of the actions, after which nothing uses its results; returns their
/// results.
FailureOr<SmallVector<Value>> advancePrimal(scf::ForOp loop, ArrayRef<LoopAction> actions, int64_t last) {
  OpBuilder builder(loop);
  auto step = LoopStep::create(loop);
  if (failed(step))
    return failure();
  ActionLoop forward(builder, loop, *step);
  SmallVector<Value> left = forward.run(forward.tableOf(actions), forward.begin(loop.getInitArgs()));
  SmallVector<Value> results = forward.stepped(builder, oneInt(builder, loop.getLoc(), last),
                                               ArrayRef(left).take_front(loop.getNumResults()));
  for (auto [value, result] : llvm::zip(results, loop.getResults()))
    result.replaceAllUsesWith(widened(builder, loop.getLoc(), value, result.getType()));
  return left;
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
  for (auto [i, number] : llvm::enumerate(carried)) {
    auto given = llvm::find(op.getCotangentOf(), static_cast<int64_t>(number));
    gradients.push_back(given == op.getCotangentOf().end()
                            ? noCotangent(builder, location, op.getInputs()[i])
                            : op.getCotangents()[given - op.getCotangentOf().begin()]);
  }
  ValueRange reads = op.getInputs().drop_front(carried.size());
  for (Value value : reads)
    gradients.push_back(noCotangent(builder, location, value));
  if (iterations == 0)
    return gradients;
  ActionLoop backward(builder, loop, *step, op.getBody().getArguments().drop_front(carried.size()), reads);
  SmallVector<Value> state(loop.getInitArgs());
  for (auto [i, number] : llvm::enumerate(carried))
    state[number] = op.getInputs()[i];
  auto goBack = [&](const ActionLoop::Table &table, SmallVector<Value> left) {
    llvm::append_range(left, gradients);
    return SmallVector<Value>(ArrayRef(backward.run(table, left))
                                  .drop_front(loop.getNumResults() + keptFor(loop.getResultTypes())));
  };
  if (!iterations)
    return goBack(backward.tableOf(iterationCount(builder, loop), snapshotsOf(loop)), backward.begin(state));
  auto actions = binomialSchedule(*iterations, snapshotsOf(loop));
  auto [before, rest] = parted(actions);
  FailureOr<SmallVector<Value>> left = failure();
  if (primal)
    left = advancePrimal(primal, before, *iterations - 1);
  else
    left = backward.run(backward.tableOf(before), backward.begin(state));
  if (failed(left))
    return failure();
  return goBack(backward.tableOf(rest), *left);
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
  SmallVector<Value> inputs, reads = activeCaptures(loop, isActive), given;
  SmallVector<int64_t> savedOf, cotangentOf;
  auto carried = differentiableResults(loop);
  for (unsigned number : carried)
    inputs.push_back(loop.getInitArgs()[number]);
  llvm::append_range(inputs, reads);
  for (auto [i, cotangent] : llvm::enumerate(cotangents)) {
    if (!isArray(loop.getResult(static_cast<unsigned>(i))))
      savedOf.push_back(static_cast<int64_t>(i));
    if (!cotangent)
      continue;
    given.push_back(cotangent);
    cotangentOf.push_back(static_cast<int64_t>(i));
  }
  auto gradient =
      VjpOp::create(builder, loop.getLoc(), inputs, tensorsOf(loop.getResults()), given,
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
  for (auto [i, number] : llvm::enumerate(carried))
    copy.getInitArgsMutable()[number].set(body->getArgument(i));
  YieldOp::create(builder, loop.getLoc(), copy.getResults());
  return success();
}

LogicalResult differentiateLoopGradient(OpBuilder &builder, VjpOp op, ArrayRef<Value> cotangents,
                                        llvm::function_ref<bool(Value)> isActive, GradientSink accumulate) {
  // The loop in forward mode, along the cotangents of the gradients, within a copy of the op.
  auto copy = cast<VjpOp>(builder.clone(*op));
  Block &block = copy.getBody().front();
  OpBuilder before(copy);
  Tangents tangents;
  SmallVector<std::pair<Value, Value>> along;
  for (auto [i, given] : llvm::enumerate(cotangents))
    if (Value cotangent = given) {
      // A tangent has all elements of what it belongs to.
      Value input = op.getInputs()[i];
      if (isArray(input))
        cotangent = sumOfArrays(before, op.getLoc(), zerosLikeAny(before, op.getLoc(), input), cotangent);
      Value own = block.addArgument(cotangent.getType(), op.getLoc());
      tangents[block.getArgument(static_cast<unsigned>(i))] = own;
      along.emplace_back(own, cotangent);
    }
  if (failed(pushForward(block, tangents))) {
    copy.erase();
    return failure();
  }
  SmallVector<Value> results(block.getTerminator()->getOperands());
  auto forward = cast<scf::ForOp>(results.front().getDefiningOp());
  SmallVector<Value> ofForward(forward.getNumResults());
  for (auto [number, cotangent] : llvm::zip(op.getCotangentOf(), op.getCotangents()))
    if (Value tangent = tangents.lookup(results[number])) {
      accumulate(cotangent, tangent);
      ofForward[cast<OpResult>(tangent).getResultNumber()] = cotangent;
    }
  for (auto [argument, input] : llvm::zip(block.getArguments(), op.getInputs()))
    argument.replaceAllUsesWith(input);
  for (auto [own, cotangent] : along)
    own.replaceAllUsesWith(cotangent);
  block.getTerminator()->erase();
  copy->getBlock()->getOperations().splice(copy->getIterator(), block.getOperations());
  copy.erase();
  return differentiateFor(builder, forward, ofForward, isActive, accumulate);
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
    if (primal && primal.use_empty()) // a loop of no iterations stays
      primal.erase();
  }
}

} // namespace proa::pd
