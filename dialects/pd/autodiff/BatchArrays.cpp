//! Batching of tensor arrays, and of the schedules of what is kept in them: an array of batched elements.
//! Where it is written is the same for all examples that still go on.
#include "dialects/pd/autodiff/BatchingRules.h"
#include "dialects/pd/autodiff/CountedLoop.h"
#include "dialects/pd/ops/autodiff/RecomputeOps.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// Tensors and arrays batched, indices not; failure where an index differs from example to example.
FailureOr<Operation *> onArrays(Batcher &batcher, Operation *op) {
  SmallVector<Value> operands;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    bool isElement = isa<ArrayWriteOp, ArrayReadOrOp>(op) && i == 2;
    if (isElement || isa<ArrayType>(operand.getType()))
      operands.push_back(batcher.batched(operand));
    else if (!batcher.isBatched(operand))
      operands.push_back(batcher.plain(operand));
    else
      return failure();
  }
  return batcher.cloneOn(op, operands);
}

/// All elements in one tensor, with one of zeros where there is none: no example may ever read one, so its
/// dynamic dims are 0.
Value stacked(OpBuilder &builder, Location location, Value array, Value length, RankedTensorType element) {
  SmallVector<int64_t> shape{ShapedType::kDynamic};
  llvm::append_range(shape, element.getShape());
  auto type = element.clone(shape);
  Value isFilled = GreaterThanOp::create(builder, location, length, oneInt(builder, location, 0));
  auto branch =
      scf::IfOp::create(builder, location, TypeRange(type), asCondition(builder, location, isFilled),
                        /*withElseRegion=*/true);
  OpBuilder inThen = OpBuilder::atBlockBegin(&branch.getThenRegion().front()),
            inElse = OpBuilder::atBlockBegin(&branch.getElseRegion().front());
  Type sizes = RankedTensorType::get({ShapedType::kDynamic}, builder.getI32Type());
  auto all = ArrayToTensorOp::create(inThen, location, TypeRange{type, sizes}, array,
                                     builder.getI64IntegerAttr(0), builder.getBoolAttr(true));
  scf::YieldOp::create(inThen, location, all.getOut());
  TensorBuilder e(inElse, branch);
  SmallVector<Extent> one{Extent(1)};
  for (int64_t d = 0; d < element.getRank(); ++d)
    one.push_back(Extent(element.isDynamicDim(d) ? 0 : element.getDimSize(d)));
  Value none = expandTo(e.constant(0, element.getElementType()), one);
  scf::YieldOp::create(inElse, location, widened(inElse, location, none, type));
  return branch.getResult(0);
}

/// Each example's element: all elements in one tensor, which is made once, and one of them for each example.
/// A negative index counts from the end.
BatchedResults readEach(Batcher &batcher, ArrayReadOp op) {
  auto type = cast<RankedTensorType>(batcher.batchedType(op.getOut().getType()));
  Value array = batcher.batched(op.getArray());
  OpBuilder::InsertPoint here = batcher.builder.saveInsertionPoint();
  batcher.builder.setInsertionPointAfterValue(array);
  Value length = ArrayLengthOp::create(batcher.builder, op.getLoc(), array);
  Value stack = stacked(batcher.builder, op.getLoc(), array, length, type);
  batcher.builder.restoreInsertionPoint(here);
  TensorBuilder e(batcher.builder, op);
  Extent count = batcher.examples(e);
  Expression index =
      e.cast(reshapeTo(e.wrap(batcher.batched(op.getIndex())), {count, 1}), batcher.builder.getI64Type());
  index = e.select(index < 0.0, index + e.wrap(length), index);
  Expression numbers = reshapeTo(iota(e, count, batcher.builder.getI64Type()), {count, 1});
  Value places = concat({index, numbers}, 1);
  return one(e.create<GatherNdOp>(stack, places));
}

BatchedResults element(Batcher &batcher, Operation *op) {
  if (auto read = dyn_cast<ArrayReadOp>(op); read && batcher.isBatched(read.getIndex()))
    return readEach(batcher, read);
  if (auto write = dyn_cast<ArrayWriteOp>(op); write && batcher.isBatched(write.getIndex())) {
    Value index = batcher.common(write.getIndex());
    return index ? batcher.allOf(batcher.cloneOn(
                       op, {batcher.batched(write.getArray()), index, batcher.batched(write.getX())}))
                 : BatchedResults(failure());
  }
  auto made = onArrays(batcher, op);
  return failed(made) ? BatchedResults(failure()) : batcher.allOf(*made);
}

BatchedResults length(Batcher &batcher, Operation *op) {
  Value count = ArrayLengthOp::create(batcher.builder, op->getLoc(), batcher.batched(op->getOperand(0)));
  return one(count, false);
}

BatchedResults toTensor(Batcher &batcher, Operation *op) {
  auto join = cast<ArrayToTensorOp>(op);
  int64_t rank = tensorType(join.getOut()).getRank(), axis = join.getAxis();
  auto made = cast<ArrayToTensorOp>(batcher.cloneOn(op, batcher.batched(join.getArray())));
  made.setAxis(batchedAxis(axis, rank));
  made.getSizes().setType(cast<RankedTensorType>(join.getSizes().getType()));
  return SmallVector<Batched>{Batched(made.getOut()), Batched(made.getSizes(), false)};
}

BatchedResults split(Batcher &batcher, Operation *op) {
  auto parts = cast<ArraySplitOp>(op);
  if (batcher.isBatched(parts.getSizes()))
    return failure();
  int64_t rank = tensorType(parts.getX()).getRank(), axis = parts.getAxis();
  Operation *made = batcher.cloneOn(op, {batcher.batched(parts.getX()), batcher.plain(parts.getSizes())});
  cast<ArraySplitOp>(made).setAxis((axis < 0 ? axis + rank : axis) + 1);
  return batcher.allOf(made);
}

/// One schedule for all, of the most iterations: an action beyond an example's own ones does nothing to it.
BatchedResults schedule(Batcher &batcher, Operation *op) {
  TensorBuilder e(batcher.builder, op);
  Expression iterations = e.reshape(e.wrap(batcher.batched(op->getOperand(0))), {-1});
  Operation *made = batcher.cloneOn(op, Value(e.max(iterations, {0})));
  for (auto [result, type] : llvm::zip(made->getResults(), op->getResultTypes()))
    result.setType(type);
  return SmallVector<Batched>{Batched(made->getResult(0), false), Batched(made->getResult(1), false)};
}

} // namespace

void addArrayBatching(BatchingRules &rules) {
  rules.add<ArrayWriteOp, ArrayReadOp, ArrayReadOrOp, ArrayAddOp, ArrayConcatOp, ArrayZerosLikeOp,
            ArraySliceOp, ArrayCastOp>(element);
  rules.add<ArrayLengthOp>(length);
  rules.add<ArrayToTensorOp>(toTensor);
  rules.add<ArraySplitOp>(split);
  rules.add<BinomialScheduleOp>(schedule);
}

} // namespace proa::pd
