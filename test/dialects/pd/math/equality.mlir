// RUN: proa-opt --canonicalize %s | FileCheck %s

// The tolerance is strict, and computed in the element type: the float32 below 1e-8 is nearer than 1e-8.
// CHECK-LABEL: func @folds
func.func @folds() -> (tensor<7xi1>, tensor<7xi1>, tensor<7xi1>) {
  %x = pd.constant dense<[0.0, 0.0, 0.0, 0x7F800000, 0x7F800000, 0x7FC00000, 1.0]> : tensor<7xf32>
  %y = pd.constant dense<[1.0e-9, 9.99999993922529e-9, 1.1e-8, 0x7F800000, 0xFF800000, 0x7FC00000, 1.0]> : tensor<7xf32>
  // CHECK-DAG: pd.constant dense<[true, true, false, true, false, false, true]>
  %0 = pd.equal %x, %y {tolerance = 1.0e-8} : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
  // CHECK-DAG: pd.constant dense<[false, false, true, false, true, true, false]>
  %1 = pd.not_equal %x, %y {tolerance = 1.0e-8} : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
  // Near miss: without a tolerance only equal elements are equal.
  // CHECK-DAG: pd.constant dense<[false, false, false, true, false, false, true]>
  %2 = pd.equal %x, %y : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xi1>
  return %0, %1, %2 : tensor<7xi1>, tensor<7xi1>, tensor<7xi1>
}

// CHECK-LABEL: func @prints
func.func @prints(%x: tensor<?xf64>, %y: tensor<?xf64>) -> (tensor<?xi1>, tensor<i1>) {
  // CHECK: pd.equal %{{.*}}, %{{.*}} {tolerance = 1.000000e-08 : f64}
  %0 = pd.equal %x, %y {tolerance = 1.0e-8} : (tensor<?xf64>, tensor<?xf64>) -> tensor<?xi1>
  // CHECK: pd.equal_all %{{.*}}, %{{.*}} {tolerance = 1.000000e-08 : f64}
  %1 = pd.equal_all %x, %y {tolerance = 1.0e-8} : (tensor<?xf64>, tensor<?xf64>) -> tensor<i1>
  return %0, %1 : tensor<?xi1>, tensor<i1>
}
