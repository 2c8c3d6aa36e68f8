/// Type inference of layers of click-through-rate models.
#pragma once

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"

#include "mlir/IR/TypeUtilities.h"

namespace proa::pd {

template <class Adaptor>
mlir::LogicalResult inferCvm(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  auto x = tensorType(adaptor.getX());
  bool fits = x.getRank() == 2 && (x.isDynamicDim(1) || x.getDimSize(1) > 2);
  if (failed(
          require(location, fits, "C1: x must be a matrix of more than two columns", adaptor.getOperands())))
    return mlir::failure();
  auto cvm = adaptor.getCvm() ? tensorType(adaptor.getCvm()) : mlir::RankedTensorType();
  if (cvm && failed(mlir::verifyCompatibleShape({x.getDimSize(0), 2}, cvm.getShape())))
    return inferenceError(location, "C2: cvm must have two columns and the rows of x");
  bool keeps = adaptor.getUseCvm() || x.isDynamicDim(1);
  results.push_back(x.clone({x.getDimSize(0), keeps ? x.getDimSize(1) : x.getDimSize(1) - 2}));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferDataNorm(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  auto x = tensorType(adaptor.getX());
  bool fits = x.getRank() == 2 && tensorType(adaptor.getBatchSize()).getRank() == 1;
  if (failed(require(location, fits, "C1: x must be a matrix and the others vectors", adaptor.getOperands())))
    return mlir::failure();
  results.push_back(x);
  results.append(2, adaptor.getBatchSize().getType());
  return mlir::success();
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/nn/ClickThrough.h.inc"
