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
