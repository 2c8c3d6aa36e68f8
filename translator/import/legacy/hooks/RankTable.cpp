//! Hooks of the ops of dynamic RNNs. A LoD rank table sorts the sequences of a LoD by length, the longest
//! first. Its variable holds the order, an int64 vector. The LoD of the variable is the level that the table
//! sorts, and the levels outside of it.
#include "translator/import/common/TensorOps.h"
#include "translator/import/legacy/LegacyTable.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/search/CountOps.h"
#include "dialects/pd/ops/search/SearchOps.h"
#include "dialects/pd/ops/sequence/RowsOps.h"

using namespace mlir;

namespace proa::import::hooks {
namespace {

using Expressions = llvm::SmallVector<Expression>;

/// Creates an op at the insertion point of the hook.
template <class Op, class... Args> Op create(OpImporter &importer, Args &&...args) {
  return Op::create(importer.getBuilder(), importer.getLocation(), std::forward<Args>(args)...);
}

Expressions wrapped(OpImporter &importer, llvm::ArrayRef<Value> values) {
  Expressions out;
  for (Value value : values)
    out.push_back(importer.wrap(value));
  return out;
}

/// The stable order of the elements of x: the indices that sort it.
Expression orderOf(OpImporter &importer, Expression x, bool descending = false) {
  auto sort = create<pd::ArgsortOp>(importer, x, -1, descending, /*stable=*/true);
  return importer.wrap(sort.getIndices());
}

Expression wide(OpImporter &importer, Expression x) {
  return x.owner().cast(x, importer.getBuilder().getI64Type());
}

/// x[from, to) along the first dimension.
Expression rowsOf(Expression x, int64_t from, int64_t to) { return slice(x, 0, from, to); }

/// A rank table: the order of the sequences, their offsets, and all levels down to these.
struct RankTable {
  Expression order, offsets;
  Expressions levels;
};

/// Nothing, and a report, where the slot holds none.
std::optional<RankTable> rankTable(OpImporter &importer) {
  Value order = importer.requiredInput("RankTable");
  Expressions levels = wrapped(importer, importer.lod("RankTable"));
  if (order && !levels.empty())
    return RankTable{importer.wrap(order), levels.back(), levels};
  if (order)
    importer.report("input 'RankTable' is not a LoD rank table");
  return std::nullopt;
}

/// Lengths of the table's sequences, the greatest first.
Expression sortedLengths(const RankTable &table) { return gather(lengthsOf(table.offsets), table.order); }

/// The rows of `x` by time: the first rows of all sequences in the table's order, then the second ones, ...
struct TimeMajor {
  Expression rows;  ///< the row at each position
  Expression sizes; ///< the number of rows of each time
};

TimeMajor timeMajor(OpImporter &importer, Expression x, const RankTable &table) {
  auto positions = create<pd::RowPositionsOp>(importer, x, table.offsets);
  Expression sequence = importer.wrap(positions.getSequence()),
             position = importer.wrap(positions.getPosition());
  // Two stable sorts: by the sequence's rank, then by the position in it.
  Expression byRank = orderOf(importer, gather(orderOf(importer, table.order), sequence));
  Expression byPosition = orderOf(importer, gather(position, byRank));
  return {gather(byRank, byPosition), apply<pd::BincountOp>(position, Value())};
}

/// Rows with the levels of their LoD.
struct Rows {
  Expression x;
  Expressions levels;
};

std::optional<Rows> input(OpImporter &importer, llvm::StringRef slot) {
  Value x = importer.requiredInput(slot);
  Expressions levels = wrapped(importer, importer.lod(slot));
  return x ? std::optional(Rows{importer.wrap(x), levels}) : std::nullopt;
}

void setOutput(OpImporter &importer, llvm::StringRef slot, const Rows &rows) {
  importer.setOutput(slot, rows.x);
  importer.setOutputLod(slot, llvm::SmallVector<Value>(rows.levels.begin(), rows.levels.end()));
}

/// The sequences of the outermost level, or the rows without a LoD, in another order, or some of them.
Rows reordered(OpImporter &importer, const Rows &from, Expression order) {
  Expressions levels;
  for (Expression level : from.levels) {
    auto ranges =
        create<pd::RangesOp>(importer, gather(startsOf(level), order), gather(lengthsOf(level), order));
    order = importer.wrap(ranges.getRows());
    levels.push_back(importer.wrap(ranges.getOffsets()));
  }
  return {gather(from.x, order), levels};
}

/// 0, then the partial sums of the lengths.
Expression offsetsOf(OpImporter &importer, Expression lengths) {
  return importer.wrap(create<pd::RangesOp>(importer, lengths, lengths).getOffsets());
}

Expression plus(OpImporter &importer, Expression x, int64_t value) { return x + importer.integers({value}); }

/// An array of `counts.size()` vectors of offsets, each from 0 on: vector i is for the next counts[i]
/// sequences.
Expression splitOffsets(OpImporter &importer, Expression offsets, Expression counts) {
  Expression firsts = startsOf(offsetsOf(importer, counts)), sizes = plus(importer, counts, 1);
  auto ranges = create<pd::RangesOp>(importer, firsts, sizes);
  Expression rows = importer.wrap(ranges.getRows());
  Expression position = apply<pd::RowPositionsOp>(rows, ranges.getOffsets());
  Expression values = gather(offsets, rows);
  Expression bases = gather(gather(offsets, firsts), position);
  return apply<pd::ArraySplitOp>(values - bases, sizes);
}

/// The lengths of all sequences of an array of vectors of offsets.
Expression joinLengths(OpImporter &importer, Expression array) {
  auto joined = create<pd::ArrayToTensorOp>(importer, array);
  Expression offsets = importer.wrap(joined.getResult(0)),
             sizes = wide(importer, importer.wrap(joined.getResult(1)));
  Expression firsts = startsOf(offsetsOf(importer, sizes)), counts = plus(importer, sizes, -1);
  Expression starts = importer.wrap(create<pd::RangesOp>(importer, firsts, counts).getRows());
  return gather(offsets, plus(importer, starts, 1)) - gather(offsets, starts);
}

/// The indices where the mask is true, then the indices where it is false.
std::pair<Expression, Expression> indicesOf(OpImporter &importer, Expression mask) {
  TensorBuilder &e = importer.tensors();
  Expression flat = e.reshape(mask, {-1});
  auto indices = [&](Expression of) { return e.reshape(apply<pd::NonzeroOp>(of), {-1}); };
  Expression inverse = apply<pd::LogicalNotOp>(flat), holds = indices(flat);
  return {holds, indices(inverse)};
}

Expression concatRows(Expression a, Expression b) { return concat(a.owner(), {a, b}, 0); }

} // namespace

void importLodRankTable(OpImporter &importer) {
  llvm::SmallVector<Value> levels = importer.lod("X");
  int64_t level = importer.intAttribute("level", 0);
  if (level < 0 || level >= static_cast<int64_t>(levels.size()))
    return importer.report("attribute 'level' is " + llvm::Twine(level) + ", X has " +
                           llvm::Twine(levels.size()) + " LoD levels");
  levels.truncate(static_cast<size_t>(level) + 1);
  Expression lengths = lengthsOf(importer.wrap(levels.back()));
  importer.setOutput("Out", orderOf(importer, lengths, /*descending=*/true));
  importer.setOutputLod("Out", levels);
}

void importMaxSequenceLength(OpImporter &importer) {
  if (auto table = rankTable(importer))
    importer.setOutput("Out", rowsOf(sortedLengths(*table), 0, 1));
}

/// Element t of the array holds position t of each sequence that is long enough: a row, or, of a table of an
/// outer level, a sequence of the inner levels.
void importLodTensorToArray(OpImporter &importer) {
  std::optional<Rows> x = input(importer, "X");
  auto table = rankTable(importer);
  if (!x || !table)
    return;
  x->levels.erase(x->levels.begin(), x->levels.begin() + std::min(table->levels.size(), x->levels.size()));
  Expression items = x->levels.empty() ? x->x : startsOf(x->levels.front());
  TimeMajor order = timeMajor(importer, items, *table);
  Rows packed = reordered(importer, *x, order.rows);
  Expression counts = order.sizes;
  for (Expression &level : packed.levels) {
    Expression bounds = gather(level, offsetsOf(importer, counts));
    Expression offsetsOfCounts = splitOffsets(importer, level, counts);
    counts = lengthsOf(bounds);
    level = offsetsOfCounts;
  }
  packed.x = apply<pd::ArraySplitOp>(packed.x, counts);
  setOutput(importer, "Out", packed);
}

void importArrayToLodTensor(OpImporter &importer) {
  std::optional<Rows> packed = input(importer, "X");
  auto table = rankTable(importer);
  if (!packed || !table)
    return;
  packed->x = apply<pd::ArrayToTensorOp>(packed->x);
  Expression items = packed->x;
  for (auto [i, level] : llvm::enumerate(packed->levels)) {
    Expression lengths = joinLengths(importer, level);
    level = offsetsOf(importer, lengths);
    if (i == 0)
      items = lengths;
  }
  Rows out = reordered(importer, *packed, orderOf(importer, timeMajor(importer, items, *table).rows));
  out.levels.insert(out.levels.begin(), table->levels.begin(), table->levels.end());
  setOutput(importer, "Out", out);
}

/// Keeps the rows of the sequences that are longer than I, which come first.
void importShrinkRnnMemory(OpImporter &importer) {
  std::optional<Rows> x = input(importer, "X");
  Value step = importer.requiredInput("I");
  auto table = rankTable(importer);
  if (!x || !step || !table)
    return;
  Expression isLonger = sortedLengths(*table) > wide(importer, importer.wrap(step));
  setOutput(importer, "Out", reordered(importer, *x, indicesOf(importer, isLonger).first));
}

void importReorderByRank(OpImporter &importer) {
  std::optional<Rows> x = input(importer, "X");
  auto table = rankTable(importer);
  if (x && table)
    setOutput(importer, "Out", reordered(importer, *x, table->order));
}

/// The inverse of importReorderByRank.
void importReorderByRankGradient(OpImporter &importer) {
  std::optional<Rows> x = input(importer, "X");
  auto table = rankTable(importer);
  if (x && table)
    setOutput(importer, "Out", reordered(importer, *x, orderOf(importer, table->order)));
}

/// The mask has one element for each sequence of the outermost level. Another level is reported.
bool splitsOutermost(OpImporter &importer) {
  int64_t level = importer.intAttribute("level", 0);
  if (level != 0)
    importer.report("attribute 'level' is " + llvm::Twine(level) + ", expected 0, the outermost");
  return level == 0;
}

void importSplitLodTensor(OpImporter &importer) {
  std::optional<Rows> x = input(importer, "X");
  Value mask = importer.requiredInput("Mask");
  if (!splitsOutermost(importer) || !x || !mask)
    return;
  auto [onTrue, onFalse] = indicesOf(importer, importer.wrap(mask));
  setOutput(importer, "OutTrue", reordered(importer, *x, onTrue));
  setOutput(importer, "OutFalse", reordered(importer, *x, onFalse));
}

/// The offsets of the sequences of a, then of the sequences of b.
Expression joinedOffsets(Expression a, Expression b) {
  Expression first = startsOf(a), last = rowsOf(a, -1, toTheEnd);
  // Broadcasting needs a static dim size of 1.
  return concatRows(first, b + a.owner().reshape(last, {1}));
}

void importMergeLodTensor(OpImporter &importer) {
  Value mask = importer.requiredInput("Mask");
  std::optional<Rows> onTrue = input(importer, "InTrue"), onFalse = input(importer, "InFalse");
  if (!splitsOutermost(importer) || !mask || !onTrue || !onFalse)
    return;
  if (onTrue->levels.size() != onFalse->levels.size())
    return importer.report("input 'InTrue' has " + llvm::Twine(onTrue->levels.size()) +
                           " LoD levels, 'InFalse' " + llvm::Twine(onFalse->levels.size()));
  auto [trueIndices, falseIndices] = indicesOf(importer, importer.wrap(mask));
  Expression order = orderOf(importer, concatRows(trueIndices, falseIndices));
  Rows joined{concatRows(onTrue->x, onFalse->x), {}};
  for (auto [a, b] : llvm::zip(onTrue->levels, onFalse->levels))
    joined.levels.push_back(joinedOffsets(a, b));
  setOutput(importer, "Out", reordered(importer, joined, order));
}

} // namespace proa::import::hooks
