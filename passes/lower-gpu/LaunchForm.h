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

/// The number of threads of a block. Error: not a multiple of 32 from 32 to 1024.
mlir::FailureOr<int64_t> threadsOf(mlir::Operation *function);

/// The value of an integer attribute of a linalg op; 1 without it.
int64_t numberOf(mlir::Operation *op, llvm::StringRef attribute);

/// Checks the attributes of a linalg op in a kernel with blocks of `threads` threads: chunks divide the
/// innermost loop, or the only loop of their kind has a rest; a group is one that the reduction supports.
/// Reports all that is wrong.
llvm::LogicalResult verifyLaunch(mlir::linalg::LinalgOp op, int64_t threads);

} // namespace proa
