/// Batching rules of single ops.
#pragma once

#include "dialects/pd/autodiff/Batching.h"

#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringMap.h"

namespace proa::pd {

using BatchedResults = mlir::FailureOr<llvm::SmallVector<Batched>>;

/// The rules by op. A rule makes the batched form of an op, at least one of whose operands is batched: one
/// entry a result. Failure, without an error, where it does not cover this use; what it made by then is dead.
/// The files Batch*.cpp fill it, each for a kind of ops.
class BatchingRules {
public:
  using Rule = BatchedResults (*)(Batcher &, mlir::Operation *);
  /// The rules of the whole dialect.
  static const BatchingRules &get();

  template <class... Ops> void add(Rule rule) { (rules.try_emplace(Ops::getOperationName(), rule), ...); }
  Rule find(mlir::OperationName op) const { return rules.lookup(op.getStringRef()); }
  Rule find(mlir::Operation *op) const { return find(op->getName()); }

private:
  llvm::StringMap<Rule> rules;
};

void addMoveBatching(BatchingRules &rules);
void addAxisBatching(BatchingRules &rules);
void addIndexBatching(BatchingRules &rules);
void addProductBatching(BatchingRules &rules);
void addImageBatching(BatchingRules &rules);
void addArrayBatching(BatchingRules &rules);
void addSequenceBatching(BatchingRules &rules);
void addLayerBatching(BatchingRules &rules);

/// The results of an op with one.
inline BatchedResults one(mlir::Value value, bool isBatched = true) {
  return llvm::SmallVector<Batched>{Batched(value, isBatched)};
}

/// Axes of a tensor of some rank, in the batched tensor.
inline int64_t batchedAxis(int64_t axis, int64_t rank) { return (axis < 0 ? axis + rank : axis) + 1; }
inline llvm::SmallVector<int64_t> batchedAxes(llvm::ArrayRef<int64_t> axes, int64_t rank) {
  return llvm::map_to_vector(axes, [&](int64_t axis) { return batchedAxis(axis, rank); });
}

/// The operands with the first batched; failure where another one is too.
mlir::FailureOr<llvm::SmallVector<mlir::Value>> firstBatched(Batcher &batcher, mlir::Operation *op);

/// scf.if and scf.while; see BatchControlFlow.cpp.
mlir::LogicalResult writeBatchedControlFlow(Batcher &batcher, mlir::Operation *op);

} // namespace proa::pd
