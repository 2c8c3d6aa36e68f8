/// Pooling without indices of float32 images: by vectors of neighbouring columns where the channels come
/// first, of neighbouring channels where they come last.
#pragma once

#include "lib/runtime/kernels/image/PoolGeometry.h"

namespace proa::runtime {

/// The maximum or average of each window. The rows that a window reaches are combined into one row, and that
/// row's columns by a vector for each tap.
/// Maxima of numbers that do not compare are as in poolPlanes.
void poolRows(const PoolGeometry &geometry, const PoolConfig &config, const float *in, float *out);

} // namespace proa::runtime
