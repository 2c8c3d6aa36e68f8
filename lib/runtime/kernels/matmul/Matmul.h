/// Declarations of the library kernel "matmul".
#pragma once

#include "lib/runtime/kernels/matmul/MatmulGeometry.h"

namespace proa::runtime {

/// The first elements of the tensors of a matmul.
struct MatmulTensors {
  const void *x, *y;
  void *out;
};

/// The matmul by simple loops: of integers, and of empty operands. Integers are summed in 64 bits. Post-ops
/// are left to applyPostOps.
Result<void> plainMatmul(DType dtype, const MatmulGeometry &geometry, float alpha,
                         const MatmulTensors &tensors);

/// Whether rowMatmul computes it: float32, one row of each matrix, adjacent columns, and fast on this
/// processor.
bool isRowMatmul(DType dtype, const MatmulGeometry &geometry);
/// The matmul of rows with matrices that are read once, as they are. No empty operands. Post-ops are left to
/// applyPostOps.
void rowMatmul(const MatmulGeometry &geometry, float alpha, const MatmulTensors &tensors);

/// The matmul by BLAS, for dtypes that oneDNN does not multiply (float64, float16, complex numbers) and
/// layouts that it only has reference code for: those are copied first. 16-bit floats are multiplied as
/// float32. Post-ops are left to applyPostOps.
void blasMatmul(Call &call, DType dtype, const MatmulGeometry &geometry, float alpha,
                const MatmulTensors &tensors);
/// Whether it can: BLAS counts in 32 bits.
bool hasBlasMatmul(DType dtype, const MatmulGeometry &geometry);

/// A matmul planned by oneDNN for one set of dims.
class MatmulPlan {
public:
  struct Options {
    const dnnl::memory::desc *weights = nullptr; ///< the layout of a packed y, if there is one
    bool packable = false;                       ///< oneDNN may choose the layout of y
    bool inPlace = false;                        ///< the first "add" of full size lies where the result does
  };
  /// Null where oneDNN has nothing.
  static std::shared_ptr<const MatmulPlan> create(ProductTypes types, const MatmulConfig &attributes,
                                                  MatmulGeometry geometry,
                                                  std::span<const OperandType> inputs,
                                                  const Options &options);

  /// How y lies in memory when it is not packed.
  static dnnl::memory::desc weightsOf(DType dtype, const MatmulGeometry &geometry);
  const dnnl::memory::desc &plainWeights() const { return yPlain; }
  /// How oneDNN wants y.
  dnnl::memory::desc wantedWeights() const { return description.weights_desc(); }
  bool isSlow() const { return isReference(description.impl_info_str()); }
  size_t fusedCount() const { return fused; }

  /// The step's inputs that the fused post-ops read, in the order of the slots.
  std::span<const size_t> extraInputs() const { return operandInputs; }
  /// A plan's memory objects for one session. Slots: x, y, out, then the extra inputs.
  std::unique_ptr<Execution> execution() const;

private:
  bool isPermuted() const;
  bool build(const MatmulConfig &attributes, std::span<const OperandType> inputs, size_t count, bool inPlace);

  MatmulGeometry shape;
  dnnl::memory::desc xDesc, yDesc, yPlain, outDesc;
  std::vector<std::pair<int, dnnl::memory::desc>>
      extra; ///< oneDNN's argument and layout, for each fused operand
  std::vector<size_t> operandInputs;
  bool small = false;
  size_t fused = 0; ///< how many leading post-ops oneDNN applies
  dnnl::matmul::primitive_desc description;
  dnnl::matmul primitive;
};

} // namespace proa::runtime
