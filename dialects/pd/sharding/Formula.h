/// The decomposition of a composite, and which of its dimensions are split together.
#pragma once

#include "dialects/pd/ir/Pd.h"
#include "dialects/pd/sharding/ShardingRule.h"

#include "llvm/ADT/DenseMap.h"

namespace proa::pd {

/// Equivalence classes (union-find) of the dimensions of a decomposition's values: the dimensions of a class
/// are split together.
class Classes {
public:
  using Dim = std::pair<mlir::Value, int64_t>;
  /// The needs of the ops of the decomposition. Communication: each op computes its shard, if sums of shards
  /// are combined before they are used, or computes all and the shard is taken.
  enum class Need : uint8_t { Shard, Communication, Whole };

  unsigned of(Dim dim);
  void join(Dim a, Dim b);
  /// `op`: the name of the op of the decomposition.
  void require(Dim dim, Need need, llvm::StringRef op);
  Need needOf(unsigned id) const { return needs[id].need; }
  /// The op that has the need; empty for Shard.
  llvm::StringRef opOf(unsigned id) const { return needs[id].op; }

private:
  llvm::DenseMap<Dim, unsigned> ids;
  llvm::SmallVector<unsigned> parents;
  struct OpNeed {
    Need need = Need::Shard;
    llvm::StringRef op = {};
  };
  llvm::SmallVector<OpNeed> needs;
};

/// Whether an op computes the same on all devices, such as indices: it has constants as operands and no
/// effects.
bool isIndependentOfInputs(mlir::Operation *op);

/// The decomposition of an op on operands of other types; `resultDims` are the dims of the first result if
/// they change.
class Formula {
public:
  Formula(mlir::Operation *op, mlir::TypeRange operands, llvm::ArrayRef<int64_t> resultDims);

  mlir::Operation *clone() { return composite; }
  const mlir::FailureOr<llvm::SmallVector<mlir::Value>> &results() const { return values; }
  /// The ops of the decomposition, and cloned constants.
  llvm::SmallVector<mlir::Operation *> ops();
  /// Adds the constraints of all ops; false if an op has regions, which have no rule.
  bool addConstraints(Classes &classes);

private:
  mlir::Block block;
  DecomposableOpInterface composite;
  mlir::Operation *use = nullptr;
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> values = mlir::failure();
};

/// The rank of a tensor; 0 for other values.
int64_t rankOf(mlir::Value value);
/// The size of a dimension, or kDynamic.
int64_t dimSizeOf(Classes::Dim dim);

/// The local form of a composite: its decomposition on shards, where each sum over a split dimension is
/// combined at once.
llvm::FailureOr<llvm::SmallVector<mlir::Value>> localDecomposition(LocalFormBuilder &form);

} // namespace proa::pd
