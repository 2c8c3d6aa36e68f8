/// The library kernels "yolo_box" (x, img_size), "multiclass_nms3" (bboxes, scores, rois_num) and
/// "matrix_nms" (bboxes, scores). Boxes.td and Nms.td of
/// dialects/pd/ops/detection say what they compute.
#include "lib/runtime/host/ThreadPool.h"
#include "lib/runtime/kernels/common/Checks.h"
#include "lib/runtime/kernels/common/OutputMemory.h"
#include "lib/runtime/kernels/detection/Boxes.h"

#include "dialects/pd/ops/detection/Boxes.kernels.inc"
#include "dialects/pd/ops/detection/Nms.kernels.inc"

#include <cmath>
#include <limits>

namespace proa::runtime {

Result<DetectionInput> DetectionInput::check(const View &boxes, const View &scores, const View &perImage) {
  bool shared = scores.rank() == 3;
  bool fits = boxes.rank() == 3 && (shared || scores.rank() == 2) && boxes.dtype == scores.dtype;
  if (fits && shared)
    fits = boxes.dims[0] == scores.dims[0] && boxes.dims[1] == scores.dims[2];
  else if (fits)
    fits = boxes.dims[0] == scores.dims[0] && boxes.dims[1] == scores.dims[1] && perImage &&
           (perImage.dtype == DType::Int32 || perImage.dtype == DType::Int64);
  if (!fits)
    return failure("boxes {} do not fit scores {}{}", describe(boxes.dtype, boxes.dims),
                   describe(scores.dtype, scores.dims), shared || perImage ? "" : " without rois_num");
  if (boxes.dims[2] != 4)
    return failure("boxes of {} numbers are not supported; expected 4", boxes.dims[2]);
  return DetectionInput{boxes,          scores,       shared, shared ? boxes.dims[0] : perImage.size(),
                        scores.dims[1], boxes.dims[2]};
}

namespace {

//===-- yolo_box ----------------------------------------------------------------------------------------===//

struct YoloAttributes {
  std::vector<int64_t> anchors;
  int64_t classes = 1, downsample = 32;
  double threshold = 0.01, scale = 1, iouFactor = 0.5;
  bool clip = true, iouAware = false;
};

template <class T> class YoloHead {
public:
  YoloHead(const YoloAttributes &attributes, const View &x, const View &sizes, const View &boxes,
           const View &scores)
      : attributes(attributes), x(x.as<T>()), sizes(sizes), boxes(boxes.as<T>()), scores(scores.as<T>()),
        anchors(static_cast<int64_t>(attributes.anchors.size() / 2)), channels(x.dims[1]), height(x.dims[2]),
        width(x.dims[3]) {}

  /// One cell of one anchor of one image.
  void decode(int64_t image, int64_t anchor, int64_t cell) const {
    int64_t plane = height * width, row = image * anchors * plane + anchor * plane + cell;
    T *box = boxes + row * 4, *score = scores + row * attributes.classes;
    auto entry = [&](int64_t index) {
      int64_t channel = (attributes.iouAware ? anchors : 0) + anchor * (5 + attributes.classes) + index;
      return x[(image * channels + channel) * plane + cell];
    };
    T confidence = sigmoid(entry(4));
    if (attributes.iouAware) {
      T iou = sigmoid(x[(image * channels + anchor) * plane + cell]);
      confidence = std::pow(confidence, static_cast<T>(1 - attributes.iouFactor)) *
                   std::pow(iou, static_cast<T>(attributes.iouFactor));
    }
    if (confidence < static_cast<T>(attributes.threshold)) {
      std::fill_n(box, 4, T(0));
      std::fill_n(score, attributes.classes, T(0));
      return;
    }
    auto imageHeight = static_cast<T>(sizes.as<int32_t>()[2 * image]);
    auto imageWidth = static_cast<T>(sizes.as<int32_t>()[2 * image + 1]);
    auto scale = static_cast<T>(attributes.scale), bias = static_cast<T>(-0.5 * (attributes.scale - 1));
    auto anchorAt = [&](int64_t i) {
      return static_cast<T>(attributes.anchors[static_cast<size_t>(2 * anchor + i)]);
    };
    T centreX = (static_cast<T>(cell % width) + sigmoid(entry(0)) * scale + bias) * imageWidth /
                static_cast<T>(width);
    T centreY = (static_cast<T>(cell / width) + sigmoid(entry(1)) * scale + bias) * imageHeight /
                static_cast<T>(height);
    T boxWidth =
        std::exp(entry(2)) * anchorAt(0) * imageWidth / static_cast<T>(attributes.downsample * width);
    T boxHeight =
        std::exp(entry(3)) * anchorAt(1) * imageHeight / static_cast<T>(attributes.downsample * height);
    T corners[4] = {centreX - boxWidth / 2, centreY - boxHeight / 2, centreX + boxWidth / 2,
                    centreY + boxHeight / 2};
    if (attributes.clip) {
      corners[0] = std::max(corners[0], T(0));
      corners[1] = std::max(corners[1], T(0));
      corners[2] = std::min(corners[2], imageWidth - 1);
      corners[3] = std::min(corners[3], imageHeight - 1);
    }
    std::copy_n(corners, 4, box);
    for (int64_t c = 0; c < attributes.classes; ++c)
      score[c] = confidence * sigmoid(entry(5 + c));
  }

private:
  static T sigmoid(T value) { return 1 / (1 + std::exp(-value)); }
  const YoloAttributes &attributes;
  const T *x;
  const View &sizes;
  T *boxes, *scores;
  int64_t anchors, channels, height, width;
};

Result<void> yoloBox(Call &call, const YoloAttributes &attributes) {
  const View &x = call.input(0), &sizes = call.input(1);
  auto anchors = static_cast<int64_t>(attributes.anchors.size() / 2);
  int64_t perAnchor = 5 + attributes.classes + (attributes.iouAware ? 1 : 0);
  if (x.rank() != 4 || x.dims[1] != anchors * perAnchor)
    return failure("x is {}; expected {} channels", describe(x.dtype, x.dims), anchors * perAnchor);
  if (sizes.dtype != DType::Int32 || sizes.rank() != 2 || sizes.dims[0] != x.dims[0] || sizes.dims[1] != 2)
    return failure("img_size is {}; expected int32[{}, 2]", describe(sizes.dtype, sizes.dims), x.dims[0]);
  int64_t plane = x.dims[2] * x.dims[3];
  const int64_t boxDims[] = {x.dims[0], anchors * plane, 4},
                scoreDims[] = {x.dims[0], anchors * plane, attributes.classes};
  OutputMemory memory;
  Result<View> boxes = memory.get(call, 0, x.dtype, boxDims),
               scores = memory.get(call, 1, x.dtype, scoreDims);
  for (const Result<View> *result : {&boxes, &scores})
    if (!*result)
      return result->diagnostics();
  auto decodeAll = [&](auto zero) {
    YoloHead<decltype(zero)> head(attributes, x, sizes, *boxes, *scores);
    parallelFor(x.dims[0] * anchors * plane, 1 + 2000 / perAnchor, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        head.decode(i / plane / anchors, i / plane % anchors, i % plane);
    });
  };
  x.dtype == DType::Float32 ? decodeAll(float()) : decodeAll(double());
  return {};
}

//===-- multiclass_nms3 ---------------------------------------------------------------------------------===//

struct NmsConfig {
  double scoreThreshold = 0, nmsThreshold = 0.3, eta = 1;
  int64_t topK = -1, keepTopK = -1, classKeepTopK = -1, background = 0;
  bool normalized = true, marksNone = false;
};

/// Takes boxes in descending order of their scores, except boxes that overlap a box taken before.
template <class T>
std::vector<int64_t> suppress(const ImageBoxes<T> &image, int64_t label, const NmsConfig &attributes) {
  BestBoxes<T> best(image, label, static_cast<T>(attributes.scoreThreshold), attributes.topK);
  std::vector<int64_t> taken;
  auto boxAt = [&](int64_t i) { return image.box(label, best[static_cast<size_t>(i)]); };
  for (int64_t stays : nonMaximumSuppression<T>(best.size(), boxAt, attributes.nmsThreshold, attributes.eta,
                                                attributes.normalized, attributes.classKeepTopK))
    taken.push_back(best[static_cast<size_t>(stays)]);
  return taken;
}

template <class T> std::vector<Detection<T>> detect(const ImageBoxes<T> &image, const NmsConfig &attributes) {
  std::vector<Detection<T>> found;
  for (int64_t label = 0; label < image.classes; ++label)
    if (label != attributes.background)
      for (int64_t box : suppress(image, label, attributes))
        found.push_back({label, box, image.score(label, box)});
  if (attributes.keepTopK >= 0 && static_cast<int64_t>(found.size()) > attributes.keepTopK) {
    std::vector<size_t> order(found.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return found[a].score > found[b].score || (found[a].score == found[b].score && a < b);
    });
    order.resize(static_cast<size_t>(attributes.keepTopK));
    // By class again, within a class by score.
    std::vector<Detection<T>> best;
    for (int64_t label = 0; label < image.classes; ++label)
      for (size_t i : order)
        if (found[i].label == label)
          best.push_back(found[i]);
    found = std::move(best);
  }
  if (!image.shared) // Paddle lists boxes of one list in their own order
    std::sort(found.begin(), found.end(), [](const Detection<T> &a, const Detection<T> &b) {
      return std::pair(a.label, a.box) < std::pair(b.label, b.box);
    });
  return found;
}

//===-- matrix_nms --------------------------------------------------------------------------------------===//

struct MatrixNmsConfig {
  double scoreThreshold = 0, postThreshold = 0, sigma = 2;
  int64_t topK = -1, keepTopK = -1, background = 0;
  bool gaussian = false, normalized = true;
};

/// The first `most` of a list (below 0: all) by falling score. Equal scores stand as std::partial_sort leaves
/// them, as in Paddle.
template <class Number, class ScoreOf>
void keepBest(std::vector<Number> &list, int64_t most, const ScoreOf &scoreOf) {
  auto count = static_cast<int64_t>(list.size());
  int64_t kept = most < 0 ? count : std::min(most, count);
  std::partial_sort(list.begin(), list.begin() + kept, list.end(),
                    [&](Number a, Number b) { return scoreOf(a) > scoreOf(b); });
  list.resize(static_cast<size_t>(kept));
}

template <class T>
void decayClass(const ImageBoxes<T> &image, int64_t label, const MatrixNmsConfig &attributes,
                std::vector<Detection<T>> &found) {
  std::vector<int64_t> order = boxesAbove(image, label, static_cast<T>(attributes.scoreThreshold));
  keepBest(order, attributes.topK, [&](int64_t box) { return image.score(label, box); });
  std::vector<T> greatest(order.size(), 0); // overlap of each box with a better one
  std::vector<T> overlaps(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    T decay = 1;
    for (size_t j = 0; j < i; ++j) {
      overlaps[j] = boxOverlap(image.box(label, order[i]), image.box(label, order[j]), attributes.normalized);
      greatest[i] = std::max(greatest[i], overlaps[j]);
    }
    for (size_t j = 0; j < i; ++j) {
      T factor = attributes.gaussian ? std::exp((greatest[j] * greatest[j] - overlaps[j] * overlaps[j]) *
                                                static_cast<T>(attributes.sigma))
                                     : (1 - overlaps[j]) / (1 - greatest[j]);
      decay = std::min(decay, factor);
    }
    T score = decay * image.score(label, order[i]);
    if (score > static_cast<T>(attributes.postThreshold))
      found.push_back({label, order[i], score});
  }
}

template <class T>
std::vector<Detection<T>> detect(const ImageBoxes<T> &image, const MatrixNmsConfig &attributes) {
  std::vector<Detection<T>> found, sorted;
  for (int64_t label = 0; label < image.classes; ++label)
    if (label != attributes.background)
      decayClass(image, label, attributes, found);
  std::vector<size_t> order(found.size());
  std::iota(order.begin(), order.end(), 0);
  keepBest(order, attributes.keepTopK, [&](size_t i) { return found[i].score; });
  for (size_t i : order)
    sorted.push_back(found[i]);
  return sorted;
}

template <class T, class NmsKind> Result<void> selectOf(Call &call, const NmsKind &attributes) {
  Result<DetectionInput> input = DetectionInput::check(call.input(0), call.input(1), call.input(2));
  if (!input)
    return input.diagnostics();
  Result<std::vector<ImageBoxes<T>>> images = imagesOf<T>(*input, call.input(2));
  if (!images)
    return images.diagnostics();
  std::vector<std::vector<Detection<T>>> detections(images->size());
  parallelFor(static_cast<int64_t>(images->size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      detections[static_cast<size_t>(i)] = detect((*images)[static_cast<size_t>(i)], attributes);
  });
  bool marksNone = false;
  if constexpr (requires { attributes.marksNone; })
    marksNone = attributes.marksNone;
  return writeDetections<T>(call, *input, *images, detections, marksNone);
}

template <class NmsKind>
Result<std::unique_ptr<LibraryKernel>> makeSelection(Checks &checks, NmsKind attributes) {
  checks.expectOperands(2, 0);
  checks.expectDType(0, {DType::Float32, DType::Float64});
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([attributes](Call &call) {
    return call.input(0).dtype == DType::Float32 ? selectOf<float>(call, attributes)
                                                 : selectOf<double>(call, attributes);
  });
}

} // namespace

Result<std::unique_ptr<LibraryKernel>> makeYoloBox(const YoloBoxAttributes &op,
                                                   const KernelRequest &request) {
  Checks checks(request);
  YoloAttributes attributes;
  attributes.anchors = op.anchors;
  attributes.classes = op.classNum;
  attributes.downsample = op.downsampleRatio;
  attributes.threshold = op.confThresh;
  attributes.scale = op.scaleXY;
  attributes.iouFactor = op.iouAwareFactor;
  attributes.clip = op.clipBbox;
  attributes.iouAware = op.iouAware;
  checks.expectOperands(2, 0);
  checks.expectDType(0, {DType::Float32, DType::Float64});
  checks.expect(!attributes.anchors.empty() && attributes.anchors.size() % 2 == 0, "anchors are no pairs");
  checks.expect(attributes.classes > 0 && attributes.downsample > 0,
                "expected class_num and downsample_ratio above 0");
  if (!checks.ok())
    return checks.diagnostics();
  return makeKernel([attributes](Call &call) { return yoloBox(call, attributes); });
}

Result<std::unique_ptr<LibraryKernel>> makeMulticlassNms3(const MulticlassNms3Attributes &op,
                                                          const KernelRequest &request) {
  Checks checks(request);
  NmsConfig attributes;
  attributes.scoreThreshold = op.scoreThreshold;
  attributes.nmsThreshold = op.nmsThreshold;
  attributes.eta = op.nmsEta;
  attributes.topK = op.nmsTopK;
  attributes.keepTopK = op.keepTopK;
  attributes.classKeepTopK = op.classKeepTopK;
  attributes.background = op.backgroundLabel;
  attributes.normalized = op.normalized;
  attributes.marksNone = op.marksNone;
  return makeSelection(checks, attributes);
}

Result<std::unique_ptr<LibraryKernel>> makeMatrixNms(const MatrixNmsAttributes &op,
                                                     const KernelRequest &request) {
  Checks checks(request);
  MatrixNmsConfig attributes;
  attributes.scoreThreshold = op.scoreThreshold;
  attributes.postThreshold = op.postThreshold;
  attributes.sigma = op.gaussianSigma;
  attributes.topK = op.nmsTopK;
  attributes.keepTopK = op.keepTopK;
  attributes.background = op.backgroundLabel;
  attributes.gaussian = op.useGaussian;
  attributes.normalized = op.normalized;
  return makeSelection(checks, attributes);
}

} // namespace proa::runtime
