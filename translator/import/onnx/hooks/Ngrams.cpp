//! The hook of TfIdfVectorizer: counts of n-grams of integers.
#include "translator/import/onnx/GraphImporter.h"
#include "translator/import/onnx/hooks/Ml.h"
#include "translator/import/onnx/hooks/Strings.h"

#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/DynamicDims.h"

#include <map>

using namespace mlir;

namespace proa::import::onnxhooks {

using pd::DimSize;
using pd::Expression;

namespace {

/// The n-grams of one length, and the column and weight of each.
struct Ngrams {
  int64_t length;
  llvm::SmallVector<double> items; ///< gram after gram
  llvm::SmallVector<int64_t> columns;
  llvm::SmallVector<double> weights;
};

class NgramCounter {
public:
  explicit NgramCounter(NodeImporter &node)
      : node(node), e(node.tensors()), x(node.operand("X")), least(node.intAttribute("min_gram_length")),
        most(node.intAttribute("max_gram_length")), skips(node.intAttribute("max_skip_count")) {}

  void run() {
    llvm::SmallVector<int64_t> pool = readItems();
    bool isVector = x.rank() < 2;
    if (x.rank() > 2)
      fail("input 'X' has rank " + llvm::Twine(x.rank()) + ", expected 1 or 2");
    if (isVector)
      x = e.reshape(x, {1, -1});
    llvm::SmallVector<Ngrams> all = readPool(pool);
    // [columns, rows]
    Expression counts = expandTo(node.scalar(0, f32()), {DimSize(columns), DimSize(x, 0)});
    for (const Ngrams &grams : all)
      if (std::optional<Expression> own = valuesOf(grams))
        counts = node.create<pd::IndexAddOp>(counts, node.integers(grams.columns), *own, 0);
    Expression out = e.transpose(counts, {1, 0});
    node.setOutput("Y", isVector ? e.reshape(out, {-1}) : out);
  }

private:
  [[noreturn]] void fail(const llvm::Twine &message) {
    node.report(message);
    node.stop();
  }

  Type f32() { return node.getBuilder().getF32Type(); }

  /// The items of the pool. Strings become their numbers in the vocabulary, and so do the items of x.
  llvm::SmallVector<int64_t> readItems() {
    std::vector<std::string> words = node.stringsAttribute("pool_strings"), vocabulary;
    llvm::SmallVector<int64_t> pool = node.intsAttribute("pool_int64s");
    if (words.empty() == isString(node, x))
      fail(llvm::Twine("input 'X' and the pool have different kinds of items: one has strings"));
    if (words.empty())
      return pool;
    std::map<std::string, int64_t> indices;
    for (const std::string &word : words) {
      auto [entry, isNew] = indices.emplace(word, static_cast<int64_t>(vocabulary.size()));
      if (isNew)
        vocabulary.push_back(word);
      pool.push_back(entry->second);
    }
    x = positionsOf(node, x, stringConstants(node, vocabulary), /*areStrings=*/true);
    return pool;
  }

  /// The n-grams to count. A gram that the pool has twice belongs to its last column.
  llvm::SmallVector<Ngrams> readPool(llvm::ArrayRef<int64_t> pool) {
    readMode();
    llvm::SmallVector<int64_t> starts = node.intsAttribute("ngram_counts"),
                               indexes = node.intsAttribute("ngram_indexes");
    if (indexes.empty() || *llvm::min_element(indexes) < 0 || skips < 0 || least < 1 || most < least)
      fail("expected columns 'ngram_indexes' of 0 or more, lengths of 1 or more in ascending order, and a "
           "'max_skip_count' of 0 or more");
    columns = *llvm::max_element(indexes) + 1;
    llvm::SmallVector<Ngrams> all;
    size_t next = 0;
    for (size_t i = 0; i < starts.size(); ++i) {
      int64_t length = static_cast<int64_t>(i) + 1, size = static_cast<int64_t>(pool.size());
      int64_t end = i + 1 < starts.size() ? starts[i + 1] : size;
      if (starts[i] < 0 || starts[i] > end || end > size || (end - starts[i]) % length != 0)
        fail("attribute 'ngram_counts' does not divide the " + llvm::Twine(size) + " items of the pool");
      std::map<llvm::ArrayRef<int64_t>, size_t, std::less<>> numberOf;
      for (int64_t at = starts[i]; at < end; at += length, ++next) {
        if (next >= indexes.size())
          fail("attribute 'ngram_indexes' has " + llvm::Twine(indexes.size()) +
               " columns, fewer than the pool has n-grams");
        numberOf[pool.slice(at, length)] = next;
      }
      if (length < least || length > most || numberOf.empty())
        continue;
      Ngrams &grams = all.emplace_back(Ngrams{length, {}, {}, {}});
      for (const auto &[items, index] : numberOf) {
        grams.items.append(items.begin(), items.end());
        grams.columns.push_back(indexes[index]);
        grams.weights.push_back(index < weights.size() ? weights[index] : 1);
      }
    }
    return all;
  }

  void readMode() {
    mode = node.stringAttribute("mode");
    weights = node.floatsAttribute("weights");
    if (mode != "TF" && mode != "IDF" && mode != "TFIDF")
      fail("attribute 'mode' is '" + mode + "', expected TF, IDF or TFIDF");
    if (mode == "TF")
      weights.clear();
  }

  /// The addends of each gram to its column of each row: [grams, rows].
  std::optional<Expression> valuesOf(const Ngrams &grams) {
    std::optional<Expression> counts;
    for (int64_t distance = 1; distance <= (grams.length == 1 ? 1 : skips + 1); ++distance)
      if (std::optional<Expression> found = matches(grams, distance))
        counts = counts ? *counts + *found : *found;
    if (counts && mode == "IDF")
      counts = e.cast(*counts > 0.0, f32());
    if (counts && !weights.empty())
      counts = *counts * insertDim(node.numbers(grams.weights, f32()), 1);
    return counts;
  }

  /// How often each gram is in each row with its items `distance` apart: [grams, rows]. Nothing if no row is
  /// long enough.
  std::optional<Expression> matches(const Ngrams &grams, int64_t distance) {
    int64_t span = distance * (grams.length - 1), count = static_cast<int64_t>(grams.columns.size());
    if (DimSize length(x, 1); length.isKnown() && length.getNumber() <= span)
      return std::nullopt;
    Type element = x.type().getElementType();
    Expression items = e.reshape(node.numbers(grams.items, element), {count, grams.length});
    std::optional<Expression> all;
    for (int64_t i = 0; i < grams.length; ++i) {
      int64_t end = distance * i == span ? pd::toTheEnd : distance * i - span;
      Expression own = slice(x, 1, distance * i, end); // [rows, positions]
      Expression expected = e.reshape(slice(items, 1, i, i + 1), {count, 1, 1});
      Expression isEqual = node.create<pd::EqualOp>(expected, insertDim(own, 0));
      all = all ? node.create<pd::LogicalAndOp>(*all, isEqual) : isEqual;
    }
    return e.sum(e.cast(*all, f32()), {2}, false);
  }

  NodeImporter &node;
  pd::TensorBuilder &e;
  Expression x;
  int64_t least, most, skips, columns = 0;
  std::string mode;
  llvm::SmallVector<double> weights;
};

} // namespace

void importTfIdfVectorizer(NodeImporter &node) { NgramCounter(node).run(); }

} // namespace proa::import::onnxhooks
