/// Ops of arith for which a target has no instruction.
#pragma once

#include "mlir/IR/Operation.h"

namespace proa {

/// Replaces rounding divisions in `root` by the patterns of `arith-expand`, and maxima and minima for which
/// `isSupported` is false.
mlir::LogicalResult expandArith(mlir::Operation *root,
                                llvm::function_ref<bool(mlir::Operation *)> isSupported);

} // namespace proa
