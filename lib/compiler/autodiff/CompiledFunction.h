/// A function of a module, compiled for this machine and run on tensors.
#pragma once

#include "lib/compiler/compile/Compile.h"

namespace proa {

/// Makes the arguments of a function feeds and its results fetches.
class CompiledFunction {
public:
  /// Compiles `main` of the module for the dims of these arguments and consumes the module. If its kernels
  /// are formed already, they are used and dims stay dynamic. `name` begins the messages of runs.
  static Result<CompiledFunction> create(mlir::OwningOpRef<mlir::ModuleOp> module,
                                         const std::vector<Tensor> &arguments,
                                         const CompileOptions &options = {},
                                         const std::string &name = "function");

  /// Makes runs fail at the first step that makes a NaN or an Inf. Error: a step on constants alone does.
  Result<void> checkFinite() { return executable->checkFinite(); }

  /// Runs on arguments of the compiled dims.
  Result<std::vector<Tensor>> run(const std::vector<Tensor> &arguments);
  /// Arena size of a run, in bytes.
  int64_t arenaBytes() const { return executable->plan().arenaBytes; }

private:
  std::shared_ptr<runtime::Executable> executable;
  std::unique_ptr<runtime::Session> session;
};

} // namespace proa
