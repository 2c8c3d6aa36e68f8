//! Reference kernels of metrics, counted one sample at a time.
#include "dialects/pd/ops/search/Metrics.h"
#include "dialects/pd/reference/Boxes.h"

#include <cmath>
#include <set>

using namespace mlir;

namespace proa::pd {
namespace {

using namespace boxes;

void setOne(Tensor &result, double value) {
  result = Tensor(result.dtype(), result.dims().empty() ? std::vector<int64_t>{} : std::vector<int64_t>{1});
  storeScalar(result, 0,
              result.dtype() == DType::Int64 ? HostScalar::of(static_cast<int64_t>(value))
                                             : HostScalar::of(value));
}

//===-- chunk_eval --------------------------------------------------------------------------------------===//

/// The tags that begin and end a chunk in a scheme, whatever their neighbors are.
struct Scheme {
  int64_t tags;
  std::set<int64_t> opening, closing;
};

Scheme schemeOf(ChunkScheme name) {
  switch (name) {
  case ChunkScheme::IOB:
    return {2, {0}, {}};
  case ChunkScheme::IOE:
    return {2, {}, {1}};
  case ChunkScheme::IOBES:
    return {4, {0, 3}, {2, 3}};
  case ChunkScheme::Plain:
    return {1, {}, {}};
  }
  return {1, {}, {}};
}

/// Begin, end and type of the longest runs of one type that no tag splits.
using Chunks = std::set<std::array<int64_t, 3>>;

FailureOr<Chunks> chunksOf(llvm::ArrayRef<int64_t> labels, const Scheme &scheme, int64_t types,
                           llvm::ArrayRef<int64_t> excluded) {
  Chunks out;
  auto type = [&](size_t i) { return labels[i] / scheme.tags; };
  auto isCut = [&](size_t i) { // before label i
    return i == 0 || i == labels.size() || type(i) != type(i - 1) ||
           scheme.opening.count(labels[i] % scheme.tags) > 0 ||
           scheme.closing.count(labels[i - 1] % scheme.tags) > 0;
  };
  for (size_t begin = 0, end = 0; begin < labels.size(); begin = end) {
    if (labels[begin] < 0 || labels[begin] > types * scheme.tags)
      return failure();
    for (end = begin + 1; !isCut(end);)
      ++end;
    if (type(begin) < types && !llvm::is_contained(excluded, type(begin)))
      out.insert({static_cast<int64_t>(begin), static_cast<int64_t>(end), type(begin)});
  }
  return out;
}

//===-- precision_recall --------------------------------------------------------------------------------===//

/// True positives, false positives, true negatives, false negatives.
using Counts = std::array<double, 4>;

double share(double some, double rest) { return some + rest > 0 ? some / (some + rest) : 1; }

double harmonicMean(double a, double b) { return a + b > 0 ? 2 * a * b / (a + b) : 0; }

void setMetrics(Tensor &result, const std::vector<Counts> &classes) {
  double precision = 0, recall = 0;
  Counts sum{};
  for (const Counts &own : classes) {
    precision += share(own[0], own[1]);
    recall += share(own[0], own[3]);
    for (size_t k = 0; k < 4; ++k)
      sum[k] += own[k];
  }
  precision /= static_cast<double>(classes.size());
  recall /= static_cast<double>(classes.size());
  double all = share(sum[0], sum[1]), found = share(sum[0], sum[3]);
  result = Tensor(result.dtype(), {6});
  for (auto [i, value] : llvm::enumerate(std::array{precision, recall, harmonicMean(precision, recall), all,
                                                    found, harmonicMean(all, found)}))
    setReal(result, static_cast<int64_t>(i), value);
}

//===-- auc ---------------------------------------------------------------------------------------------===//

/// The probability that a positive sample is ranked above a negative one, with ties counted by half; not
/// divided if a class has no samples. As in Paddle, negative counts do not make an area negative.
double areaOf(llvm::ArrayRef<int64_t> positive, llvm::ArrayRef<int64_t> negative) {
  double pairs = 0, positives = 0, negatives = 0;
  for (size_t high = 0; high < positive.size(); ++high) {
    for (size_t low = 0; positive[high] != 0 && low <= high; ++low)
      pairs += static_cast<double>(positive[high]) * std::abs(static_cast<double>(negative[low])) *
               (low == high ? 0.5 : 1);
    positives += static_cast<double>(positive[high]);
    negatives += static_cast<double>(negative[high]);
  }
  return positives > 0 && negatives > 0 ? pairs / (positives * negatives) : pairs;
}

//===-- detection_map -----------------------------------------------------------------------------------===//

/// A counted detection, and whether it is a true positive.
struct Verdict {
  double score;
  bool isRight;
};

struct ClassState {
  int64_t positives = 0;
  std::vector<Verdict> verdicts;
};

/// Judges the detections of one class in one image, best first; each true box matches one of them.
void judge(std::vector<std::pair<double, Box>> detections, const std::vector<std::pair<Box, bool>> &truth,
           double threshold, bool countsDifficult, ClassState &state) {
  llvm::stable_sort(detections, [](const auto &a, const auto &b) { return a.first > b.first; });
  std::vector<bool> isTaken(truth.size());
  for (auto &[score, box] : detections) {
    for (double &corner : box)
      corner = std::clamp(corner, 0.0, 1.0);
    std::optional<size_t> best;
    for (size_t j = 0; j < truth.size(); ++j)
      if (!best || overlap(box, truth[j].first, 0) > overlap(box, truth[*best].first, 0))
        best = j;
    bool isFound = best && overlap(box, truth[*best].first, 0) > threshold;
    if (isFound && truth[*best].second && !countsDifficult)
      continue;
    state.verdicts.push_back({score, isFound && !isTaken[*best]});
    if (isFound)
      isTaken[*best] = true;
  }
  for (const auto &[box, isDifficult] : truth)
    state.positives += countsDifficult || !isDifficult;
}

double averagePrecision(std::vector<Verdict> verdicts, int64_t positives, bool elevenPoints) {
  llvm::stable_sort(verdicts, [](const Verdict &a, const Verdict &b) { return a.score > b.score; });
  std::vector<std::pair<double, double>> curve; // recall, precision
  double right = 0, area = 0;
  for (size_t i = 0; i < verdicts.size(); ++i) {
    right += verdicts[i].isRight;
    curve.emplace_back(right / static_cast<double>(positives), right / static_cast<double>(i + 1));
    if (!elevenPoints && verdicts[i].isRight)
      area += curve.back().second / static_cast<double>(positives);
  }
  for (int point = 0; elevenPoints && point <= 10; ++point) {
    double most = 0;
    for (auto [recall, precision] : curve)
      if (recall >= point / 10.0 - 1e-7)
        most = std::max(most, precision);
    area += most / 11;
  }
  return area;
}

/// Stores score and 1 or 0 of each detection in the order of classes, and the offset of each class.
void setVerdicts(const std::vector<ClassState> &classes, bool right, Tensor &rows, Tensor &offsets) {
  std::vector<double> values;
  std::vector<int64_t> ends{0};
  for (const ClassState &state : classes) {
    for (const Verdict &one : state.verdicts)
      values.insert(values.end(), {one.score, one.isRight == right ? 1.0 : 0.0});
    ends.push_back(static_cast<int64_t>(values.size()) / 2);
  }
  rows = Tensor(rows.dtype(), {ends.back(), 2});
  for (auto [i, value] : llvm::enumerate(values))
    setReal(rows, static_cast<int64_t>(i), value);
  offsets = vectorOf(offsets.dtype(), ends);
}

/// Adds the counts of earlier calls. A detection in the list of true positives is not in the list of false
/// positives.
LogicalResult addState(DetectionMapOp map, llvm::ArrayRef<Tensor> operands,
                       std::vector<ClassState> &classes) {
  auto given = [&](Value operand) { return operandOf(map, operands, operand); };
  const Tensor *state = given(map.getHasState()), *counts = given(map.getPosCount()),
               *right = given(map.getTruePos()), *wrong = given(map.getFalsePos()),
               *ends = given(map.getTruePosOffsets()), *wrongEnds = given(map.getFalsePosOffsets());
  if (!counts || !state || state->size() == 0 || loadScalar(*state, 0).integer == 0)
    return success();
  std::vector<int64_t> begins = integersOf(*ends);
  if (begins.size() != classes.size() + 1 || begins != integersOf(*wrongEnds) ||
      counts->size() != static_cast<int64_t>(classes.size()) || right->dims() != wrong->dims() ||
      right->dims() != std::vector<int64_t>{begins.back(), 2} || !llvm::is_sorted(begins))
    return failure();
  for (auto [label, one] : llvm::enumerate(classes)) {
    one.positives = loadScalar(*counts, static_cast<int64_t>(label)).integer;
    for (int64_t i = begins[label]; i < begins[label + 1]; ++i) {
      one.verdicts.push_back({realAt(*right, 2 * i), realAt(*right, 2 * i + 1) != 0});
      if (realAt(*right, 2 * i) != realAt(*wrong, 2 * i) ||
          realAt(*right, 2 * i + 1) + realAt(*wrong, 2 * i + 1) != 1)
        return failure();
    }
  }
  return success();
}

} // namespace

LogicalResult ChunkEvalOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                            llvm::MutableArrayRef<Tensor> results, RandomState *) {
  auto sequences = sequencesOf(operands[0], operandOf(getOperation(), operands, getSeqLength()),
                               operandOf(getOperation(), operands, getOffsets()));
  std::vector<int64_t> inferred = integersOf(operands[0]), labels = integersOf(operands[1]);
  if (failed(sequences) || inferred.size() != labels.size())
    return failure();
  Scheme scheme = schemeOf(getChunkScheme());
  auto types = static_cast<int64_t>(getNumChunkTypes());
  double found = 0, labeled = 0, right = 0;
  for (Rows rows : *sequences) {
    auto range = [&](const std::vector<int64_t> &all) {
      return chunksOf(llvm::ArrayRef(all).slice(static_cast<size_t>(rows.begin),
                                                static_cast<size_t>(rows.end - rows.begin)),
                      scheme, types, getExcludedChunkTypes());
    };
    auto ours = range(inferred), theirs = range(labels);
    if (failed(ours) || failed(theirs))
      return failure();
    found += static_cast<double>(ours->size());
    labeled += static_cast<double>(theirs->size());
    right += static_cast<double>(
        llvm::count_if(*ours, [&](const auto &chunk) { return theirs->count(chunk) > 0; }));
  }
  double precision = found > 0 ? right / found : 0, recall = labeled > 0 ? right / labeled : 0,
         mean = right > 0 ? 2 / (1 / precision + 1 / recall) : 0;
  for (auto [i, value] : llvm::enumerate(std::array{precision, recall, mean, found, labeled, right}))
    setOne(results[i], value);
  return success();
}

LogicalResult PrecisionRecallOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                  llvm::MutableArrayRef<Tensor> results, RandomState *) {
  const Tensor *weights = operandOf(getOperation(), operands, getWeights()),
               *states = operandOf(getOperation(), operands, getStatesInfo());
  auto count = static_cast<int64_t>(getClassNumber());
  std::vector<int64_t> given = integersOf(operands[1]), labels = integersOf(operands[2]);
  if (given.size() != labels.size() || (weights && weights->size() != static_cast<int64_t>(labels.size())) ||
      (states && states->size() != 4 * count))
    return failure();
  std::vector<Counts> classes(static_cast<size_t>(count), Counts{});
  for (size_t i = 0; i < labels.size(); ++i)
    for (int64_t c = 0; c < count; ++c) {
      bool isGiven = c == given[i], isRight = c == labels[i];
      classes[static_cast<size_t>(c)][isGiven ? (isRight ? 0 : 1) : (isRight ? 3 : 2)] +=
          weights ? realAt(*weights, static_cast<int64_t>(i)) : 1;
    }
  setMetrics(results[0], classes);
  results[2] = Tensor(results[2].dtype(), {count, 4});
  for (int64_t i = 0; i < 4 * count; ++i) {
    double &own = classes[static_cast<size_t>(i / 4)][static_cast<size_t>(i % 4)];
    own += states ? realAt(*states, i) : 0;
    setReal(results[2], i, own);
  }
  setMetrics(results[1], classes);
  return success();
}

LogicalResult AucOp::computeReference(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results,
                                      RandomState *) {
  auto thresholds = static_cast<size_t>(getNumThresholds()), steps = static_cast<size_t>(getSlideSteps()),
       buckets = thresholds + 1;
  const Tensor *weight = operandOf(getOperation(), operands, getInsTagWeight());
  if (weight && weight->size() > 0 && realAt(*weight, 0) == 0)
    return failure(); // undefined in Paddle
  std::vector<int64_t> labels = integersOf(operands[1]);
  size_t width = static_cast<size_t>(operands[0].dims()[1]),
         needed = (1 + steps) * buckets + (steps > 0 ? 1 : 0);
  std::array<std::vector<int64_t>, 2> counts{integersOf(operands[3]),
                                             integersOf(operands[2])}; // negative, positive
  if (counts[0].size() < needed || counts[1].size() < needed)
    return failure();
  size_t sums = steps * buckets,
         begin = steps > 0 ? static_cast<size_t>(counts[1][needed - 1]) % steps * buckets : 0;
  for (std::vector<int64_t> &own : counts) {
    own.resize(needed);
    for (size_t i = 0; steps > 0 && i < buckets; ++i) // the oldest call is dropped
      own[sums + i] -= std::exchange(own[begin + i], 0);
  }
  for (size_t row = 0; row < labels.size(); ++row) {
    // In float, because another bucket is another result.
    auto probability = static_cast<float>(realAt(operands[0], static_cast<int64_t>(row * width + width - 1)));
    if (!(probability >= 0 && probability <= 1) || labels[row] < 0)
      return failure();
    ++counts[labels[row] > 0][begin + static_cast<size_t>(probability * static_cast<float>(thresholds))];
  }
  for (std::vector<int64_t> &own : counts) {
    for (size_t i = 0; steps > 0 && i < buckets; ++i)
      own[sums + i] += own[begin + i];
    if (steps > 0)
      ++own.back();
  }
  setOne(results[0], areaOf(llvm::ArrayRef(counts[1]).slice(sums, buckets),
                            llvm::ArrayRef(counts[0]).slice(sums, buckets)));
  for (size_t i : {1, 2}) {
    results[i] = vectorOf(results[i].dtype(), counts[2 - i]);
    if (steps == 0)
      results[i] = results[i].reshaped({1, static_cast<int64_t>(buckets)});
  }
  return success();
}

LogicalResult DetectionMapOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                               llvm::MutableArrayRef<Tensor> results, RandomState *) {
  std::vector<int64_t> ends = integersOf(operands[2]), labelEnds = integersOf(operands[3]), counts;
  double threshold =
      rounded(operands[0].dtype(), rounded(DType::Float32, getOverlapThreshold().convertToDouble()));
  int64_t width = operands[1].dims()[1];
  std::vector<ClassState> classes(static_cast<size_t>(getClassNum()));
  if (failed(addState(*this, operands, classes)))
    return failure();
  auto boxFrom = [](const Tensor &rows, int64_t first) {
    return Box{realAt(rows, first), realAt(rows, first + 1), realAt(rows, first + 2),
               realAt(rows, first + 3)};
  };
  for (size_t image = 0; image + 1 < ends.size(); ++image)
    for (size_t label = 0; label < classes.size(); ++label) {
      std::vector<std::pair<double, Box>> detections;
      std::vector<std::pair<Box, bool>> truth;
      for (int64_t i = ends[image]; i < ends[image + 1]; ++i)
        if (static_cast<size_t>(realAt(operands[0], 6 * i)) == label)
          detections.emplace_back(realAt(operands[0], 6 * i + 1), boxFrom(operands[0], 6 * i + 2));
      for (int64_t i = labelEnds[image]; i < labelEnds[image + 1]; ++i)
        if (static_cast<size_t>(realAt(operands[1], width * i)) == label)
          truth.emplace_back(boxFrom(operands[1], width * (i + 1) - 4),
                             width == 6 && std::abs(realAt(operands[1], width * i + 1)) >= 1e-6);
      judge(detections, truth, threshold, getEvaluateDifficult(), classes[label]);
    }
  double sum = 0, counted = 0;
  for (const ClassState &state : classes) {
    counts.push_back(state.positives);
    if (state.positives == 0 || state.positives == static_cast<int64_t>(getBackgroundLabel()))
      continue;
    sum += averagePrecision(state.verdicts, state.positives, getApType() == AveragePrecision::ElevenPoint);
    ++counted;
  }
  results[0] = vectorOf(results[0].dtype(), counts).reshaped({static_cast<int64_t>(counts.size()), 1});
  setVerdicts(classes, true, results[1], results[4]);
  setVerdicts(classes, false, results[2], results[5]);
  setOne(results[3], counted > 0 ? sum / counted : 0);
  return success();
}

} // namespace proa::pd
