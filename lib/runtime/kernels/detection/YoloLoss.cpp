/// The library kernel "yolo_loss" (x, gt_box, gt_label, gt_score; anchors, anchor_mask, class_num,
/// ignore_thresh, downsample_ratio, use_label_smooth, scale_x_y; results: loss, objectness_mask,
/// gt_match_mask, x_derivative). dialects/pd/ops/loss/YoloLoss.td says what it computes.
#include "lib/runtime/kernels/sequence/Sequences.h"

#include "dialects/pd/ops/loss/YoloLoss.kernels.inc"

#include <algorithm>
#include <cmath>

namespace proa::runtime {
namespace {

struct YoloLossHead {
  std::vector<int64_t> anchors, mask;
  int64_t classes, ratio;
  double ignoreAbove, scale;
  bool smooth;
};

struct YoloBox {
  double x, y, width, height;
};

double overlap(double centre, double size, double otherCentre, double otherSize) {
  return std::min(centre + size / 2, otherCentre + otherSize / 2) -
         std::max(centre - size / 2, otherCentre - otherSize / 2);
}

double intersectionOverUnion(const YoloBox &a, const YoloBox &b) {
  double width = overlap(a.x, a.width, b.x, b.width), height = overlap(a.y, a.height, b.y, b.height);
  double common = width < 0 || height < 0 ? 0 : width * height;
  return common / (a.width * a.height + b.width * b.height - common);
}

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

/// One image: its logits, and where its results go.
template <class T> class YoloImage {
public:
  YoloImage(const YoloLossHead &head, int64_t height, int64_t width, const T *x, T *derivative, T *objectness)
      : head(head), height(height), width(width), image(static_cast<double>(head.ratio * height)), x(x),
        derivative(derivative), objectness(objectness) {}

  /// Leaves out the cells whose boxes overlap a true box well.
  void ignoreGood(std::span<const YoloBox> boxes) {
    for (size_t anchor = 0; anchor < head.mask.size(); ++anchor)
      for (int64_t row = 0; row < height; ++row)
        for (int64_t column = 0; column < width; ++column) {
          YoloBox own = cellBox(static_cast<int64_t>(anchor), row, column);
          double best = 0;
          for (const YoloBox &box : boxes)
            best = std::max(best, intersectionOverUnion(own, box));
          if (best > head.ignoreAbove)
            objectness[cell(static_cast<int64_t>(anchor), row, column)] = T(-1);
        }
  }

  /// Adds the loss of a true box; the anchor of the mask that it belongs to, or -1; nothing where its centre
  /// is outside.
  std::optional<int64_t> addBox(const YoloBox &box, int64_t label, double score) {
    int64_t best = bestAnchor(box);
    const auto found = std::find(head.mask.begin(), head.mask.end(), best);
    if (found == head.mask.end())
      return -1;
    int64_t anchor = found - head.mask.begin();
    auto column = static_cast<int64_t>(box.x * static_cast<double>(width)),
         row = static_cast<int64_t>(box.y * static_cast<double>(height));
    if (column < 0 || column >= width || row < 0 || row >= height)
      return std::nullopt;
    double weight = (2 - box.width * box.height) * score;
    addCrossEntropy(entry(anchor, 0, row, column),
                    box.x * static_cast<double>(height) - static_cast<double>(column), weight);
    addCrossEntropy(entry(anchor, 1, row, column),
                    box.y * static_cast<double>(height) - static_cast<double>(row), weight);
    addDistance(entry(anchor, 2, row, column), std::log(box.width * image / anchorSize(best, 0)), weight);
    addDistance(entry(anchor, 3, row, column), std::log(box.height * image / anchorSize(best, 1)), weight);
    objectness[cell(anchor, row, column)] = static_cast<T>(score);
    double off = head.smooth ? std::min(1.0 / static_cast<double>(head.classes), 1.0 / 40) : 0;
    for (int64_t c = 0; c < head.classes; ++c)
      addCrossEntropy(entry(anchor, 5 + c, row, column), c == label ? 1 - off : off, score);
    return anchor;
  }

  void addObjectness() {
    for (size_t anchor = 0; anchor < head.mask.size(); ++anchor)
      for (int64_t row = 0; row < height; ++row)
        for (int64_t column = 0; column < width; ++column) {
          auto expected = static_cast<double>(objectness[cell(static_cast<int64_t>(anchor), row, column)]);
          int64_t logit = entry(static_cast<int64_t>(anchor), 4, row, column);
          if (expected > 1e-5)
            addCrossEntropy(logit, 1, expected);
          else if (expected > -0.5)
            addCrossEntropy(logit, 0, 1);
        }
  }

  double loss() const { return sum; }

private:
  int64_t cell(int64_t anchor, int64_t row, int64_t column) const {
    return (anchor * height + row) * width + column;
  }
  int64_t entry(int64_t anchor, int64_t channel, int64_t row, int64_t column) const {
    return cell(anchor * (5 + head.classes) + channel, row, column);
  }
  double anchorSize(int64_t anchor, int64_t axis) const {
    return static_cast<double>(head.anchors[static_cast<size_t>(2 * anchor + axis)]);
  }

  YoloBox cellBox(int64_t anchor, int64_t row, int64_t column) const {
    auto logit = [&](int64_t channel) { return static_cast<double>(x[entry(anchor, channel, row, column)]); };
    double bias = -0.5 * (head.scale - 1);
    int64_t mask = head.mask[static_cast<size_t>(anchor)];
    return {
        (static_cast<double>(column) + logistic(logit(0)) * head.scale + bias) / static_cast<double>(height),
        (static_cast<double>(row) + logistic(logit(1)) * head.scale + bias) / static_cast<double>(height),
        std::exp(logit(2)) * anchorSize(mask, 0) / image, std::exp(logit(3)) * anchorSize(mask, 1) / image};
  }

  int64_t bestAnchor(const YoloBox &box) const {
    double best = 0;
    int64_t count = 0;
    for (int64_t anchor = 0; anchor < static_cast<int64_t>(head.anchors.size() / 2); ++anchor) {
      double found =
          intersectionOverUnion({0, 0, anchorSize(anchor, 0) / image, anchorSize(anchor, 1) / image},
                                {0, 0, box.width, box.height});
      if (found > best) {
        best = found;
        count = anchor;
      }
    }
    return count;
  }

  void addCrossEntropy(int64_t at, double target, double weight) {
    auto logit = static_cast<double>(x[at]);
    sum += weight * (std::max(logit, 0.0) - logit * target + std::log1p(std::exp(-std::abs(logit))));
    derivative[at] += static_cast<T>(weight * (logistic(logit) - target));
  }

  void addDistance(int64_t at, double target, double weight) {
    auto logit = static_cast<double>(x[at]);
    sum += weight * std::abs(logit - target);
    derivative[at] += static_cast<T>(logit > target ? weight : -weight);
  }

  const YoloLossHead &head;
  int64_t height, width;
  double image;
  const T *x;
  T *derivative, *objectness;
  double sum = 0;
};

template <class T> Result<void> yoloLoss(Call &call, const YoloLossHead &head) {
  const View &x = call.input(0), &boxes = call.input(1), &scores = call.input(3);
  Result<std::vector<int64_t>> labels = integersOf(call.input(2));
  if (!labels)
    return labels.diagnostics();
  int64_t batch = x.dims[0], height = x.dims[2], width = x.dims[3], count = boxes.dims[1],
          size = x.size() / std::max<int64_t>(batch, 1);
  auto masks = static_cast<int64_t>(head.mask.size());
  const int64_t lossDims[] = {batch}, maskDims[] = {batch, masks, height, width},
                matchDims[] = {batch, count};
  OutputMemory memory;
  Result<View> loss = memory.get(call, 0, x.dtype, lossDims), mask = memory.get(call, 1, x.dtype, maskDims),
               match = memory.get(call, 2, DType::Int32, matchDims),
               derivative = memory.get(call, 3, x.dtype, x.dims);
  for (const auto *out : {&loss, &mask, &match, &derivative})
    if (!*out)
      return out->diagnostics();
  std::fill_n(mask->as<T>(), mask->size(), T(0));
  std::fill_n(derivative->as<T>(), derivative->size(), T(0));
  for (int64_t n = 0; n < batch; ++n) {
    YoloImage<T> image(head, height, width, x.as<T>() + n * size, derivative->as<T>() + n * size,
                       mask->as<T>() + n * masks * height * width);
    std::vector<YoloBox> valid;
    auto boxAt = [&](int64_t b) {
      const T *box = boxes.as<T>() + (n * count + b) * 4;
      return YoloBox{double(box[0]), double(box[1]), double(box[2]), double(box[3])};
    };
    auto isValid = [](const YoloBox &box) { return box.width >= 1e-6 && box.height >= 1e-6; };
    for (int64_t b = 0; b < count; ++b)
      if (isValid(boxAt(b)))
        valid.push_back(boxAt(b));
    image.ignoreGood(valid);
    for (int64_t b = 0; b < count; ++b) {
      int64_t at = n * count + b;
      double score = scores ? static_cast<double>(scores.as<T>()[at]) : 1.0;
      std::optional<int64_t> anchor =
          isValid(boxAt(b)) ? image.addBox(boxAt(b), (*labels)[static_cast<size_t>(at)], score) : -1;
      if (!anchor)
        return failure("the centre of box {} of image {} is outside of the image", b, n);
      match->as<int32_t>()[at] = static_cast<int32_t>(*anchor);
    }
    image.addObjectness();
    loss->as<T>()[n] = static_cast<T>(image.loss());
  }
  return {};
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeYoloLoss(const YoloLossAttributes &op,
                                                    const KernelRequest &request) {
  Checks checks(request);
  YoloLossHead head{op.anchors,      op.anchorMask, op.classNum,      op.downsampleRatio,
                    op.ignoreThresh, op.scaleXY,    op.useLabelSmooth};
  auto pairs = static_cast<int64_t>(head.anchors.size() / 2);
  checks.expect(
      std::all_of(head.mask.begin(), head.mask.end(), [&](int64_t i) { return i >= 0 && i < pairs; }),
      "anchor_mask must hold numbers of anchors");
  checks.expect(head.ratio > 0, "downsample_ratio must be positive");
  if (!checks.ok())
    return checks.diagnostics();
  return floatKernel(request, 3,
                     [head](Call &call, auto zero) { return yoloLoss<decltype(zero)>(call, head); });
}

} // namespace proa::runtime
