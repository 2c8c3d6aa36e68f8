/// Smaller modules on which a pass fails in the same way.
#pragma once

#include "test/fuzz/ir/Cases.h"

namespace proa::fuzz {

/// What distinguishes failures: the outcome, the pass, and the diagnostic without its numbers and names.
std::string failureKey(const CaseResult &result);

/// Removes functions, ops, results and arguments from the mutant while the failure stays the same.
CaseResult minimize(mlir::MLIRContext &context, const CaseResult &failure, const CaseLimits &limits);

} // namespace proa::fuzz
