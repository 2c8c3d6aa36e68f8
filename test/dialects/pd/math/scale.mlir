// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @clip
func.func @clip(%x: tensor<7xf64>) {
  // CHECK: pd.clip %{{.*}} {max = 1.000000e+00 : f64, min = -1.000000e+00 : f64} : (tensor<7xf64>) -> tensor<7xf64>
  %0 = pd.clip %x {min = -1.0, max = 1.0} : (tensor<7xf64>) -> tensor<7xf64>
  return
}

// CHECK-LABEL: func @increment
func.func @increment(%x: tensor<i64>) {
  // CHECK: pd.increment %{{.*}} {value = 2.000000e+00 : f64} : (tensor<i64>) -> tensor<i64>
  %0 = pd.increment %x {value = 2.0} : (tensor<i64>) -> tensor<i64>
  return
}

// CHECK-LABEL: func @pow
func.func @pow(%x: tensor<3x4xf32>) {
  // CHECK: pd.pow %{{.*}} {factor = 3.000000e+00 : f64} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %0 = pd.pow %x {factor = 3.000000e+00 : f64} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// CHECK-LABEL: func @scale
func.func @scale(%x: tensor<f32>) {
  // CHECK: pd.scale %{{.*}} : (tensor<f32>) -> tensor<f32>
  %0 = pd.scale %x : (tensor<f32>) -> tensor<f32>
  return
}
