/// The library kernels that match, select and distribute boxes: nms (boxes), bipartite_match (distances,
/// offsets), generate_proposals (scores, deltas, image sizes, anchors, variances), distribute_fpn_proposals
/// (boxes, boxes_num) and collect_fpn_proposals (boxes and scores of all levels, their counts).
/// Matching.td, Nms.td and Proposals.td of dialects/pd/ops/detection say what they compute.
#include "lib/runtime/kernels/detection/Boxes.h"
#include "lib/runtime/kernels/sequence/Sequences.h"

#include "dialects/pd/ops/detection/Matching.kernels.inc"
#include "dialects/pd/ops/detection/Nms.kernels.inc"
#include "dialects/pd/ops/detection/Proposals.kernels.inc"

#include <cmath>

namespace proa::runtime {
namespace {

template <class T> void storeInts(const View &view, std::span<const T> values) {
  for (size_t i = 0; i < values.size(); ++i)
    if (view.dtype == DType::Int64)
      view.as<int64_t>()[i] = static_cast<int64_t>(values[i]);
    else
      view.as<int32_t>()[i] = static_cast<int32_t>(values[i]);
}

template <class T> void storeInts(const View &view, const std::vector<T> &values) {
  storeInts(view, std::span<const T>(values));
}

//===-- nms ---------------------------------------------------------------------------------------------===//

Result<void> checkBoxes(const View &boxes) {
  if (boxes.rank() != 2 || boxes.dims[1] != 4)
    return failure("the boxes are {}; expected [R, 4]", describe(boxes.dtype, boxes.dims));
  return {};
}

template <class T> Result<void> nms(Call &call, double threshold) {
  const View &boxes = call.input(0);
  if (Result<void> checked = checkBoxes(boxes); !checked)
    return checked;
  const T *corners = boxes.as<T>();
  std::vector<int64_t> taken = nonMaximumSuppression<T>(
      static_cast<size_t>(boxes.dims[0]), [&](int64_t i) { return corners + 4 * i; }, threshold, 1.0, true);
  const int64_t dims[] = {static_cast<int64_t>(taken.size())};
  Result<View> out = call.output(0, dims);
  if (!out)
    return out.diagnostics();
  storeInts(*out, taken);
  return {};
}

//===-- bipartite_match ---------------------------------------------------------------------------------===//

/// Pairs of a row and a column, the greatest distance first, each row and each column once. Distances below
/// this are none.
constexpr double leastDistance = 1e-6;

template <class T>
void matchPairs(const T *distances, int64_t rows, int64_t columns, int32_t *match, T *matched) {
  std::vector<std::pair<T, int64_t>> pairs;
  for (int64_t i = 0; i < rows * columns; ++i)
    if (distances[i] >= static_cast<T>(leastDistance))
      pairs.emplace_back(distances[i], i);
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const auto &a, const auto &b) { return a.first > b.first; });
  std::vector<bool> used(static_cast<size_t>(rows));
  for (auto [distance, i] : pairs) {
    auto row = static_cast<size_t>(i / columns);
    int64_t column = i % columns;
    if (match[column] != -1 || used[row])
      continue;
    match[column] = static_cast<int32_t>(row);
    matched[column] = distance;
    used[row] = true;
  }
}

/// Columns without a pair get the row of their greatest distance where that is above the threshold.
template <class T>
void matchRest(const T *distances, int64_t rows, int64_t columns, T threshold, int32_t *match, T *matched) {
  for (int64_t column = 0; column < columns; ++column) {
    if (match[column] != -1)
      continue;
    T best = -1;
    for (int64_t row = 0; row < rows; ++row) {
      T distance = distances[row * columns + column];
      if (distance < static_cast<T>(leastDistance) || distance < threshold || distance <= best)
        continue;
      best = distance;
      match[column] = static_cast<int32_t>(row);
      matched[column] = distance;
    }
  }
}

template <class T> Result<void> bipartiteMatch(Call &call, bool perPrediction, double threshold) {
  const View &distances = call.input(0), &offsets = call.input(1);
  if (distances.rank() != 2)
    return failure("the distances are {}; expected a matrix", describe(distances.dtype, distances.dims));
  int64_t columns = distances.dims[1];
  std::vector<SequenceSpan> spans{{0, distances.dims[0]}};
  if (offsets) {
    Result<std::vector<SequenceSpan>> given = sequenceSpans(distances, View(), offsets);
    if (!given)
      return given.diagnostics();
    spans = std::move(*given);
  }
  const int64_t dims[] = {static_cast<int64_t>(spans.size()), columns};
  OutputMemory memory;
  Result<View> indices = memory.get(call, 0, DType::Int32, dims),
               values = memory.get(call, 1, distances.dtype, dims);
  for (const Result<View> *result : {&indices, &values})
    if (!*result)
      return result->diagnostics();
  std::fill_n(indices->as<int32_t>(), indices->size(), -1);
  std::fill_n(values->template as<T>(), values->size(), T(0));
  for (size_t i = 0; i < spans.size(); ++i) {
    const T *own = distances.as<T>() + spans[i].begin * columns;
    int32_t *match = indices->as<int32_t>() + static_cast<int64_t>(i) * columns;
    T *matched = values->template as<T>() + static_cast<int64_t>(i) * columns;
    matchPairs(own, spans[i].length, columns, match, matched);
    if (perPrediction)
      matchRest(own, spans[i].length, columns, static_cast<T>(threshold), match, matched);
  }
  return {};
}

//===-- generate_proposals ------------------------------------------------------------------------------===//

struct ProposalAttributes {
  int64_t preTopN = 6000, postTopN = 1000;
  double threshold = 0.5, minSize = 0.1, eta = 1;
  bool pixelOffset = true;
  bool scaled =
      false; ///< the image sizes have a third number, the scale, and sizes of boxes are those before it
};

template <class T> struct ImageProposals {
  std::vector<T> boxes, scores; ///< the best first
};

template <class T> class ProposalMaker {
public:
  ProposalMaker(const ProposalAttributes &attributes, Call &call)
      : attributes(attributes), scores(call.input(0)), deltas(call.input(1)), sizes(call.input(2)),
        anchors(call.input(3).as<T>()), variances(call.input(4)),
        pixel(attributes.pixelOffset ? T(1) : T(0)) {}

  ImageProposals<T> make(int64_t image) const {
    ImageProposals<T> out;
    const T *size = sizes.as<T>() + image * sizes.dims[1];
    for (int64_t i : bestAnchors(image)) {
      T box[4];
      decode(image, i, box);
      clip(box, size);
      if (!isLargeEnough(box, size))
        continue;
      out.boxes.insert(out.boxes.end(), box, box + 4);
      out.scores.push_back(scoreOf(image, i));
    }
    if (out.scores.empty()) // as Paddle: one box that says that there is none
      return {{0, 0, 0, 0}, {0}};
    if (attributes.threshold > 0)
      select(out);
    return out;
  }

private:
  int64_t anchorCount() const { return scores.dims[1]; }
  int64_t plane() const { return scores.dims[2] * scores.dims[3]; }
  /// Anchors are numbered place by place, as in `anchors` [H, W, A, 4]; scores and deltas are [N, A, H, W].
  T scoreOf(int64_t image, int64_t i) const {
    return scores.as<T>()[(image * anchorCount() + i % anchorCount()) * plane() + i / anchorCount()];
  }

  std::vector<int64_t> bestAnchors(int64_t image) const {
    std::vector<int64_t> order(static_cast<size_t>(anchorCount() * plane()));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t a, int64_t b) { return scoreOf(image, a) > scoreOf(image, b); });
    if (attributes.preTopN > 0 && static_cast<int64_t>(order.size()) > attributes.preTopN)
      order.resize(static_cast<size_t>(attributes.preTopN));
    return order;
  }

  void decode(int64_t image, int64_t i, T *box) const {
    const T *anchor = anchors + 4 * i;
    T value[4];
    for (int64_t k = 0; k < 4; ++k) {
      int64_t channel = (image * anchorCount() + i % anchorCount()) * 4 + k;
      value[k] = deltas.as<T>()[channel * plane() + i / anchorCount()] *
                 (variances ? variances.as<T>()[4 * i + k] : T(1));
    }
    T width = anchor[2] - anchor[0] + pixel, height = anchor[3] - anchor[1] + pixel;
    T x = anchor[0] + width / 2 + value[0] * width, y = anchor[1] + height / 2 + value[1] * height;
    T most = static_cast<T>(std::log(1000.0 / 16.0)); // keeps exponentials finite
    width *= std::exp(std::min(value[2], most));
    height *= std::exp(std::min(value[3], most));
    box[0] = x - width / 2;
    box[1] = y - height / 2;
    box[2] = x + width / 2 - pixel;
    box[3] = y + height / 2 - pixel;
  }

  void clip(T *box, const T *size) const {
    for (int64_t k = 0; k < 4; ++k)
      box[k] = std::max(std::min(box[k], size[k % 2 == 0 ? 1 : 0] - pixel), T(0));
  }

  bool isLargeEnough(const T *box, const T *size) const {
    T least = std::max(static_cast<T>(attributes.minSize), T(1));
    T width = box[2] - box[0] + pixel, height = box[3] - box[1] + pixel;
    if (!attributes.pixelOffset)
      return width >= least && height >= least;
    T x = box[0] + width / 2, y = box[1] + height / 2;
    if (attributes.scaled) {
      width = (box[2] - box[0]) / size[2] + 1;
      height = (box[3] - box[1]) / size[2] + 1;
    }
    return width >= least && height >= least && x <= size[1] && y <= size[0];
  }

  void select(ImageProposals<T> &found) const {
    std::vector<int64_t> taken = nonMaximumSuppression<T>(
        found.scores.size(), [&](int64_t i) { return found.boxes.data() + 4 * i; }, attributes.threshold,
        attributes.eta, !attributes.pixelOffset);
    if (attributes.postTopN > 0 && static_cast<int64_t>(taken.size()) > attributes.postTopN)
      taken.resize(static_cast<size_t>(attributes.postTopN));
    ImageProposals<T> out;
    for (int64_t i : taken) {
      out.boxes.insert(out.boxes.end(), found.boxes.begin() + 4 * i, found.boxes.begin() + 4 * i + 4);
      out.scores.push_back(found.scores[static_cast<size_t>(i)]);
    }
    found = std::move(out);
  }

  const ProposalAttributes &attributes;
  const View &scores, &deltas, &sizes;
  const T *anchors;
  const View &variances;
  T pixel;
};

template <class T> Result<void> generateProposals(Call &call, const ProposalAttributes &attributes) {
  const View &scores = call.input(0), &deltas = call.input(1), &sizes = call.input(2),
             &anchors = call.input(3), &variances = call.input(4);
  bool fits = scores.rank() == 4 && deltas.rank() == 4 && deltas.size() == 4 * scores.size() &&
              sizes.rank() == 2 && sizes.dims[0] == scores.dims[0] &&
              sizes.dims[1] >= (attributes.scaled ? 3 : 2);
  if (fits)
    fits = anchors.size() == scores.size() / std::max<int64_t>(1, scores.dims[0]) * 4 &&
           (!variances || variances.size() == anchors.size());
  for (const View *other : {&deltas, &sizes, &anchors, &variances})
    fits = fits && (!*other || other->dtype == scores.dtype);
  auto text = [](const View &view) { return view ? describe(view.dtype, view.dims) : std::string("none"); };
  if (!fits)
    return failure("scores {}, deltas {}, image sizes {}, anchors {} and variances {} do not fit",
                   text(scores), text(deltas), text(sizes), text(anchors), text(variances));
  ProposalMaker<T> maker(attributes, call);
  std::vector<T> boxes, probabilities;
  std::vector<int64_t> counts;
  for (int64_t image = 0; image < scores.dims[0]; ++image) {
    ImageProposals<T> found = maker.make(image);
    boxes.insert(boxes.end(), found.boxes.begin(), found.boxes.end());
    probabilities.insert(probabilities.end(), found.scores.begin(), found.scores.end());
    counts.push_back(static_cast<int64_t>(found.scores.size()));
  }
  const int64_t boxDims[] = {static_cast<int64_t>(probabilities.size()), 4}, scoreDims[] = {boxDims[0], 1},
                imageDims[] = {scores.dims[0]};
  OutputMemory memory;
  Result<View> rois = memory.get(call, 0, scores.dtype, boxDims),
               chosen = memory.get(call, 1, scores.dtype, scoreDims);
  Result<View> number = memory.get(call, 2, DType::Int32, imageDims);
  for (const Result<View> *result : {&rois, &chosen, &number})
    if (!*result)
      return result->diagnostics();
  std::copy(boxes.begin(), boxes.end(), rois->template as<T>());
  std::copy(probabilities.begin(), probabilities.end(), chosen->template as<T>());
  storeInts(*number, counts);
  return {};
}

//===-- Levels of a feature pyramid ---------------------------------------------------------------------===//

struct LevelAttributes {
  int64_t least = 2, most = 5, reference = 4, scale = 224;
  bool pixelOffset = true;
};

/// The image of each of `count` boxes.
Result<std::vector<int64_t>> imagesOfBoxes(const View &perImage, int64_t count) {
  std::vector<int64_t> images;
  if (!perImage)
    return std::vector<int64_t>(static_cast<size_t>(count), 0);
  Result<std::vector<int64_t>> given = integersOf(perImage);
  if (!given)
    return given;
  for (size_t i = 0; i < given->size(); ++i)
    images.insert(images.end(), static_cast<size_t>(std::max<int64_t>(0, (*given)[i])),
                  static_cast<int64_t>(i));
  if (static_cast<int64_t>(images.size()) != count)
    return failure("the images have {} boxes, there are {}", images.size(), count);
  return images;
}

template <class T> Result<void> distributeProposals(Call &call, const LevelAttributes &attributes) {
  const View &boxes = call.input(0), &perImage = call.input(1);
  if (Result<void> checked = checkBoxes(boxes); !checked)
    return checked;
  Result<std::vector<int64_t>> images = imagesOfBoxes(perImage, boxes.dims[0]);
  if (!images)
    return images.diagnostics();
  auto levels = static_cast<size_t>(attributes.most - attributes.least + 1);
  int64_t imageCount = perImage ? perImage.size() : 1;
  std::vector<std::vector<int64_t>> chosen(levels),
      counts(levels, std::vector<int64_t>(static_cast<size_t>(imageCount)));
  for (int64_t i = 0; i < boxes.dims[0]; ++i) {
    T scale = std::sqrt(boxArea(boxes.as<T>() + 4 * i, !attributes.pixelOffset));
    T level = std::floor(std::log2(scale / static_cast<T>(attributes.scale) + T(1e-6)) +
                         static_cast<T>(attributes.reference));
    auto position = static_cast<size_t>(std::min(static_cast<T>(attributes.most),
                                                 std::max(level, static_cast<T>(attributes.least)))) -
                    static_cast<size_t>(attributes.least);
    chosen[position].push_back(i);
    ++counts[position][static_cast<size_t>((*images)[static_cast<size_t>(i)])];
  }
  OutputMemory memory;
  std::vector<int64_t> restore(static_cast<size_t>(boxes.dims[0]));
  int64_t next = 0;
  for (size_t level = 0; level < levels; ++level) {
    const int64_t dims[] = {static_cast<int64_t>(chosen[level].size()), 4}, countDims[] = {imageCount};
    Result<View> out = memory.get(call, level, boxes.dtype, dims),
                 number = memory.get(call, levels + 1 + level, DType::Int32, countDims);
    for (const Result<View> *result : {&out, &number})
      if (!*result)
        return result->diagnostics();
    for (size_t i = 0; i < chosen[level].size(); ++i) {
      std::copy_n(boxes.as<T>() + 4 * chosen[level][i], 4, out->template as<T>() + 4 * i);
      restore[static_cast<size_t>(chosen[level][i])] = next++;
    }
    storeInts(*number, counts[level]);
  }
  const int64_t restoreDims[] = {boxes.dims[0], 1};
  Result<View> index = memory.get(call, levels, DType::Int32, restoreDims);
  if (!index)
    return index.diagnostics();
  storeInts(*index, restore);
  return {};
}

template <class T> Result<void> collectProposals(Call &call, size_t levels, int64_t topN) {
  struct Candidate {
    T score;
    int64_t image;
    const T *box;
  };
  std::vector<Candidate> all;
  int64_t imageCount = 1;
  for (size_t level = 0; level < levels; ++level) {
    const View &boxes = call.input(level), &scores = call.input(levels + level),
               &counts = call.input(2 * levels + level);
    if (Result<void> checked = checkBoxes(boxes); !checked)
      return checked;
    Result<std::vector<int64_t>> images = imagesOfBoxes(counts, boxes.dims[0]);
    if (!images)
      return images.diagnostics();
    if (scores.size() != boxes.dims[0])
      return failure("there are {} scores for {} boxes", scores.size(), boxes.dims[0]);
    imageCount = counts ? counts.size() : 1;
    for (int64_t i = 0; i < boxes.dims[0]; ++i)
      all.push_back({scores.as<T>()[i], (*images)[static_cast<size_t>(i)], boxes.as<T>() + 4 * i});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Candidate &a, const Candidate &b) { return a.score > b.score; });
  if (static_cast<int64_t>(all.size()) > topN)
    all.resize(static_cast<size_t>(topN));
  std::stable_sort(all.begin(), all.end(),
                   [](const Candidate &a, const Candidate &b) { return a.image < b.image; });
  const int64_t dims[] = {static_cast<int64_t>(all.size()), 4}, countDims[] = {imageCount};
  OutputMemory memory;
  Result<View> out = memory.get(call, 0, call.input(0).dtype, dims),
               number = memory.get(call, 1, DType::Int32, countDims);
  for (const Result<View> *result : {&out, &number})
    if (!*result)
      return result->diagnostics();
  std::vector<int64_t> counts(static_cast<size_t>(imageCount));
  for (size_t i = 0; i < all.size(); ++i) {
    std::copy_n(all[i].box, 4, out->template as<T>() + 4 * i);
    ++counts[static_cast<size_t>(all[i].image)];
  }
  storeInts(*number, counts);
  return {};
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeNms(const NmsAttributes &op, const KernelRequest &request) {
  double threshold = op.threshold;
  return floatKernel(request, 1, [=](Call &call, auto zero) { return nms<decltype(zero)>(call, threshold); });
}

Result<std::unique_ptr<LibraryKernel>> makeBipartiteMatch(const BipartiteMatchAttributes &op,
                                                          const KernelRequest &request) {
  Checks checks(request);
  bool perPrediction = op.matchType == MatchType::PerPrediction;
  double threshold = op.distThreshold;
  if (!checks.ok())
    return checks.diagnostics();
  return floatKernel(request, 1, [=](Call &call, auto zero) {
    return bipartiteMatch<decltype(zero)>(call, perPrediction, threshold);
  });
}

Result<std::unique_ptr<LibraryKernel>> makeGenerateProposals(const GenerateProposalsAttributes &op,
                                                             const KernelRequest &request) {
  Checks checks(request);
  ProposalAttributes attributes;
  attributes.preTopN = op.preNmsTopN;
  attributes.postTopN = op.postNmsTopN;
  attributes.threshold = op.nmsThresh;
  attributes.minSize = op.minSize;
  attributes.eta = op.eta;
  attributes.pixelOffset = op.pixelOffset;
  attributes.scaled = op.isScaled;
  if (!checks.ok())
    return checks.diagnostics();
  return floatKernel(
      request, 4, [=](Call &call, auto zero) { return generateProposals<decltype(zero)>(call, attributes); });
}

Result<std::unique_ptr<LibraryKernel>> makeDistributeFpnProposals(const DistributeFpnProposalsAttributes &op,
                                                                  const KernelRequest &request) {
  Checks checks(request);
  LevelAttributes attributes;
  attributes.least = op.minLevel;
  attributes.most = op.maxLevel;
  attributes.reference = op.referLevel;
  attributes.scale = op.referScale;
  attributes.pixelOffset = op.pixelOffset;
  checks.expect(attributes.most >= attributes.least && attributes.scale > 0,
                "expected max_level from min_level on, and refer_scale above 0");
  if (!checks.ok())
    return checks.diagnostics();
  return floatKernel(request, 1, [=](Call &call, auto zero) {
    return distributeProposals<decltype(zero)>(call, attributes);
  });
}

Result<std::unique_ptr<LibraryKernel>> makeCollectFpnProposals(const CollectFpnProposalsAttributes &op,
                                                               const KernelRequest &request) {
  Checks checks(request);
  auto levels = static_cast<size_t>(op.levels);
  int64_t topN = op.postNmsTopn;
  if (!checks.ok())
    return checks.diagnostics();
  return floatKernel(request, 2 * levels, [=](Call &call, auto zero) {
    return collectProposals<decltype(zero)>(call, levels, topN);
  });
}

} // namespace proa::runtime
