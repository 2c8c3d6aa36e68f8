/// Region poolings.
#pragma once

#include "dialects/pd/autodiff/GradientByKernel.h"
#include "dialects/pd/ops/detection/Detection.h"

namespace proa::pd {

/// C4 of psroi_pool: x has a channel for each cell of each of the output's `channels`.
mlir::LogicalResult checkCellChannels(std::optional<mlir::Location> location, mlir::RankedTensorType x,
                                      int64_t channels, mlir::RankedTensorType cells);

template <class Adaptor>
mlir::LogicalResult inferPsroiPool(std::optional<mlir::Location> location, Adaptor adaptor,
                                   Results &results) {
  if (failed(inferRoiAlign(location, adaptor, results)))
    return mlir::failure();
  auto out = mlir::cast<mlir::RankedTensorType>(results.pop_back_val());
  auto channels = static_cast<int64_t>(adaptor.getOutputChannels());
  if (failed(checkCellChannels(location, tensorType(adaptor.getX()), channels, out)))
    return mlir::failure();
  llvm::SmallVector<int64_t> shape(out.getShape());
  shape[1] = channels;
  results.push_back(out.clone(shape));
  return mlir::success();
}

/// C5 of the gradients of region poolings: `given` are the cotangent and other operands with the dimensions
/// of `out`.
mlir::LogicalResult checkRoiGrad(std::optional<mlir::Location> location, mlir::Type out,
                                 mlir::ValueRange given);

template <class Adaptor>
mlir::LogicalResult inferRoiGrad(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  llvm::SmallVector<mlir::Type, 1> out;
  llvm::SmallVector<mlir::Value> given = {adaptor.getOutGrad()};
  if constexpr (requires { adaptor.getArgMax(); })
    given.push_back(adaptor.getArgMax());
  if constexpr (requires { adaptor.getOutputChannels(); }) {
    if (failed(inferPsroiPool(location, adaptor, out)))
      return mlir::failure();
  } else if (failed(inferRoiAlign(location, adaptor, out))) {
    return mlir::failure();
  }
  if (failed(checkRoiGrad(location, out.front(), given)))
    return mlir::failure();
  results.push_back(adaptor.getX().getType());
  return mlir::success();
}

/// C1 and C2 of deformable_psroi_pooling, and its results.
mlir::LogicalResult inferMovedCells(std::optional<mlir::Location> location, mlir::ValueRange operands,
                                    llvm::ArrayRef<int64_t> dimSizes, llvm::ArrayRef<int64_t> groups,
                                    llvm::ArrayRef<int64_t> bins, Results &results);

template <class Adaptor>
mlir::LogicalResult inferDeformablePsroiPooling(std::optional<mlir::Location> location, Adaptor adaptor,
                                                Results &results) {
  auto whole = [](auto value) { return static_cast<int64_t>(value); };
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
#include "dialects/pd/ops/detection/RoiPool.h.inc"
