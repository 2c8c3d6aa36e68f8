// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @add_position_encoding
func.func @add_position_encoding(%x: tensor<1x1x4xf64>) {
  // CHECK: pd.add_position_encoding %{{.*}} {alpha = 2.000000e+00 : f64, beta = 3.000000e+00 : f64} : (tensor<1x1x4xf64>) -> tensor<1x1x4xf64>
  %0 = pd.add_position_encoding %x {alpha = 2.0, beta = 3.0} : (tensor<1x1x4xf64>) -> tensor<1x1x4xf64>
  return
}
