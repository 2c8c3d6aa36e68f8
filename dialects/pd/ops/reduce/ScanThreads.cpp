//! Scans by blocks of GPU threads.
#include "dialects/pd/builders/ThreadBuilder.h"
#include "dialects/pd/ops/reduce/ScanOps.h"
#include "dialects/proa/Proa.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/Support/FormatVariadic.h"

#include <limits>

using namespace mlir;

namespace proa::pd {
namespace {

using Values = ThreadBuilder::Values;

constexpr int64_t blockThreads = 256;
/// Columns: lines side by side; the threads of a column share its elements.
constexpr int64_t tileColumns = 32, columnSegments = blockThreads / tileColumns;
/// Tiles: elements of a thread in a tile of a line.
constexpr int64_t threadElements = 4;

/// How a line is scanned: the values of a state that combines elements, the later one on the right.
struct Scan {
  ThreadBuilder &b;
  bool reverse = false, exclusive = false;
  std::function<Values(IndexValue position, IndexValue i)> lift =
      {}; ///< the state of element i, at a place in memory
  std::function<Values(ValueRange, ValueRange)> combine = {};
  std::function<Values()> start = {}; ///< combine(start, x) = x
  std::function<void(IndexValue position, ValueRange state)> store = {};
};

/// How lines are distributed over blocks.
ThreadChoice chooseScan(Operation *op, const StaticLines &lines) {
  std::optional<ThreadStrategy> given = ThreadStrategyAttr::of(op);
  if (given && *given <= ThreadStrategy::Tiles)
    return {*given, "the op requests it"};
  constexpr int64_t shortLine = 64;
  int64_t manyLines = blockThreads * gpuOf(op).busyBlocks();
  bool isShort = !ShapedType::isDynamic(lines.length) && lines.length <= shortLine;
  bool areMany = !ShapedType::isDynamic(lines.outer) && !ShapedType::isDynamic(lines.inner) &&
                 lines.inner >= tileColumns && lines.outer * lines.inner >= manyLines;
  std::string reason =
      llvm::formatv("{0} x {1} lines of {2} elements; a thread scans a line of at most {3} elements, "
                    "or of {4} lines of which {5} are adjacent",
                    sizeText(lines.outer), sizeText(lines.inner), sizeText(lines.length), shortLine,
                    manyLines, tileColumns);
  if (isShort || areMany)
    return {ThreadStrategy::Lines, reason};
  return {lines.inner == 1 ? ThreadStrategy::Tiles : ThreadStrategy::Columns, reason};
}

IndexValue rowCount(ElementBuilder &b, ThreadStrategy strategy, const TensorLines &lines) {
  if (strategy == ThreadStrategy::Lines)
    return ceilDivide(lines.count(), blockThreads);
  if (strategy == ThreadStrategy::Columns)
    return lines.outer * ceilDivide(lines.inner, tileColumns);
  return lines.count();
}

class LineScanner {
public:
  LineScanner(const Scan &scan, const TensorLines &lines) : b(scan.b), scan(scan), lines(lines) {}

  void run(ThreadStrategy strategy) {
    if (strategy == ThreadStrategy::Lines)
      scanLines();
    else if (strategy == ThreadStrategy::Columns)
      scanColumns();
    else
      scanTiles();
  }

private:
  ThreadBuilder &b;
  const Scan &scan;
  TensorLines lines;

  /// The index of the i-th element of the scan in its line.
  IndexValue indexOf(IndexValue i) { return scan.reverse ? lines.length - 1 - i : i; }

  /// Scans the elements [from, to) of the line that begins at `first`; the state after them.
  Values scanRange(IndexValue first, IndexValue from, IndexValue to, Values state, bool stores) {
    return b.loop(from, to, b.index(1), state, [&](IndexValue i, ValueRange before) {
      IndexValue own = indexOf(i), position = lines.at(first, own);
      Values after = scan.combine(before, scan.lift(position, own));
      if (stores)
        scan.store(position, scan.exclusive ? before : ValueRange(after));
      return after;
    });
  }

  /// Each thread has a line.
  void scanLines() {
    IndexValue line = b.row() * b.threads() + b.thread();
    b.ifThen(isLess(line, lines.count()),
             [&] { scanRange(lines.first(line), b.index(0), lines.length, scan.start(), /*stores=*/true); });
  }

  /// Memory for a state of each of `dims` threads.
  Values sharedStates(ArrayRef<int64_t> dims) {
    Values memory;
    for (Value value : scan.start())
      memory.push_back(b.shared(dims, value.getType()));
    return memory;
  }

  void put(ValueRange memory, ArrayRef<IndexValue> at, ValueRange state) {
    for (auto [own, value] : llvm::zip(memory, state))
      b.storeTo(own, at, value);
  }

  Values get(ValueRange memory, ArrayRef<IndexValue> at) {
    Values state;
    for (Value own : memory)
      state.push_back(b.loadFrom(own, at));
    return state;
  }

  /// Each thread combines a segment of a column, and scans it from the combination of the segments before.
  void scanColumns() {
    IndexValue tiles = ceilDivide(lines.inner, tileColumns);
    IndexValue column = b.row() % tiles * tileColumns + b.thread() % tileColumns;
    IndexValue line = b.row() / tiles * lines.inner + column, segment = b.thread() / tileColumns;
    IndexValue chunk = ceilDivide(lines.length, columnSegments), from = min(segment * chunk, lines.length);
    IndexValue to = min(from + chunk, lines.length), first = lines.first(line);
    Value isInside = isLess(column, lines.inner);
    Values memory = sharedStates({columnSegments, tileColumns});
    IndexValue own = b.thread() % tileColumns;
    b.ifThen(isInside, [&] {
      put(memory, {segment, own}, scanRange(first, from, to, scan.start(), /*stores=*/false));
    });
    b.barrier();
    b.ifThen(isInside, [&] {
      Values before =
          b.loop(b.index(0), segment, b.index(1), scan.start(), [&](IndexValue other, ValueRange state) {
            return scan.combine(state, get(memory, {other, own}));
          });
      scanRange(first, from, to, before, /*stores=*/true);
    });
  }

  /// The block scans a line in tiles, in which each thread has elements side by side.
  void scanTiles() {
    IndexValue first = lines.first(b.row());
    Values memory = sharedStates({b.threads()});
    b.loop(b.index(0), lines.length, b.index(b.threads() * threadElements), scan.start(),
           [&](IndexValue base, ValueRange carry) {
             IndexValue from = min(base + b.thread() * threadElements, lines.length);
             IndexValue to = min(from + threadElements, lines.length);
             scanThreads(memory, scanRange(first, from, to, scan.start(), /*stores=*/false));
             Values before = b.choose(
                 isLess(b.index(0), b.thread()),
                 [&] { return scan.combine(carry, get(memory, {b.thread() - 1})); },
                 [&] { return Values(carry); });
             scanRange(first, from, to, before, /*stores=*/true);
             Values next = scan.combine(carry, get(memory, {b.index(b.threads() - 1)}));
             b.barrier(); // before the next tile writes
             return next;
           });
  }

  /// Afterwards the memory has, for each thread, the combination of the states up to its own (Hillis and
  /// Steele, "Data parallel algorithms", 1986).
  void scanThreads(ValueRange memory, Values state) {
    put(memory, {b.thread()}, state);
    b.barrier();
    for (int64_t distance = 1; distance < b.threads(); distance *= 2) {
      Values before = state;
      state = b.choose(
          isLess(b.index(distance - 1), b.thread()),
          [&] { return scan.combine(get(memory, {b.thread() - distance}), before); }, [&] { return before; });
      b.barrier();
      put(memory, {b.thread()}, state);
      b.barrier();
    }
  }
};

//===-- sums, products ----------------------------------------------------------------------------------===//

/// The type in which elements are combined.
Type stateType(Value x) {
  Type element = tensorType(x).getElementType();
  if (auto integer = dyn_cast<IntegerType>(element))
    return IntegerType::get(element.getContext(), integer.getWidth());
  return ElementBuilder::sumType(element);
}

/// A scan of one value by a function of ScalarBuilder.
template <class Op>
void buildScan(Op op, ThreadBuilder &b, double neutral,
               llvm::function_ref<Value(ScalarBuilder &, Value, Value)> combine) {
  Type type = stateType(op.getX()), element = getElementTypeOrSelf(op.getOut());
  Scan scan{b, op.getReverse(), op.getExclusive()};
  // The builder's place changes: each use needs a ScalarBuilder of its own.
  scan.lift = [&](IndexValue position, IndexValue) {
    return Values{b.scalar(type).cast(b.loadFlat(0, position))};
  };
  scan.combine = [&](ValueRange left, ValueRange right) {
    ScalarBuilder own = b.scalar(type);
    return Values{combine(own, left[0], right[0])};
  };
  scan.start = [&] { return Values{b.constant(neutral, type)}; };
  scan.store = [&](IndexValue position, ValueRange state) {
    Value value = state[0];
    if (isa<FloatType>(element) && element != type)
      value = b.scalar(element).cast(value);
    b.storeFlat(0, position, value);
  };
  LineScanner(scan, TensorLines::of(b, 0, op.getAxis(), op.getFlatten())).run(op.chooseStrategy().strategy);
}

/// log(exp(x) + exp(y)).
Value addLogarithms(ScalarBuilder &b, Value x, Value y) {
  Value high = b.maximum(x, y), low = b.minimum(x, y);
  Value sum = b.add(high, b.log1p(b.exp(b.subtract(low, high))));
  // Of two equal infinities the difference is NaN.
  Value areEqual = b.bitAnd(b.equal(x, y), b.isinf(x));
  return b.select(areEqual, x, sum);
}

} // namespace

const char *CumsumOp::whyNoThreads() { return getAxisTensor() ? "its axis is an operand" : nullptr; }
const char *CumprodOp::whyNoThreads() { return nullptr; }
const char *LogcumsumexpOp::whyNoThreads() { return nullptr; }

void CumsumOp::buildThreads(ThreadBuilder &b) {
  buildScan(*this, b, 0, [](ScalarBuilder &s, Value x, Value y) { return s.add(x, y); });
}
void CumprodOp::buildThreads(ThreadBuilder &b) {
  buildScan(*this, b, 1, [](ScalarBuilder &s, Value x, Value y) { return s.multiply(x, y); });
}
void LogcumsumexpOp::buildThreads(ThreadBuilder &b) {
  buildScan(*this, b, -std::numeric_limits<double>::infinity(), addLogarithms);
}

#define PROA_SCAN(Op)                                                                                        \
  ThreadChoice Op::chooseStrategy() {                                                                        \
    return chooseScan(*this, StaticLines::of(getX(), getAxis(), getFlatten()));                              \
  }                                                                                                          \
  int64_t Op::getThreads() { return blockThreads; }                                                          \
  Value Op::buildResultDim(ElementBuilder &b, unsigned, int64_t dim) {                                       \
    return getFlatten() ? TensorLines::of(b, 0, getAxis(), true).length.value() : b.dim(0, dim).value();     \
  }                                                                                                          \
  Value Op::buildRowCount(ElementBuilder &b) {                                                               \
    return rowCount(b, chooseStrategy().strategy, TensorLines::of(b, 0, getAxis(), getFlatten()));           \
  }
PROA_SCAN(CumsumOp)
PROA_SCAN(CumprodOp)
PROA_SCAN(LogcumsumexpOp)
#undef PROA_SCAN

//===-- linear_recurrence -------------------------------------------------------------------------------===//

const char *LinearRecurrenceOp::whyNoThreads() { return nullptr; }
ThreadChoice LinearRecurrenceOp::chooseStrategy() {
  return chooseScan(*this, StaticLines::of(getX(), getAxis()));
}
int64_t LinearRecurrenceOp::getThreads() { return blockThreads; }
Value LinearRecurrenceOp::buildResultDim(ElementBuilder &b, unsigned, int64_t dim) { return b.dim(0, dim); }
Value LinearRecurrenceOp::buildRowCount(ElementBuilder &b) {
  return rowCount(b, chooseStrategy().strategy, TensorLines::of(b, 0, getAxis()));
}

/// The state is the function y -> decay * y + value of what was before.
void LinearRecurrenceOp::buildThreads(ThreadBuilder &b) {
  Type type = stateType(getX()), element = getElementTypeOrSelf(getOut());
  TensorLines lines = TensorLines::of(b, 0, getAxis());
  Scan scan{b, getReverse(), /*exclusive=*/false};
  IndexValue firstIndex = getReverse() ? lines.length - 1 : b.index(0);
  scan.lift = [&](IndexValue position, IndexValue i) {
    // The decay of the first element has no effect, even if it is infinite.
    Value decay = b.scalar(type).cast(b.loadFlat(1, position));
    decay = b.select(b.isEqual(i, firstIndex), b.constant(0, type), decay);
    return Values{decay, b.scalar(type).cast(b.loadFlat(0, position))};
  };
  scan.combine = [&](ValueRange left, ValueRange right) {
    ScalarBuilder s = b.scalar(type);
    return Values{s.multiply(left[0], right[0]), s.add(right[1], s.multiply(right[0], left[1]))};
  };
  scan.start = [&] { return Values{b.constant(1, type), b.constant(0, type)}; };
  scan.store = [&](IndexValue position, ValueRange state) {
    b.storeFlat(0, position, element == type ? state[1] : b.scalar(element).cast(state[1]));
  };
  LineScanner(scan, lines).run(chooseStrategy().strategy);
}

//===-- cummax, cummin ----------------------------------------------------------------------------------===//

namespace {

/// The extreme so far and its index. A NaN, or an element as good, replaces what was before; a NaN before
/// stays.
template <class Op> void buildExtremeScan(Op op, ThreadBuilder &b, bool greatest) {
  Type given = tensorType(op.getX()).getElementType(), type = stateType(op.getX());
  bool isBool = given.isInteger(1), isFloat = isa<FloatType>(type);
  bool isUnsigned = given.isUnsignedInteger() || isBool;
  Type index = getElementTypeOrSelf(op.getIndices());
  if (isBool)
    type = IntegerType::get(type.getContext(), 8);
  Scan scan{b};
  scan.lift = [&](IndexValue position, IndexValue i) {
    Value value = b.loadFlat(0, position);
    if (isBool)
      value = arith::ExtUIOp::create(b.getBuilder(), b.getLoc(), type, value);
    return Values{isFloat ? b.scalar(type).cast(value) : value, b.integer(i, index)};
  };
  scan.combine = [&](ValueRange left, ValueRange right) {
    OpBuilder &builder = b.getBuilder();
    Value replaces;
    if (isFloat) {
      Value isAsGood = arith::CmpFOp::create(builder, b.getLoc(),
                                             greatest ? arith::CmpFPredicate::OGE : arith::CmpFPredicate::OLE,
                                             right[0], left[0]);
      Value isNan = arith::CmpFOp::create(builder, b.getLoc(), arith::CmpFPredicate::UNO, right[0], right[0]);
      replaces = b.logicalOr(isAsGood, isNan);
    } else {
      auto predicate = greatest ? (isUnsigned ? arith::CmpIPredicate::uge : arith::CmpIPredicate::sge)
                                : (isUnsigned ? arith::CmpIPredicate::ule : arith::CmpIPredicate::sle);
      replaces = arith::CmpIOp::create(builder, b.getLoc(), predicate, right[0], left[0]);
    }
    return Values{b.select(replaces, right[0], left[0]), b.select(replaces, right[1], left[1])};
  };
  scan.start = [&]() -> Values {
    Value zero = b.integer(b.index(0), index);
    if (isFloat) {
      double infinity = std::numeric_limits<double>::infinity();
      return {b.constant(greatest ? -infinity : infinity, type), zero};
    }
    unsigned width = type.getIntOrFloatBitWidth();
    APInt least = isUnsigned ? APInt::getMinValue(width) : APInt::getSignedMinValue(width);
    APInt most = isUnsigned ? APInt::getMaxValue(width) : APInt::getSignedMaxValue(width);
    return {arith::ConstantOp::create(b.getBuilder(), b.getLoc(),
                                      IntegerAttr::get(type, greatest ? least : most)),
            zero};
  };
  scan.store = [&](IndexValue position, ValueRange state) {
    Value value = state[0];
    if (isFloat && given != type)
      value = b.scalar(given).cast(value);
    b.storeFlat(0, position, value);
    b.storeFlat(1, position, state[1]);
  };
  LineScanner(scan, TensorLines::of(b, 0, op.getAxis())).run(op.chooseStrategy().strategy);
}

} // namespace

#define PROA_EXTREME_SCAN(Op, greatest)                                                                      \
  const char *Op::whyNoThreads() { return nullptr; }                                                         \
  ThreadChoice Op::chooseStrategy() { return chooseScan(*this, StaticLines::of(getX(), getAxis())); }        \
  int64_t Op::getThreads() { return blockThreads; }                                                          \
  Value Op::buildResultDim(ElementBuilder &b, unsigned, int64_t dim) { return b.dim(0, dim); }               \
  Value Op::buildRowCount(ElementBuilder &b) {                                                               \
    return rowCount(b, chooseStrategy().strategy, TensorLines::of(b, 0, getAxis()));                         \
  }                                                                                                          \
  void Op::buildThreads(ThreadBuilder &b) { buildExtremeScan(*this, b, greatest); }
PROA_EXTREME_SCAN(CummaxOp, true)
PROA_EXTREME_SCAN(CumminOp, false)
#undef PROA_EXTREME_SCAN

} // namespace proa::pd
