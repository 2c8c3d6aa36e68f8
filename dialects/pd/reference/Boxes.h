/// Boxes as the reference kernels of detection ops see them.
#pragma once

#include "dialects/pd/reference/Reference.h"

#include <array>

namespace proa::pd::boxes {

/// Corners: left, top, right, bottom.
using Box = std::array<double, 4>;

Box boxAt(const Tensor &boxes, int64_t number);
void setBoxes(Tensor &result, const std::vector<Box> &boxes);

/// What decides is compared in the element type: a float of 0.1 is not above a threshold of 0.1.
double rounded(DType dtype, double value);

double area(const Box &box, double pixel);
/// Intersection over union; `pixel` is 1 where corners are pixels.
double overlap(const Box &a, const Box &b, double pixel);
/// Of boxes whose corners are pixels and may be fractions: those less than a pixel apart overlap.
double pixelOverlap(const Box &a, const Box &b);
/// How far the centre of `to` is from that of `from` in sizes of `from`, and the logarithms of how many
/// times as large it is; corners are pixels.
std::array<double, 4> offsetTo(const Box &from, const Box &to);

/// Keeps `count` elements of a list: the first ones, or, with random numbers, as reservoir sampling does.
template <class Element> void keepSample(std::vector<Element> &list, int64_t count, Stream *random) {
  auto kept = static_cast<size_t>(std::max<int64_t>(0, count));
  if (list.size() <= kept)
    return;
  for (size_t i = kept; random && i < list.size(); ++i)
    if (auto place = static_cast<size_t>((*random)() % (i + 1)); place < kept)
      list[place] = list[i];
  list.resize(kept);
}

/// Which of `boxes`, the best first, overlap no better one that stays by more than the threshold, which each
/// makes smaller by `eta`.
std::vector<size_t> staying(const std::vector<Box> &boxes, double threshold, double eta, double pixel);

/// A box from an anchor and four numbers: how far its centre is in sizes of the anchor, and the logarithms
/// of how many times as large it is.
Box decoded(const Box &anchor, std::array<double, 4> numbers, double pixel, double mostLogarithm);

} // namespace proa::pd::boxes
