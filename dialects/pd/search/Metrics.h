/// Measures of predictions.
#pragma once

#include "dialects/pd/Infer.h"
#include "dialects/pd/Pd.h"

namespace proa::pd {

template <class Adaptor>
mlir::LogicalResult inferChunkEval(std::optional<mlir::Location> location, Adaptor adaptor,
                                   Results &results) {
  if (static_cast<int64_t>(adaptor.getNumChunkTypes()) < 1)
    return inferenceError(location, "C1: num_chunk_types must be positive, found " +
                                        llvm::Twine(static_cast<int64_t>(adaptor.getNumChunkTypes())));
  mlir::MLIRContext *context = adaptor.getLabel().getContext();
  results.append(3, mlir::RankedTensorType::get({1}, mlir::Float32Type::get(context)));
  results.append(3, mlir::RankedTensorType::get({1}, mlir::IntegerType::get(context, 64)));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferPrecisionRecall(std::optional<mlir::Location> location, Adaptor adaptor,
                                         Results &results) {
  auto classes = static_cast<int64_t>(adaptor.getClassNumber());
  if (classes < 1)
    return inferenceError(location, "C1: class_number must be positive, found " + llvm::Twine(classes));
  mlir::MLIRContext *context = adaptor.getLabels().getContext();
  results.append(2, mlir::RankedTensorType::get({6}, mlir::Float64Type::get(context)));
  results.push_back(mlir::RankedTensorType::get({classes, 4}, mlir::Float32Type::get(context)));
  return mlir::success();
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/search/Metrics.h.inc"
