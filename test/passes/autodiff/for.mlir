// RUN: proa-opt %s --split-input-file --pd-lower-for | FileCheck %s
// RUN: proa-opt %s --split-input-file --pd-grad=loop-snapshots=3 | FileCheck %s --check-prefix=GRAD
// RUN: proa-opt %s --split-input-file --pd-grad=loop-snapshots=3 --pd-vjp=function=f_grad | FileCheck %s --check-prefix=TWICE
// RUN: proa-opt %s --split-input-file --pd-grad=loop-snapshots=3 --pd-lower-for | FileCheck %s --check-prefix=STEPS

// CHECK-LABEL: func @f(
// CHECK-NOT: scf.for
// CHECK: scf.while
// The gradient is one of the loop as a whole, until it is lowered.
// GRAD-LABEL: func @f_grad(
// GRAD: %[[LOOP:.*]] = scf.for
// GRAD: pd.vjp({{.*}}) saved(%[[LOOP]] :
// GRAD: scf.for
// GRAD: pd.snapshots = 3
// Differentiated again it is the gradient of the loop in forward mode.
// TWICE-LABEL: func @f_grad_vjp(
// TWICE: %[[FORWARD:.*]]:2 = scf.for
// TWICE: pd.vjp({{.*}}) saved(%[[FORWARD]]#0, %[[FORWARD]]#1 :
// TWICE: pd.snapshots = 3
// Lowered it is two loops over the actions of the schedule, on kept states: one in the place of the loop itself, one back.
// STEPS-LABEL: func @f_grad(
// STEPS: scf.while
// STEPS: pd.array_write
// STEPS: scf.while
// STEPS: pd.array_read
// STEPS-NOT: scf.while
// STEPS: return
func.func @f(%x: tensor<2xf64>, %w: tensor<2xf64>) -> tensor<f64> {
  %c0 = arith.constant 0 : index
  %c10 = arith.constant 10 : index
  %c1 = arith.constant 1 : index
  %y = scf.for %i = %c0 to %c10 step %c1 iter_args(%s = %x) -> (tensor<2xf64>) {
    %n = arith.index_cast %i : index to i64
    %t = tensor.from_elements %n : tensor<i64>
    %r = pd.cast %t {dtype = f64} : (tensor<i64>) -> tensor<f64>
    %a = pd.multiply %s, %w : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    %b = pd.add %a, %r : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
    %c = pd.sin %b : (tensor<2xf64>) -> tensor<2xf64>
    scf.yield %c : tensor<2xf64>
  }
  %l = pd.sum %y : (tensor<2xf64>) -> tensor<f64>
  return %l : tensor<f64>
}
