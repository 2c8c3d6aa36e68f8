/// The library kernel "detection_map" (detections, labels, offsets of both, state, counts, right and wrong
/// detections so far, offsets of both). dialects/pd/ops/search/Metrics.td says what it computes.
#include "lib/runtime/kernels/detection/Boxes.h"
#include "lib/runtime/kernels/detection/Targets.h"

#include "dialects/pd/ops/search/Metrics.kernels.inc"

#include <algorithm>
#include <array>
#include <map>

namespace proa::runtime {
namespace {

struct PrecisionAttributes {
  int64_t classes = 1, background = 0;
  double threshold = 0.5;
  bool countsDifficult = true, elevenPoints = false;
};

/// A detection that counts: its score, and whether it is right or wrong.
template <class T> struct Verdict {
  T score;
  int64_t counts;
};

template <class T> struct TrueBox {
  std::array<T, 4> corners;
  bool isDifficult;
};

template <class T> struct ScoredBox {
  T score;
  std::array<T, 4> corners;
};

/// By class.
template <class T> struct PrecisionState {
  std::map<int64_t, int64_t> positives;
  std::map<int64_t, std::vector<Verdict<T>>> right, wrong;

  void add(int64_t label, T score, bool isRight) {
    right[label].push_back({score, isRight ? 1 : 0});
    wrong[label].push_back({score, isRight ? 0 : 1});
  }
};

template <class T> struct ImageTruth {
  std::map<int64_t, std::vector<TrueBox<T>>> boxes;
  std::map<int64_t, std::vector<ScoredBox<T>>> detections;
};

template <class T>
ImageTruth<T> readImage(const View &detected, int64_t from, int64_t to, const View &labels, int64_t labelFrom,
                        int64_t labelTo) {
  ImageTruth<T> out;
  auto corners = [](const T *first) { return std::array<T, 4>{first[0], first[1], first[2], first[3]}; };
  int64_t width = labels.dims[1];
  for (int64_t i = labelFrom; i < labelTo; ++i) {
    const T *row = labels.as<T>() + i * width;
    bool isDifficult = width == 6 && std::abs(row[1]) >= T(1e-6);
    out.boxes[static_cast<int64_t>(row[0])].push_back({corners(row + width - 4), isDifficult});
  }
  for (int64_t i = from; i < to; ++i) {
    const T *row = detected.as<T>() + i * 6;
    out.detections[static_cast<int64_t>(row[0])].push_back({row[1], corners(row + 2)});
  }
  return out;
}

template <class T>
void judge(std::vector<ScoredBox<T>> detections, const std::vector<TrueBox<T>> &boxes, int64_t label,
           const PrecisionAttributes &attributes, PrecisionState<T> &state) {
  std::stable_sort(detections.begin(), detections.end(),
                   [](const ScoredBox<T> &a, const ScoredBox<T> &b) { return a.score > b.score; });
  std::vector<bool> isTaken(boxes.size());
  for (ScoredBox<T> &one : detections) {
    for (T &corner : one.corners)
      corner = std::clamp(corner, T(0), T(1));
    T most = -1;
    size_t best = 0;
    for (size_t j = 0; j < boxes.size(); ++j)
      if (T overlap = boxOverlap(one.corners.data(), boxes[j].corners.data(), /*normalized=*/true);
          overlap > most) {
        most = overlap;
        best = j;
      }
    bool isFound = most > static_cast<T>(static_cast<float>(attributes.threshold));
    if (isFound && boxes[best].isDifficult && !attributes.countsDifficult)
      continue;
    state.add(label, one.score, isFound && !isTaken[best]);
    if (isFound)
      isTaken[best] = true;
  }
}

template <class T>
void judgeImage(const ImageTruth<T> &image, const PrecisionAttributes &attributes, PrecisionState<T> &state) {
  for (const auto &[label, boxes] : image.boxes) {
    int64_t count = std::count_if(boxes.begin(), boxes.end(), [&](const TrueBox<T> &box) {
      return attributes.countsDifficult || !box.isDifficult;
    });
    if (count > 0)
      state.positives[label] += count;
  }
  for (const auto &[label, detections] : image.detections) {
    auto found = image.boxes.find(label);
    if (found != image.boxes.end())
      judge(detections, found->second, label, attributes, state);
    else
      for (const ScoredBox<T> &one : detections)
        state.add(label, one.score, false);
  }
}

/// How many count, from the best one to each.
template <class T> std::vector<int64_t> runningCounts(std::vector<Verdict<T>> verdicts) {
  std::stable_sort(verdicts.begin(), verdicts.end(),
                   [](const Verdict<T> &a, const Verdict<T> &b) { return a.score > b.score; });
  std::vector<int64_t> out;
  for (const Verdict<T> &one : verdicts)
    out.push_back((out.empty() ? 0 : out.back()) + one.counts);
  return out;
}

template <class T>
T averagePrecision(const std::vector<Verdict<T>> &right, const std::vector<Verdict<T>> &wrong,
                   int64_t positives, bool elevenPoints) {
  std::vector<int64_t> hits = runningCounts(right), misses = runningCounts(wrong);
  size_t count = std::min(hits.size(), misses.size());
  std::vector<T> precision(count), recall(count);
  for (size_t i = 0; i < count; ++i) {
    precision[i] = static_cast<T>(hits[i]) / static_cast<T>(hits[i] + misses[i]);
    recall[i] = static_cast<T>(hits[i]) / static_cast<T>(positives);
  }
  T area = 0, before = 0;
  if (!elevenPoints) {
    for (size_t i = 0; i < count; ++i) {
      if (std::abs(recall[i] - before) > T(1e-6))
        area += precision[i] * std::abs(recall[i] - before);
      before = recall[i];
    }
    return area;
  }
  // The greatest precision of all points of that recall or more.
  for (int64_t point = 0; point <= 10; ++point) {
    T greatest = 0;
    for (size_t i = 0; i < count; ++i)
      if (!(static_cast<double>(recall[i]) < static_cast<double>(point) / 10.0))
        greatest = std::max(greatest, precision[i]);
    area += greatest / 11;
  }
  return area;
}

template <class T> T meanPrecision(const PrecisionState<T> &state, const PrecisionAttributes &attributes) {
  T sum = 0;
  int64_t count = 0;
  for (const auto &[label, positives] : state.positives) {
    if (positives == attributes.background)
      continue;
    ++count;
    if (auto right = state.right.find(label); right != state.right.end())
      sum += averagePrecision(right->second, state.wrong.at(label), positives, attributes.elevenPoints);
  }
  return count == 0 ? sum : sum / static_cast<T>(count);
}

template <class T>
Result<void> readVerdicts(const View &rows, const View &offsets,
                          std::map<int64_t, std::vector<Verdict<T>>> &to) {
  if (rows.rank() != 2 || rows.dims[1] != 2)
    return failure("the detections so far are {}; expected [n, 2]", describe(rows.dtype, rows.dims));
  Result<std::vector<int64_t>> ends = checkedOffsets(offsets, rows.dims[0]);
  if (!ends)
    return ends.diagnostics();
  for (size_t label = 0; label + 1 < ends->size(); ++label)
    for (int64_t i = (*ends)[label]; i < (*ends)[label + 1]; ++i)
      to[static_cast<int64_t>(label)].push_back(
          {rows.as<T>()[2 * i], static_cast<int64_t>(rows.as<T>()[2 * i + 1])});
  return {};
}

template <class T> Result<PrecisionState<T>> stateBefore(Call &call, const PrecisionAttributes &attributes) {
  PrecisionState<T> state;
  if (!call.input(4) || !call.input(5))
    return state;
  Result<std::vector<int64_t>> has = integersOf(call.input(4)), counts = integersOf(call.input(5));
  if (!has || !counts)
    return has ? counts.diagnostics() : has.diagnostics();
  if (has->empty() || has->front() == 0)
    return state;
  if (static_cast<int64_t>(counts->size()) != attributes.classes)
    return failure("pos_count has {} elements, there are {} classes", counts->size(), attributes.classes);
  for (size_t label = 0; label < counts->size(); ++label)
    state.positives[static_cast<int64_t>(label)] = (*counts)[label];
  Result<void> right = readVerdicts(call.input(6), call.input(8), state.right),
               wrong = readVerdicts(call.input(7), call.input(9), state.wrong);
  if (!right || !wrong)
    return right ? wrong.diagnostics() : right.diagnostics();
  return state;
}

template <class T>
Result<void> writeVerdicts(Call &call, size_t output,
                           const std::map<int64_t, std::vector<Verdict<T>>> &verdicts, size_t offsetsOutput,
                           int64_t classes) {
  std::vector<T> rows;
  std::vector<int64_t> ends{0};
  for (int64_t label = 0; label < classes; ++label) {
    if (auto found = verdicts.find(label); found != verdicts.end())
      for (const Verdict<T> &one : found->second) {
        rows.push_back(one.score);
        rows.push_back(static_cast<T>(one.counts));
      }
    ends.push_back(static_cast<int64_t>(rows.size() / 2));
  }
  const int64_t dims[] = {ends.back(), 2}, endDims[] = {classes + 1};
  if (Result<void> written = writeOutput<T>(call, output, dims, rows); !written)
    return written;
  return writeOutput<int64_t>(call, offsetsOutput, endDims, ends);
}

template <class T> Result<void> detectionMap(Call &call, const PrecisionAttributes &attributes) {
  const View &detected = call.input(0), &labels = call.input(1);
  if (detected.rank() != 2 || detected.dims[1] != 6 || labels.rank() != 2 || labels.dims[1] < 5 ||
      labels.dims[1] > 6 || labels.dtype != detected.dtype)
    return failure("the detections are {}, the labels {}; expected [n, 6] and [n, 5 or 6] of one dtype",
                   describe(detected.dtype, detected.dims), describe(labels.dtype, labels.dims));
  Result<std::vector<int64_t>> ends = checkedOffsets(call.input(2), detected.dims[0]),
                               labelEnds = checkedOffsets(call.input(3), labels.dims[0]);
  if (!ends || !labelEnds)
    return ends ? labelEnds.diagnostics() : ends.diagnostics();
  if (ends->size() != labelEnds->size())
    return failure("there are detections of {} images, labels of {}", ends->size() - 1,
                   labelEnds->size() - 1);
  Result<PrecisionState<T>> state = stateBefore<T>(call, attributes);
  if (!state)
    return state.diagnostics();
  for (size_t i = 0; i + 1 < ends->size(); ++i)
    judgeImage(
        readImage<T>(detected, (*ends)[i], (*ends)[i + 1], labels, (*labelEnds)[i], (*labelEnds)[i + 1]),
        attributes, *state);
  std::vector<int64_t> counts;
  for (int64_t label = 0; label < attributes.classes; ++label) {
    auto found = state->positives.find(label);
    counts.push_back(found == state->positives.end() ? 0 : found->second);
  }
  const int64_t countDims[] = {attributes.classes, 1}, one[] = {1};
  std::vector<T> mean{meanPrecision(*state, attributes)};
  for (const Result<void> &written :
       {writeOutput<int32_t>(call, 0, countDims, counts),
        writeVerdicts(call, 1, state->right, 4, attributes.classes),
        writeVerdicts(call, 2, state->wrong, 5, attributes.classes), writeOutput<T>(call, 3, one, mean)})
    if (!written)
      return written;
  return {};
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeDetectionMap(const DetectionMapAttributes &op,
                                                        const KernelRequest &request) {
  Checks checks(request);
  PrecisionAttributes attributes;
  attributes.classes = op.classNum;
  attributes.background = op.backgroundLabel;
  attributes.threshold = op.overlapThreshold;
  attributes.countsDifficult = op.evaluateDifficult;
  attributes.elevenPoints = op.apType == AveragePrecision::ElevenPoint;
  checks.expect(attributes.classes > 0, "expected class_num above 0");
  if (!checks.ok())
    return checks.diagnostics();
  return floatKernel(request, 4,
                     [=](Call &call, auto zero) { return detectionMap<decltype(zero)>(call, attributes); });
}

} // namespace proa::runtime
