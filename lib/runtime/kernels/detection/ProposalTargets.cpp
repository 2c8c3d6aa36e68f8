/// The library kernel "generate_proposal_labels" (regions, classes, crowds, true boxes, image sizes, offsets
/// of the regions and of the true boxes, greatest overlaps). dialects/pd/ops/detection/Targets.td says what
/// it computes.
#include "lib/runtime/kernels/detection/Targets.h"

#include "dialects/pd/ops/detection/Targets.kernels.inc"

#include <algorithm>

namespace proa::runtime {
namespace {

struct ProposalTargetAttributes {
  int64_t samples = 0, classes = 1;
  double fraction = 0, positive = 0, negativeTo = 0, negativeFrom = 0;
  std::vector<double> weights;
  bool random = true, cascade = false, agnostic = false;
};

template <class T> struct ProposalInputs {
  const T *rois, *boxes, *sizes, *overlaps;
  std::vector<int64_t> classes, crowds, roiOffsets, boxOffsets;

  static Result<ProposalInputs> check(Call &call, bool cascade) {
    const View &rois = call.input(0), &boxes = call.input(3), &sizes = call.input(4),
               &overlaps = call.input(7);
    if (rois.rank() != 2 || rois.dims[1] != 4 || boxes.rank() != 2 || boxes.dims[1] != 4 ||
        boxes.dtype != rois.dtype)
      return failure("the regions are {}, the boxes {}; expected [n, 4] of one dtype",
                     describe(rois.dtype, rois.dims), describe(boxes.dtype, boxes.dims));
    Result<std::vector<int64_t>> classes = integersOf(call.input(1)), crowds = integersOf(call.input(2)),
                                 roiOffsets = checkedOffsets(call.input(5), rois.dims[0]),
                                 boxOffsets = checkedOffsets(call.input(6), boxes.dims[0]);
    for (const auto *list : {&classes, &crowds, &roiOffsets, &boxOffsets})
      if (!*list)
        return list->diagnostics();
    auto images = static_cast<int64_t>(roiOffsets->size()) - 1;
    if (boxOffsets->size() != roiOffsets->size() || sizes.rank() != 2 || sizes.dims[0] != images ||
        sizes.dims[1] != 3 || sizes.dtype != rois.dtype)
      return failure("there are regions of {} images, boxes of {}, and im_info is {}", images,
                     boxOffsets->size() - 1, describe(sizes.dtype, sizes.dims));
    auto count = static_cast<size_t>(boxes.dims[0]);
    if (classes->size() != count || crowds->size() != count)
      return failure("there are {} boxes, {} classes and {} marks of crowds", count, classes->size(),
                     crowds->size());
    if (cascade && (overlaps.size() != rois.dims[0] || overlaps.dtype != rois.dtype))
      return failure("there are {} regions and {} overlaps", rois.dims[0], overlaps.size());
    return ProposalInputs{rois.as<T>(),           boxes.as<T>(),         sizes.as<T>(),
                          overlaps.as<T>(),       std::move(*classes),   std::move(*crowds),
                          std::move(*roiOffsets), std::move(*boxOffsets)};
  }
};

template <class T> struct ProposalResults {
  std::vector<T> rois, deltas, weights, overlaps;
  std::vector<int64_t> labels, ends{0};
};

/// A candidate for training: the corners of the box, and its true box if it is foreground.
template <class T> struct ProposalCandidate {
  const T *corners;
  T overlap;
  size_t box;
};

template <class T> class LabelledProposals {
public:
  LabelledProposals(const ProposalInputs<T> &inputs, const ProposalTargetAttributes &attributes, size_t image)
      : inputs(inputs), attributes(attributes), firstBox(static_cast<size_t>(inputs.boxOffsets[image])),
        boxCount(static_cast<size_t>(inputs.boxOffsets[image + 1]) - firstBox),
        scale(inputs.sizes[3 * image + 2]) {
    corners.assign(inputs.boxes + 4 * firstBox, inputs.boxes + 4 * (firstBox + boxCount));
    for (int64_t i = inputs.roiOffsets[image]; i < inputs.roiOffsets[image + 1]; ++i) {
      T roi[4];
      std::transform(inputs.rois + 4 * i, inputs.rois + 4 * i + 4, roi, [&](T x) { return x / scale; });
      if (!attributes.cascade ||
          (roi[2] - roi[0] + 1 > 0 && roi[3] - roi[1] + 1 > 0 && inputs.overlaps[i] < T(1)))
        corners.insert(corners.end(), roi, roi + 4);
    }
    if (attributes.cascade && corners.size() == 4 * boxCount)
      corners.insert(corners.end(), 4, T(0));
  }

  void sample(std::optional<RandomStream> &random) {
    auto limit = [](double value) { return static_cast<T>(static_cast<float>(value)); };
    for (size_t i = 0; i < corners.size() / 4; ++i) {
      ProposalCandidate<T> candidate{corners.data() + 4 * i, T(0), 0};
      std::vector<T> all;
      for (size_t j = 0; j < boxCount; ++j)
        all.push_back(pixelOverlap(candidate.corners, inputs.boxes + 4 * (firstBox + j)));
      candidate.overlap = all.empty() ? T(0) : *std::max_element(all.begin(), all.end());
      T counted = i < boxCount && inputs.crowds[firstBox + i] != 0 ? T(-1) : candidate.overlap;
      if (!all.empty() && counted >= limit(attributes.positive)) {
        // The first of those that are as good up to rounding.
        auto same = [&](T overlap) { return std::abs(counted - overlap) < T(1e-5f); };
        candidate.box = static_cast<size_t>(std::find_if(all.begin(), all.end(), same) - all.begin());
        foreground.push_back(candidate);
      } else if (counted >= limit(attributes.negativeFrom) && counted < limit(attributes.negativeTo)) {
        background.push_back(candidate);
      }
    }
    if (attributes.cascade)
      return;
    auto share = static_cast<float>(attributes.samples) * static_cast<float>(attributes.fraction);
    keepSample(foreground, static_cast<int64_t>(std::floor(share)), random);
    keepSample(background, attributes.samples - static_cast<int64_t>(foreground.size()), random);
  }

  Result<void> append(ProposalResults<T> &results) const {
    for (const ProposalCandidate<T> &one : foreground) {
      size_t box = firstBox + one.box;
      int64_t label = inputs.classes[box], column = attributes.agnostic ? 1 : label;
      if (label > 0 && column >= attributes.classes)
        return failure("a true box has class {} of {}", label, attributes.classes);
      add(one, label, results);
      if (label <= 0)
        continue;
      auto position = results.deltas.size() - 4 * static_cast<size_t>(attributes.classes - column);
      boxDelta<T>(one.corners, inputs.boxes + 4 * box, attributes.weights.data(),
                  results.deltas.data() + position);
      std::fill_n(results.weights.begin() + static_cast<ptrdiff_t>(position), 4, T(1));
    }
    for (const ProposalCandidate<T> &one : background)
      add(one, 0, results);
    return {};
  }

private:
  void add(const ProposalCandidate<T> &one, int64_t label, ProposalResults<T> &results) const {
    for (size_t k = 0; k < 4; ++k)
      results.rois.push_back(one.corners[k] * scale);
    results.labels.push_back(label);
    results.overlaps.push_back(one.overlap);
    results.deltas.resize(results.deltas.size() + 4 * static_cast<size_t>(attributes.classes));
    results.weights.resize(results.deltas.size());
  }

  const ProposalInputs<T> &inputs;
  const ProposalTargetAttributes &attributes;
  size_t firstBox, boxCount;
  T scale;
  std::vector<T> corners; ///< of the true boxes, then of the regions
  std::vector<ProposalCandidate<T>> foreground, background;
};

template <class T> Result<void> labelProposals(Call &call, const ProposalTargetAttributes &attributes) {
  Result<ProposalInputs<T>> inputs = ProposalInputs<T>::check(call, attributes.cascade);
  if (!inputs)
    return inputs.diagnostics();
  ProposalResults<T> results;
  std::optional<RandomStream> random;
  RandomCall draw = attributes.random ? call.random().next() : RandomCall();
  for (size_t image = 0; image + 1 < inputs->roiOffsets.size(); ++image) {
    if (attributes.random)
      random.emplace(draw, image);
    if (inputs->roiOffsets[image] < inputs->roiOffsets[image + 1]) {
      LabelledProposals<T> proposals(*inputs, attributes, image);
      proposals.sample(random);
      if (Result<void> appended = proposals.append(results); !appended)
        return appended;
    }
    results.ends.push_back(static_cast<int64_t>(results.labels.size()));
  }
  using Dims = std::vector<int64_t>;
  int64_t rows = results.ends.back();
  Dims wide{rows, 4 * attributes.classes}, ends{static_cast<int64_t>(results.ends.size())};
  for (const Result<void> &written :
       {writeOutput<T>(call, 0, Dims{rows, 4}, results.rois),
        writeOutput<int32_t>(call, 1, Dims{rows, 1}, results.labels),
        writeOutput<T>(call, 2, wide, results.deltas), writeOutput<T>(call, 3, wide, results.weights),
        writeOutput<T>(call, 4, wide, results.weights), writeOutput<T>(call, 5, Dims{rows}, results.overlaps),
        writeOutput<int64_t>(call, 6, ends, results.ends)})
    if (!written)
      return written;
  return {};
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeGenerateProposalLabels(const GenerateProposalLabelsAttributes &op,
                                                                  const KernelRequest &request) {
  Checks checks(request);
  ProposalTargetAttributes attributes;
  attributes.samples = op.batchSizePerIm;
  attributes.fraction = op.fgFraction;
  attributes.positive = op.fgThresh;
  attributes.negativeTo = op.bgThreshHi;
  attributes.negativeFrom = op.bgThreshLo;
  attributes.weights = op.bboxRegWeights;
  attributes.classes = op.classNums;
  attributes.random = op.useRandom;
  attributes.cascade = op.isCascadeRcnn;
  attributes.agnostic = op.isClsAgnostic;
  checks.expect(attributes.weights.size() == 4 && attributes.classes > 0,
                "expected four bbox_reg_weights, and class_nums above 0");
  if (!checks.ok())
    return checks.diagnostics();
  return floatKernel(request, 7,
                     [=](Call &call, auto zero) { return labelProposals<decltype(zero)>(call, attributes); });
}

} // namespace proa::runtime
