/// Type inference of ops on columns of several matrices.
#pragma once

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

/// The number of selected columns, or an error.
mlir::FailureOr<int64_t> partialColumns(std::optional<mlir::Location> location, mlir::ValueRange x,
                                        int64_t start, int64_t length);

template <class Adaptor>
mlir::LogicalResult inferPartialConcat(std::optional<mlir::Location> location, Adaptor adaptor,
                                       Results &results) {
  auto columns = partialColumns(location, adaptor.getX(), adaptor.getStartIndex(), adaptor.getLength());
  if (failed(columns))
    return mlir::failure();
  auto first = tensorType(adaptor.getX().front());
  results.push_back(
      first.clone({first.getDimSize(0), *columns * static_cast<int64_t>(adaptor.getX().size())}));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferPartialSum(std::optional<mlir::Location> location, Adaptor adaptor,
                                    Results &results) {
  auto columns = partialColumns(location, adaptor.getX(), adaptor.getStartIndex(), adaptor.getLength());
  if (failed(columns))
    return mlir::failure();
  auto first = tensorType(adaptor.getX().front());
  results.push_back(first.clone({first.getDimSize(0), *columns}));
  return mlir::success();
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/shape/PartialColumns.h.inc"
