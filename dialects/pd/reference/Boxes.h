/// Boxes in the reference kernels of detection ops.
#pragma once

#include "dialects/pd/reference/Reference.h"

#include <array>

namespace proa::pd::boxes {

/// Corners: left, top, right, bottom.
using Box = std::array<double, 4>;

Box boxAt(const Tensor &boxes, int64_t index);
void setBoxes(Tensor &result, const std::vector<Box> &boxes);

/// Rounds to the element type. Values are compared in it: the f32 0.1 must not exceed a threshold of 0.1.
double rounded(DType dtype, double value);

double area(const Box &box, double pixel);
/// Intersection over union; `pixel` is 1 if corners are inclusive pixels, else 0.
double overlap(const Box &a, const Box &b, double pixel);
/// Intersection over union of boxes with pixel corners, possibly fractions: gaps below one pixel overlap.
double pixelOverlap(const Box &a, const Box &b);
/// The encoding of `to` by `from`, with pixel corners: per axis (centre_to - centre_from) / size_from, then
/// log(size_to / size_from). The inverse of decoded() with pixel 1.
std::array<double, 4> offsetTo(const Box &from, const Box &to);

/// Keeps `count` elements of a list: the first ones, or a reservoir sample if there is a random stream.
template <class Element> void keepSample(std::vector<Element> &list, int64_t count, Stream *random) {
  auto kept = static_cast<size_t>(std::max<int64_t>(0, count));
  if (list.size() <= kept)
    return;
  for (size_t i = kept; random && i < list.size(); ++i)
    if (auto slot = static_cast<size_t>((*random)() % (i + 1)); slot < kept)
      list[slot] = list[i];
  list.resize(kept);
}

/// Non-maximum suppression of `boxes`, sorted by decreasing score: the indices of the kept boxes, none of
/// which overlaps a kept one before it by more than the threshold. If eta < 1, each kept box multiplies a
/// threshold above 0.5 by `eta`.
std::vector<size_t> staying(const std::vector<Box> &boxes, double threshold, double eta, double pixel);

/// The box encoded by four numbers relative to an anchor: per axis centre = anchor_centre + n * anchor_size,
/// and size = anchor_size * exp(min(n, mostLogarithm)).
Box decoded(const Box &anchor, std::array<double, 4> values, double pixel, double mostLogarithm);

} // namespace proa::pd::boxes
