// Ops that kernels for GPUs compute, parsed and printed.
// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func.func @random
func.func @random(%s: tensor<1xi64>) -> (tensor<3xf32>, tensor<3xcomplex<f64>>, tensor<3xi32>) {
  // CHECK: rt.random_call {seed = 5 : i64} : () -> tensor<2xi64>
  %0 = rt.random_call {seed = 5 : i64} : () -> tensor<2xi64>
  // CHECK: rt.random_call seed = %arg0 : (tensor<1xi64>) -> tensor<2xi64>
  %1 = rt.random_call seed = %s : (tensor<1xi64>) -> tensor<2xi64>
  // CHECK: rt.uniform %{{.*}} {max = 1.000000e+00 : f64, min = 0.000000e+00 : f64} : (tensor<2xi64>) -> tensor<3xf32>
  %2 = rt.uniform %0 {min = 0.0, max = 1.0} : (tensor<2xi64>) -> tensor<3xf32>
  // CHECK: rt.gaussian
  %3 = rt.gaussian %1 {mean = 0.0, std = 1.0} : (tensor<2xi64>) -> tensor<3xcomplex<f64>>
  // CHECK: rt.randint
  %4 = rt.randint %1 {low = 0 : i64, high = 9 : i64} : (tensor<2xi64>) -> tensor<3xi32>
  return %2, %3, %4 : tensor<3xf32>, tensor<3xcomplex<f64>>, tensor<3xi32>
}

// CHECK-LABEL: func.func @random_part
func.func @random_part(%c: tensor<2xi64>, %b: tensor<2xi64>) -> tensor<2x3xf32> {
  // CHECK: rt.uniform %arg0, %arg1 {max = 1.000000e+00 : f64, min = 0.000000e+00 : f64, whole_shape = array<i64: 4, 3>} : (tensor<2xi64>, tensor<2xi64>) -> tensor<2x3xf32>
  %0 = rt.uniform %c, %b {min = 0.0, max = 1.0, whole_shape = array<i64: 4, 3>} : (tensor<2xi64>, tensor<2xi64>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @scatter
func.func @scatter(%x: tensor<5x4xf32>, %i: tensor<6x1xi64>, %o: tensor<6xi64>, %u: tensor<6x4xf32>) -> tensor<5x4xf32> {
  // CHECK: rt.scatter_keys %arg0, %arg1 : (tensor<5x4xf32>, tensor<6x1xi64>) -> tensor<6xi32>
  %0 = rt.scatter_keys %x, %i : (tensor<5x4xf32>, tensor<6x1xi64>) -> tensor<6xi32>
  // CHECK: rt.scatter_sorted {{.*}} -> tensor<5x4xf32>
  %1 = rt.scatter_sorted %x, %0, %o, %u {depth = 1 : i64} : (tensor<5x4xf32>, tensor<6xi32>, tensor<6xi64>, tensor<6x4xf32>) -> tensor<5x4xf32>
  return %1 : tensor<5x4xf32>
}

// CHECK-LABEL: func.func @scatter_owned
func.func @scatter_owned(%k: tensor<6xi32>, %u: tensor<6x4xf32>, %x: tensor<5x4xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>) {
  // CHECK: rt.scatter_owned %arg0, %arg1, %arg2 {depth = 1 : i64, reduce = {{.*}}} : (tensor<6xi32>, tensor<6x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>
  %0 = rt.scatter_owned %k, %u, %x {depth = 1 : i64, reduce = #pd<scatter_reduce add>} : (tensor<6xi32>, tensor<6x4xf32>, tensor<5x4xf32>) -> tensor<5x4xf32>
  // CHECK: rt.scatter_owned %arg0, %arg1 {depth = 1 : i64, start = 1.000000e+00 : f64} : (tensor<6xi32>, tensor<6x4xf32>) -> tensor<5x4xf32>
  %1 = rt.scatter_owned %k, %u {depth = 1 : i64, start = 1.0 : f64} : (tensor<6xi32>, tensor<6x4xf32>) -> tensor<5x4xf32>
  return %0, %1 : tensor<5x4xf32>, tensor<5x4xf32>
}
