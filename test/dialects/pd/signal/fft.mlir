// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @fft_c2c
func.func @fft_c2c(%x: tensor<3x8xcomplex<f32>>) {
  // CHECK: pd.fft_c2c %{{.*}} {axes = array<i64: 1>} : (tensor<3x8xcomplex<f32>>) -> tensor<3x8xcomplex<f32>>
  %0 = pd.fft_c2c %x {axes = array<i64: 1>} : (tensor<3x8xcomplex<f32>>) -> tensor<3x8xcomplex<f32>>
  return
}

// CHECK-LABEL: func @fft_c2r
func.func @fft_c2r(%x: tensor<3x5xcomplex<f32>>) {
  // CHECK: pd.fft_c2r %{{.*}} {axes = array<i64: 1>, forward = false} : (tensor<3x5xcomplex<f32>>) -> tensor<3x8xf32>
  %0 = pd.fft_c2r %x {axes = array<i64: 1>, forward = false} : (tensor<3x5xcomplex<f32>>) -> tensor<3x8xf32>
  return
}

// CHECK-LABEL: func @fft_r2c
func.func @fft_r2c(%x: tensor<8xf32>) {
  // CHECK: pd.fft_r2c %{{.*}} {axes = array<i64: 0>} : (tensor<8xf32>) -> tensor<5xcomplex<f32>>
  %0 = pd.fft_r2c %x {axes = array<i64: 0>} : (tensor<8xf32>) -> tensor<5xcomplex<f32>>
  return
}

// CHECK-LABEL: func @transforms_uses
func.func @transforms_uses(%x: tensor<2x8xf32>, %c: tensor<2x5xcomplex<f32>>) {
  // CHECK: pd.fft_c2c %{{.*}} normalization = ortho {axes = array<i64: 0, 1>, forward = false}
  %0 = pd.fft_c2c %c normalization = ortho {axes = array<i64: 0, 1>, forward = false} : (tensor<2x5xcomplex<f32>>) -> tensor<2x5xcomplex<f32>>
  // CHECK: pd.fft_r2c %{{.*}} -> tensor<2x5xcomplex<f32>>
  %1 = pd.fft_r2c %x {axes = array<i64: -1>} : (tensor<2x8xf32>) -> tensor<2x5xcomplex<f32>>
  // CHECK: pd.fft_c2r %{{.*}} -> tensor<2x9xf32>
  %2 = pd.fft_c2r %c {axes = array<i64: 1>, last_dim_size = 9 : i64} : (tensor<2x5xcomplex<f32>>) -> tensor<2x9xf32>
  return
}
