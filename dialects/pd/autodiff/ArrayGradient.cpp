#include "dialects/pd/autodiff/ArrayGradient.h"

#include "dialects/pd/Types.h"
#include "dialects/pd/autodiff/Autodiff.h"
#include "dialects/pd/autodiff/CountedLoop.h"
#include "dialects/pd/control/Control.h"
#include "dialects/pd/index/Index.h"
#include "dialects/pd/math/Math.h"
#include "dialects/pd/shape/Extent.h"
#include "dialects/pd/shape/Shape.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// An array whose element number `index` is what `element` makes, for all below `count`.
Value makeArray(OpBuilder &builder, Location location, Value count, Type type,
                llvm::function_ref<Value(OpBuilder &, Value index)> element) {
  Value empty = widened(builder, location, ArrayCreateOp::create(builder, location), type);
  return countedLoop(builder, location, count, empty, [&](OpBuilder &inside, Value index, ValueRange carried) {
    Value longer = ArrayWriteOp::create(inside, location, carried[0], index, element(inside, index));
    return SmallVector<Value>{widened(inside, location, longer, type)};
  })[0];
}

/// The array with `term` added to an element.
Value withAdded(OpBuilder &builder, Location location, Value array, Value index, Value term) {
  Value held = ArrayReadOrOp::create(builder, location, array, index, zerosLike(builder, location, term));
  Value sum = AddOp::create(builder, location, held, term);
  return widened(builder, location, ArrayWriteOp::create(builder, location, array, index, sum), array.getType());
}

/// The parts of a tensor that was made of an array's elements.
Value apart(OpBuilder &builder, ArrayToTensorOp op, Value cotangent) {
  Location location = op.getLoc();
  int64_t rank = tensorType(op.getOut()).getRank();
  int64_t axis = *normalizeAxis(std::nullopt, static_cast<int64_t>(op.getAxis()), rank);
  Value count = ArrayLengthOp::create(builder, location, op.getArray());
  Type type = op.getArray().getType();
  if (op.getUseStack())
    return makeArray(builder, location, count, type, [&](OpBuilder &inside, Value index) {
      TensorBuilder e(inside, op);
      Value row = GatherOp::create(inside, location, cotangent, index, Value(), inside.getI64IntegerAttr(axis));
      return Value(dropDim(e.wrap(row), axis));
    });
  Value empty = widened(builder, location, ArrayCreateOp::create(builder, location), type);
  Value inits[] = {oneInt(builder, location, 0), empty};
  return countedLoop(builder, location, count, inits, [&](OpBuilder &inside, Value index, ValueRange carried) {
    TensorBuilder e(inside, op);
    Value element = ArrayReadOp::create(inside, location, op.getArray(), index);
    Value extent = e.reshape(e.wrap(Extent(e.wrap(element), axis).getValue(e)), {1});
    Value end = AddOp::create(inside, location, carried[0], extent);
    Value part = SliceOp::create(inside, location, cotangent, carried[0], end, Value(), ArrayRef<int64_t>{axis},
                                 ArrayRef<int64_t>{}, ArrayRef<int64_t>{}, ArrayRef<int64_t>{});
    part = reshapeTo(e.wrap(part), extentsOf(e.wrap(element)));
    Value longer = ArrayWriteOp::create(inside, location, carried[1], index, part);
    return SmallVector<Value>{end, widened(inside, location, longer, type)};
  })[1];
}

} // namespace

Value zerosLikeAny(OpBuilder &builder, Location location, Value like) {
  if (!isa<ArrayType>(like.getType()))
    return zerosLike(builder, location, like);
  if (beforeWidening(like).getDefiningOp<ArrayCreateOp>())
    return widened(builder, location, ArrayCreateOp::create(builder, location), like.getType());
  Value count = ArrayLengthOp::create(builder, location, like);
  return makeArray(builder, location, count, like.getType(), [&](OpBuilder &inside, Value index) {
    return zerosLike(inside, location, ArrayReadOp::create(inside, location, like, index));
  });
}

Value sumOfArrays(OpBuilder &builder, Location location, Value x, Value y) {
  return widened(builder, location, ArrayAddOp::create(builder, location, x, y), x.getType());
}

bool isOnArrays(Operation *op) {
  return isa<ArrayWriteOp, ArrayReadOp, ArrayToTensorOp, ArrayCastOp, ArraySliceOp>(op);
}

FailureOr<SmallVector<Value>> differentiateOnArrays(OpBuilder &builder, Operation *op, ArrayRef<Value> cotangents,
                                                    Value soFar) {
  Location location = op->getLoc();
  SmallVector<Value> gradients(op->getNumOperands());
  if (auto write = dyn_cast<ArrayWriteOp>(op)) {
    Value cotangent = widened(builder, location, cotangents[0], write.getOut().getType()), index = write.getIndex();
    Value zeros = zerosLike(builder, location, write.getX());
    gradients[0] = ArrayWriteOp::create(builder, location, cotangent, index, zeros);
    gradients[2] = ArrayReadOrOp::create(builder, location, cotangent, index, zeros);
    if (soFar)
      gradients[0] = sumOfArrays(builder, location, soFar, gradients[0]);
  } else if (auto read = dyn_cast<ArrayReadOp>(op)) {
    Value whole = soFar ? soFar : zerosLikeAny(builder, location, read.getArray());
    gradients[0] = withAdded(builder, location, whole, read.getIndex(), cotangents[0]);
  } else if (auto join = dyn_cast<ArrayToTensorOp>(op)) {
    gradients[0] = apart(builder, join, cotangents[0]);
    if (soFar)
      gradients[0] = sumOfArrays(builder, location, soFar, gradients[0]);
  } else if (isa<ArrayCastOp>(op)) {
    gradients[0] = soFar ? sumOfArrays(builder, location, soFar, cotangents[0]) : cotangents[0];
  } else {
    return op->emitError() << "'" << op->getName().getStringRef() << "' has no rule for its gradient";
  }
  return gradients;
}

} // namespace proa::pd
