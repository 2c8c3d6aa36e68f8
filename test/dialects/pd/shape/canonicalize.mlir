// RUN: proa-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: @shape_operand_with_one_open_extent
func.func @shape_operand_with_one_open_extent(%x: tensor<?x6xf32>) -> tensor<?x2x3xf32> {
  %shape = pd.shape %x : (tensor<?x6xf32>) -> tensor<2xi32>
  %first = pd.slice %shape {axes = array<i64: 0>, starts = array<i64: 0>, ends = array<i64: 1>} : (tensor<2xi32>) -> tensor<1xi32>
  %rest = pd.constant dense<[2, 3]> : tensor<2xi32>
  %dims = pd.concat %first, %rest {axis = 0 : i64} : (tensor<1xi32>, tensor<2xi32>) -> tensor<3xi32>
  // CHECK: pd.reshape %{{[a-z0-9]+}} {shape = array<i64: -1, 2, 3>} : (tensor<?x6xf32>)
  %out = pd.reshape %x, %dims : (tensor<?x6xf32>, tensor<3xi32>) -> tensor<?x2x3xf32>
  return %out : tensor<?x2x3xf32>
}

// CHECK-LABEL: @two_open_extents_stay
func.func @two_open_extents_stay(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK: pd.shape
  // CHECK: pd.reshape %{{[a-z0-9]+}}, %
  %shape = pd.shape %y : (tensor<?x?xf32>) -> tensor<2xi32>
  %out = pd.reshape %x, %shape : (tensor<?x?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %out : tensor<?x?xf32>
}

// CHECK-LABEL: @slice_bounds
func.func @slice_bounds(%x: tensor<?x8xf32>) -> tensor<?x3xf32> {
  // CHECK-NOT: pd.constant
  // CHECK: pd.slice %arg0 {axes = array<i64: 1>, ends = array<i64: 5>, starts = array<i64: 2>}
  %start = pd.constant dense<2> : tensor<1xi64>
  %end = pd.constant dense<5> : tensor<1xi64>
  %out = pd.slice %x starts = %start ends = %end {axes = array<i64: 1>} : (tensor<?x8xf32>, tensor<1xi64>, tensor<1xi64>) -> tensor<?x3xf32>
  return %out : tensor<?x3xf32>
}

// CHECK-LABEL: @identities
func.func @identities(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // CHECK-NEXT: return %arg0
  %0 = pd.reshape %x {shape = array<i64: 3, 2>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = pd.reshape %0 {shape = array<i64: 2, 3>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %2 = pd.transpose %1 {perm = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %3 = pd.transpose %2 {perm = array<i64: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %4 = pd.slice %3 {axes = array<i64: 0>, starts = array<i64: 0>, ends = array<i64: 9>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = pd.assign %4 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %6 = pd.tile %5 {repeat_times = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %6 : tensor<2x3xf32>
}

// Near miss: a full slice with a negative stride is not an identity.
// CHECK-LABEL: @backwards
func.func @backwards(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: pd.slice
  %0 = pd.slice %x {axes = array<i64: 0>, starts = array<i64: 3>, ends = array<i64: -1>, strides = array<i64: -1>} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
