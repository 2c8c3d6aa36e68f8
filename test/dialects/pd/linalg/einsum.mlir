// RUN: proa-opt %s --pd-decompose="target=cpu" --canonicalize | FileCheck %s

// An outer product has nothing to contract.
// CHECK-LABEL: @outer
// CHECK: %[[X:.*]] = pd.reshape %arg0 {shape = array<i64: {{-1|0}}, 1>}
// CHECK: pd.multiply %[[X]], %{{.*}} -> tensor<?x2xf32>
func.func @outer(%x: tensor<?xf32>, %y: tensor<2xf32>) -> tensor<?x2xf32> {
  %0 = pd.einsum %x, %y {equation = "i,j->ij"} : (tensor<?xf32>, tensor<2xf32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// CHECK-LABEL: @matrix_product
// CHECK-NEXT: pd.matmul %arg0, %arg1 : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
// CHECK-NEXT: return
func.func @matrix_product(%x: tensor<3x4xf32>, %y: tensor<4x5xf32>) -> tensor<3x5xf32> {
  %0 = pd.einsum %x, %y {equation = "ij, jk -> ik"} : (tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// CHECK-LABEL: @attention_scores
// CHECK-DAG: %[[Q:.*]] = pd.transpose %arg0 {perm = array<i64: 0, 2, 1, 3>}
// CHECK-DAG: %[[K:.*]] = pd.transpose %arg1 {perm = array<i64: 0, 2, 3, 1>}
// CHECK-DAG: pd.matmul
// CHECK: return %{{.*}} : tensor<2x4x5x7xf32>
func.func @attention_scores(%q: tensor<2x5x4x8xf32>, %k: tensor<2x7x4x8xf32>) -> tensor<2x4x5x7xf32> {
  %0 = pd.einsum %q, %k {equation = "bqhd,bkhd->bhqk"} : (tensor<2x5x4x8xf32>, tensor<2x7x4x8xf32>) -> tensor<2x4x5x7xf32>
  return %0 : tensor<2x4x5x7xf32>
}

// CHECK-LABEL: @sum_of_rows
// CHECK: pd.sum %arg0 {axis = array<i64: 0>
func.func @sum_of_rows(%x: tensor<3x4xf32>) -> tensor<4xf32> {
  %0 = pd.einsum %x {equation = "ij->j"} : (tensor<3x4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Without an arrow the labels that occur once remain, in the order of the alphabet.
// CHECK-LABEL: @implicit
// CHECK: pd.transpose
// CHECK: return %{{.*}} : tensor<4x3xf32>
func.func @implicit(%x: tensor<3x4xf32>) -> tensor<4x3xf32> {
  %0 = pd.einsum %x {equation = "ba"} : (tensor<3x4xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// CHECK-LABEL: @ellipsis
// CHECK: return %{{.*}} : tensor<2x6x3x5xf32>
func.func @ellipsis(%x: tensor<2x6x3x4xf32>, %y: tensor<6x4x5xf32>) -> tensor<2x6x3x5xf32> {
  %0 = pd.einsum %x, %y {equation = "...ij,...jk->...ik"} : (tensor<2x6x3x4xf32>, tensor<6x4x5xf32>) -> tensor<2x6x3x5xf32>
  return %0 : tensor<2x6x3x5xf32>
}
