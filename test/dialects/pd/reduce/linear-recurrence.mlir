// RUN: proa-opt %s | FileCheck %s
// RUN: proa-opt %s --canonicalize | FileCheck %s --check-prefix=FOLD

// CHECK: pd.linear_recurrence %arg0, %arg1 {axis = 1 : i64, reverse = true} : (tensor<2x?xf64>, tensor<2x?xf64>) -> tensor<2x?xf64>
func.func @f(%x: tensor<2x?xf64>, %decay: tensor<2x?xf64>) -> tensor<2x?xf64> {
  %y = pd.linear_recurrence %x, %decay {axis = 1 : i64, reverse = true} : (tensor<2x?xf64>, tensor<2x?xf64>) -> tensor<2x?xf64>
  return %y : tensor<2x?xf64>
}

// 1, 2 + 3 * 1, 4 + 0.5 * 5; the other way round 4, 2 + 3 * 4, 1 + 9 * 14
// FOLD-LABEL: func @constants(
// FOLD-DAG: dense<[1.000000e+00, 5.000000e+00, 6.500000e+00]>
// FOLD-DAG: dense<[1.270000e+02, 1.400000e+01, 4.000000e+00]>
func.func @constants() -> (tensor<3xf32>, tensor<3xf32>) {
  %x = pd.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
  %decay = pd.constant dense<[9.0, 3.0, 0.5]> : tensor<3xf32>
  %y = pd.linear_recurrence %x, %decay {axis = 0 : i64} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %z = pd.linear_recurrence %x, %decay {axis = 0 : i64, reverse = true} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %y, %z : tensor<3xf32>, tensor<3xf32>
}
