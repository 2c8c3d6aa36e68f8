/// One case: a mutated module and a pass, run in its own process.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <functional>
#include <string>

namespace proa::fuzz {

enum class Outcome {
  NotValid,   ///< the mutant does not verify
  Refused,    ///< the pass failed with a diagnostic
  Passed,     ///< the pass succeeded, and its result verifies and can be parsed
  Crashed,    ///< a signal or an uncaught exception
  Hung,       ///< more CPU time than the limit
  Silent,     ///< the pass failed without a diagnostic
  NotVerified ///< the result does not verify, or its text does not parse
};

const char *nameOf(Outcome outcome);
bool isFailure(Outcome outcome);

struct CaseLimits {
  unsigned cpuSeconds = 20;
  uint64_t memoryBytes = uint64_t(8) << 30;
};

/// CaseResult::pipeline of a crash before the pass runs.
constexpr const char *verifierName = "verifier";

struct CaseResult {
  Outcome outcome = Outcome::NotValid;
  std::string pipeline; ///< the pass with its options, or verifierName
  std::string mutant;   ///< the input module
  std::string result;   ///< the module that the pass returned
  std::string message;  ///< of a failure: the signal or the diagnostics
};

/// Runs in a new process: `prepare` changes a copy of `module` and returns the pipeline, which runs if the
/// copy verifies.
CaseResult runCase(mlir::ModuleOp module, const std::function<std::string(mlir::ModuleOp)> &prepare,
                   const CaseLimits &limits);

} // namespace proa::fuzz
