/// The sharded form of a program, as the partitioner reads it: the global type and the sharding of each
/// value, and how each op runs on local tensors.
#pragma once

#include "passes/spmd/FactorAxes.h"
#include "passes/spmd/ReshardExpander.h"
#include "passes/spmd/propagation/RuleCache.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

#include <map>

namespace proa {

/// A tensor of the global form.
struct GlobalTensor {
  mlir::RankedTensorType type;
  dist::ShardingAttr sharding;
};

/// A split of an op that its local form computes.
struct LocalFormSplit {
  pd::ShardingRule rule; ///< withLocalForm()
  FactorAxes axes;
};

/// Reads functions in sharded form and checks them (docs/dist/partitioner.md). Values without a sharding
/// are local already, such as those between `dist.to_local` and `dist.to_global`.
class GlobalForm {
public:
  GlobalForm(MeshPlacements &meshes, LocalTypes types) : meshes(meshes), types(types) {}

  /// Whether an argument, a result or an op of the function has a sharding.
  static bool isSharded(mlir::func::FuncOp function);

  /// Reads a function. Failure after errors, at least one at each op that has an error.
  llvm::LogicalResult read(mlir::func::FuncOp function);

  /// Null for a local value and for a value that is not a tensor.
  const GlobalTensor *find(mlir::Value value) const;
  /// Moves the entry of a value to its local form, unless that has one.
  void replace(mlir::Value value, mlir::Value local);
  /// Removes the entry of a value that is erased.
  void forget(mlir::Value value) { tensors.erase(value); }

  /// Whether the op runs whole on each device, on replicated operands, and the device keeps its shard of the
  /// results: it has no operands that are split, or its local form has types that inference does not accept.
  bool runsWhole(mlir::Operation *op) const { return whole.contains(op); }
  /// The reason for a remark; empty for an op without tensor operands.
  llvm::StringRef reasonOfWhole(mlir::Operation *op) const { return whole.find(op)->second; }

  /// The split of an op that runs its local form; otherwise null.
  const LocalFormSplit *localFormOf(mlir::Operation *op) const {
    auto found = localForms.find(op);
    return found == localForms.end() ? nullptr : &found->second;
  }

  /// The sharding of a tensor of this rank that is replicated on the mesh of `sharding`.
  static dist::ShardingAttr replicated(dist::ShardingAttr sharding);

private:
  llvm::LogicalResult addValue(mlir::Operation *op, mlir::Value value, dist::ShardingAttr sharding);
  llvm::LogicalResult addArguments(mlir::func::FuncOp function);
  llvm::LogicalResult addResults(mlir::Operation *op);
  llvm::LogicalResult readBlock(mlir::Block &block);
  llvm::LogicalResult readOp(mlir::Operation *op);
  llvm::LogicalResult readDistOp(mlir::Operation *op);
  llvm::LogicalResult readRegions(mlir::Operation *op);
  llvm::LogicalResult readTerminator(mlir::Operation *op);
  llvm::LogicalResult readReturn(mlir::func::ReturnOp op);
  llvm::LogicalResult readCall(mlir::func::CallOp op);
  llvm::LogicalResult connect(mlir::Operation *op, mlir::ValueRange from, mlir::ValueRange to);
  llvm::LogicalResult expectSharding(mlir::Operation *op, unsigned operand, dist::ShardingAttr expected);
  /// How an op runs on local tensors.
  enum class Form : uint8_t { Shards, LocalForm, Whole, None };
  struct Match {
    Form form = Form::None;
    FactorAxes axes = {}; ///< of a local form
  };

  llvm::LogicalResult match(mlir::Operation *op);
  Match matchOf(mlir::Operation *op, const sharding::CachedRule *cached);
  const Match &cachedMatchOf(mlir::Operation *op, const sharding::CachedRule *rule);
  llvm::LogicalResult verifyOneMesh(mlir::Operation *op, bool &isGlobal);
  llvm::LogicalResult emitMismatch(mlir::Operation *op, const pd::ShardingRule *rule);
  bool infersShards(mlir::Operation *op);
  bool infersShardsOn(mlir::Operation *op, std::optional<int64_t> device);
  bool isReplicated(mlir::ValueRange values);
  OpPlacements placementsOf(mlir::Operation *op);

  MeshPlacements &meshes;
  LocalTypes types;
  llvm::DenseMap<mlir::Value, GlobalTensor> tensors;
  llvm::DenseMap<mlir::Operation *, std::string> whole;
  llvm::DenseMap<mlir::Operation *, LocalFormSplit> localForms;
  sharding::RuleCache rules;
  /// By the rule, which ops of the same signature share, and the shardings of operands and results.
  std::map<std::vector<const void *>, Match> matches;
};

/// The partial axes that a linear op passes from its operands to its results: each is one of a group of
/// operands in which the op is linear together. A sum has a term in each operand of the group, an average in
/// at least one. None if the op is not linear in the partial operands.
std::optional<std::vector<spmd::PartialAxis>> passedPartial(mlir::Operation *op,
                                                            const OpPlacements &placements);

/// Whether an op with these placements computes shards of its results from shards of its operands: by its
/// rule, if not null, and by linearity in partial operands.
bool matchesRule(mlir::Operation *op, const pd::ShardingRule *rule, const OpPlacements &placements);

} // namespace proa
