// Elements at other strides, and bits under another type.
// RUN: proa-opt %s | proa-opt | FileCheck %s
// RUN: proa-opt %s --pd-decompose | FileCheck %s --check-prefix=PLAIN

// CHECK-LABEL: func @as_strided
// PLAIN-LABEL: func @as_strided
func.func @as_strided(%x: tensor<4x6xf32>) -> tensor<3x4xf32> {
  // CHECK: pd.as_strided
  // PLAIN: pd.gather
  %0 = pd.as_strided %x {dims = array<i64: 3, 4>, stride = array<i64: 6, 1>, offset = 4 : i64} : (tensor<4x6xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// CHECK-LABEL: func @tensor_unfold
// PLAIN-LABEL: func @tensor_unfold
func.func @tensor_unfold(%x: tensor<4x?xf32>) -> tensor<4x?x3xf32> {
  // CHECK: pd.tensor_unfold
  // PLAIN: pd.gather
  %0 = pd.tensor_unfold %x {axis = 1 : i64, size = 3 : i64, step = 2 : i64} : (tensor<4x?xf32>) -> tensor<4x?x3xf32>
  return %0 : tensor<4x?x3xf32>
}

// CHECK-LABEL: func @view_dtype
func.func @view_dtype(%x: tensor<4x6xf32>, %y: tensor<3xcomplex<f64>>, %z: tensor<f16>) {
  // CHECK: pd.view_dtype {{.*}} -> tensor<4x3xf64>
  %0 = pd.view_dtype %x {dtype = f64} : (tensor<4x6xf32>) -> tensor<4x3xf64>
  // CHECK: pd.view_dtype {{.*}} -> tensor<48xui8>
  %1 = pd.view_dtype %y {dtype = ui8} : (tensor<3xcomplex<f64>>) -> tensor<48xui8>
  // CHECK: pd.view_dtype {{.*}} -> tensor<i16>
  %2 = pd.view_dtype %z {dtype = i16} : (tensor<f16>) -> tensor<i16>
  return
}
