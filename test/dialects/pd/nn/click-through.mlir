// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @cvm
func.func @cvm(%m: tensor<3x5xf32>) {
  // CHECK: pd.cvm {{.*}} -> tensor<3x3xf32>
  %0 = pd.cvm %m {use_cvm = false} : (tensor<3x5xf32>) -> tensor<3x3xf32>
  return
}

// CHECK-LABEL: func @data_norm
func.func @data_norm(%m: tensor<3x5xf32>, %v: tensor<5xf32>) {
  // CHECK: pd.data_norm
  %0:3 = pd.data_norm %m, %v, %v, %v : (tensor<3x5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<3x5xf32>, tensor<5xf32>, tensor<5xf32>)
  return
}
