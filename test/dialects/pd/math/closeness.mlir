// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @round_trip
func.func @round_trip(%x: tensor<2x3xf32>, %y: tensor<3xf32>, %t: tensor<1xf64>, %z: tensor<3xcomplex<f32>>) {
  // CHECK: pd.isclose %{{.*}}, %{{.*}} {rtol = 1.000000e-01 : f64}
  %0 = pd.isclose %x, %y {rtol = 1.0e-01 : f64} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  // CHECK: pd.allclose %{{.*}}, %{{.*}} atol = %{{.*}} {equal_nan = true}
  %1 = pd.allclose %x, %x atol = %t {equal_nan = true} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf64>) -> tensor<i1>
  // CHECK: pd.equal_all
  %2 = pd.equal_all %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<i1>
  // CHECK: pd.add_n
  %3 = pd.add_n %x, %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: pd.lerp
  %4 = pd.lerp %x, %y, %y : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: pd.soft_relu
  %5 = pd.soft_relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: pd.nanmedian %{{.*}} {axis = array<i64: 1>}
  %6 = pd.nanmedian %x {axis = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2xf32>
  // CHECK: pd.real
  %7 = pd.real %z : (tensor<3xcomplex<f32>>) -> tensor<3xf32>
  // CHECK: pd.cross
  %8 = pd.cross %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
