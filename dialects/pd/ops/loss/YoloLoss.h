/// Type inference of the loss of YOLOv3.
#pragma once

#include "dialects/pd/autodiff/KeepsDerivative.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

struct YoloLossShape {
  mlir::RankedTensorType x, box, label;
  mlir::Value score;
  llvm::ArrayRef<int64_t> anchors, mask;
  int64_t classes, ratio;
};

mlir::LogicalResult inferYoloLossOf(std::optional<mlir::Location> location, const YoloLossShape &given,
                                    Results &results);

template <class Adaptor>
mlir::LogicalResult inferYoloLoss(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferYoloLossOf(location,
                         {tensorType(adaptor.getX()), tensorType(adaptor.getGtBox()),
                          tensorType(adaptor.getGtLabel()), adaptor.getGtScore(), adaptor.getAnchors(),
                          adaptor.getAnchorMask(), static_cast<int64_t>(adaptor.getClassNum()),
                          static_cast<int64_t>(adaptor.getDownsampleRatio())},
                         results);
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/loss/YoloLoss.h.inc"
