/// Kernel functions of pd primitives to linalg on tensors.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace proa {

/// Lowers every function with the attribute `proa.kernel`. Emits an error for an op that kernels can't compute.
llvm::LogicalResult lowerPdToLinalg(mlir::ModuleOp module);

} // namespace proa
