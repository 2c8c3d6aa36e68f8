/// Checks the sharding rules of a program's ops by running them in parts.
#pragma once

#include "lib/check/CaseResult.h"
#include "translator/params/ModelFolder.h"

#include "mlir/IR/Operation.h"

namespace proa::check {

struct ShardCheck {
  /// Factors along which an op was split, and of these those for which its parts could not be run.
  int64_t factors = 0, notRun = 0;
  /// What does not agree, each with the op and its rule.
  std::vector<std::string> differences;
};

/// Splits the op in two along each factor of its rule that is no replicated one, runs both parts by the
/// reference evaluator on parts of these operands, puts their results together and compares them with these,
/// which the op gave as a whole.
void checkSharding(mlir::Operation *op, llvm::ArrayRef<Tensor> operands, llvm::ArrayRef<Tensor> results,
                   ShardCheck &check);

/// The same for each op at the top level of a program, on what it computes for these feeds; see runReference.
/// `notEvaluated` is set where the evaluator cannot run the program.
Result<ShardCheck> checkShardings(const std::string &folder, const CaseMeta &meta, const Tensors &feeds,
                                  std::string &notEvaluated);

} // namespace proa::check
