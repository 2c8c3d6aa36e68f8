/// Ops made once more for the values of a run: what types could not say is known then.
#pragma once

#include "dialects/pd/ir/Pd.h"

namespace proa::pd {

/// A clone of `op` in `block` whose operands have the dims of these tensors, as constants where they are
/// small, and whose result types are inferred from them. Null where the operands break a constraint of the
/// op.
mlir::Operation *cloneForValues(mlir::Operation *op, llvm::ArrayRef<Tensor> operands, mlir::Block &block);

} // namespace proa::pd
