// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @assign
func.func @assign(%x: tensor<i1>) {
  // CHECK: pd.assign %{{.*}} : (tensor<i1>) -> tensor<i1>
  %0 = pd.assign %x : (tensor<i1>) -> tensor<i1>
  return
}

// CHECK-LABEL: func @dim
func.func @dim(%x: tensor<2x3xf32>) {
  // CHECK: pd.dim %{{.*}} {index = 1 : i64} : (tensor<2x3xf32>) -> tensor<i64>
  %0 = pd.dim %x {index = 1} : (tensor<2x3xf32>) -> tensor<i64>
  return
}

// CHECK-LABEL: func @expand_as
func.func @expand_as(%x: tensor<1x3xf32>, %y: tensor<4x3xf32>) {
  // CHECK: pd.expand_as %{{.*}}, %{{.*}} {target_shape = array<i64: 4, 3>} : (tensor<1x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %0 = pd.expand_as %x, %y {target_shape = array<i64: 4, 3>} : (tensor<1x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}

// CHECK-LABEL: func @expand
func.func @expand(%x: tensor<1xi32>) {
  // CHECK: pd.expand %{{.*}} {shape = array<i64: 3, 4>} : (tensor<1xi32>) -> tensor<3x4xi32>
  %0 = pd.expand %x {shape = array<i64: 3, 4>} : (tensor<1xi32>) -> tensor<3x4xi32>
  return
}

// CHECK-LABEL: func @is_empty
func.func @is_empty(%x: tensor<3xf32>) {
  // CHECK: pd.is_empty %{{.*}} : (tensor<3xf32>) -> tensor<i1>
  %0 = pd.is_empty %x : (tensor<3xf32>) -> tensor<i1>
  return
}

// CHECK-LABEL: func @numel
func.func @numel(%x: tensor<2x3xf32>) {
  // CHECK: pd.numel %{{.*}} : (tensor<2x3xf32>) -> tensor<i64>
  %0 = pd.numel %x : (tensor<2x3xf32>) -> tensor<i64>
  return
}

// CHECK-LABEL: func @reshape
func.func @reshape(%x: tensor<1xi1>) {
  // CHECK: pd.reshape %{{.*}} : (tensor<1xi1>) -> tensor<i1>
  %0 = pd.reshape %x {shape = array<i64>} : (tensor<1xi1>) -> tensor<i1>
  return
}

// CHECK-LABEL: func @shape
func.func @shape(%x: tensor<2x3x5xf32>) {
  // CHECK: pd.shape %{{.*}} : (tensor<2x3x5xf32>) -> tensor<3xi32>
  %0 = pd.shape %x : (tensor<2x3x5xf32>) -> tensor<3xi32>
  return
}

// CHECK-LABEL: func @transpose
func.func @transpose(%x: tensor<2x3xf32>) {
  // CHECK: pd.transpose %{{.*}} {perm = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %0 = pd.transpose %x {perm = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// CHECK-LABEL: func @shape_uses
func.func @shape_uses(%x: tensor<2x3xf32>) {
  // CHECK: pd.numel
  %3 = pd.numel %x : (tensor<2x3xf32>) -> tensor<i64>
  // CHECK: pd.dim %{{.*}} {index = 1 : i64}
  %4 = pd.dim %x {index = 1 : i64} : (tensor<2x3xf32>) -> tensor<i64>
  return
}
