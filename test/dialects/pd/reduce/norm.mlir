// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @dist
func.func @dist(%x: tensor<3x4xf32>, %y: tensor<3x4xf32>) {
  // CHECK: pd.dist %{{.*}}, %{{.*}} {p = 0x7FF0000000000000 : f64} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<f32>
  %0 = pd.dist %x, %y {p = 0x7FF0000000000000 : f64} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func @frobenius_norm
func.func @frobenius_norm(%x: tensor<2x3xf32>) {
  // CHECK: pd.frobenius_norm %{{.*}} {axis = array<i64: 1>, keepdim = true} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  %0 = pd.frobenius_norm %x {axis = array<i64: 1>, keepdim = true} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  return
}

// CHECK-LABEL: func @l1_norm
func.func @l1_norm(%x: tensor<2x3xf32>) {
  // CHECK: pd.l1_norm %{{.*}} : (tensor<2x3xf32>) -> tensor<f32>
  %0 = pd.l1_norm %x : (tensor<2x3xf32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func @logsumexp
func.func @logsumexp(%x: tensor<2x3x4xf64>) {
  // CHECK: pd.logsumexp %{{.*}} {axis = array<i64: 1>} : (tensor<2x3x4xf64>) -> tensor<2x4xf64>
  %0 = pd.logsumexp %x {axis = array<i64: 1>, keepdim = false} : (tensor<2x3x4xf64>) -> tensor<2x4xf64>
  return
}

// CHECK-LABEL: func @p_norm
func.func @p_norm(%x: tensor<3x4xf64>) {
  // CHECK: pd.p_norm %{{.*}} {axis = 1 : i64, porder = 3.000000e+00 : f64} : (tensor<3x4xf64>) -> tensor<3xf64>
  %0 = pd.p_norm %x {porder = 3.0, axis = 1 : i64} : (tensor<3x4xf64>) -> tensor<3xf64>
  return
}

// CHECK-LABEL: func @renorm
func.func @renorm(%x: tensor<3x4x2xf32>) {
  // CHECK: pd.renorm %{{.*}} {axis = 0 : i64, max_norm = 1.000000e+00 : f64, p = 2.000000e+00 : f64} : (tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
  %0 = pd.renorm %x {axis = 0 : i64, max_norm = 1.000000e+00 : f64, p = 2.000000e+00 : f64} : (tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
  return
}

// CHECK-LABEL: func @trace
func.func @trace(%x: tensor<2x3xf32>) {
  // CHECK: pd.trace %{{.*}} {offset = 1 : i64} : (tensor<2x3xf32>) -> tensor<f32>
  %0 = pd.trace %x {offset = 1 : i64} : (tensor<2x3xf32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func @reduce_uses
func.func @reduce_uses(%x: tensor<2x3xf32>) {
  // CHECK: pd.l1_norm
  %0 = pd.l1_norm %x : (tensor<2x3xf32>) -> tensor<f32>
  // CHECK: pd.frobenius_norm %{{.*}} {axis = array<i64: 1>, keepdim = true}
  %1 = pd.frobenius_norm %x {axis = array<i64: 1>, keepdim = true} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  // CHECK: pd.trace %{{.*}} {offset = 1 : i64}
  %2 = pd.trace %x {offset = 1 : i64} : (tensor<2x3xf32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func @clip_by_norm
func.func @clip_by_norm(%x: tensor<2xf64>) {
  // CHECK: pd.clip_by_norm %{{.*}} {max_norm = 2.500000e+00 : f64} : (tensor<2xf64>) -> tensor<2xf64>
  %0 = pd.clip_by_norm %x {max_norm = 2.5} : (tensor<2xf64>) -> tensor<2xf64>
  return
}

// CHECK-LABEL: func @squared_l2_norm
func.func @squared_l2_norm(%x: tensor<2xf64>) {
  // CHECK: pd.squared_l2_norm %{{.*}} : (tensor<2xf64>) -> tensor<1xf64>
  %0 = pd.squared_l2_norm %x : (tensor<2xf64>) -> tensor<1xf64>
  return
}
