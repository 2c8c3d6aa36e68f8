//! Gradients of scf.if and scf.while. Each body becomes a pd.vjp, so that control flow in control flow needs
//! nothing more.
#include "dialects/pd/autodiff/ControlFlow.h"

#include "dialects/pd/Infer.h"
#include "dialects/pd/Types.h"
#include "dialects/pd/autodiff/ArrayGradient.h"
#include "dialects/pd/autodiff/Autodiff.h"
#include "dialects/pd/autodiff/ForwardMode.h"
#include "dialects/pd/control/Control.h"
#include "dialects/pd/creation/Creation.h"
#include "dialects/pd/math/Math.h"
#include "dialects/pd/shape/Shape.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// Values from outside that the regions of an op read and that a gradient flows to.
SmallVector<Value> activeCaptures(Operation *op, llvm::function_ref<bool(Value)> isActive) {
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(op->getRegions(), used);
  SmallVector<Value> captures;
  for (Value value : used)
    if (isActive(value) && hasTangent(value.getType()))
      captures.push_back(value);
  return captures;
}

/// The gradients of `inputs` through a copy of `block`, whose terminator's operands number `outputs` have the
/// given cotangents. In the copy, block arguments stand for `inputs`, and `mapping` says what else stands for
/// what. `soFar` has, for some inputs, what has come to them already (null: nothing), which their gradient then includes.
SmallVector<Value> gradientsOf(OpBuilder &builder, Location location, Block &block, ArrayRef<Value> inputs,
                               ArrayRef<Value> originals, IRMapping mapping, ArrayRef<int64_t> outputs,
                               ArrayRef<Value> cotangents, ArrayRef<Value> soFar = {}) {
  SmallVector<Value> allCotangents(cotangents);
  llvm::copy_if(soFar, std::back_inserter(allCotangents), [](Value value) { return value != nullptr; });
  auto vjp = VjpOp::create(builder, location, inputs, ValueRange(), allCotangents,
                           builder.getDenseI64ArrayAttr({}), builder.getDenseI64ArrayAttr(outputs));
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&vjp.getBody());
  for (auto [input, original] : llvm::zip(inputs, originals))
    mapping.map(original, body->addArgument(input.getType(), location));
  for (Operation &op : block.without_terminator())
    builder.clone(op, mapping);
  SmallVector<Value> yielded;
  SmallVector<int64_t> numbers;
  for (int64_t output : outputs) {
    numbers.push_back(static_cast<int64_t>(yielded.size()));
    yielded.push_back(
        mapping.lookupOrDefault(block.getTerminator()->getOperand(static_cast<unsigned>(output))));
  }
  // What the body gives on as it is has that as its gradient.
  for (auto [original, value] : llvm::zip(originals, soFar))
    if (value) {
      numbers.push_back(static_cast<int64_t>(yielded.size()));
      yielded.push_back(mapping.lookup(original));
    }
  YieldOp::create(builder, location, yielded);
  vjp.setCotangentOf(numbers);
  return SmallVector<Value>(vjp.getGradients());
}

Value constantInt(OpBuilder &builder, Location location, int64_t value) {
  auto type = RankedTensorType::get({1}, builder.getI64Type());
  return ConstantOp::create(builder, location, type, DenseElementsAttr::get(type, value));
}

Value isNotNegative(OpBuilder &builder, Location location, Value number) {
  Value condition = GreaterEqualOp::create(builder, location, number, constantInt(builder, location, 0));
  condition = ReshapeOp::create(builder, location, RankedTensorType::get({}, builder.getI1Type()), condition,
                                Value(), builder.getDenseI64ArrayAttr({}));
  return tensor::ExtractOp::create(builder, location, condition);
}

} // namespace

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
  SmallVector<Type> types;
  for (Value capture : captures)
    types.push_back(capture.getType());
  Location location = op.getLoc();
  auto branch = scf::IfOp::create(builder, location, types, op.getCondition(), /*withElseRegion=*/true);
  for (auto [from, to] : {std::pair(&op.getThenRegion(), &branch.getThenRegion()),
                          std::pair(&op.getElseRegion(), &branch.getElseRegion())}) {
    OpBuilder inArm = OpBuilder::atBlockBegin(&to->front());
    SmallVector<Value> gradients =
        gradientsOf(inArm, location, from->front(), captures, captures, IRMapping(), outputs, given);
    scf::YieldOp::create(inArm, location, gradients);
  }
  for (auto [capture, gradient] : llvm::zip(captures, branch.getResults()))
    accumulate(capture, gradient);
  return success();
}

namespace {

/// The reverse of a loop. Forward, a copy of the loop keeps what each iteration begins with, in arrays;
/// backward, a second loop goes through them from the last one on.
class LoopGradient {
public:
  LoopGradient(OpBuilder &builder, scf::WhileOp loop, llvm::function_ref<bool(Value)> isActive)
      : builder(builder), loop(loop), location(loop.getLoc()), captures(activeCaptures(loop, isActive)) {}

  LogicalResult run(ArrayRef<Value> cotangents, GradientSink accumulate) {
    auto flowing = loop.getConditionOp().getArgs();
    for (auto [i, value] : llvm::enumerate(flowing)) {
      auto argument = dyn_cast<BlockArgument>(value);
      bool passedOn = argument && argument.getOwner() == loop.getBeforeBody();
      if (!passedOn && value.getParentRegion() == &loop.getBefore())
        return loop.emitError() << "a loop whose test computes what it passes on has no gradient";
      places.push_back(passedOn ? static_cast<int64_t>(argument.getArgNumber()) : -1);
      if (!passedOn || !hasTangent(value.getType()))
        continue;
      if (isa<ArrayType>(value.getType())) {
        auto matters = arrayMatters(loop.getAfterArguments()[i], cotangents[i] != nullptr);
        if (failed(matters))
          return failure();
        if (!*matters)
          continue;
      }
      carried.push_back(i);
    }
    recordForward();
    runBackward(cotangents);
    for (auto [i, number] : llvm::enumerate(carried))
      accumulate(loop.getInits()[places[number]], backward.getResult(1 + i));
    for (auto [i, capture] : llvm::enumerate(captures))
      accumulate(capture, backward.getResult(1 + carried.size() + i));
    for (auto [i, number] : llvm::enumerate(places))
      if (number < 0 && cotangents[i])
        accumulate(flowing[i], cotangents[i]);
    return success();
  }

private:
  /// Whether a gradient flows through an array that the loop carries. Backward its elements are read from what it is after
  /// the loop, so it must not be read otherwise, and an element must not be written twice.
  FailureOr<bool> arrayMatters(Value array, bool hasCotangent) {
    bool isRead = hasCotangent;
    SmallVector<Value> names{array};
    Operation *inTheWay = nullptr;
    int writes = 0;
    while (!names.empty())
      for (Operation *user : names.pop_back_val().getUsers()) {
        if (isa<ArrayCastOp, ArrayWriteOp>(user))
          names.push_back(user->getResult(0));
        if (auto write = dyn_cast<ArrayWriteOp>(user); write && (++writes > 1 || !dependsOnIteration(write.getIndex())))
          inTheWay = user;
        else if (!isa<ArrayCastOp, ArrayWriteOp, ArrayReadOp, scf::YieldOp>(user))
          inTheWay = user;
        isRead |= isa<ArrayReadOp>(user);
      }
    if (isRead && inTheWay)
      return inTheWay->emitError() << "a loop has no gradient through a tensor array that it carries and uses in another way "
                                      "than to write one element an iteration and to read elements";
    return isRead;
  }

  /// Whether a number differs, as far as can be seen, from iteration to iteration.
  bool dependsOnIteration(Value number) {
    if (auto argument = dyn_cast<BlockArgument>(number))
      return argument.getOwner() == loop.getAfterBody();
    Operation *op = number.getDefiningOp();
    return loop.getAfter().isAncestor(op->getParentRegion()) &&
           llvm::any_of(op->getOperands(), [&](Value operand) { return dependsOnIteration(operand); });
  }

  /// The loop again, which also counts its iterations and keeps the arguments of its body.
  void recordForward() {
    SmallVector<Value> inits(loop.getInits());
    SmallVector<Type> beforeTypes(loop.getBeforeBody()->getArgumentTypes()),
        afterTypes(loop.getAfterBody()->getArgumentTypes());
    inits.push_back(constantInt(builder, location, 0));
    for (Value argument : loop.getAfterArguments()) {
      auto element = dyn_cast<RankedTensorType>(argument.getType());
      if (!element) // nothing in an array is differentiated
        continue;
      auto type = ArrayType::get(builder.getContext(), element);
      kept.push_back(cast<BlockArgument>(argument).getArgNumber());
      Value empty = ArrayCreateOp::create(builder, location);
      inits.push_back(widened(builder, location, empty, type));
    }
    for (Value init : ArrayRef<Value>(inits).drop_front(loop.getInits().size())) {
      beforeTypes.push_back(init.getType());
      afterTypes.push_back(init.getType());
    }
    SmallVector<Location> locations(beforeTypes.size(), location),
        afterLocations(afterTypes.size(), location);
    forward = scf::WhileOp::create(builder, location, afterTypes, inits);
    OpBuilder::InsertionGuard guard(builder);
    unsigned ownBefore = loop.getBeforeArguments().size(), ownAfter = loop.getAfterArguments().size();
    Block *test = builder.createBlock(&forward.getBefore(), {}, beforeTypes, locations);
    IRMapping mapping;
    mapping.map(loop.getBeforeArguments(), test->getArguments().take_front(ownBefore));
    for (Operation &op : loop.getBeforeBody()->without_terminator())
      builder.clone(op, mapping);
    SmallVector<Value> passed;
    for (Value value : loop.getConditionOp().getArgs())
      passed.push_back(mapping.lookupOrDefault(value));
    llvm::append_range(passed, test->getArguments().drop_front(ownBefore));
    scf::ConditionOp::create(builder, location, mapping.lookupOrDefault(loop.getConditionOp().getCondition()),
                             passed);

    Block *body = builder.createBlock(&forward.getAfter(), {}, afterTypes, afterLocations);
    mapping.map(loop.getAfterArguments(), body->getArguments().take_front(ownAfter));
    auto own = body->getArguments().drop_front(ownAfter);
    SmallVector<Value> tapes;
    for (auto [i, number] : llvm::enumerate(kept)) {
      Value tape = ArrayWriteOp::create(builder, location, own[1 + i], own[0], body->getArgument(number));
      tapes.push_back(widened(builder, location, tape, own[1 + i].getType()));
    }
    for (Operation &op : loop.getAfterBody()->without_terminator())
      builder.clone(op, mapping);
    SmallVector<Value> yielded;
    for (Value value : loop.getYieldOp().getOperands())
      yielded.push_back(mapping.lookupOrDefault(value));
    yielded.push_back(AddOp::create(builder, location, own[0], constantInt(builder, location, 1)));
    llvm::append_range(yielded, tapes);
    scf::YieldOp::create(builder, location, yielded);
  }

  /// From the last iteration to the first: the cotangents of what an iteration gives become those of what it
  /// began with.
  void runBackward(ArrayRef<Value> cotangents) {
    unsigned own = loop.getResults().size();
    Value count = forward.getResult(own);
    SmallVector<Value> inits{SubtractOp::create(builder, location, count, constantInt(builder, location, 1))};
    for (size_t number : carried)
      inits.push_back(cotangents[number] ? cotangents[number]
                                         : zerosLikeAny(builder, location, forward.getResult(number)));
    for (Value capture : captures)
      inits.push_back(zerosLikeAny(builder, location, capture));
    SmallVector<Type> types{count.getType()};
    for (size_t number : carried)
      types.push_back(loop.getAfterArguments()[number].getType());
    for (Value capture : captures)
      types.push_back(capture.getType());
    for (auto [init, type] : llvm::zip(inits, types))
      init = widened(builder, location, init, type);
    backward = scf::WhileOp::create(builder, location, types, inits);
    SmallVector<Location> locations(types.size(), location);
    OpBuilder::InsertionGuard guard(builder);
    Block *test = builder.createBlock(&backward.getBefore(), {}, types, locations);
    scf::ConditionOp::create(builder, location, isNotNegative(builder, location, test->getArgument(0)),
                             test->getArguments());

    Block *body = builder.createBlock(&backward.getAfter(), {}, types, locations);
    Value index = body->getArgument(0);
    IRMapping mapping;
    for (auto [i, number] : llvm::enumerate(kept))
      mapping.map(loop.getAfterArguments()[number],
                  ArrayReadOp::create(builder, location, forward.getResult(own + 1 + i), index));
    for (size_t number : carried)
      if (Value argument = loop.getAfterArguments()[number]; isa<ArrayType>(argument.getType()))
        mapping.map(argument, widened(builder, location, forward.getResult(number), argument.getType()));
    SmallVector<Value> inputs, originals, given, soFar(carried.size());
    SmallVector<int64_t> outputs;
    for (auto [i, number] : llvm::enumerate(carried)) {
      originals.push_back(loop.getAfterArguments()[number]);
      inputs.push_back(mapping.lookup(originals.back()));
      outputs.push_back(places[number]);
      given.push_back(body->getArgument(1 + i));
    }
    for (auto [i, capture] : llvm::enumerate(captures)) {
      originals.push_back(capture);
      inputs.push_back(capture);
      Value sum = body->getArgument(1 + carried.size() + i);
      soFar.push_back(isa<ArrayType>(capture.getType()) ? sum : Value());
    }
    SmallVector<Value> gradients =
        gradientsOf(builder, location, *loop.getAfterBody(), inputs, originals, mapping, outputs, given, soFar);
    SmallVector<Value> yielded{
        SubtractOp::create(builder, location, index, constantInt(builder, location, 1))};
    for (auto [i, gradient] : llvm::enumerate(gradients)) {
      if (i >= carried.size() && !soFar[i])
        gradient = AddOp::create(builder, location, body->getArgument(1 + i), gradient);
      yielded.push_back(widened(builder, location, gradient, types[1 + i]));
    }
    scf::YieldOp::create(builder, location, yielded);
  }

  OpBuilder &builder;
  scf::WhileOp loop;
  Location location;
  SmallVector<Value> captures;
  SmallVector<int64_t> places; ///< of each argument of the body: the argument of the test that it is, -1 for
                               ///< a value from outside
  SmallVector<size_t> carried; ///< the arguments of the body that a gradient flows through
  SmallVector<unsigned> kept;  ///< the arguments of the body that are tensors
  scf::WhileOp forward, backward;
};

} // namespace

LogicalResult differentiateLoop(OpBuilder &builder, scf::WhileOp op, ArrayRef<Value> cotangents,
                                llvm::function_ref<bool(Value)> isActive, GradientSink accumulate) {
  return LoopGradient(builder, op, isActive).run(cotangents, accumulate);
}

} // namespace proa::pd
