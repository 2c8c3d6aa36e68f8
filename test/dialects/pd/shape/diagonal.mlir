// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @diag_embed
func.func @diag_embed(%x: tensor<2x3xf32>) {
  // CHECK: pd.diag_embed %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3x3xf32>
  %0 = pd.diag_embed %x : (tensor<2x3xf32>) -> tensor<2x3x3xf32>
  return
}

// CHECK-LABEL: func @diag
func.func @diag(%x: tensor<?xf32>) {
  // CHECK: pd.diag %{{.*}} {offset = 1 : i64} : (tensor<?xf32>) -> tensor<?x?xf32>
  %0 = pd.diag %x {offset = 1 : i64} : (tensor<?xf32>) -> tensor<?x?xf32>
  return
}

// CHECK-LABEL: func @diagonal
func.func @diagonal(%x: tensor<3x4x2xf32>) {
  // CHECK: pd.diagonal %{{.*}} {offset = 1 : i64} : (tensor<3x4x2xf32>) -> tensor<2x3xf32>
  %0 = pd.diagonal %x {offset = 1 : i64} : (tensor<3x4x2xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func @tril
func.func @tril(%x: tensor<3x4xf32>) {
  // CHECK: pd.tril %{{.*}} {diagonal = 1 : i64} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %0 = pd.tril %x {diagonal = 1} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// CHECK-LABEL: func @triu
func.func @triu(%x: tensor<3x4xf32>) {
  // CHECK: pd.triu %{{.*}} {diagonal = -1 : i64} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %0 = pd.triu %x {diagonal = -1} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}
