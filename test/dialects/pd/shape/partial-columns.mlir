// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @partial_concat
func.func @partial_concat(%x: tensor<3x4xf32>, %start_index: tensor<3x4xf32>) {
  // CHECK: pd.partial_concat %{{.*}}, %{{.*}} {length = 2 : i64, start_index = 1 : i64} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %0 = pd.partial_concat %x, %start_index {length = 2 : i64, start_index = 1 : i64} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// CHECK-LABEL: func @partial_sum
func.func @partial_sum(%x: tensor<3x5xf32>, %start_index: tensor<3x5xf32>) {
  // CHECK: pd.partial_sum %{{.*}}, %{{.*}} {start_index = 2 : i64} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x3xf32>
  %0 = pd.partial_sum %x, %start_index {start_index = 2 : i64} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x3xf32>
  return
}
