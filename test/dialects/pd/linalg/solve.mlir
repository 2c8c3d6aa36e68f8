// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @cholesky_solve
func.func @cholesky_solve(%x: tensor<3x2xf64>, %y: tensor<2x3x3xf64>) {
  // CHECK: pd.cholesky_solve %{{.*}}, %{{.*}} : (tensor<3x2xf64>, tensor<2x3x3xf64>) -> tensor<2x3x2xf64>
  %0 = pd.cholesky_solve %x, %y : (tensor<3x2xf64>, tensor<2x3x3xf64>) -> tensor<2x3x2xf64>
  return
}

// CHECK-LABEL: func @det
func.func @det(%x: tensor<2x3x3xf64>) {
  // CHECK: pd.det %{{.*}} : (tensor<2x3x3xf64>) -> tensor<2xf64>
  %0 = pd.det %x : (tensor<2x3x3xf64>) -> tensor<2xf64>
  return
}

// CHECK-LABEL: func @inverse
func.func @inverse(%x: tensor<2x1x4x4xf32>) {
  // CHECK: pd.inverse %{{.*}} : (tensor<2x1x4x4xf32>) -> tensor<2x1x4x4xf32>
  %0 = pd.inverse %x : (tensor<2x1x4x4xf32>) -> tensor<2x1x4x4xf32>
  return
}

// CHECK-LABEL: func @lstsq
func.func @lstsq(%a: tensor<3x4x2xf32>) {
  // CHECK: pd.lstsq %{{.*}}, %{{.*}} driver = gelsd : (tensor<3x4x2xf32>, tensor<3x4x2xf32>) -> (tensor<3x2x2xf32>, tensor<3x2xf32>, tensor<3xi32>, tensor<3x2xf32>)
  %0:4 = pd.lstsq %a, %a driver = gelsd : (tensor<3x4x2xf32>, tensor<3x4x2xf32>) -> (tensor<3x2x2xf32>, tensor<3x2xf32>, tensor<3xi32>, tensor<3x2xf32>)
  return
}

// CHECK-LABEL: func @lu_solve
func.func @lu_solve(%b: tensor<2x3x2xf64>, %lu: tensor<2x3x3xf64>, %pivots: tensor<2x3xi32>) {
  // CHECK: pd.lu_solve %{{.*}}, %{{.*}}, %{{.*}} trans = T : (tensor<2x3x2xf64>, tensor<2x3x3xf64>, tensor<2x3xi32>) -> tensor<2x3x2xf64>
  %0 = pd.lu_solve %b, %lu, %pivots trans = T : (tensor<2x3x2xf64>, tensor<2x3x3xf64>, tensor<2x3xi32>) -> tensor<2x3x2xf64>
  return
}

// CHECK-LABEL: func @matrix_power
func.func @matrix_power(%x: tensor<3x3xf32>) {
  // CHECK: pd.matrix_power %{{.*}} {n = -2 : i64} : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %0 = pd.matrix_power %x {n = -2 : i64} : (tensor<3x3xf32>) -> tensor<3x3xf32>
  return
}

// CHECK-LABEL: func @matrix_rank
func.func @matrix_rank(%x: tensor<2x1x4x4xf32>, %tol_tensor: tensor<2xf32>) {
  // CHECK: pd.matrix_rank %{{.*}}, %{{.*}} : (tensor<2x1x4x4xf32>, tensor<2xf32>) -> tensor<2x2xi32>
  %0 = pd.matrix_rank %x, %tol_tensor : (tensor<2x1x4x4xf32>, tensor<2xf32>) -> tensor<2x2xi32>
  return
}

// CHECK-LABEL: func @slogdet
func.func @slogdet(%x: tensor<3x3xf64>) {
  // CHECK: pd.slogdet %{{.*}} : (tensor<3x3xf64>) -> tensor<2xf64>
  %0 = pd.slogdet %x : (tensor<3x3xf64>) -> tensor<2xf64>
  return
}

// CHECK-LABEL: func @solve
func.func @solve(%x: tensor<4x4xf32>, %y: tensor<4xf32>) {
  // CHECK: pd.solve %{{.*}}, %{{.*}} : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = pd.solve %x, %y : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: func @triangular_solve
func.func @triangular_solve(%x: tensor<2x1x4x4xf32>, %y: tensor<3x4x2xf32>) {
  // CHECK: pd.triangular_solve %{{.*}}, %{{.*}} {transpose = true, upper = false} : (tensor<2x1x4x4xf32>, tensor<3x4x2xf32>) -> tensor<2x3x4x2xf32>
  %0 = pd.triangular_solve %x, %y {transpose = true, upper = false} : (tensor<2x1x4x4xf32>, tensor<3x4x2xf32>) -> tensor<2x3x4x2xf32>
  return
}

// CHECK-LABEL: func @systems_uses
func.func @systems_uses(%a: tensor<2x1x4x4xf32>, %b: tensor<3x4x2xf32>, %v: tensor<4xf32>, %m: tensor<4x4xf32>, %t: tensor<2xf32>) {
  // CHECK: pd.solve
  %0 = pd.solve %a, %b : (tensor<2x1x4x4xf32>, tensor<3x4x2xf32>) -> tensor<2x3x4x2xf32>
  // CHECK: pd.solve %{{.*}} -> tensor<4xf32>
  %1 = pd.solve %m, %v : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: pd.cholesky_solve
  %2 = pd.cholesky_solve %b, %a : (tensor<3x4x2xf32>, tensor<2x1x4x4xf32>) -> tensor<2x3x4x2xf32>
  // CHECK: pd.triangular_solve %{{.*}} {transpose = true, upper = false}
  %3 = pd.triangular_solve %a, %b {transpose = true, upper = false} : (tensor<2x1x4x4xf32>, tensor<3x4x2xf32>) -> tensor<2x3x4x2xf32>
  // CHECK: pd.inverse
  %4 = pd.inverse %a : (tensor<2x1x4x4xf32>) -> tensor<2x1x4x4xf32>
  // CHECK: pd.det
  %5 = pd.det %a : (tensor<2x1x4x4xf32>) -> tensor<2x1xf32>
  // CHECK: pd.slogdet
  %6 = pd.slogdet %a : (tensor<2x1x4x4xf32>) -> tensor<2x2x1xf32>
  // CHECK: pd.matrix_power %{{.*}} {n = -3 : i64}
  %7 = pd.matrix_power %a {n = -3 : i64} : (tensor<2x1x4x4xf32>) -> tensor<2x1x4x4xf32>
  // CHECK: pd.matrix_rank
  %8 = pd.matrix_rank %a, %t : (tensor<2x1x4x4xf32>, tensor<2xf32>) -> tensor<2x2xi32>
  // CHECK: pd.lstsq %{{.*}} driver = gelsd
  %9:4 = pd.lstsq %b, %b driver = gelsd : (tensor<3x4x2xf32>, tensor<3x4x2xf32>) -> (tensor<3x2x2xf32>, tensor<3x2xf32>, tensor<3xi32>, tensor<3x2xf32>)
  return
}

// CHECK-LABEL: func @adjugate
func.func @adjugate(%x: tensor<2x3x3xf64>) {
  // CHECK: pd.adjugate %{{.*}} : (tensor<2x3x3xf64>) -> tensor<2x3x3xf64>
  %0 = pd.adjugate %x : (tensor<2x3x3xf64>) -> tensor<2x3x3xf64>
  return
}
