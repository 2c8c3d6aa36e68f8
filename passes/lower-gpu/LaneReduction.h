/// Reductions across the lanes of a warp.
#pragma once

#include "mlir/IR/Builders.h"

namespace proa {

/// Combines the values of each group of `lanes` adjacent lanes, a power of two up to 32, by shuffles; all
/// lanes of a group get the result. All lanes of the warp must run the code. `combine` creates the code that
/// combines the values of two lanes, and is associative and commutative. canShuffle() tells the types
/// (ReductionForm.h).
llvm::SmallVector<mlir::Value>
combineLanes(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange values, int64_t lanes,
             llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::ValueRange own, mlir::ValueRange others)>
                 combine);

} // namespace proa
