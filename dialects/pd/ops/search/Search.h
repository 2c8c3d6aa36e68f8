/// Sorting, searching and selection.
#pragma once

#include "dialects/pd/ir/Enums.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ir/ThreadInterface.h"

namespace proa::pd {

mlir::LogicalResult inferArgOf(std::optional<mlir::Location> location, mlir::RankedTensorType type,
                               mlir::Value axisTensor, int64_t axisAttribute, bool keepdims, bool flatten,
                               std::optional<mlir::Type> dtype, Results &results);

/// Of argmax and argmin.
template <class Adaptor>
mlir::LogicalResult inferArg(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferArgOf(location, tensorType(adaptor.getX()), adaptor.getAxisTensor(),
                    static_cast<int64_t>(adaptor.getAxis()), adaptor.getKeepdims(), adaptor.getFlatten(),
                    adaptor.getDtype(), results);
}

mlir::LogicalResult inferModeOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                int64_t axis, bool keepdim, Results &results);

template <class Adaptor>
mlir::LogicalResult inferMode(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferModeOf(location, tensorType(adaptor.getX()), static_cast<int64_t>(adaptor.getAxis()),
                     adaptor.getKeepdim(), results);
}

} // namespace proa::pd
