/// Sharding rules of ops, computed once for equal ops.
#pragma once

#include "dialects/pd/sharding/ShardingRule.h"

#include <memory>

namespace proa::sharding {

struct CachedRule {
  pd::ShardingRule rule;
  /// The rule withLocalForm(); equal to `rule` if the op has none. Placements follow from it in both cases.
  pd::ShardingRule local;
  /// Whether shards of the results depend only on equal shards of the operands: such ops propagate first.
  bool isPassThrough = true;
};

class RuleCache {
public:
  /// The rule of an op of pd, or null. Ops with the same name, attributes, types and constant operands share
  /// it.
  const CachedRule *of(mlir::Operation *op);
  /// The rule of the identity on a tensor type.
  const CachedRule *identity(mlir::RankedTensorType type);

private:
  /// Compares ops by what their rules depend on.
  struct Signature : llvm::DenseMapInfo<mlir::Operation *> {
    static unsigned getHashValue(mlir::Operation *op);
    static bool isEqual(mlir::Operation *a, mlir::Operation *b);
  };

  llvm::DenseMap<mlir::Operation *, std::unique_ptr<CachedRule>, Signature> rules;
  llvm::DenseMap<mlir::Type, std::unique_ptr<CachedRule>> identitiesOfTypes;
};

} // namespace proa::sharding
