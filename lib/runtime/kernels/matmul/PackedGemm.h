/// The GEMM of rows with a constant float32 matrix by panels, and post-ops on what it gives: what a fully
/// connected layer is.
#pragma once

#include "lib/runtime/kernels/common/RowPostOps.h"
#include "lib/runtime/kernels/matmul/PanelGemm.h"

namespace proa::runtime {

class PackedGemm {
public:
  /// out [rows, columns] = x [rows, inner] times the matrix, whose element [k, column] lies at
  /// `matrix[k * innerStride + column * columnStride]`. Strides of rows are in elements.
  struct Form {
    int64_t rows = 0, inner = 0, columns = 0;
    int64_t xStride = 0, outStride = 0;
    const float *matrix = nullptr;
    int64_t innerStride = 0, columnStride = 0;
  };

  /// Null where RowPostOps does not have the post-ops. `result` and `layouts` are as for applyPostOps, with
  /// the columns as axis 1. The operand of the post-op `inPlace` lies where the result goes. What is packed
  /// is kept in `cache`.
  static std::unique_ptr<PackedGemm> create(const Form &form, std::span<const PostOp> ops,
                                            const StridedOperand &result,
                                            std::span<const StridedOperand> layouts,
                                            std::span<const OperandType> inputs,
                                            std::optional<size_t> inPlace, const PackedCache &cache);

  void run(Call &call, const float *x, float *out) const;

private:
  PanelGemm gemm;             ///< without x, out and bias
  std::optional<size_t> bias; ///< the input of the first post-op, if that is a bias
  RowPostOps postOps;
  std::shared_ptr<const PackedTensor> panels;
};

} // namespace proa::runtime
