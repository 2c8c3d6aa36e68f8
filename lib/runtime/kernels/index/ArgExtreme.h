/// Positions of extremes of many lines of floats, in vectors.
#pragma once

#include <cstdint>

namespace proa::runtime {

/// Lines [0, count) of `dim` elements. Either the lines or the elements of a line are adjacent.
struct FloatLines {
  const float *data;
  int64_t dim, elementStep;
  int64_t count, lineStep;
};

/// The position of the first greatest or least element of each line; 0 if none is beyond the finite numbers.
/// A NaN is never found.
void extremePositions(const FloatLines &lines, bool greatest, int64_t *positions);

} // namespace proa::runtime
