/// Differential testing: mutants of a program, run by compiled code and by the reference evaluator.
#pragma once

#include "lib/check/CaseResult.h"

namespace proa::check {

struct DifferentialResult {
  int compared = 0; ///< mutants that both ran
  int refused = 0;  ///< invalid mutants, and those that the evaluator or a runtime kernel refuses
};

/// Runs `count` mutants of the program in a folder. Errors, each with the change: outputs that differ by
/// more than rounding; a program that the evaluator runs and the compiler refuses. Prints each change before
/// it is tried, so that a crash can be traced.
Result<DifferentialResult> compareMutants(const std::string &folder, const CaseMeta &meta,
                                          const Tensors &feeds, uint64_t seed, int count);

} // namespace proa::check
