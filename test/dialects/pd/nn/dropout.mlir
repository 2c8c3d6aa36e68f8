// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @dropout
func.func @dropout(%x: tensor<2xf64>) {
  // CHECK: pd.dropout %{{.*}} {is_test = true, p = 2.500000e-01 : f64} : (tensor<2xf64>) -> (tensor<2xf64>, tensor<2xui8>)
  %0:2 = pd.dropout %x {p = 0.25, is_test = true} : (tensor<2xf64>) -> (tensor<2xf64>, tensor<2xui8>)
  return
}
