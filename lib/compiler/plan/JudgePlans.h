/// Judgement of plans by the programs that they become.
#pragma once

#include "lib/base/plan/Search.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace proa {

struct JudgeOptions {
  /// No program is lowered that is expected to end after this time.
  double seconds = 2;
  std::string targetFacts; ///< of ModelOptions
};

/// Lowers the programs of executable plans (plannedStep) in their order, and sets Candidate::lowered. Plans
/// with offload, and plans whose program a pass refuses, keep their estimates. Then orders them: plans whose
/// lowered programs fit, by their time; plans with estimates in their order; plans that do not fit. `module`
/// is an imported training program with the batch of the model; it is unchanged.
void judgePlans(mlir::ModuleOp module, const plan::CostModel &model, const JudgeOptions &options,
                std::vector<plan::Candidate> &candidates);

} // namespace proa
