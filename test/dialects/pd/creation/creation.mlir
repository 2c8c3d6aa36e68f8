// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @constant
func.func @constant() {
  // CHECK: pd.constant dense<[1, 2]> : tensor<2xi64>
  %0 = pd.constant dense<[1, 2]> : tensor<2xi64>
  return
}

// CHECK-LABEL: func @full_batch_size_like
func.func @full_batch_size_like(%input: tensor<3x2xf32>) {
  // CHECK: pd.full_batch_size_like %{{.*}} {dtype = f32, shape = array<i64: -1, 4>, value = 2.500000e+00 : f64} : (tensor<3x2xf32>) -> tensor<3x4xf32>
  %0 = pd.full_batch_size_like %input {dtype = f32, shape = array<i64: -1, 4>, value = 2.500000e+00 : f64} : (tensor<3x2xf32>) -> tensor<3x4xf32>
  return
}

// CHECK-LABEL: func @full_like
func.func @full_like(%x: tensor<3x1xi1>) {
  // CHECK: pd.full_like %{{.*}} {dtype = i1} : (tensor<3x1xi1>) -> tensor<3x1xi1>
  %0 = pd.full_like %x {dtype = i1} : (tensor<3x1xi1>) -> tensor<3x1xi1>
  return
}

// CHECK-LABEL: func @full
func.func @full() {
  // CHECK: pd.full  {dtype = i32, value = 4.000000e+00 : f64} : () -> tensor<i32>
  %0 = pd.full {dtype = i32, value = 4.0} : () -> tensor<i32>
  return
}
