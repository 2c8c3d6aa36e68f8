// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @product_of_others
func.func @product_of_others(%x: tensor<2x5xf64>) {
  // CHECK: pd.product_of_others %{{.*}} {axis = array<i64: 1>} : (tensor<2x5xf64>) -> tensor<2x5xf64>
  %0 = pd.product_of_others %x {axis = array<i64: 1>} : (tensor<2x5xf64>) -> tensor<2x5xf64>
  return
}
