/// Exact matmuls of 8-bit integers.
#pragma once

#include "dialects/pd/ops/linalg/Contract.h"

#define GET_OP_CLASSES
#include "dialects/pd/ops/linalg/IntegerMatmul.h.inc"

namespace proa::pd {

template <class Adaptor>
mlir::LogicalResult inferIntegerMatmul(std::optional<mlir::Location> location, Adaptor adaptor,
                                       Results &results) {
  mlir::Type i32 = mlir::IntegerType::get(adaptor.getX().getContext(), 32);
  return inferMatmulOf(location, adaptor.getOperands(), adaptor.getTransposeX(), adaptor.getTransposeY(),
                       results, i32);
}

} // namespace proa::pd
