/// How a matrix product reads and writes its tensors.
#pragma once

#include "lib/runtime/kernels/PostOps.h"

namespace proa::runtime {

/// The attributes of the library kernel "matmul". Inputs: x, y, then the operands of `post_ops`. Output: the
/// product.
///
///   transpose_x, transpose_y   the operand's last two axes are swapped (after the permutation; not for
///   vectors) x_permutation, y_permutation   the operand is read as if transposed so: axis i is the stored
///   axis permutation[i] out_permutation            the product is stored transposed so; operands of post-ops
///   broadcast to the stored dims alpha                      a factor of the product (before the post-ops)
///   post_ops                   see PostOps.h
///
/// As in Paddle's matmul, a vector x is a row and a vector y is a column whose axis the result does not have,
/// and the axes before the last two broadcast.
struct MatmulAttributes {
  bool transposeX = false, transposeY = false;
  std::vector<int64_t> permutationX, permutationY, permutationOut;
  float alpha = 1;
  std::vector<PostOp> postOps;

  static Result<MatmulAttributes> parse(const KernelRequest &request);
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
  static Result<MatmulGeometry> compute(const MatmulAttributes &attributes, std::span<const int64_t> xDims,
                                        std::span<const int64_t> yDims,
                                        std::span<const std::vector<int64_t>> operandDims);

private:
  void mergeAxes();
  bool mergeable(size_t axis) const;
};

} // namespace proa::runtime
