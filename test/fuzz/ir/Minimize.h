/// Reduction of modules on which a pass fails.
#pragma once

#include "test/fuzz/ir/Cases.h"

namespace proa::fuzz {

/// The identity of a failure: the outcome, the pass, and the diagnostic without numbers and names.
std::string failureKey(const CaseResult &result);

/// Removes functions, ops, results and arguments from the mutant while the failure stays the same.
CaseResult minimize(mlir::MLIRContext &context, const CaseResult &failure, const CaseLimits &limits);

} // namespace proa::fuzz
