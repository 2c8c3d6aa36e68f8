/// The transforms of WinogradConv: of filters, of tiles of the input, and back.
#pragma once

#include "lib/runtime/kernels/common/RowPostOps.h"
#include "lib/runtime/kernels/common/Vectors.h"
#include "lib/runtime/kernels/conv/ConvGeometry.h"

namespace proa::runtime {

/// A stretch of tiles. Tiles count along the width first, then the height, then the samples.
struct WinogradBlock {
  const ConvGeometry *geometry = nullptr;
  int64_t tileDim = 0;       ///< m: a tile has m x m results and (m + 2)^2 points
  int64_t first = 0;         ///< number of the block's first tile
  int64_t size = 0;          ///< tiles that `tiles` and `products` have room for
  float *tiles = nullptr;    ///< [points, size, channels in]
  float *products = nullptr; ///< [points, size, channels out]
  const float *input = nullptr;
  float *output = nullptr;
};

/// Time of the transform of one filter.
inline constexpr double filterNanoseconds = 25;

/// G g G^T of each filter: [out, in, 3, 3] to [points, in, out]. `transposed`: of the filters of the
/// convolution that a transposed one with [in, out, 3, 3] is, which are turned by half a circle.
void transformFilter(int64_t tileDim, bool transposed, const float *filter, int64_t in, int64_t out,
                     float *transformed);

/// `tiles` of the block's tiles begin to end.
void transformInput(const WinogradBlock &block, int64_t begin, int64_t end);

/// The results of the block's tiles begin to end from `products`, with the post-ops.
void transformOutput(const WinogradBlock &block, int64_t begin, int64_t end, const RowPostOps &postOps,
                     std::span<const float *const> operands);

} // namespace proa::runtime
