#include "translator/export/ArrayFormula.h"

#include "dialects/pd/autodiff/Autodiff.h"
#include "dialects/pd/autodiff/CountedLoop.h"
#include "dialects/pd/ir/Types.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"
#include "dialects/pd/ops/shape/DimSize.h"
#include "dialects/pd/ops/shape/ShapeOps.h"

using namespace mlir;

namespace proa::exporter {

using pd::Expression;
using pd::TensorBuilder;

/// An array with the elements of `array` from number `from` on, after the elements of `begin`.
static Value appended(TensorBuilder &e, Location location, Value begin, Value array, Expression from,
                      Expression count) {
  OpBuilder &builder = e.getBuilder();
  Type type = array.getType();
  Expression position = e.wrap(e.create<pd::ArrayLengthOp>(begin));
  auto body = [&](OpBuilder &inside, Value index, ValueRange arrays) {
    Value element = e.create<pd::ArrayReadOp>(array, from + e.wrap(index));
    Value longer = e.create<pd::ArrayWriteOp>(arrays.front(), position + e.wrap(index), element);
    return llvm::SmallVector<Value>{pd::widened(inside, location, longer, type)};
  };
  return pd::countedLoop(builder, location, count, {pd::widened(builder, location, begin, type)}, body)
      .front();
}

Value formulaOf(pd::ArraySliceOp op, TensorBuilder &e) {
  Type i64 = e.getBuilder().getI64Type();
  Expression length = e.wrap(e.create<pd::ArrayLengthOp>(op.getArray()));
  auto bound = [&](Value given) {
    Expression position = pd::reshapeTo(e.cast(e.wrap(given), i64), {pd::DimSize(1)});
    return e.minimum(e.maximum(e.select(position < 0.0, position + length, position), 0.0), length);
  };
  Expression start = bound(op.getStart()), count = e.maximum(bound(op.getEnd()) - start, 0.0);
  return appended(e, op.getLoc(), e.create<pd::ArrayCreateOp>(), op.getArray(), start, count);
}

Value formulaOf(pd::ArrayConcatOp op, TensorBuilder &e) {
  Expression count = e.wrap(e.create<pd::ArrayLengthOp>(op.getY()));
  return appended(e, op.getLoc(), op.getX(), op.getY(), count * 0.0, count);
}

/// The sizes of the elements by a loop.
llvm::SmallVector<Value> formulaOf(pd::ArrayToTensorOp op, TensorBuilder &e) {
  if (op.getSizes().use_empty())
    return {};
  OpBuilder &builder = e.getBuilder();
  Type sizeType = pd::tensorType(op.getSizes()).getElementType();
  auto whole = pd::ArrayToTensorOp::create(builder, op.getLoc(), op.getArray(), op.getAxisAttr(),
                                           op.getUseStackAttr());
  Expression count = e.wrap(e.create<pd::ArrayLengthOp>(op.getArray()));
  if (op.getUseStack())
    return {whole.getOut(), pd::expandTo(e.constant(1, sizeType), {pd::DimSize::element(count, 0)})};
  auto type = pd::ArrayType::get(builder.getContext(), RankedTensorType::get({1}, sizeType));
  Value none = pd::widened(builder, op.getLoc(), e.create<pd::ArrayCreateOp>(), type);
  auto body = [&](OpBuilder &, Value index, ValueRange arrays) {
    Expression entry = e.wrap(e.create<pd::ArrayReadOp>(op.getArray(), index));
    auto axis = static_cast<int64_t>(op.getAxis());
    axis += axis < 0 ? entry.rank() : 0;
    Expression dimSize = pd::slice(e.wrap(e.create<pd::ShapeOp>(entry)), 0, axis, axis + 1);
    return llvm::SmallVector<Value>{
        e.create<pd::ArrayWriteOp>(arrays.front(), index, e.cast(dimSize, sizeType))};
  };
  Value dimSizes = pd::countedLoop(builder, op.getLoc(), count, {none}, body).front();
  return {whole.getOut(),
          e.create<pd::ArrayToTensorOp>(dimSizes, builder.getI64IntegerAttr(0), builder.getBoolAttr(false))};
}

/// The sum of the elements that both have, then the rest of the longer array. An element that is missing in
/// one array is zeros there, in the shape of the other array's.
Value formulaOf(pd::ArrayAddOp op, TensorBuilder &e) {
  OpBuilder &builder = e.getBuilder();
  auto lengthOf = [&](Value array) { return e.wrap(e.create<pd::ArrayLengthOp>(array)); };
  Expression x = lengthOf(op.getX()), y = lengthOf(op.getY()), common = e.minimum(x, y);
  Type type = op.getOut().getType();
  auto body = [&](OpBuilder &inside, Value index, ValueRange arrays) {
    auto elementOr = [&](Value array, Value shape) {
      return e.wrap(e.create<pd::ArrayReadOrOp>(array, index, pd::zerosLike(builder, op.getLoc(), shape)));
    };
    Expression ofY = elementOr(op.getY(), e.create<pd::ArrayReadOp>(op.getX(), index));
    Expression sum = elementOr(op.getX(), ofY) + ofY;
    Value longer = e.create<pd::ArrayWriteOp>(arrays.front(), index, sum);
    return llvm::SmallVector<Value>{pd::widened(inside, op.getLoc(), longer, type)};
  };
  Value empty = pd::widened(builder, op.getLoc(), e.create<pd::ArrayCreateOp>(), type);
  Value sums = pd::countedLoop(builder, op.getLoc(), common, {empty}, body).front();
  sums =
      appended(e, op.getLoc(), sums, pd::widened(builder, op.getLoc(), op.getX(), type), common, x - common);
  return appended(e, op.getLoc(), sums, pd::widened(builder, op.getLoc(), op.getY(), type), common,
                  y - common);
}

} // namespace proa::exporter
