/// Types of ops that select boxes by non-maximum suppression.
#pragma once

#include "dialects/pd/ops/detection/Detection.h"
#include "dialects/pd/ops/sequence/Labels.h"

namespace proa::pd {

/// Types of a selection of boxes; `roisNum` may be null.
mlir::LogicalResult inferSelectedBoxes(std::optional<mlir::Location> location, mlir::RankedTensorType boxes,
                                       mlir::RankedTensorType scores, mlir::Value roisNum, Results &results);

template <class Adaptor>
mlir::LogicalResult inferMulticlassNms(std::optional<mlir::Location> location, Adaptor adaptor,
                                       Results &results) {
  if (failed(inferSelectedBoxes(location, tensorType(adaptor.getBboxes()), tensorType(adaptor.getScores()),
                                adaptor.getRoisNum(), results)))
    return mlir::failure();
  if (adaptor.getMarksNone()) {
    int64_t open = mlir::ShapedType::kDynamic;
    results[0] = mlir::cast<mlir::RankedTensorType>(results[0]).clone({open, open});
    results[2] = mlir::cast<mlir::RankedTensorType>(results[2]).clone({open});
  }
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferMatrixNms(std::optional<mlir::Location> location, Adaptor adaptor,
                                   Results &results) {
  return inferSelectedBoxes(location, tensorType(adaptor.getBboxes()), tensorType(adaptor.getScores()), {},
                            results);
}

template <class Adaptor>
mlir::LogicalResult inferNms(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  auto x = tensorType(adaptor.getX());
  if (failed(require(location, isBoxList(x), "C1: x must be [boxes, 4]", adaptor.getOperands())))
    return mlir::failure();
  results.push_back(vectorOfInts(x.getContext(), mlir::ShapedType::kDynamic));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferLocalityAwareNms(std::optional<mlir::Location> location, Adaptor adaptor,
                                          Results &results) {
  auto boxes = tensorType(adaptor.getBboxes()), scores = tensorType(adaptor.getScores());
  bool fits = hasDims(adaptor.getBboxes(), 3, 2, 4) && scores.getRank() == 3 &&
              boxes.getElementType() == scores.getElementType();
  if (failed(require(location, fits, "C1: bboxes must be [N, M, 4] and scores [N, classes, M]",
                     adaptor.getOperands())))
    return mlir::failure();
  addSelectedRows(boxes, mlir::ShapedType::kDynamic, mlir::ShapedType::kDynamic, results);
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferRetinanetDetectionOutput(std::optional<mlir::Location> location, Adaptor adaptor,
                                                  Results &results) {
  bool fits = !adaptor.getBboxes().empty() && adaptor.getBboxes().size() == adaptor.getScores().size() &&
              adaptor.getBboxes().size() == adaptor.getAnchors().size() &&
              tensorType(adaptor.getImInfo()).getRank() == 2;
  for (size_t i = 0; fits && i < adaptor.getBboxes().size(); ++i)
    fits = hasDims(adaptor.getBboxes()[i], 3, 2, 4) && tensorType(adaptor.getScores()[i]).getRank() == 3 &&
           hasDims(adaptor.getAnchors()[i], 2, 1, 4);
  if (failed(
          require(location, fits,
                  "C1: there must be as many bboxes [N, M, 4] as scores [N, M, classes] and anchors [M, 4]",
                  adaptor.getOperands())))
    return mlir::failure();
  auto boxes = tensorType(adaptor.getBboxes().front());
  addSelectedRows(boxes, 6, boxes.getDimSize(0), results);
  return mlir::success();
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/detection/Nms.h.inc"
