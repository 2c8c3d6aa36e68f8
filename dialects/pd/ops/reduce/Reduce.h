/// Reductions along axes.
#pragma once

#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/ir/ThreadInterface.h"

namespace proa::pd {

/// The axes as ascending non-negative indices without repetitions; all axes for an empty list. Invalid axes
/// are left out: the verifier has refused them.
llvm::SmallVector<int64_t> reducedAxes(llvm::ArrayRef<int64_t> axes, int64_t rank);

mlir::LogicalResult inferReduction(std::optional<mlir::Location> location, mlir::RankedTensorType type,
                                   llvm::ArrayRef<int64_t> axes, bool keepdim, mlir::Type elementType,
                                   Results &results);

template <class Adaptor>
mlir::LogicalResult inferReduce(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  auto type = tensorType(adaptor.getX());
  return inferReduction(location, type, adaptor.getAxis(), adaptor.getKeepdim(), type.getElementType(),
                        results);
}

template <class Adaptor>
mlir::LogicalResult inferSum(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  auto type = tensorType(adaptor.getX());
  mlir::Type element = type.getElementType();
  if (adaptor.getDtype())
    element = *adaptor.getDtype();
  else if (element.isInteger(1) || element.isInteger(32))
    element = mlir::IntegerType::get(type.getContext(), 64);
  return inferReduction(location, type, adaptor.getAxis(), adaptor.getKeepdim(), element, results);
}

template <class Adaptor>
mlir::LogicalResult inferReduceAll(std::optional<mlir::Location> location, Adaptor adaptor,
                                   Results &results) {
  auto type = tensorType(adaptor.getX());
  return inferReduction(location, type, {}, false, type.getElementType(), results);
}

mlir::LogicalResult inferExtremes(std::optional<mlir::Location> location, mlir::RankedTensorType type,
                                  int64_t axis, std::optional<mlir::Type> dtype, Results &results);

/// Of cummax and cummin.
template <class Adaptor>
mlir::LogicalResult inferExtremeScan(std::optional<mlir::Location> location, Adaptor adaptor,
                                     Results &results) {
  return inferExtremes(location, tensorType(adaptor.getX()), static_cast<int64_t>(adaptor.getAxis()),
                       adaptor.getDtype(), results);
}

/// One element of the element type of x.
template <class Adaptor>
mlir::LogicalResult inferOneElement(std::optional<mlir::Location>, Adaptor adaptor, Results &results) {
  results.push_back(mlir::RankedTensorType::get({1}, tensorType(adaptor.getX()).getElementType()));
  return mlir::success();
}

} // namespace proa::pd
