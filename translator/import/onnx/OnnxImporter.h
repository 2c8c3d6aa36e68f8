/// A model of ONNX becomes the same MLIR as a program of PaddlePaddle does (translator/import/Import.h).
#pragma once

#include "translator/import/Import.h"
#include "translator/onnx/Model.h"

namespace proa::import {

/// Imports the model, which must have passed the checks of onnx::prepare. Errors, all at once, each with its
/// graph and node.
Result<mlir::OwningOpRef<mlir::ModuleOp>> importOnnx(mlir::MLIRContext &context, const onnx::Model &model,
                                                     const ImportOptions &options);

/// The interface by the declarations of the model: inputs without initializers are feeds, and the names of
/// onnx::parametersOf are parameters. Error: a feed that is none of the model's own.
Result<Interface> declaredInterface(mlir::MLIRContext &context, const onnx::Model &model,
                                    const ImportOptions &options);

/// Whether importOnnx knows the op in a model with this opset of its domain.
bool isKnownInOnnx(llvm::StringRef domain, llvm::StringRef type, int64_t opset);

} // namespace proa::import
