//! Batching rules of ops that move elements: the examples' dimension stays the first.
#include "dialects/pd/autodiff/BatchingRules.h"
#include "dialects/pd/ops/shape/JoinOps.h"
#include "dialects/pd/ops/shape/ShapeOps.h"
#include "dialects/pd/ops/shape/SliceOps.h"

using namespace mlir;

namespace proa::pd {

/// Whether only the first operand is batched.
static bool isOnlyFirstBatched(Batcher &batcher, Operation *op) {
  return llvm::none_of(llvm::drop_begin(op->getOperands()), [&](Value v) { return batcher.isBatched(v); });
}

BatchedResults ReshapeOp::batch(Batcher &batcher) {
  if (!isOnlyFirstBatched(batcher, *this))
    return failure();
  TensorBuilder e(batcher.builder, getOperation());
  Value x = batcher.batched(getX());
  auto type = tensorType(getOut());
  // In an example's shape, -1 is the rest of one example and 0 copies a dimension, which has moved along.
  if (Value tensor = getShapeTensor(); tensor && !type.hasStaticShape()) {
    SmallVector<DimSize> dims{batcher.examples(e)};
    Expression elements = e.wrap(batcher.plain(tensor));
    for (int64_t i = 0; i < type.getRank(); ++i)
      dims.push_back(DimSize::element(elements, i));
    return one(e.create<ReshapeOp>(x, shapeTensor(e, dims), ArrayRef<int64_t>()));
  }
  SmallVector<int64_t> shape{0};
  llvm::append_range(shape, type.hasStaticShape() ? type.getShape() : getShape());
  if (type.hasStaticShape() && llvm::is_contained(type.getShape(), 0)) {
    SmallVector<DimSize> dims{batcher.examples(e)};
    llvm::append_range(dims, type.getShape());
    return one(reshapeTo(e.wrap(x), dims));
  }
  return one(e.reshape(e.wrap(x), shape));
}

BatchedResults TransposeOp::batch(Batcher &batcher) {
  SmallVector<int64_t> perm{0};
  llvm::append_range(perm, batchedAxes(getPerm(), tensorType(getX()).getRank()));
  TensorBuilder e(batcher.builder, getOperation());
  return one(e.transpose(e.wrap(batcher.batched(getX())), perm));
}

BatchedResults ExpandOp::batch(Batcher &batcher) {
  if (!isOnlyFirstBatched(batcher, *this))
    return failure();
  TensorBuilder e(batcher.builder, getOperation());
  auto type = tensorType(getOut());
  Expression x = e.wrap(batcher.aligned(getX(), type.getRank()));
  if (Value tensor = getShapeTensor(); tensor && !type.hasStaticShape()) {
    SmallVector<DimSize> dims{batcher.examples(e)};
    Expression elements = e.wrap(batcher.plain(tensor));
    for (int64_t i = 0; i < type.getRank(); ++i)
      dims.push_back(DimSize::element(elements, i));
    return one(expandTo(x, dims));
  }
  SmallVector<int64_t> shape{-1};
  llvm::append_range(shape, type.hasStaticShape() ? type.getShape() : getShape());
  return one(e.create<ExpandOp>(x, Value(), ArrayRef<int64_t>(shape)));
}

BatchedResults SliceOp::batch(Batcher &batcher) {
  auto operands = firstBatched(batcher, *this);
  if (failed(operands))
    return failure();
  auto created = cast<SliceOp>(batcher.cloneOn(*this, *operands));
  created.setAxes(batchedAxes(getAxes(), tensorType(getX()).getRank()));
  return batcher.allOf(created);
}

BatchedResults ConcatOp::batch(Batcher &batcher) {
  if (getAxisTensor())
    return failure();
  int64_t rank = tensorType(getOut()).getRank();
  TensorBuilder e(batcher.builder, getOperation());
  SmallVector<Expression> pieces;
  for (Value operand : getX()) {
    Expression piece = e.wrap(batcher.batched(operand));
    pieces.push_back(piece.rank() == 1 ? insertDim(piece, 1) : piece); // a scalar counts as one element
  }
  return one(pd::concat(pieces, batchedAxis(getAxis(), rank)));
}

BatchedResults PadOp::batch(Batcher &batcher) {
  auto created = cast<PadOp>(batcher.cloneOn(*this, batcher.batched(getX())));
  SmallVector<int64_t> paddings{0, 0};
  llvm::append_range(paddings, getPaddings());
  created.setPaddings(paddings);
  return batcher.allOf(created);
}

/// Dims are the same for all examples.
BatchedResults ShapeOp::batch(Batcher &batcher) {
  TensorBuilder e(batcher.builder, getOperation());
  Value x = batcher.batched(getX());
  return one(pd::slice(e.wrap(e.create<ShapeOp>(x)), 0, 1, toTheEnd), false);
}

BatchedResults DimOp::batch(Batcher &batcher) {
  int64_t axis = getIndex(), rank = tensorType(getX()).getRank();
  Value x = batcher.batched(getX());
  return one(DimOp::create(batcher.builder, getLoc(), x, batchedAxis(axis, rank)), false);
}

} // namespace proa::pd
