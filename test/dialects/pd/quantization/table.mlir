// RUN: proa-opt %s --split-input-file --verify-diagnostics | proa-opt --split-input-file | FileCheck %s

// CHECK-LABEL: @table
func.func @table(%x: tensor<3x4xi8>, %d: tensor<128xf32>) -> tensor<3x4xf32> {
  // CHECK: pd.dequantize_log {{.*}} -> tensor<3x4xf32>
  %0 = pd.dequantize_log %x, %d : (tensor<3x4xi8>, tensor<128xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

func.func @size_c1(%x: tensor<3x4xi8>, %d: tensor<100xf32>) {
  // expected-error@+2 {{C1: dict must have 128 elements, found 100}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.dequantize_log"(%x, %d) : (tensor<3x4xi8>, tensor<100xf32>) -> tensor<3x4xf32>
  return
}
