/// Unpooling and spatial pyramid pooling.
#pragma once

#include "dialects/pd/ops/nn/Nn.h"

namespace proa::pd {

mlir::LogicalResult inferUnpool3dOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                    mlir::RankedTensorType indices, const UnpoolShape &given,
                                    Results &results);
mlir::LogicalResult inferSppOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                               int64_t height, Results &results);

template <class Adaptor>
mlir::LogicalResult inferUnpool3d(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferUnpool3dOf(
      location, tensorType(adaptor.getX()), tensorType(adaptor.getIndices()),
      {adaptor.getKsize(), adaptor.getStrides(), adaptor.getPadding(), adaptor.getOutputSize()}, results);
}

template <class Adaptor>
mlir::LogicalResult inferSpp(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferSppOf(location, tensorType(adaptor.getX()), static_cast<int64_t>(adaptor.getPyramidHeight()),
                    results);
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/nn/Spatial.h.inc"
