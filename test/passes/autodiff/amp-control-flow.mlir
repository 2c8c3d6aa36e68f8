// RUN: proa-opt %s --pd-amp=function=recurrence | FileCheck %s --check-prefix=WHILE
// RUN: proa-opt %s --pd-amp="function=recurrence deny=add,tanh" | FileCheck %s --check-prefix=DENY
// RUN: proa-opt %s --pd-amp="function=counter level=O2 dtype=bf16" | FileCheck %s --check-prefix=COUNTER
// RUN: proa-opt %s --pd-amp=function=branch | FileCheck %s --check-prefix=IF
// RUN: proa-opt %s --pd-amp="function=branch deny=tanh" | FileCheck %s --check-prefix=MIXED
// RUN: proa-opt %s --pd-amp=function=counted | FileCheck %s --check-prefix=FOR

// The state comes from a product: it is carried in 16 bits, and the sum beside it, which nothing computes so, is not.
// WHILE-LABEL: func @recurrence(
// WHILE: %[[LOW:.*]] = pd.cast %{{.*}} -> tensor<4x4xf16>
// WHILE: %[[OUT:.*]]:3 = scf.while ({{.*}} = %[[LOW]], {{.*}}) : (tensor<1xi64>, tensor<4x4xf16>, tensor<4x4xf32>) -> (tensor<1xi64>, tensor<4x4xf16>, tensor<4x4xf32>)
// WHILE: pd.matmul {{.*}} -> tensor<4x4xf16>
// WHILE: pd.add {{.*}} -> tensor<4x4xf16>
// WHILE: pd.exp {{.*}} -> tensor<4x4xf32>
// WHILE: scf.yield %{{.*}}, %{{.*}}, %{{.*}} : tensor<1xi64>, tensor<4x4xf16>, tensor<4x4xf32>
// WHILE: pd.cast %[[OUT]]#1 {{.*}} -> tensor<4x4xf32>
// WHILE: return %{{.*}}, %{{.*}} : tensor<4x4xf32>, tensor<4x4xf32>

// The sum that makes the state must not be in 16 bits: it is carried in 32.
// DENY-LABEL: func @recurrence(
// DENY: scf.while {{.*}} : (tensor<1xi64>, tensor<4x4xf32>, tensor<4x4xf32>)
// DENY: pd.matmul {{.*}} -> tensor<4x4xf16>
// DENY: pd.add {{.*}} -> tensor<4x4xf32>
func.func @recurrence(%x: tensor<4x4xf32>, %n: tensor<1xi64>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %zero = pd.full {shape = array<i64: 1>, value = 0.0, dtype = i64} : () -> tensor<1xi64>
  %one = pd.full {shape = array<i64: 1>, value = 1.0, dtype = i64} : () -> tensor<1xi64>
  %r:3 = scf.while (%i = %zero, %h = %x, %s = %x)
      : (tensor<1xi64>, tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<1xi64>, tensor<4x4xf32>, tensor<4x4xf32>) {
    %c = pd.less_than %i, %n : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %c0 = arith.constant 0 : index
    %go = tensor.extract %c[%c0] : tensor<1xi1>
    scf.condition(%go) %i, %h, %s : tensor<1xi64>, tensor<4x4xf32>, tensor<4x4xf32>
  } do {
  ^bb0(%i: tensor<1xi64>, %h: tensor<4x4xf32>, %s: tensor<4x4xf32>):
    %next = pd.add %i, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    %m = pd.matmul %h, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %a = pd.add %m, %h : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %e = pd.exp %s : (tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %next, %a, %e : tensor<1xi64>, tensor<4x4xf32>, tensor<4x4xf32>
  }
  return %r#1, %r#2 : tensor<4x4xf32>, tensor<4x4xf32>
}

// What counts iterations stays exact also where all else is in 16 bits.
// COUNTER-LABEL: func @counter(
// COUNTER: scf.while {{.*}} : (tensor<1xf32>, tensor<4x4xbf16>) -> (tensor<1xf32>, tensor<4x4xbf16>)
// COUNTER: pd.less_than {{.*}} : (tensor<1xf32>, tensor<1xf32>)
// COUNTER: pd.add {{.*}} -> tensor<1xf32>
// COUNTER: pd.matmul {{.*}} -> tensor<4x4xbf16>
func.func @counter(%x: tensor<4x4xf32>, %n: tensor<1xf32>) -> tensor<4x4xf32> {
  %zero = pd.full {shape = array<i64: 1>, value = 0.0, dtype = f32} : () -> tensor<1xf32>
  %one = pd.full {shape = array<i64: 1>, value = 1.0, dtype = f32} : () -> tensor<1xf32>
  %r:2 = scf.while (%i = %zero, %h = %x) : (tensor<1xf32>, tensor<4x4xf32>) -> (tensor<1xf32>, tensor<4x4xf32>) {
    %c = pd.less_than %i, %n : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xi1>
    %c0 = arith.constant 0 : index
    %go = tensor.extract %c[%c0] : tensor<1xi1>
    scf.condition(%go) %i, %h : tensor<1xf32>, tensor<4x4xf32>
  } do {
  ^bb0(%i: tensor<1xf32>, %h: tensor<4x4xf32>):
    %next = pd.add %i, %one : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    %m = pd.matmul %h, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %next, %m : tensor<1xf32>, tensor<4x4xf32>
  }
  return %r#1 : tensor<4x4xf32>
}

// Both branches compute in 16 bits, and so do the users of the result.
// IF-LABEL: func @branch(
// IF: scf.if {{.*}} -> (tensor<4x4xf16>)
// IF: pd.add {{.*}} -> tensor<4x4xf16>
// One branch does not.
// MIXED-LABEL: func @branch(
// MIXED: scf.if {{.*}} -> (tensor<4x4xf32>)
// MIXED: pd.matmul {{.*}} -> tensor<4x4xf16>
// MIXED: pd.cast {{.*}} -> tensor<4x4xf32>
// MIXED: pd.add {{.*}} -> tensor<4x4xf32>
func.func @branch(%x: tensor<4x4xf32>, %c: i1) -> tensor<4x4xf32> {
  %m = pd.matmul %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = scf.if %c -> (tensor<4x4xf32>) {
    %p = pd.matmul %m, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %p : tensor<4x4xf32>
  } else {
    %t = pd.tanh %m : (tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %t : tensor<4x4xf32>
  }
  %a = pd.add %r, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %a : tensor<4x4xf32>
}

// FOR-LABEL: func @counted(
// FOR: scf.for {{.*}} iter_args({{.*}}) -> (tensor<4x4xf16>)
// FOR: pd.matmul {{.*}} -> tensor<4x4xf16>
// FOR: scf.yield %{{.*}} : tensor<4x4xf16>
func.func @counted(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%h = %x) -> (tensor<4x4xf32>) {
    %m = pd.matmul %h, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %m : tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}
