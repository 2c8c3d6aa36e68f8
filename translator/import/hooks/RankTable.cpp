//! The ops of dynamic RNNs. A LoD rank table sorts the sequences of a LoD by length, the longest first. The
//! variable of one holds that order, an int64 vector, and as its LoD the level that it was made of and those
//! outside of it.
#include "translator/import/LegacyTable.h"

#include "dialects/pd/ir/Infer.h"

using namespace mlir;

namespace proa::import::hooks {
namespace {

Value gather(OpImporter &importer, Value x, Value index) {
  return x && index ? importer.createOne("pd.gather", {{x}, {index}, {}}) : Value();
}

/// Where each element of x stands in ascending (descending) order; equal ones keep their order.
Value orderOf(OpImporter &importer, Value x, bool descending = false) {
  if (!x)
    return {};
  auto flag = importer.named("descending", importer.getBuilder().getBoolAttr(descending));
  auto stable = importer.named("stable", importer.getBuilder().getBoolAttr(true));
  llvm::SmallVector<Value> results = importer.create("pd.argsort", {{x}}, {flag, stable});
  return results.empty() ? Value() : results[1];
}

Value wide(OpImporter &importer, Value x) {
  auto type = TypeAttr::get(importer.getBuilder().getI64Type());
  return importer.createOne("pd.cast", {{x}}, {importer.named("dtype", type)});
}

/// x[from, to) along the first dimension; bounds as in legacy slices.
Value slice(OpImporter &importer, Value x, int64_t from, int64_t to) {
  Builder &builder = importer.getBuilder();
  return importer.createOne("pd.slice", {{x}, {}, {}, {}},
                            {importer.named("axes", builder.getDenseI64ArrayAttr({0})),
                             importer.named("starts", builder.getDenseI64ArrayAttr({from})),
                             importer.named("ends", builder.getDenseI64ArrayAttr({to}))});
}

struct Sequences {
  Value starts, lengths;
};

Sequences sequencesOf(OpImporter &importer, Value offsets) {
  Value starts = slice(importer, offsets, 0, -1),
        ends = slice(importer, offsets, 1, std::numeric_limits<int64_t>::max());
  return {starts, starts && ends ? importer.createOne("pd.subtract", {{ends}, {starts}}) : Value()};
}

/// A rank table: the order of the sequences, their offsets, and all levels down to these; nothing, and a
/// report, where the slot holds none.
struct RankTable {
  Value order, offsets;
  llvm::SmallVector<Value> levels;
};

std::optional<RankTable> rankTable(OpImporter &importer) {
  Value order = importer.requiredInput("RankTable");
  llvm::SmallVector<Value> levels = importer.lod("RankTable");
  if (order && !levels.empty())
    return RankTable{order, levels.back(), levels};
  if (order)
    importer.report("input 'RankTable' is no LoD rank table");
  return std::nullopt;
}

/// Lengths of the table's sequences, the greatest first.
Value sortedLengths(OpImporter &importer, const RankTable &table) {
  return gather(importer, sequencesOf(importer, table.offsets).lengths, table.order);
}

/// The rows of `x` by time: first those that begin a sequence, in the table's order, then those that stand
/// second, ...
struct TimeMajor {
  Value rows;  ///< which row stands where
  Value sizes; ///< how many rows each time has
};

TimeMajor timeMajor(OpImporter &importer, Value x, const RankTable &table) {
  llvm::SmallVector<Value> places = importer.create("pd.row_positions", {{x}, {table.offsets}});
  if (places.empty())
    return {};
  // Two sorts that keep the order of equals: by the sequence's rank, then by the place in it.
  Value byRank = orderOf(importer, gather(importer, orderOf(importer, table.order), places[0]));
  Value byPlace = orderOf(importer, gather(importer, places[1], byRank));
  return {gather(importer, byRank, byPlace), importer.createOne("pd.bincount", {{places[1]}, {}})};
}

/// Rows with the levels of their LoD.
struct Rows {
  Value x;
  llvm::SmallVector<Value> levels;

  explicit operator bool() const { return x && !llvm::is_contained(levels, Value()); }
};

Rows input(OpImporter &importer, llvm::StringRef slot) {
  Value x = importer.requiredInput(slot);
  return {x, importer.lod(slot)};
}

void setOutput(OpImporter &importer, llvm::StringRef slot, const Rows &rows) {
  if (!rows)
    return;
  importer.setOutput(slot, rows.x);
  importer.setOutputLod(slot, rows.levels);
}

/// The sequences of the outermost level, or the rows where there is none, in another order; or some of them.
Rows reordered(OpImporter &importer, const Rows &from, Value order) {
  Rows out;
  for (Value level : from.levels) {
    Sequences sequences = sequencesOf(importer, level);
    Value starts = gather(importer, sequences.starts, order),
          lengths = gather(importer, sequences.lengths, order);
    if (!starts || !lengths)
      return {};
    llvm::SmallVector<Value> parts = importer.create("pd.ranges", {{starts}, {lengths}});
    if (parts.empty())
      return {};
    order = parts[0];
    out.levels.push_back(parts[1]);
  }
  out.x = gather(importer, from.x, order);
  return out;
}

/// 0, then the sums of the first lengths.
Value offsetsOf(OpImporter &importer, Value lengths) {
  llvm::SmallVector<Value> parts =
      lengths ? importer.create("pd.ranges", {{lengths}, {lengths}}) : llvm::SmallVector<Value>();
  return parts.empty() ? Value() : parts[1];
}

Value plus(OpImporter &importer, Value x, int64_t number) {
  return x ? importer.createOne("pd.add", {{x}, {importer.constantInts({number})}}) : Value();
}

/// An array of `counts.size()` vectors of offsets, which begin at 0: number i is that of the next counts[i]
/// sequences.
Value splitOffsets(OpImporter &importer, Value offsets, Value counts) {
  Value bounds = offsetsOf(importer, counts), sizes = plus(importer, counts, 1);
  Value firsts = bounds ? slice(importer, bounds, 0, -1) : Value();
  if (!firsts || !sizes)
    return {};
  llvm::SmallVector<Value> parts = importer.create("pd.ranges", {{firsts}, {sizes}});
  if (parts.empty())
    return {};
  llvm::SmallVector<Value> places = importer.create("pd.row_positions", {{parts[0]}, {parts[1]}});
  Value values = gather(importer, offsets, parts[0]);
  Value bases = places.empty() ? Value() : gather(importer, gather(importer, offsets, firsts), places[0]);
  Value relative = values && bases ? importer.createOne("pd.subtract", {{values}, {bases}}) : Value();
  return relative ? importer.createOne("pd.array_split", {{relative}, {sizes}}) : Value();
}

/// The lengths of all sequences of an array of vectors of offsets.
Value joinLengths(OpImporter &importer, Value array) {
  llvm::SmallVector<Value> joined = importer.create("pd.array_to_tensor", {{array}});
  if (joined.empty() || !(joined[1] = wide(importer, joined[1])))
    return {};
  Value bounds = offsetsOf(importer, joined[1]);
  Value firsts = bounds ? slice(importer, bounds, 0, -1) : Value();
  Value counts = firsts ? plus(importer, joined[1], -1) : Value();
  if (!counts)
    return {};
  llvm::SmallVector<Value> parts = importer.create("pd.ranges", {{firsts}, {counts}});
  Value starts = parts.empty() ? Value() : gather(importer, joined[0], parts[0]);
  Value ends = starts ? gather(importer, joined[0], plus(importer, parts[0], 1)) : Value();
  return ends ? importer.createOne("pd.subtract", {{ends}, {starts}}) : Value();
}

/// Where the mask holds, as a vector of numbers, then where it does not.
std::pair<Value, Value> placesOf(OpImporter &importer, Value mask) {
  Builder &builder = importer.getBuilder();
  auto asVector = importer.named("shape", builder.getDenseI64ArrayAttr({-1}));
  Value flat = importer.createOne("pd.reshape", {{mask}, {}}, {asVector});
  Value inverse = flat ? importer.createOne("pd.logical_not", {{flat}}) : Value();
  auto places = [&](Value of) {
    Value found = of ? importer.createOne("pd.nonzero", {{of}}) : Value();
    return found ? importer.createOne("pd.reshape", {{found}, {}}, {asVector}) : Value();
  };
  return {places(flat), places(inverse)};
}

Value concat(OpImporter &importer, Value a, Value b) {
  return a && b ? importer.createOne("pd.concat", {{a, b}, {}},
                                     {importer.named("axis", importer.getBuilder().getI64IntegerAttr(0))})
                : Value();
}

} // namespace

void importLodRankTable(OpImporter &importer) {
  llvm::SmallVector<Value> levels = importer.lod("X");
  int64_t level = importer.intAttribute("level", 0);
  if (level < 0 || level >= static_cast<int64_t>(levels.size()))
    return importer.report("attribute 'level' is " + llvm::Twine(level) + ", X has " +
                           llvm::Twine(levels.size()) + " LoD levels");
  levels.truncate(static_cast<size_t>(level) + 1);
  Value order = orderOf(importer, sequencesOf(importer, levels.back()).lengths, /*descending=*/true);
  importer.setOutput("Out", order);
  if (order)
    importer.setOutputLod("Out", levels);
}

void importMaxSequenceLength(OpImporter &importer) {
  if (auto table = rankTable(importer))
    importer.setOutput("Out", slice(importer, sortedLengths(importer, *table), 0, 1));
}

/// Element t of the array holds what stands at place t of each sequence that is long enough: a row, or, of a
/// table of an outer level, a sequence of the levels below it.
void importLodTensorToArray(OpImporter &importer) {
  Rows x = input(importer, "X");
  auto table = rankTable(importer);
  if (!x || !table)
    return;
  x.levels.erase(x.levels.begin(), x.levels.begin() + std::min(table->levels.size(), x.levels.size()));
  Value items = x.levels.empty() ? x.x : sequencesOf(importer, x.levels.front()).starts;
  TimeMajor order = items ? timeMajor(importer, items, *table) : TimeMajor();
  Rows packed = order.rows && order.sizes ? reordered(importer, x, order.rows) : Rows();
  if (!packed)
    return;
  Value counts = order.sizes;
  for (Value &level : packed.levels) {
    Value bounds = gather(importer, level, offsetsOf(importer, counts));
    Value parts = splitOffsets(importer, level, counts);
    if (!bounds || !parts)
      return;
    counts = sequencesOf(importer, bounds).lengths;
    level = parts;
  }
  packed.x = counts ? importer.createOne("pd.array_split", {{packed.x}, {counts}}) : Value();
  setOutput(importer, "Out", packed);
}

void importArrayToLodTensor(OpImporter &importer) {
  Rows packed = input(importer, "X");
  auto table = rankTable(importer);
  if (!packed || !table)
    return;
  packed.x = importer.createOne("pd.array_to_tensor", {{packed.x}});
  Value items = packed.x;
  for (auto [i, level] : llvm::enumerate(packed.levels)) {
    Value lengths = joinLengths(importer, level);
    level = offsetsOf(importer, lengths);
    items = i == 0 ? lengths : items;
  }
  Value places = items && packed ? orderOf(importer, timeMajor(importer, items, *table).rows) : Value();
  Rows out = places ? reordered(importer, packed, places) : Rows();
  out.levels.insert(out.levels.begin(), table->levels.begin(), table->levels.end());
  setOutput(importer, "Out", out);
}

/// The sequences that are longer than I come first: theirs are the rows that stay.
void importShrinkRnnMemory(OpImporter &importer) {
  Rows x = input(importer, "X");
  Value step = importer.requiredInput("I");
  auto table = rankTable(importer);
  if (!x || !step || !table)
    return;
  Value lengths = sortedLengths(importer, *table);
  Value number = wide(importer, step);
  Value isLonger = lengths && number ? importer.createOne("pd.greater_than", {{lengths}, {number}}) : Value();
  if (isLonger)
    setOutput(importer, "Out", reordered(importer, x, placesOf(importer, isLonger).first));
}

void importReorderByRank(OpImporter &importer) {
  Rows x = input(importer, "X");
  auto table = rankTable(importer);
  if (x && table)
    setOutput(importer, "Out", reordered(importer, x, table->order));
}

/// Back to where the sequences stood before importReorderByRank.
void importReorderByRankGradient(OpImporter &importer) {
  Rows x = input(importer, "X");
  auto table = rankTable(importer);
  if (x && table)
    setOutput(importer, "Out", reordered(importer, x, orderOf(importer, table->order)));
}

/// The mask is one of the outermost level's sequences; another level is reported.
bool splitsOutermost(OpImporter &importer) {
  int64_t level = importer.intAttribute("level", 0);
  if (level != 0)
    importer.report("attribute 'level' is " + llvm::Twine(level) + ", expected 0, the outermost");
  return level == 0;
}

void importSplitLodTensor(OpImporter &importer) {
  Rows x = input(importer, "X");
  Value mask = importer.requiredInput("Mask");
  if (!splitsOutermost(importer) || !x || !mask)
    return;
  auto [onTrue, onFalse] = placesOf(importer, mask);
  setOutput(importer, "OutTrue", reordered(importer, x, onTrue));
  setOutput(importer, "OutFalse", reordered(importer, x, onFalse));
}

/// The offsets of two tensors' sequences one after the other.
Value joinedOffsets(OpImporter &importer, Value a, Value b) {
  Value first = slice(importer, a, 0, -1), last = slice(importer, a, -1, std::numeric_limits<int64_t>::max());
  // One number for all, which its extent must say.
  if (last)
    last = importer.createOne("pd.reshape", {{last}, {}},
                              {importer.named("shape", importer.getBuilder().getDenseI64ArrayAttr({1}))});
  Value shifted = last ? importer.createOne("pd.add", {{b}, {last}}) : Value();
  return concat(importer, first, shifted);
}

void importMergeLodTensor(OpImporter &importer) {
  Value mask = importer.requiredInput("Mask");
  Rows onTrue = input(importer, "InTrue"), onFalse = input(importer, "InFalse");
  if (!splitsOutermost(importer) || !mask || !onTrue || !onFalse)
    return;
  if (onTrue.levels.size() != onFalse.levels.size())
    return importer.report("input 'InTrue' has " + llvm::Twine(onTrue.levels.size()) +
                           " LoD levels, 'InFalse' " + llvm::Twine(onFalse.levels.size()));
  auto [truePlaces, falsePlaces] = placesOf(importer, mask);
  Value order = orderOf(importer, concat(importer, truePlaces, falsePlaces));
  Rows joined{concat(importer, onTrue.x, onFalse.x), {}};
  for (auto [a, b] : llvm::zip(onTrue.levels, onFalse.levels))
    joined.levels.push_back(joinedOffsets(importer, a, b));
  if (order && joined)
    setOutput(importer, "Out", reordered(importer, joined, order));
}

} // namespace proa::import::hooks
