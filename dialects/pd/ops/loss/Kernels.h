/// Losses with library kernels.
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
mlir::LogicalResult inferWarprnntOf(std::optional<mlir::Location> location, mlir::RankedTensorType input,
                                    llvm::ArrayRef<mlir::RankedTensorType> others, int64_t blank,
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

template <class Adaptor>
mlir::LogicalResult inferWarprnnt(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferWarprnntOf(location, tensorType(adaptor.getInput()),
                         {tensorType(adaptor.getLabel()), tensorType(adaptor.getInputLengths()),
                          tensorType(adaptor.getLabelLengths())},
                         static_cast<int64_t>(adaptor.getBlank()), results);
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/loss/Kernels.h.inc"
