// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @rms_norm_c1(%x: tensor<6xf32>) {
  // expected-error@+1 {{C1: normalized_shape has 2 numbers, x rank 1}}
  %0:2 = "pd.rms_norm"(%x) {normalized_shape = array<i64: 1, 6>} : (tensor<6xf32>) -> (tensor<6xf32>, tensor<f32>)
  return
}

// -----

func.func @rms_norm_c1_scale(%x: tensor<2x3x6x6xf16>, %v1: tensor<9xf16>) {
  // expected-error@+1 {{C1: scale must have 6 elements, found 9}}
  %0:2 = pd.rms_norm %x, %v1 {normalized_shape = array<i64: 6>} : (tensor<2x3x6x6xf16>, tensor<9xf16>) -> (tensor<2x3x6x6xf16>, tensor<2x3x6xf32>)
  return
}
