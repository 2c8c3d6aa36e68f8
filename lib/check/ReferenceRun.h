/// Run of a case by the reference evaluator, without kernels, fusion and compilation.
#pragma once

#include "lib/check/CaseResult.h"
#include "translator/program/SourceProgram.h"

#include <functional>

namespace mlir {
class Operation;
}

namespace proa::numerics {
class Interpreter;
}

namespace proa::check {

/// Outputs of the evaluated program, or the reason why the evaluator cannot run it (`notEvaluated`: an op
/// with only a library kernel, a loop, a random op), which is not a failure.
struct ReferenceRun {
  std::vector<NamedTensor> outputs;
  std::string notEvaluated;
};

/// Called after each op of the program.
using OpObserver = std::function<void(mlir::Operation &, const numerics::Interpreter &)>;

/// Imports a program, decomposes its gradients, and evaluates it with these feeds and weights. `source` is
/// the location in errors.
Result<ReferenceRun> runReference(const translator::SourceProgram &program, const std::string &source,
                                  const Tensors &parameters, const CaseMeta &meta, const Tensors &feeds,
                                  bool dynamicDims = false, const OpObserver &afterEach = {});
/// As above for the program and the weights of a folder. With `dynamicDims` all ops are decomposed with
/// dynamic dims before they are evaluated.
Result<ReferenceRun> runReference(const std::string &folder, const CaseMeta &meta, const Tensors &feeds,
                                  bool dynamicDims = false, const OpObserver &afterEach = {});

} // namespace proa::check
