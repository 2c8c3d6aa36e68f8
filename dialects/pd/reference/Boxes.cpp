#include "dialects/pd/reference/Boxes.h"

#include <cmath>

namespace proa::pd::boxes {

Box boxAt(const Tensor &boxes, int64_t index) {
  Box out{};
  for (int64_t k = 0; k < 4; ++k)
    out[static_cast<size_t>(k)] = realAt(boxes, 4 * index + k);
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
  double common = 1, areaA = 1, areaB = 1;
  for (size_t axis : {0, 1}) {
    common *= std::max(0.0, std::min(a[axis + 2], b[axis + 2]) - std::max(a[axis], b[axis]) + 1);
    areaA *= a[axis + 2] - a[axis] + 1;
    areaB *= b[axis + 2] - b[axis] + 1;
  }
  return common == 0 ? 0 : common / (areaA + areaB - common);
}

std::array<double, 4> offsetTo(const Box &from, const Box &to) {
  std::array<double, 4> offset{};
  for (size_t axis : {0, 1}) {
    double fromSize = from[axis + 2] - from[axis] + 1, toSize = to[axis + 2] - to[axis] + 1;
    offset[axis] = (to[axis] + toSize / 2 - from[axis] - fromSize / 2) / fromSize;
    offset[axis + 2] = std::log(toSize / fromSize);
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

Box decoded(const Box &anchor, std::array<double, 4> values, double pixel, double mostLogarithm) {
  Box out{};
  for (size_t axis : {0, 1}) {
    double size = anchor[axis + 2] - anchor[axis] + pixel,
           centre = anchor[axis] + size / 2 + values[axis] * size;
    size *= std::exp(std::min(values[axis + 2], mostLogarithm));
    out[axis] = centre - size / 2;
    out[axis + 2] = centre + size / 2 - pixel;
  }
  return out;
}

} // namespace proa::pd::boxes
