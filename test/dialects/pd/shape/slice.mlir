// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @crop
func.func @crop(%x: tensor<4x4xf32>) {
  // CHECK: pd.crop %{{.*}} {offsets = array<i64: 1, 1>, shape = array<i64: 2, 2>} : (tensor<4x4xf32>) -> tensor<2x2xf32>
  %0 = pd.crop %x {offsets = array<i64: 1, 1>, shape = array<i64: 2, 2>} : (tensor<4x4xf32>) -> tensor<2x2xf32>
  return
}

// CHECK-LABEL: func @flip
func.func @flip(%x: tensor<3x2xf32>) {
  // CHECK: pd.flip %{{.*}} {axis = array<i64: 0>} : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %0 = pd.flip %x {axis = array<i64: 0>} : (tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// CHECK-LABEL: func @roll
func.func @roll(%x: tensor<3x4xf32>) {
  // CHECK: pd.roll %{{.*}} {axis = array<i64: 0, 1>, shifts = array<i64: 1, -1>} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %0 = pd.roll %x {axis = array<i64: 0, 1>, shifts = array<i64: 1, -1>} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// CHECK-LABEL: func @slice
func.func @slice(%x: tensor<2x3xf32>) {
  // CHECK: pd.slice %{{.*}} {axes = array<i64: 0>, ends = array<i64: 9>, starts = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = pd.slice %x {axes = array<i64: 0>, starts = array<i64: 0>, ends = array<i64: 9>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func @split
func.func @split(%x: tensor<6x2xf32>) {
  // CHECK: pd.split %{{.*}} {num = 3 : i64} : (tensor<6x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>)
  %0:3 = pd.split %x {num = 3 : i64} : (tensor<6x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>)
  return
}

// CHECK-LABEL: func @unbind
func.func @unbind(%x: tensor<2x3xf32>) {
  // CHECK: pd.unbind %{{.*}} {num = 2 : i64} : (tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %0:2 = pd.unbind %x {num = 2 : i64} : (tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  return
}
