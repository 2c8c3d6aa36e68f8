// RUN: proa-opt %s --split-input-file --verify-diagnostics | proa-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func @transforms
func.func @transforms(%x: tensor<2x8xf32>, %c: tensor<2x5xcomplex<f32>>, %w: tensor<4xf32>) {
  // CHECK: pd.fft_c2c %{{.*}} {axes = array<i64: 0, 1>, forward = false, normalization = "ortho"}
  %0 = pd.fft_c2c %c {axes = array<i64: 0, 1>, forward = false, normalization = "ortho"} : (tensor<2x5xcomplex<f32>>) -> tensor<2x5xcomplex<f32>>
  // CHECK: pd.fft_r2c %{{.*}} -> tensor<2x5xcomplex<f32>>
  %1 = pd.fft_r2c %x {axes = array<i64: -1>} : (tensor<2x8xf32>) -> tensor<2x5xcomplex<f32>>
  // CHECK: pd.fft_c2r %{{.*}} -> tensor<2x9xf32>
  %2 = pd.fft_c2r %c {axes = array<i64: 1>, last_dim_size = 9 : i64} : (tensor<2x5xcomplex<f32>>) -> tensor<2x9xf32>
  // CHECK: pd.frame %{{.*}} -> tensor<2x4x3xf32>
  %3 = pd.frame %x {frame_length = 4 : i64, hop_length = 2 : i64} : (tensor<2x8xf32>) -> tensor<2x4x3xf32>
  // CHECK: pd.overlap_add %{{.*}} -> tensor<2x8xf32>
  %4 = pd.overlap_add %3 {hop_length = 2 : i64} : (tensor<2x4x3xf32>) -> tensor<2x8xf32>
  // CHECK: pd.stft %{{.*}} -> tensor<2x3x3xcomplex<f32>>
  %5 = pd.stft %x, %w {hop_length = 2 : i64, n_fft = 4 : i64} : (tensor<2x8xf32>, tensor<4xf32>) -> tensor<2x3x3xcomplex<f32>>
  return
}

// -----

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

// -----

func.func @frame_axis(%x: tensor<2x8xf32>) {
  // expected-error@+2 {{C1: axis must be 0 or -1 and x have rank 1 or more, found axis 1 and tensor<2x8xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.frame"(%x) {frame_length = 4 : i64, hop_length = 2 : i64, axis = 1 : i64} : (tensor<2x8xf32>) -> tensor<2x4x3xf32>
  return
}

// -----

func.func @frame_length(%x: tensor<2x8xf32>) {
  // expected-error@+2 {{C2: the frame length must be above 0 and at most the signal's, the hop above 0, found 9, 8 and 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.frame"(%x) {frame_length = 9 : i64, hop_length = 2 : i64} : (tensor<2x8xf32>) -> tensor<2x9x0xf32>
  return
}

// -----

func.func @window(%x: tensor<2x8xf32>, %w: tensor<3xf32>) {
  // expected-error@+2 {{C1: x must have rank 2 and the window n_fft elements, found tensor<2x8xf32>, tensor<3xf32> and 4}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.stft"(%x, %w) {hop_length = 2 : i64, n_fft = 4 : i64} : (tensor<2x8xf32>, tensor<3xf32>) -> tensor<2x3x3xcomplex<f32>>
  return
}
