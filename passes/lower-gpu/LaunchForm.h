/// The attributes that describe how threads compute a kernel. A person or a tuner may write them, so passes
/// check them.
#pragma once

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace proa {

inline constexpr int64_t warpSize = 32;
/// The shared memory of kernel NAME is the variable @NAME_shared.
inline constexpr llvm::StringLiteral sharedSuffix = "_shared";

/// Whether `function` has the number of threads of a block.
bool hasLaunch(mlir::Operation *function);

/// The number of threads of a block of a function with hasLaunch(). Error: not a multiple of 32.
mlir::FailureOr<int64_t> threadsOf(mlir::Operation *function);

/// Checks the #proa.loops of a linalg op in a kernel with blocks of `threads` threads: chunks divide the
/// innermost loop, or the only loop of their kind has a rest; a group is one that the reduction supports.
/// Reports all that is wrong.
llvm::LogicalResult verifyLaunch(mlir::linalg::LinalgOp op, int64_t threads);

} // namespace proa
