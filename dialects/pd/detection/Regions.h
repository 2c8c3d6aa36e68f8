/// Poolings of regions.
#pragma once

#include "dialects/pd/autodiff/GradientByKernel.h"
#include "dialects/pd/detection/Detection.h"

namespace proa::pd {

template <class Adaptor>
mlir::LogicalResult inferPsroiPool(std::optional<mlir::Location> location, Adaptor adaptor,
                                   Results &results) {
  if (failed(inferRoiAlign(location, adaptor, results)))
    return mlir::failure();
  auto out = mlir::cast<mlir::RankedTensorType>(results.pop_back_val());
  llvm::SmallVector<int64_t> shape(out.getShape());
  shape[1] = static_cast<int64_t>(adaptor.getOutputChannels());
  results.push_back(out.clone(shape));
  return mlir::success();
}

/// C1 and C2 of deformable_psroi_pooling, and its results.
mlir::LogicalResult inferMovedCells(std::optional<mlir::Location> location, mlir::ValueRange operands,
                                    llvm::ArrayRef<int64_t> extents, llvm::ArrayRef<int64_t> groups,
                                    llvm::ArrayRef<int64_t> parts, Results &results);

template <class Adaptor>
mlir::LogicalResult inferDeformablePsroiPooling(std::optional<mlir::Location> location, Adaptor adaptor,
                                                Results &results) {
  auto whole = [](auto number) { return static_cast<int64_t>(number); };
  return inferMovedCells(location, adaptor.getOperands(),
                         {whole(adaptor.getOutputDim()), whole(adaptor.getPooledHeight()),
                          whole(adaptor.getPooledWidth()), whole(adaptor.getSamplePerPart())},
                         adaptor.getGroupSize(), adaptor.getPartSize(), results);
}

template <class Adaptor>
mlir::LogicalResult inferDeformablePsroiPoolingGrad(std::optional<mlir::Location>, Adaptor adaptor,
                                                    Results &results) {
  results.push_back(adaptor.getX().getType());
  results.push_back(adaptor.getTrans().getType());
  return mlir::success();
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/detection/Regions.h.inc"
