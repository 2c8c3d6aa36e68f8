/// A model of Paddle's new IR becomes the same MLIR as a legacy program does (translator/import/Import.h).
#pragma once

#include "translator/import/Import.h"

namespace proa::import {

/// Imports the model. Errors, all at once, each with its path in the file.
Result<mlir::OwningOpRef<mlir::ModuleOp>> importNewIr(mlir::MLIRContext &context, const newir::Model &model,
                                                      const ImportOptions &options);

/// The interface by the ops that declare it. Error: a feed that is none of the model's own.
Result<Interface> declaredInterface(mlir::MLIRContext &context, const newir::Model &model,
                                    const ImportOptions &options);

/// Whether importNewIr knows ops of this name, which begins with the number of its dialect: "1.matmul".
bool isKnownInNewIr(llvm::StringRef name);

} // namespace proa::import
