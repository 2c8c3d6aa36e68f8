// RUN: proa-opt %s | proa-opt | FileCheck %s

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
