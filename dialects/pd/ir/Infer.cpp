#include "dialects/pd/ir/Infer.h"
#include "dialects/pd/ir/Guarded.h"

using namespace mlir;

void mlir::detail::proaInferenceFailed(OperationState &) { throw proa::pd::InferenceError(); }

namespace proa::pd {

bool mayBeEqual(ArrayRef<int64_t> x, ArrayRef<int64_t> y) {
  return x.size() == y.size() && llvm::all_of(llvm::zip_equal(x, y), [](auto dims) {
           return mayBeEqual(std::get<0>(dims), std::get<1>(dims));
         });
}

LogicalResult inferenceError(std::optional<Location> location, const llvm::Twine &message) {
  if (location)
    emitError(*location) << message;
  return failure();
}

LogicalResult require(std::optional<Location> location, bool holds, llvm::StringRef message,
                      ValueRange found) {
  if (holds)
    return success();
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << message << ", found ";
  llvm::interleaveComma(found.getTypes(), stream);
  return inferenceError(location, text);
}

bool mayHaveElements(Value value, int64_t count) {
  if (!value || ShapedType::isDynamic(count))
    return true;
  RankedTensorType type = tensorType(value);
  return !type.hasStaticShape() || type.getNumElements() == count;
}

FailureOr<llvm::SmallVector<int64_t>> broadcastShapes(TypeRange types) {
  return broadcastShapes(std::nullopt, types, "");
}

FailureOr<llvm::SmallVector<int64_t>> broadcastShapes(std::optional<Location> location, TypeRange types,
                                                      llvm::StringRef constraint) {
  llvm::SmallVector<int64_t> shape;
  for (Type type : types) {
    llvm::ArrayRef<int64_t> dims = cast<RankedTensorType>(type).getShape();
    if (dims.size() > shape.size())
      shape.insert(shape.begin(), dims.size() - shape.size(), 1);
    size_t offset = shape.size() - dims.size();
    for (auto [i, dim] : llvm::enumerate(dims)) {
      int64_t &out = shape[offset + i];
      if (out == dim || dim == 1)
        continue;
      if (out == 1 || (ShapedType::isDynamic(out) && !ShapedType::isDynamic(dim))) {
        out = dim;
        continue;
      }
      if (ShapedType::isDynamic(dim))
        continue;
      return inferenceError(location, constraint + ": operands cannot be broadcast together: dimension " +
                                          llvm::Twine(offset + i) + " of the result is " + llvm::Twine(out) +
                                          " by one operand and " + llvm::Twine(dim) + " by another");
    }
  }
  return shape;
}

FailureOr<int64_t> normalizeAxis(int64_t axis, int64_t rank) {
  return normalizeAxis(std::nullopt, axis, rank, "");
}

FailureOr<int64_t> normalizeAxis(std::optional<Location> location, int64_t axis, int64_t rank,
                                 llvm::StringRef constraint) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  return inferenceError(location, constraint + ": axis must be in [-" + llvm::Twine(rank) + ", " +
                                      llvm::Twine(rank) + "), found " + llvm::Twine(axis));
}

FailureOr<Type> commonElementType(std::optional<Location> location, ValueRange operands,
                                  llvm::StringRef constraint) {
  Type first = tensorType(operands[0]).getElementType();
  for (Value operand : operands.drop_front()) {
    Type other = tensorType(operand).getElementType();
    if (other != first) {
      std::string text;
      llvm::raw_string_ostream(text) << constraint << ": operands must have one element type, found " << first
                                     << " and " << other;
      return inferenceError(location, text);
    }
  }
  return first;
}

LogicalResult inferBroadcastOf(std::optional<Location> location, ValueRange operands, Type elementType,
                               llvm::SmallVectorImpl<Type> &results) {
  auto shape = broadcastShapes(location, operands.getTypes(), "C2");
  if (failed(shape))
    return failure();
  results.push_back(RankedTensorType::get(*shape, elementType));
  return success();
}

} // namespace proa::pd
