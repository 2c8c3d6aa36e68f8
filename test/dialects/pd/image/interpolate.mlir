// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @bicubic_interp
func.func @bicubic_interp(%a: tensor<1x2x4x5xf32>, %out_size: tensor<2xi32>) {
  // CHECK: pd.bicubic_interp %{{.*}} out_size = %{{.*}} {scale = array<f64: 2.000000e+00>} : (tensor<1x2x4x5xf32>, tensor<2xi32>) -> tensor<1x2x6x7xf32>
  %0 = pd.bicubic_interp %a out_size = %out_size {scale = array<f64: 2.0>} : (tensor<1x2x4x5xf32>, tensor<2xi32>) -> tensor<1x2x6x7xf32>
  return
}

// CHECK-LABEL: func @bilinear_interp
func.func @bilinear_interp(%x: tensor<1x2x4x5xf32>) {
  // CHECK: pd.bilinear_interp %{{.*}} {scale = array<f64: 2.000000e+00>} : (tensor<1x2x4x5xf32>) -> tensor<1x2x8x10xf32>
  %0 = pd.bilinear_interp %x {scale = array<f64: 2.0>} : (tensor<1x2x4x5xf32>) -> tensor<1x2x8x10xf32>
  return
}

// CHECK-LABEL: func @interpolate_gradient
func.func @interpolate_gradient(%x: tensor<1x2x4x4xf32>, %d: tensor<1x2x8x8xf32>) {
  // CHECK: pd.interpolate_gradient %{{.*}}, %{{.*}} interp_method = bilinear {out_h = 8 : i64, out_w = 8 : i64} : (tensor<1x2x4x4xf32>, tensor<1x2x8x8xf32>) -> tensor<1x2x4x4xf32>
  %0 = pd.interpolate_gradient %x, %d interp_method = bilinear {out_h = 8, out_w = 8} : (tensor<1x2x4x4xf32>, tensor<1x2x8x8xf32>) -> tensor<1x2x4x4xf32>
  return
}

// CHECK-LABEL: func @linear_interp
func.func @linear_interp(%x: tensor<4x2x8xf32>) {
  // CHECK: pd.linear_interp %{{.*}} {out_w = 16 : i64} : (tensor<4x2x8xf32>) -> tensor<4x2x16xf32>
  %0 = pd.linear_interp %x {out_w = 16 : i64} : (tensor<4x2x8xf32>) -> tensor<4x2x16xf32>
  return
}

// CHECK-LABEL: func @nearest_interp
func.func @nearest_interp(%x: tensor<1x2x4x5xf32>) {
  // CHECK: pd.nearest_interp %{{.*}} {align_corners = false, out_h = 7 : i64, out_w = 8 : i64} : (tensor<1x2x4x5xf32>) -> tensor<1x2x7x8xf32>
  %0 = pd.nearest_interp %x {out_h = 7, out_w = 8, align_corners = false} : (tensor<1x2x4x5xf32>) -> tensor<1x2x7x8xf32>
  return
}

// CHECK-LABEL: func @trilinear_interp
func.func @trilinear_interp(%x: tensor<1x2x3x4x5xf32>) {
  // CHECK: pd.trilinear_interp %{{.*}} {out_d = 4 : i64, out_h = 7 : i64, out_w = 3 : i64} : (tensor<1x2x3x4x5xf32>) -> tensor<1x2x4x7x3xf32>
  %0 = pd.trilinear_interp %x {out_d = 4 : i64, out_h = 7 : i64, out_w = 3 : i64} : (tensor<1x2x3x4x5xf32>) -> tensor<1x2x4x7x3xf32>
  return
}

// CHECK-LABEL: func @nn_uses
func.func @nn_uses(%v: tensor<1x2x4x4x4xf32>) {
  // CHECK: pd.trilinear_interp
  %3 = pd.trilinear_interp %v data_format = NCDHW {out_d = 8 : i64, out_h = 8 : i64, out_w = 8 : i64}
    : (tensor<1x2x4x4x4xf32>) -> tensor<1x2x8x8x8xf32>
  return
}
