//! The gradient of scf.while: a copy of the loop that saves the initial state of each iteration on tapes,
//! then a reverse loop.
//!
//! A reversed iteration must read the same elements of tensor arrays as the original iteration:
//! - Elements that ops directly in the body read from changing arrays are saved like the body's arguments.
//! - If nested control flow reads a changing array, or the body slices one, the whole array is saved before
//!   each iteration; these snapshots are concatenated in one array.
//! - Otherwise the array's state after the loop is used: no op reads its elements.
#include "dialects/pd/autodiff/ArrayGradient.h"
#include "dialects/pd/autodiff/ControlFlow.h"
#include "dialects/pd/autodiff/CountedLoop.h"
#include "dialects/pd/autodiff/ForwardMode.h"
#include "dialects/pd/autodiff/RegionGradient.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/control/CheckOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// Whether the op computes tensors from an array.
bool readsArray(Operation &op) {
  return op.getNumRegions() == 0 && llvm::any_of(op.getOperands(), isArray) &&
         llvm::any_of(op.getResults(), [](Value result) { return !isArray(result); });
}

class LoopGradient {
public:
  LoopGradient(OpBuilder &builder, scf::WhileOp loop, llvm::function_ref<bool(Value)> isActive)
      : builder(builder), loop(loop), location(loop.getLoc()) {
    // Body arguments to which the test passes captured values are replaced by these values.
    for (auto [argument, value] : llvm::zip(loop.getAfterArguments(), loop.getConditionOp().getArgs()))
      if (!loop.getBefore().isAncestor(value.getParentRegion()) && value.getType() == argument.getType())
        argument.replaceAllUsesWith(value);
    countFromStart();
    captures = activeCaptures(loop, isActive);
  }

  LogicalResult run(ArrayRef<Value> cotangents, GradientSink accumulate) {
    auto flowing = loop.getConditionOp().getArgs();
    for (auto [i, value] : llvm::enumerate(flowing)) {
      auto argument = dyn_cast<BlockArgument>(value);
      bool passedOn = argument && argument.getOwner() == loop.getBeforeBody();
      if (!passedOn && value.getParentRegion() == &loop.getBefore())
        return loop.emitError() << "a loop whose test computes what it passes on has no gradient";
      testArgs.push_back(passedOn ? static_cast<int64_t>(argument.getArgNumber()) : -1);
      Value inside = loop.getAfterArguments()[i];
      if (passedOn && hasTangent(value.getType()) && (!isArray(inside) || cotangents[i] || isRead(inside)))
        carried.push_back(i);
    }
    findSavedValues();
    recordForward();
    runBackward(cotangents);
    for (auto [i, index] : llvm::enumerate(carried))
      accumulate(loop.getInits()[testArgs[index]], backward.getResult(1 + i));
    for (auto [i, capture] : llvm::enumerate(captures))
      accumulate(capture, backward.getResult(1 + carried.size() + i));
    for (auto [i, testArg] : llvm::enumerate(testArgs))
      if (testArg < 0 && cotangents[i])
        accumulate(flowing[i], cotangents[i]);
    return success();
  }

private:
  /// Replaces negative indices, which count from an array's end, by indices from its start: in the reverse
  /// loop arrays have another length.
  void countFromStart() {
    for (auto read : loop.getAfterBody()->getOps<ArrayReadOp>())
      read.getIndexMutable().assign(indexFromStart(read));
  }

  /// Whether the body uses an array for more than writing to it and passing it to the next iteration.
  static bool isRead(Value array) {
    SmallVector<Value> aliases{array};
    while (!aliases.empty())
      for (OpOperand &use : aliases.pop_back_val().getUses()) {
        Operation *user = use.getOwner();
        if (isa<ArrayCastOp, ArrayWriteOp>(user))
          aliases.push_back(user->getResult(0));
        else if (!isa<scf::YieldOp>(user) || user->getBlock() != array.getParentBlock() ||
                 !becomes(user, use.getOperandNumber(), cast<BlockArgument>(array)))
          return true;
      }
    return false;
  }

  /// Whether the yielded value at `index` becomes the body's argument in the next iteration.
  static bool becomes(Operation *yield, unsigned index, BlockArgument argument) {
    auto loop = cast<scf::WhileOp>(yield->getParentOp());
    return loop.getConditionOp().getArgs()[argument.getArgNumber()] == loop.getBeforeArguments()[index];
  }

  /// Whether an array in the body is equal in all iterations, or created in each iteration.
  bool isUnchanged(Value array) {
    while (Operation *op = array.getDefiningOp()) {
      if (!isa<ArrayWriteOp, ArrayCastOp, ArraySliceOp>(op))
        return isa<ArrayCreateOp>(op) || !loop->isAncestor(op);
      array = op->getOperand(0);
    }
    auto argument = cast<BlockArgument>(array);
    if (argument.getOwner() != loop.getAfterBody())
      return !loop->isAncestor(argument.getOwner()->getParentOp());
    int64_t testArg = testArgs[argument.getArgNumber()];
    return testArg < 0 || loop.getYieldOp().getOperand(static_cast<unsigned>(testArg)) == array;
  }

  void findSavedValues() {
    for (Value argument : loop.getAfterArguments())
      if (!isArray(argument))
        kept.push_back(argument);
    bool needsWhole = false;
    loop.getAfterBody()->walk([&](Operation *op) {
      bool needsLength = isa<ArraySliceOp, ArrayConcatOp, ArrayZerosLikeOp>(op); // so do their gradients
      if (!readsArray(*op) && !needsLength)
        return;
      if (llvm::all_of(op->getOperands(), [&](Value v) { return !isArray(v) || isUnchanged(v); }))
        return;
      needsWhole |= needsLength || op->getBlock() != loop.getAfterBody();
      if (op->getBlock() == loop.getAfterBody())
        llvm::copy_if(op->getResults(), std::back_inserter(computed),
                      [](Value result) { return !isArray(result); });
    });
    llvm::append_range(kept, computed);
    if (needsWhole)
      for (Value argument : loop.getAfterArguments())
        if (isArray(argument) && !isUnchanged(argument))
          snapshots.push_back(argument);
  }

  /// The type of a tape: an array with one element per iteration.
  Type tapeOf(Type element) { return ArrayType::get(builder.getContext(), cast<RankedTensorType>(element)); }
  Value onTape(Value tape, Value iteration, Value element) {
    return widened(builder, location, ArrayWriteOp::create(builder, location, tape, iteration, element),
                   tape.getType());
  }

  /// Creates the copy of the loop that also counts its iterations and writes the tapes.
  void recordForward() {
    SmallVector<Value> inits(loop.getInits());
    SmallVector<Type> beforeTypes(loop.getBeforeBody()->getArgumentTypes()),
        afterTypes(loop.getAfterBody()->getArgumentTypes()), added;
    for (Value value : kept)
      added.push_back(tapeOf(value.getType()));
    for (Value array : snapshots)
      added.append({array.getType(), tapeOf(lengthType()), tapeOf(lengthType())});
    inits.push_back(oneInt(builder, location, 0));
    for (Type type : added)
      inits.push_back(widened(builder, location, ArrayCreateOp::create(builder, location), type));
    added.insert(added.begin(), inits[loop.getInits().size()].getType());
    llvm::append_range(beforeTypes, added);
    llvm::append_range(afterTypes, added);
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
    recordBody(mapping, builder.createBlock(&forward.getAfter(), {}, afterTypes, afterLocations), ownAfter);
    // The original loop has already printed.
    forward->walk([](PrintOp print) { print.erase(); });
  }

  void recordBody(IRMapping &mapping, Block *body, unsigned ownAfter) {
    mapping.map(loop.getAfterArguments(), body->getArguments().take_front(ownAfter));
    auto own = body->getArguments().drop_front(ownAfter);
    for (Operation &op : loop.getAfterBody()->without_terminator())
      builder.clone(op, mapping);
    SmallVector<Value> yielded;
    for (Value value : loop.getYieldOp().getOperands())
      yielded.push_back(mapping.lookupOrDefault(value));
    Value iteration = own[0];
    yielded.push_back(AddOp::create(builder, location, iteration, oneInt(builder, location, 1)));
    for (auto [i, value] : llvm::enumerate(kept))
      yielded.push_back(onTape(own[1 + i], iteration, mapping.lookup(value)));
    auto tapes = own.drop_front(1 + kept.size());
    for (auto [i, array] : llvm::enumerate(snapshots)) {
      Value joined = ArrayConcatOp::create(builder, location, tapes[3 * i], mapping.lookup(array));
      Value begin = ArrayLengthOp::create(builder, location, tapes[3 * i]);
      Value end = ArrayLengthOp::create(builder, location, joined);
      yielded.append({widened(builder, location, joined, tapes[3 * i].getType()),
                      onTape(tapes[3 * i + 1], iteration, begin), onTape(tapes[3 * i + 2], iteration, end)});
    }
    scf::YieldOp::create(builder, location, yielded);
  }

  RankedTensorType lengthType() { return RankedTensorType::get({1}, builder.getI64Type()); }

  /// Maps the body's arguments to their values in iteration `index`, and appends the saved values of
  /// `computed` to `saved`.
  void rewind(IRMapping &mapping, Value index, SmallVector<Value> &saved) {
    for (auto [i, argument] : llvm::enumerate(loop.getAfterArguments()))
      if (isArray(argument))
        mapping.map(argument, widened(builder, location, forward.getResult(i), argument.getType()));
    auto tapes = forward.getResults().drop_front(loop.getResults().size() + 1);
    auto read = [&](Value tape) -> Value { return ArrayReadOp::create(builder, location, tape, index); };
    for (auto [i, value] : llvm::enumerate(kept))
      if (isa<BlockArgument>(value))
        mapping.map(value, read(tapes[i]));
      else
        saved.push_back(read(tapes[i]));
    tapes = tapes.drop_front(kept.size());
    for (auto [i, array] : llvm::enumerate(snapshots)) {
      Value begin = read(tapes[3 * i + 1]), end = read(tapes[3 * i + 2]);
      Value before = ArraySliceOp::create(builder, location, tapes[3 * i], begin, end);
      mapping.map(array, widened(builder, location, before, array.getType()));
    }
  }

  /// Creates the loop from the last iteration to the first. It carries the cotangents of the state and the
  /// gradients of captured values.
  void runBackward(ArrayRef<Value> cotangents) {
    Value count = forward.getResult(loop.getResults().size());
    SmallVector<Value> inits{SubtractOp::create(builder, location, count, oneInt(builder, location, 1))};
    SmallVector<Type> types{count.getType()};
    for (size_t index : carried) {
      inits.push_back(cotangents[index] ? cotangents[index]
                                        : noCotangent(builder, location, forward.getResult(index)));
      types.push_back(loop.getAfterArguments()[index].getType());
    }
    for (Value capture : captures) {
      inits.push_back(noCotangent(builder, location, capture));
      types.push_back(capture.getType());
    }
    for (auto [init, type] : llvm::zip(inits, types))
      init = widened(builder, location, init, type);
    backward = scf::WhileOp::create(builder, location, types, inits);
    SmallVector<Location> locations(types.size(), location);
    OpBuilder::InsertionGuard guard(builder);
    Block *test = builder.createBlock(&backward.getBefore(), {}, types, locations);
    Value isRunning =
        GreaterEqualOp::create(builder, location, test->getArgument(0), oneInt(builder, location, 0));
    scf::ConditionOp::create(builder, location, asCondition(builder, location, isRunning),
                             test->getArguments());
    reverseIteration(builder.createBlock(&backward.getAfter(), {}, types, locations));
  }

  void reverseIteration(Block *body) {
    Value index = body->getArgument(0);
    RegionGradient region{*loop.getAfterBody(), {}, {}, {}, {}, {}, {}, computed, {}};
    rewind(region.mapping, index, region.saved);
    region.soFar.resize(carried.size());
    for (auto [i, position] : llvm::enumerate(carried)) {
      region.originals.push_back(loop.getAfterArguments()[position]);
      region.inputs.push_back(region.mapping.lookup(region.originals.back()));
      region.outputs.push_back(testArgs[position]);
      region.cotangents.push_back(body->getArgument(1 + i));
    }
    for (auto [i, capture] : llvm::enumerate(captures)) {
      region.originals.push_back(capture);
      region.inputs.push_back(capture);
      region.soFar.push_back(isArray(capture) ? Value(body->getArgument(1 + carried.size() + i)) : Value());
    }
    SmallVector<Value> yielded{SubtractOp::create(builder, location, index, oneInt(builder, location, 1))};
    for (auto [i, gradient] : llvm::enumerate(region.create(builder, location))) {
      Value sum = gradient, soFar = body->getArgument(1 + i);
      if (i >= carried.size() && !region.soFar[i])
        sum = AddOp::create(builder, location, soFar, gradient);
      yielded.push_back(widened(builder, location, sum, soFar.getType()));
    }
    scf::YieldOp::create(builder, location, yielded);
  }

  OpBuilder &builder;
  scf::WhileOp loop;
  Location location;
  SmallVector<Value> captures;
  SmallVector<int64_t> testArgs; ///< for each argument of the body: the index of the test's argument passed
                                 ///< to it; -1 for a captured value
  SmallVector<size_t> carried;   ///< indices of the body's arguments with gradients
  SmallVector<Value> computed;   ///< tensors that ops directly in the body compute from changing arrays
  SmallVector<Value> kept;       ///< the tensors among the body's arguments, and `computed`
  SmallVector<Value> snapshots;  ///< arrays among the body's arguments that are saved whole
  scf::WhileOp forward, backward;
};

} // namespace

LogicalResult differentiateLoop(OpBuilder &builder, scf::WhileOp op, ArrayRef<Value> cotangents,
                                llvm::function_ref<bool(Value)> isActive, GradientSink accumulate) {
  return LoopGradient(builder, op, isActive).run(cotangents, accumulate);
}

} // namespace proa::pd
