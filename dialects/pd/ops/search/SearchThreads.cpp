//! Sorting and top-k by blocks of GPU threads. Equal elements keep their order.
#include "dialects/pd/builders/ThreadBuilder.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/search/SearchOps.h"
#include "dialects/proa/Proa.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;

namespace proa::pd {
namespace {

using Values = ThreadBuilder::Values;

constexpr int64_t largestShared = 4096, mergeTile = 2048, leastSelected = 512, largestSelected = 2048;
constexpr int64_t largestThreads = 256;

/// Elements as they are compared: 16 bits and bools are widened.
struct Keys {
  Type given, type;
  bool isUnsigned;

  explicit Keys(Value x) : given(tensorType(x).getElementType()) {
    MLIRContext *context = given.getContext();
    isUnsigned = given.isUnsignedInteger() || given.isInteger(1);
    if (auto integer = dyn_cast<IntegerType>(given))
      type = IntegerType::get(context, std::max(integer.getWidth(), 8u));
    else
      type = ElementBuilder::sumType(given);
  }

  int64_t bytes() const { return type.getIntOrFloatBitWidth() / 8; }

  Value load(ThreadBuilder &b, IndexValue position) const {
    Value value = b.loadFlat(0, position);
    if (value.getType() == type)
      return value;
    return isa<FloatType>(type) ? b.scalar(type).cast(value)
                                : Value(arith::ExtUIOp::create(b.getBuilder(), b.getLoc(), type, value));
  }

  /// NaN is greater than all numbers.
  Value isLess(ThreadBuilder &b, Value x, Value y) const {
    OpBuilder &builder = b.getBuilder();
    if (!isa<FloatType>(type))
      return arith::CmpIOp::create(builder, b.getLoc(),
                                   isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt, x, y);
    auto compare = [&](arith::CmpFPredicate predicate, Value left, Value right) {
      return arith::CmpFOp::create(builder, b.getLoc(), predicate, left, right);
    };
    Value isNanLast =
        b.logicalAnd(compare(arith::CmpFPredicate::ORD, x, x), compare(arith::CmpFPredicate::UNO, y, y));
    return b.logicalOr(compare(arith::CmpFPredicate::OLT, x, y), isNanLast);
  }
};

/// An element and its index in its line, i32. The index of a place without an element is the largest number.
struct Entry {
  Value key, index;
};

class LineSorter {
public:
  LineSorter(ThreadBuilder &b, Value x, int64_t axis, bool descending)
      : b(b), keys(x), descending(descending), lines(TensorLines::of(b, 0, axis)),
        i32(b.getBuilder().getI32Type()) {}

  /// Writes the first `count` elements of the row's line in order.
  void sortShared(int64_t capacity, IndexValue count) {
    allocate(capacity);
    b.spread(b.index(capacity), [&](IndexValue i) { put(i, loadEntry(i, lines.length)); });
    b.barrier();
    sortMemory(capacity);
    b.spread(count, [&](IndexValue i) { write(i, count, get(i).index); });
  }

  /// The same, with the line in scratch memory.
  void sortByMerging(IndexValue count) {
    allocate(mergeTile);
    IndexValue n = lines.length;
    IndexValue keyBytes = aligned(n * keys.bytes()), indexBytes = aligned(n * 4),
               begin = b.row() * lineBytes(b, keys, n);
    halves[0] = {b.scratchFrom(begin, n, keys.type), b.scratchFrom(begin + keyBytes * 2, n, i32)};
    halves[1] = {b.scratchFrom(begin + keyBytes, n, keys.type),
                 b.scratchFrom(begin + keyBytes * 2 + indexBytes, n, i32)};
    b.loop(b.index(0), n, b.index(mergeTile), [&](IndexValue base) {
      b.spread(b.index(mergeTile), [&](IndexValue i) { put(i, loadEntry(base + i, n)); });
      b.barrier();
      sortMemory(mergeTile);
      b.spread(min(n - base, b.index(mergeTile)), [&](IndexValue i) { store(halves[0], base + i, get(i)); });
      b.barrier();
    });
    // Runs of sorted elements become twice as long in each pass, which moves them to the other half.
    Value isSecond = b.isEqual(b.index(0), b.index(1));
    Values last = b.whileLoop(
        {b.index(mergeTile).value(), isSecond},
        [&](ValueRange state) { return isLess(indexOf(state[0]), n); },
        [&](ValueRange state) -> Values {
          IndexValue run = indexOf(state[0]);
          b.ifThen(state[1], [&] { mergeRuns(run, halves[1], halves[0]); });
          b.ifThen(b.logicalNot(state[1]), [&] { mergeRuns(run, halves[0], halves[1]); });
          b.barrier();
          return {(run * 2).value(), b.logicalNot(state[1])};
        });
    b.spread(count, [&](IndexValue i) {
      Value index = b.choose(
          last[1], [&]() -> Value { return b.loadFrom(halves[1].index, {i}); },
          [&]() -> Value { return b.loadFrom(halves[0].index, {i}); });
      write(i, count, index);
    });
  }

  /// Writes the best `count` elements; they are always among the first half of the memory.
  void selectBest(int64_t capacity, int64_t count) {
    allocate(capacity);
    int64_t half = capacity / 2;
    Value flag = b.shared({1}, i32);
    b.spread(b.index(capacity), [&](IndexValue i) { put(i, loadEntry(i, lines.length)); });
    b.barrier();
    sortMemory(capacity);
    b.loop(b.index(capacity), lines.length, b.index(half), [&](IndexValue base) {
      b.ifThen(b.isEqual(b.thread(), b.index(0)),
               [&] { b.storeTo(flag, {b.index(0)}, b.integer(b.index(0), i32)); });
      b.barrier();
      Entry worst = get(b.index(count - 1));
      b.spread(b.index(half), [&](IndexValue i) {
        Entry entry = loadEntry(base + i, lines.length);
        put(i + half, entry);
        b.ifThen(isBefore(entry, worst), [&] { b.storeTo(flag, {b.index(0)}, b.integer(b.index(1), i32)); });
      });
      b.barrier();
      Value isBetter = b.logicalNot(b.isEqual(b.fromInteger(b.loadFrom(flag, {b.index(0)})), b.index(0)));
      b.ifThen(isBetter, [&] { sortMemory(capacity); });
      b.barrier();
    });
    b.spread(b.index(count), [&](IndexValue i) { write(i, b.index(count), get(i).index); });
  }

  /// Bytes of scratch memory of a line of `n` elements.
  static IndexValue lineBytes(ElementBuilder &b, const Keys &keys, IndexValue n) {
    return (aligned(n * keys.bytes()) + aligned(n * 4)) * 2;
  }

private:
  ThreadBuilder &b;
  Keys keys;
  bool descending;
  TensorLines lines;
  Type i32;
  Value keyMemory, indexMemory;
  Entry halves[2]; ///< memory of keys and of indices

  static IndexValue aligned(IndexValue bytes) { return ceilDivide(bytes, 16) * 16; }
  IndexValue indexOf(Value value) { return {b, value}; }

  void allocate(int64_t capacity) {
    keyMemory = b.shared({capacity}, keys.type);
    indexMemory = b.shared({capacity}, i32);
  }

  Value noIndex() {
    return arith::ConstantOp::create(b.getBuilder(), b.getLoc(),
                                     b.getBuilder().getI32IntegerAttr(std::numeric_limits<int32_t>::max()));
  }

  Entry get(IndexValue i) { return {b.loadFrom(keyMemory, {i}), b.loadFrom(indexMemory, {i})}; }
  void put(IndexValue i, Entry entry) {
    b.storeTo(keyMemory, {i}, entry.key);
    b.storeTo(indexMemory, {i}, entry.index);
  }
  void store(Entry memory, IndexValue i, Entry entry) {
    b.storeTo(memory.key, {i}, entry.key);
    b.storeTo(memory.index, {i}, entry.index);
  }
  Entry load(Entry memory, IndexValue i) {
    return {b.loadFrom(memory.key, {i}), b.loadFrom(memory.index, {i})};
  }

  /// Element i of the row's line; none after its end.
  Entry loadEntry(IndexValue i, IndexValue end) {
    Values values = b.choose(
        isLess(i, end),
        [&]() -> Values { return {keys.load(b, lines.at(lines.first(b.row()), i)), b.integer(i, i32)}; },
        [&]() -> Values { return {b.constant(0, keys.type), noIndex()}; });
    return {values[0], values[1]};
  }

  static Value isLess(IndexValue x, IndexValue y) { return pd::isLess(x, y); }

  Value isBefore(Entry x, Entry y) {
    OpBuilder &builder = b.getBuilder();
    Value none = noIndex();
    auto compare = [&](arith::CmpIPredicate predicate, Value left, Value right) -> Value {
      return arith::CmpIOp::create(builder, b.getLoc(), predicate, left, right);
    };
    Value exists = compare(arith::CmpIPredicate::ne, x.index, none);
    Value isOnly = compare(arith::CmpIPredicate::eq, y.index, none);
    Value first = descending ? keys.isLess(b, y.key, x.key) : keys.isLess(b, x.key, y.key);
    Value second = descending ? keys.isLess(b, x.key, y.key) : keys.isLess(b, y.key, x.key);
    Value isEarlier = compare(arith::CmpIPredicate::slt, x.index, y.index);
    Value inOrder = b.logicalOr(first, b.logicalAnd(b.logicalNot(second), isEarlier));
    return b.logicalAnd(exists, b.logicalOr(isOnly, inOrder));
  }

  void write(IndexValue i, IndexValue count, Value index) {
    IndexValue line = b.row(), own = b.fromInteger(index);
    IndexValue target = (line / lines.inner * count + i) * lines.inner + line % lines.inner;
    if (b.hasResult(0))
      b.storeFlat(0, target, b.loadFlat(0, lines.at(lines.first(line), own)));
    if (b.hasResult(1))
      b.storeFlat(1, target, b.integer(own, getElementTypeOrSelf(b.getOp()->getResult(1))));
  }

  /// Sorts the memory (Batcher, "Sorting networks and their applications", 1968: bitonic sort). Ends with a
  /// barrier.
  void sortMemory(int64_t capacity) {
    b.whileLoop(
        {b.index(2).value()}, [&](ValueRange k) { return isLess(indexOf(k[0]), b.index(capacity + 1)); },
        [&](ValueRange k) -> Values {
          IndexValue size = indexOf(k[0]);
          b.whileLoop(
              {(size / 2).value()}, [&](ValueRange j) { return isLess(b.index(0), indexOf(j[0])); },
              [&](ValueRange j) -> Values {
                IndexValue distance = indexOf(j[0]);
                b.spread(b.index(capacity / 2),
                         [&](IndexValue pair) { compareExchange(pair, distance, size); });
                b.barrier();
                return {(distance / 2).value()};
              });
          return {(size * 2).value()};
        });
  }

  void compareExchange(IndexValue pair, IndexValue distance, IndexValue size) {
    IndexValue rest = pair % distance, low = (pair - rest) * 2 + rest, high = low + distance;
    Entry x = get(low), y = get(high);
    Value ascends = b.isEqual(low / size % 2, b.index(0));
    // In a descending run the later element comes first.
    auto select = [&](Entry yes, Entry no) {
      return Entry{b.select(ascends, yes.key, no.key), b.select(ascends, yes.index, no.index)};
    };
    b.ifThen(isBefore(select(y, x), select(x, y)), [&] {
      put(low, y);
      put(high, x);
    });
  }

  /// Merges neighbouring runs of `run` elements: each element finds how many of the other run come before it.
  void mergeRuns(IndexValue run, Entry from, Entry to) {
    IndexValue n = lines.length;
    b.spread(n, [&](IndexValue p) {
      IndexValue begin = p / (run * 2) * (run * 2), middle = min(begin + run, n), end = min(middle + run, n);
      Value isLeft = isLess(p, middle);
      Entry own = load(from, p);
      IndexValue first = b.select(isLeft, middle, begin), last = b.select(isLeft, end, middle);
      Values found = b.whileLoop(
          {first.value(), last.value()},
          [&](ValueRange range) { return isLess(indexOf(range[0]), indexOf(range[1])); },
          [&](ValueRange range) -> Values {
            IndexValue low = indexOf(range[0]), high = indexOf(range[1]), position = (low + high) / 2;
            Value isEarlier = isBefore(load(from, position), own);
            return {b.select(isEarlier, position + 1, low).value(),
                    b.select(isEarlier, high, position).value()};
          });
      // The elements before it in its own run, and in the other run.
      IndexValue inOwn = p - b.select(isLeft, begin, middle), inOther = indexOf(found[0]) - first;
      store(to, begin + inOwn + inOther, own);
    });
  }
};

int64_t lengthOf(Value x, int64_t axis) { return StaticLines::of(x, axis).length; }

/// Power of two for `count` elements.
int64_t capacityFor(int64_t count) {
  return static_cast<int64_t>(llvm::PowerOf2Ceil(std::max<int64_t>(count, 2)));
}

ThreadChoice chooseSort(Operation *op, int64_t length) {
  std::string reason = llvm::formatv("a line has {0} elements; a block sorts at most {1} in shared memory",
                                     sizeText(length), largestShared);
  bool fits = !ShapedType::isDynamic(length) && length <= largestShared;
  if (ThreadStrategyAttr::of(op) == ThreadStrategy::Merge)
    return {ThreadStrategy::Merge, "the op requests it"};
  return {fits ? ThreadStrategy::Shared : ThreadStrategy::Merge, reason};
}

int64_t threadsFor(ThreadStrategy strategy, int64_t length) {
  return strategy == ThreadStrategy::Shared ? std::clamp<int64_t>(capacityFor(length) / 2, 32, largestThreads)
                                            : largestThreads;
}

Value mergeBytes(ElementBuilder &b, ThreadStrategy strategy, Value x, int64_t axis) {
  if (strategy != ThreadStrategy::Merge)
    return {};
  TensorLines lines = TensorLines::of(b, 0, axis);
  return lines.count() * LineSorter::lineBytes(b, Keys(x), lines.length);
}

const char *whyNoSort(Value x, int64_t axis) {
  int64_t length = lengthOf(x, axis);
  return !ShapedType::isDynamic(length) && length >= std::numeric_limits<int32_t>::max()
             ? "an index does not fit 32 bits"
             : nullptr;
}

} // namespace

//===-- argsort -----------------------------------------------------------------------------------------===//

const char *ArgsortOp::whyNoThreads() { return whyNoSort(getX(), getAxis()); }
ThreadChoice ArgsortOp::chooseStrategy() { return chooseSort(*this, lengthOf(getX(), getAxis())); }
int64_t ArgsortOp::getThreads() { return threadsFor(chooseStrategy().strategy, lengthOf(getX(), getAxis())); }
Value ArgsortOp::buildResultDim(ElementBuilder &b, unsigned, int64_t dim) { return b.dim(0, dim); }
Value ArgsortOp::buildRowCount(ElementBuilder &b) { return TensorLines::of(b, 0, getAxis()).count(); }
Value ArgsortOp::buildScratchBytes(ElementBuilder &b) {
  return mergeBytes(b, chooseStrategy().strategy, getX(), getAxis());
}

void ArgsortOp::buildThreads(ThreadBuilder &b) {
  LineSorter sorter(b, getX(), getAxis(), getDescending());
  IndexValue count = TensorLines::of(b, 0, getAxis()).length;
  if (chooseStrategy().strategy == ThreadStrategy::Shared)
    sorter.sortShared(capacityFor(lengthOf(getX(), getAxis())), count);
  else
    sorter.sortByMerging(count);
}

//===-- topk --------------------------------------------------------------------------------------------===//

const char *TopkOp::whyNoThreads() {
  if (getKTensor())
    return "k is an operand";
  int64_t length = lengthOf(getX(), getAxis());
  if (ShapedType::isDynamic(length))
    return "whether k fits is known only at run time";
  return whyNoSort(getX(), getAxis());
}

ThreadChoice TopkOp::chooseStrategy() {
  ThreadChoice sort = chooseSort(*this, lengthOf(getX(), getAxis()));
  std::optional<ThreadStrategy> given = ThreadStrategyAttr::of(*this);
  int64_t k = getK();
  if (given == ThreadStrategy::Merge || k > largestSelected)
    return sort;
  if (given == ThreadStrategy::Select)
    return {ThreadStrategy::Select, "the op requests it"};
  sort.reason +=
      llvm::formatv(", and selects at most {0} there, of which k is {1}", largestSelected, k).str();
  if (sort.strategy == ThreadStrategy::Merge)
    sort.strategy = ThreadStrategy::Select;
  return sort;
}

int64_t TopkOp::getThreads() { return threadsFor(chooseStrategy().strategy, lengthOf(getX(), getAxis())); }

Value TopkOp::buildResultDim(ElementBuilder &b, unsigned, int64_t dim) {
  return dim == *normalizeAxis(static_cast<int64_t>(getAxis()), b.rank(0)) ? b.index(getK()) : b.dim(0, dim);
}

Value TopkOp::buildRowCount(ElementBuilder &b) { return TensorLines::of(b, 0, getAxis()).count(); }
Value TopkOp::buildScratchBytes(ElementBuilder &b) {
  return mergeBytes(b, chooseStrategy().strategy, getX(), getAxis());
}

void TopkOp::buildThreads(ThreadBuilder &b) {
  LineSorter sorter(b, getX(), getAxis(), getLargest());
  int64_t k = getK();
  ThreadStrategy strategy = chooseStrategy().strategy;
  if (strategy == ThreadStrategy::Shared)
    sorter.sortShared(capacityFor(lengthOf(getX(), getAxis())), b.index(k));
  else if (strategy == ThreadStrategy::Merge)
    sorter.sortByMerging(b.index(k));
  else
    sorter.selectBest(2 * capacityFor(std::max(k, leastSelected)), k);
}

//===-- argmax, argmin ----------------------------------------------------------------------------------===//

namespace {

template <class Op> const char *whyNoExtreme(Op op) {
  if (op.getAxisTensor())
    return "its axis is an operand";
  for (int64_t dim : op.getSearchedDims())
    if (int64_t size = tensorType(op.getX()).getDimSize(dim); size == 0 || ShapedType::isDynamic(size))
      return "an empty axis has no extreme, and this one may be empty";
  return nullptr;
}

template <class Op> SmallVector<int64_t> searchedDims(Op op) {
  int64_t rank = tensorType(op.getX()).getRank();
  if (op.getFlatten())
    return llvm::to_vector(llvm::seq<int64_t>(rank));
  if (rank == 0)
    return {};
  return {*normalizeAxis(static_cast<int64_t>(op.getAxis()), rank)};
}

} // namespace

const char *ArgmaxOp::whyNoArgExtreme() { return whyNoExtreme(*this); }
const char *ArgminOp::whyNoArgExtreme() { return whyNoExtreme(*this); }
bool ArgmaxOp::isGreatest() { return true; }
bool ArgminOp::isGreatest() { return false; }
SmallVector<int64_t> ArgmaxOp::getSearchedDims() { return searchedDims(*this); }
SmallVector<int64_t> ArgminOp::getSearchedDims() { return searchedDims(*this); }

} // namespace proa::pd
