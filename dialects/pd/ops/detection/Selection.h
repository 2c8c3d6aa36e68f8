/// Types of ops that select boxes and examples by score.
#pragma once

#include "dialects/pd/ops/sequence/Labels.h"

namespace proa::pd {

/// Whether a tensor has this rank, and the dim `dim` if it is static.
inline bool hasDims(mlir::Value value, int64_t rank, int64_t axis, int64_t dimSize) {
  auto type = tensorType(value);
  return type.getRank() == rank && (type.isDynamicDim(axis) || type.getDimSize(axis) == dimSize);
}

/// Rows of a dynamic number and offsets for `images` images.
void addSelectedRows(mlir::RankedTensorType like, int64_t width, int64_t images, Results &results);

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

template <class Adaptor>
mlir::LogicalResult inferBoxDecoderAndAssign(std::optional<mlir::Location> location, Adaptor adaptor,
                                             Results &results) {
  auto prior = tensorType(adaptor.getPriorBox()), target = tensorType(adaptor.getTargetBox());
  auto variances = tensorType(adaptor.getPriorBoxVar());
  bool fits = hasDims(adaptor.getPriorBox(), 2, 1, 4) && target.getRank() == 2 &&
              tensorType(adaptor.getBoxScore()).getRank() == 2 &&
              (!variances.hasStaticShape() || variances.getNumElements() == 4);
  if (failed(require(location, fits,
                     "C1: prior_box must be [R, 4], prior_box_var of 4 elements, target_box [R, 4 * classes] "
                     "and box_score [R, classes]",
                     adaptor.getOperands())))
    return mlir::failure();
  results.push_back(target);
  results.push_back(target.clone({prior.getDimSize(0), 4}));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferMineHardExamples(std::optional<mlir::Location> location, Adaptor adaptor,
                                          Results &results) {
  auto matches = tensorType(adaptor.getMatchIndices());
  bool fits = matches.getRank() == 2 && tensorType(adaptor.getClsLoss()).getRank() == 2 &&
              tensorType(adaptor.getMatchDist()).getRank() == 2;
  if (failed(require(location, fits, "C1: all operands must be [N, boxes]", adaptor.getOperands())))
    return mlir::failure();
  addSelectedRows(matches, 1, matches.getDimSize(0), results);
  results.push_back(matches);
  return mlir::success();
}

mlir::LogicalResult inferSimilarityFocusOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                           int64_t axis, llvm::ArrayRef<int64_t> indexes, Results &results);

template <class Adaptor>
mlir::LogicalResult inferSimilarityFocus(std::optional<mlir::Location> location, Adaptor adaptor,
                                         Results &results) {
  return inferSimilarityFocusOf(location, tensorType(adaptor.getX()), static_cast<int64_t>(adaptor.getAxis()),
                                adaptor.getIndexes(), results);
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/detection/Selection.h.inc"
