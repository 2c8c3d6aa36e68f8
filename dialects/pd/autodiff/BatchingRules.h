/// Batching rules of single ops.
#pragma once

#include "dialects/pd/autodiff/Batching.h"

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
  Rule find(mlir::Operation *op) const { return rules.lookup(op->getName().getStringRef()); }

private:
  llvm::StringMap<Rule> rules;
};

void addMoveBatching(BatchingRules &rules);
void addAxisBatching(BatchingRules &rules);
void addIndexBatching(BatchingRules &rules);
void addProductBatching(BatchingRules &rules);
void addImageBatching(BatchingRules &rules);
void addArrayBatching(BatchingRules &rules);

/// scf.if and scf.while; see BatchControlFlow.cpp.
mlir::LogicalResult writeBatchedControlFlow(Batcher &batcher, mlir::Operation *op);

} // namespace proa::pd
