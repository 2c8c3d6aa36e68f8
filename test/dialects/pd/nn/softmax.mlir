// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @fused_softmax_mask
func.func @fused_softmax_mask(%x: tensor<1x2xf64>, %mask: tensor<2xf64>) {
  // CHECK: pd.fused_softmax_mask %{{.*}}, %{{.*}} : (tensor<1x2xf64>, tensor<2xf64>) -> tensor<1x2xf64>
  %0 = pd.fused_softmax_mask %x, %mask : (tensor<1x2xf64>, tensor<2xf64>) -> tensor<1x2xf64>
  return
}

// CHECK-LABEL: func @log_softmax
func.func @log_softmax(%x: tensor<2x3x4xf64>) {
  // CHECK: pd.log_softmax %{{.*}} {axis = 1 : i64} : (tensor<2x3x4xf64>) -> tensor<2x3x4xf64>
  %0 = pd.log_softmax %x {axis = 1 : i64} : (tensor<2x3x4xf64>) -> tensor<2x3x4xf64>
  return
}

// CHECK-LABEL: func @softmax
func.func @softmax(%x: tensor<2xf32>) {
  // CHECK: pd.softmax %{{.*}} {axis = 0 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  %0 = pd.softmax %x {axis = 0} : (tensor<2xf32>) -> tensor<2xf32>
  return
}
