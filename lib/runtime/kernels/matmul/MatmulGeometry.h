/// How a matmul reads and writes its tensors.
#pragma once

#include "lib/runtime/kernels/common/PostOps.h"

#include "dialects/pd/ops/linalg/Contract.kernels.inc"

namespace proa::runtime {

/// The attributes of a matmul. Inputs: x, y, then the operands of the post-ops, which broadcast to
/// the stored dims of the result. As in Paddle's matmul, a vector x is a row and a vector y is a column whose
/// axis the result does not have, and the axes before the last two broadcast.
struct MatmulConfig {
  /// The operand's last two axes are swapped, after the permutation; not for vectors.
  bool transposeX = false, transposeY = false;
  /// Where not empty, axis i of the operand is the stored axis permutation[i].
  std::vector<int64_t> permutationX, permutationY;
  std::vector<int64_t> permutationOut; ///< where not empty, the result is stored transposed so
  float alpha = 1;                     ///< a factor of the result, before the post-ops
  std::vector<PostOp> postOps;

  static Result<MatmulConfig> create(const MatmulAttributes &op, const KernelRequest &request);
  static Result<MatmulConfig> create(const FusedMatmulAttributes &op, const KernelRequest &request);

private:
  Result<void> addPostOps(std::span<const PostOpAttribute> attributes, const KernelRequest &request);
};

/// All tensors seen along the same axes: batch axes, then rows, then columns.
struct MatmulGeometry {
  std::vector<int64_t> outDims;         ///< as stored
  StridedOperand x, y, out;             ///< [batch..., M, K], [batch..., K, N], [batch..., M, N]
  std::vector<StridedOperand> operands; ///< of the post-ops, broadcast to `out`; empty for activations

  size_t rank() const { return out.dims.size(); }
  int64_t rows() const { return out.dims[rank() - 2]; }
  int64_t columns() const { return out.dims[rank() - 1]; }
  int64_t inner() const { return x.dims[rank() - 1]; }

  /// `operandDims` has the dims of each post-op's operand. Error: dims that do not fit.
  static Result<MatmulGeometry> compute(const MatmulConfig &attributes, std::span<const int64_t> xDims,
                                        std::span<const int64_t> yDims,
                                        std::span<const std::vector<int64_t>> operandDims);

private:
  void mergeAxes();
  bool mergeable(size_t axis) const;
};

} // namespace proa::runtime
