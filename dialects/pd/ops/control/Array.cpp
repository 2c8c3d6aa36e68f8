#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/control/CheckOps.h"
#include "dialects/pd/ops/control/Control.h"
#include "dialects/pd/ops/shape/KnownElements.h"
#include "dialects/pd/reference/Evaluate.h"

using namespace mlir;

namespace proa::pd {
namespace {

LogicalResult checkNumber(std::optional<Location> location, llvm::StringRef what, Value value) {
  auto type = tensorType(value);
  if (!type.hasStaticShape() || type.getNumElements() == 1)
    return success();
  return inferenceError(location, "C1: " + what + " has " + llvm::Twine(type.getNumElements()) +
                                      " elements, expected one");
}

ArrayType arrayType(Value value) { return cast<ArrayType>(value.getType()); }

FailureOr<RankedTensorType> elementOf(std::optional<Location> location, Value array) {
  if (RankedTensorType element = arrayType(array).getElement())
    return element;
  return inferenceError(location, "C2: nothing was written to the array");
}

/// The join of two array types.
FailureOr<Type> joinedElements(std::optional<Location> location, Value x, Value y) {
  if (Type joined = joinedTypes(x.getType(), y.getType()))
    return joined;
  std::string text;
  llvm::raw_string_ostream(text) << "C2: the elements of x have type " << arrayType(x).getElement()
                                 << ", the elements of y " << arrayType(y).getElement();
  return inferenceError(location, text);
}

/// The size that all elements of a vector of sizes are known to be; kDynamic if there is none.
int64_t commonSize(Value sizes) {
  std::optional<llvm::SmallVector<int64_t>> known = allKnownElements(sizes);
  return known && !known->empty() && llvm::all_equal(*known) ? known->front() : ShapedType::kDynamic;
}

} // namespace

LogicalResult ArrayCreateOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, Adaptor,
                                              Results &results) {
  results.push_back(ArrayType::get(context, RankedTensorType()));
  return success();
}

LogicalResult ArrayWriteOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                             Adaptor adaptor, Results &results) {
  if (failed(checkNumber(location, "index", adaptor.getIndex())))
    return failure();
  auto x = tensorType(adaptor.getX());
  Type joined = joinedTypes(adaptor.getArray().getType(), ArrayType::get(context, x));
  if (!joined) {
    std::string text;
    llvm::raw_string_ostream(text) << "C2: x has type " << x << ", the elements have "
                                   << arrayType(adaptor.getArray()).getElement();
    return inferenceError(location, text);
  }
  results.push_back(joined);
  return success();
}

LogicalResult ArrayReadOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                            Results &results) {
  auto element = elementOf(location, adaptor.getArray());
  if (failed(element) || failed(checkNumber(location, "index", adaptor.getIndex())))
    return failure();
  results.push_back(*element);
  return success();
}

LogicalResult ArrayReadOrOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                              Adaptor adaptor, Results &results) {
  if (failed(checkNumber(location, "index", adaptor.getIndex())))
    return failure();
  auto otherwise = tensorType(adaptor.getOtherwise());
  RankedTensorType element = arrayType(adaptor.getArray()).getElement();
  Type joined = element ? joinedTypes(element, otherwise) : otherwise;
  if (!joined) {
    std::string text;
    llvm::raw_string_ostream(text) << "C2: otherwise has type " << otherwise << ", the elements have "
                                   << element;
    return inferenceError(location, text);
  }
  results.push_back(joined);
  return success();
}

LogicalResult ArrayAddOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                           Results &results) {
  auto joined = joinedElements(location, adaptor.getX(), adaptor.getY());
  if (failed(joined))
    return failure();
  results.push_back(*joined);
  return success();
}

LogicalResult ArrayConcatOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                              Adaptor adaptor, Results &results) {
  auto joined = joinedElements(location, adaptor.getX(), adaptor.getY());
  if (failed(joined))
    return failure();
  results.push_back(*joined);
  return success();
}

LogicalResult ArrayZerosLikeOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                                 Results &results) {
  results.push_back(adaptor.getArray().getType());
  return success();
}

LogicalResult ArraySplitOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                             Adaptor adaptor, Results &results) {
  auto type = tensorType(adaptor.getX());
  llvm::SmallVector<int64_t> shape(type.getShape());
  auto axis = normalizeAxis(location, static_cast<int64_t>(adaptor.getAxis()), type.getRank(), "C1");
  if (failed(axis))
    return failure();
  if (adaptor.getUseStack())
    shape.erase(shape.begin() + *axis);
  else
    shape[*axis] = commonSize(adaptor.getSizes());
  results.push_back(ArrayType::get(context, type.clone(shape)));
  return success();
}

LogicalResult ArrayLengthOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, Adaptor,
                                              Results &results) {
  results.push_back(RankedTensorType::get({1}, IntegerType::get(context, 64)));
  return success();
}

LogicalResult ArraySliceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                             Results &results) {
  if (failed(checkNumber(location, "start", adaptor.getStart())) ||
      failed(checkNumber(location, "end", adaptor.getEnd())))
    return failure();
  results.push_back(adaptor.getArray().getType());
  return success();
}

LogicalResult ArrayToTensorOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                                                Adaptor adaptor, Results &results) {
  auto element = elementOf(location, adaptor.getArray());
  if (failed(element))
    return failure();
  llvm::SmallVector<int64_t> shape((*element).getShape());
  auto axis = normalizeAxis(location, static_cast<int64_t>(adaptor.getAxis()),
                            static_cast<int64_t>(shape.size()) + (adaptor.getUseStack() ? 1 : 0), "C1");
  if (failed(axis))
    return failure();
  if (adaptor.getUseStack())
    shape.insert(shape.begin() + *axis, ShapedType::kDynamic);
  else
    shape[*axis] = ShapedType::kDynamic;
  results.push_back((*element).clone(shape));
  results.push_back(RankedTensorType::get({ShapedType::kDynamic}, IntegerType::get(context, 32)));
  return success();
}

LogicalResult ArrayCastOp::verify() {
  if (compatibleTypes(getArray().getType(), getOut().getType()))
    return success();
  return emitOpError() << "cannot see " << getArray().getType() << " as " << getOut().getType();
}

} // namespace proa::pd

#define GET_OP_CLASSES
#include "dialects/pd/ops/control/Array.cpp.inc"
#include "dialects/pd/ops/control/Array.methods.inc"
