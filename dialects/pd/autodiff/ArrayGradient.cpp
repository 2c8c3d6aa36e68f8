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

/// `soFar` with the elements of `part` added to those from the slice's start on.
Value withPart(OpBuilder &builder, ArraySliceOp slice, Value part, Value soFar) {
  Location location = slice.getLoc();
  Value front = ArraySliceOp::create(builder, location, slice.getArray(), oneInt(builder, location, 0),
                                     slice.getStart());
  Value whole = ArrayConcatOp::create(builder, location, zerosLikeAny(builder, location, front), part);
  return soFar ? sumOfArrays(builder, location, soFar, whole) : whole;
}

} // namespace

Value noCotangent(OpBuilder &builder, Location location, Value like) {
  if (isa<ArrayType>(like.getType()))
    return widened(builder, location, ArrayCreateOp::create(builder, location), like.getType());
  return zerosLike(builder, location, like);
}

Value indexFromStart(ArrayReadOp read) {
  DenseIntElementsAttr constant;
  if (!matchPattern(read.getIndex(), m_Constant(&constant)) || constant.getNumElements() != 1 ||
      !constant.getSplatValue<APInt>().isNegative())
    return read.getIndex();
  OpBuilder builder(read);
  Value length = ArrayLengthOp::create(builder, read.getLoc(), read.getArray());
  return AddOp::create(builder, read.getLoc(), length,
                       oneInt(builder, read.getLoc(), constant.getSplatValue<APInt>().getSExtValue()));
}

Value zerosLikeAny(OpBuilder &builder, Location location, Value like) {
  if (!isa<ArrayType>(like.getType()))
    return zerosLike(builder, location, like);
  if (beforeWidening(like).getDefiningOp<ArrayCreateOp>())
    return widened(builder, location, ArrayCreateOp::create(builder, location), like.getType());
  return ArrayZerosLikeOp::create(builder, location, like);
}

Value sumOfArrays(OpBuilder &builder, Location location, Value x, Value y) {
  return widened(builder, location, ArrayAddOp::create(builder, location, x, y), x.getType());
}

bool isOnArrays(Operation *op) {
  return isa<ArrayWriteOp, ArrayReadOp, ArrayReadOrOp, ArrayToTensorOp, ArrayCastOp, ArraySliceOp>(op);
}

FailureOr<SmallVector<Value>> differentiateOnArrays(OpBuilder &builder, Operation *op,
                                                    ArrayRef<Value> cotangents, Value soFar) {
  Location location = op->getLoc();
  SmallVector<Value> gradients(op->getNumOperands());
  if (auto write = dyn_cast<ArrayWriteOp>(op)) {
    Value cotangent = widened(builder, location, cotangents[0], write.getOut().getType()),
          index = write.getIndex();
    Value zeros = zerosLike(builder, location, write.getX());
    gradients[0] = ArrayWriteOp::create(builder, location, cotangent, index, zeros);
    gradients[2] = ArrayReadOrOp::create(builder, location, cotangent, index, zeros);
    if (soFar)
      gradients[0] = sumOfArrays(builder, location, soFar, gradients[0]);
  } else if (auto read = dyn_cast<ArrayReadOp>(op)) {
    Value whole = soFar ? soFar : noCotangent(builder, location, read.getArray());
    gradients[0] = withAdded(builder, location, whole, indexFromStart(read), cotangents[0]);
  } else if (auto read = dyn_cast<ArrayReadOrOp>(op)) {
    if (!isZero(read.getOtherwise()))
      return op->emitError()
             << "expected zeros as the value of a missing element; other values have no gradient";
    Value whole = soFar ? soFar : noCotangent(builder, location, read.getArray());
    gradients[0] = withAdded(builder, location, whole, read.getIndex(), cotangents[0]);
  } else if (auto join = dyn_cast<ArrayToTensorOp>(op)) {
    gradients[0] = ArraySplitOp::create(builder, location, cotangents[0], join.getSizes(), join.getAxisAttr(),
                                        join.getUseStackAttr());
    if (soFar)
      gradients[0] = sumOfArrays(builder, location, soFar, gradients[0]);
  } else if (auto slice = dyn_cast<ArraySliceOp>(op)) {
    gradients[0] = withPart(builder, slice, cotangents[0], soFar);
  } else if (isa<ArrayCastOp>(op)) {
    gradients[0] = soFar ? sumOfArrays(builder, location, soFar, cotangents[0]) : cotangents[0];
  } else {
    return op->emitError() << "'" << op->getName().getStringRef() << "' has no rule for its gradient";
  }
  return gradients;
}

} // namespace proa::pd
