/// Clones of an op for the derivation of its sharding rule.
#pragma once

#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

/// A clone of the op at the end of the block, on operands with other dims. Constant operands whose dims stay
/// are cloned too; other operands become block arguments. The types of the results are not changed.
mlir::Operation *cloneWithDims(mlir::Block &block, mlir::Operation *op,
                               llvm::function_ref<llvm::SmallVector<int64_t>(unsigned operand)> dimsOf);

} // namespace proa::pd
