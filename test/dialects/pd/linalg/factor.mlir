// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @cholesky
func.func @cholesky(%x: tensor<4x4xcomplex<f64>>) {
  // CHECK: pd.cholesky %{{.*}} {upper = true} : (tensor<4x4xcomplex<f64>>) -> tensor<4x4xcomplex<f64>>
  %0 = pd.cholesky %x {upper = true} : (tensor<4x4xcomplex<f64>>) -> tensor<4x4xcomplex<f64>>
  return
}

// CHECK-LABEL: func @eig
func.func @eig(%x: tensor<4x4xf32>) {
  // CHECK: pd.eig %{{.*}} : (tensor<4x4xf32>) -> (tensor<4xcomplex<f32>>, tensor<4x4xcomplex<f32>>)
  %0:2 = pd.eig %x : (tensor<4x4xf32>) -> (tensor<4xcomplex<f32>>, tensor<4x4xcomplex<f32>>)
  return
}

// CHECK-LABEL: func @eigh
func.func @eigh(%x: tensor<3x3xf32>) {
  // CHECK: pd.eigh %{{.*}} : (tensor<3x3xf32>) -> (tensor<3xf32>, tensor<3x3xf32>)
  %0:2 = pd.eigh %x : (tensor<3x3xf32>) -> (tensor<3xf32>, tensor<3x3xf32>)
  return
}

// CHECK-LABEL: func @eigvals
func.func @eigvals(%x: tensor<4x4xf32>) {
  // CHECK: pd.eigvals %{{.*}} : (tensor<4x4xf32>) -> tensor<4xcomplex<f32>>
  %0 = pd.eigvals %x : (tensor<4x4xf32>) -> tensor<4xcomplex<f32>>
  return
}

// CHECK-LABEL: func @lu
func.func @lu(%x: tensor<2x3x5xf32>) {
  // CHECK: pd.lu %{{.*}} : (tensor<2x3x5xf32>) -> (tensor<2x3x5xf32>, tensor<2x3xi32>, tensor<2xi32>)
  %0:3 = pd.lu %x : (tensor<2x3x5xf32>) -> (tensor<2x3x5xf32>, tensor<2x3xi32>, tensor<2xi32>)
  return
}

// CHECK-LABEL: func @lu_permutation
func.func @lu_permutation(%pivots: tensor<2x3xi32>) {
  // CHECK: pd.lu_permutation %{{.*}} {dtype = f32, rows = 3 : i64} : (tensor<2x3xi32>) -> tensor<2x3x3xf32>
  %0 = pd.lu_permutation %pivots {dtype = f32, rows = 3 : i64} : (tensor<2x3xi32>) -> tensor<2x3x3xf32>
  return
}

// CHECK-LABEL: func @lu_unpack
func.func @lu_unpack(%x: tensor<2x3x5xf32>, %pivots: tensor<2x3xi32>) {
  // CHECK: pd.lu_unpack %{{.*}}, %{{.*}} : (tensor<2x3x5xf32>, tensor<2x3xi32>) -> (tensor<2x3x3xf32>, tensor<2x3x3xf32>, tensor<2x3x5xf32>)
  %0:3 = pd.lu_unpack %x, %pivots : (tensor<2x3x5xf32>, tensor<2x3xi32>) -> (tensor<2x3x3xf32>, tensor<2x3x3xf32>, tensor<2x3x5xf32>)
  return
}

// CHECK-LABEL: func @qr
func.func @qr(%x: tensor<4x3xf64>) {
  // CHECK: pd.qr %{{.*}} mode = r : (tensor<4x3xf64>) -> (tensor<0xf64>, tensor<3x3xf64>)
  %0:2 = pd.qr %x mode = r : (tensor<4x3xf64>) -> (tensor<0xf64>, tensor<3x3xf64>)
  return
}

// CHECK-LABEL: func @svd
func.func @svd(%x: tensor<2x3x5xf32>) {
  // CHECK: pd.svd %{{.*}} {full_matrices = true} : (tensor<2x3x5xf32>) -> (tensor<2x3x3xf32>, tensor<2x3xf32>, tensor<2x5x5xf32>)
  %0:3 = pd.svd %x {full_matrices = true} : (tensor<2x3x5xf32>) -> (tensor<2x3x3xf32>, tensor<2x3xf32>, tensor<2x5x5xf32>)
  return
}

// CHECK-LABEL: func @svdvals
func.func @svdvals(%x: tensor<4x3xf64>) {
  // CHECK: pd.svdvals %{{.*}} : (tensor<4x3xf64>) -> tensor<3xf64>
  %0 = pd.svdvals %x : (tensor<4x3xf64>) -> tensor<3xf64>
  return
}

// CHECK-LABEL: func @composites_uses
func.func @composites_uses(%x: tensor<2x3x4xf32>) {
  // CHECK: pd.svdvals {{.*}} -> tensor<2x3xf32>
  %2 = pd.svdvals %x : (tensor<2x3x4xf32>) -> tensor<2x3xf32>
  return
}
