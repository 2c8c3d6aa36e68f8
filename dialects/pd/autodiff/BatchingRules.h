/// Batching rules that families share, and helpers to write one. A rule creates the batched form of an op, at
/// least one of whose operands is batched: one entry for each result. It returns failure, without an error,
/// where it does not cover this use; ops created by then are dead. The field `batching` of an op's record
/// names its rule.
#pragma once

#include "dialects/pd/autodiff/Batching.h"

#include "llvm/ADT/SmallVectorExtras.h"

namespace proa::pd {

using BatchedResults = mlir::FailureOr<llvm::SmallVector<Batched>>;

//===-- Shared rules
//-------------------------------------------------------------------------------------===//

/// An op with one axis (the last by default), and perhaps the flag `flatten`, of whose operands only the
/// first is batched: the axis moves by one.
BatchedResults batchAlongAxis(Batcher &batcher, mlir::Operation *op);
/// An op that treats leading dimensions of its first operand as a batch already; no other operand is batched.
BatchedResults batchFirstOperand(Batcher &batcher, mlir::Operation *op);
/// An op that works on all its operands element by element or row by row: each gets the examples' dimension.
BatchedResults batchAllOperands(Batcher &batcher, mlir::Operation *op);
/// An op on a batch of images, its first operand: the examples are joined to that batch.
BatchedResults batchImages(Batcher &batcher, mlir::Operation *op);
/// The same where the first two operands are batches of images.
BatchedResults batchImagePairs(Batcher &batcher, mlir::Operation *op);
/// The same where every operand has an entry for each image.
BatchedResults batchImageSamples(Batcher &batcher, mlir::Operation *op);

//===-- Helpers
//------------------------------------------------------------------------------------------===//

/// The results of an op that has one.
inline BatchedResults one(mlir::Value value, bool isBatched = true) {
  return llvm::SmallVector<Batched>{Batched(value, isBatched)};
}

/// Axes of a tensor of the given rank, in the batched tensor.
inline int64_t batchedAxis(int64_t axis, int64_t rank) { return (axis < 0 ? axis + rank : axis) + 1; }
inline llvm::SmallVector<int64_t> batchedAxes(llvm::ArrayRef<int64_t> axes, int64_t rank) {
  return llvm::map_to_vector(axes, [&](int64_t axis) { return batchedAxis(axis, rank); });
}

/// The operands with the first batched; failure where another one is batched.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> firstBatched(Batcher &batcher, mlir::Operation *op);

/// The images x of [examples, batch, ...] as [examples * batch, ...].
Expression joinImages(TensorBuilder &e, Expression x);
/// The op with its first `images` operands joined so. Its results, which have as many rows as operand `like`,
/// are separated again. Failure where another operand is batched.
BatchedResults batchJoined(Batcher &batcher, mlir::Operation *op, unsigned images, unsigned like = 0);

/// scf.if and scf.while; see BatchControlFlow.cpp.
mlir::LogicalResult writeBatchedControlFlow(Batcher &batcher, mlir::Operation *op);

} // namespace proa::pd
