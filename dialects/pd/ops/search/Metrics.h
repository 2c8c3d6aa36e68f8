/// Metrics of predictions.
#pragma once

#include "dialects/pd/ir/Enums.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"

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

mlir::LogicalResult inferDetectionMapOf(std::optional<mlir::Location> location,
                                        mlir::RankedTensorType detected, mlir::RankedTensorType labels,
                                        int64_t classes, Results &results);

template <class Adaptor>
mlir::LogicalResult inferDetectionMap(std::optional<mlir::Location> location, Adaptor adaptor,
                                      Results &results) {
  auto state = {adaptor.getPosCount(), adaptor.getTruePos(), adaptor.getFalsePos(),
                adaptor.getTruePosOffsets(), adaptor.getFalsePosOffsets()};
  auto given = llvm::count_if(state, [](mlir::Value value) { return value != nullptr; });
  if (given != 0 && given != 5)
    return inferenceError(location, "C3: pos_count, true_pos, false_pos and their offsets must be given all "
                                    "or none, found " +
                                        llvm::Twine(given) + " of 5");
  return inferDetectionMapOf(location, tensorType(adaptor.getDetectRes()), tensorType(adaptor.getLabel()),
                             static_cast<int64_t>(adaptor.getClassNum()), results);
}

mlir::LogicalResult inferAucOf(std::optional<mlir::Location> location, mlir::RankedTensorType predict,
                               mlir::RankedTensorType label, int64_t thresholds, int64_t steps,
                               Results &results);

template <class Adaptor>
mlir::LogicalResult inferAuc(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferAucOf(location, tensorType(adaptor.getPredict()), tensorType(adaptor.getLabel()),
                    static_cast<int64_t>(adaptor.getNumThresholds()),
                    static_cast<int64_t>(adaptor.getSlideSteps()), results);
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/search/Metrics.h.inc"
