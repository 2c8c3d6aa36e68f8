//! Batching of ops that move elements: the examples' dimension stays the first.
#include "dialects/pd/autodiff/BatchingRules.h"
#include "dialects/pd/ops/creation/CreationOps.h"
#include "dialects/pd/ops/index/ScatterOps.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/SliceOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace proa::pd {
namespace {

/// Whether only the first operand is batched.
bool onlyFirst(Batcher &batcher, Operation *op) {
  return llvm::none_of(llvm::drop_begin(op->getOperands()), [&](Value v) { return batcher.isBatched(v); });
}

BatchedResults reshape(Batcher &batcher, Operation *op) {
  auto reshape = cast<ReshapeOp>(op);
  if (!onlyFirst(batcher, op))
    return failure();
  TensorBuilder e(batcher.builder, op);
  Value x = batcher.batched(reshape.getX());
  auto type = tensorType(reshape.getOut());
  // -1 counts what is left of one example; 0 copies the dimension at the same place, which has moved along.
  if (Value tensor = reshape.getShapeTensor(); tensor && !type.hasStaticShape()) {
    SmallVector<Extent> extents{batcher.examples(e)};
    Expression elements = e.wrap(batcher.plain(tensor));
    for (int64_t i = 0; i < type.getRank(); ++i)
      extents.push_back(Extent::element(elements, i));
    return one(e.create<ReshapeOp>(x, shapeTensor(e, extents), ArrayRef<int64_t>()));
  }
  SmallVector<int64_t> shape{0};
  llvm::append_range(shape, type.hasStaticShape() ? type.getShape() : reshape.getShape());
  if (type.hasStaticShape() && llvm::is_contained(type.getShape(), 0)) {
    SmallVector<Extent> extents{batcher.examples(e)};
    llvm::append_range(extents, type.getShape());
    return one(reshapeTo(e.wrap(x), extents));
  }
  return one(e.reshape(e.wrap(x), shape));
}

BatchedResults transpose(Batcher &batcher, Operation *op) {
  auto transpose = cast<TransposeOp>(op);
  SmallVector<int64_t> perm{0};
  llvm::append_range(perm, batchedAxes(transpose.getPerm(), tensorType(transpose.getX()).getRank()));
  TensorBuilder e(batcher.builder, op);
  return one(e.transpose(e.wrap(batcher.batched(transpose.getX())), perm));
}

BatchedResults expand(Batcher &batcher, Operation *op) {
  auto expand = cast<ExpandOp>(op);
  if (!onlyFirst(batcher, op))
    return failure();
  TensorBuilder e(batcher.builder, op);
  auto type = tensorType(expand.getOut());
  Expression x = e.wrap(batcher.aligned(expand.getX(), type.getRank()));
  if (Value tensor = expand.getShapeTensor(); tensor && !type.hasStaticShape()) {
    SmallVector<Extent> shape{batcher.examples(e)};
    Expression extents = e.wrap(batcher.plain(tensor));
    for (int64_t i = 0; i < type.getRank(); ++i)
      shape.push_back(Extent::element(extents, i));
    return one(expandTo(x, shape));
  }
  SmallVector<int64_t> shape{-1};
  llvm::append_range(shape, type.hasStaticShape() ? type.getShape() : expand.getShape());
  return one(e.create<ExpandOp>(x, Value(), ArrayRef<int64_t>(shape)));
}

BatchedResults slice(Batcher &batcher, Operation *op) {
  auto slice = cast<SliceOp>(op);
  auto operands = firstBatched(batcher, op);
  if (failed(operands))
    return failure();
  auto made = cast<SliceOp>(batcher.cloneOn(op, *operands));
  made.setAxes(batchedAxes(slice.getAxes(), tensorType(slice.getX()).getRank()));
  return batcher.allOf(made);
}

BatchedResults setValue(Batcher &batcher, Operation *op) {
  auto set = cast<SetValueOp>(op);
  for (Value operand : llvm::drop_begin(op->getOperands(), 2))
    if (batcher.isBatched(operand))
      return failure();
  int64_t rank = tensorType(set.getX()).getRank();
  SmallVector<Value> operands{batcher.batched(set.getX())};
  operands.push_back(batcher.isBatched(set.getValues()) ? batcher.aligned(set.getValues(), rank)
                                                        : batcher.plain(set.getValues()));
  for (Value operand : llvm::drop_begin(op->getOperands(), 2))
    operands.push_back(batcher.plain(operand));
  auto made = cast<SetValueOp>(batcher.cloneOn(op, operands));
  made.setAxes(batchedAxes(set.getAxes(), rank));
  return batcher.allOf(made);
}

BatchedResults join(Batcher &batcher, Operation *op) {
  auto concat = cast<ConcatOp>(op);
  if (concat.getAxisTensor())
    return failure();
  int64_t rank = tensorType(concat.getOut()).getRank(), axis = concat.getAxis();
  TensorBuilder e(batcher.builder, op);
  SmallVector<Expression> parts;
  for (Value operand : concat.getX()) {
    Expression part = e.wrap(batcher.batched(operand));
    parts.push_back(part.rank() == 1 ? insertDim(part, 1) : part); // one element each
  }
  return one(pd::concat(parts, batchedAxis(axis, rank)));
}

BatchedResults pad(Batcher &batcher, Operation *op) {
  auto made = cast<PadOp>(batcher.cloneOn(op, batcher.batched(op->getOperand(0))));
  SmallVector<int64_t> paddings{0, 0};
  llvm::append_range(paddings, cast<PadOp>(op).getPaddings());
  made.setPaddings(paddings);
  return batcher.allOf(made);
}

BatchedResults fullLike(Batcher &batcher, Operation *op) {
  auto operands = firstBatched(batcher, op);
  return failed(operands) ? BatchedResults(failure()) : batcher.allOf(batcher.cloneOn(op, *operands));
}

/// Extents are the same for all examples.
BatchedResults shape(Batcher &batcher, Operation *op) {
  TensorBuilder e(batcher.builder, op);
  Value x = batcher.batched(op->getOperand(0));
  return one(pd::slice(e.wrap(e.create<ShapeOp>(x)), 0, 1, toTheEnd), false);
}

BatchedResults dim(Batcher &batcher, Operation *op) {
  auto dim = cast<DimOp>(op);
  int64_t axis = dim.getIndex(), rank = tensorType(dim.getX()).getRank();
  Value x = batcher.batched(dim.getX());
  return one(DimOp::create(batcher.builder, op->getLoc(), x, batchedAxis(axis, rank)), false);
}

BatchedResults castType(Batcher &batcher, Operation *op) {
  return batcher.allOf(batcher.cloneOn(op, batcher.batched(op->getOperand(0))));
}

/// A condition: one element of each example.
BatchedResults extract(Batcher &batcher, Operation *op) {
  auto extract = cast<tensor::ExtractOp>(op);
  if (!extract.getIndices().empty())
    return failure();
  return one(batcher.batched(extract.getTensor()));
}

} // namespace

void addMoveBatching(BatchingRules &rules) {
  rules.add<ReshapeOp>(reshape);
  rules.add<TransposeOp>(transpose);
  rules.add<ExpandOp>(expand);
  rules.add<SliceOp>(slice);
  rules.add<SetValueOp>(setValue);
  rules.add<ConcatOp>(join);
  rules.add<PadOp>(pad);
  rules.add<FullLikeOp>(fullLike);
  rules.add<ShapeOp>(shape);
  rules.add<DimOp>(dim);
  rules.add<tensor::CastOp>(castType);
  rules.add<tensor::ExtractOp>(extract);
}

} // namespace proa::pd
