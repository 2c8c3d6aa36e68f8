/// Type inference of checks of elements.
#pragma once

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

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

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/reduce/CheckNumerics.h.inc"
