// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @embedding
func.func @embedding(%x: tensor<2x3xi64>, %weight: tensor<5x2xf64>) {
  // CHECK: pd.embedding %{{.*}}, %{{.*}} {padding_idx = 1 : i64} : (tensor<2x3xi64>, tensor<5x2xf64>) -> tensor<2x3x2xf64>
  %0 = pd.embedding %x, %weight {padding_idx = 1 : i64} : (tensor<2x3xi64>, tensor<5x2xf64>) -> tensor<2x3x2xf64>
  return
}
