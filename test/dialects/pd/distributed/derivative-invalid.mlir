// The derivative of broadcast needs the number of processes, which dist-from-process-groups states.
// RUN: not proa-opt %s --pd-decompose=only=pd.vjp 2>&1 | FileCheck %s
// CHECK: error: 'pd.broadcast' op has no derivative: expected a known nranks
func.func @broadcast(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = pd.vjp(%x : tensor<4x6xf32>) cotangents(%x : tensor<4x6xf32>) {cotangent_of = array<i64: 0>, saved_of = array<i64>} : tensor<4x6xf32> {
  ^bb0(%a: tensor<4x6xf32>):
    %y = pd.broadcast %a : (tensor<4x6xf32>) -> tensor<4x6xf32>
    pd.yield %y : tensor<4x6xf32>
  }
  return %0 : tensor<4x6xf32>
}
