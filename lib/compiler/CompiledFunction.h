/// A function of a module, compiled for this machine and run on tensors.
#pragma once

#include "lib/compiler/Compile.h"

namespace proa {

/// A function's arguments become feeds and its results fetches, whatever they were.
class CompiledFunction {
public:
  /// Compiles `main` of the module, with the dims of these arguments. The module is consumed. Where its
  /// kernels are formed already they are taken as they are, and dims stay open.
  static Result<CompiledFunction> create(mlir::OwningOpRef<mlir::ModuleOp> module,
                                         const std::vector<Tensor> &arguments);

  /// The results, for arguments of the dims that it was compiled for.
  Result<std::vector<Tensor>> run(const std::vector<Tensor> &arguments);
  /// Bytes of the place that the values of a run share.
  int64_t arenaBytes() const { return executable->plan().arenaBytes; }

private:
  std::shared_ptr<runtime::Executable> executable;
  std::unique_ptr<runtime::Session> session;
};

} // namespace proa
