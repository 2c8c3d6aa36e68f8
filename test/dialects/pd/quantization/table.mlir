// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: @table
func.func @table(%x: tensor<3x4xi8>, %d: tensor<128xf32>) -> tensor<3x4xf32> {
  // CHECK: pd.dequantize_log {{.*}} -> tensor<3x4xf32>
  %0 = pd.dequantize_log %x, %d : (tensor<3x4xi8>, tensor<128xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
