// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @factors
func.func @factors(%x: tensor<2x3x5xf32>, %s: tensor<4x4xcomplex<f64>>, %r: tensor<4x4xf32>) {
  // CHECK: pd.cholesky %{{.*}} {upper = true}
  %0 = pd.cholesky %s {upper = true} : (tensor<4x4xcomplex<f64>>) -> tensor<4x4xcomplex<f64>>
  // CHECK: pd.lu %{{.*}} -> (tensor<2x3x5xf32>, tensor<2x3xi32>, tensor<2xi32>)
  %1:3 = pd.lu %x : (tensor<2x3x5xf32>) -> (tensor<2x3x5xf32>, tensor<2x3xi32>, tensor<2xi32>)
  // CHECK: pd.lu_unpack %{{.*}} -> (tensor<2x3x3xf32>, tensor<2x3x3xf32>, tensor<2x3x5xf32>)
  %2:3 = pd.lu_unpack %1#0, %1#1 : (tensor<2x3x5xf32>, tensor<2x3xi32>) -> (tensor<2x3x3xf32>, tensor<2x3x3xf32>, tensor<2x3x5xf32>)
  // CHECK: pd.lu_solve %{{.*}} trans = C
  %w:3 = pd.lu %s : (tensor<4x4xcomplex<f64>>) -> (tensor<4x4xcomplex<f64>>, tensor<4xi32>, tensor<1xi32>)
  %w3 = pd.lu_solve %s, %w#0, %w#1 trans = C : (tensor<4x4xcomplex<f64>>, tensor<4x4xcomplex<f64>>, tensor<4xi32>) -> tensor<4x4xcomplex<f64>>
  // CHECK: pd.lu_permutation
  %p = pd.lu_permutation %1#1 {dtype = f32, rows = 3 : i64} : (tensor<2x3xi32>) -> tensor<2x3x3xf32>
  // CHECK: pd.qr %{{.*}} mode = complete
  %3:2 = pd.qr %x mode = complete : (tensor<2x3x5xf32>) -> (tensor<2x3x3xf32>, tensor<2x3x5xf32>)
  // CHECK: pd.svd %{{.*}} {full_matrices = true}
  %4:3 = pd.svd %x {full_matrices = true} : (tensor<2x3x5xf32>) -> (tensor<2x3x3xf32>, tensor<2x3xf32>, tensor<2x5x5xf32>)
  // CHECK: pd.eigh %{{.*}} -> (tensor<4xf64>, tensor<4x4xcomplex<f64>>)
  %5:2 = pd.eigh %s : (tensor<4x4xcomplex<f64>>) -> (tensor<4xf64>, tensor<4x4xcomplex<f64>>)
  // CHECK: pd.eig %{{.*}} -> (tensor<4xcomplex<f32>>, tensor<4x4xcomplex<f32>>)
  %6:2 = pd.eig %r : (tensor<4x4xf32>) -> (tensor<4xcomplex<f32>>, tensor<4x4xcomplex<f32>>)
  // CHECK: pd.eigvals
  %7 = pd.eigvals %r : (tensor<4x4xf32>) -> tensor<4xcomplex<f32>>
  return
}
