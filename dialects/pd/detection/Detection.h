/// Boxes: decoding, selection, pooling of regions.
#pragma once

#include "dialects/pd/Infer.h"
#include "dialects/pd/Pd.h"

namespace proa::pd {

mlir::LogicalResult inferYoloBoxOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                   mlir::RankedTensorType imageSize, llvm::ArrayRef<int64_t> anchors, int64_t classes,
                                   bool iouAware, Results &results);
/// Types of a selection of boxes; `roisNum` may be null.
mlir::LogicalResult inferSelectedBoxes(std::optional<mlir::Location> location, mlir::RankedTensorType boxes,
                                       mlir::RankedTensorType scores, mlir::Value roisNum, Results &results);

template <class Adaptor>
mlir::LogicalResult inferYoloBox(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferYoloBoxOf(location, tensorType(adaptor.getX()), tensorType(adaptor.getImgSize()), adaptor.getAnchors(),
                        adaptor.getClassNum(), adaptor.getIouAware(), results);
}

template <class Adaptor>
mlir::LogicalResult inferMulticlassNms(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferSelectedBoxes(location, tensorType(adaptor.getBboxes()), tensorType(adaptor.getScores()),
                            adaptor.getRoisNum(), results);
}

template <class Adaptor>
mlir::LogicalResult inferMatrixNms(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferSelectedBoxes(location, tensorType(adaptor.getBboxes()), tensorType(adaptor.getScores()), {}, results);
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/detection/Detection.h.inc"
