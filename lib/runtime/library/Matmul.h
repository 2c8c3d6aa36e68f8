/// Parts of the library kernel "matmul".
#pragma once

#include "lib/runtime/library/MatmulGeometry.h"

namespace proa::runtime {

/// The product by simple loops, for dtypes that oneDNN does not multiply (float64, float16, integers, complex
/// numbers) and for empty operands. Sums in the widest type of the kind. Post-ops are left to applyPostOps.
Result<void> plainMatmul(DType dtype, const MatmulGeometry &geometry, float alpha, const void *x,
                         const void *y, void *out);

/// A product planned by oneDNN for one set of dims.
class MatmulPlan {
public:
  /// `weights` is the layout of a packed y, if there is one. With `packable` oneDNN chooses the layout of y.
  static std::shared_ptr<const MatmulPlan> create(DType dtype, const MatmulAttributes &attributes,
                                                  MatmulGeometry geometry,
                                                  std::span<const OperandType> inputs,
                                                  const dnnl::memory::desc *weights, bool packable);

  const MatmulGeometry &geometry() const { return shape; }
  /// How y lies in memory when it is not packed.
  const dnnl::memory::desc &plainWeights() const { return yPlain; }
  /// How oneDNN wants y.
  dnnl::memory::desc wantedWeights() const { return description.weights_desc(); }
  bool isSlow() const { return isReference(description.impl_info_str()); }
  size_t fusedCount() const { return fused; }

  /// A plan's memory objects for one session. Slots: x, y, out, then the operands of the fused post-ops.
  std::unique_ptr<Execution> execution() const;

private:
  bool build(const MatmulAttributes &attributes, std::span<const OperandType> inputs, size_t count);

  MatmulGeometry shape;
  dnnl::memory::data_type type = dnnl::memory::data_type::f32;
  dnnl::memory::desc xDesc, yDesc, yPlain, outDesc;
  std::vector<std::pair<int, dnnl::memory::desc>>
      extra;        ///< oneDNN's argument and layout, for each fused operand
  size_t fused = 0; ///< how many leading post-ops oneDNN applies
  dnnl::matmul::primitive_desc description;
  dnnl::matmul primitive;
};

} // namespace proa::runtime
