/// Neighbours in graphs and trees.
#pragma once

#include "dialects/pd/Infer.h"
#include "dialects/pd/Pd.h"

namespace proa::pd {

mlir::LogicalResult inferTdmChildOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                    mlir::RankedTensorType tree, int64_t children,
                                    std::optional<mlir::Type> dtype, Results &results);

template <class Adaptor>
mlir::LogicalResult inferSampleNeighbors(std::optional<mlir::Location> location, Adaptor adaptor,
                                         Results &results) {
  if (failed(commonElementType(location, adaptor.getOperands())))
    return mlir::failure();
  auto row = tensorType(adaptor.getRow());
  int64_t nodes = tensorType(adaptor.getX()).getNumDynamicDims()
                      ? mlir::ShapedType::kDynamic
                      : tensorType(adaptor.getX()).getNumElements();
  results.push_back(row.clone({mlir::ShapedType::kDynamic}));
  results.push_back(mlir::RankedTensorType::get({nodes}, mlir::IntegerType::get(row.getContext(), 32)));
  results.push_back(row.clone({mlir::ShapedType::kDynamic}));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferTdmChild(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferTdmChildOf(location, tensorType(adaptor.getX()), tensorType(adaptor.getTreeInfo()),
                         static_cast<int64_t>(adaptor.getChildNums()), adaptor.getDtype(), results);
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/graph/Sampling.h.inc"
