//! Reference kernels of non-maximum suppression.
#include "dialects/pd/ops/detection/Nms.h"
#include "dialects/pd/reference/Boxes.h"

#include <cmath>
#include <limits>
#include <numeric>

using namespace mlir;

namespace proa::pd {
namespace {

using namespace boxes;

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
  std::vector<int64_t> positions, counts;
  for (auto [image, list] : llvm::zip(images, found)) {
    for (const Found &one : list) {
      Box box = image.box(one.label, one.box);
      rows.insert(rows.end(), {static_cast<double>(one.label), one.score, box[0], box[1], box[2], box[3]});
      int64_t position = image.first + one.box;
      positions.push_back(image.shared ? position : position * image.classes + one.label);
    }
    counts.push_back(static_cast<int64_t>(list.size()));
  }
  results[0] = Tensor(results[0].dtype(), {static_cast<int64_t>(positions.size()), 6});
  for (auto [i, value] : llvm::enumerate(rows))
    setReal(results[0], static_cast<int64_t>(i), value);
  results[1] = vectorOf(results[1].dtype(), positions).reshaped({static_cast<int64_t>(positions.size()), 1});
  results[2] = vectorOf(results[2].dtype(), counts);
}

/// Calls `visit(label, best)` for each class except the background, with its best candidates.
template <class Nms, class Visit>
void forEachLabel(Nms nms, const Candidates &image, double scoreThreshold, const Visit &visit) {
  for (int64_t label = 0; label < image.classes; ++label)
    if (label != static_cast<int64_t>(nms.getBackgroundLabel()))
      visit(label, image.best(label, scoreThreshold, static_cast<int64_t>(nms.getNmsTopK())));
}

struct Selected {
  int64_t label;
  double score;
  Box box;
};

/// Stores the rows of all images and the offset of each image.
void setSelected(const std::vector<std::vector<Selected>> &images, llvm::MutableArrayRef<Tensor> results) {
  std::vector<double> rows;
  std::vector<int64_t> ends{0};
  for (const auto &list : images) {
    for (const Selected &one : list)
      rows.insert(rows.end(), {static_cast<double>(one.label), one.score, one.box[0], one.box[1], one.box[2],
                               one.box[3]});
    ends.push_back(static_cast<int64_t>(rows.size()) / 6);
  }
  results[0] = Tensor(results[0].dtype(), {ends.back(), 6});
  for (auto [i, value] : llvm::enumerate(rows))
    setReal(results[0], static_cast<int64_t>(i), value);
  results[1] = vectorOf(results[1].dtype(), ends);
}

void sortByScore(std::vector<Selected> &list, int64_t most) {
  llvm::stable_sort(list, [](const Selected &a, const Selected &b) { return a.score > b.score; });
  if (most >= 0 && static_cast<int64_t>(list.size()) > most)
    list.resize(static_cast<size_t>(most));
}

std::vector<Box> boxesOf(const std::vector<Selected> &list) {
  std::vector<Box> out;
  for (const Selected &one : list)
    out.push_back(one.box);
  return out;
}

//===-- retinanet_detection_output ----------------------------------------------------------------------===//

/// The best pairs of a box and a class that one level has for one image.
std::vector<Selected> levelOf(RetinanetDetectionOutputOp op, llvm::ArrayRef<Tensor> operands, size_t level,
                              int64_t image) {
  size_t levels = op.getBboxes().size();
  const Tensor &deltas = operands[level], &scores = operands[levels + level],
               &anchors = operands[2 * levels + level], &info = operands[3 * levels];
  int64_t count = deltas.dims()[1], classes = scores.dims()[2], columns = info.dims()[1];
  double scale = realAt(info, image * columns + 2),
         threshold =
             level + 1 < levels ? rounded(scores.dtype(), op.getScoreThreshold().convertToDouble()) : 0;
  std::array<double, 2> most{std::round(realAt(info, image * columns + 1) / scale) - 1,
                             std::round(realAt(info, image * columns) / scale) - 1};
  std::vector<Selected> out;
  for (int64_t i = 0; i < count * classes; ++i) {
    double score = realAt(scores, image * count * classes + i);
    if (!(score > threshold))
      continue;
    std::array<double, 4> values = boxAt(deltas, image * count + i / classes);
    Box box = decoded(boxAt(anchors, i / classes), values, 1, std::numeric_limits<double>::infinity());
    for (size_t k = 0; k < 4; ++k)
      box[k] = std::max(std::min(box[k] / scale, most[k % 2]), 0.0);
    out.push_back({i % classes, score, box});
  }
  sortByScore(out, static_cast<int64_t>(op.getNmsTopK()));
  return out;
}

//===-- locality_aware_nms ------------------------------------------------------------------------------===//

/// The boxes of one image and their scores of each class, while class after class merges boxes.
struct Merging {
  std::vector<Box> boxes;
  std::vector<std::vector<double>> scores;

  /// The indices of the boxes that the others of a class were merged into.
  std::vector<size_t> merge(size_t label, double threshold, double pixel) {
    std::vector<size_t> heads;
    std::vector<double> &own = scores[label];
    for (size_t i = 0; i < boxes.size(); ++i) {
      if (heads.empty() || !(overlap(boxes[i], boxes[heads.back()], pixel) > threshold)) {
        heads.push_back(i);
        continue;
      }
      size_t head = heads.back();
      for (size_t k = 0; k < 4; ++k)
        boxes[head][k] = (boxes[i][k] * own[i] + boxes[head][k] * own[head]) / (own[i] + own[head]);
      own[head] += own[i];
    }
    return heads;
  }
};

std::vector<Selected> mergedOf(LocalityAwareNmsOp op, Merging image, DType dtype) {
  auto element = [&](const llvm::APFloat &value) { return rounded(dtype, value.convertToDouble()); };
  double threshold = element(op.getNmsThreshold()), pixel = op.getNormalized() ? 0 : 1;
  std::vector<std::pair<size_t, size_t>> kept; // class and box
  for (size_t label = 0; label < image.scores.size(); ++label) {
    if (static_cast<int64_t>(label) == static_cast<int64_t>(op.getBackgroundLabel()))
      continue;
    std::vector<size_t> heads = image.merge(label, threshold, pixel);
    const std::vector<double> &own = image.scores[label];
    llvm::erase_if(heads, [&](size_t i) { return !(own[i] > element(op.getScoreThreshold())); });
    llvm::stable_sort(heads, [&](size_t a, size_t b) { return own[a] > own[b]; });
    if (auto most = static_cast<int64_t>(op.getNmsTopK());
        most >= 0 && static_cast<size_t>(most) < heads.size())
      heads.resize(static_cast<size_t>(most));
    std::vector<Box> boxes;
    for (size_t i : heads)
      boxes.push_back(image.boxes[i]);
    for (size_t position : staying(boxes, threshold, element(op.getNmsEta()), pixel))
      kept.emplace_back(label, heads[position]);
  }
  auto scoreOf = [&](const std::pair<size_t, size_t> &one) { return image.scores[one.first][one.second]; };
  if (auto most = static_cast<int64_t>(op.getKeepTopK());
      most >= 0 && static_cast<size_t>(most) < kept.size()) {
    llvm::stable_sort(kept, [&](const auto &a, const auto &b) { return scoreOf(a) > scoreOf(b); });
    kept.resize(static_cast<size_t>(most));
    llvm::stable_sort(kept, [](const auto &a, const auto &b) { return a.first < b.first; });
  }
  // A box has the value that the last class gave it.
  std::vector<Selected> out;
  for (const auto &one : kept)
    out.push_back({static_cast<int64_t>(one.first), scoreOf(one), image.boxes[one.second]});
  return out;
}

} // namespace

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
      auto stay = staying(boxes, element(getNmsThreshold()), element(getNmsEta()), getNormalized() ? 0 : 1);
      if (auto most = static_cast<int64_t>(getClassKeepTopK());
          most >= 0 && static_cast<int64_t>(stay.size()) > most)
        stay.resize(static_cast<size_t>(most));
      for (size_t i : stay)
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

LogicalResult NmsOp::computeReference(llvm::ArrayRef<Tensor> operands, llvm::MutableArrayRef<Tensor> results,
                                      RandomState *) {
  std::vector<Box> boxes;
  for (int64_t i = 0; i < operands[0].dims()[0]; ++i)
    boxes.push_back(boxAt(operands[0], i));
  double threshold = rounded(operands[0].dtype(), getThreshold().convertToDouble());
  std::vector<size_t> out = staying(boxes, threshold, 1, 0);
  results[0] = vectorOf(results[0].dtype(), std::vector<int64_t>(out.begin(), out.end()));
  return success();
}

LogicalResult RetinanetDetectionOutputOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                           llvm::MutableArrayRef<Tensor> results,
                                                           RandomState *) {
  DType dtype = operands[0].dtype();
  double threshold = rounded(dtype, getNmsThreshold().convertToDouble()),
         eta = rounded(dtype, getNmsEta().convertToDouble());
  int64_t classes = operands[getBboxes().size()].dims()[2];
  std::vector<std::vector<Selected>> images;
  for (int64_t n = 0; n < operands[0].dims()[0]; ++n) {
    std::vector<Selected> all, kept;
    for (size_t level = 0; level < getBboxes().size(); ++level)
      llvm::append_range(all, levelOf(*this, operands, level, n));
    for (int64_t label = 0; label < classes; ++label) {
      std::vector<Selected> own;
      llvm::copy_if(all, std::back_inserter(own), [&](const Selected &one) { return one.label == label; });
      sortByScore(own, -1);
      for (size_t i : staying(boxesOf(own), threshold, eta, 1))
        kept.push_back({label + 1, own[i].score, own[i].box});
    }
    sortByScore(kept, static_cast<int64_t>(getKeepTopK()));
    images.push_back(std::move(kept));
  }
  setSelected(images, results);
  return success();
}

LogicalResult LocalityAwareNmsOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                   llvm::MutableArrayRef<Tensor> results, RandomState *) {
  int64_t count = operands[0].dims()[1], classes = operands[1].dims()[1];
  std::vector<std::vector<Selected>> images;
  for (int64_t n = 0; n < operands[0].dims()[0]; ++n) {
    Merging image;
    for (int64_t i = 0; i < count; ++i)
      image.boxes.push_back(boxAt(operands[0], n * count + i));
    for (int64_t label = 0; label < classes; ++label) {
      image.scores.emplace_back();
      for (int64_t i = 0; i < count; ++i)
        image.scores.back().push_back(realAt(operands[1], (n * classes + label) * count + i));
    }
    images.push_back(mergedOf(*this, std::move(image), operands[0].dtype()));
  }
  setSelected(images, results);
  if (results[0].size() == 0) {
    results[0] = Tensor(results[0].dtype(), {1, 1});
    setReal(results[0], 0, -1);
    results[1] = vectorOf(results[1].dtype(), {0, 1});
  }
  return success();
}

} // namespace proa::pd
