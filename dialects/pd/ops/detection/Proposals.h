/// Types of ops on region proposals.
#pragma once

#include "dialects/pd/ops/detection/Detection.h"

namespace proa::pd {

template <class Adaptor>
mlir::LogicalResult inferGenerateProposals(std::optional<mlir::Location> location, Adaptor adaptor,
                                           Results &results) {
  auto scores = tensorType(adaptor.getScores());
  if (failed(require(location, scores.getRank() == 4 && tensorType(adaptor.getBboxDeltas()).getRank() == 4,
                     "C1: scores and bbox_deltas must have rank 4", adaptor.getOperands())))
    return mlir::failure();
  results.push_back(scores.clone({mlir::ShapedType::kDynamic, 4}));
  results.push_back(scores.clone({mlir::ShapedType::kDynamic, 1}));
  results.push_back(
      mlir::RankedTensorType::get({scores.getDimSize(0)}, mlir::IntegerType::get(scores.getContext(), 32)));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferDistributeFpnProposals(std::optional<mlir::Location> location, Adaptor adaptor,
                                                Results &results) {
  auto boxes = tensorType(adaptor.getFpnRois());
  int64_t levels =
      static_cast<int64_t>(adaptor.getMaxLevel()) - static_cast<int64_t>(adaptor.getMinLevel()) + 1;
  if (failed(require(location, isBoxList(boxes), "C1: fpn_rois must be [boxes, 4]", adaptor.getOperands())))
    return mlir::failure();
  constexpr int64_t mostLevels = 1024;
  if (levels < 1 || levels > mostLevels)
    return inferenceError(location, "C2: there must be 1 to " + llvm::Twine(mostLevels) +
                                        " levels from min_level to max_level, found " + llvm::Twine(levels));
  auto int32 = mlir::IntegerType::get(boxes.getContext(), 32);
  results.append(levels, boxes.clone({mlir::ShapedType::kDynamic, 4}));
  results.push_back(mlir::RankedTensorType::get({boxes.getDimSize(0), 1}, int32));
  if (adaptor.getRoisNum() && tensorType(adaptor.getRoisNum()).getRank() != 1)
    return inferenceError(location, "C1: rois_num must be a vector");
  int64_t images = adaptor.getRoisNum() ? tensorType(adaptor.getRoisNum()).getDimSize(0) : 1;
  results.append(levels, mlir::RankedTensorType::get({images}, int32));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferCollectFpnProposals(std::optional<mlir::Location> location, Adaptor adaptor,
                                             Results &results) {
  mlir::ValueRange inputs = adaptor.getInputs();
  size_t levels = adaptor.getLevels();
  if (levels == 0 || (inputs.size() != 2 * levels && inputs.size() != 3 * levels))
    return inferenceError(location, "C1: there must be two or three tensors for each of " +
                                        llvm::Twine(levels) + " levels, found " + llvm::Twine(inputs.size()));
  auto boxes = tensorType(inputs[0]);
  results.push_back(boxes.clone({mlir::ShapedType::kDynamic, 4}));
  if (inputs.size() == 3 * levels && tensorType(inputs[2 * levels]).getRank() != 1)
    return inferenceError(location, "C1: the numbers of boxes must be vectors");
  int64_t images = inputs.size() == 3 * levels ? tensorType(inputs[2 * levels]).getDimSize(0) : 1;
  results.push_back(mlir::RankedTensorType::get({images}, mlir::IntegerType::get(boxes.getContext(), 32)));
  return mlir::success();
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/detection/Proposals.h.inc"
