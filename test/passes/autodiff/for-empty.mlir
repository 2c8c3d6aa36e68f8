// RUN: proa-opt %s --pd-grad=loop-snapshots=3 --pd-lower-for | FileCheck %s

// A loop of no iterations hands its gradient on, and stays where it is.
// CHECK-LABEL: func @none_grad(
// CHECK: %[[ONE:.*]] = pd.full
// CHECK: %[[GRADIENT:.*]] = pd.expand
// CHECK: return %[[GRADIENT]]
func.func @none(%x: tensor<2xf64>) -> tensor<f64> {
  %c1 = arith.constant 1 : index
  %y = scf.for %i = %c1 to %c1 step %c1 iter_args(%s = %x) -> (tensor<2xf64>) {
    %c = pd.sin %s : (tensor<2xf64>) -> tensor<2xf64>
    scf.yield %c : tensor<2xf64>
  }
  %l = pd.sum %y : (tensor<2xf64>) -> tensor<f64>
  return %l : tensor<f64>
}
