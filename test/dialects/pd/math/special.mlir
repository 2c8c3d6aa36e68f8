// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @i1e
func.func @i1e(%x: tensor<?x3xf32>) {
  // CHECK: pd.i1e %{{.*}} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  %0 = pd.i1e %x : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return
}

// CHECK-LABEL: func @digamma
func.func @digamma(%x: tensor<4xf64>) {
  // CHECK: pd.digamma %{{.*}} : (tensor<4xf64>) -> tensor<4xf64>
  %0 = pd.digamma %x : (tensor<4xf64>) -> tensor<4xf64>
  return
}

// CHECK-LABEL: func @erfinv
func.func @erfinv(%x: tensor<5xf64>) {
  // CHECK: pd.erfinv %{{.*}} : (tensor<5xf64>) -> tensor<5xf64>
  %0 = pd.erfinv %x : (tensor<5xf64>) -> tensor<5xf64>
  return
}

// CHECK-LABEL: func @gammaincc
func.func @gammaincc(%x: tensor<2x3xf64>, %y: tensor<2x3xf64>) {
  // CHECK: pd.gammaincc %{{.*}}, %{{.*}} : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  %0 = pd.gammaincc %x, %y : (tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
  return
}

// CHECK-LABEL: func @i0
func.func @i0(%x: tensor<2xf64>) {
  // CHECK: pd.i0 %{{.*}} : (tensor<2xf64>) -> tensor<2xf64>
  %0 = pd.i0 %x : (tensor<2xf64>) -> tensor<2xf64>
  return
}

// CHECK-LABEL: func @i0e
func.func @i0e(%x: tensor<2xf64>) {
  // CHECK: pd.i0e %{{.*}} : (tensor<2xf64>) -> tensor<2xf64>
  %0 = pd.i0e %x : (tensor<2xf64>) -> tensor<2xf64>
  return
}

// CHECK-LABEL: func @i1
func.func @i1(%x: tensor<2xf64>) {
  // CHECK: pd.i1 %{{.*}} : (tensor<2xf64>) -> tensor<2xf64>
  %0 = pd.i1 %x : (tensor<2xf64>) -> tensor<2xf64>
  return
}

// CHECK-LABEL: func @lgamma
func.func @lgamma(%x: tensor<4xf64>) {
  // CHECK: pd.lgamma %{{.*}} : (tensor<4xf64>) -> tensor<4xf64>
  %0 = pd.lgamma %x : (tensor<4xf64>) -> tensor<4xf64>
  return
}

// CHECK-LABEL: func @polygamma
func.func @polygamma(%x: tensor<3xf64>) {
  // CHECK: pd.polygamma %{{.*}} {n = 1 : i64} : (tensor<3xf64>) -> tensor<3xf64>
  %0 = pd.polygamma %x {n = 1 : i64} : (tensor<3xf64>) -> tensor<3xf64>
  return
}
