/// The library kernels "rpn_target_assign" (anchors, true boxes, crowds, image sizes, offsets) and
/// "retinanet_target_assign" (the same, and labels). dialects/pd/ops/detection/Targets.td says what they
/// compute.
#include "lib/runtime/kernels/detection/Targets.h"

#include "dialects/pd/ops/detection/Targets.kernels.inc"

#include <algorithm>
#include <limits>
#include <numeric>

namespace proa::runtime {
namespace {

struct AnchorAttributes {
  double positive = 0.7, negative = 0.3, fraction = -1, straddle = -1;
  int64_t samples = -1;
  bool random = false;

  bool limitsSamples() const { return fraction > 0 && samples > 0; }
};

/// The overlaps of the anchors of one image that count with its true boxes.
template <class T> struct Overlaps {
  std::vector<T> values; ///< [anchors, boxes]
  std::vector<T> ofAnchor, ofBox;
  std::vector<size_t> boxOfAnchor;
  size_t boxes;

  Overlaps(const std::vector<const T *> &anchors, const std::vector<T> &corners)
      : ofAnchor(anchors.size(), std::numeric_limits<T>::lowest()),
        ofBox(corners.size() / 4, std::numeric_limits<T>::lowest()), boxOfAnchor(anchors.size()),
        boxes(corners.size() / 4) {
    for (size_t i = 0; i < anchors.size(); ++i)
      for (size_t j = 0; j < boxes; ++j) {
        T overlap = values.emplace_back(pixelOverlap(anchors[i], corners.data() + 4 * j));
        ofBox[j] = std::max(ofBox[j], overlap);
        if (overlap > ofAnchor[i]) {
          ofAnchor[i] = overlap;
          boxOfAnchor[i] = j;
        }
      }
  }

  bool isBestOfSomeBox(size_t anchor) const {
    for (size_t j = 0; j < boxes; ++j)
      if (std::abs(values[anchor * boxes + j] - ofBox[j]) < T(1e-5f))
        return true;
    return false;
  }
};

/// The anchors of one image by their role in the training.
template <class T> struct Assignment {
  std::vector<size_t> located, positive, negative;
  std::vector<T> weights; ///< one for each of `located`
};

template <class T>
Assignment<T> assign(const Overlaps<T> &overlaps, const AnchorAttributes &attributes,
                     std::optional<RandomStream> &random) {
  auto positiveFrom = static_cast<T>(static_cast<float>(attributes.positive)),
       negativeBelow = static_cast<T>(static_cast<float>(attributes.negative));
  std::vector<size_t> positive, negative;
  for (size_t i = 0; i < overlaps.ofAnchor.size(); ++i) {
    if (overlaps.ofAnchor[i] >= positiveFrom || overlaps.isBestOfSomeBox(i))
      positive.push_back(i);
    if (overlaps.ofAnchor[i] < negativeBelow)
      negative.push_back(i);
  }
  if (attributes.limitsSamples()) {
    auto share = static_cast<float>(attributes.fraction) * static_cast<float>(attributes.samples);
    keepSample(positive, static_cast<int64_t>(share), random);
    keepSample(negative, attributes.samples - static_cast<int64_t>(positive.size()), random);
  }
  enum class Use : uint8_t { None, Positive, Negative };
  std::vector<Use> uses(overlaps.ofAnchor.size(), Use::None);
  for (size_t i : positive)
    uses[i] = Use::Positive;
  Assignment<T> out;
  for (size_t i : negative) {
    if (uses[i] == Use::Positive) {
      out.located.push_back(positive.front());
      out.weights.push_back(0);
    }
    uses[i] = Use::Negative;
  }
  for (size_t i = 0; i < uses.size(); ++i)
    if (uses[i] == Use::Positive)
      out.positive.push_back(i);
    else if (uses[i] == Use::Negative)
      out.negative.push_back(i);
  out.located.insert(out.located.end(), out.positive.begin(), out.positive.end());
  out.weights.resize(out.located.size(), T(1));
  return out;
}

/// The results of all images.
template <class T> struct AnchorResults {
  std::vector<int64_t> located, scored, labels, counts, locatedEnds{0}, scoredEnds{0};
  std::vector<T> deltas, weights;
};

/// The operands, checked.
template <class T> struct AnchorInputs {
  const T *anchors, *boxes, *sizes;
  int64_t anchorCount;
  std::vector<int64_t> crowds, labels, offsets;

  static Result<AnchorInputs> check(Call &call) {
    const View &anchors = call.input(0), &boxes = call.input(1), &sizes = call.input(3);
    for (const View *view : {&anchors, &boxes})
      if (view->rank() != 2 || view->dims[1] != 4 || view->dtype != anchors.dtype)
        return failure("the anchors are {}, the boxes {}; expected [n, 4] of one dtype",
                       describe(anchors.dtype, anchors.dims), describe(boxes.dtype, boxes.dims));
    Result<std::vector<int64_t>> offsets = checkedOffsets(call.input(4), boxes.dims[0]);
    Result<std::vector<int64_t>> crowds = integersOf(call.input(2)), labels = std::vector<int64_t>();
    if (call.input(5))
      labels = integersOf(call.input(5));
    for (const auto *list : {&offsets, &crowds, &labels})
      if (!*list)
        return list->diagnostics();
    auto images = static_cast<int64_t>(offsets->size()) - 1;
    if (sizes.rank() != 2 || sizes.dims[0] != images || sizes.dims[1] != 3 || sizes.dtype != anchors.dtype)
      return failure("im_info is {}; expected [{}, 3]", describe(sizes.dtype, sizes.dims), images);
    auto count = static_cast<size_t>(boxes.dims[0]);
    if (crowds->size() != count || (call.input(5) && labels->size() != count))
      return failure("there are {} boxes, {} marks of crowds and {} labels", count, crowds->size(),
                     labels->size());
    return AnchorInputs{anchors.as<T>(),    boxes.as<T>(),      sizes.as<T>(),      anchors.dims[0],
                        std::move(*crowds), std::move(*labels), std::move(*offsets)};
  }

  /// The numbers of the boxes of an image that are no crowd.
  std::vector<size_t> boxesOf(size_t image) const {
    std::vector<size_t> out;
    for (auto i = static_cast<size_t>(offsets[image]); i < static_cast<size_t>(offsets[image + 1]); ++i)
      if (crowds[i] == 0)
        out.push_back(i);
    return out;
  }

  /// The numbers of the anchors that do not leave the image too far.
  std::vector<int64_t> anchorsOf(size_t image, double straddle) const {
    const T *size = sizes + 3 * image;
    auto margin = static_cast<T>(static_cast<float>(straddle));
    std::vector<int64_t> out;
    for (int64_t i = 0; i < anchorCount; ++i) {
      const T *box = anchors + 4 * i;
      if (straddle < 0 ||
          (box[0] >= -margin && box[1] >= -margin && box[2] < size[1] + margin && box[3] < size[0] + margin))
        out.push_back(i);
    }
    return out;
  }
};

template <class T>
void assignImage(const AnchorInputs<T> &inputs, size_t image, const AnchorAttributes &attributes,
                 std::optional<RandomStream> &random, AnchorResults<T> &results) {
  std::vector<int64_t> counted = inputs.anchorsOf(image, attributes.straddle);
  std::vector<size_t> boxes = inputs.boxesOf(image);
  std::vector<const T *> anchors;
  for (int64_t i : counted)
    anchors.push_back(inputs.anchors + 4 * i);
  std::vector<T> corners;
  for (size_t i : boxes)
    for (size_t k = 0; k < 4; ++k)
      corners.push_back(inputs.boxes[4 * i + k] * inputs.sizes[3 * image + 2]);
  Overlaps<T> overlaps(anchors, corners);
  Assignment<T> assigned = assign(overlaps, attributes, random);
  int64_t first = static_cast<int64_t>(image) * inputs.anchorCount;
  for (size_t k = 0; k < assigned.located.size(); ++k) {
    size_t i = assigned.located[k];
    results.located.push_back(first + counted[i]);
    results.weights.insert(results.weights.end(), 4, assigned.weights[k]);
    T delta[4];
    boxDelta<T>(anchors[i], corners.data() + 4 * overlaps.boxOfAnchor[i], nullptr, delta);
    results.deltas.insert(results.deltas.end(), delta, delta + 4);
  }
  for (size_t i : assigned.positive) {
    results.scored.push_back(first + counted[i]);
    results.labels.push_back(inputs.labels.empty() ? 1 : inputs.labels[boxes[overlaps.boxOfAnchor[i]]]);
  }
  for (size_t i : assigned.negative) {
    results.scored.push_back(first + counted[i]);
    results.labels.push_back(0);
  }
  results.counts.push_back(static_cast<int64_t>(assigned.located.size()) + 1);
  results.locatedEnds.push_back(static_cast<int64_t>(results.located.size()));
  results.scoredEnds.push_back(static_cast<int64_t>(results.scored.size()));
}

template <class T> Result<void> assignTargets(Call &call, const AnchorAttributes &attributes) {
  Result<AnchorInputs<T>> inputs = AnchorInputs<T>::check(call);
  if (!inputs)
    return inputs.diagnostics();
  size_t images = inputs->offsets.size() - 1;
  std::optional<RandomStream> random;
  RandomCall draw = attributes.random ? call.random().next() : RandomCall();
  AnchorResults<T> results;
  for (size_t image = 0; image < images; ++image) {
    if (attributes.random)
      random.emplace(draw, image);
    assignImage(*inputs, image, attributes, random, results);
  }
  std::vector<int64_t> numbers(images + 1);
  std::iota(numbers.begin(), numbers.end(), 0);
  int64_t located = results.locatedEnds.back(), scored = results.scoredEnds.back(),
          count = static_cast<int64_t>(images), ends = count + 1;
  using Dims = std::vector<int64_t>;
  for (const Result<void> &written : {writeOutput<int32_t>(call, 0, Dims{located}, results.located),
                                      writeOutput<int32_t>(call, 1, Dims{scored}, results.scored),
                                      writeOutput<T>(call, 2, Dims{located, 4}, results.deltas),
                                      writeOutput<int32_t>(call, 3, Dims{scored, 1}, results.labels),
                                      writeOutput<T>(call, 4, Dims{located, 4}, results.weights),
                                      writeOutput<int64_t>(call, 5, Dims{ends}, results.locatedEnds),
                                      writeOutput<int64_t>(call, 6, Dims{ends}, results.scoredEnds),
                                      writeOutput<int32_t>(call, 7, Dims{count, 1}, results.counts),
                                      writeOutput<int64_t>(call, 8, Dims{ends}, numbers)})
    if (!written)
      return written;
  return {};
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeRpnTargetAssign(const RpnTargetAssignAttributes &op,
                                                           const KernelRequest &request) {
  Checks checks(request);
  AnchorAttributes attributes;
  attributes.positive = op.rpnPositiveOverlap;
  attributes.negative = op.rpnNegativeOverlap;
  attributes.fraction = op.rpnFgFraction;
  attributes.straddle = op.rpnStraddleThresh;
  attributes.samples = op.rpnBatchSizePerIm;
  attributes.random = op.useRandom;
  if (!checks.ok())
    return checks.diagnostics();
  return floatKernel(request, 5,
                     [=](Call &call, auto zero) { return assignTargets<decltype(zero)>(call, attributes); });
}

Result<std::unique_ptr<LibraryKernel>> makeRetinanetTargetAssign(const RetinanetTargetAssignAttributes &op,
                                                                 const KernelRequest &request) {
  Checks checks(request);
  AnchorAttributes attributes;
  attributes.positive = op.positiveOverlap;
  attributes.negative = op.negativeOverlap;
  if (!checks.ok())
    return checks.diagnostics();
  return floatKernel(request, 6,
                     [=](Call &call, auto zero) { return assignTargets<decltype(zero)>(call, attributes); });
}

} // namespace proa::runtime
