/// Check of sharding rules by running ops in parts.
#pragma once

#include "lib/check/CaseResult.h"
#include "translator/params/ModelFolder.h"

#include "mlir/IR/Operation.h"

namespace proa::check {

struct ShardCheck {
  /// The number of factors along which an op was split, and of those whose parts could not be run.
  int64_t factors = 0, notRun = 0;
  /// Differences, each with the op and its rule.
  std::vector<std::string> differences;
};

/// Splits the op in two along each factor of its rule that is not replicated, runs both parts by the
/// reference evaluator on parts of these operands, combines the results and compares them with `results`.
void checkSharding(mlir::Operation *op, llvm::ArrayRef<Tensor> operands, llvm::ArrayRef<Tensor> results,
                   ShardCheck &check);

/// As above for each op at the top level of a program, on the values for these feeds; see runReference.
/// `notEvaluated` is set if the evaluator cannot run the program.
Result<ShardCheck> checkShardings(const std::string &folder, const CaseMeta &meta, const Tensors &feeds,
                                  std::string &notEvaluated);

} // namespace proa::check
