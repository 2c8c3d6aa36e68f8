/// Runs a case by the reference evaluator alone: no kernels, no fusion, nothing compiled.
#pragma once

#include "lib/check/CaseResult.h"
#include "translator/legacy/Program.h"

#include <functional>

namespace mlir {
class Operation;
}

namespace proa::check {

class Interpreter;

/// What evaluating a program gave: its outputs, or why the evaluator cannot run it (`notEvaluated`, no
/// failure: a random number, a loop, an op that only a library kernel computes).
struct ReferenceRun {
  std::vector<NamedTensor> outputs;
  std::string notEvaluated;
};

/// Is called behind each op of the program.
using OpObserver = std::function<void(mlir::Operation &, const Interpreter &)>;

/// Imports a program, expands its gradients, and evaluates op by op with these feeds and weights. `source`
/// begins the problems.
Result<ReferenceRun> runReference(const legacy::Program &program, const std::string &source,
                                  const Tensors &parameters, const CaseMeta &meta, const Tensors &feeds,
                                  bool dynamicDims = false, const OpObserver &afterEach = {});
/// The same for the program and the weights of a folder. With `dynamicDims` everything is decomposed before
/// the feeds' dims are known, and then evaluated.
Result<ReferenceRun> runReference(const std::string &folder, const CaseMeta &meta, const Tensors &feeds,
                                  bool dynamicDims = false, const OpObserver &afterEach = {});

} // namespace proa::check
