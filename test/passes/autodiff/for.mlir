// RUN: proa-opt %s --split-input-file --pd-lower-for | FileCheck %s
// RUN: proa-opt %s --split-input-file --pd-grad=loop-snapshots=3 | FileCheck %s --check-prefix=GRAD

// CHECK-LABEL: func @f(
// CHECK-NOT: scf.for
// CHECK: scf.while
// Backward a loop over the actions of the schedule, on kept states.
// GRAD-LABEL: func @f_grad(
// GRAD: array.of<tensor<2xf64>>
// GRAD: pd.array_read
// GRAD: pd.array_write
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
