//! Scattering by blocks of GPU threads, each of which owns some slices of the result.
#include "dialects/pd/builders/ThreadBuilder.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/proa/Proa.h"
#include "dialects/rt/Rt.h"
#include "dialects/rt/ScatterUpdate.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace proa::rt {
namespace {

using pd::IndexValue;
using pd::ThreadBuilder;
using Values = ThreadBuilder::Values;

/// Operands.
enum : unsigned { keysOperand, updatesOperand, xOperand };

/// The static sizes of an op: `slices` of `elements` each, of which a block owns `owned`.
struct Slices {
  int64_t keys, slices, elements, owned;

  explicit Slices(ScatterOwnedOp op) {
    ArrayRef<int64_t> shape = pd::tensorType(op.getOut()).getShape();
    keys = pd::tensorType(op.getKeys()).getNumElements();
    slices = pd::productOfDims(shape.take_front(op.getDepth())).value_or(1);
    elements = pd::productOfDims(shape.drop_front(op.getDepth())).value_or(1);
    owned = static_cast<int64_t>(llvm::divideCeil(slices, gpuOf(op).concurrentBlocks()));
  }
};

bool canAddAtomically(ScatterOwnedOp op) {
  Type element = pd::tensorType(op.getOut()).getElementType();
  bool isKnown =
      element.isF32() || element.isF64() || element.isSignlessInteger(32) || element.isSignlessInteger(64);
  return op.getReduce() == pd::ScatterReduce::Add && isKnown;
}

/// The code of one thread.
class OwnerCode {
public:
  OwnerCode(ScatterOwnedOp op, ThreadBuilder &b)
      : op(op), b(b), sizes(op), first(b.row() * sizes.owned),
        count(min(b.index(sizes.slices) - first, b.index(sizes.owned))) {}

  void run(bool isAtomic) {
    IndexValue begin = first * sizes.elements;
    b.spread(count * sizes.elements, [&](IndexValue i) { b.storeFlat(0, begin + i, started(begin + i)); });
    b.barrier();
    if (isAtomic)
      return addAtomically();
    flags = b.shared({b.threads()}, b.getBuilder().getI32Type());
    list = b.shared({b.threads()}, b.getBuilder().getI32Type());
    b.loop(b.index(0), b.index(sizes.keys), b.index(b.threads()),
           [&](IndexValue chunk) { combineChunk(chunk); });
  }

private:
  ScatterOwnedOp op;
  ThreadBuilder &b;
  Slices sizes;
  IndexValue first, count; ///< the slices of the block
  Value flags, list; ///< shared: whether an update of a chunk is of the block; the numbers of those that are

  Value started(IndexValue position) {
    if (op.getX())
      return b.loadFlat(xOperand, position);
    return b.constant(op.getStart().convertToDouble(), pd::tensorType(op.getOut()).getElementType());
  }

  IndexValue keyOf(IndexValue update) { return b.loadInteger(keysOperand, {update}); }
  Value isOwned(IndexValue key) { return b.logicalAnd(isLess(first - 1, key), isLess(key, first + count)); }

  void addAtomically() {
    bool isFloat = isa<FloatType>(pd::tensorType(op.getOut()).getElementType());
    auto kind = isFloat ? arith::AtomicRMWKind::addf : arith::AtomicRMWKind::addi;
    b.spread(b.index(sizes.keys), [&](IndexValue update) {
      IndexValue key = keyOf(update);
      b.ifThen(isOwned(key), [&] {
        b.loop(b.index(0), b.index(sizes.elements), b.index(1), [&](IndexValue i) {
          Value given = b.loadFlat(updatesOperand, update * sizes.elements + i);
          b.updateFlat(0, key * sizes.elements + i, kind, given);
        });
      });
    });
  }

  Value number(int64_t value) { return b.integer(b.index(value), b.getBuilder().getI32Type()); }
  IndexValue listed(IndexValue i) { return b.fromInteger(b.loadFrom(list, {i})); }

  /// Combines updates chunk, chunk + 1, ... , as many as a block has threads, in their order.
  void combineChunk(IndexValue chunk) {
    IndexValue update = chunk + b.thread();
    Value isHit = b.ThreadBuilder::choose(
        isLess(update, b.index(sizes.keys)), [&] { return Values{isOwned(keyOf(update))}; },
        [&] { return Values{b.logicalNot(b.isEqual(b.index(0), b.index(0)))}; })[0];
    b.storeTo(flags, {b.thread()}, b.select(isHit, number(1), number(0)));
    b.storeTo(list, {b.thread()}, number(-1));
    b.barrier();
    b.ifThen(isHit, [&] {
      Values position = b.loop(b.index(0), b.thread(), b.index(1), {b.index(0).value()},
                               [&](IndexValue i, ValueRange before) -> Values {
                                 IndexValue sum(b, before[0]);
                                 return {(sum + b.fromInteger(b.loadFrom(flags, {i}))).value()};
                               });
      b.storeTo(list, {IndexValue(b, position[0])}, b.integer(b.thread(), b.getBuilder().getI32Type()));
    });
    b.barrier();
    auto isListed = [&](IndexValue i) {
      return b.ThreadBuilder::choose(
          isLess(i, b.index(b.threads())), [&] { return Values{isLess(b.index(-1), listed(i))}; },
          [&] { return Values{b.logicalNot(b.isEqual(b.index(0), b.index(0)))}; })[0];
    };
    b.whileLoop(
        {b.index(0).value()}, [&](ValueRange state) { return isListed({b, state[0]}); },
        [&](ValueRange state) -> Values {
          combineUpdate(chunk + listed({b, state[0]}));
          return {(IndexValue(b, state[0]) + 1).value()};
        });
    b.barrier(); // before the next chunk is listed
  }

  /// Threads have columns of their own, so that no barrier is between updates of one slice.
  void combineUpdate(IndexValue update) {
    IndexValue slice = keyOf(update) * sizes.elements, from = update * sizes.elements;
    bool isUnsigned = pd::tensorType(op.getOut()).getElementType().isUnsignedInteger();
    b.spread(b.index(sizes.elements), [&](IndexValue i) {
      Value given = b.loadFlat(updatesOperand, from + i);
      if (op.getReduce() != pd::ScatterReduce::Assign)
        given = combinedUpdate(b, op.getReduce(), b.loadResult(0, slice + i), given, isUnsigned);
      b.storeFlat(0, slice + i, given);
    });
  }
};

} // namespace

LogicalResult ScatterOwnedOp::verify() {
  auto keys = pd::tensorType(getKeys()), updates = pd::tensorType(getUpdates()),
       out = pd::tensorType(getOut());
  auto depth = static_cast<int64_t>(getDepth());
  if (keys.getRank() != 1)
    return emitOpError() << "C1: keys is a vector, found " << keys;
  bool isStatic = keys.hasStaticShape() && updates.hasStaticShape() && out.hasStaticShape();
  if (!isStatic || depth < 0 || depth > out.getRank() || updates.getRank() != out.getRank() - depth + 1 ||
      updates.getDimSize(0) != keys.getDimSize(0) ||
      updates.getShape().drop_front() != out.getShape().drop_front(depth))
    return emitOpError()
           << "C2: all dims are static, and updates has the dims of keys and the dims of the result from "
              "depth on, found "
           << keys << ", " << updates << ", " << out << " and depth " << depth;
  Type element = out.getElementType();
  if (updates.getElementType() != element || (getX() && getX().getType() != out))
    return emitOpError()
           << "C3: x, updates and the result have one element type, and x the dims of the result, found "
           << updates << " and " << out;
  bool isWide = element.isF32() || element.isF64() || element.isInteger(32) || element.isInteger(64);
  if (getReduce() != pd::ScatterReduce::Assign && !isWide)
    return emitOpError() << "C4: elements that are combined have 32 or 64 bits, found " << element;
  return success();
}

const char *ScatterOwnedOp::whyNoThreads() { return nullptr; }

/// pd-expand-for-device chooses atomic additions.
pd::ThreadChoice ScatterOwnedOp::chooseStrategy() {
  if (ThreadStrategyAttr::of(*this) == ThreadStrategy::Atomic && canAddAtomically(*this))
    return {ThreadStrategy::Atomic, "the op requests it"};
  Slices sizes(*this);
  return {ThreadStrategy::Ordered, llvm::formatv("a block owns {0} of {1} slices of {2} elements",
                                                 sizes.owned, sizes.slices, sizes.elements)};
}

/// A thread for each column of a slice.
int64_t ScatterOwnedOp::getThreads() {
  constexpr int64_t fewest = 32, most = 256;
  if (chooseStrategy().strategy == ThreadStrategy::Atomic)
    return most;
  return std::clamp(static_cast<int64_t>(llvm::PowerOf2Ceil(static_cast<uint64_t>(Slices(*this).elements))),
                    fewest, most);
}

Value ScatterOwnedOp::buildResultDim(pd::ElementBuilder &b, unsigned, int64_t dim) {
  return b.index(pd::tensorType(getOut()).getDimSize(dim)).value();
}

Value ScatterOwnedOp::buildRowCount(pd::ElementBuilder &b) {
  Slices sizes(*this);
  return b.index(static_cast<int64_t>(llvm::divideCeil(sizes.slices, sizes.owned))).value();
}

void ScatterOwnedOp::buildThreads(ThreadBuilder &b) {
  OwnerCode(*this, b).run(chooseStrategy().strategy == ThreadStrategy::Atomic);
}

} // namespace proa::rt
