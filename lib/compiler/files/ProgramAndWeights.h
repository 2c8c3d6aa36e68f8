/// A program as IR with its weights, read for an export.
#pragma once

#include "lib/compiler/files/FolderFile.h"
#include "translator/params/ModelFolder.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace proa {

struct ProgramAndWeights {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  params::Tensors weights;
};

/// Adds the feeds and fetches of a case folder (meta.json) where the options have none.
Result<void> readInterface(const params::ModelFiles &files, import::ImportOptions &options);

/// Errors: the errors of reading and importing.
Result<ProgramAndWeights> readProgramAndWeights(const FolderRequest &request, mlir::MLIRContext &context);

} // namespace proa
