//! Reference kernels of decoding and suppressing boxes.
#include "dialects/pd/ops/detection/DetectionOps.h"
#include "dialects/pd/reference/Boxes.h"

#include <cmath>

using namespace mlir;

namespace proa::pd {
namespace {

using namespace boxes;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// The boxes of one image and their scores by class. `shared`: all classes have the same boxes.
struct Candidates {
  const Tensor &boxes, &scores;
  bool shared;
  int64_t first, count, classes; ///< `first` counts boxes of all images

  double score(int64_t label, int64_t i) const {
    return realAt(scores, shared ? (first / std::max<int64_t>(1, count) * classes + label) * count + i
                                 : (first + i) * classes + label);
  }
  Box box(int64_t label, int64_t i) const {
    return boxAt(boxes, shared ? first + i : (first + i) * classes + label);
  }
  /// The boxes of a class above the threshold, best first, at most `most` (below 0: all).
  std::vector<int64_t> best(int64_t label, double threshold, int64_t most) const {
    std::vector<int64_t> out;
    for (int64_t i = 0; i < count; ++i)
      if (score(label, i) > threshold)
        out.push_back(i);
    llvm::stable_sort(out, [&](int64_t a, int64_t b) { return score(label, a) > score(label, b); });
    if (most >= 0 && static_cast<int64_t>(out.size()) > most)
      out.resize(static_cast<size_t>(most));
    return out;
  }
};

struct Found {
  int64_t label, box;
  double score;
};

std::vector<Found> bestOf(std::vector<Found> found, int64_t most) {
  llvm::stable_sort(found, [](const Found &a, const Found &b) { return a.score > b.score; });
  if (most >= 0 && static_cast<int64_t>(found.size()) > most)
    found.resize(static_cast<size_t>(most));
  return found;
}

FailureOr<std::vector<Candidates>> imagesOf(llvm::ArrayRef<Tensor> operands) {
  const Tensor &boxes = operands[0], &scores = operands[1];
  bool shared = scores.dims().size() == 3;
  if (boxes.dims().back() != 4)
    return failure();
  std::vector<int64_t> counts(static_cast<size_t>(shared ? boxes.dims()[0] : 0), boxes.dims()[1]);
  if (!shared) {
    if (operands.size() < 3)
      return failure();
    counts = integersOf(operands[2]);
  }
  std::vector<Candidates> out;
  int64_t first = 0;
  for (int64_t count : counts) {
    out.push_back({boxes, scores, shared, first, count, scores.dims()[1]});
    first += count;
  }
  return out;
}

/// Stores label, score and corners of the boxes of each image, their indices, and their number.
void setFound(const std::vector<Candidates> &images, const std::vector<std::vector<Found>> &found,
              llvm::MutableArrayRef<Tensor> results) {
  std::vector<double> rows;
  std::vector<int64_t> places, counts;
  for (auto [image, list] : llvm::zip(images, found)) {
    for (const Found &one : list) {
      Box box = image.box(one.label, one.box);
      rows.insert(rows.end(), {static_cast<double>(one.label), one.score, box[0], box[1], box[2], box[3]});
      int64_t place = image.first + one.box;
      places.push_back(image.shared ? place : place * image.classes + one.label);
    }
    counts.push_back(static_cast<int64_t>(list.size()));
  }
  results[0] = Tensor(results[0].dtype(), {static_cast<int64_t>(places.size()), 6});
  for (auto [i, value] : llvm::enumerate(rows))
    setReal(results[0], static_cast<int64_t>(i), value);
  results[1] = vectorOf(results[1].dtype(), places).reshaped({static_cast<int64_t>(places.size()), 1});
  results[2] = vectorOf(results[2].dtype(), counts);
}

/// Calls `visit(label, best)` for each class except the background, with its best candidates.
template <class Nms, class Visit>
void forEachLabel(Nms nms, const Candidates &image, double scoreThreshold, const Visit &visit) {
  for (int64_t label = 0; label < image.classes; ++label)
    if (label != static_cast<int64_t>(nms.getBackgroundLabel()))
      visit(label, image.best(label, scoreThreshold, static_cast<int64_t>(nms.getNmsTopK())));
}

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
            place = ((n * count + anchor) * height + row) * width + column;
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
      setReal(results[0], 4 * place + k, counts ? box[static_cast<size_t>(k)] : 0);
    for (int64_t c = 0; c < classes; ++c)
      setReal(results[1], place * classes + c, counts ? confidence * sigmoid(logit(first + 5 + c)) : 0);
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

LogicalResult MulticlassNms3Op::computeReference(llvm::ArrayRef<Tensor> operands,
                                                 llvm::MutableArrayRef<Tensor> results, RandomState *) {
  auto images = imagesOf(operands);
  if (failed(images))
    return failure();
  auto element = [&](llvm::APFloat value) { return rounded(operands[0].dtype(), value.convertToDouble()); };
  std::vector<std::vector<Found>> all;
  for (const Candidates &image : *images) {
    std::vector<Found> found;
    auto keep = [&](int64_t label, const std::vector<int64_t> &best) {
      std::vector<Box> boxes;
      for (int64_t i : best)
        boxes.push_back(image.box(label, i));
      for (size_t i :
           staying(boxes, element(getNmsThreshold()), element(getNmsEta()), getNormalized() ? 0 : 1))
        found.push_back({label, best[i], image.score(label, best[i])});
    };
    forEachLabel(*this, image, element(getScoreThreshold()), keep);
    auto most = static_cast<int64_t>(getKeepTopK());
    if (most >= 0 && static_cast<int64_t>(found.size()) > most)
      found = bestOf(std::move(found), most);
    llvm::stable_sort(found, [&](const Found &a, const Found &b) {
      return image.shared ? a.label < b.label : std::pair(a.label, a.box) < std::pair(b.label, b.box);
    });
    all.push_back(std::move(found));
  }
  setFound(*images, all, results);
  if (getMarksNone() && results[0].size() == 0) {
    results[0] = Tensor(results[0].dtype(), {1, 1});
    setReal(results[0], 0, -1);
    results[2] = vectorOf(results[2].dtype(), {1});
  }
  return success();
}

LogicalResult MatrixNmsOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                            llvm::MutableArrayRef<Tensor> results, RandomState *) {
  auto images = imagesOf(operands);
  if (failed(images))
    return failure();
  auto element = [&](llvm::APFloat value) { return rounded(operands[0].dtype(), value.convertToDouble()); };
  double pixel = getNormalized() ? 0 : 1, sigma = element(getGaussianSigma());
  std::vector<std::vector<Found>> all;
  for (const Candidates &image : *images) {
    std::vector<Found> found;
    auto keep = [&](int64_t label, const std::vector<int64_t> &best) {
      auto between = [&](size_t i, size_t j) {
        return overlap(image.box(label, best[i]), image.box(label, best[j]), pixel);
      };
      auto greatest = [&](size_t i) {
        double out = 0;
        for (size_t better = 0; better < i; ++better)
          out = std::max(out, between(i, better));
        return out;
      };
      for (size_t i = 0; i < best.size(); ++i) {
        double decay = 1;
        for (size_t j = 0; j < i; ++j) {
          double own = between(i, j), worst = greatest(j);
          decay = std::min(decay, getUseGaussian() ? std::exp((worst * worst - own * own) * sigma)
                                                   : (1 - own) / (1 - worst));
        }
        double score = decay * image.score(label, best[i]);
        if (score > element(getPostThreshold()))
          found.push_back({label, best[i], score});
      }
    };
    forEachLabel(*this, image, element(getScoreThreshold()), keep);
    all.push_back(bestOf(std::move(found), static_cast<int64_t>(getKeepTopK())));
  }
  setFound(*images, all, results);
  return success();
}

} // namespace proa::pd
