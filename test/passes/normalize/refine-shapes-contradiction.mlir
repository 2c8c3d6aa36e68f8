// RUN: proa-opt %s --pd-refine-shapes --verify-diagnostics

// Operands that contradict an op, once their dims are static, are reported at the op.
func.func @reshaped(%x: tensor<2x8xf32>) -> tensor<?x8xf32> {
  %0 = pd.assign %x : (tensor<2x8xf32>) -> tensor<?x?xf32>
  // expected-error@+1 {{cannot reshape 16 elements into 8}}
  %1 = pd.reshape %0 {shape = array<i64: 1, 8>} : (tensor<?x?xf32>) -> tensor<1x8xf32>
  %2 = tensor.cast %1 : tensor<1x8xf32> to tensor<?x8xf32>
  return %2 : tensor<?x8xf32>
}
