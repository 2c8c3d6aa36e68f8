//! Gradients of scf.if and scf.while. Each body becomes a pd.vjp, so that control flow in control flow needs
//! nothing more.
#include "dialects/pd/autodiff/ControlFlow.h"

#include "dialects/pd/Infer.h"
#include "dialects/pd/autodiff/Autodiff.h"
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
    if (isActive(value) && isDifferentiable(value.getType()))
      captures.push_back(value);
  return captures;
}

/// The gradients of `inputs` through a copy of `block`, whose terminator's operands number `outputs` have the
/// given cotangents. In the copy, block arguments stand for `inputs`, and `mapping` says what else stands for
/// what. `saved` are the values that `computed`, results of the block's ops, had.
SmallVector<Value> gradientsOf(OpBuilder &builder, Location location, Block &block, ArrayRef<Value> inputs,
                               ArrayRef<Value> originals, IRMapping mapping, ArrayRef<int64_t> outputs,
                               ArrayRef<Value> cotangents, ArrayRef<Value> computed = {}, ArrayRef<Value> saved = {}) {
  auto vjp = VjpOp::create(builder, location, inputs, saved, cotangents,
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
  SmallVector<int64_t> savedNumbers;
  for (Value value : computed) {
    savedNumbers.push_back(static_cast<int64_t>(yielded.size()));
    yielded.push_back(mapping.lookup(value));
  }
  YieldOp::create(builder, location, yielded);
  vjp.setCotangentOf(numbers);
  vjp.setSavedOf(savedNumbers);
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
      : builder(builder), loop(loop), location(loop.getLoc()), captures(activeCaptures(loop, isActive)) {
    for (Operation &op : loop.getAfterBody()->without_terminator())
      if (readsArray(op))
        llvm::copy_if(op.getResults(), std::back_inserter(reads),
                      [](Value result) { return isa<RankedTensorType>(result.getType()); });
  }

  LogicalResult run(ArrayRef<Value> cotangents, GradientSink accumulate) {
    auto flowing = loop.getConditionOp().getArgs();
    for (auto [i, value] : llvm::enumerate(flowing)) {
      auto argument = dyn_cast<BlockArgument>(value);
      bool passedOn = argument && argument.getOwner() == loop.getBeforeBody();
      if (!passedOn && value.getParentRegion() == &loop.getBefore())
        return loop.emitError() << "a loop whose test computes what it passes on has no gradient";
      places.push_back(passedOn ? static_cast<int64_t>(argument.getArgNumber()) : -1);
      if (passedOn && isDifferentiable(value.getType()))
        carried.push_back(i);
    }
    if (failed(checkNestedReads()))
      return failure();
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
  static bool readsArray(Operation &op) {
    return llvm::any_of(op.getOperands(), [](Value operand) { return isa<ArrayType>(operand.getType()); });
  }

  /// What an iteration finds in an array is kept where the body itself reads it. Deeper inside only arrays that the loop
  /// does not change may be read: the way back has them as they are after the loop.
  LogicalResult checkNestedReads() {
    auto isUnchanged = [&](Value array) {
      while (Operation *op = array.getDefiningOp()) {
        if (!isa<ArrayWriteOp, ArrayCastOp, ArraySliceOp>(op))
          return isa<ArrayCreateOp>(op) || !loop->isAncestor(op);
        array = op->getOperand(0);
      }
      auto argument = cast<BlockArgument>(array);
      if (argument.getOwner() != loop.getAfterBody())
        return !loop->isAncestor(argument.getOwner()->getParentOp());
      int64_t place = places[argument.getArgNumber()];
      return place < 0 || loop.getYieldOp().getOperand(static_cast<unsigned>(place)) == array;
    };
    WalkResult result = loop.getAfter().walk([&](Operation *op) {
      if (op->getBlock() == loop.getAfterBody() || !readsArray(*op) || op->getNumRegions() > 0 || op->getNumResults() == 0)
        return WalkResult::advance();
      for (Value operand : op->getOperands())
        if (isa<ArrayType>(operand.getType()) && isa<RankedTensorType>(op->getResult(0).getType()) && !isUnchanged(operand)) {
          op->emitError() << "a tensor array that a loop changes is read in control flow inside of it, which has no gradient";
          return WalkResult::interrupt();
        }
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  /// The loop again, which also counts its iterations and keeps the arguments of its body.
  void recordForward() {
    SmallVector<Value> inits(loop.getInits());
    SmallVector<Type> beforeTypes(loop.getBeforeBody()->getArgumentTypes()),
        afterTypes(loop.getAfterBody()->getArgumentTypes());
    inits.push_back(constantInt(builder, location, 0));
    for (Value argument : loop.getAfterArguments())
      if (isa<RankedTensorType>(argument.getType()))
        kept.push_back(argument);
    llvm::append_range(kept, reads);
    for (Value value : kept) {
      auto type = ArrayType::get(builder.getContext(), cast<RankedTensorType>(value.getType()));
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
    for (Operation &op : loop.getAfterBody()->without_terminator())
      builder.clone(op, mapping);
    SmallVector<Value> tapes;
    for (auto [i, value] : llvm::enumerate(kept)) {
      Value tape = ArrayWriteOp::create(builder, location, own[1 + i], own[0], mapping.lookup(value));
      tapes.push_back(widened(builder, location, tape, own[1 + i].getType()));
    }
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
                                         : zerosLike(builder, location, forward.getResult(number)));
    for (Value capture : captures)
      inits.push_back(zerosLike(builder, location, capture));
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
    SmallVector<Value> inputs, originals, given, found;
    for (auto [i, value] : llvm::enumerate(kept)) {
      Value read = ArrayReadOp::create(builder, location, forward.getResult(own + 1 + i), index);
      if (isa<BlockArgument>(value))
        mapping.map(value, read);
      else
        found.push_back(read);
    }
    for (auto [i, argument] : llvm::enumerate(loop.getAfterArguments()))
      if (isa<ArrayType>(argument.getType()))
        mapping.map(argument, forward.getResult(i));
    SmallVector<int64_t> outputs;
    for (auto [i, number] : llvm::enumerate(carried)) {
      originals.push_back(loop.getAfterArguments()[number]);
      inputs.push_back(mapping.lookup(originals.back()));
      outputs.push_back(places[number]);
      given.push_back(body->getArgument(1 + i));
    }
    for (Value capture : captures) {
      originals.push_back(capture);
      inputs.push_back(capture);
    }
    SmallVector<Value> gradients =
        gradientsOf(builder, location, *loop.getAfterBody(), inputs, originals, mapping, outputs, given, reads, found);
    SmallVector<Value> yielded{
        SubtractOp::create(builder, location, index, constantInt(builder, location, 1))};
    for (auto [i, gradient] : llvm::enumerate(gradients)) {
      if (i >= carried.size())
        gradient = sumOf(builder, location, body->getArgument(1 + i), gradient);
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
  SmallVector<Value> reads;    ///< what the body reads of arrays
  SmallVector<Value> kept;     ///< the arguments of the body that are tensors, and `reads`
  scf::WhileOp forward, backward;
};

} // namespace

LogicalResult differentiateLoop(OpBuilder &builder, scf::WhileOp op, ArrayRef<Value> cotangents,
                                llvm::function_ref<bool(Value)> isActive, GradientSink accumulate) {
  return LoopGradient(builder, op, isActive).run(cotangents, accumulate);
}

} // namespace proa::pd
