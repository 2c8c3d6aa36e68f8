// RUN: proa-opt %s | proa-opt | FileCheck %s
// RUN: proa-opt %s --pd-decompose | FileCheck %s --check-prefix=DECOMPOSED

// CHECK-LABEL: @filled
// DECOMPOSED-LABEL: @filled
func.func @filled(%x: tensor<2x4x3xf32>, %y: tensor<2x3xf32>, %m: tensor<7x3xf32>) -> (tensor<2x4x3xf32>, tensor<7x3xf32>) {
  // Rows 1 to 3: elements 3, 7 and 11 of each matrix.
  // DECOMPOSED: pd.constant dense<{{\[\[}}3], [7], [11], [15], [19], [23]]>
  // DECOMPOSED: pd.scatter_nd
  // CHECK: pd.fill_diagonal_tensor
  %0 = pd.fill_diagonal_tensor %x, %y {dim1 = 1 : i64, dim2 = -1 : i64, offset = -1 : i64} : (tensor<2x4x3xf32>, tensor<2x3xf32>) -> tensor<2x4x3xf32>
  // CHECK: pd.fill_diagonal %
  %1 = pd.fill_diagonal %m {value = 2.0, wrap = true} : (tensor<7x3xf32>) -> tensor<7x3xf32>
  return %0, %1 : tensor<2x4x3xf32>, tensor<7x3xf32>
}
