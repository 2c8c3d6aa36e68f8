// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @frame
func.func @frame(%x: tensor<2x8xf32>) {
  // CHECK: pd.frame %{{.*}} {frame_length = 4 : i64, hop_length = 2 : i64} : (tensor<2x8xf32>) -> tensor<2x4x3xf32>
  %0 = pd.frame %x {frame_length = 4 : i64, hop_length = 2 : i64} : (tensor<2x8xf32>) -> tensor<2x4x3xf32>
  return
}

// CHECK-LABEL: func @overlap_add
func.func @overlap_add(%x: tensor<2x4x3xf32>) {
  // CHECK: pd.overlap_add %{{.*}} {hop_length = 2 : i64} : (tensor<2x4x3xf32>) -> tensor<2x8xf32>
  %0 = pd.overlap_add %x {hop_length = 2 : i64} : (tensor<2x4x3xf32>) -> tensor<2x8xf32>
  return
}

// CHECK-LABEL: func @stft
func.func @stft(%x: tensor<2x8xf32>, %window: tensor<4xf32>) {
  // CHECK: pd.stft %{{.*}}, %{{.*}} {hop_length = 2 : i64, n_fft = 4 : i64} : (tensor<2x8xf32>, tensor<4xf32>) -> tensor<2x3x3xcomplex<f32>>
  %0 = pd.stft %x, %window {hop_length = 2 : i64, n_fft = 4 : i64} : (tensor<2x8xf32>, tensor<4xf32>) -> tensor<2x3x3xcomplex<f32>>
  return
}

// CHECK-LABEL: func @transforms_uses
func.func @transforms_uses(%x: tensor<2x8xf32>, %w: tensor<4xf32>) {
  // CHECK: pd.frame %{{.*}} -> tensor<2x4x3xf32>
  %3 = pd.frame %x {frame_length = 4 : i64, hop_length = 2 : i64} : (tensor<2x8xf32>) -> tensor<2x4x3xf32>
  // CHECK: pd.overlap_add %{{.*}} -> tensor<2x8xf32>
  %4 = pd.overlap_add %3 {hop_length = 2 : i64} : (tensor<2x4x3xf32>) -> tensor<2x8xf32>
  // CHECK: pd.stft %{{.*}} -> tensor<2x3x3xcomplex<f32>>
  %5 = pd.stft %x, %w {hop_length = 2 : i64, n_fft = 4 : i64} : (tensor<2x8xf32>, tensor<4xf32>) -> tensor<2x3x3xcomplex<f32>>
  return
}
