// RUN: proa-opt %s | proa-opt | FileCheck %s --check-prefix=SAME
// RUN: proa-opt %s --pd-decompose="target=cpu" --canonicalize | FileCheck %s

// SAME-LABEL: @matmul
// SAME: pd.matmul %{{.*}}, %{{.*}} {transpose_y = true} : (tensor<2x3x4xf32>, tensor<5x4xf32>) -> tensor<2x3x5xf32>
// CHECK-LABEL: @matmul
// CHECK: pd.matmul
func.func @matmul(%x: tensor<2x3x4xf32>, %y: tensor<5x4xf32>) -> tensor<2x3x5xf32> {
  %0 = pd.matmul %x, %y {transpose_y = true} : (tensor<2x3x4xf32>, tensor<5x4xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

// CHECK-LABEL: @matmul_of_vectors
func.func @matmul_of_vectors(%x: tensor<4xf32>, %y: tensor<4xf32>, %z: tensor<?x4x?xf32>) -> (tensor<f32>, tensor<?x?xf32>) {
  %0 = pd.matmul %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  %1 = pd.matmul %x, %z : (tensor<4xf32>, tensor<?x4x?xf32>) -> tensor<?x?xf32>
  return %0, %1 : tensor<f32>, tensor<?x?xf32>
}

// With one column dimension the rows stay as they are, known or not.
// CHECK-LABEL: @flatten_rows_stay
// CHECK-NEXT: %[[P:.*]] = pd.matmul %arg0, %arg1 : (tensor<?x?x8xf32>, tensor<8x6xf32>) -> tensor<?x?x6xf32>
// CHECK-NEXT: return %[[P]]
func.func @flatten_rows_stay(%x: tensor<?x?x8xf32>, %y: tensor<8x6xf32>) -> tensor<?x?x6xf32> {
  %0 = pd.matmul_with_flatten %x, %y {x_num_col_dims = 2} : (tensor<?x?x8xf32>, tensor<8x6xf32>) -> tensor<?x?x6xf32>
  return %0 : tensor<?x?x6xf32>
}

// CHECK-LABEL: @flatten_columns
// CHECK: %[[X:.*]] = pd.reshape %arg0 {shape = array<i64: 4, 16>}
// CHECK: pd.matmul %[[X]], %arg1 : (tensor<4x16xf32>, tensor<16x3xf32>) -> tensor<4x3xf32>
func.func @flatten_columns(%x: tensor<4x4x2x2xf32>, %y: tensor<16x3xf32>) -> tensor<4x3xf32> {
  %0 = pd.matmul_with_flatten %x, %y : (tensor<4x4x2x2xf32>, tensor<16x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// CHECK-LABEL: @bmm_mv
// CHECK: pd.matmul %arg0, %arg1 : (tensor<2x3x4xbf16>, tensor<2x4x5xbf16>) -> tensor<2x3x5xbf16>
// CHECK: pd.matmul %arg2, %arg3 : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>
func.func @bmm_mv(%x: tensor<2x3x4xbf16>, %y: tensor<2x4x5xbf16>, %m: tensor<3x4xf32>, %v: tensor<4xf32>) -> (tensor<2x3x5xbf16>, tensor<3xf32>) {
  %0 = pd.bmm %x, %y : (tensor<2x3x4xbf16>, tensor<2x4x5xbf16>) -> tensor<2x3x5xbf16>
  %1 = pd.mv %m, %v : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3xf32>
  return %0, %1 : tensor<2x3x5xbf16>, tensor<3xf32>
}

// CHECK-LABEL: @dot
// CHECK: %[[P:.*]] = pd.multiply %arg0, %arg1
// CHECK: pd.sum %[[P]] {axis = array<i64: 1>
func.func @dot(%x: tensor<3x4xf32>, %y: tensor<3x4xf32>) -> tensor<3xf32> {
  %0 = pd.dot %x, %y : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: @addmm
// CHECK-DAG: pd.multiply %arg0, %{{.*}} : (tensor<5xf32>, tensor<f32>)
// CHECK-DAG: %[[P:.*]] = pd.matmul %arg1, %arg2
// CHECK-DAG: pd.multiply %[[P]], %{{.*}} : (tensor<3x5xf32>, tensor<f32>)
// CHECK: pd.add
func.func @addmm(%i: tensor<5xf32>, %x: tensor<3x4xf32>, %y: tensor<4x5xf32>) -> tensor<3x5xf32> {
  %0 = pd.addmm %i, %x, %y {beta = 0.5, alpha = 2.0} : (tensor<5xf32>, tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// The reference evaluator: 1*3 + 2*4, and [1, 2] on both rows of the transposed [[1, 2], [3, 4]].
// CHECK-LABEL: @folded
func.func @folded() -> (tensor<f32>, tensor<2xf32>) {
  // CHECK-NOT: pd.matmul
  %a = pd.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %b = pd.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %m = pd.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  // CHECK-DAG: dense<1.100000e+01> : tensor<f32>
  %0 = pd.matmul %a, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<f32>
  // CHECK-DAG: dense<[5.000000e+00, 1.100000e+01]> : tensor<2xf32>
  %1 = pd.matmul %a, %m {transpose_y = true} : (tensor<2xf32>, tensor<2x2xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<f32>, tensor<2xf32>
}

// SAME-LABEL: func @baddbmm
func.func @baddbmm(%input: tensor<2x4x4xf32>, %x: tensor<2x4x5xf32>, %y: tensor<2x5x4xf32>) {
  // SAME: pd.baddbmm %{{.*}}, %{{.*}}, %{{.*}} {alpha = 5.000000e-01 : f64} : (tensor<2x4x4xf32>, tensor<2x4x5xf32>, tensor<2x5x4xf32>) -> tensor<2x4x4xf32>
  %0 = pd.baddbmm %input, %x, %y {alpha = 0.5 : f64} : (tensor<2x4x4xf32>, tensor<2x4x5xf32>, tensor<2x5x4xf32>) -> tensor<2x4x4xf32>
  return
}

// SAME-LABEL: func @bilinear
func.func @bilinear(%x: tensor<1x2xf64>, %y: tensor<1x2xf64>, %weight: tensor<1x2x2xf64>, %bias: tensor<1xf64>) {
  // SAME: pd.bilinear %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<1x2xf64>, tensor<1x2xf64>, tensor<1x2x2xf64>, tensor<1xf64>) -> tensor<1x1xf64>
  %0 = pd.bilinear %x, %y, %weight, %bias : (tensor<1x2xf64>, tensor<1x2xf64>, tensor<1x2x2xf64>, tensor<1xf64>) -> tensor<1x1xf64>
  return
}

// SAME-LABEL: func @einsum
func.func @einsum(%x: tensor<3x4xf32>) {
  // SAME: pd.einsum %{{.*}} {equation = "ba"} : (tensor<3x4xf32>) -> tensor<4x3xf32>
  %0 = pd.einsum %x {equation = "ba"} : (tensor<3x4xf32>) -> tensor<4x3xf32>
  return
}

// SAME-LABEL: func @fusion_squared_mat_sub
func.func @fusion_squared_mat_sub(%x: tensor<1x2xf64>, %y: tensor<2x1xf64>) {
  // SAME: pd.fusion_squared_mat_sub %{{.*}}, %{{.*}} {scalar = 5.000000e-01 : f64} : (tensor<1x2xf64>, tensor<2x1xf64>) -> (tensor<1x2xf64>, tensor<2x1xf64>, tensor<1x1xf64>, tensor<1x1xf64>)
  %0:4 = pd.fusion_squared_mat_sub %x, %y {scalar = 0.5} : (tensor<1x2xf64>, tensor<2x1xf64>) -> (tensor<1x2xf64>, tensor<2x1xf64>, tensor<1x1xf64>, tensor<1x1xf64>)
  return
}

// SAME-LABEL: func @multi_dot
func.func @multi_dot(%x: tensor<10x10xf32>, %b: tensor<10x10xf32>, %c: tensor<10xf32>) {
  // SAME: pd.multi_dot %{{.*}}, %{{.*}}, %{{.*}} : (tensor<10x10xf32>, tensor<10x10xf32>, tensor<10xf32>) -> tensor<10xf32>
  %0 = pd.multi_dot %x, %b, %c : (tensor<10x10xf32>, tensor<10x10xf32>, tensor<10xf32>) -> tensor<10xf32>
  return
}

// SAME-LABEL: func @nn_uses
func.func @nn_uses(%b: tensor<2x4x5xf32>, %m: tensor<2x5x4xf32>, %a: tensor<2x4x4xf32>) {
  // SAME: pd.baddbmm %{{.*}} {alpha = 5.000000e-01 : f64}
  %1 = pd.baddbmm %a, %b, %m {alpha = 0.5 : f64} : (tensor<2x4x4xf32>, tensor<2x4x5xf32>, tensor<2x5x4xf32>) -> tensor<2x4x4xf32>
  return
}

// SAME-LABEL: func @fsp
func.func @fsp(%x: tensor<2x3x4x5xf32>) {
  // SAME: pd.fsp {{.*}} -> tensor<2x3x3xf32>
  %0 = pd.fsp %x, %x : (tensor<2x3x4x5xf32>, tensor<2x3x4x5xf32>) -> tensor<2x3x3xf32>
  return
}
