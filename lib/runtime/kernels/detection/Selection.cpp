/// The library kernels "box_decoder_and_assign" (priors, variances, targets, scores), "locality_aware_nms"
/// (boxes, scores), "mine_hard_examples" (class losses, matches, distances, location losses),
/// "retinanet_detection_output" (boxes, scores and anchors of all levels, image sizes) and "similarity_focus"
/// (x). Boxes.td, Matching.td and Nms.td of dialects/pd/ops/detection say what they compute.
#include "lib/runtime/kernels/detection/Boxes.h"
#include "lib/runtime/kernels/sequence/Sequences.h"

#include "dialects/pd/ops/detection/Boxes.kernels.inc"
#include "dialects/pd/ops/detection/Matching.kernels.inc"
#include "dialects/pd/ops/detection/Nms.kernels.inc"

#include <cmath>

namespace proa::runtime {
namespace {

struct SelectionAttributes {
  double scoreThreshold = 0, nmsThreshold = 0.3, eta = 1;
  int64_t topK = -1, keepTopK = -1, background = -1;
  bool normalized = true;
};

/// One row of a result.
template <class T> struct Found {
  int64_t label;
  T score, box[4];
};

template <class T> bool isBetter(const Found<T> &a, const Found<T> &b) { return a.score > b.score; }

/// The rows of all images one after the other, and where each image begins.
template <class T>
Result<void> writeFound(Call &call, const std::vector<std::vector<Found<T>>> &images, bool marksNone,
                        int64_t labelBias) {
  std::vector<int64_t> ends{0};
  for (const auto &list : images)
    ends.push_back(ends.back() + static_cast<int64_t>(list.size()));
  bool isMarked = marksNone && ends.back() == 0;
  if (isMarked)
    ends = {0, 1};
  const int64_t rowDims[] = {isMarked ? 1 : ends.back(), isMarked ? 1 : 6},
                endDims[] = {static_cast<int64_t>(ends.size())};
  OutputMemory memory;
  Result<View> rows = memory.get(call, 0, call.input(0).dtype, rowDims),
               offsets = memory.get(call, 1, DType::Int64, endDims);
  if (!rows || !offsets)
    return rows ? offsets.diagnostics() : rows.diagnostics();
  std::copy(ends.begin(), ends.end(), offsets->as<int64_t>());
  T *to = rows->template as<T>();
  if (isMarked)
    *to = T(-1);
  for (const auto &list : images)
    for (const Found<T> &one : list) {
      *to++ = static_cast<T>(one.label + labelBias);
      *to++ = one.score;
      to = std::copy_n(one.box, 4, to);
    }
  return {};
}

/// The places in `best`, candidates from the best on, of those that stay.
template <class T>
std::vector<int64_t> suppress(const std::vector<Found<T>> &best, const SelectionAttributes &attributes) {
  return nonMaximumSuppression<T>(
      best.size(), [&](int64_t i) { return best[static_cast<size_t>(i)].box; }, attributes.nmsThreshold,
      attributes.eta, attributes.normalized);
}

void cut(auto &list, int64_t most) {
  if (most > -1 && static_cast<int64_t>(list.size()) > most)
    list.resize(static_cast<size_t>(most));
}

//===-- locality_aware_nms ------------------------------------------------------------------------------===//

/// Merges boxes into the last one that they overlap, in place; the numbers of those that others were merged
/// into.
template <class T>
std::vector<int64_t> mergeNeighbours(T *boxes, T *scores, int64_t count,
                                     const SelectionAttributes &attributes) {
  std::vector<int64_t> heads;
  for (int64_t i = 0; i < count; ++i) {
    T *box = boxes + 4 * i;
    if (heads.empty() || !(boxOverlap(box, boxes + 4 * heads.back(), attributes.normalized) >
                           static_cast<T>(attributes.nmsThreshold))) {
      heads.push_back(i);
      continue;
    }
    T *head = boxes + 4 * heads.back(), weight = scores[heads.back()];
    for (int64_t k = 0; k < 4; ++k)
      head[k] = (box[k] * scores[i] + head[k] * weight) / (scores[i] + weight);
    scores[heads.back()] += scores[i];
  }
  return heads;
}

template <class T>
std::vector<Found<T>> detectMerged(std::vector<T> boxes, std::vector<T> scores, int64_t classes,
                                   const SelectionAttributes &attributes) {
  auto count = static_cast<int64_t>(boxes.size() / 4);
  std::vector<std::pair<int64_t, int64_t>> positions; // of a class, a box
  for (int64_t label = 0; label < classes; ++label) {
    if (label == attributes.background)
      continue;
    T *ofClass = scores.data() + label * count;
    std::vector<std::pair<Found<T>, int64_t>> numbered;
    for (int64_t i : mergeNeighbours(boxes.data(), ofClass, count, attributes)) {
      const T *box = boxes.data() + 4 * i;
      if (ofClass[i] > static_cast<T>(attributes.scoreThreshold))
        numbered.push_back({{label, ofClass[i], {box[0], box[1], box[2], box[3]}}, i});
    }
    std::stable_sort(numbered.begin(), numbered.end(),
                     [](const auto &a, const auto &b) { return isBetter(a.first, b.first); });
    cut(numbered, attributes.topK);
    std::vector<Found<T>> best;
    for (const auto &one : numbered)
      best.push_back(one.first);
    for (int64_t stays : suppress(best, attributes))
      positions.emplace_back(label, numbered[static_cast<size_t>(stays)].second);
  }
  if (attributes.keepTopK > -1 && static_cast<int64_t>(positions.size()) > attributes.keepTopK) {
    std::stable_sort(positions.begin(), positions.end(), [&](const auto &a, const auto &b) {
      return scores[static_cast<size_t>(a.first * count + a.second)] >
             scores[static_cast<size_t>(b.first * count + b.second)];
    });
    cut(positions, attributes.keepTopK);
    std::stable_sort(positions.begin(), positions.end(),
                     [](const auto &a, const auto &b) { return a.first < b.first; });
  }
  // Later classes went on merging the boxes of earlier ones.
  std::vector<Found<T>> found;
  for (auto [label, i] : positions) {
    const T *box = boxes.data() + 4 * i;
    found.push_back(
        {label, scores[static_cast<size_t>(label * count + i)], {box[0], box[1], box[2], box[3]}});
  }
  return found;
}

template <class T> Result<void> localityAwareNms(Call &call, const SelectionAttributes &attributes) {
  const View &boxes = call.input(0), &scores = call.input(1);
  if (boxes.rank() != 3 || scores.rank() != 3 || boxes.dims[2] != 4 || scores.dims[0] != boxes.dims[0] ||
      scores.dims[2] != boxes.dims[1] || scores.dtype != boxes.dtype)
    return failure("the boxes are {} and the scores {}; expected [N, M, 4] and [N, classes, M]",
                   describe(boxes.dtype, boxes.dims), describe(scores.dtype, scores.dims));
  int64_t count = boxes.dims[1], classes = scores.dims[1];
  std::vector<std::vector<Found<T>>> images;
  for (int64_t n = 0; n < boxes.dims[0]; ++n) {
    const T *b = boxes.as<T>() + n * count * 4, *s = scores.as<T>() + n * count * classes;
    images.push_back(detectMerged<T>({b, b + count * 4}, {s, s + count * classes}, classes, attributes));
  }
  return writeFound(call, images, /*marksNone=*/true, 0);
}

//===-- retinanet_detection_output ----------------------------------------------------------------------===//

/// Height, width and scale of an image, in the image's own pixels.
template <class T> struct ImageSize {
  T height, width, scale;
};

template <class T>
Found<T> decode(int64_t label, T score, const T *delta, const T *anchor, const ImageSize<T> &image) {
  T width = anchor[2] - anchor[0] + 1, height = anchor[3] - anchor[1] + 1;
  T x = delta[0] * width + anchor[0] + width / 2, y = delta[1] * height + anchor[1] + height / 2;
  T halfWidth = std::exp(delta[2]) * width / 2, halfHeight = std::exp(delta[3]) * height / 2;
  T corners[4] = {x - halfWidth, y - halfHeight, x + halfWidth - 1, y + halfHeight - 1};
  Found<T> found{label, score, {}};
  for (int64_t i = 0; i < 4; ++i) {
    T most = (i % 2 == 0 ? image.width : image.height) - 1;
    found.box[i] = std::max(std::min(corners[i] / image.scale, most), T(0));
  }
  return found;
}

/// The best pairs of a box and a class of one image and level.
template <class T>
void decodeLevel(Call &call, size_t levels, size_t level, int64_t n, const SelectionAttributes &attributes,
                 std::vector<std::vector<Found<T>>> &byClass) {
  const View &boxes = call.input(level), &scores = call.input(levels + level),
             &anchors = call.input(2 * levels + level);
  const T *info = call.input(3 * levels).as<T>() + n * call.input(3 * levels).dims[1];
  ImageSize<T> image{std::round(info[0] / info[2]), std::round(info[1] / info[2]), info[2]};
  int64_t count = boxes.dims[1], classes = scores.dims[2];
  const T *s = scores.as<T>() + n * count * classes, *b = boxes.as<T>() + n * count * 4;
  auto threshold = level + 1 < levels ? static_cast<T>(attributes.scoreThreshold) : T(0);
  std::vector<int64_t> best;
  for (int64_t i = 0; i < count * classes; ++i)
    if (s[i] > threshold)
      best.push_back(i);
  std::stable_sort(best.begin(), best.end(), [&](int64_t x, int64_t y) { return s[x] > s[y]; });
  cut(best, attributes.topK);
  for (int64_t i : best)
    byClass[static_cast<size_t>(i % classes)].push_back(
        decode(i % classes, s[i], b + i / classes * 4, anchors.as<T>() + i / classes * 4, image));
}

Result<void> checkLevels(Call &call, size_t levels) {
  const View &info = call.input(3 * levels);
  for (size_t i = 0; i < levels; ++i) {
    const View &boxes = call.input(i), &scores = call.input(levels + i),
               &anchors = call.input(2 * levels + i);
    bool fits = boxes.rank() == 3 && scores.rank() == 3 && anchors.rank() == 2 && boxes.dims[2] == 4 &&
                anchors.dims[1] == 4 && scores.dims[0] == boxes.dims[0] && scores.dims[1] == boxes.dims[1] &&
                anchors.dims[0] == boxes.dims[1] && scores.dims[2] == call.input(levels).dims[2] &&
                boxes.dims[0] == call.input(0).dims[0];
    for (const View *view : {&scores, &anchors, &info})
      fits = fits && view->dtype == boxes.dtype;
    if (!fits)
      return failure("the boxes {}, scores {} and anchors {} of level {} do not fit each other",
                     describe(boxes.dtype, boxes.dims), describe(scores.dtype, scores.dims),
                     describe(anchors.dtype, anchors.dims), i);
  }
  if (info.rank() != 2 || info.dims[1] < 3 || info.dims[0] != call.input(0).dims[0])
    return failure("im_info is {}; expected [N, 3]", describe(info.dtype, info.dims));
  return {};
}

template <class T> Result<void> retinanetDetectionOutput(Call &call, const SelectionAttributes &attributes) {
  size_t levels = (call.inputCount() - 1) / 3;
  if (Result<void> checked = checkLevels(call, levels); !checked)
    return checked;
  std::vector<std::vector<Found<T>>> images;
  for (int64_t n = 0; n < call.input(0).dims[0]; ++n) {
    std::vector<std::vector<Found<T>>> byClass(static_cast<size_t>(call.input(levels).dims[2]));
    for (size_t level = 0; level < levels; ++level)
      decodeLevel(call, levels, level, n, attributes, byClass);
    std::vector<Found<T>> &all = images.emplace_back();
    for (auto &list : byClass) {
      std::stable_sort(list.begin(), list.end(), isBetter<T>);
      for (int64_t stays : suppress(list, attributes))
        all.push_back(list[static_cast<size_t>(stays)]);
    }
    std::stable_sort(all.begin(), all.end(), isBetter<T>);
    cut(all, attributes.keepTopK);
  }
  return writeFound(call, images, /*marksNone=*/false, 1);
}

//===-- box_decoder_and_assign --------------------------------------------------------------------------===//

template <class T> Result<void> boxDecoderAndAssign(Call &call, double most) {
  const View &priors = call.input(0), &variances = call.input(1), &targets = call.input(2),
             &scores = call.input(3);
  bool fits = priors.rank() == 2 && targets.rank() == 2 && scores.rank() == 2 && priors.dims[1] == 4 &&
              variances.size() == 4 && targets.dims[0] == priors.dims[0] &&
              scores.dims[0] == priors.dims[0] && targets.dims[1] == 4 * scores.dims[1];
  for (const View *view : {&variances, &targets, &scores})
    fits = fits && view->dtype == priors.dtype;
  if (!fits)
    return failure("the prior boxes {}, targets {} and scores {} do not fit each other",
                   describe(priors.dtype, priors.dims), describe(targets.dtype, targets.dims),
                   describe(scores.dtype, scores.dims));
  int64_t rows = priors.dims[0], classes = scores.dims[1];
  const int64_t assignedDims[] = {rows, 4};
  OutputMemory memory;
  Result<View> decoded = memory.get(call, 0, priors.dtype, targets.dims),
               assigned = memory.get(call, 1, priors.dtype, assignedDims);
  if (!decoded || !assigned)
    return decoded ? assigned.diagnostics() : decoded.diagnostics();
  const T *v = variances.as<T>();
  auto bound = static_cast<T>(static_cast<float>(most));
  for (int64_t i = 0; i < rows; ++i) {
    const T *prior = priors.as<T>() + 4 * i, *target = targets.as<T>() + 4 * i * classes,
            *score = scores.as<T>() + i * classes;
    T width = prior[2] - prior[0] + 1, height = prior[3] - prior[1] + 1;
    T *boxes = decoded->template as<T>() + 4 * i * classes;
    const T *best = prior;
    T bestScore = -1;
    for (int64_t j = 0; j < classes; ++j, target += 4) {
      T x = v[0] * target[0] * width + prior[0] + width / 2,
        y = v[1] * target[1] * height + prior[1] + height / 2;
      T halfWidth = std::exp(std::min(v[2] * target[2], bound)) * width / 2;
      T halfHeight = std::exp(std::min(v[3] * target[3], bound)) * height / 2;
      T *box = boxes + 4 * j;
      box[0] = x - halfWidth;
      box[1] = y - halfHeight;
      box[2] = x + halfWidth - 1;
      box[3] = y + halfHeight - 1;
      if (j > 0 && score[j] > bestScore) {
        bestScore = score[j];
        best = box;
      }
    }
    std::copy_n(best, 4, assigned->template as<T>() + 4 * i);
  }
  return {};
}

//===-- mine_hard_examples ------------------------------------------------------------------------------===//

struct MiningAttributes {
  double ratio = 1, distance = 0.5;
  int64_t samples = 0;
  bool isHard = false;
};

/// The boxes of one image that are selected, in ascending order.
template <class T>
std::vector<int64_t> mine(const MiningAttributes &attributes, const T *classLoss, const T *placeLoss,
                          const int32_t *matches, const T *distances, int64_t count) {
  std::vector<std::pair<T, int64_t>> losses;
  int64_t matched = 0;
  for (int64_t m = 0; m < count; ++m) {
    matched += matches[m] != -1;
    if (!attributes.isHard && !(matches[m] == -1 && distances[m] < static_cast<T>(attributes.distance)))
      continue;
    losses.emplace_back(attributes.isHard && placeLoss ? classLoss[m] + placeLoss[m] : classLoss[m], m);
  }
  std::stable_sort(losses.begin(), losses.end(),
                   [](const auto &a, const auto &b) { return a.first > b.first; });
  auto ratio = static_cast<float>(attributes.ratio);
  cut(losses,
      attributes.isHard ? attributes.samples : static_cast<int64_t>(static_cast<float>(matched) * ratio));
  std::vector<int64_t> selected;
  for (const auto &[loss, m] : losses)
    selected.push_back(m);
  std::sort(selected.begin(), selected.end());
  return selected;
}

template <class T> Result<void> mineHardExamples(Call &call, const MiningAttributes &attributes) {
  const View &classLoss = call.input(0), &matches = call.input(1), &distances = call.input(2),
             &placeLoss = call.input(3);
  bool fits = matches.rank() == 2 && matches.dtype == DType::Int32 && distances.dtype == classLoss.dtype &&
              classLoss.size() == matches.size() && distances.size() == matches.size() &&
              (!placeLoss || (placeLoss.size() == matches.size() && placeLoss.dtype == classLoss.dtype));
  if (!fits)
    return failure("the losses {}, matches {} and distances {} do not fit each other",
                   describe(classLoss.dtype, classLoss.dims), describe(matches.dtype, matches.dims),
                   describe(distances.dtype, distances.dims));
  int64_t count = matches.dims[1];
  std::vector<int32_t> negatives, updated(matches.as<int32_t>(), matches.as<int32_t>() + matches.size());
  std::vector<int64_t> ends{0};
  for (int64_t n = 0; n < matches.dims[0]; ++n) {
    int64_t first = n * count;
    int32_t *match = updated.data() + first;
    std::vector<int64_t> selected =
        mine<T>(attributes, classLoss.as<T>() + first, placeLoss ? placeLoss.as<T>() + first : nullptr, match,
                distances.as<T>() + first, count);
    for (int64_t m : selected)
      if (!attributes.isHard || match[m] <= -1)
        negatives.push_back(static_cast<int32_t>(m));
    for (int64_t m = 0; attributes.isHard && m < count; ++m)
      if (match[m] > -1 && !std::binary_search(selected.begin(), selected.end(), m))
        match[m] = -1;
    ends.push_back(static_cast<int64_t>(negatives.size()));
  }
  const int64_t rowDims[] = {ends.back(), 1}, endDims[] = {static_cast<int64_t>(ends.size())};
  OutputMemory memory;
  Result<View> rows = memory.get(call, 0, DType::Int32, rowDims),
               offsets = memory.get(call, 1, DType::Int64, endDims),
               out = memory.get(call, 2, DType::Int32, matches.dims);
  for (const Result<View> *result : {&rows, &offsets, &out})
    if (!*result)
      return result->diagnostics();
  std::copy(negatives.begin(), negatives.end(), rows->template as<int32_t>());
  std::copy(ends.begin(), ends.end(), offsets->template as<int64_t>());
  std::copy(updated.begin(), updated.end(), out->template as<int32_t>());
  return {};
}

//===-- similarity_focus --------------------------------------------------------------------------------===//

template <class T>
Result<void> similarityFocus(Call &call, size_t axis, const std::vector<int64_t> &indexes) {
  const View &x = call.input(0);
  if (x.rank() != 4)
    return failure("x is {}; expected rank 4", describe(x.dtype, x.dims));
  Result<View> out = call.output(0, x.dims);
  if (!out)
    return out.diagnostics();
  std::fill_n(out->template as<T>(), x.size(), T(0));
  size_t rowAxis = axis == 1 ? 2 : 1, columnAxis = axis == 3 ? 2 : 3;
  const int64_t strides[] = {x.dims[1] * x.dims[2] * x.dims[3], x.dims[2] * x.dims[3], x.dims[3], 1};
  int64_t rows = x.dims[rowAxis], columns = x.dims[columnAxis];
  auto position = [&](int64_t cell) {
    return cell / columns * strides[rowAxis] + cell % columns * strides[columnAxis];
  };
  for (int64_t n = 0; n < x.dims[0]; ++n)
    for (int64_t index : indexes) {
      if (index < 0 || index >= x.dims[axis])
        return failure("index {} is outside of a dim of {}", index, x.dims[axis]);
      const T *slice = x.as<T>() + n * strides[0] + index * strides[axis];
      std::vector<int64_t> order(static_cast<size_t>(rows * columns));
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(),
                       [&](int64_t a, int64_t b) { return slice[position(a)] > slice[position(b)]; });
      std::vector<bool> rowHas(static_cast<size_t>(rows)), columnHas(static_cast<size_t>(columns));
      for (int64_t cell : order) {
        auto row = static_cast<size_t>(cell / columns), column = static_cast<size_t>(cell % columns);
        if (rowHas[row] || columnHas[column])
          continue;
        rowHas[row] = columnHas[column] = true;
        for (int64_t k = 0; k < x.dims[axis]; ++k)
          out->template as<T>()[n * strides[0] + k * strides[axis] + position(cell)] = T(1);
      }
    }
  return {};
}

template <class Op> SelectionAttributes selectionOf(const Op &op) {
  SelectionAttributes attributes;
  attributes.scoreThreshold = op.scoreThreshold;
  attributes.nmsThreshold = op.nmsThreshold;
  attributes.eta = op.nmsEta;
  attributes.topK = op.nmsTopK;
  attributes.keepTopK = op.keepTopK;
  if constexpr (requires { op.backgroundLabel; })
    attributes.background = op.backgroundLabel;
  return attributes;
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeLocalityAwareNms(const LocalityAwareNmsAttributes &op,
                                                            const KernelRequest &request) {
  Checks checks(request);
  SelectionAttributes attributes = selectionOf(op);
  attributes.normalized = op.normalized;
  if (!checks.ok())
    return checks.diagnostics();
  return floatKernel(
      request, 2, [=](Call &call, auto zero) { return localityAwareNms<decltype(zero)>(call, attributes); });
}

Result<std::unique_ptr<LibraryKernel>>
makeRetinanetDetectionOutput(const RetinanetDetectionOutputAttributes &op, const KernelRequest &request) {
  Checks checks(request);
  SelectionAttributes attributes = selectionOf(op);
  attributes.normalized = false;
  if (!checks.ok())
    return checks.diagnostics();
  return floatKernel(request, 4, [=](Call &call, auto zero) {
    return retinanetDetectionOutput<decltype(zero)>(call, attributes);
  });
}

Result<std::unique_ptr<LibraryKernel>> makeBoxDecoderAndAssign(const BoxDecoderAndAssignAttributes &op,
                                                               const KernelRequest &request) {
  Checks checks(request);
  double most = op.boxClip;
  if (!checks.ok())
    return checks.diagnostics();
  return floatKernel(request, 4,
                     [=](Call &call, auto zero) { return boxDecoderAndAssign<decltype(zero)>(call, most); });
}

Result<std::unique_ptr<LibraryKernel>> makeMineHardExamples(const MineHardExamplesAttributes &op,
                                                            const KernelRequest &request) {
  Checks checks(request);
  MiningAttributes attributes;
  attributes.ratio = op.negPosRatio;
  attributes.distance = op.negDistThreshold;
  attributes.samples = op.sampleSize;
  attributes.isHard = op.miningType == MiningType::HardExample;
  if (!checks.ok())
    return checks.diagnostics();
  return floatKernel(
      request, 1, [=](Call &call, auto zero) { return mineHardExamples<decltype(zero)>(call, attributes); });
}

Result<std::unique_ptr<LibraryKernel>> makeSimilarityFocus(const SimilarityFocusAttributes &op,
                                                           const KernelRequest &request) {
  Checks checks(request);
  int64_t axis = op.axis;
  std::vector<int64_t> indexes = op.indexes;
  checks.expect(axis >= 1 && axis <= 3, "axis must be 1, 2 or 3");
  if (!checks.ok())
    return checks.diagnostics();
  return floatKernel(request, 1, [=](Call &call, auto zero) {
    return similarityFocus<decltype(zero)>(call, static_cast<size_t>(axis), indexes);
  });
}

} // namespace proa::runtime
