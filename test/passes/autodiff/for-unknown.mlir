// RUN: proa-opt %s --pd-grad | FileCheck %s --check-prefix=GRAD
// RUN: proa-opt %s --pd-grad --pd-lower-for | FileCheck %s

// How often the loop runs is fed: the schedule of its gradient is computed then.
// GRAD-LABEL: func @f_grad(
// GRAD: scf.for
// GRAD: pd.vjp
// CHECK-LABEL: func @f_grad(
// CHECK: %[[KINDS:.*]], %[[NUMBERS:.*]] = pd.binomial_schedule %{{.*}} {snapshots = 2 : i64}
// CHECK: scf.while
// CHECK: pd.gather %[[KINDS]]
// CHECK: pd.gather %[[NUMBERS]]
// CHECK: pd.array_read
// CHECK: pd.array_write
func.func @f(%x: tensor<4xf64>, %n: tensor<i64>) -> tensor<f64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.extract %n[] : tensor<i64>
  %p = arith.index_cast %e : i64 to index
  %y = scf.for %i = %c0 to %p step %c1 iter_args(%s = %x) -> (tensor<4xf64>) {
    %c = pd.sin %s : (tensor<4xf64>) -> tensor<4xf64>
    scf.yield %c : tensor<4xf64>
  } {pd.snapshots = 2 : i64}
  %l = pd.sum %y : (tensor<4xf64>) -> tensor<f64>
  return %l : tensor<f64>
}
