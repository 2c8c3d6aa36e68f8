//! Batching rules of tensor arrays: an array has batched elements. The index of a written element is the same
//! for all examples that still take part in a loop.
#include "dialects/pd/autodiff/BatchingRules.h"
#include "dialects/pd/autodiff/CountedLoop.h"
#include "dialects/pd/ops/control/ArrayOps.h"
#include "dialects/pd/ops/index/GatherOps.h"
#include "dialects/pd/ops/math/BinaryOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace proa::pd {

/// All elements in one tensor. An array without elements gives a tensor with one element of zeros whose
/// dynamic dims are 0, because no example ever reads one.
static Value stacked(OpBuilder &builder, Location location, Value array, Value length,
                     RankedTensorType element) {
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
  SmallVector<DimSize> dims{DimSize(1)};
  for (int64_t d = 0; d < element.getRank(); ++d)
    dims.push_back(DimSize(element.isDynamicDim(d) ? 0 : element.getDimSize(d)));
  Value none = expandTo(e.constant(0, element.getElementType()), dims);
  scf::YieldOp::create(inElse, location, widened(inElse, location, none, type));
  return branch.getResult(0);
}

/// Each example's element: all elements go into one tensor once, from which each example gathers its own. A
/// negative index counts from the end.
static BatchedResults readEach(Batcher &batcher, ArrayReadOp op) {
  auto type = cast<RankedTensorType>(batcher.batchedType(op.getOut().getType()));
  Value array = batcher.batched(op.getArray());
  OpBuilder::InsertPoint here = batcher.builder.saveInsertionPoint();
  batcher.builder.setInsertionPointAfterValue(array);
  Value length = ArrayLengthOp::create(batcher.builder, op.getLoc(), array);
  Value stack = stacked(batcher.builder, op.getLoc(), array, length, type);
  batcher.builder.restoreInsertionPoint(here);
  TensorBuilder e(batcher.builder, op);
  DimSize count = batcher.examples(e);
  Expression index =
      e.cast(reshapeTo(e.wrap(batcher.batched(op.getIndex())), {count, 1}), batcher.builder.getI64Type());
  index = e.select(index < 0.0, index + e.wrap(length), index);
  Expression examples = reshapeTo(iota(e, count, batcher.builder.getI64Type()), {count, 1});
  Value positions = concat({index, examples}, 1);
  return one(e.create<GatherNdOp>(stack, positions));
}

/// Arrays, and operand `element`, are batched; failure where another operand differs from example to example.
static BatchedResults onArrays(Batcher &batcher, Operation *op, std::optional<unsigned> element = {}) {
  SmallVector<Value> operands;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    if (i == element || isa<ArrayType>(operand.getType()))
      operands.push_back(batcher.batched(operand));
    else if (!batcher.isBatched(operand))
      operands.push_back(batcher.plain(operand));
    else
      return failure();
  }
  return batcher.allOf(batcher.cloneOn(op, operands));
}

/// The rule of ops whose operands are arrays and common indices.
BatchedResults batchArrays(Batcher &batcher, Operation *op) { return onArrays(batcher, op); }

BatchedResults ArrayCastOp::batch(Batcher &batcher) { return onArrays(batcher, *this); }

BatchedResults ArrayReadOp::batch(Batcher &batcher) {
  return batcher.isBatched(getIndex()) ? readEach(batcher, *this) : onArrays(batcher, *this);
}

BatchedResults ArrayReadOrOp::batch(Batcher &batcher) {
  return onArrays(batcher, *this, getOtherwiseMutable().getOperandNumber());
}

BatchedResults ArrayWriteOp::batch(Batcher &batcher) {
  if (!batcher.isBatched(getIndex()))
    return onArrays(batcher, *this, getXMutable().getOperandNumber());
  Value index = batcher.common(getIndex());
  if (!index)
    return failure();
  Value operands[] = {batcher.batched(getArray()), index, batcher.batched(getX())};
  return batcher.allOf(batcher.cloneOn(*this, operands));
}

BatchedResults ArrayLengthOp::batch(Batcher &batcher) {
  return one(ArrayLengthOp::create(batcher.builder, getLoc(), batcher.batched(getArray())), false);
}

BatchedResults ArrayToTensorOp::batch(Batcher &batcher) {
  int64_t rank = tensorType(getOut()).getRank(), axis = getAxis();
  auto created = cast<ArrayToTensorOp>(batcher.cloneOn(*this, batcher.batched(getArray())));
  created.setAxis(batchedAxis(axis, rank));
  created.getSizes().setType(cast<RankedTensorType>(getSizes().getType()));
  return SmallVector<Batched>{Batched(created.getOut()), Batched(created.getSizes(), false)};
}

BatchedResults ArraySplitOp::batch(Batcher &batcher) {
  if (batcher.isBatched(getSizes()))
    return failure();
  int64_t rank = tensorType(getX()).getRank(), axis = getAxis();
  Operation *created = batcher.cloneOn(*this, {batcher.batched(getX()), batcher.plain(getSizes())});
  cast<ArraySplitOp>(created).setAxis(batchedAxis(axis, rank));
  return batcher.allOf(created);
}

} // namespace proa::pd
