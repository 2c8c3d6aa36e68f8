/// Batching rules that op families share, and helpers to write one. A rule creates the batched form of an op
/// with at least one batched operand and returns one entry for each result. It returns failure, without an
/// error, if it does not support these operands; ops created by then are dead. The field `batching` of an
/// op's record names its rule.
#pragma once

#include "dialects/pd/autodiff/Batching.h"

#include "llvm/ADT/SmallVectorExtras.h"

namespace proa::pd {

using BatchedResults = mlir::FailureOr<llvm::SmallVector<Batched>>;

//===-- Shared rules --===//

/// For ops with an attribute `axis` (default: last) and an optional flag `flatten`, where only the first
/// operand is batched: the axis is shifted by one.
BatchedResults batchAlongAxis(Batcher &batcher, mlir::Operation *op);
/// For ops that treat leading dimensions of the first operand as a batch; no other operand is batched.
BatchedResults batchFirstOperand(Batcher &batcher, mlir::Operation *op);
/// For ops that work element by element or row by row: each operand gets a dimension for the examples.
BatchedResults batchAllOperands(Batcher &batcher, mlir::Operation *op);
/// For ops whose first operand is a batch of images: the examples are merged into that batch.
BatchedResults batchImages(Batcher &batcher, mlir::Operation *op);
/// batchImages() for ops whose first two operands are batches of images.
BatchedResults batchImagePairs(Batcher &batcher, mlir::Operation *op);
/// batchImages() for ops each of whose operands has an entry for each image.
BatchedResults batchImageSamples(Batcher &batcher, mlir::Operation *op);

//===-- Helpers --===//

/// The results of an op with a single result.
inline BatchedResults one(mlir::Value value, bool isBatched = true) {
  return llvm::SmallVector<Batched>{Batched(value, isBatched)};
}

/// The axis, of a tensor of the given rank, in the batched tensor.
inline int64_t batchedAxis(int64_t axis, int64_t rank) { return (axis < 0 ? axis + rank : axis) + 1; }
inline llvm::SmallVector<int64_t> batchedAxes(llvm::ArrayRef<int64_t> axes, int64_t rank) {
  return llvm::map_to_vector(axes, [&](int64_t axis) { return batchedAxis(axis, rank); });
}

/// The operands with the first batched; failure if another one is batched.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> firstBatched(Batcher &batcher, mlir::Operation *op);

/// The images x, [examples, batch, ...], as [examples * batch, ...].
Expression joinImages(TensorBuilder &e, Expression x);
/// The op with its first `images` operands merged by joinImages(). Its results, which have as many rows as
/// operand `like`, are split again. Failure if another operand is batched.
BatchedResults batchJoined(Batcher &batcher, mlir::Operation *op, unsigned images, unsigned like = 0);

/// scf.if and scf.while; see BatchControlFlow.cpp.
mlir::LogicalResult writeBatchedControlFlow(Batcher &batcher, mlir::Operation *op);

} // namespace proa::pd
