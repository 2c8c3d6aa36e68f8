#include "dialects/pd/autodiff/ForLoop.h"

#include "dialects/pd/Infer.h"
#include "dialects/pd/Types.h"
#include "dialects/pd/autodiff/Autodiff.h"
#include "dialects/pd/autodiff/CountedLoop.h"
#include "dialects/pd/autodiff/ForwardMode.h"
#include "dialects/pd/control/Control.h"
#include "dialects/pd/creation/Creation.h"
#include "dialects/pd/index/Index.h"
#include "dialects/pd/math/Math.h"
#include "dialects/pd/shape/Shape.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// An index as an int64 vector of one element; null where it is neither a constant nor an element of a
/// tensor.
Value tensorOf(OpBuilder &builder, Value index) {
  if (APInt known; matchPattern(index, m_ConstantInt(&known)))
    return oneInt(builder, index.getLoc(), known.getSExtValue());
  auto cast = index.getDefiningOp<arith::IndexCastOp>();
  auto extract = cast ? cast.getIn().getDefiningOp<tensor::ExtractOp>() : tensor::ExtractOp();
  if (!extract || !extract.getIndices().empty())
    return {};
  Value tensor = extract.getTensor();
  if (!tensorType(tensor).getElementType().isInteger(64))
    tensor = CastOp::create(builder, index.getLoc(), tensor, TypeAttr::get(builder.getI64Type()));
  return ReshapeOp::create(builder, index.getLoc(), tensor, Value(), builder.getDenseI64ArrayAttr({1}));
}

/// The ops that make a tensor of the induction variable.
FailureOr<SmallVector<tensor::FromElementsOp>> indexTensors(scf::ForOp loop) {
  SmallVector<tensor::FromElementsOp> tensors;
  for (Operation *user : llvm::make_early_inc_range(loop.getInductionVar().getUsers())) {
    if (isOpTriviallyDead(user)) {
      user->erase();
      continue;
    }
    if (!isa<arith::IndexCastOp>(user))
      return user->emitError()
             << "expected the induction variable of scf.for to be used as the element of a tensor only "
                "(arith.index_cast, tensor.from_elements)";
    for (Operation *reader : user->getUsers()) {
      auto made = dyn_cast<tensor::FromElementsOp>(reader);
      if (!made || made.getElements().size() != 1)
        return reader->emitError()
               << "expected the induction variable of scf.for to be used as the element of a tensor "
                  "only (arith.index_cast, tensor.from_elements)";
      tensors.push_back(made);
    }
  }
  return tensors;
}

/// What the loop's body does to the carried values, once for each call.
class LoopStep {
public:
  /// After an error failure.
  static FailureOr<LoopStep> create(scf::ForOp loop) {
    auto tensors = indexTensors(loop);
    if (failed(tensors))
      return failure();
    return LoopStep(loop, std::move(*tensors));
  }

  /// The body's ops for an iteration (an int64 vector of one element, counted from 0) and carried values.
  SmallVector<Value> write(OpBuilder &builder, Value iteration, IRMapping mapping) {
    Location location = loop.getLoc();
    Value lower = tensorOf(builder, loop.getLowerBound()), step = tensorOf(builder, loop.getStep());
    Value index =
        AddOp::create(builder, location, lower, MultiplyOp::create(builder, location, iteration, step));
    for (Operation &op : loop.getBody()->without_terminator())
      builder.clone(op, mapping);
    for (tensor::FromElementsOp made : tensors) {
      auto clone = mapping.lookup(made.getResult()).getDefiningOp<tensor::FromElementsOp>();
      OpBuilder before(clone);
      Value value = index;
      if (Type element = clone.getType().getElementType(); !element.isInteger(64))
        value = CastOp::create(before, location, value, TypeAttr::get(element));
      value = ReshapeOp::create(before, location, value, Value(),
                                before.getDenseI64ArrayAttr(clone.getType().getShape()));
      Operation *cast = clone.getElements().front().getDefiningOp();
      clone.replaceAllUsesWith(value);
      mapping.map(made.getResult(), value);
      clone.erase();
      if (cast->use_empty())
        cast->erase();
    }
    return llvm::map_to_vector(loop.getBody()->getTerminator()->getOperands(),
                               [&](Value value) { return mapping.lookupOrDefault(value); });
  }

private:
  LoopStep(scf::ForOp loop, SmallVector<tensor::FromElementsOp> tensors)
      : loop(loop), tensors(std::move(tensors)) {}
  scf::ForOp loop;
  SmallVector<tensor::FromElementsOp> tensors;
};

LogicalResult checkBounds(OpBuilder &builder, scf::ForOp loop) {
  for (Value bound : {loop.getLowerBound(), loop.getUpperBound(), loop.getStep()})
    if (!tensorOf(builder, bound))
      return loop.emitError()
             << "expected bounds and a step of scf.for that are constants or elements of tensors "
                "(arith.index_cast of tensor.extract)";
  for (Type type : loop.getResultTypes())
    if (!isa<RankedTensorType, ArrayType>(type))
      return loop.emitError() << "expected scf.for to carry tensors, found " << type;
  return success();
}

} // namespace

std::optional<int64_t> iterationsOf(scf::ForOp loop) {
  APInt lower, upper, step;
  if (!matchPattern(loop.getLowerBound(), m_ConstantInt(&lower)) ||
      !matchPattern(loop.getUpperBound(), m_ConstantInt(&upper)) ||
      !matchPattern(loop.getStep(), m_ConstantInt(&step)) || step.getSExtValue() <= 0)
    return std::nullopt;
  int64_t length = upper.getSExtValue() - lower.getSExtValue();
  return length <= 0 ? 0 : (length + step.getSExtValue() - 1) / step.getSExtValue();
}

LogicalResult lowerFor(scf::ForOp loop) {
  OpBuilder builder(loop);
  Location location = loop.getLoc();
  auto step = LoopStep::create(loop);
  if (failed(step) || failed(checkBounds(builder, loop)))
    return failure();
  Value count;
  if (auto known = iterationsOf(loop)) {
    count = oneInt(builder, location, *known);
  } else {
    Value lower = tensorOf(builder, loop.getLowerBound()), upper = tensorOf(builder, loop.getUpperBound()),
          width = tensorOf(builder, loop.getStep());
    Value length = SubtractOp::create(builder, location, upper, lower);
    length = AddOp::create(builder, location, length, width);
    length = SubtractOp::create(builder, location, length, oneInt(builder, location, 1));
    count = FloorDivideOp::create(builder, location, length, width);
  }
  auto results = countedLoop(builder, location, count, loop.getInitArgs(),
                             [&](OpBuilder &inside, Value index, ValueRange carried) {
                               IRMapping mapping;
                               mapping.map(loop.getRegionIterArgs(), carried);
                               return step->write(inside, index, mapping);
                             });
  loop.replaceAllUsesWith(results);
  loop.erase();
  return success();
}

LogicalResult lowerForLoops(Operation *root, bool keepSnapshots) {
  SmallVector<scf::ForOp> loops;
  root->walk([&](scf::ForOp loop) { // those inside first
    if (!keepSnapshots || !loop->hasAttr(snapshotsAttribute))
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops)
    if (failed(lowerFor(loop)))
      return failure();
  return success();
}

namespace {

/// The way back through a loop as a loop over actions. It carries a state, the states that are kept, the
/// cotangents of the state's parts and the sums of the gradients of values from outside.
class BinomialReverse {
public:
  BinomialReverse(OpBuilder &builder, scf::ForOp loop, LoopStep &step,
                  llvm::function_ref<bool(Value)> isActive)
      : builder(builder), loop(loop), step(step), location(loop.getLoc()) {
    llvm::SetVector<Value> used;
    getUsedValuesDefinedAbove(loop->getRegions(), used);
    for (Value value : used)
      if (isActive(value) && isDifferentiable(value.getType()))
        captures.push_back(value);
    for (auto [i, type] : llvm::enumerate(loop.getResultTypes()))
      if (isDifferentiable(type))
        carried.push_back(i);
  }

  LogicalResult run(int64_t iterations, int64_t snapshots, ArrayRef<Value> cotangents,
                    GradientSink accumulate) {
    size_t parts = loop.getNumResults();
    SmallVector<Value> inits(loop.getInitArgs());
    for (Type type : loop.getResultTypes())
      inits.push_back(widened(builder, location, ArrayCreateOp::create(builder, location),
                              ArrayType::get(builder.getContext(), cast<RankedTensorType>(type))));
    for (size_t number : carried)
      inits.push_back(cotangents[number]
                          ? cotangents[number]
                          : zerosLike(builder, location, loop.getResult(static_cast<unsigned>(number))));
    for (Value capture : captures)
      inits.push_back(zerosLike(builder, location, capture));
    auto actions = binomialSchedule(iterations, snapshots);
    std::vector<int64_t> kinds, arguments;
    for (const LoopAction &action : actions) {
      kinds.push_back(action.kind);
      arguments.push_back(action.argument);
    }
    Value allKinds = constant(kinds), allArguments = constant(arguments);
    auto results =
        countedLoop(builder, location, oneInt(builder, location, static_cast<int64_t>(actions.size())), inits,
                    [&](OpBuilder &inside, Value number, ValueRange values) {
                      kind = at(inside, allKinds, number);
                      argument = at(inside, allArguments, number);
                      ValueRange state = values.take_front(parts), kept = values.slice(parts, parts),
                                 gradients = values.drop_front(2 * parts);
                      SmallVector<Value> next = move(inside, state, kept);
                      llvm::append_range(next, keep(inside, state, kept));
                      llvm::append_range(next, reverse(inside, state, gradients));
                      return next;
                    });
    for (auto [i, number] : llvm::enumerate(carried))
      accumulate(loop.getInitArgs()[number], results[2 * parts + i]);
    for (auto [i, capture] : llvm::enumerate(captures))
      accumulate(capture, results[2 * parts + carried.size() + i]);
    return success();
  }

private:
  Value constant(ArrayRef<int64_t> numbers) {
    auto type = RankedTensorType::get({static_cast<int64_t>(numbers.size())}, builder.getI64Type());
    return ConstantOp::create(builder, location, type, DenseElementsAttr::get(type, numbers));
  }

  Value at(OpBuilder &inside, Value numbers, Value index) {
    return GatherOp::create(inside, location, numbers, index, Value(), inside.getI64IntegerAttr(0));
  }

  /// `then` where the action is of that kind, else `otherwise`.
  SmallVector<Value> where(OpBuilder &inside, LoopAction::Kind wanted, ValueRange otherwise,
                           llvm::function_ref<SmallVector<Value>(OpBuilder &)> then) {
    Value is = EqualOp::create(inside, location, kind, oneInt(inside, location, wanted));
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
    mapping.map(loop.getRegionIterArgs(), state);
    return mapping;
  }

  SmallVector<Value> move(OpBuilder &inside, ValueRange state, ValueRange kept) {
    auto stepped = where(inside, LoopAction::Step, state,
                         [&](OpBuilder &then) { return step.write(then, argument, mapped(state)); });
    return where(inside, LoopAction::Restore, stepped, [&](OpBuilder &then) {
      return llvm::map_to_vector(
          kept, [&](Value array) { return Value(ArrayReadOp::create(then, location, array, argument)); });
    });
  }

  SmallVector<Value> keep(OpBuilder &inside, ValueRange state, ValueRange kept) {
    return where(inside, LoopAction::Store, kept, [&](OpBuilder &then) {
      SmallVector<Value> arrays;
      for (auto [array, value] : llvm::zip(kept, state))
        arrays.push_back(ArrayWriteOp::create(then, location, array, argument, value));
      return arrays;
    });
  }

  SmallVector<Value> reverse(OpBuilder &inside, ValueRange state, ValueRange gradients) {
    return where(inside, LoopAction::Reverse, gradients, [&](OpBuilder &then) {
      SmallVector<Value> inputs, given(gradients.take_front(carried.size()));
      SmallVector<int64_t> numbers;
      for (size_t number : carried) {
        inputs.push_back(state[number]);
        numbers.push_back(static_cast<int64_t>(number));
      }
      llvm::append_range(inputs, captures);
      auto gradient = VjpOp::create(then, location, inputs, ValueRange(), given,
                                    then.getDenseI64ArrayAttr({}), then.getDenseI64ArrayAttr(numbers));
      OpBuilder::InsertionGuard guard(then);
      Block *body = then.createBlock(&gradient.getBody());
      IRMapping mapping = mapped(state);
      for (auto [i, input] : llvm::enumerate(inputs)) {
        Value own = body->addArgument(input.getType(), location);
        mapping.map(i < carried.size() ? loop.getRegionIterArgs()[carried[i]] : captures[i - carried.size()],
                    own);
      }
      YieldOp::create(then, location, step.write(then, argument, mapping));
      SmallVector<Value> next(gradient.getResults());
      then.setInsertionPointAfter(gradient);
      for (size_t i = carried.size(); i < next.size(); ++i)
        next[i] = AddOp::create(then, location, gradients[i], next[i]);
      return next;
    });
  }

  OpBuilder &builder;
  scf::ForOp loop;
  LoopStep &step;
  Location location;
  SmallVector<Value> captures;
  SmallVector<size_t> carried; ///< the results that a gradient flows through
  Value kind, argument;        ///< of the action
};

} // namespace

LogicalResult differentiateFor(OpBuilder &builder, scf::ForOp loop, ArrayRef<Value> cotangents,
                               llvm::function_ref<bool(Value)> isActive, GradientSink accumulate) {
  auto snapshots = loop->getAttrOfType<IntegerAttr>(snapshotsAttribute);
  auto iterations = iterationsOf(loop);
  if (!snapshots || snapshots.getInt() < 1)
    return loop.emitError() << "expected the attribute '" << snapshotsAttribute
                            << "' to be the number of states to keep, 1 or more";
  if (!iterations)
    return loop.emitError() << "binomial checkpointing needs a known number of iterations";
  for (Type type : loop.getResultTypes())
    if (!isa<RankedTensorType>(type))
      return loop.emitError() << "binomial checkpointing needs a loop that carries tensors alone, found "
                              << type;
  auto step = LoopStep::create(loop);
  if (failed(step) || failed(checkBounds(builder, loop)))
    return failure();
  if (*iterations == 0) {
    for (auto [init, cotangent] : llvm::zip(loop.getInitArgs(), cotangents))
      if (cotangent)
        accumulate(init, cotangent);
    return success();
  }
  return BinomialReverse(builder, loop, *step, isActive)
      .run(*iterations, snapshots.getInt(), cotangents, accumulate);
}

} // namespace proa::pd
