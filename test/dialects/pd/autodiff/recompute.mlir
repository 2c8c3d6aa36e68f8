// RUN: proa-opt %s | proa-opt | FileCheck %s
// RUN: proa-opt %s --pd-decompose=only=pd.checkpoint | FileCheck %s --check-prefix=DECOMPOSE
// RUN: proa-opt %s --cse | FileCheck %s --check-prefix=CSE

// CHECK-LABEL: func @checkpoint(
// CHECK: %{{.*}} = pd.checkpoint(%{{.*}} : tensor<4xf32>) : tensor<4xf32> {
// CHECK: pd.yield
// DECOMPOSE-LABEL: func @checkpoint(
// DECOMPOSE-NEXT: pd.exp
// DECOMPOSE-NEXT: pd.sin
// DECOMPOSE-NEXT: return
func.func @checkpoint(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = pd.checkpoint(%x : tensor<4xf32>) : tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %e = pd.exp %a : (tensor<4xf32>) -> tensor<4xf32>
    %s = pd.sin %e : (tensor<4xf32>) -> tensor<4xf32>
    pd.yield %s : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// Ops after a barrier are not merged with ops before it; barriers are merged if their numbers are equal.
// CHECK-LABEL: func @barrier(
// CSE-LABEL: func @barrier(
// CSE-COUNT-2: pd.optimization_barrier
// CSE-COUNT-2: pd.exp
// CSE-NOT: pd.exp
// CSE: return
func.func @barrier(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %b = pd.optimization_barrier %x : (tensor<4xf32>) -> tensor<4xf32>
  %c = pd.optimization_barrier %x : (tensor<4xf32>) -> tensor<4xf32>
  %d = pd.optimization_barrier %x {number = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  %e = pd.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  %f = pd.exp %b : (tensor<4xf32>) -> tensor<4xf32>
  %g = pd.exp %c : (tensor<4xf32>) -> tensor<4xf32>
  %h = pd.add %e, %d : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %h, %f, %g : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @schedule(
// CHECK: pd.binomial_schedule %{{.*}} {snapshots = 3 : i64} : (tensor<1xi64>) -> (tensor<?xi64>, tensor<?xi64>)
func.func @schedule(%n: tensor<1xi64>) -> (tensor<?xi64>, tensor<?xi64>) {
  %kinds, %numbers = pd.binomial_schedule %n {snapshots = 3 : i64} : (tensor<1xi64>) -> (tensor<?xi64>, tensor<?xi64>)
  return %kinds, %numbers : tensor<?xi64>, tensor<?xi64>
}
