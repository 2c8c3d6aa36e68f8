/// Tensors defined by attributes.
#pragma once

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

/// The dims in a constant shape tensor, or one dynamic dim for each of its elements. Failure, with an error,
/// if the number of elements is dynamic.
mlir::FailureOr<llvm::SmallVector<int64_t>> dimsFromTensor(std::optional<mlir::Location> location,
                                                           mlir::Value tensor, llvm::StringRef constraint);

template <class Adaptor>
mlir::LogicalResult inferConstant(std::optional<mlir::Location>, Adaptor adaptor, Results &results) {
  results.push_back(mlir::cast<mlir::ElementsAttr>(adaptor.getValue()).getShapedType());
  return mlir::success();
}

mlir::LogicalResult inferFullOf(std::optional<mlir::Location> location, mlir::Value shapeTensor,
                                llvm::ArrayRef<int64_t> shape, mlir::Type dtype, Results &results);

template <class Adaptor>
mlir::LogicalResult inferFull(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferFullOf(location, adaptor.getShapeTensor(), adaptor.getShape(), adaptor.getDtype(), results);
}

mlir::LogicalResult inferSpaced(std::optional<mlir::Location> location, mlir::ValueRange operands,
                                mlir::Type dtype, Results &results);

/// Inference of linspace and logspace, whose third operand is the number of elements.
template <class Adaptor>
mlir::LogicalResult inferLinspace(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferSpaced(location, adaptor.getOperands(), adaptor.getDtype(), results);
}

} // namespace proa::pd
