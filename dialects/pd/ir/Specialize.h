/// Specialization of ops to operand values.
#pragma once

#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

/// Clones `op` into `block` with operands of the dims of these tensors and infers its result types. Small
/// operands become constants, because their values may decide result dims. Null if the operands violate a
/// constraint of the op.
mlir::Operation *cloneForValues(mlir::Operation *op, llvm::ArrayRef<Tensor> operands, mlir::Block &block);

} // namespace proa::pd
