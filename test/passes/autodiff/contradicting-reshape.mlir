// RUN: proa-opt %s --pd-vmap --verify-diagnostics
// RUN: proa-opt %s --pd-decompose --verify-diagnostics

func.func @reshaped(%x: tensor<2x8xf32>) -> tensor<1x8xf32> {
  %0 = pd.assign %x : (tensor<2x8xf32>) -> tensor<?x?xf32>
  // expected-error@+1 {{cannot reshape 16 elements into 8}}
  %1 = pd.reshape %0 {shape = array<i64: 1, 8>} : (tensor<?x?xf32>) -> tensor<1x8xf32>
  return %1 : tensor<1x8xf32>
}
