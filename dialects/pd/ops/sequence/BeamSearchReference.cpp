//! Reference kernel of beam search.
#include "dialects/pd/ops/sequence/BeamSearch.h"
#include "dialects/pd/reference/Arrays.h"
#include "dialects/pd/reference/Evaluate.h"
#include "dialects/pd/reference/Reference.h"

#include <cmath>

using namespace mlir;

namespace proa::pd {
namespace {

/// A continuation of a prefix.
struct Continuation {
  int64_t prefix, id;
  double score;
  bool wasOver;
};

/// The rows that one step of a beam search selected.
struct BeamStep {
  Tensor ids, scores;
  std::vector<int64_t> sources, prefixes;

  int64_t id(int64_t row) const { return loadScalar(ids, row).integer; }
  int64_t firstOf(size_t source) const { return prefixes[static_cast<size_t>(sources[source])]; }
  /// The row of the previous step that a row extends.
  int64_t before(int64_t row) const {
    int64_t prefix = 0;
    while (prefixes[static_cast<size_t>(prefix) + 1] <= row)
      ++prefix;
    return prefix;
  }
};

/// The rows of a translation as pairs of step and row, from the last step in which its source has rows.
using Path = std::vector<std::pair<size_t, int64_t>>;

/// The translations of a source, sorted by decreasing score.
std::vector<Path> pathsOf(const std::vector<BeamStep> &steps, size_t source, int64_t endId) {
  size_t last = steps.size() - 1;
  while (last > 0 && steps[last].firstOf(source) == steps[last].firstOf(source + 1))
    --last;
  std::vector<Path> out;
  for (int64_t row = steps[last].firstOf(source); row < steps[last].firstOf(source + 1); ++row) {
    Path path{{last, row}};
    int64_t at = row;
    for (size_t t = last; t-- > 0;) {
      at = steps[t + 1].before(at);
      if (steps[t].id(at) != endId)
        path.emplace_back(t, at);
    }
    out.push_back(std::move(path));
  }
  auto scoreOf = [&](const Path &path) { return loadScalar(steps[last].scores, path.front().second).real(); };
  llvm::stable_sort(out, [&](const Path &a, const Path &b) { return scoreOf(a) > scoreOf(b); });
  return out;
}

} // namespace

LogicalResult BeamSearchOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                             llvm::MutableArrayRef<Tensor> results, RandomState *) {
  const Tensor *ids = operandOf(getOperation(), operands, getIds());
  std::vector<int64_t> previous = integersOf(operands[0]), offsets = integersOf(operands[3]);
  auto endId = static_cast<int64_t>(getEndId());
  auto beam = static_cast<size_t>(getBeamSize());
  int64_t width = operands[2].dims()[1];
  std::vector<Continuation> selected;
  for (size_t source = 0; source + 1 < offsets.size(); ++source) {
    std::vector<Continuation> all;
    for (int64_t prefix = offsets[source]; prefix < offsets[source + 1]; ++prefix) {
      double before = realAt(operands[1], prefix);
      if (previous[static_cast<size_t>(prefix)] == endId) {
        all.push_back({prefix, endId, before, true});
        continue;
      }
      for (int64_t position = prefix * width; position < (prefix + 1) * width; ++position) {
        double score = realAt(operands[2], position);
        all.push_back({prefix, ids ? loadScalar(*ids, position).integer : position - prefix * width,
                       getIsAccumulated() ? score : before + std::log(score), false});
      }
    }
    auto isBetter = [](const Continuation &a, const Continuation &b) {
      return std::pair(a.score, a.prefix) > std::pair(b.score, b.prefix);
    };
    llvm::stable_sort(all, isBetter);
    if (all.size() > beam) {
      if (!isBetter(all[beam - 1], all[beam])) // the definition does not say which one is kept
        return failure();
      all.resize(beam);
    }
    llvm::stable_sort(all, [](const Continuation &a, const Continuation &b) { return a.prefix < b.prefix; });
    if (!llvm::all_of(all, [&](const Continuation &one) { return one.wasOver && one.id == endId; }))
      selected.insert(selected.end(), all.begin(), all.end());
  }
  auto count = static_cast<int64_t>(selected.size());
  std::vector<int64_t> chosen, parents, ends(previous.size() + 1);
  results[1] = Tensor(results[1].dtype(), {count, 1});
  for (auto [i, one] : llvm::enumerate(selected)) {
    chosen.push_back(one.id);
    parents.push_back(one.prefix);
    setReal(results[1], static_cast<int64_t>(i), one.score);
  }
  for (size_t prefix = 0; prefix < previous.size(); ++prefix)
    ends[prefix + 1] = ends[prefix] + llvm::count(parents, static_cast<int64_t>(prefix));
  results[0] = vectorOf(results[0].dtype(), chosen).reshaped({count, 1});
  results[2] = vectorOf(results[2].dtype(), parents);
  results[3] = vectorOf(results[3].dtype(), ends);
  return success();
}

std::string BeamSearchDecodeOp::computeOnArrays(HostValues &values) {
  std::vector<BeamStep> steps;
  auto element = [&](Value array, size_t t) { return *values.arrays.at(array)[t]; };
  for (Value array : getOperands())
    if (!llvm::all_of(values.arrays.at(array), [](const auto &one) { return one.has_value(); }) ||
        values.arrays.at(array).size() != values.arrays.at(getIds()).size())
      return "the arrays of beams have different lengths or elements that were never written";
  for (size_t t = 0; t < values.arrays.at(getIds()).size(); ++t)
    steps.push_back({element(getIds(), t), element(getScores(), t),
                     integersOf(element(getSourceOffsets(), t)), integersOf(element(getPrefixOffsets(), t))});
  if (steps.empty())
    return "the arrays of beams have no elements";
  std::vector<int64_t> ids, translations{0}, sentences{0};
  std::vector<double> scores;
  for (size_t source = 0; source + 1 < steps.front().sources.size(); ++source) {
    for (const Path &path : pathsOf(steps, source, static_cast<int64_t>(getEndId()))) {
      for (auto [t, row] : llvm::reverse(path)) {
        ids.push_back(steps[t].id(row));
        scores.push_back(loadScalar(steps[t].scores, row).real());
      }
      sentences.push_back(static_cast<int64_t>(ids.size()));
    }
    translations.push_back(static_cast<int64_t>(sentences.size()) - 1);
  }
  Tensor scoreTensor(steps.front().scores.dtype(), {static_cast<int64_t>(scores.size())});
  for (auto [i, score] : llvm::enumerate(scores))
    storeScalar(scoreTensor, static_cast<int64_t>(i), HostScalar::of(score));
  values.tensors[getSentenceIds()] = vectorOf(DType::Int64, ids);
  values.tensors[getSentenceScores()] = scoreTensor;
  values.tensors[getTranslationOffsets()] = vectorOf(DType::Int64, translations);
  values.tensors[getSentenceOffsets()] = vectorOf(DType::Int64, sentences);
  return {};
}

} // namespace proa::pd
