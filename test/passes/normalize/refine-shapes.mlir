// RUN: proa-opt --pd-refine-shapes %s | FileCheck %s

// Types follow from the arguments' types.
// CHECK-LABEL: func @chain(%arg0: tensor<2x3xf32>) -> tensor<3x2xf32>
func.func @chain(%x: tensor<2x3xf32>) -> tensor<?x?xf32> {
  // CHECK: pd.relu %arg0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = pd.relu %x : (tensor<2x3xf32>) -> tensor<?x?xf32>
  // CHECK: pd.transpose {{.*}} -> tensor<3x2xf32>
  %1 = pd.transpose %0 {perm = array<i64: 1, 0>} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// Extents become constants, and arithmetic on them folds.
// CHECK-LABEL: func @extent
func.func @extent(%x: tensor<2x3xf32>) -> tensor<i64> {
  // CHECK-NEXT: pd.constant dense<5> : tensor<i64>
  // CHECK-NEXT: return
  %0 = pd.dim %x {index = 1} : (tensor<2x3xf32>) -> tensor<i64>
  %1 = pd.increment %0 {value = 2.0} : (tensor<i64>) -> tensor<i64>
  return %1 : tensor<i64>
}

// What is not known stays.
// CHECK-LABEL: func @open
func.func @open(%x: tensor<?x3xf32>) -> tensor<i64> {
  // CHECK: pd.dim
  %0 = pd.dim %x {index = 0} : (tensor<?x3xf32>) -> tensor<i64>
  return %0 : tensor<i64>
}
