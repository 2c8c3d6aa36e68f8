/// Check of sharding rules by running ops in shards on the positions of meshes.
#pragma once

#include "lib/check/CaseResult.h"
#include "lib/check/FactorCases.h"
#include "translator/params/ModelFolder.h"

#include "mlir/IR/Operation.h"

#include <map>
#include <set>

namespace proa::check {

struct ShardCheckOptions {
  std::vector<MeshAxes> meshes = {meshOf({2})};
  /// Also runs each op with small dims that the meshes do not divide, if the op accepts
  /// them.
  bool resize = false;
  /// Ops of a kind that are run; those with the same rule count once. 0: all.
  size_t opsOfKind = 0;
  /// Splits by local forms that are run of each rule on each mesh; 0: all.
  size_t localSplits = 0;
  /// The same for forms that follow from decompositions, which are slow.
  size_t decomposedSplits = 0;
  /// Ops with more elements in operands and results are not run, unless their dims are reduced. 0: no
  /// limit.
  int64_t maxElements = 0;
};

struct ShardCheck {
  /// The splits that were run, the splits of partial operands and by local forms among them, and splits that
  /// the op refuses because a shard has too few elements.
  int64_t cases = 0, partialCases = 0, localForms = 0, empty = 0;
  /// Splits that a local form does not cover.
  int64_t notCovered = 0;
  /// Cases, and refused splits with empty shards, by the name of the op.
  std::map<std::string, int64_t> casesOf = {}, emptyOf = {};
  /// The op and the rule of each op that was run.
  std::map<std::string, std::set<std::string>> rulesOf = {};
  /// Differences, each with the op, its rule and the split.
  std::vector<std::string> differences = {};
};

/// Runs the op by the reference evaluator for each split of the factors of its rule on each mesh, and with
/// partial operands where it is linear, and compares with `results`.
void checkSharding(mlir::Operation *op, llvm::ArrayRef<Tensor> operands, llvm::ArrayRef<Tensor> results,
                   const ShardCheckOptions &options, ShardCheck &check);
/// The same for a given rule, with the dims of the operands.
void checkRule(mlir::Operation *op, const pd::ShardingRule &rule, llvm::ArrayRef<Tensor> operands,
               llvm::ArrayRef<Tensor> results, const ShardCheckOptions &options, ShardCheck &check);

/// checkSharding() for each op at the top level of a program, on the values for these feeds; see
/// runReference. `notEvaluated` is set if the evaluator cannot run the program.
Result<void> checkShardings(const std::string &folder, const CaseMeta &meta, const Tensors &feeds,
                            const ShardCheckOptions &options, ShardCheck &check, std::string &notEvaluated);

} // namespace proa::check
