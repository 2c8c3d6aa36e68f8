/// pd.attention, which devices split along the sequence, as pd.fused_attention, which has kernels on GPUs.
#pragma once

#include "mlir/IR/PatternMatch.h"

namespace proa {

/// pd.attention and pd.attention_grad of static dims and at most rank 4.
void populateFuseScaledAttention(mlir::RewritePatternSet &patterns);

} // namespace proa
