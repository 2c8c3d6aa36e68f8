//! The ops of dynamic RNNs. A LoD rank table sorts the sequences of a LoD by length, the longest first. The
//! variable of one holds that order, an int64 vector, and as its LoD the level that it was made of.
#include "translator/import/LegacyTable.h"

#include "dialects/pd/Infer.h"

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

/// A rank table: the order of the sequences and their offsets; nothing, and a report, where the slot holds
/// none.
struct RankTable {
  Value order, offsets;
};

std::optional<RankTable> rankTable(OpImporter &importer) {
  Value order = importer.requiredInput("RankTable");
  llvm::SmallVector<Value> levels = importer.lod("RankTable");
  if (order && levels.size() == 1)
    return RankTable{order, levels.front()};
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

/// The sequences of x, or its rows where it has no offsets, in another order.
void setReordered(OpImporter &importer, llvm::StringRef slot, Value x, Value offsets, Value order) {
  if (!x || !order)
    return;
  if (!offsets)
    return importer.setOutput(slot, gather(importer, x, order));
  Sequences sequences = sequencesOf(importer, offsets);
  Value starts = gather(importer, sequences.starts, order),
        lengths = gather(importer, sequences.lengths, order);
  if (!starts || !lengths)
    return;
  llvm::SmallVector<Value> rows = importer.create("pd.ranges", {{starts}, {lengths}});
  Value out = rows.empty() ? Value() : gather(importer, x, rows[0]);
  importer.setOutput(slot, out);
  if (out)
    importer.setOutputLod(slot, {rows[1]});
}

/// The innermost level where there is one; more than one level is reported.
std::optional<Value> onlyLevel(OpImporter &importer, llvm::StringRef slot) {
  llvm::SmallVector<Value> levels = importer.lod(slot);
  if (levels.size() < 2)
    return levels.empty() ? Value() : levels.front();
  importer.report("input '" + slot + "' has " + llvm::Twine(levels.size()) +
                  " LoD levels, expected one or none");
  return std::nullopt;
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
  if (level + 1 != static_cast<int64_t>(levels.size()))
    return importer.report("attribute 'level' names an outer LoD level, expected that of the rows");
  Value order = orderOf(importer, sequencesOf(importer, levels[level]).lengths, /*descending=*/true);
  importer.setOutput("Out", order);
  if (order)
    importer.setOutputLod("Out", {levels[level]});
}

void importMaxSequenceLength(OpImporter &importer) {
  if (auto table = rankTable(importer))
    importer.setOutput("Out", slice(importer, sortedLengths(importer, *table), 0, 1));
}

void importLodTensorToArray(OpImporter &importer) {
  Value x = importer.requiredInput("X");
  auto table = rankTable(importer);
  if (!x || !table)
    return;
  TimeMajor order = timeMajor(importer, x, *table);
  Value packed = gather(importer, x, order.rows);
  if (packed && order.sizes)
    importer.setOutput("Out", importer.createOne("pd.array_split", {{packed}, {order.sizes}}));
}

void importArrayToLodTensor(OpImporter &importer) {
  Value array = importer.requiredInput("X");
  auto table = rankTable(importer);
  if (!array || !table)
    return;
  Value packed = importer.createOne("pd.array_to_tensor", {{array}});
  Value places = packed ? orderOf(importer, timeMajor(importer, packed, *table).rows) : Value();
  Value out = gather(importer, packed, places);
  importer.setOutput("Out", out);
  if (out)
    importer.setOutputLod("Out", {table->offsets});
}

/// The sequences that are longer than I come first: theirs are the rows that stay.
void importShrinkRnnMemory(OpImporter &importer) {
  Value x = importer.requiredInput("X"), step = importer.requiredInput("I");
  auto table = rankTable(importer);
  if (!x || !step || !table)
    return;
  Value lengths = sortedLengths(importer, *table);
  Value wide = importer.createOne(
      "pd.cast", {{step}}, {importer.named("dtype", TypeAttr::get(importer.getBuilder().getI64Type()))});
  Value isLonger = lengths && wide ? importer.createOne("pd.greater_than", {{lengths}, {wide}}) : Value();
  if (isLonger)
    importer.setOutput("Out", gather(importer, x, placesOf(importer, isLonger).first));
}

void importReorderByRank(OpImporter &importer) {
  Value x = importer.requiredInput("X");
  auto table = rankTable(importer);
  auto level = onlyLevel(importer, "X");
  if (x && table && level)
    setReordered(importer, "Out", x, *level, table->order);
}

/// Back to where the sequences stood before importReorderByRank.
void importReorderByRankGradient(OpImporter &importer) {
  Value x = importer.requiredInput("X");
  auto table = rankTable(importer);
  auto level = onlyLevel(importer, "X");
  if (x && table && level)
    setReordered(importer, "Out", x, *level, orderOf(importer, table->order));
}

void importSplitLodTensor(OpImporter &importer) {
  Value x = importer.requiredInput("X"), mask = importer.requiredInput("Mask");
  auto level = onlyLevel(importer, "X");
  if (!x || !mask || !level)
    return;
  auto [onTrue, onFalse] = placesOf(importer, mask);
  setReordered(importer, "OutTrue", x, *level, onTrue);
  setReordered(importer, "OutFalse", x, *level, onFalse);
}

void importMergeLodTensor(OpImporter &importer) {
  Value mask = importer.requiredInput("Mask"), onTrue = importer.requiredInput("InTrue"),
        onFalse = importer.requiredInput("InFalse");
  auto trueLevel = onlyLevel(importer, "InTrue"), falseLevel = onlyLevel(importer, "InFalse");
  if (!mask || !onTrue || !onFalse || !trueLevel || !falseLevel)
    return;
  auto [truePlaces, falsePlaces] = placesOf(importer, mask);
  Value order = orderOf(importer, concat(importer, truePlaces, falsePlaces));
  Value offsets;
  if (*trueLevel && *falseLevel) {
    Value first = slice(importer, *trueLevel, 0, -1),
          last = slice(importer, *trueLevel, -1, std::numeric_limits<int64_t>::max());
    // One number for all, which its extent must say.
    if (last)
      last = importer.createOne("pd.reshape", {{last}, {}},
                                {importer.named("shape", importer.getBuilder().getDenseI64ArrayAttr({1}))});
    Value shifted = last ? importer.createOne("pd.add", {{*falseLevel}, {last}}) : Value();
    offsets = concat(importer, first, shifted);
  }
  setReordered(importer, "Out", concat(importer, onTrue, onFalse), offsets, order);
}

} // namespace proa::import::hooks
