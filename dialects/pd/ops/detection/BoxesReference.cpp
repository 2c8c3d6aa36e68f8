//! Reference kernels of decoding boxes.
#include "dialects/pd/ops/detection/BoxesOps.h"
#include "dialects/pd/reference/Boxes.h"

#include <cmath>

using namespace mlir;

namespace proa::pd {
namespace {

using namespace boxes;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

} // namespace

LogicalResult YoloBoxOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                          llvm::MutableArrayRef<Tensor> results, RandomState *) {
  llvm::ArrayRef<int64_t> dims = operands[0].dims(), anchors = getAnchors();
  auto classes = static_cast<int64_t>(getClassNum()), count = static_cast<int64_t>(anchors.size() / 2);
  int64_t images = dims[0], height = dims[2], width = dims[3];
  double spread = getScaleXY().convertToDouble(), shift = -0.5 * (spread - 1),
         iouShare = getIouAwareFactor().convertToDouble(), ratio = static_cast<double>(getDownsampleRatio()),
         threshold = rounded(operands[0].dtype(), getConfThresh().convertToDouble());
  auto decode = [&](int64_t n, int64_t anchor, int64_t row, int64_t column) {
    auto logit = [&](int64_t channel) {
      return realAt(operands[0], ((n * dims[1] + channel) * height + row) * width + column);
    };
    int64_t first = (getIouAware() ? count : 0) + anchor * (5 + classes),
            position = ((n * count + anchor) * height + row) * width + column;
    double confidence = sigmoid(logit(first + 4));
    if (getIouAware())
      confidence = std::pow(confidence, 1 - iouShare) * std::pow(sigmoid(logit(anchor)), iouShare);
    bool counts = !(confidence < threshold); // true for a NaN
    double imageHeight = realAt(operands[1], 2 * n), imageWidth = realAt(operands[1], 2 * n + 1);
    double x = (static_cast<double>(column) + sigmoid(logit(first)) * spread + shift) * imageWidth /
               static_cast<double>(width),
           y = (static_cast<double>(row) + sigmoid(logit(first + 1)) * spread + shift) * imageHeight /
               static_cast<double>(height);
    double boxWidth = std::exp(logit(first + 2)) *
                      static_cast<double>(anchors[static_cast<size_t>(2 * anchor)]) * imageWidth /
                      (ratio * static_cast<double>(width)),
           boxHeight = std::exp(logit(first + 3)) *
                       static_cast<double>(anchors[static_cast<size_t>(2 * anchor + 1)]) * imageHeight /
                       (ratio * static_cast<double>(height));
    Box box{x - boxWidth / 2, y - boxHeight / 2, x + boxWidth / 2, y + boxHeight / 2};
    if (getClipBbox())
      box = {std::max(box[0], 0.0), std::max(box[1], 0.0), std::min(box[2], imageWidth - 1),
             std::min(box[3], imageHeight - 1)};
    for (int64_t k = 0; k < 4; ++k)
      setReal(results[0], 4 * position + k, counts ? box[static_cast<size_t>(k)] : 0);
    for (int64_t c = 0; c < classes; ++c)
      setReal(results[1], position * classes + c, counts ? confidence * sigmoid(logit(first + 5 + c)) : 0);
  };
  results[0] = Tensor(results[0].dtype(), {images, count * height * width, 4});
  results[1] = Tensor(results[1].dtype(), {images, count * height * width, classes});
  for (int64_t n = 0; n < images; ++n)
    for (int64_t anchor = 0; anchor < count; ++anchor)
      for (int64_t row = 0; row < height; ++row)
        for (int64_t column = 0; column < width; ++column)
          decode(n, anchor, row, column);
  return success();
}

LogicalResult BoxDecoderAndAssignOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                      llvm::MutableArrayRef<Tensor> results, RandomState *) {
  double clip = rounded(operands[0].dtype(), getBoxClip().convertToDouble());
  int64_t classes = operands[3].dims()[1];
  for (int64_t row = 0; row < operands[0].dims()[0]; ++row) {
    Box prior = boxAt(operands[0], row), assigned = prior;
    double best = -1;
    for (int64_t label = 0; label < classes; ++label) {
      std::array<double, 4> values{};
      for (int64_t k = 0; k < 4; ++k)
        values[static_cast<size_t>(k)] =
            realAt(operands[2], (row * classes + label) * 4 + k) * realAt(operands[1], k);
      Box box = decoded(prior, values, 1, clip);
      for (int64_t k = 0; k < 4; ++k)
        setReal(results[0], (row * classes + label) * 4 + k, box[static_cast<size_t>(k)]);
      if (double score = realAt(operands[3], row * classes + label); label > 0 && score > best) {
        best = score;
        assigned = box;
      }
    }
    for (int64_t k = 0; k < 4; ++k)
      setReal(results[1], row * 4 + k, assigned[static_cast<size_t>(k)]);
  }
  return success();
}

} // namespace proa::pd
