//! Reference kernels of training targets of anchors: each anchor is compared with each true box.
#include "dialects/pd/ops/detection/Targets.h"
#include "dialects/pd/reference/Boxes.h"

#include <cmath>

using namespace mlir;

namespace proa::pd {
namespace {

using namespace boxes;

struct AnchorRules {
  double positive, negative;
  std::optional<double> margin; ///< how far an anchor may reach out of the image
  std::optional<int64_t> samples, positives;
};

/// The valid anchors of one image, and its boxes that are not a crowd.
struct Scene {
  std::vector<int64_t> anchors, labels;
  std::vector<Box> corners, truth;

  double overlap(size_t anchor, size_t box) const { return pixelOverlap(corners[anchor], truth[box]); }
  std::optional<size_t> bestBox(size_t anchor) const {
    std::optional<size_t> out;
    for (size_t j = 0; j < truth.size(); ++j)
      if (!out || overlap(anchor, j) > overlap(anchor, *out))
        out = j;
    return out;
  }
  double mostOf(size_t box) const {
    double out = 0;
    for (size_t i = 0; i < corners.size(); ++i)
      out = std::max(out, overlap(i, box));
    return out;
  }
};

Scene sceneOf(llvm::ArrayRef<Tensor> operands, int64_t image, const AnchorRules &rules) {
  Scene out;
  std::vector<int64_t> crowds = integersOf(operands[2]), offsets = integersOf(operands[4]),
                       labels = operands.size() > 5 ? integersOf(operands[5]) : std::vector<int64_t>();
  double height = realAt(operands[3], 3 * image), width = realAt(operands[3], 3 * image + 1),
         scale = realAt(operands[3], 3 * image + 2);
  for (int64_t i = 0; i < operands[0].dims()[0]; ++i) {
    Box box = boxAt(operands[0], i);
    if (rules.margin && (std::min(box[0], box[1]) < -*rules.margin || box[2] >= width + *rules.margin ||
                         box[3] >= height + *rules.margin))
      continue;
    out.anchors.push_back(i);
    out.corners.push_back(box);
  }
  for (int64_t i = offsets[static_cast<size_t>(image)]; i < offsets[static_cast<size_t>(image) + 1]; ++i) {
    if (crowds[static_cast<size_t>(i)] != 0)
      continue;
    Box box = boxAt(operands[1], i);
    for (double &corner : box)
      corner *= scale;
    out.truth.push_back(box);
    out.labels.push_back(labels.empty() ? 1 : labels[static_cast<size_t>(i)]);
  }
  return out;
}

struct Chosen {
  std::vector<size_t> positive, negative;
};

Chosen chosenOf(const Scene &scene, const AnchorRules &rules, Stream *random) {
  Chosen out;
  std::vector<double> most;
  for (size_t j = 0; j < scene.truth.size(); ++j)
    most.push_back(scene.mostOf(j));
  for (size_t i = 0; i < scene.corners.size(); ++i) {
    std::optional<size_t> best = scene.bestBox(i);
    double own = best ? scene.overlap(i, *best) : -1;
    bool isBest = false;
    for (size_t j = 0; j < most.size(); ++j)
      isBest |= std::abs(scene.overlap(i, j) - most[j]) < 1e-5;
    if (isBest || own >= rules.positive)
      out.positive.push_back(i);
    if (own < rules.negative)
      out.negative.push_back(i);
  }
  if (rules.samples) {
    keepSample(out.positive, *rules.positives, random);
    keepSample(out.negative, *rules.samples - static_cast<int64_t>(out.positive.size()), random);
  }
  return out;
}

/// The rows of all images.
struct Targets {
  std::vector<int64_t> located, scored, labels, numbers, locatedEnds{0}, scoredEnds{0}, images{0};
  std::vector<double> offsets, weights;

  void locate(const Scene &scene, size_t anchor, int64_t first, double weight) {
    located.push_back(first + scene.anchors[anchor]);
    weights.insert(weights.end(), 4, weight);
    const Box &from = scene.corners[anchor], &to = scene.truth[*scene.bestBox(anchor)];
    std::array<double, 4> offset = offsetTo(from, to);
    offsets.insert(offsets.end(), offset.begin(), offset.end());
  }

  void add(const Scene &scene, const Chosen &chosen, int64_t first) {
    std::vector<size_t> alone;
    for (size_t i : chosen.negative)
      if (llvm::is_contained(chosen.positive, i))
        locate(scene, chosen.positive.front(), first, 0);
    for (size_t i : chosen.positive)
      if (!llvm::is_contained(chosen.negative, i)) {
        locate(scene, i, first, 1);
        scored.push_back(first + scene.anchors[i]);
        labels.push_back(scene.labels[*scene.bestBox(i)]);
      }
    for (size_t i : chosen.negative) {
      scored.push_back(first + scene.anchors[i]);
      labels.push_back(0);
    }
    numbers.push_back(static_cast<int64_t>(located.size()) - locatedEnds.back() + 1);
    locatedEnds.push_back(static_cast<int64_t>(located.size()));
    scoredEnds.push_back(static_cast<int64_t>(scored.size()));
    images.push_back(static_cast<int64_t>(images.size()));
  }
};

/// Each image has its own stream of the sequence, if there is one.
LogicalResult assign(const AnchorRules &rules, llvm::ArrayRef<Tensor> operands,
                     llvm::MutableArrayRef<Tensor> results, const Sequence *sequence) {
  Targets targets;
  for (int64_t image = 0; image < operands[3].dims()[0]; ++image) {
    Scene scene = sceneOf(operands, image, rules);
    std::optional<Stream> random;
    if (sequence)
      random.emplace(*sequence, static_cast<uint64_t>(image));
    targets.add(scene, chosenOf(scene, rules, random ? &*random : nullptr), image * operands[0].dims()[0]);
  }
  auto setRows = [&](size_t result, const std::vector<double> &values) {
    results[result] = Tensor(results[result].dtype(), {static_cast<int64_t>(values.size()) / 4, 4});
    for (auto [i, value] : llvm::enumerate(values))
      setReal(results[result], static_cast<int64_t>(i), value);
  };
  auto setColumn = [&](size_t result, const std::vector<int64_t> &values) {
    results[result] =
        vectorOf(results[result].dtype(), values).reshaped({static_cast<int64_t>(values.size()), 1});
  };
  results[0] = vectorOf(results[0].dtype(), targets.located);
  results[1] = vectorOf(results[1].dtype(), targets.scored);
  setRows(2, targets.offsets);
  setColumn(3, targets.labels);
  setRows(4, targets.weights);
  results[5] = vectorOf(results[5].dtype(), targets.locatedEnds);
  results[6] = vectorOf(results[6].dtype(), targets.scoredEnds);
  if (results.size() > 7) {
    setColumn(7, targets.numbers);
    results[8] = vectorOf(results[8].dtype(), targets.images);
  }
  return success();
}

} // namespace

LogicalResult RpnTargetAssignOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                  llvm::MutableArrayRef<Tensor> results, RandomState *state) {
  if (!state)
    return failure();
  auto element = [&](llvm::APFloat value) {
    return rounded(operands[0].dtype(), rounded(DType::Float32, value.convertToDouble()));
  };
  AnchorRules rules{element(getRpnPositiveOverlap()), element(getRpnNegativeOverlap()), std::nullopt,
                    std::nullopt, std::nullopt};
  if (double margin = element(getRpnStraddleThresh()); margin >= 0)
    rules.margin = margin;
  auto samples = static_cast<int64_t>(getRpnBatchSizePerIm());
  if (auto share = static_cast<float>(getRpnFgFraction().convertToDouble()); share > 0 && samples > 0) {
    rules.samples = samples;
    rules.positives = static_cast<int64_t>(share * static_cast<float>(samples));
  }
  std::optional<Sequence> sequence;
  if (getUseRandom())
    sequence = state->next();
  return assign(rules, operands, results, sequence ? &*sequence : nullptr);
}

LogicalResult RetinanetTargetAssignOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                        llvm::MutableArrayRef<Tensor> results,
                                                        RandomState *) {
  auto element = [&](llvm::APFloat value) {
    return rounded(operands[0].dtype(), rounded(DType::Float32, value.convertToDouble()));
  };
  AnchorRules rules{element(getPositiveOverlap()), element(getNegativeOverlap()), std::nullopt, std::nullopt,
                    std::nullopt};
  return assign(rules, operands, results, nullptr);
}

} // namespace proa::pd
