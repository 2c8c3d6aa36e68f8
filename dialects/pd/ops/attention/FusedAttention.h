/// Scaled dot-product attention and its gradients.
#pragma once

#include "dialects/pd/ir/DeviceKernel.h"
#include "dialects/pd/ir/PartialLibrary.h"
#include "dialects/pd/ir/RandomShard.h"
#include "dialects/pd/ops/attention/Encoding.h"

#include "dialects/pd/ops/attention/FusedAttentionInterface.h.inc"
#include "dialects/pd/ops/attention/RingInterface.h.inc"

#define GET_OP_CLASSES
#include "dialects/pd/ops/attention/FusedAttention.h.inc"

#include <limits>

namespace proa::pd {

/// The score of a key that a query does not use.
inline constexpr double minusInfinity = -std::numeric_limits<double>::infinity();

/// The dims of a tensor that attention reads or writes in another order: dim i of [batch, heads, rows,
/// elements] is dim `permutation[i]` of the tensor; empty: the dims are in that order.
llvm::SmallVector<int64_t> attentionDims(llvm::ArrayRef<int64_t> permutation);

/// `delta` of pd.fused_attention_grad: the sum of out and its gradient over the elements of each row. Both
/// are stored as `permutation` says. `op` is the op that is being replaced.
mlir::Value fusedAttentionDelta(mlir::OpBuilder &builder, mlir::Operation *op, mlir::Value out,
                                mlir::Value outGradient, llvm::ArrayRef<int64_t> permutation);

} // namespace proa::pd
