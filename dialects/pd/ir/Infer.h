/// Type inference that several ops share. The field `infer` of an op record names one of the templates at the
/// end.
#pragma once

#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

/// Shape of operands broadcast as in NumPy. Where one side is dynamic and the other is a known extent above
/// 1, the result is that extent. Emits an error at `location`, if there is one, when two extents differ.
mlir::FailureOr<llvm::SmallVector<int64_t>> broadcastShapes(std::optional<mlir::Location> location,
                                                            mlir::TypeRange types);

/// `axis` counted from the front; emits an error where it is outside [-rank, rank).
mlir::FailureOr<int64_t> normalizeAxis(std::optional<mlir::Location> location, int64_t axis, int64_t rank);

inline mlir::RankedTensorType tensorType(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

/// Emits an error if there is a location; always failure.
mlir::LogicalResult inferenceError(std::optional<mlir::Location> location, const llvm::Twine &message);

mlir::LogicalResult inferBroadcastOf(std::optional<mlir::Location> location, mlir::ValueRange operands,
                                     mlir::Type elementType, llvm::SmallVectorImpl<mlir::Type> &results);
/// The common element type of operands [first, end); emits an error where they differ.
mlir::FailureOr<mlir::Type> commonElementType(std::optional<mlir::Location> location,
                                              mlir::ValueRange operands);

using Results = llvm::SmallVectorImpl<mlir::Type>;

template <class Adaptor>
mlir::LogicalResult inferSameAsFirst(std::optional<mlir::Location>, Adaptor adaptor, Results &results) {
  results.push_back(adaptor.getOperands()[0].getType());
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferBroadcast(std::optional<mlir::Location> location, Adaptor adaptor,
                                   Results &results) {
  auto elementType = commonElementType(location, adaptor.getOperands());
  if (failed(elementType))
    return mlir::failure();
  return inferBroadcastOf(location, adaptor.getOperands(), *elementType, results);
}

template <class Adaptor>
mlir::LogicalResult inferCompare(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  if (failed(commonElementType(location, adaptor.getOperands())))
    return mlir::failure();
  mlir::ValueRange operands = adaptor.getOperands();
  return inferBroadcastOf(location, operands, mlir::IntegerType::get(operands[0].getContext(), 1), results);
}

template <class Adaptor>
mlir::LogicalResult inferSelect(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  auto elementType = commonElementType(location, adaptor.getOperands().drop_front());
  if (failed(elementType))
    return mlir::failure();
  return inferBroadcastOf(location, adaptor.getOperands(), *elementType, results);
}

template <class Adaptor>
mlir::LogicalResult inferPredicate(std::optional<mlir::Location>, Adaptor adaptor, Results &results) {
  auto type = tensorType(adaptor.getOperands()[0]);
  results.push_back(type.clone(mlir::IntegerType::get(type.getContext(), 1)));
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferRealPart(std::optional<mlir::Location>, Adaptor adaptor, Results &results) {
  auto type = tensorType(adaptor.getOperands()[0]);
  auto complexType = mlir::dyn_cast<mlir::ComplexType>(type.getElementType());
  results.push_back(complexType ? mlir::Type(type.clone(complexType.getElementType())) : type);
  return mlir::success();
}

template <class Adaptor>
mlir::LogicalResult inferCast(std::optional<mlir::Location>, Adaptor adaptor, Results &results) {
  results.push_back(tensorType(adaptor.getX()).clone(adaptor.getDtype()));
  return mlir::success();
}

} // namespace proa::pd
