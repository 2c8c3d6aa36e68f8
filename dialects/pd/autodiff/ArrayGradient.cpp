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

} // namespace proa::pd

#include "dialects/pd/ir/ArrayVjp.cpp.inc"
