// RUN: proa-opt %s | proa-opt | FileCheck %s
// RUN: proa-opt %s --pd-decompose=only=pd.product_of_others | FileCheck %s --check-prefix=PARTS
// RUN: proa-opt %s --pd-vjp=arguments=0 | FileCheck %s --check-prefix=TWICE

// CHECK: pd.product_of_others %arg0 {axis = array<i64: 1>} : (tensor<2x5xf64>) -> tensor<2x5xf64>
// PARTS: pd.prod
// PARTS: pd.divide
// PARTS: pd.where
// Its own derivative divides nothing: 5 elements take three doublings each way.
// TWICE-LABEL: func @f_vjp(
// TWICE-NOT: pd.divide
// TWICE: return
func.func @f(%x: tensor<2x5xf64>) -> tensor<2x5xf64> {
  %y = pd.product_of_others %x {axis = array<i64: 1>} : (tensor<2x5xf64>) -> tensor<2x5xf64>
  return %y : tensor<2x5xf64>
}
