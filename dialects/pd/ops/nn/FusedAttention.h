/// Scaled dot-product attention and its gradients.
#pragma once

#include "dialects/pd/ir/DeviceKernel.h"
#include "dialects/pd/ops/nn/Nn.h"

#include "dialects/pd/ops/nn/FusedAttentionInterface.h.inc"

#define GET_OP_CLASSES
#include "dialects/pd/ops/nn/FusedAttention.h.inc"

namespace proa::pd {

/// The dims of a tensor that attention reads or writes in another order: dim i of [batch, heads, rows,
/// elements] is dim `permutation[i]` of the tensor; empty: the dims are in that order.
llvm::SmallVector<int64_t> attentionDims(llvm::ArrayRef<int64_t> permutation);

} // namespace proa::pd
