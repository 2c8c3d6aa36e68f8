/// Type inference of the hierarchical sigmoid loss.
#pragma once

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

mlir::LogicalResult inferHsigmoidLossOf(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                        mlir::RankedTensorType w, mlir::Value label, mlir::Value path,
                                        mlir::Value code, int64_t classes, Results &results);
/// The length of the paths of a complete binary tree.
inline int64_t pathLength(int64_t classes) {
  return static_cast<int64_t>(llvm::Log2_64(static_cast<uint64_t>(classes) - 1)) + 1;
}

template <class Adaptor>
mlir::LogicalResult inferHsigmoidLoss(std::optional<mlir::Location> location, Adaptor adaptor,
                                      Results &results) {
  return inferHsigmoidLossOf(location, tensorType(adaptor.getX()), tensorType(adaptor.getW()),
                             adaptor.getLabel(), adaptor.getPath(), adaptor.getCode(),
                             adaptor.getNumClasses(), results);
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/loss/HierarchicalSigmoid.h.inc"
