/// Averages of whole float32 images: global average pooling.
#pragma once

#include "lib/runtime/kernels/image/PoolGeometry.h"

namespace proa::runtime {

/// The averages, by vectors of channels where these come last, else of the positions of a channel. Each cache
/// line is read once. False: not an average, other windows than one with all positions, or no positions.
bool averageImages(const PoolGeometry &geometry, const PoolConfig &config, const float *in, float *out);

} // namespace proa::runtime
