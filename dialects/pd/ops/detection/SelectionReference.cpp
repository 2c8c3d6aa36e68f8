//! Reference kernels of the selections that heads of detectors make.
#include "dialects/pd/ops/detection/Selection.h"
#include "dialects/pd/reference/Boxes.h"

#include <cmath>
#include <limits>
#include <numeric>

using namespace mlir;

namespace proa::pd {
namespace {

using namespace boxes;

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
    std::array<double, 4> numbers = boxAt(deltas, image * count + i / classes);
    Box box = decoded(boxAt(anchors, i / classes), numbers, 1, std::numeric_limits<double>::infinity());
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
    for (size_t place : staying(boxes, threshold, element(op.getNmsEta()), pixel))
      kept.emplace_back(label, heads[place]);
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

LogicalResult MineHardExamplesOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                   llvm::MutableArrayRef<Tensor> results, RandomState *) {
  const Tensor *placeLoss = operandOf(getOperation(), operands, getLocLoss());
  bool isHard = getMiningType() == MiningType::HardExample;
  double least = rounded(operands[2].dtype(), getNegDistThreshold().convertToDouble());
  std::vector<int64_t> matches = integersOf(operands[1]), updated = matches, negatives, ends{0};
  int64_t count = operands[1].dims()[1];
  for (int64_t n = 0; n < operands[1].dims()[0]; ++n) {
    std::vector<int64_t> chosen;
    double matched = 0;
    for (int64_t i = n * count; i < (n + 1) * count; ++i) {
      bool isMatched = matches[static_cast<size_t>(i)] != -1;
      matched += isMatched;
      if (isHard || (!isMatched && realAt(operands[2], i) < least))
        chosen.push_back(i);
    }
    auto loss = [&](int64_t i) {
      return realAt(operands[0], i) + (isHard && placeLoss ? realAt(*placeLoss, i) : 0);
    };
    llvm::stable_sort(chosen, [&](int64_t a, int64_t b) { return loss(a) > loss(b); });
    auto most = isHard ? static_cast<int64_t>(getSampleSize())
                       : static_cast<int64_t>(matched * getNegPosRatio().convertToDouble());
    if (most >= 0 && static_cast<int64_t>(chosen.size()) > most)
      chosen.resize(static_cast<size_t>(most));
    llvm::sort(chosen);
    for (int64_t i = n * count; i < (n + 1) * count; ++i) {
      bool isChosen = llvm::is_contained(chosen, i), isMatched = matches[static_cast<size_t>(i)] > -1;
      if (isChosen && !(isHard && isMatched))
        negatives.push_back(i - n * count);
      if (isHard && isMatched && !isChosen)
        updated[static_cast<size_t>(i)] = -1;
    }
    ends.push_back(static_cast<int64_t>(negatives.size()));
  }
  results[0] = vectorOf(results[0].dtype(), negatives).reshaped({ends.back(), 1});
  results[1] = vectorOf(results[1].dtype(), ends);
  results[2] = vectorOf(results[2].dtype(), updated).reshaped(operands[1].dims());
  return success();
}

LogicalResult SimilarityFocusOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                  llvm::MutableArrayRef<Tensor> results, RandomState *) {
  const std::vector<int64_t> &dims = operands[0].dims();
  auto axis = static_cast<size_t>(getAxis());
  size_t rowAxis = axis == 1 ? 2 : 1, columnAxis = axis == 3 ? 2 : 3;
  auto place = [&](int64_t n, int64_t slice, int64_t row, int64_t column) {
    std::array<int64_t, 4> index{n, 0, 0, 0};
    index[axis] = slice;
    index[rowAxis] = row;
    index[columnAxis] = column;
    return ((index[0] * dims[1] + index[1]) * dims[2] + index[2]) * dims[3] + index[3];
  };
  for (int64_t i = 0; i < results[0].size(); ++i)
    setReal(results[0], i, 0);
  for (int64_t n = 0; n < dims[0]; ++n)
    for (int64_t slice : getIndexes()) {
      std::vector<bool> rowHas(static_cast<size_t>(dims[rowAxis])),
          columnHas(static_cast<size_t>(dims[columnAxis]));
      while (true) { // the greatest in the remaining rows and columns
        std::optional<std::pair<int64_t, int64_t>> best;
        for (int64_t row = 0; row < dims[rowAxis]; ++row)
          for (int64_t column = 0; column < dims[columnAxis]; ++column)
            if (!rowHas[static_cast<size_t>(row)] && !columnHas[static_cast<size_t>(column)] &&
                (!best || realAt(operands[0], place(n, slice, row, column)) >
                              realAt(operands[0], place(n, slice, best->first, best->second))))
              best = {row, column};
        if (!best)
          break;
        rowHas[static_cast<size_t>(best->first)] = columnHas[static_cast<size_t>(best->second)] = true;
        for (int64_t k = 0; k < dims[axis]; ++k)
          setReal(results[0], place(n, k, best->first, best->second), 1);
      }
    }
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

} // namespace proa::pd
