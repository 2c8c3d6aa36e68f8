// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @axes(%c: tensor<2x5xcomplex<f32>>) {
  // expected-error@+2 {{C1: axes must be in [-2, 2) and none twice, found -1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.fft_c2c"(%c) {axes = array<i64: 1, -1>} : (tensor<2x5xcomplex<f32>>) -> tensor<2x5xcomplex<f32>>
  return
}

// -----

func.func @normalization(%c: tensor<2x5xcomplex<f32>>) {
  // expected-error@+2 {{C2: normalization must be backward, forward or ortho, found 'unit'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.fft_c2c"(%c) {axes = array<i64: 1>, normalization = "unit"} : (tensor<2x5xcomplex<f32>>) -> tensor<2x5xcomplex<f32>>
  return
}
