//! Reference kernels of training targets of the second stage of a detector: classes, boxes and masks.
#include "dialects/pd/ops/detection/Targets.h"
#include "dialects/pd/reference/Boxes.h"
#include "dialects/pd/reference/Evaluate.h"

#include <cmath>
#include <limits>
#include <map>

using namespace mlir;

namespace proa::pd {
namespace {

using namespace boxes;

//===-- generate_proposal_labels ------------------------------------------------------------------------===//

struct Candidate {
  Box box;
  double most;                 ///< the greatest overlap with a true box
  std::optional<size_t> truth; ///< the index of that box; foreground only
};

/// The true boxes of an image, then its valid regions.
std::vector<Box> boxesOfImage(GenerateProposalLabelsOp op, llvm::ArrayRef<Tensor> operands, Rows rois,
                              Rows truth, double scale) {
  std::vector<Box> out;
  for (int64_t i = truth.begin; i < truth.end; ++i)
    out.push_back(boxAt(operands[3], i));
  for (int64_t i = rois.begin; i < rois.end; ++i) {
    Box box = boxAt(operands[0], i);
    for (double &corner : box)
      corner = rounded(operands[0].dtype(), corner / scale);
    bool isEmpty = box[2] - box[0] + 1 <= 0 || box[3] - box[1] + 1 <= 0;
    if (!op.getIsCascadeRcnn() || (!isEmpty && realAt(operands[7], i) < 1))
      out.push_back(box);
  }
  if (op.getIsCascadeRcnn() && static_cast<int64_t>(out.size()) == truth.end - truth.begin)
    out.push_back(Box{});
  return out;
}

/// The candidates of an image that are kept: foreground, then background.
std::vector<Candidate> candidatesOf(GenerateProposalLabelsOp op, llvm::ArrayRef<Tensor> operands,
                                    const std::vector<Box> &boxes, Rows truth, Stream *random) {
  auto limit = [&](const llvm::APFloat &value) {
    return rounded(operands[0].dtype(), rounded(DType::Float32, value.convertToDouble()));
  };
  auto trueBoxes = static_cast<size_t>(truth.end - truth.begin);
  std::vector<Candidate> foreground, background;
  for (auto [i, box] : llvm::enumerate(boxes)) {
    std::vector<double> overlaps;
    for (size_t j = 0; j < trueBoxes; ++j)
      overlaps.push_back(pixelOverlap(box, boxes[j]));
    double most = overlaps.empty() ? 0 : *llvm::max_element(overlaps);
    bool isCrowd =
        i < trueBoxes && loadScalar(operands[2], truth.begin + static_cast<int64_t>(i)).integer != 0;
    double counted = isCrowd ? -1 : most;
    if (!overlaps.empty() && counted >= limit(op.getFgThresh())) {
      auto isAsGood = [&](double overlap) { return std::abs(overlap - counted) < 1e-5; };
      auto first = static_cast<size_t>(llvm::find_if(overlaps, isAsGood) - overlaps.begin());
      foreground.push_back({box, most, first});
    } else if (counted >= limit(op.getBgThreshLo()) && counted < limit(op.getBgThreshHi())) {
      background.push_back({box, most, std::nullopt});
    }
  }
  if (!op.getIsCascadeRcnn()) {
    auto all = static_cast<int64_t>(op.getBatchSizePerIm());
    auto share = static_cast<float>(all) * static_cast<float>(op.getFgFraction().convertToDouble());
    keepSample(foreground, static_cast<int64_t>(std::floor(share)), random);
    keepSample(background, all - static_cast<int64_t>(foreground.size()), random);
  }
  llvm::append_range(foreground, background);
  return foreground;
}

/// Row `row` of the results, from a candidate of an image whose first true box is number `firstTruth`.
LogicalResult setRow(GenerateProposalLabelsOp op, llvm::ArrayRef<Tensor> operands, const Candidate &one,
                     int64_t firstTruth, double scale, int64_t row, llvm::MutableArrayRef<Tensor> results) {
  for (int64_t k = 0; k < 4; ++k)
    setReal(results[0], 4 * row + k, one.box[static_cast<size_t>(k)] * scale);
  setReal(results[5], row, one.most);
  int64_t truth = one.truth ? firstTruth + static_cast<int64_t>(*one.truth) : -1,
          label = one.truth ? loadScalar(operands[1], truth).integer : 0;
  storeScalar(results[1], row, HostScalar::of(label));
  if (label <= 0)
    return success();
  auto classes = static_cast<int64_t>(op.getClassNums());
  int64_t column = op.getIsClsAgnostic() ? 1 : label;
  if (column >= classes)
    return failure();
  std::array<double, 4> offset = offsetTo(one.box, boxAt(operands[3], truth));
  for (int64_t k = 0; k < 4; ++k) {
    int64_t position = 4 * (row * classes + column) + k;
    setReal(results[2], position,
            offset[static_cast<size_t>(k)] /
                rounded(DType::Float32, op.getBboxRegWeights()[static_cast<size_t>(k)]));
    setReal(results[3], position, 1);
    setReal(results[4], position, 1);
  }
  return success();
}

//===-- generate_mask_labels ----------------------------------------------------------------------------===//

using Point = std::array<double, 2>;

using Polygon = std::vector<Point>;

/// How many grid lines a pixel has in each direction.
constexpr int64_t fineness = 5;

int64_t onGrid(double coordinate) {
  return static_cast<int64_t>(fineness * static_cast<double>(static_cast<float>(coordinate)) + 0.5);
}

/// For each column of pixels the heights, in pixels, at which the outline crosses its middle.
std::map<int64_t, std::vector<double>> crossingsOf(const Polygon &polygon) {
  std::vector<std::array<int64_t, 2>> outline;
  for (size_t i = 0; i < polygon.size(); ++i) {
    std::array<int64_t, 2> from{}, to{};
    for (size_t axis : {0, 1}) {
      from[axis] = onGrid(polygon[i][axis]);
      to[axis] = onGrid(polygon[(i + 1) % polygon.size()][axis]);
    }
    // The points are the steps along the longer side, starting at its smaller end.
    size_t along = std::abs(to[0] - from[0]) >= std::abs(to[1] - from[1]) ? 0 : 1, across = 1 - along;
    const auto &least = from[along] > to[along] ? to : from, &most = from[along] > to[along] ? from : to;
    int64_t steps = most[along] - least[along], sign = from[along] > to[along] ? -1 : 1;
    double slope =
        steps == 0 ? 0 : static_cast<double>(most[across] - least[across]) / static_cast<double>(steps);
    for (int64_t step = 0; step <= steps; ++step) {
      int64_t offset = sign > 0 ? step : steps - step;
      std::array<int64_t, 2> point{};
      point[along] = least[along] + offset;
      point[across] = static_cast<int64_t>(static_cast<double>(least[across]) +
                                           slope * static_cast<double>(offset) + 0.5);
      outline.push_back(point);
    }
  }
  std::map<int64_t, std::vector<double>> out;
  for (size_t i = 1; i < outline.size(); ++i) {
    int64_t x = std::min(outline[i][0], outline[i - 1][0]) - fineness / 2;
    if (outline[i][0] != outline[i - 1][0] && x >= 0 && x % fineness == 0)
      out[x / fineness].push_back(
          (static_cast<double>(std::min(outline[i][1], outline[i - 1][1])) + 0.5) / fineness - 0.5);
  }
  return out;
}

/// The polygons of an object.
std::vector<Polygon> polygonsOf(llvm::ArrayRef<Tensor> operands, int64_t object) {
  std::vector<int64_t> polygons = integersOf(operands[8]), points = integersOf(operands[9]);
  std::vector<Polygon> out;
  for (int64_t p = polygons[static_cast<size_t>(object)]; p < polygons[static_cast<size_t>(object) + 1];
       ++p) {
    Polygon polygon;
    for (int64_t i = points[static_cast<size_t>(p)]; i < points[static_cast<size_t>(p) + 1]; ++i)
      polygon.push_back({realAt(operands[4], 2 * i), realAt(operands[4], 2 * i + 1)});
    out.push_back(std::move(polygon));
  }
  return out;
}

/// The bounding box of the polygons; its right and bottom are positive.
Box boxAround(const std::vector<Polygon> &polygons) {
  constexpr double most = std::numeric_limits<double>::max();
  Box box{most, most, 0, 0};
  for (const Polygon &polygon : polygons)
    for (const Point &point : polygon)
      for (size_t axis : {0, 1}) {
        box[axis] = std::min(box[axis], point[axis]);
        box[axis + 2] = std::max(box[axis + 2], point[axis]);
      }
  return box;
}

/// For each pixel of a region of `size` x `size` pixels, whether it is inside a polygon: an odd number of
/// crossings is above it.
std::vector<int64_t> drawn(const std::vector<Polygon> &polygons, const Box &roi, int64_t size, DType dtype) {
  std::vector<int64_t> mask(static_cast<size_t>(size * size), 0);
  for (Polygon polygon : polygons) {
    for (Point &point : polygon)
      for (size_t axis : {0, 1})
        point[axis] = rounded(
            dtype, rounded(dtype, rounded(dtype, point[axis] - roi[axis]) * static_cast<double>(size)) /
                       std::max(rounded(dtype, roi[axis + 2] - roi[axis]), 1.0));
    std::map<int64_t, std::vector<double>> crossings = crossingsOf(polygon);
    for (int64_t i = 0; i < size * size; ++i) {
      auto above = llvm::count_if(crossings[i % size],
                                  [&](double height) { return height <= static_cast<double>(i / size); });
      mask[static_cast<size_t>(i)] |= above % 2;
    }
  }
  return mask;
}

struct MaskRows {
  std::vector<Box> boxes;
  std::vector<int64_t> numbers, masks, ends{0};

  void add(const Box &roi, double scale, int64_t label, int64_t elements) {
    Box box = roi;
    for (double &corner : box)
      corner *= scale;
    boxes.push_back(box);
    numbers.push_back(label);
    masks.insert(masks.end(), static_cast<size_t>(elements), -1);
  }
};

/// The rows of one image.
LogicalResult addMasks(GenerateMaskLabelsOp op, llvm::ArrayRef<Tensor> operands, int64_t image,
                       MaskRows &rows) {
  auto classes = static_cast<int64_t>(op.getNumClasses()), size = static_cast<int64_t>(op.getResolution());
  DType dtype = operands[0].dtype();
  std::vector<int64_t> ends = integersOf(operands[6]), objects = integersOf(operands[7]);
  std::vector<std::vector<Polygon>> outlines;
  for (int64_t i = objects[static_cast<size_t>(image)]; i < objects[static_cast<size_t>(image) + 1]; ++i)
    if (loadScalar(operands[2], i).integer > 0 && loadScalar(operands[3], i).integer == 0)
      outlines.push_back(polygonsOf(operands, i));
  double scale = realAt(operands[1], 3 * image + 2);
  int64_t begin = ends[static_cast<size_t>(image)], end = ends[static_cast<size_t>(image) + 1];
  std::optional<int64_t> background;
  auto shrunk = [&](int64_t i) {
    Box roi = boxAt(operands[0], i);
    for (double &corner : roi)
      corner = rounded(dtype, corner / scale);
    return roi;
  };
  size_t before = rows.numbers.size();
  for (int64_t i = begin; i < end; ++i) {
    int64_t label = loadScalar(operands[5], i).integer;
    if (label == 0 && !background)
      background = i - begin;
    if (label <= 0)
      continue;
    if (label >= classes || outlines.empty())
      return failure();
    Box roi = shrunk(i);
    size_t best = 0;
    for (size_t j = 1; j < outlines.size(); ++j)
      if (pixelOverlap(roi, boxAround(outlines[j])) > pixelOverlap(roi, boxAround(outlines[best])))
        best = j;
    rows.add(roi, scale, i - begin, classes * size * size);
    std::vector<int64_t> mask = drawn(outlines[best], roi, size, dtype);
    llvm::copy(mask, rows.masks.end() - (classes - label) * size * size);
  }
  if (rows.numbers.size() == before && begin < end)
    rows.add(shrunk(begin), scale, background.value_or(0), classes * size * size);
  rows.ends.push_back(static_cast<int64_t>(rows.numbers.size()));
  return success();
}

} // namespace

LogicalResult GenerateProposalLabelsOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                         llvm::MutableArrayRef<Tensor> results,
                                                         RandomState *state) {
  if (!state)
    return failure();
  std::vector<int64_t> roiEnds = integersOf(operands[5]), truthEnds = integersOf(operands[6]), ends{0};
  if (roiEnds.empty() || roiEnds.size() != truthEnds.size())
    return failure();
  std::optional<Sequence> sequence;
  if (getUseRandom())
    sequence = state->next();
  std::vector<std::vector<Candidate>> images;
  for (size_t image = 0; image + 1 < roiEnds.size(); ++image) {
    Rows rois{roiEnds[image], roiEnds[image + 1]}, truth{truthEnds[image], truthEnds[image + 1]};
    std::optional<Stream> random;
    if (sequence)
      random.emplace(*sequence, image);
    images.emplace_back();
    if (rois.begin < rois.end)
      images.back() = candidatesOf(*this, operands,
                                   boxesOfImage(*this, operands, rois, truth,
                                                realAt(operands[4], 3 * static_cast<int64_t>(image) + 2)),
                                   truth, random ? &*random : nullptr);
    ends.push_back(ends.back() + static_cast<int64_t>(images.back().size()));
  }
  int64_t rows = ends.back(), columns = 4 * static_cast<int64_t>(getClassNums());
  std::vector<int64_t> shapes[]{{rows, 4},       {rows, 1},       {rows, columns},
                                {rows, columns}, {rows, columns}, {rows}};
  for (auto [result, dims] : llvm::zip(results, shapes)) {
    result = Tensor(result.dtype(), dims);
    for (int64_t i = 0; i < result.size(); ++i)
      storeScalar(result, i, HostScalar::of(int64_t(0)));
  }
  results[6] = vectorOf(results[6].dtype(), ends);
  for (auto [image, candidates] : llvm::enumerate(images))
    for (auto [i, one] : llvm::enumerate(candidates))
      if (failed(setRow(*this, operands, one, truthEnds[image],
                        realAt(operands[4], 3 * static_cast<int64_t>(image) + 2),
                        ends[image] + static_cast<int64_t>(i), results)))
        return failure();
  return success();
}

LogicalResult GenerateMaskLabelsOp::computeReference(llvm::ArrayRef<Tensor> operands,
                                                     llvm::MutableArrayRef<Tensor> results, RandomState *) {
  MaskRows rows;
  for (int64_t image = 0; image < operands[1].dims()[0]; ++image)
    if (failed(addMasks(*this, operands, image, rows)))
      return failure();
  auto count = static_cast<int64_t>(rows.numbers.size());
  auto size = static_cast<int64_t>(getResolution());
  setBoxes(results[0], rows.boxes);
  results[1] = vectorOf(results[1].dtype(), rows.numbers).reshaped({count, 1});
  results[2] = vectorOf(results[2].dtype(), rows.masks)
                   .reshaped({count, static_cast<int64_t>(getNumClasses()) * size * size});
  results[3] = vectorOf(results[3].dtype(), rows.ends);
  return success();
}

} // namespace proa::pd
