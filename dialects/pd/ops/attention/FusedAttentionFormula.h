/// The formulas and checks that pd.fused_attention and its gradients share.
#pragma once

#include "dialects/pd/builders/TensorBuilder.h"
#include "dialects/pd/ops/attention/FusedAttention.h"
#include "dialects/pd/ops/nn/DropoutFormula.h"

namespace proa::pd {

/// The dims of attention's tensors, in this order.
enum AttentionDim : unsigned { batchOfAttention, headOfAttention, rowOfAttention, elementOfAttention };

/// A tensor of attention, and where its dims are.
struct PermutedTensor {
  mlir::Value tensor;
  llvm::ArrayRef<int64_t> permutation;

  bool isValid() const; ///< it has rank 4, and each dim once
  /// The dims [batch, heads, rows, elements].
  llvm::SmallVector<int64_t> shape() const;
  /// The tensor with these dims, in the type of computations.
  Expression inOrder(TensorBuilder &e) const;
};

/// Dropout of the weights; none if `call` is null.
struct WeightDropout {
  mlir::Value call;
  double p;
  DropoutMode mode;
  RandomShard shard;

  template <class Op> static WeightDropout of(Op op) {
    return {op.getDropoutCall(),
            op.getDropoutP().convertToDouble(),
            op.getDropoutMode(),
            {op.getPartBegin(), op.getWholeShape()}};
  }

  /// The constraints C7 and C8, for weights of `keys` keys.
  mlir::LogicalResult check(std::optional<mlir::Location> location, int64_t keys) const;
  double factor() const; ///< of weights that are kept
  /// Which weights are kept, as i1; empty without dropout.
  std::optional<Expression> kept(Expression weights) const;
  /// x, a factor of the weights or their gradient, after dropout.
  Expression apply(Expression x, const std::optional<Expression> &kept) const;
};

/// Whether a mask, which may be null, selects scores instead of being added.
bool isCondition(mlir::Value mask);

/// The number of keys of a window; empty if the attribute is negative. A causal mask is also a right window
/// of none.
std::optional<int64_t> windowOf(uint64_t attribute);

/// The operands and attributes that pd.fused_attention and its gradients have.
struct AttentionOperands {
  PermutedTensor q, k, v;
  mlir::Value mask, keyMask, keyLengths;
  double scale, maskFill, softCap;
  /// The numbers of keys before and after its position that a query uses; none: all.
  std::optional<int64_t> left, right;
  int64_t leftAttribute, rightAttribute; ///< as written
  WeightDropout dropout;

  /// The operands of an op or of its adaptor.
  template <class Op> static AttentionOperands of(Op op) {
    return {{op.getQ(), op.getQPermutation()},
            {op.getK(), op.getKPermutation()},
            {op.getV(), op.getVPermutation()},
            op.getMask(),
            op.getKeyMask(),
            op.getKeyLengths(),
            op.getScale().convertToDouble(),
            op.getMaskFill().convertToDouble(),
            op.getSoftCap().convertToDouble(),
            windowOf(op.getLeftWindow()),
            op.getCausal() ? std::optional<int64_t>(0) : windowOf(op.getRightWindow()),
            static_cast<int64_t>(op.getLeftWindow()),
            static_cast<int64_t>(op.getRightWindow()),
            WeightDropout::of(op)};
  }

  /// Whether a tensor broadcasts to the dims [B, H, M, N] of the scores.
  bool broadcasts(mlir::Value mask) const;
  /// The constraints C1 to C4 and C7 to C11.
  mlir::LogicalResult check(std::optional<mlir::Location> location) const;
  /// The dims [B, H, M, E] of the result.
  llvm::SmallVector<int64_t> resultShape() const;
  /// The type of a number of each query, [B, H, M].
  mlir::RankedTensorType statisticType() const;
  /// tanh(scale q k^T / softCap); empty without a soft cap.
  std::optional<Expression> tanhOfProducts(TensorBuilder &e) const;
  /// scale q k^T with the soft cap, plus the masks, with minus infinity for keys that a query does not use.
  Expression scores(TensorBuilder &e) const;
  /// x [B, G, N, D] as [B, H, N, D]: each head for H / G query heads.
  Expression repeatHeads(Expression x) const;
  /// Multiplications and additions of products with rows of D elements and with rows of E elements, for each
  /// pair of a query and a key that it may use. Empty if a dim is dynamic.
  std::optional<int64_t> operations(int64_t productsOfHeads, int64_t productsOfValues) const;
  /// x, a number for each score, where the mask does not fill the score in; else `fill`.
  Expression whereNotFilled(Expression x, double fill) const;
  /// Why kernels of GPUs cannot read the operands; null if they can.
  const char *whyNoDeviceKernel() const;
};

/// Why the kernels of CPUs cannot compute attention or a gradient of it; null if they can.
const char *whyNoCpuKernel(FusedAttentionOpInterface op);

/// Why kernels of GPUs cannot access rows of a tensor; null if they can.
const char *whyNoRows(PermutedTensor tensor);

/// x [B, H, rows, elements] in the order of `permutation`.
Expression storedAs(Expression x, llvm::ArrayRef<int64_t> permutation);

} // namespace proa::pd
