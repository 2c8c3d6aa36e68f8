/// Programs in the form that the reference evaluator runs.
#pragma once

#include "lib/compiler/program/ProgramSource.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <functional>
#include <map>
#include <string>

namespace proa::numerics {

/// A program for the dims of some feeds.
struct ReferenceProgram {
  mlir::OwningOpRef<mlir::ModuleOp> specialized; ///< as it was imported, for these dims
  mlir::OwningOpRef<mlir::ModuleOp>
      module; ///< the same with decomposed gradients; the evaluator runs all else
};

/// The code of the error that a gradient cannot be decomposed.
inline constexpr const char *noGradientCode = "no-gradient";

/// Imports the program by its declarations or, if types inferred from them are wrong, by the dims and values
/// of the feeds. `parameters` are the values of the weights. Errors: from import and specialization; a
/// gradient that cannot be decomposed.
Result<ReferenceProgram> importReference(ProgramSource &source, mlir::MLIRContext &context,
                                         const std::map<std::string, Tensor> &feeds,
                                         const std::map<std::string, Tensor> &parameters);

/// The same by the declarations only, with `transform` before the program gets the dims of the feeds.
Result<ReferenceProgram> importReference(ProgramSource &source, mlir::MLIRContext &context,
                                         const std::map<std::string, Tensor> &feeds,
                                         const std::map<std::string, Tensor> &parameters,
                                         const std::function<Result<void>(mlir::ModuleOp)> &transform);

} // namespace proa::numerics
