//! The gradient of scf.while: the loop again, which keeps the initial values of its iterations, then a loop
//! back through them.
//!
//! An iteration must find the same in its tensor arrays when it is gone through backward. What its body
//! itself reads of them is kept like its arguments. Where control flow in the body reads an array that the
//! loop changes, or the body takes a part of one, the array itself is kept as it was before each iteration,
//! one after another in one array. Else an array is what it is after the loop, which nothing
//! reads.
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

bool isArray(Value value) { return isa<ArrayType>(value.getType()); }

/// Whether the op computes tensors from an array.
bool readsArray(Operation &op) {
  return op.getNumRegions() == 0 && llvm::any_of(op.getOperands(), isArray) &&
         llvm::any_of(op.getResults(), [](Value result) { return !isArray(result); });
}

class LoopGradient {
public:
  LoopGradient(OpBuilder &builder, scf::WhileOp loop, llvm::function_ref<bool(Value)> isActive)
      : builder(builder), loop(loop), location(loop.getLoc()) {
    // A value from outside that the test passes on is a value from outside.
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
      places.push_back(passedOn ? static_cast<int64_t>(argument.getArgNumber()) : -1);
      Value inside = loop.getAfterArguments()[i];
      if (passedOn && hasTangent(value.getType()) && (!isArray(inside) || cotangents[i] || isRead(inside)))
        carried.push_back(i);
    }
    findWhatToKeep();
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
  /// Elements that the body counts from the end of an array it counts from its start: backward the end is
  /// another.
  void countFromStart() {
    for (auto read : loop.getAfterBody()->getOps<ArrayReadOp>())
      read.getIndexMutable().assign(indexFromStart(read));
  }

  /// Whether anything but writing happens to an array in the body.
  static bool isRead(Value array) {
    SmallVector<Value> names{array};
    while (!names.empty())
      for (OpOperand &use : names.pop_back_val().getUses()) {
        Operation *user = use.getOwner();
        if (isa<ArrayCastOp, ArrayWriteOp>(user))
          names.push_back(user->getResult(0));
        else if (!isa<scf::YieldOp>(user) || user->getBlock() != array.getParentBlock() ||
                 !givesTo(user, use.getOperandNumber(), cast<BlockArgument>(array)))
          return true;
      }
    return false;
  }

  /// Whether what the body yields at a place is the given argument of its next iteration.
  static bool givesTo(Operation *yield, unsigned place, BlockArgument argument) {
    auto loop = cast<scf::WhileOp>(yield->getParentOp());
    return loop.getConditionOp().getArgs()[argument.getArgNumber()] == loop.getBeforeArguments()[place];
  }

  /// Whether an array in the body is the same in all iterations, or created in each.
  bool isUnchanged(Value array) {
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
  }

  void findWhatToKeep() {
    for (Value argument : loop.getAfterArguments())
      if (!isArray(argument))
        kept.push_back(argument);
    bool needsWhole = false;
    loop.getAfterBody()->walk([&](Operation *op) {
      bool asksForLength = isa<ArraySliceOp, ArrayConcatOp, ArrayZerosLikeOp>(op); // so do their gradients
      if (!readsArray(*op) && !asksForLength)
        return;
      if (llvm::all_of(op->getOperands(), [&](Value v) { return !isArray(v) || isUnchanged(v); }))
        return;
      needsWhole |= asksForLength || op->getBlock() != loop.getAfterBody();
      if (op->getBlock() == loop.getAfterBody())
        llvm::copy_if(op->getResults(), std::back_inserter(found),
                      [](Value result) { return !isArray(result); });
    });
    llvm::append_range(kept, found);
    if (needsWhole)
      for (Value argument : loop.getAfterArguments())
        if (isArray(argument) && !isUnchanged(argument))
          snapshots.push_back(argument);
  }

  /// A tape is an array with one element an iteration.
  Type tapeOf(Type element) { return ArrayType::get(builder.getContext(), cast<RankedTensorType>(element)); }
  Value onTape(Value tape, Value number, Value element) {
    return widened(builder, location, ArrayWriteOp::create(builder, location, tape, number, element),
                   tape.getType());
  }

  /// The loop again, which also counts its iterations and keeps things on tapes.
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
    // The loop has printed already.
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
    Value number = own[0];
    yielded.push_back(AddOp::create(builder, location, number, oneInt(builder, location, 1)));
    for (auto [i, value] : llvm::enumerate(kept))
      yielded.push_back(onTape(own[1 + i], number, mapping.lookup(value)));
    auto tapes = own.drop_front(1 + kept.size());
    for (auto [i, array] : llvm::enumerate(snapshots)) {
      Value joined = ArrayConcatOp::create(builder, location, tapes[3 * i], mapping.lookup(array));
      Value begin = ArrayLengthOp::create(builder, location, tapes[3 * i]);
      Value end = ArrayLengthOp::create(builder, location, joined);
      yielded.append({widened(builder, location, joined, tapes[3 * i].getType()),
                      onTape(tapes[3 * i + 1], number, begin), onTape(tapes[3 * i + 2], number, end)});
    }
    scf::YieldOp::create(builder, location, yielded);
  }

  RankedTensorType lengthType() { return RankedTensorType::get({1}, builder.getI64Type()); }

  /// Maps the body's arguments to their values in iteration `index`; appends the elements of arrays that its
  /// ops read to `had`.
  void rewind(IRMapping &mapping, Value index, SmallVector<Value> &had) {
    for (auto [i, argument] : llvm::enumerate(loop.getAfterArguments()))
      if (isArray(argument))
        mapping.map(argument, widened(builder, location, forward.getResult(i), argument.getType()));
    auto tapes = forward.getResults().drop_front(loop.getResults().size() + 1);
    auto read = [&](Value tape) -> Value { return ArrayReadOp::create(builder, location, tape, index); };
    for (auto [i, value] : llvm::enumerate(kept))
      if (isa<BlockArgument>(value))
        mapping.map(value, read(tapes[i]));
      else
        had.push_back(read(tapes[i]));
    tapes = tapes.drop_front(kept.size());
    for (auto [i, array] : llvm::enumerate(snapshots)) {
      Value begin = read(tapes[3 * i + 1]), end = read(tapes[3 * i + 2]);
      Value before = ArraySliceOp::create(builder, location, tapes[3 * i], begin, end);
      mapping.map(array, widened(builder, location, before, array.getType()));
    }
  }

  /// From the last iteration to the first: the cotangents of what an iteration gives become those of what it
  /// began with.
  void runBackward(ArrayRef<Value> cotangents) {
    Value count = forward.getResult(loop.getResults().size());
    SmallVector<Value> inits{SubtractOp::create(builder, location, count, oneInt(builder, location, 1))};
    SmallVector<Type> types{count.getType()};
    for (size_t number : carried) {
      inits.push_back(cotangents[number] ? cotangents[number]
                                         : noCotangent(builder, location, forward.getResult(number)));
      types.push_back(loop.getAfterArguments()[number].getType());
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
    Value goesOn =
        GreaterEqualOp::create(builder, location, test->getArgument(0), oneInt(builder, location, 0));
    scf::ConditionOp::create(builder, location, asCondition(builder, location, goesOn), test->getArguments());
    goBackOne(builder.createBlock(&backward.getAfter(), {}, types, locations));
  }

  void goBackOne(Block *body) {
    Value index = body->getArgument(0);
    RegionGradient region{*loop.getAfterBody(), {}, {}, {}, {}, {}, {}, found, {}};
    rewind(region.mapping, index, region.saved);
    region.soFar.resize(carried.size());
    for (auto [i, number] : llvm::enumerate(carried)) {
      region.originals.push_back(loop.getAfterArguments()[number]);
      region.inputs.push_back(region.mapping.lookup(region.originals.back()));
      region.outputs.push_back(places[number]);
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
  SmallVector<int64_t> places;  ///< of each argument of the body: the argument of the test that it is, -1 for
                                ///< a value from outside
  SmallVector<size_t> carried;  ///< the arguments of the body that a gradient flows through
  SmallVector<Value> found;     ///< what the body itself computes from arrays that the loop changes
  SmallVector<Value> kept;      ///< the arguments of the body that are tensors, and `found`
  SmallVector<Value> snapshots; ///< arrays among the body's arguments that are kept whole
  scf::WhileOp forward, backward;
};

} // namespace

LogicalResult differentiateLoop(OpBuilder &builder, scf::WhileOp op, ArrayRef<Value> cotangents,
                                llvm::function_ref<bool(Value)> isActive, GradientSink accumulate) {
  return LoopGradient(builder, op, isActive).run(cotangents, accumulate);
}

} // namespace proa::pd
