/// Elementwise math: primitives of one to three operands, and composites.
#pragma once

#include "dialects/pd/ir/Enums.h"
#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

template <class Adaptor>
mlir::LogicalResult inferPolygamma(std::optional<mlir::Location> location, Adaptor adaptor,
                                   Results &results) {
  auto n = static_cast<int64_t>(adaptor.getN());
  if (n < 0 || n > 100)
    return inferenceError(location, "C1: n must be from 0 to 100, found " + llvm::Twine(n));
  return inferSameAsFirst(location, adaptor, results);
}

template <class Adaptor>
mlir::LogicalResult inferDecodeFloat(std::optional<mlir::Location>, Adaptor adaptor, Results &results) {
  auto type = tensorType(adaptor.getX());
  results.push_back(type.clone(mlir::Float32Type::get(type.getContext())));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferEncodeFloat(std::optional<mlir::Location>, Adaptor adaptor, Results &results) {
  auto type = tensorType(adaptor.getX());
  results.push_back(type.clone(mlir::IntegerType::get(type.getContext(), 8, mlir::IntegerType::Unsigned)));
  return mlir::success();
}

/// Complex numbers of the precision of two real components.
mlir::LogicalResult inferComplexOf(std::optional<mlir::Location> location, mlir::ValueRange components,
                                   Results &results);
mlir::LogicalResult inferAsComplexOf(std::optional<mlir::Location> location, mlir::RankedTensorType type,
                                     Results &results);
mlir::LogicalResult inferAsRealOf(mlir::RankedTensorType type, Results &results);

template <class Adaptor>
mlir::LogicalResult inferComplex(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  return inferComplexOf(location, adaptor.getOperands(), results);
}

template <class Adaptor>
mlir::LogicalResult inferAsComplex(std::optional<mlir::Location> location, Adaptor adaptor,
                                   Results &results) {
  return inferAsComplexOf(location, tensorType(adaptor.getX()), results);
}

template <class Adaptor>
mlir::LogicalResult inferAsReal(std::optional<mlir::Location>, Adaptor adaptor, Results &results) {
  return inferAsRealOf(tensorType(adaptor.getX()), results);
}

template <class Adaptor>
mlir::LogicalResult inferIsclose(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  mlir::Value operands[] = {adaptor.getX(), adaptor.getY()};
  if (failed(commonElementType(location, operands, "C1")))
    return mlir::failure();
  return inferBroadcastOf(location, operands, mlir::IntegerType::get(operands[0].getContext(), 1), results);
}

template <class Adaptor>
mlir::LogicalResult inferAllclose(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  if (failed(inferIsclose(location, adaptor, results)))
    return mlir::failure();
  results[0] =
      mlir::RankedTensorType::get({}, mlir::cast<mlir::RankedTensorType>(results[0]).getElementType());
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferEqualAll(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  if (failed(commonElementType(location, adaptor.getOperands(), "C1")))
    return mlir::failure();
  results.push_back(mlir::RankedTensorType::get({}, mlir::IntegerType::get(adaptor.getX().getContext(), 1)));
  return mlir::success();
}

} // namespace proa::pd
