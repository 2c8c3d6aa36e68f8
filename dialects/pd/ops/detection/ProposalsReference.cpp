//! Reference kernels of ops on proposals.
#include "dialects/pd/ops/detection/Proposals.h"
#include "dialects/pd/reference/Boxes.h"

#include <cmath>
#include <numeric>

using namespace mlir;

namespace proa::pd {
namespace {

using namespace boxes;

/// The proposals of one image.
class ImageProposals {
public:
  ImageProposals(GenerateProposalsOp op, llvm::ArrayRef<Tensor> operands, int64_t image)
      : op(op), operands(operands), image(image), anchors(operands[0].dims()[1]),
        plane(operands[0].dims()[2] * operands[0].dims()[3]), pixel(op.getPixelOffset() ? 1 : 0) {}

  /// Boxes and scores, the best one first; a box of zeros if there are none.
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
  /// Anchors are in the order of positions, scores and deltas in the order of channels.
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
    std::array<double, 4> values{};
    for (int64_t k = 0; k < 4; ++k)
      values[static_cast<size_t>(k)] =
          realAt(operands[1], (channelOf(i) * 4 + k) * plane + i / anchors) * realAt(operands[4], 4 * i + k);
    Box box = decoded(boxAt(operands[3], i), values, pixel, std::log(1000.0 / 16));
    for (size_t k = 0; k < 4; ++k)
      box[k] = std::max(std::min(box[k], sizeOf(k % 2 == 0 ? 1 : 0) - pixel), 0.0);
    return box;
  }

  bool isLargeEnough(const Box &box) const {
    double least = std::max(op.getMinSize().convertToDouble(), 1.0);
    for (size_t axis : {0, 1}) {
      double dimSize = box[axis + 2] - box[axis] + pixel, scaled = dimSize;
      if (pixel > 0 && box[axis] + dimSize / 2 > sizeOf(axis == 0 ? 1 : 0))
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

/// The image of each of `count` boxes, of which each image has perImage[i].
std::vector<int64_t> imageOfEach(llvm::ArrayRef<int64_t> perImage) {
  std::vector<int64_t> out;
  for (auto [image, count] : llvm::enumerate(perImage))
    out.insert(out.end(), static_cast<size_t>(std::max<int64_t>(0, count)), static_cast<int64_t>(image));
  return out;
}

} // namespace

LogicalResult GenerateProposalsOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                    llvm::MutableArrayRef<Tensor> results, RandomState *) {
  std::vector<Box> boxes;
  std::vector<double> scores;
  std::vector<int64_t> counts;
  for (int64_t image = 0; image < operands[0].dims()[0]; ++image) {
    auto found = ImageProposals(*this, operands, image).find();
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

LogicalResult DistributeFpnProposalsOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                         llvm::MutableArrayRef<Tensor> results,
                                                         RandomState *) {
  auto first = static_cast<int64_t>(getMinLevel()), last = static_cast<int64_t>(getMaxLevel());
  int64_t count = operands[0].dims()[0];
  std::vector<int64_t> perImage = operands.size() > 1 ? integersOf(operands[1]) : std::vector<int64_t>{count};
  std::vector<int64_t> images = imageOfEach(perImage), levels, restore(static_cast<size_t>(count));
  if (static_cast<int64_t>(images.size()) != count)
    return failure();
  for (int64_t i = 0; i < count; ++i) {
    double size = std::sqrt(area(boxAt(operands[0], i), getPixelOffset() ? 1 : 0));
    double level = std::floor(std::log2(size / static_cast<double>(getReferScale()) + 1e-6) +
                              static_cast<double>(getReferLevel()));
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
    Tensor &scalar = results[static_cast<size_t>(last - first + 2 + level - first)];
    scalar = vectorOf(scalar.dtype(), counts);
  }
  Tensor &index = results[static_cast<size_t>(last - first + 1)];
  index = vectorOf(index.dtype(), restore).reshaped({count, 1});
  return success();
}

LogicalResult CollectFpnProposalsOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                      llvm::MutableArrayRef<Tensor> results, RandomState *) {
  auto levels = static_cast<size_t>(getLevels());
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
  if (auto most = static_cast<size_t>(getPostNmsTopn()); all.size() > most)
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

} // namespace proa::pd
