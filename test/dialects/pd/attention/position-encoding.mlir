// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @add_position_encoding
func.func @add_position_encoding(%x: tensor<1x1x4xf64>) {
  // CHECK: pd.add_position_encoding %{{.*}} {alpha = 2.000000e+00 : f64, beta = 3.000000e+00 : f64} : (tensor<1x1x4xf64>) -> tensor<1x1x4xf64>
  %0 = pd.add_position_encoding %x {alpha = 2.0, beta = 3.0} : (tensor<1x1x4xf64>) -> tensor<1x1x4xf64>
  return
}

// CHECK-LABEL: func @rotary_embedding
func.func @rotary_embedding(%x: tensor<?x?x4x8xf32>, %c: tensor<?x1x8xf32>, %s: tensor<?x1x8xf32>) {
  // CHECK: pd.rotary_embedding %{{.*}}, %{{.*}}, %{{.*}} : (tensor<?x?x4x8xf32>, tensor<?x1x8xf32>, tensor<?x1x8xf32>) -> tensor<?x?x4x8xf32>
  %0 = pd.rotary_embedding %x, %c, %s : (tensor<?x?x4x8xf32>, tensor<?x1x8xf32>, tensor<?x1x8xf32>) -> tensor<?x?x4x8xf32>
  return
}
