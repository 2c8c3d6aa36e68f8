/// Runs a case by the reference evaluator alone: no kernels, no fusion, nothing compiled.
#pragma once

#include "lib/check/CaseResult.h"

namespace proa::check {

/// What evaluating a program gave: its outputs, or why the evaluator can not run it (`notEvaluated`, no failure: a random
/// number, a loop, an op that only a library kernel computes).
struct ReferenceRun {
  std::vector<NamedTensor> outputs;
  std::string notEvaluated;
};

/// Imports the program of a folder, expands its gradients, and evaluates op by op with the feeds and the folder's weights.
Result<ReferenceRun> runReference(const std::string &folder, const CaseMeta &meta, const Tensors &feeds);

} // namespace proa::check
