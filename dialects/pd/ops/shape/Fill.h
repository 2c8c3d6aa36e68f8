/// Writing of diagonals.
#pragma once

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

mlir::LogicalResult checkFillDiagonal(std::optional<mlir::Location> location, mlir::RankedTensorType x);
mlir::LogicalResult checkFillDiagonalTensor(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                            mlir::RankedTensorType y, int64_t offset, int64_t dim1,
                                            int64_t dim2);

/// Of both ops.
template <class Adaptor>
mlir::LogicalResult inferFillDiagonal(std::optional<mlir::Location> location, Adaptor adaptor,
                                      Results &results) {
  auto x = tensorType(adaptor.getX());
  mlir::LogicalResult checked = mlir::success();
  if constexpr (requires { adaptor.getY(); })
    checked = checkFillDiagonalTensor(
        location, x, tensorType(adaptor.getY()), static_cast<int64_t>(adaptor.getOffset()),
        static_cast<int64_t>(adaptor.getDim1()), static_cast<int64_t>(adaptor.getDim2()));
  else
    checked = checkFillDiagonal(location, x);
  results.push_back(x);
  return checked;
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/shape/Fill.h.inc"
