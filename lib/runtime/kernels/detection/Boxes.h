/// Axis-aligned boxes of the detection kernels.
#pragma once

#include "lib/runtime/kernels/detection/TakenBoxes.h"
#include "lib/runtime/plan/Library.h"

#include <algorithm>
#include <numeric>

namespace proa::runtime {

/// Corners left, top, right, bottom. Not normalized: corners are pixels, so a box of equal corners has
/// size 1.
template <class T> T boxArea(const T *box, bool normalized) {
  if (box[2] < box[0] || box[3] < box[1])
    return 0;
  T pixel = normalized ? T(0) : T(1);
  return (box[2] - box[0] + pixel) * (box[3] - box[1] + pixel);
}

/// Intersection over union.
template <class T> T boxOverlap(const T *a, const T *b, bool normalized) {
  if (b[0] > a[2] || b[2] < a[0] || b[1] > a[3] || b[3] < a[1])
    return 0;
  T pixel = normalized ? T(0) : T(1);
  T width = std::min(a[2], b[2]) - std::max(a[0], b[0]) + pixel;
  T height = std::min(a[3], b[3]) - std::max(a[1], b[1]) + pixel;
  T common = width * height;
  return common / (boxArea(a, normalized) + boxArea(b, normalized) - common);
}

/// Which of `count` boxes, the best first, overlap no better one that stays by more than the threshold. Each
/// that stays makes a threshold above 0.5 smaller by the factor eta. Ends with the first `most` that stay
/// (below 0: all). box(i) points to the corners of box i; i ascends.
template <class T, class BoxAt>
std::vector<int64_t> nonMaximumSuppression(size_t count, BoxAt box, double threshold, double eta,
                                           bool normalized, int64_t most = -1) {
  std::vector<int64_t> taken;
  TakenBoxes vectors(normalized);
  auto limit = static_cast<T>(threshold);
  for (int64_t i = 0; i < static_cast<int64_t>(count) && static_cast<int64_t>(taken.size()) != most; ++i) {
    bool stays = false;
    if constexpr (std::is_same_v<T, float>)
      stays = vectors.admit(box(i), limit);
    else
      stays = std::all_of(taken.begin(), taken.end(), [&](int64_t other) {
        return boxOverlap<T>(box(i), box(other), normalized) <= limit;
      });
    if (!stays)
      continue;
    taken.push_back(i);
    if constexpr (std::is_same_v<T, float>)
      vectors.add(box(i));
    if (eta < 1 && limit > T(0.5))
      limit *= static_cast<T>(eta);
  }
  return taken;
}

/// The scores of one image: score(class, box), and where the boxes stand. With shared boxes each class has
/// the same.
template <class T> struct ImageBoxes {
  const T *boxes, *scores;
  int64_t count, classes, boxSize;
  bool shared; ///< boxes [count, boxSize], scores [classes, count]; else [count, classes, boxSize], [count,
               ///< classes]

  T score(int64_t label, int64_t box) const {
    return scores[shared ? label * count + box : box * classes + label];
  }
  const T *box(int64_t label, int64_t index) const {
    return boxes + (shared ? index : index * classes + label) * boxSize;
  }
};

/// A box that stays.
template <class T> struct Detection {
  int64_t label, box;
  T score;
};

/// The boxes of a class above the threshold.
template <class T> std::vector<int64_t> boxesAbove(const ImageBoxes<T> &image, int64_t label, T threshold) {
  std::vector<int64_t> boxes;
  for (int64_t i = 0; i < image.count; ++i)
    if (image.score(label, i) > threshold)
      boxes.push_back(i);
  return boxes;
}

/// Those, best first, at most `most` of them (below 0: all). Sorts as many as are asked for.
template <class T> class BestBoxes {
public:
  BestBoxes(const ImageBoxes<T> &image, int64_t label, T threshold, int64_t most) {
    for (int64_t i = 0; i < image.count; ++i)
      if (T score = image.score(label, i); score > threshold)
        candidates.emplace_back(score, i);
    count = candidates.size();
    if (most >= 0)
      count = std::min(count, static_cast<size_t>(most));
  }

  size_t size() const { return count; }
  /// The number of the i-th best box. `i` is at most one more than before.
  int64_t operator[](size_t i) {
    if (i >= sorted)
      sortMore();
    return candidates[i].second;
  }

private:
  using Candidate = std::pair<T, int64_t>;
  static bool isBetter(const Candidate &a, const Candidate &b) {
    return a.first > b.first || (a.first == b.first && a.second < b.second);
  }

  /// Doubles what is sorted. Few boxes often suffice; all of them take no longer than one sort of all.
  void sortMore() {
    constexpr size_t first = 128;
    auto begin = candidates.begin() + static_cast<ptrdiff_t>(sorted);
    sorted = sorted == 0 ? first : 4 * sorted;
    if (sorted >= candidates.size()) {
      sorted = candidates.size();
      return std::sort(begin, candidates.end(), isBetter);
    }
    auto end = candidates.begin() + static_cast<ptrdiff_t>(sorted);
    std::nth_element(begin, end, candidates.end(), isBetter);
    std::sort(begin, end, isBetter);
  }

  std::vector<Candidate> candidates;
  size_t count = 0, sorted = 0; ///< that may be asked for; that are in order
};

/// The operands of a non-maximum suppression. Error: dims or dtypes that do not fit each other.
struct DetectionInput {
  const View &boxes, &scores;
  bool shared;
  int64_t images, classes, boxSize;

  static Result<DetectionInput> check(const View &boxes, const View &scores, const View &perImage);
};

/// Writes rows of label, score and box for all images, the position of each box in the batch, and counts an
/// image. With `marksNone` and no rows, writes one element -1 for one image.
template <class T>
Result<void> writeDetections(Call &call, const DetectionInput &input, std::span<const ImageBoxes<T>> images,
                             std::span<const std::vector<Detection<T>>> detections, bool marksNone = false) {
  int64_t total = 0;
  for (const auto &list : detections)
    total += static_cast<int64_t>(list.size());
  bool isMarked = marksNone && total == 0;
  const int64_t rowDims[] = {isMarked ? 1 : total, isMarked ? 1 : input.boxSize + 2},
                indexDims[] = {total, 1};
  const int64_t imageDims[] = {isMarked ? 1 : static_cast<int64_t>(images.size())};
  auto outputOrNothing = [&](size_t i, std::span<const int64_t> dims) {
    return call.hasOutput(i) ? call.output(i, dims) : Result<View>(View());
  };
  Result<View> rows = outputOrNothing(0, rowDims), index = outputOrNothing(1, indexDims),
               counts = outputOrNothing(2, imageDims);
  for (const Result<View> *result : {&rows, &index, &counts})
    if (!*result)
      return result->diagnostics();
  for (const Result<View> *result : {&index, &counts})
    if (**result && (*result)->dtype != DType::Int32)
      return failure("expected int32 results, found {}", nameOf((*result)->dtype));
  if (isMarked) {
    if (*rows)
      *rows->template as<T>() = T(-1);
    if (*counts)
      *counts->template as<int32_t>() = 1;
    return {};
  }
  int64_t row = 0, first = 0;
  for (size_t i = 0; i < images.size(); ++i) {
    for (const Detection<T> &d : detections[i]) {
      if (*rows) {
        T *target = rows->template as<T>() + row * (input.boxSize + 2);
        target[0] = static_cast<T>(d.label);
        target[1] = d.score;
        std::copy_n(images[i].box(d.label, d.box), input.boxSize, target + 2);
      }
      int64_t position = first + d.box;
      if (*index)
        index->template as<int32_t>()[row] =
            static_cast<int32_t>(input.shared ? position : position * input.classes + d.label);
      ++row;
    }
    if (*counts)
      counts->template as<int32_t>()[i] = static_cast<int32_t>(detections[i].size());
    first += images[i].count;
  }
  return {};
}

/// The images of a batch as views.
template <class T>
Result<std::vector<ImageBoxes<T>>> imagesOf(const DetectionInput &input, const View &perImage) {
  std::vector<ImageBoxes<T>> out;
  const T *boxes = input.boxes.as<T>(), *scores = input.scores.as<T>();
  std::vector<int64_t> counts;
  if (input.shared)
    counts.assign(static_cast<size_t>(input.images), input.boxes.dims[1]);
  else if (perImage.dtype == DType::Int64)
    counts.assign(perImage.as<int64_t>(), perImage.as<int64_t>() + perImage.size());
  else
    counts.assign(perImage.as<int32_t>(), perImage.as<int32_t>() + perImage.size());
  int64_t left = input.shared ? input.boxes.dims[1] * input.images : input.boxes.dims[0];
  for (int64_t count : counts) {
    left -= count;
    if (count < 0 || left < 0)
      return failure("rois_num counts more boxes than there are");
    out.push_back({boxes, scores, count, input.classes, input.boxSize, input.shared});
    boxes += count * input.boxSize * (input.shared ? 1 : input.classes);
    scores += count * input.classes;
  }
  return out;
}

} // namespace proa::runtime
