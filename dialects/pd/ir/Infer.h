/// Type inference shared by several ops. The field `infer` of an op record names one of the templates at the
/// end.
#pragma once

#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

/// Shape that the operands broadcast to, as in NumPy. If one dim is dynamic and the other is static and above
/// 1, the result is the static one. Failure when two static dims differ.
mlir::FailureOr<llvm::SmallVector<int64_t>> broadcastShapes(mlir::TypeRange types);
/// As above; a failure is an error that cites `constraint` ("C1").
mlir::FailureOr<llvm::SmallVector<int64_t>>
broadcastShapes(std::optional<mlir::Location> location, mlir::TypeRange types, llvm::StringRef constraint);

/// `axis` as a non-negative index; failure if it is outside [-rank, rank).
mlir::FailureOr<int64_t> normalizeAxis(int64_t axis, int64_t rank);
/// As above; a failure is an error that cites `constraint`.
mlir::FailureOr<int64_t> normalizeAxis(std::optional<mlir::Location> location, int64_t axis, int64_t rank,
                                       llvm::StringRef constraint);

inline mlir::RankedTensorType tensorType(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType());
}

/// A size of a dim that is known only at run time.
inline constexpr int64_t unknown = mlir::ShapedType::kDynamic;

/// Whether two sizes of dims are equal as far as they are known.
inline bool mayBeEqual(int64_t x, int64_t y) { return x == y || x == unknown || y == unknown; }
/// Whether two shapes are equal as far as they are known.
bool mayBeEqual(llvm::ArrayRef<int64_t> x, llvm::ArrayRef<int64_t> y);

/// Emits an error if there is a location. Always returns failure.
mlir::LogicalResult inferenceError(std::optional<mlir::Location> location, const llvm::Twine &message);

/// Emits the error of a violated constraint, with the types of `found`, unless `holds`.
mlir::LogicalResult require(std::optional<mlir::Location> location, bool holds, llvm::StringRef message,
                            mlir::ValueRange found);
/// Whether `value`, if given and of static dims, has `count` elements; true for a dynamic count.
bool mayHaveElements(mlir::Value value, int64_t count);

/// The one result has the broadcast shape of the operands and this element type. Errors cite C2.
mlir::LogicalResult inferBroadcastOf(std::optional<mlir::Location> location, mlir::ValueRange operands,
                                     mlir::Type elementType, llvm::SmallVectorImpl<mlir::Type> &results);
/// The element type of all operands. If they differ, an error cites `constraint`.
mlir::FailureOr<mlir::Type> commonElementType(std::optional<mlir::Location> location,
                                              mlir::ValueRange operands, llvm::StringRef constraint);

/// Result types of an op, in their order.
using Results = llvm::SmallVectorImpl<mlir::Type>;

/// The type of the first operand.
template <class Adaptor>
mlir::LogicalResult inferSameAsFirst(std::optional<mlir::Location>, Adaptor adaptor, Results &results) {
  results.push_back(adaptor.getOperands()[0].getType());
  return mlir::success();
}

/// Broadcast shape (C2) and common element type (C1) of the operands.
template <class Adaptor>
mlir::LogicalResult inferBroadcast(std::optional<mlir::Location> location, Adaptor adaptor,
                                   Results &results) {
  auto elementType = commonElementType(location, adaptor.getOperands(), "C1");
  if (failed(elementType))
    return mlir::failure();
  return inferBroadcastOf(location, adaptor.getOperands(), *elementType, results);
}

/// Broadcast shape of the operands (C2), which have one element type (C1); element type i1.
template <class Adaptor>
mlir::LogicalResult inferCompare(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  if (failed(commonElementType(location, adaptor.getOperands(), "C1")))
    return mlir::failure();
  mlir::ValueRange operands = adaptor.getOperands();
  return inferBroadcastOf(location, operands, mlir::IntegerType::get(operands[0].getContext(), 1), results);
}

/// Broadcast shape of all operands (C2), element type of the operands after the first (C1).
template <class Adaptor>
mlir::LogicalResult inferSelect(std::optional<mlir::Location> location, Adaptor adaptor, Results &results) {
  auto elementType = commonElementType(location, adaptor.getOperands().drop_front(), "C1");
  if (failed(elementType))
    return mlir::failure();
  return inferBroadcastOf(location, adaptor.getOperands(), *elementType, results);
}

/// Shape of the first operand, element type i1.
template <class Adaptor>
mlir::LogicalResult inferPredicate(std::optional<mlir::Location>, Adaptor adaptor, Results &results) {
  auto type = tensorType(adaptor.getOperands()[0]);
  results.push_back(type.clone(mlir::IntegerType::get(type.getContext(), 1)));
  return mlir::success();
}

/// Shape of the first operand, with the real type of a complex element type.
template <class Adaptor>
mlir::LogicalResult inferRealComponent(std::optional<mlir::Location>, Adaptor adaptor, Results &results) {
  auto type = tensorType(adaptor.getOperands()[0]);
  auto complexType = mlir::dyn_cast<mlir::ComplexType>(type.getElementType());
  results.push_back(complexType ? mlir::Type(type.clone(complexType.getElementType())) : type);
  return mlir::success();
}

/// Shape of the operand `x`, element type of the attribute `dtype`.
template <class Adaptor>
mlir::LogicalResult inferCast(std::optional<mlir::Location>, Adaptor adaptor, Results &results) {
  results.push_back(tensorType(adaptor.getX()).clone(adaptor.getDtype()));
  return mlir::success();
}

} // namespace proa::pd
