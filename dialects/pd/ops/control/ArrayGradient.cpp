//! Reverse-mode rules of ops on tensor arrays.
#include "dialects/pd/autodiff/ArrayGradient.h"
#include "dialects/pd/autodiff/Autodiff.h"
#include "dialects/pd/autodiff/CountedLoop.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// The array with `term` added to the element at `index`.
Value withAdded(OpBuilder &builder, Location location, Value array, Value index, Value term) {
  Value element = ArrayReadOrOp::create(builder, location, array, index, zerosLike(builder, location, term));
  Value sum = AddOp::create(builder, location, element, term);
  return widened(builder, location, ArrayWriteOp::create(builder, location, array, index, sum),
                 array.getType());
}

/// Whether the tensor is known to be zero.
bool isZero(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  if (isa_and_present<ExpandOp, ReshapeOp, tensor::CastOp>(op))
    return isZero(op->getOperand(0));
  if (op && (matchPattern(op, m_AnyZeroFloat()) || matchPattern(op, m_Zero())))
    return true;
  if (auto full = dyn_cast_or_null<FullOp>(op))
    return !full.getValueTensor() && full.getValue().isZero();
  auto like = dyn_cast_or_null<FullLikeOp>(op);
  return like && !like.getValueTensor() && like.getValue().isZero();
}

/// `soFar` with the elements of `own` added to those from the slice's start on.
Value withSlice(OpBuilder &builder, ArraySliceOp slice, Value own, Value soFar) {
  Location location = slice.getLoc();
  Value front = ArraySliceOp::create(builder, location, slice.getArray(), oneInt(builder, location, 0),
                                     slice.getStart());
  Value whole = ArrayConcatOp::create(builder, location, zerosLikeAny(builder, location, front), own);
  return soFar ? sumOfArrays(builder, location, soFar, whole) : whole;
}

} // namespace

SmallVector<SmallVector<unsigned>> ArrayCastOp::getLinearGroups() { return {{0}}; }

FailureOr<SmallVector<Value>> ArrayAddOp::vjp(OpBuilder &, ArrayRef<Value> cotangents) {
  return SmallVector<Value>{cotangents[0], cotangents[0]};
}

FailureOr<SmallVector<Value>> ArrayConcatOp::vjp(OpBuilder &builder, ArrayRef<Value> cotangents) {
  auto type = RankedTensorType::get({1}, builder.getI64Type());
  Value begin = ConstantOp::create(builder, getLoc(), type, DenseElementsAttr::get(type, int64_t(0)));
  Value first = ArrayLengthOp::create(builder, getLoc(), getX()),
        second = ArrayLengthOp::create(builder, getLoc(), getY());
  Value end = AddOp::create(builder, getLoc(), first, second), whole = cotangents[0];
  auto range = [&](Value from, Value to, Type like) {
    return widened(builder, getLoc(), ArraySliceOp::create(builder, getLoc(), whole, from, to), like);
  };
  return SmallVector<Value>{range(begin, first, getX().getType()), range(first, end, getY().getType())};
}

FailureOr<SmallVector<Value>> ArrayZerosLikeOp::vjp(OpBuilder &, ArrayRef<Value>) {
  return SmallVector<Value>{Value()};
}

/// An entry without a cotangent is replaced by zeros.
FailureOr<SmallVector<Value>> ArraySplitOp::vjp(OpBuilder &builder, ArrayRef<Value> cotangents) {
  Value zeros = ArraySplitOp::create(builder, getLoc(), zerosLike(builder, getLoc(), getX()), getSizes(),
                                     getAxisAttr(), getUseStackAttr());
  Value all = ArrayAddOp::create(builder, getLoc(), cotangents[0], zeros);
  auto whole = ArrayToTensorOp::create(builder, getLoc(), all, getAxisAttr(), getUseStackAttr());
  return SmallVector<Value>{whole.getOut(), Value()};
}

FailureOr<SmallVector<Value>> ArrayWriteOp::vjpOnArrays(OpBuilder &builder, ArrayRef<Value> cotangents,
                                                        Value soFar) {
  Value cotangent = widened(builder, getLoc(), cotangents[0], getOut().getType());
  Value zeros = zerosLike(builder, getLoc(), getX());
  Value ofArray = ArrayWriteOp::create(builder, getLoc(), cotangent, getIndex(), zeros);
  Value ofX = ArrayReadOrOp::create(builder, getLoc(), cotangent, getIndex(), zeros);
  return SmallVector<Value>{soFar ? sumOfArrays(builder, getLoc(), soFar, ofArray) : ofArray, Value(), ofX};
}

FailureOr<SmallVector<Value>> ArrayReadOp::vjpOnArrays(OpBuilder &builder, ArrayRef<Value> cotangents,
                                                       Value soFar) {
  Value whole = soFar ? soFar : noCotangent(builder, getLoc(), getArray());
  return SmallVector<Value>{withAdded(builder, getLoc(), whole, indexFromStart(*this), cotangents[0]),
                            Value()};
}

FailureOr<SmallVector<Value>> ArrayReadOrOp::vjpOnArrays(OpBuilder &builder, ArrayRef<Value> cotangents,
                                                         Value soFar) {
  if (!isZero(getOtherwise()))
    return emitError("expected zeros as the value of a missing element; other values have no gradient");
  Value whole = soFar ? soFar : noCotangent(builder, getLoc(), getArray());
  return SmallVector<Value>{withAdded(builder, getLoc(), whole, getIndex(), cotangents[0]), Value(), Value()};
}

FailureOr<SmallVector<Value>> ArrayToTensorOp::vjpOnArrays(OpBuilder &builder, ArrayRef<Value> cotangents,
                                                           Value soFar) {
  Value entries =
      ArraySplitOp::create(builder, getLoc(), cotangents[0], getSizes(), getAxisAttr(), getUseStackAttr());
  return SmallVector<Value>{soFar ? sumOfArrays(builder, getLoc(), soFar, entries) : entries};
}

FailureOr<SmallVector<Value>> ArraySliceOp::vjpOnArrays(OpBuilder &builder, ArrayRef<Value> cotangents,
                                                        Value soFar) {
  return SmallVector<Value>{withSlice(builder, *this, cotangents[0], soFar), Value(), Value()};
}

FailureOr<SmallVector<Value>> ArrayCastOp::vjpOnArrays(OpBuilder &builder, ArrayRef<Value> cotangents,
                                                       Value soFar) {
  return SmallVector<Value>{soFar ? sumOfArrays(builder, getLoc(), soFar, cotangents[0]) : cotangents[0]};
}

} // namespace proa::pd
