// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @all
func.func @all(%x: tensor<3x4xi1>) {
  // CHECK: pd.all %{{.*}} {axis = array<i64: 1>} : (tensor<3x4xi1>) -> tensor<3xi1>
  %0 = pd.all %x {axis = array<i64: 1>} : (tensor<3x4xi1>) -> tensor<3xi1>
  return
}

// CHECK-LABEL: func @amax
func.func @amax(%x: tensor<2x3x4xf64>) {
  // CHECK: pd.amax %{{.*}} {axis = array<i64: 1>} : (tensor<2x3x4xf64>) -> tensor<2x4xf64>
  %0 = pd.amax %x {axis = array<i64: 1>, keepdim = false} : (tensor<2x3x4xf64>) -> tensor<2x4xf64>
  return
}

// CHECK-LABEL: func @amin
func.func @amin(%x: tensor<2x3x4xf64>) {
  // CHECK: pd.amin %{{.*}} {axis = array<i64: 1>} : (tensor<2x3x4xf64>) -> tensor<2x4xf64>
  %0 = pd.amin %x {axis = array<i64: 1>, keepdim = false} : (tensor<2x3x4xf64>) -> tensor<2x4xf64>
  return
}

// CHECK-LABEL: func @any
func.func @any(%x: tensor<3x4xi1>) {
  // CHECK: pd.any %{{.*}} {axis = array<i64: 0>} : (tensor<3x4xi1>) -> tensor<4xi1>
  %0 = pd.any %x {axis = array<i64: 0>} : (tensor<3x4xi1>) -> tensor<4xi1>
  return
}

// CHECK-LABEL: func @max
func.func @max(%x: tensor<2x3xf32>) {
  // CHECK: pd.max %{{.*}} {axis = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2xf32>
  %0 = pd.max %x {axis = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// CHECK-LABEL: func @mean_all
func.func @mean_all(%x: tensor<3x4xf32>) {
  // CHECK: pd.mean_all %{{.*}} : (tensor<3x4xf32>) -> tensor<f32>
  %0 = pd.mean_all %x : (tensor<3x4xf32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func @mean
func.func @mean(%x: tensor<1x4x8x8xf32>) {
  // CHECK: pd.mean %{{.*}} {axis = array<i64: 2, 3>} : (tensor<1x4x8x8xf32>) -> tensor<1x4xf32>
  %0 = pd.mean %x {axis = array<i64: 2, 3>} : (tensor<1x4x8x8xf32>) -> tensor<1x4xf32>
  return
}

// CHECK-LABEL: func @min
func.func @min(%x: tensor<2x3x4xf64>) {
  // CHECK: pd.min %{{.*}} {axis = array<i64: 1>} : (tensor<2x3x4xf64>) -> tensor<2x4xf64>
  %0 = pd.min %x {axis = array<i64: 1>, keepdim = false} : (tensor<2x3x4xf64>) -> tensor<2x4xf64>
  return
}

// CHECK-LABEL: func @prod
func.func @prod(%x: tensor<3x4xf64>) {
  // CHECK: pd.prod %{{.*}} {axis = array<i64: 1>} : (tensor<3x4xf64>) -> tensor<3xf64>
  %0 = pd.prod %x {axis = array<i64: 1>} : (tensor<3x4xf64>) -> tensor<3xf64>
  return
}

// CHECK-LABEL: func @sum
func.func @sum(%x: tensor<2x4xf32>) {
  // CHECK: pd.sum %{{.*}} {axis = array<i64: -1>} : (tensor<2x4xf32>) -> tensor<2xf32>
  %0 = pd.sum %x {axis = array<i64: -1>} : (tensor<2x4xf32>) -> tensor<2xf32>
  return
}
