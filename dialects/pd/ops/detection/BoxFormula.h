/// Boxes [..., 4] in formulas: left, top, right, bottom.
#pragma once

#include "dialects/pd/ops/math/Logic.h"
#include "dialects/pd/ops/shape/DimSize.h"

namespace proa::pd {

/// Coordinate `k` of boxes.
inline Expression coordinateOf(Expression boxes, int64_t k) {
  int64_t last = boxes.rank() - 1;
  return dropDim(slice(boxes, last, k, k + 1), last);
}

/// Boxes from their coordinates.
inline Expression boxesFrom(llvm::ArrayRef<Expression> coordinates) {
  int64_t rank = coordinates.front().rank();
  auto columns = llvm::map_to_vector(coordinates, [&](Expression x) { return insertDim(x, rank); });
  return concat(columns, rank);
}

/// Intersection over union of boxes whose coordinates are broadcast; `pixel` is 1 if corners are inclusive
/// pixels, else 0.
inline Expression overlapOf(Expression a, Expression b, double pixel) {
  TensorBuilder &e = a.owner();
  auto area = [&](Expression left, Expression top, Expression right, Expression bottom) {
    Expression size = (right - left + pixel) * (bottom - top + pixel);
    return e.select(either(left > right, top > bottom), 0.0, size);
  };
  auto areaOf = [&](Expression x) {
    return area(coordinateOf(x, 0), coordinateOf(x, 1), coordinateOf(x, 2), coordinateOf(x, 3));
  };
  auto later = [&](int64_t k) { return e.maximum(coordinateOf(a, k), coordinateOf(b, k)); };
  auto earlier = [&](int64_t k) { return e.minimum(coordinateOf(a, k), coordinateOf(b, k)); };
  Expression common = area(later(0), later(1), earlier(2), earlier(3));
  return common / (areaOf(a) + areaOf(b) - common);
}

/// Intersection over union of boxes with pixel corners: gaps below one pixel overlap.
inline Expression pixelOverlapOf(Expression a, Expression b) {
  TensorBuilder &e = a.owner();
  auto side = [&](Expression box, int64_t axis) {
    return coordinateOf(box, axis + 2) - coordinateOf(box, axis) + 1.0;
  };
  auto commonSide = [&](int64_t axis) {
    Expression low = e.maximum(coordinateOf(a, axis), coordinateOf(b, axis)),
               high = e.minimum(coordinateOf(a, axis + 2), coordinateOf(b, axis + 2));
    return e.maximum(high - low + 1.0, 0.0);
  };
  Expression common = commonSide(0) * commonSide(1);
  Expression all = side(a, 0) * side(a, 1) + side(b, 0) * side(b, 1) - common;
  return e.select(common > 0.0, common / all, 0.0);
}

} // namespace proa::pd
