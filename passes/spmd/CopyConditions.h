/// Scalars that decide about control flow on several meshes.
#pragma once

#include "passes/spmd/GlobalForm.h"

namespace proa {

/// The same scalar, extracted on other meshes, by the scalar of the program.
using ScalarCopies = llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value>>;

/// Moves the tensors from which conditions and bounds of loops are extracted to each other mesh that has
/// values in these loops and branches, or counts the random ops in them, and extracts the scalars there too.
/// The form has the program before; it must be read again if there are copies.
ScalarCopies copyConditions(mlir::func::FuncOp function, const GlobalForm &form,
                            const MeshPlacements &meshes);

} // namespace proa
