/// Runs of one op on all positions of a mesh by a sharding rule.
#pragma once

#include "lib/check/FactorCases.h"
#include "lib/check/TensorShards.h"

#include <map>

namespace proa::check {

/// An op with values of its operands and results, which is run on the shards that placements give to the
/// positions of a mesh. Runs on equal shards are done once.
class SplitOp {
public:
  enum class Outcome : uint8_t {
    Equal,
    /// The recombined results differ from the results of the whole op; `reason()` says how.
    Different,
    /// Type inference or the evaluator refuses a shard, where each device has elements.
    Refused,
    /// As Refused, where some device has no elements (more devices than elements).
    Empty,
    /// The local form says that it does not cover the shards.
    NotCovered,
  };

  SplitOp(mlir::Operation *op, llvm::ArrayRef<Tensor> operands, llvm::ArrayRef<Tensor> results)
      : op(op), operands(operands), results(results) {}

  /// Each position runs the op on its shards of the operands, and the results are joined by their placements.
  Outcome run(const spmd::Mesh &mesh, const OpPlacements &placements);
  /// As run(), where each position runs the local form of the op's rule, which is one withLocalForm().
  Outcome runLocalForms(const MeshAxes &mesh, const pd::ShardingRule &rule, const FactorAxes &axes);
  /// As run(), where the operands of a linear group are partial sums over one more axis, of size `terms`. The
  /// terms are random.
  Outcome runPartial(const spmd::Mesh &mesh, const OpPlacements &placements, llvm::ArrayRef<unsigned> group,
                     int64_t terms);
  const std::string &reason() const { return why; }

private:
  using Values = llvm::SmallVector<Tensor>;
  /// Results by the shards of operands and results; nothing if they cannot be run.
  using Cache = std::map<std::string, std::optional<Values>>;

  /// Runs all positions on shards of `values` and joins the results; sets `why` unless the outcome is Equal.
  Outcome runAll(const spmd::Mesh &mesh, const OpPlacements &placements, llvm::ArrayRef<Tensor> values,
                 Cache &cache, Values &joined);
  /// Joins the results of all positions.
  Outcome joinAll(const spmd::Mesh &mesh, const OpPlacements &placements,
                  llvm::ArrayRef<const Values *> locals, Values &joined);
  const Values *runShard(llvm::ArrayRef<Tensor> values, const std::vector<Held> &operandShards,
                         const std::vector<Held> &resultShards, Cache &cache);
  std::optional<Values> evaluate(llvm::ArrayRef<Tensor> inputs, const std::vector<Held> &resultShards) const;
  std::string join(const spmd::Mesh &mesh, const spmd::Placement &placement, size_t index,
                   llvm::ArrayRef<const Values *> locals, Tensor &joined) const;
  Outcome compareAll(llvm::ArrayRef<Tensor> joined);

  mlir::Operation *op;
  llvm::ArrayRef<Tensor> operands, results;
  Cache known;
  std::string why;
};

/// A clone of the op on values with the types of these tensors. Constant operands stay constants, the others
/// become arguments of the block.
mlir::Operation *cloneOn(mlir::Block &block, mlir::Operation *op, llvm::ArrayRef<Tensor> operands);

/// The results of such a clone by the reference evaluator; nothing if it cannot run the op.
std::optional<llvm::SmallVector<Tensor>> evaluateClone(mlir::Operation *clone,
                                                       llvm::ArrayRef<Tensor> operands);

/// The reason why a joined result is not the expected one; empty if it is, within the rounding of sums.
std::string difference(const Tensor &joined, const Tensor &expected);

} // namespace proa::check
