/// A program as IR with its weights, read for an export.
#pragma once

#include "tools/proa-translate/Folder.h"
#include "translator/params/ModelFolder.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace proa::tools {

struct ProgramAndWeights {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  params::Tensors weights;
};

/// Errors: those of reading and importing.
Result<ProgramAndWeights> readProgramAndWeights(const FolderRequest &request, mlir::MLIRContext &context);

} // namespace proa::tools
