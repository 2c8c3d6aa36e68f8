/// Poolings of regions.
#pragma once

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

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/detection/Regions.h.inc"
