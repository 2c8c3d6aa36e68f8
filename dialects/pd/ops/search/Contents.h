/// Ops on what a tensor contains.
#pragma once

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

mlir::LogicalResult inferModeOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                int64_t axis, bool keepdim, Results &results);
mlir::LogicalResult inferAucOf(std::optional<mlir::Location> location, mlir::RankedTensorType predict,
                               mlir::RankedTensorType label, int64_t thresholds, int64_t steps,
                               Results &results);

template <class Adaptor>
mlir::LogicalResult inferMode(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferModeOf(location, tensorType(adaptor.getX()), static_cast<int64_t>(adaptor.getAxis()),
                     adaptor.getKeepdim(), results);
}

template <class Adaptor>
mlir::LogicalResult inferOneBool(std::optional<mlir::Location>, Adaptor adaptor, Results &results) {
  results.push_back(mlir::RankedTensorType::get({1}, mlir::IntegerType::get(adaptor.getX().getContext(), 1)));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferCheckNumerics(std::optional<mlir::Location>, Adaptor adaptor, Results &results) {
  mlir::MLIRContext *context = adaptor.getTensor().getContext();
  results.push_back(mlir::RankedTensorType::get({3}, mlir::IntegerType::get(context, 64)));
  results.push_back(mlir::RankedTensorType::get({3}, mlir::Float32Type::get(context)));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferAuc(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferAucOf(location, tensorType(adaptor.getPredict()), tensorType(adaptor.getLabel()),
                    static_cast<int64_t>(adaptor.getNumThresholds()),
                    static_cast<int64_t>(adaptor.getSlideSteps()), results);
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/search/Contents.h.inc"
