//! Hooks of sampled losses, ranking metrics, and beam search.
#include "translator/import/common/TensorOps.h"
#include "translator/import/legacy/LegacyTable.h"

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/math/UnaryOps.h"
#include "dialects/pd/ops/random/Random.h"
#include "dialects/pd/ops/sequence/BeamSearch.h"
#include "dialects/pd/ops/sequence/RowsOps.h"

#include <cmath>

using namespace mlir;

namespace proa::import::hooks {
namespace {

/// The distribution of the negative classes of nce.
enum Sampler : int64_t { Uniform = 0, LogUniform = 1, Custom = 2 };

struct NoiseContrast {
  OpImporter &importer;
  TensorBuilder &e;
  Sampler sampler;
  int64_t classes, negatives;

  Type wide() { return importer.getBuilder().getI64Type(); }
  Expression required(llvm::StringRef slot) { return e.wrap(importer.requiredInput(slot)); }

  /// Samples in [0, 1), `negatives` for each row.
  Expression uniform(Expression label, int64_t salt) {
    int64_t seed = importer.intAttribute("seed", 0);
    return apply<pd::UniformRandomBatchSizeLikeOp>(
        label, llvm::ArrayRef<int64_t>{-1, negatives}, 0, 0, importer.getBuilder().getF32Type(),
        seed == 0 ? 0 : seed + salt, llvm::APFloat(0.0), llvm::APFloat(1.0), 0, 0, llvm::APFloat(0.0));
  }

  /// floor(x), below the number of classes.
  Expression toClass(Expression x) {
    return e.minimum(e.cast(e.floor(x), wide()), importer.integers({classes - 1}));
  }

  /// The sampled classes; nothing where an input is missing.
  std::optional<Expression> sampledClasses(Expression label) {
    Expression random = uniform(label, 0);
    if (sampler == LogUniform)
      return toClass(scale(e.exp(scale(random, std::log(static_cast<double>(classes)))), 1, -1));
    Expression sampled = toClass(scale(random, static_cast<double>(classes)));
    if (sampler == Uniform)
      return sampled;
    // The alias method: a class, or with its remaining probability its alias.
    Value probabilities = importer.requiredInput("CustomDistAliasProbs"),
          aliases = importer.requiredInput("CustomDistAlias");
    if (!probabilities || !aliases)
      return std::nullopt;
    Expression flat = e.reshape(sampled, {-1}), second = e.reshape(uniform(label, 1), {-1});
    Expression own = gather(e.wrap(probabilities), flat);
    Expression alias = e.cast(gather(e.wrap(aliases), flat), wide());
    return e.reshape(e.select(second > own, alias, flat), {-1, negatives});
  }

  /// The labels, then the negative classes.
  std::optional<Expression> samples(Expression label) {
    llvm::SmallVector<int64_t> given = importer.intsAttribute("custom_neg_classes");
    if (given.empty()) {
      std::optional<Expression> sampled = sampledClasses(label);
      return sampled ? std::optional(beside(label, *sampled)) : std::nullopt;
    }
    Expression zeros = fullLike(columns(label, 0, 1), 0);
    Expression row = e.reshape(importer.integers(given), {1, static_cast<int64_t>(given.size())});
    return beside(label, zeros + row);
  }

  /// The number of samples times the probability of each class, in the element type of `like`.
  std::optional<Expression> expected(Expression samples, Expression like) {
    Type type = like.type().getElementType();
    auto count = static_cast<double>(negatives);
    if (sampler == Custom) {
      Value probabilities = importer.requiredInput("CustomDistProbs");
      if (!probabilities)
        return std::nullopt;
      Expression found = gather(e.cast(e.wrap(probabilities), type), e.reshape(samples, {-1}));
      return scale(e.reshape(found, {-1, samples.type().getDimSize(1)}), count);
    }
    Expression ids = e.cast(samples, type);
    if (sampler == Uniform)
      return scale(fullLike(ids, 0), 1, count / static_cast<double>(classes));
    Expression ratio = e.log(scale(ids, 1, 2) / scale(ids, 1, 1));
    return scale(ratio, count / std::log(static_cast<double>(classes)));
  }

  Expression logits(Expression input, Expression weight, Expression samples) {
    int64_t width = weight.type().getDimSize(1), count = samples.type().getDimSize(1);
    Expression flat = e.reshape(samples, {-1});
    Expression rows = e.reshape(gather(weight, flat), {-1, count, width});
    Expression out = e.sum(e.reshape(input, {-1, 1, width}) * rows, {2}, false);
    if (Value bias = importer.input("Bias"))
      out = out + e.reshape(gather(e.reshape(e.wrap(bias), {-1}), flat), {-1, count});
    return out;
  }
};

} // namespace

/// Noise-contrastive estimation. With o = sigmoid(logit) and b = samples * probability of the class, a label
/// costs -log(o / (o + b)), a negative class -log(b / (o + b)).
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
    return importer.reportOpen("inputs 'Label' and 'Weight' must be matrices with a known number of columns");
  TensorBuilder &e = importer.tensors();
  NoiseContrast nce{importer, e, static_cast<Sampler>(sampler), importer.intAttribute("num_total_classes", 1),
                    importer.intAttribute("num_neg_samples", 10)};
  std::optional<Expression> samples = nce.samples(e.cast(e.wrap(label), nce.wide()));
  if (!samples)
    return;
  int64_t trueCount = labels.getDimSize(1), count = samples->type().getDimSize(1);
  Expression o = e.sigmoid(nce.logits(e.wrap(input), e.wrap(weight), *samples));
  std::optional<Expression> b = nce.expected(*samples, o);
  if (!b)
    return;
  Expression both = o + *b;
  auto cost = [&](Expression some, int64_t begin, int64_t end) {
    Expression share = columns(some, begin, end) / columns(both, begin, end);
    return scale(e.sum(e.log(share), {1}), -1);
  };
  Expression total = cost(o, 0, trueCount);
  if (count > trueCount)
    total = total + cost(*b, trueCount, count);
  if (Value sampleWeight = importer.input("SampleWeight"))
    total = total * e.reshape(e.wrap(sampleWeight), {-1, 1});
  importer.setOutput("Cost", total);
  importer.setOutput("SampleLogits", o);
  importer.setOutput("SampleLabels", *samples);
}

/// Counts pairs of one query with different labels: positive where the score orders them as the labels do,
/// else negative; equal scores also count as neutral. A pair counts with the mean of its weights.
void importPositiveNegativePair(OpImporter &importer) {
  Value score = importer.requiredInput("Score"), label = importer.requiredInput("Label"),
        query = importer.requiredInput("QueryID");
  if (!score || !label || !query)
    return;
  int64_t width =
      pd::tensorType(score).getRank() == 2 ? pd::tensorType(score).getDimSize(1) : ShapedType::kDynamic;
  int64_t column = importer.intAttribute("column", 0);
  if (ShapedType::isDynamic(width) || column < -width || column >= width)
    return importer.report("expected a score matrix that has column " + llvm::Twine(column));
  column += column < 0 ? width : 0;
  TensorBuilder &e = importer.tensors();
  auto asColumn = [&](Expression x) { return e.reshape(x, {-1, 1}); };
  auto asRow = [&](Expression x) { return e.reshape(x, {1, -1}); };
  auto difference = [&](Expression x) { return asColumn(x) - asRow(x); };
  Expression scores = difference(columns(e.wrap(score), column, column + 1)),
             labels = difference(e.wrap(label));
  Expression zero = fullLike(scores, 0), queries = e.wrap(query);
  Expression isPair =
      apply<pd::LogicalAndOp>(asColumn(queries) == asRow(queries), apply<pd::NotEqualOp>(labels, zero));
  Value given = importer.input("Weight");
  // Each pair is in the matrix twice.
  Expression weights =
      given ? scale(asColumn(e.wrap(given)) + asRow(e.wrap(given)), 0.25) : scale(zero, 1, 0.5);
  Expression isPositive = scores * labels > zero;
  auto count = [&](Expression condition, llvm::StringRef before, llvm::StringRef slot) {
    Expression chosen = e.select(apply<pd::LogicalAndOp>(isPair, condition), weights, zero);
    Expression total = e.reshape(e.sum(chosen, {0, 1}, false), {1});
    if (Value accumulated = importer.input(before))
      total = e.reshape(e.wrap(accumulated), {1}) + total;
    importer.setOutput(slot, total);
  };
  count(isPositive, "AccumulatePositivePair", "PositivePair");
  count(apply<pd::LogicalNotOp>(isPositive), "AccumulateNegativePair", "NegativePair");
  count(scores == zero, "AccumulateNeutralPair", "NeutralPair");
}

/// `level` is the LoD level whose sequences are the sources. Its offsets are converted to rows.
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
  Expression rows = importer.wrap(levels.back());
  for (size_t i = levels.size() - 1; i > static_cast<size_t>(level); --i)
    rows = gather(rows, importer.wrap(levels[i - 1]));
  auto search = pd::BeamSearchOp::create(
      importer.getBuilder(), importer.getLocation(), previous, previousScores, scores, rows, ids,
      importer.intAttribute("beam_size", 0), importer.intAttribute("end_id", 0),
      importer.boolAttribute("is_accumulated", true));
  importer.setOutput("selected_ids", search.getResult(0));
  importer.setOutput("selected_scores", search.getResult(1));
  importer.setOutput("parent_idx", search.getResult(2));
  importer.setOutputLod("selected_ids", {rows, search.getResult(3)});
  importer.setOutputLod("selected_scores", {rows, search.getResult(3)});
}

/// The two LoD levels of the ids of all steps are arrays.
void importBeamSearchDecode(OpImporter &importer) {
  Value ids = importer.array("Ids"), scores = importer.array("Scores");
  if (!ids || !scores)
    return importer.report("inputs 'Ids' and 'Scores' must be tensor arrays");
  Operands levels = importer.lod("Ids");
  if (levels.size() != 2)
    return importer.report("the tensors in array 'Ids' have " + llvm::Twine(levels.size()) +
                           " LoD levels, expected 2");
  auto decode = pd::BeamSearchDecodeOp::create(importer.getBuilder(), importer.getLocation(), ids, scores,
                                               levels[0], levels[1], importer.intAttribute("beam_size", 0),
                                               importer.intAttribute("end_id", 0));
  for (auto [slot, value] :
       {std::pair("SentenceIds", decode.getResult(0)), std::pair("SentenceScores", decode.getResult(1))}) {
    importer.setOutput(slot, value);
    importer.setOutputLod(slot, {decode.getResult(2), decode.getResult(3)});
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
    return importer.reportOpen("expected a weight with static dims [width, matrices, width]");
  int64_t matrices = weights.getDimSize(1), width = weights.getDimSize(2);
  TensorBuilder &e = importer.tensors();
  Expression leftOffsets = e.wrap(left[0]), rightOffsets = e.wrap(right[0]);
  Expression products = e.matmul(e.wrap(x), e.reshape(e.wrap(w), {weights.getDimSize(0), matrices * width}));
  Expression counts = scale(lengthsOf(leftOffsets) * lengthsOf(rightOffsets), static_cast<double>(matrices));
  auto ranges =
      pd::RangesOp::create(importer.getBuilder(), importer.getLocation(), fullLike(counts, 0), counts);
  Expression position = e.wrap(ranges.getRows());
  Expression pair = apply<pd::RowPositionsOp>(position, ranges.getOffsets());
  auto ofPair = [&](Expression perPair) { return gather(perPair, pair); };
  Expression columns = ofPair(lengthsOf(rightOffsets)), rows = ofPair(lengthsOf(leftOffsets));
  Expression j = apply<pd::RemainderOp>(position, columns),
             rest = apply<pd::FloorDivideOp>(position, columns);
  Expression i = apply<pd::RemainderOp>(rest, rows), t = apply<pd::FloorDivideOp>(rest, rows);
  Expression row = scale(ofPair(startsOf(leftOffsets)) + i, static_cast<double>(matrices)) + t;
  Expression a = gather(e.reshape(products, {-1, width}), row),
             b = gather(e.wrap(y), ofPair(startsOf(rightOffsets)) + j);
  importer.setOutput("Out", e.sum(a * b, {1}));
  importer.setOutput("Tmp", e.reshape(products, {-1, 1}));
  importer.setOutputLod("Out", {ranges.getOffsets()});
}

} // namespace proa::import::hooks
