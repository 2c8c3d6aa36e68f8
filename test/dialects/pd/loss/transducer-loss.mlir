// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @warprnnt
func.func @warprnnt(%i: tensor<2x4x3x5xf32>, %w: tensor<2x2xi32>, %n: tensor<2xi32>) {
  // CHECK: pd.warprnnt {{.*}} -> (tensor<2xf32>, tensor<2x4x3x5xf32>)
  %1:2 = pd.warprnnt %i, %w, %n, %n {fastemit_lambda = 0.5} : (tensor<2x4x3x5xf32>, tensor<2x2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<2xf32>, tensor<2x4x3x5xf32>)
  return
}
