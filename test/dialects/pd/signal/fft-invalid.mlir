// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @axes(%c: tensor<2x5xcomplex<f32>>) {
  // expected-error@+1 {{C1: axes must be in [-2, 2) and none twice, found -1}}
  %0 = "pd.fft_c2c"(%c) {axes = array<i64: 1, -1>} : (tensor<2x5xcomplex<f32>>) -> tensor<2x5xcomplex<f32>>
  return
}

// -----

func.func @fft_c2r_c1(%x: tensor<3x5xcomplex<f32>>) {
  // expected-error@+1 {{C1: axes must be in [-2, 2) and none twice, found 2}}
  %0 = pd.fft_c2r %x {axes = array<i64: 2>, forward = false} : (tensor<3x5xcomplex<f32>>) -> tensor<3x8xf32>
  return
}

// -----

func.func @fft_r2c_c1(%x: tensor<8xf32>) {
  // expected-error@+1 {{C1: axes must be in [-1, 1) and none twice, found 1}}
  %0 = pd.fft_r2c %x {axes = array<i64: 1>} : (tensor<8xf32>) -> tensor<5xcomplex<f32>>
  return
}

