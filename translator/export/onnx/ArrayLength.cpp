#include "translator/export/onnx/ArrayLength.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/ScaleOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/shape/KnownElements.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/View.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace proa::exporter {
namespace {

/// Loops in loops; deeper ones count as unknown.
constexpr unsigned mostLoops = 8;

/// `base` + `offset`; a constant has no base.
struct Counter {
  Value base;
  int64_t offset = 0;
};

std::optional<int64_t> knownInteger(Value value) {
  auto known = pd::allKnownElements(value);
  return known && known->size() == 1 ? std::optional(known->front()) : std::nullopt;
}

/// The integer that an op adds to its first operand.
std::optional<int64_t> addedInteger(Operation *op) {
  if (auto increment = dyn_cast<pd::IncrementOp>(op))
    return static_cast<int64_t>(increment.getValue().convertToDouble());
  if (auto add = dyn_cast<pd::AddOp>(op))
    return knownInteger(add.getY());
  auto scale = dyn_cast<pd::ScaleOp>(op);
  if (!scale || scale.getScaleTensor() || scale.getBiasTensor() || !scale.getScale().isExactlyValue(1.0))
    return std::nullopt;
  return static_cast<int64_t>(scale.getBias().convertToDouble());
}

/// Whether the result is the operand in another shape or a wider integer type.
bool keepsInteger(Operation *op) {
  if (isa<pd::ReshapeOp, pd::SqueezeOp, pd::UnsqueezeOp>(op))
    return true;
  auto cast = dyn_cast<pd::CastOp>(op);
  if (!cast)
    return false;
  Type from = pd::tensorType(cast.getX()).getElementType(),
       to = pd::tensorType(cast.getOut()).getElementType();
  return from.isInteger() && to.isInteger() && from.getIntOrFloatBitWidth() <= to.getIntOrFloatBitWidth();
}

Counter counterOf(Value index) {
  Counter counter{index};
  while (true) {
    if (std::optional<int64_t> known = knownInteger(counter.base))
      return {Value(), counter.offset + *known};
    Operation *op = counter.base.getDefiningOp();
    if (!op || op->getNumOperands() == 0)
      return counter;
    if (std::optional<int64_t> added = addedInteger(op))
      counter.offset += *added;
    else if (!keepsInteger(op))
      return counter;
    counter.base = op->getOperand(0);
  }
}

/// A value that a loop carries, in its regions or after it.
struct Carried {
  scf::WhileOp loop;
  unsigned index = 0;
  friend bool operator==(const Carried &, const Carried &) = default;
};

std::optional<Carried> carriedBy(Value value) {
  auto loop = value.getDefiningOp<scf::WhileOp>();
  unsigned index = 0;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    loop = dyn_cast<scf::WhileOp>(argument.getOwner()->getParentOp());
    index = argument.getArgNumber();
    if (loop && argument.getOwner() == loop.getBeforeBody())
      return Carried{loop, index};
  } else if (loop) {
    index = cast<OpResult>(value).getResultNumber();
  }
  if (!loop)
    return std::nullopt;
  // The condition may pass its arguments on in another order.
  auto condition = cast<scf::ConditionOp>(loop.getBeforeBody()->getTerminator());
  auto passed = dyn_cast<BlockArgument>(pd::beforeWidening(condition.getArgs()[index]));
  if (!passed || passed.getOwner() != loop.getBeforeBody())
    return std::nullopt;
  return Carried{loop, passed.getArgNumber()};
}

Value beforeCasts(Value array) {
  while (auto widening = array.getDefiningOp<pd::ArrayCastOp>())
    array = widening.getArray();
  return array;
}

/// An array and a counter of one loop, and the difference between length and counter in each iteration.
struct Invariant {
  Carried array, counter;
  int64_t difference = 0;
};

std::optional<int64_t> differenceOf(Value array, Value index, const Invariant *assumed, unsigned depth);

/// By induction: the difference before the loop, which an iteration keeps.
std::optional<int64_t> differenceIn(Carried array, Carried counter, unsigned depth) {
  scf::WhileOp loop = array.loop;
  auto before =
      differenceOf(loop.getInits()[array.index], loop.getInits()[counter.index], nullptr, depth + 1);
  if (!before)
    return std::nullopt;
  Invariant assumed{array, counter, *before};
  ValueRange next = loop.getAfterBody()->getTerminator()->getOperands();
  return differenceOf(next[array.index], next[counter.index], &assumed, depth + 1) == before ? before
                                                                                             : std::nullopt;
}

std::optional<int64_t> differenceOf(Value array, Value index, const Invariant *assumed, unsigned depth) {
  llvm::SmallVector<Counter> writes; // the last one first
  Value base = beforeCasts(array);
  for (; auto write = base.getDefiningOp<pd::ArrayWriteOp>(); base = beforeCasts(write.getArray()))
    writes.push_back(counterOf(write.getIndex()));
  Counter counter = counterOf(index);
  std::optional<Carried> carried = carriedBy(base);
  // Whether an index counts as `counter` does: both from the same carried value, or both as constants.
  std::optional<Carried> origin = counter.base ? carriedBy(counter.base) : std::nullopt;
  std::optional<int64_t> difference;
  if (base.getDefiningOp<pd::ArrayCreateOp>() && !counter.base)
    difference = 0;
  else if (!carried || !origin || carried->loop != origin->loop || depth > mostLoops)
    return std::nullopt;
  else if (assumed && assumed->array == *carried && assumed->counter == *origin)
    difference = assumed->difference;
  else
    difference = differenceIn(*carried, *origin, depth);
  for (const Counter &write : llvm::reverse(writes)) {
    bool isComparable = !write.base ? !counter.base : counter.base && carriedBy(write.base) == origin;
    if (!difference || !isComparable || *difference != write.offset)
      return std::nullopt;
    ++*difference;
  }
  return difference ? std::optional(*difference - counter.offset) : std::nullopt;
}

} // namespace

std::optional<int64_t> lengthMinus(Value array, Value index) {
  return differenceOf(array, index, nullptr, 0);
}

} // namespace proa::exporter
