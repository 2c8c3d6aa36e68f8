/// Helpers of the hooks of ONNX Runtime's attentions (com.microsoft). Q, K and V are [batch, heads, length,
/// head size].
#pragma once

#include "translator/import/onnx/hooks/AttentionForm.h"

#include "dialects/pd/ops/shape/DimSize.h"

namespace proa::import::contrib {

/// The addend of scores that excludes a key.
inline constexpr double excluded = -3.4028234663852886e38;

/// Positions 0, 1, ... along a dimension of a rank-4 tensor.
pd::Expression positions(NodeImporter &node, const pd::DimSize &count, int64_t dim);
/// A vector with an element for each example, as [batch, 1, 1, 1].
pd::Expression perExample(NodeImporter &node, pd::Expression x);
/// `filter` where the condition is false, else 0.
pd::Expression additive(NodeImporter &node, pd::Expression condition, double filter, mlir::Type element);
/// Masks and biases that Attention and MultiHeadAttention share; `mask` is the name of the input.
AttentionForm formOf(NodeImporter &node, pd::Expression q, pd::Expression k, llvm::StringRef mask);
/// Attribute `scale`; 0 means none.
std::optional<double> givenScale(NodeImporter &node);
/// Pieces of a bias of the projections, in order.
llvm::SmallVector<pd::Expression> splitBias(pd::Expression bias, llvm::ArrayRef<int64_t> sizes);
/// The sizes of the projections of Q, K and V together.
llvm::SmallVector<int64_t> projectionSizes(NodeImporter &node, int64_t total);
int64_t requiredHeads(NodeImporter &node, llvm::StringRef name);
/// x [batch, heads, length, size], whose first dimensions are rotated by angles of which `cos` and `sin`
/// [batch or 1, 1, length, half the number of rotated dimensions] are given.
pd::Expression rotatedBy(NodeImporter &node, pd::Expression x, pd::Expression cos, pd::Expression sin,
                         bool isInterleaved);
/// The same by the rows of caches [positions, half] at positions [batch or 1, length].
pd::Expression rotated(NodeImporter &node, pd::Expression x, pd::Expression cos, pd::Expression sin,
                       pd::Expression position, bool isInterleaved);
/// Q, K and V of grouped heads, from inputs `query`, `key` and `value` or from packed ones.
std::array<pd::Expression, 3> groupedHeads(NodeImporter &node, int64_t heads, int64_t kvHeads);

} // namespace proa::import::contrib
