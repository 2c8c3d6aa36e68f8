//! Boxes decoded, compared and selected one after the other, by the definitions of dialects/pd/ops/detection.
#include "dialects/pd/reference/Boxes.h"
#include "dialects/pd/ops/detection/DetectionOps.h"
#include "dialects/pd/ops/detection/Proposals.h"
#include "dialects/pd/ops/detection/Selection.h"

#include <cmath>
#include <numeric>

using namespace mlir;

namespace proa::pd {
namespace boxes {

Box boxAt(const Tensor &boxes, int64_t number) {
  Box out{};
  for (int64_t k = 0; k < 4; ++k)
    out[static_cast<size_t>(k)] = realAt(boxes, 4 * number + k);
  return out;
}

double rounded(DType dtype, double value) {
  Tensor one(dtype, {1});
  setReal(one, 0, value);
  return realAt(one, 0);
}

double area(const Box &box, double pixel) {
  return box[2] < box[0] || box[3] < box[1] ? 0 : (box[2] - box[0] + pixel) * (box[3] - box[1] + pixel);
}

double overlap(const Box &a, const Box &b, double pixel) {
  double common = 1;
  for (size_t axis : {0, 1}) {
    double low = std::max(a[axis], b[axis]), high = std::min(a[axis + 2], b[axis + 2]);
    if (high < low)
      return 0;
    common *= high - low + pixel;
  }
  return common / (area(a, pixel) + area(b, pixel) - common);
}

double pixelOverlap(const Box &a, const Box &b) {
  double common = 1, ofA = 1, ofB = 1;
  for (size_t axis : {0, 1}) {
    common *= std::max(0.0, std::min(a[axis + 2], b[axis + 2]) - std::max(a[axis], b[axis]) + 1);
    ofA *= a[axis + 2] - a[axis] + 1;
    ofB *= b[axis + 2] - b[axis] + 1;
  }
  return common == 0 ? 0 : common / (ofA + ofB - common);
}

std::array<double, 4> offsetTo(const Box &from, const Box &to) {
  std::array<double, 4> offset{};
  for (size_t axis : {0, 1}) {
    double extent = from[axis + 2] - from[axis] + 1, wanted = to[axis + 2] - to[axis] + 1;
    offset[axis] = (to[axis] + wanted / 2 - from[axis] - extent / 2) / extent;
    offset[axis + 2] = std::log(wanted / extent);
  }
  return offset;
}

std::vector<size_t> staying(const std::vector<Box> &boxes, double threshold, double eta, double pixel) {
  std::vector<size_t> out;
  for (size_t i = 0; i < boxes.size(); ++i) {
    if (llvm::any_of(out, [&](size_t other) { return overlap(boxes[i], boxes[other], pixel) > threshold; }))
      continue;
    out.push_back(i);
    if (eta < 1 && threshold > 0.5)
      threshold *= eta;
  }
  return out;
}

void setBoxes(Tensor &result, const std::vector<Box> &boxes) {
  result = Tensor(result.dtype(), {static_cast<int64_t>(boxes.size()), 4});
  for (auto [i, box] : llvm::enumerate(boxes))
    for (size_t k = 0; k < 4; ++k)
      setReal(result, static_cast<int64_t>(4 * i + k), box[k]);
}

Box decoded(const Box &anchor, std::array<double, 4> numbers, double pixel, double mostLogarithm) {
  Box out{};
  for (size_t axis : {0, 1}) {
    double extent = anchor[axis + 2] - anchor[axis] + pixel,
           centre = anchor[axis] + extent / 2 + numbers[axis] * extent;
    extent *= std::exp(std::min(numbers[axis + 2], mostLogarithm));
    out[axis] = centre - extent / 2;
    out[axis + 2] = centre + extent / 2 - pixel;
  }
  return out;
}

} // namespace boxes

namespace {

using namespace boxes;

//===-- yolo_box ----------------------------------------------------------------------------------------===//

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

LogicalResult yoloBox(Operation *op, llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  auto yolo = cast<YoloBoxOp>(op);
  llvm::ArrayRef<int64_t> dims = operands[0].dims(), anchors = yolo.getAnchors();
  auto classes = static_cast<int64_t>(yolo.getClassNum()), count = static_cast<int64_t>(anchors.size() / 2);
  int64_t images = dims[0], height = dims[2], width = dims[3];
  double spread = yolo.getScaleXY().convertToDouble(), shift = -0.5 * (spread - 1),
         iouShare = yolo.getIouAwareFactor().convertToDouble(),
         ratio = static_cast<double>(yolo.getDownsampleRatio()),
         threshold = rounded(operands[0].dtype(), yolo.getConfThresh().convertToDouble());
  auto decode = [&](int64_t n, int64_t anchor, int64_t row, int64_t column) {
    auto logit = [&](int64_t channel) {
      return realAt(operands[0], ((n * dims[1] + channel) * height + row) * width + column);
    };
    int64_t first = (yolo.getIouAware() ? count : 0) + anchor * (5 + classes),
            place = ((n * count + anchor) * height + row) * width + column;
    double confidence = sigmoid(logit(first + 4));
    if (yolo.getIouAware())
      confidence = std::pow(confidence, 1 - iouShare) * std::pow(sigmoid(logit(anchor)), iouShare);
    bool counts = !(confidence < threshold); // a NaN too
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
    if (yolo.getClipBbox())
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

//===-- multiclass_nms3, matrix_nms ---------------------------------------------------------------------===//

/// The boxes of one image and their scores by class. Shared: one box for all classes.
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

/// Label, score and corners of what each image has, where it stands, and how many there are.
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

/// Calls `visit(label, best)` for each class but the background, with its best candidates.
template <class Nms, class Visit>
void forEachLabel(Nms nms, const Candidates &image, double scoreThreshold, const Visit &visit) {
  for (int64_t label = 0; label < image.classes; ++label)
    if (label != static_cast<int64_t>(nms.getBackgroundLabel()))
      visit(label, image.best(label, scoreThreshold, static_cast<int64_t>(nms.getNmsTopK())));
}

LogicalResult multiclassNms(Operation *op, llvm::ArrayRef<Tensor> operands,
                            llvm::MutableArrayRef<Tensor> results) {
  auto nms = cast<MulticlassNms3Op>(op);
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
      for (size_t i : staying(boxes, element(nms.getNmsThreshold()), element(nms.getNmsEta()),
                              nms.getNormalized() ? 0 : 1))
        found.push_back({label, best[i], image.score(label, best[i])});
    };
    forEachLabel(nms, image, element(nms.getScoreThreshold()), keep);
    auto most = static_cast<int64_t>(nms.getKeepTopK());
    if (most >= 0 && static_cast<int64_t>(found.size()) > most)
      found = bestOf(std::move(found), most);
    llvm::stable_sort(found, [&](const Found &a, const Found &b) {
      return image.shared ? a.label < b.label : std::pair(a.label, a.box) < std::pair(b.label, b.box);
    });
    all.push_back(std::move(found));
  }
  setFound(*images, all, results);
  if (nms.getMarksNone() && results[0].size() == 0) {
    results[0] = Tensor(results[0].dtype(), {1, 1});
    setReal(results[0], 0, -1);
    results[2] = vectorOf(results[2].dtype(), {1});
  }
  return success();
}

LogicalResult matrixNms(Operation *op, llvm::ArrayRef<Tensor> operands,
                        llvm::MutableArrayRef<Tensor> results) {
  auto nms = cast<MatrixNmsOp>(op);
  auto images = imagesOf(operands);
  if (failed(images))
    return failure();
  auto element = [&](llvm::APFloat value) { return rounded(operands[0].dtype(), value.convertToDouble()); };
  double pixel = nms.getNormalized() ? 0 : 1, sigma = element(nms.getGaussianSigma());
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
          decay = std::min(decay, nms.getUseGaussian() ? std::exp((worst * worst - own * own) * sigma)
                                                       : (1 - own) / (1 - worst));
        }
        double score = decay * image.score(label, best[i]);
        if (score > element(nms.getPostThreshold()))
          found.push_back({label, best[i], score});
      }
    };
    forEachLabel(nms, image, element(nms.getScoreThreshold()), keep);
    all.push_back(bestOf(std::move(found), static_cast<int64_t>(nms.getKeepTopK())));
  }
  setFound(*images, all, results);
  return success();
}

//===-- nms, bipartite_match ----------------------------------------------------------------------------===//

LogicalResult nms(Operation *op, llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results) {
  std::vector<Box> boxes;
  for (int64_t i = 0; i < operands[0].dims()[0]; ++i)
    boxes.push_back(boxAt(operands[0], i));
  double threshold = rounded(operands[0].dtype(), cast<NmsOp>(op).getThreshold().convertToDouble());
  std::vector<size_t> out = staying(boxes, threshold, 1, 0);
  results[0] = vectorOf(results[0].dtype(), std::vector<int64_t>(out.begin(), out.end()));
  return success();
}

LogicalResult bipartiteMatch(Operation *op, llvm::ArrayRef<Tensor> operands,
                             llvm::MutableArrayRef<Tensor> results) {
  auto match = cast<BipartiteMatchOp>(op);
  int64_t columns = operands[0].dims()[1];
  std::vector<int64_t> offsets =
      operands.size() > 1 ? integersOf(operands[1]) : std::vector<int64_t>{0, operands[0].dims()[0]};
  auto images = static_cast<int64_t>(offsets.size()) - 1;
  double least = rounded(operands[0].dtype(), 1e-6),
         threshold = rounded(operands[0].dtype(), match.getDistThreshold().convertToDouble());
  std::vector<int64_t> rowOf(static_cast<size_t>(images * columns), -1);
  results[1] = Tensor(results[1].dtype(), {images, columns});
  for (int64_t i = 0; i < results[1].size(); ++i)
    setReal(results[1], i, 0);
  for (int64_t n = 0; n < images; ++n) {
    int64_t begin = offsets[static_cast<size_t>(n)], end = offsets[static_cast<size_t>(n) + 1];
    auto distance = [&](int64_t row, int64_t column) { return realAt(operands[0], row * columns + column); };
    auto chosen = [&](int64_t column) -> int64_t & {
      return rowOf[static_cast<size_t>(n * columns + column)];
    };
    auto choose = [&](int64_t row, int64_t column) {
      chosen(column) = row - begin;
      setReal(results[1], n * columns + column, distance(row, column));
    };
    std::vector<bool> isTaken(static_cast<size_t>(end - begin));
    while (true) { // the greatest of all pairs that are left
      std::optional<std::pair<int64_t, int64_t>> best;
      for (int64_t row = begin; row < end; ++row)
        for (int64_t column = 0; column < columns; ++column)
          if (!isTaken[static_cast<size_t>(row - begin)] && chosen(column) < 0 &&
              distance(row, column) >= least &&
              (!best || distance(row, column) > distance(best->first, best->second)))
            best = {row, column};
      if (!best)
        break;
      isTaken[static_cast<size_t>(best->first - begin)] = true;
      choose(best->first, best->second);
    }
    for (int64_t column = 0; match.getMatchType() == MatchType::PerPrediction && column < columns; ++column) {
      if (chosen(column) >= 0)
        continue;
      for (int64_t row = begin; row < end; ++row)
        if (double own = distance(row, column);
            own >= least && own >= threshold &&
            (chosen(column) < 0 || own > distance(chosen(column) + begin, column)))
          choose(row, column);
    }
  }
  results[0] = vectorOf(results[0].dtype(), rowOf).reshaped({images, columns});
  return success();
}

//===-- generate_proposals ------------------------------------------------------------------------------===//

/// What generate_proposals finds in one image.
class ImageProposals {
public:
  ImageProposals(GenerateProposalsOp op, llvm::ArrayRef<Tensor> operands, int64_t image)
      : op(op), operands(operands), image(image), anchors(operands[0].dims()[1]),
        plane(operands[0].dims()[2] * operands[0].dims()[3]), pixel(op.getPixelOffset() ? 1 : 0) {}

  /// Boxes and scores, the best one first; a box of zeros where there is none.
  std::vector<std::pair<Box, double>> find() const {
    std::vector<Box> boxes;
    std::vector<double> scores;
    for (int64_t i : bestAnchors())
      if (Box box = clipped(i); isLargeEnough(box)) {
        boxes.push_back(box);
        scores.push_back(scoreOf(i));
      }
    if (boxes.empty())
      return {{Box{}, 0}};
    double threshold = rounded(operands[0].dtype(), op.getNmsThresh().convertToDouble());
    std::vector<size_t> stays(boxes.size());
    std::iota(stays.begin(), stays.end(), 0);
    if (threshold > 0) {
      stays = staying(boxes, threshold, op.getEta().convertToDouble(), pixel);
      if (auto most = static_cast<int64_t>(op.getPostNmsTopN());
          most > 0 && static_cast<int64_t>(stays.size()) > most)
        stays.resize(static_cast<size_t>(most));
    }
    std::vector<std::pair<Box, double>> out;
    for (size_t i : stays)
      out.emplace_back(boxes[i], scores[i]);
    return out;
  }

private:
  double sizeOf(int64_t k) const { return realAt(operands[2], image * operands[2].dims()[1] + k); }
  /// Anchors are numbered place by place, scores and deltas stand channel by channel.
  int64_t channelOf(int64_t i) const { return image * anchors + i % anchors; }
  double scoreOf(int64_t i) const { return realAt(operands[0], channelOf(i) * plane + i / anchors); }

  std::vector<int64_t> bestAnchors() const {
    std::vector<int64_t> order(static_cast<size_t>(anchors * plane));
    std::iota(order.begin(), order.end(), 0);
    llvm::stable_sort(order, [&](int64_t a, int64_t b) { return scoreOf(a) > scoreOf(b); });
    if (auto most = static_cast<int64_t>(op.getPreNmsTopN()); most > 0 && anchors * plane > most)
      order.resize(static_cast<size_t>(most));
    return order;
  }

  Box clipped(int64_t i) const {
    std::array<double, 4> numbers{};
    for (int64_t k = 0; k < 4; ++k)
      numbers[static_cast<size_t>(k)] =
          realAt(operands[1], (channelOf(i) * 4 + k) * plane + i / anchors) * realAt(operands[4], 4 * i + k);
    Box box = decoded(boxAt(operands[3], i), numbers, pixel, std::log(1000.0 / 16));
    for (size_t k = 0; k < 4; ++k)
      box[k] = std::max(std::min(box[k], sizeOf(k % 2 == 0 ? 1 : 0) - pixel), 0.0);
    return box;
  }

  bool isLargeEnough(const Box &box) const {
    double least = std::max(op.getMinSize().convertToDouble(), 1.0);
    for (size_t axis : {0, 1}) {
      double extent = box[axis + 2] - box[axis] + pixel, scaled = extent;
      if (pixel > 0 && box[axis] + extent / 2 > sizeOf(axis == 0 ? 1 : 0))
        return false;
      if (pixel > 0 && op.getIsScaled())
        scaled = (box[axis + 2] - box[axis]) / sizeOf(2) + 1;
      if (scaled < least)
        return false;
    }
    return true;
  }

  mutable GenerateProposalsOp op;
  llvm::ArrayRef<Tensor> operands;
  int64_t image, anchors, plane;
  double pixel;
};

LogicalResult generateProposals(Operation *op, llvm::ArrayRef<Tensor> operands,
                                llvm::MutableArrayRef<Tensor> results) {
  std::vector<Box> boxes;
  std::vector<double> scores;
  std::vector<int64_t> counts;
  for (int64_t image = 0; image < operands[0].dims()[0]; ++image) {
    auto found = ImageProposals(cast<GenerateProposalsOp>(op), operands, image).find();
    for (const auto &[box, score] : found) {
      boxes.push_back(box);
      scores.push_back(score);
    }
    counts.push_back(static_cast<int64_t>(found.size()));
  }
  setBoxes(results[0], boxes);
  results[1] = Tensor(results[1].dtype(), {static_cast<int64_t>(scores.size()), 1});
  for (auto [i, score] : llvm::enumerate(scores))
    setReal(results[1], static_cast<int64_t>(i), score);
  results[2] = vectorOf(results[2].dtype(), counts);
  return success();
}

//===-- Levels of a feature pyramid ---------------------------------------------------------------------===//

/// The image of each of `count` boxes, of which each image has perImage[i].
std::vector<int64_t> imageOfEach(llvm::ArrayRef<int64_t> perImage) {
  std::vector<int64_t> out;
  for (auto [image, count] : llvm::enumerate(perImage))
    out.insert(out.end(), static_cast<size_t>(std::max<int64_t>(0, count)), static_cast<int64_t>(image));
  return out;
}

LogicalResult distributeProposals(Operation *op, llvm::ArrayRef<Tensor> operands,
                                  llvm::MutableArrayRef<Tensor> results) {
  auto distribute = cast<DistributeFpnProposalsOp>(op);
  auto first = static_cast<int64_t>(distribute.getMinLevel()),
       last = static_cast<int64_t>(distribute.getMaxLevel());
  int64_t count = operands[0].dims()[0];
  std::vector<int64_t> perImage = operands.size() > 1 ? integersOf(operands[1]) : std::vector<int64_t>{count};
  std::vector<int64_t> images = imageOfEach(perImage), levels, restore(static_cast<size_t>(count));
  if (static_cast<int64_t>(images.size()) != count)
    return failure();
  for (int64_t i = 0; i < count; ++i) {
    double size = std::sqrt(area(boxAt(operands[0], i), distribute.getPixelOffset() ? 1 : 0));
    double level = std::floor(std::log2(size / static_cast<double>(distribute.getReferScale()) + 1e-6) +
                              static_cast<double>(distribute.getReferLevel()));
    levels.push_back(
        static_cast<int64_t>(std::clamp(level, static_cast<double>(first), static_cast<double>(last))));
  }
  int64_t next = 0;
  for (int64_t level = first; level <= last; ++level) {
    std::vector<Box> boxes;
    std::vector<int64_t> counts(perImage.size());
    for (size_t i = 0; i < levels.size(); ++i)
      if (levels[i] == level) {
        boxes.push_back(boxAt(operands[0], static_cast<int64_t>(i)));
        ++counts[static_cast<size_t>(images[i])];
        restore[i] = next++;
      }
    setBoxes(results[static_cast<size_t>(level - first)], boxes);
    Tensor &number = results[static_cast<size_t>(last - first + 2 + level - first)];
    number = vectorOf(number.dtype(), counts);
  }
  Tensor &index = results[static_cast<size_t>(last - first + 1)];
  index = vectorOf(index.dtype(), restore).reshaped({count, 1});
  return success();
}

LogicalResult collectProposals(Operation *op, llvm::ArrayRef<Tensor> operands,
                               llvm::MutableArrayRef<Tensor> results) {
  auto collect = cast<CollectFpnProposalsOp>(op);
  auto levels = static_cast<size_t>(collect.getLevels());
  struct Scored {
    Box box;
    double score;
    int64_t image;
  };
  std::vector<Scored> all;
  size_t images = 1;
  for (size_t level = 0; level < levels; ++level) {
    int64_t count = operands[level].dims()[0];
    std::vector<int64_t> perImage =
        operands.size() > 2 * levels ? integersOf(operands[2 * levels + level]) : std::vector<int64_t>{count};
    images = perImage.size();
    std::vector<int64_t> image = imageOfEach(perImage);
    if (static_cast<int64_t>(image.size()) != count)
      return failure();
    for (int64_t i = 0; i < count; ++i)
      all.push_back(
          {boxAt(operands[level], i), realAt(operands[levels + level], i), image[static_cast<size_t>(i)]});
  }
  llvm::stable_sort(all, [](const Scored &a, const Scored &b) { return a.score > b.score; });
  if (auto most = static_cast<size_t>(collect.getPostNmsTopn()); all.size() > most)
    all.resize(most);
  std::vector<Box> boxes;
  std::vector<int64_t> counts(images);
  for (size_t image = 0; image < images; ++image)
    for (const Scored &one : all)
      if (one.image == static_cast<int64_t>(image)) {
        boxes.push_back(one.box);
        ++counts[image];
      }
  setBoxes(results[0], boxes);
  results[1] = vectorOf(results[1].dtype(), counts);
  return success();
}

//===-- box_decoder_and_assign --------------------------------------------------------------------------===//

LogicalResult decodeAndAssign(Operation *op, llvm::ArrayRef<Tensor> operands,
                              llvm::MutableArrayRef<Tensor> results) {
  double clip = rounded(operands[0].dtype(), cast<BoxDecoderAndAssignOp>(op).getBoxClip().convertToDouble());
  int64_t classes = operands[3].dims()[1];
  for (int64_t row = 0; row < operands[0].dims()[0]; ++row) {
    Box prior = boxAt(operands[0], row), assigned = prior;
    double best = -1;
    for (int64_t label = 0; label < classes; ++label) {
      std::array<double, 4> numbers{};
      for (int64_t k = 0; k < 4; ++k)
        numbers[static_cast<size_t>(k)] =
            realAt(operands[2], (row * classes + label) * 4 + k) * realAt(operands[1], k);
      Box box = decoded(prior, numbers, 1, clip);
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

} // namespace

void addBoxes(ReferenceKernels &kernels) {
  kernels.add<YoloBoxOp>(yoloBox);
  kernels.add<MulticlassNms3Op>(multiclassNms);
  kernels.add<MatrixNmsOp>(matrixNms);
  kernels.add<NmsOp>(nms);
  kernels.add<BipartiteMatchOp>(bipartiteMatch);
  kernels.add<GenerateProposalsOp>(generateProposals);
  kernels.add<DistributeFpnProposalsOp>(distributeProposals);
  kernels.add<CollectFpnProposalsOp>(collectProposals);
  kernels.add<BoxDecoderAndAssignOp>(decodeAndAssign);
}

} // namespace proa::pd
