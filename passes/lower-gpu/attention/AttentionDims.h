/// Conditions on the dynamic dims of an attention kernel.
#pragma once

#include "dialects/pd/ops/attention/FusedAttention.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace proa {

/// Adds to `proa.dim_checks` of a kernel the dims of the operands of its attention that have one size: the
/// batches of queries, keys, values and lengths, and the rows of keys and values. A dim of the mask may be 1
/// instead. Call it while the arguments are tensors.
void addAttentionDimChecks(mlir::func::FuncOp kernel, pd::FusedAttentionOpInterface op);

} // namespace proa
