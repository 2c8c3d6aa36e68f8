//! Hooks of losses by sampling, measures of rankings, and beams.
#include "translator/import/LegacyTable.h"
#include "translator/import/hooks/Formula.h"

#include "dialects/pd/ir/Infer.h"

#include <array>
#include <cmath>

using namespace mlir;

namespace proa::import::hooks {
namespace {

/// How nce draws classes: all alike, by the logarithm of their numbers, or by given probabilities.
enum Sampler : int64_t { Uniform = 0, LogUniform = 1, Custom = 2 };

struct NoiseContrast {
  Formula f;
  Sampler sampler;
  int64_t classes, negatives;

  /// Random numbers from 0 to 1, one for each sample.
  Value draw(Value label, int64_t salt) {
    int64_t seed = f.importer.intAttribute("seed", 0);
    return f.make("pd.uniform_random_batch_size_like", {{label}},
                  {f.integers("shape", {-1, negatives}), f.number("min", 0), f.number("max", 1),
                   f.importer.named("dtype", TypeAttr::get(f.builder.getF32Type())),
                   f.importer.named("seed", f.builder.getI64IntegerAttr(seed == 0 ? 0 : seed + salt))});
  }

  /// floor(x), below the number of classes.
  Value number(Value x) {
    Value whole = f.cast(f.make("pd.floor", {{x}}), f.builder.getI64Type());
    return f.binary("pd.minimum", whole, f.importer.constantInts({classes - 1}));
  }

  Value drawnClasses(Value label) {
    Value random = draw(label, 0);
    if (sampler == LogUniform)
      return number(
          f.scale(f.make("pd.exp", {{f.scale(random, std::log(static_cast<double>(classes)))}}), 1, -1));
    Value drawn = number(f.scale(random, static_cast<double>(classes)));
    if (sampler == Uniform)
      return drawn;
    Value flat = f.reshape(drawn, {-1}), second = f.reshape(draw(label, 1), {-1});
    Value own = f.gather(f.importer.requiredInput("CustomDistAliasProbs"), flat);
    Value alias = f.cast(f.gather(f.importer.requiredInput("CustomDistAlias"), flat), f.builder.getI64Type());
    Value isOther = f.binary("pd.greater_than", second, own);
    return f.reshape(f.make("pd.where", {{isOther}, {alias}, {flat}}), {-1, negatives});
  }

  /// The labels, then the classes that are none.
  Value samples(Value label) {
    llvm::SmallVector<int64_t> given = f.importer.intsAttribute("custom_neg_classes");
    if (given.empty())
      return f.beside(label, drawnClasses(label));
    Value zeros = f.make("pd.full_like", {{f.columns(label, 0, 1)}, {}});
    Value row = f.reshape(f.importer.constantInts(given), {1, static_cast<int64_t>(given.size())});
    return f.beside(label, f.add(zeros, row));
  }

  /// The number of samples times the probability of each class, in the element type of `like`.
  Value expected(Value samples, Value like) {
    Type type = pd::tensorType(like).getElementType();
    auto count = static_cast<double>(negatives);
    if (sampler == Custom) {
      Value all = f.cast(f.importer.requiredInput("CustomDistProbs"), type);
      Value found = f.gather(all, f.reshape(samples, {-1}));
      return f.scale(f.reshape(found, {-1, pd::tensorType(samples).getDimSize(1)}), count);
    }
    Value numbers = f.cast(samples, type);
    if (sampler == Uniform)
      return f.scale(f.make("pd.full_like", {{numbers}, {}}), 1, count / static_cast<double>(classes));
    Value above = f.scale(numbers, 1, 2), below = f.scale(numbers, 1, 1);
    Value ratio = f.make("pd.log", {{f.binary("pd.divide", above, below)}});
    return f.scale(ratio, count / std::log(static_cast<double>(classes)));
  }

  Value logits(Value input, Value weight, Value samples) {
    int64_t width = pd::tensorType(weight).getDimSize(1), count = pd::tensorType(samples).getDimSize(1);
    Value flat = f.reshape(samples, {-1});
    Value rows = f.reshape(f.gather(weight, flat), {-1, count, width});
    Value products = f.sum(f.multiply(f.reshape(input, {-1, 1, width}), rows), {2}, false);
    if (Value bias = f.importer.input("Bias"))
      products = f.add(products, f.reshape(f.gather(f.reshape(bias, {-1}), flat), {-1, count}));
    return products;
  }
};

} // namespace

/// Noise-contrastive estimation: with o = sigmoid(logit) and b = samples * probability of the class, a label
/// costs -log(o / (o + b)), a class that is none -log(b / (o + b)).
void importNce(OpImporter &importer) {
  Value input = importer.requiredInput("Input"), label = importer.requiredInput("Label"),
        weight = importer.requiredInput("Weight");
  if (!input || !label || !weight)
    return;
  int64_t sampler = importer.intAttribute("sampler", 0);
  auto labels = pd::tensorType(label), weights = pd::tensorType(weight);
  if (sampler < 0 || sampler > 2)
    return importer.report("attribute 'sampler' is " + llvm::Twine(sampler) + ", expected 0, 1 or 2");
  if (labels.getRank() != 2 || labels.isDynamicDim(1) || weights.getRank() != 2 || weights.isDynamicDim(1))
    return importer.reportOpen(
        "expected a label of a known number of columns and a weight of a known number");
  Formula f(importer);
  NoiseContrast nce{f, static_cast<Sampler>(sampler), importer.intAttribute("num_total_classes", 1),
                    importer.intAttribute("num_neg_samples", 10)};
  Value samples = nce.samples(f.cast(label, f.builder.getI64Type()));
  if (!samples)
    return;
  int64_t trueCount = labels.getDimSize(1), count = pd::tensorType(samples).getDimSize(1);
  Value o = f.make("pd.sigmoid", {{nce.logits(input, weight, samples)}}),
        b = o ? nce.expected(samples, o) : Value();
  Value both = f.add(o, b);
  auto cost = [&](Value part, int64_t begin, int64_t end) {
    Value share = f.binary("pd.divide", f.columns(part, begin, end), f.columns(both, begin, end));
    return f.scale(f.sum(f.make("pd.log", {{share}}), {1}, true), -1);
  };
  Value total = cost(o, 0, trueCount);
  if (count > trueCount)
    total = f.add(total, cost(b, trueCount, count));
  if (Value sampleWeight = importer.input("SampleWeight"))
    total = f.multiply(total, f.reshape(sampleWeight, {-1, 1}));
  importer.setOutput("Cost", total);
  importer.setOutput("SampleLogits", o);
  importer.setOutput("SampleLabels", samples);
}

/// Pairs of one query with different labels: the score orders them as the labels do, or not; equal scores
/// count as neutral, too. Each pair counts the mean of its weights.
void importPositiveNegativePair(OpImporter &importer) {
  Value score = importer.requiredInput("Score"), label = importer.requiredInput("Label"),
        query = importer.requiredInput("QueryID");
  if (!score || !label || !query)
    return;
  int64_t width =
      pd::tensorType(score).getRank() == 2 ? pd::tensorType(score).getDimSize(1) : ShapedType::kDynamic;
  int64_t column = importer.intAttribute("column", -1);
  if (ShapedType::isDynamic(width) || column < -width || column >= width)
    return importer.report("expected a score matrix that has column " + llvm::Twine(column));
  column += column < 0 ? width : 0;
  Formula f(importer);
  auto difference = [&](Value x) {
    return f.binary("pd.subtract", f.reshape(x, {-1, 1}), f.reshape(x, {1, -1}));
  };
  Value scores = difference(f.columns(score, column, column + 1)), labels = difference(label);
  Value zero = f.make("pd.full_like", {{scores}, {}});
  Value isPair =
      f.make("pd.logical_and", {{f.binary("pd.equal", f.reshape(query, {-1, 1}), f.reshape(query, {1, -1}))},
                                {f.binary("pd.not_equal", labels, zero)}});
  Value weights;
  if (Value given = importer.input("Weight"))
    weights = f.scale(f.add(f.reshape(given, {-1, 1}), f.reshape(given, {1, -1})), 0.25);
  else
    weights = f.scale(zero, 1, 0.5); // each pair stands there twice
  Value isPositive = f.binary("pd.greater_than", f.multiply(scores, labels), zero);
  auto count = [&](Value condition, llvm::StringRef before, llvm::StringRef slot) {
    Value chosen =
        f.make("pd.where", {{f.make("pd.logical_and", {{isPair}, {condition}})}, {weights}, {zero}});
    Value total = f.reshape(f.sum(chosen, {0, 1}, false), {1});
    if (Value so = importer.input(before))
      total = f.add(f.reshape(so, {1}), total);
    importer.setOutput(slot, total);
  };
  count(isPositive, "AccumulatePositivePair", "PositivePair");
  count(f.make("pd.logical_not", {{isPositive}}), "AccumulateNegativePair", "NegativePair");
  count(f.binary("pd.equal", scores, zero), "AccumulateNeutralPair", "NeutralPair");
}

/// `level` names the LoD level whose sequences are the sources; its offsets are counted in rows.
void importBeamSearch(OpImporter &importer) {
  Value previous = importer.requiredInput("pre_ids"), previousScores = importer.requiredInput("pre_scores"),
        scores = importer.requiredInput("scores"), ids = importer.input("ids");
  Operands levels = importer.lod("scores");
  int64_t level = importer.intAttribute("level", 0);
  if (!previous || !previousScores || !scores)
    return;
  if (level < 0 || level >= static_cast<int64_t>(levels.size()))
    return importer.report("attribute 'level' is " + llvm::Twine(level) + ", scores have " +
                           llvm::Twine(levels.size()) + " LoD levels");
  Formula f(importer);
  Value rows = levels.back();
  for (size_t i = levels.size() - 1; i > static_cast<size_t>(level); --i)
    rows = f.gather(rows, levels[i - 1]);
  if (!rows)
    return;
  OpBuilder &builder = importer.getBuilder();
  auto integer = [&](llvm::StringRef name) {
    return importer.named(name, builder.getI64IntegerAttr(importer.intAttribute(name, 0)));
  };
  Operands results = importer.create(
      "pd.beam_search", {{previous}, {previousScores}, {scores}, {rows}, ids ? Operands{ids} : Operands{}},
      {integer("beam_size"), integer("end_id"),
       importer.named("is_accumulated",
                      builder.getBoolAttr(importer.boolAttribute("is_accumulated", true)))});
  if (results.empty())
    return;
  importer.setOutput("selected_ids", results[0]);
  importer.setOutput("selected_scores", results[1]);
  importer.setOutput("parent_idx", results[2]);
  importer.setOutputLod("selected_ids", {rows, results[3]});
  importer.setOutputLod("selected_scores", {rows, results[3]});
}

/// The two LoD levels of the steps' ids are arrays, element by element.
void importBeamSearchDecode(OpImporter &importer) {
  Value ids = importer.array("Ids"), scores = importer.array("Scores");
  if (!ids || !scores)
    return importer.report("inputs 'Ids' and 'Scores' must be tensor arrays");
  Operands levels = importer.lod("Ids");
  if (levels.size() != 2)
    return importer.report("the tensors in array 'Ids' have " + llvm::Twine(levels.size()) +
                           " LoD levels, expected 2");
  OpBuilder &builder = importer.getBuilder();
  llvm::SmallVector<NamedAttribute> attributes;
  for (llvm::StringRef name : {"beam_size", "end_id"})
    attributes.push_back(importer.named(name, builder.getI64IntegerAttr(importer.intAttribute(name, 0))));
  Operands results =
      importer.create("pd.beam_search_decode", {{ids}, {scores}, {levels[0]}, {levels[1]}}, attributes);
  if (results.empty())
    return;
  const std::array slots{"SentenceIds", "SentenceScores"};
  for (auto [i, slot] : llvm::enumerate(slots)) {
    importer.setOutput(slot, results[i]);
    importer.setOutputLod(slot, {results[2], results[3]});
  }
}

/// For each pair of a sequence of x and one of y all products x_i W_t y_j, by t, then i, then j.
void importMatchMatrixTensor(OpImporter &importer) {
  Value x = importer.requiredInput("X"), y = importer.requiredInput("Y"), w = importer.requiredInput("W");
  Operands left = importer.innermostLods("X"), right = importer.innermostLods("Y");
  if (!x || !y || !w || left.size() != 1 || right.size() != 1)
    return;
  auto weights = pd::tensorType(w);
  if (weights.getRank() != 3 || !weights.hasStaticShape())
    return importer.reportOpen("expected a weight of known dims [width, matrices, width]");
  int64_t matrices = weights.getDimSize(1), width = weights.getDimSize(2);
  Formula f(importer);
  auto starts = [&](Value offsets) { return f.slice(offsets, 0, 0, -1); };
  auto lengths = [&](Value offsets) {
    return f.binary("pd.subtract", f.slice(offsets, 0, 1, std::numeric_limits<int64_t>::max()),
                    starts(offsets));
  };
  Value products = f.binary("pd.matmul", x, f.reshape(w, {weights.getDimSize(0), matrices * width}));
  Value counts = f.scale(f.multiply(lengths(left[0]), lengths(right[0])), static_cast<double>(matrices));
  Value zeros = f.make("pd.full_like", {{counts}, {}});
  if (!products || !zeros)
    return;
  Operands ranges = importer.create("pd.ranges", {{zeros}, {counts}});
  Operands places =
      ranges.empty() ? Operands() : importer.create("pd.row_positions", {{ranges[0]}, {ranges[1]}});
  if (places.empty())
    return;
  auto ofPair = [&](Value perPair) { return f.gather(perPair, places[0]); };
  Value columns = ofPair(lengths(right[0])), rows = ofPair(lengths(left[0]));
  Value j = f.binary("pd.remainder", ranges[0], columns),
        rest = f.binary("pd.floor_divide", ranges[0], columns);
  Value i = f.binary("pd.remainder", rest, rows), t = f.binary("pd.floor_divide", rest, rows);
  Value row = f.add(f.scale(f.add(ofPair(starts(left[0])), i), static_cast<double>(matrices)), t);
  Value a = f.gather(f.reshape(products, {-1, width}), row),
        b = f.gather(y, f.add(ofPair(starts(right[0])), j));
  Value out = f.sum(f.multiply(a, b), {1}, true);
  importer.setOutput("Out", out);
  importer.setOutput("Tmp", f.reshape(products, {-1, 1}));
  if (out)
    importer.setOutputLod("Out", {ranges[1]});
}

} // namespace proa::import::hooks
