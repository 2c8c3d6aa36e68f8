// RUN: proa-opt %s --pd-decompose=only=pd.vjp | FileCheck %s

// Each branch of the gradient is the gradient of a branch; a branch that does not read x gives zeros.
// CHECK-LABEL: func @branch
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[C:.*]]: i1, %[[D:.*]]: tensor<4xf32>)
func.func @branch(%x: tensor<4xf32>, %c: i1, %d: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[G:.*]] = scf.if %[[C]] -> (tensor<4xf32>)
  // CHECK: pd.cos %[[X]]
  // CHECK: %[[DX:.*]] = pd.multiply
  // CHECK: scf.yield %[[DX]]
  // CHECK: else
  // CHECK: %[[ZERO:.*]] = pd.full
  // CHECK: scf.yield %[[ZERO]]
  // CHECK: return %[[G]]
  %dx = pd.vjp(%x : tensor<4xf32>) cotangents(%d : tensor<4xf32>)
      {cotangent_of = array<i64: 0>, saved_of = array<i64>} : tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %y = scf.if %c -> tensor<4xf32> {
      %s = pd.sin %a : (tensor<4xf32>) -> tensor<4xf32>
      scf.yield %s : tensor<4xf32>
    } else {
      %k = pd.constant dense<1.0> : tensor<4xf32>
      scf.yield %k : tensor<4xf32>
    }
    pd.yield %y : tensor<4xf32>
  }
  return %dx : tensor<4xf32>
}

// The loop runs again and keeps what each iteration begins with; a second loop goes back through that. w, which each
// iteration reads, gets the sum over all of them.
// CHECK-LABEL: func @loop
func.func @loop(%x: tensor<4xf32>, %w: tensor<4xf32>, %c: tensor<i1>, %d: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[TAPE:.*]]:{{[0-9]+}} = scf.while
  // CHECK: pd.multiply
  // CHECK: pd.array_write
  // CHECK: %[[BACK:.*]]:3 = scf.while
  // CHECK: pd.greater_equal
  // CHECK: pd.array_read %[[TAPE]]
  // CHECK: return %[[BACK]]#1, %[[BACK]]#2
  %dx, %dw = pd.vjp(%x, %w : tensor<4xf32>, tensor<4xf32>) cotangents(%d : tensor<4xf32>)
      {cotangent_of = array<i64: 0>, saved_of = array<i64>} : tensor<4xf32>, tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %y:2 = scf.while (%v = %a, %goes = %c) : (tensor<4xf32>, tensor<i1>) -> (tensor<4xf32>, tensor<i1>) {
      %condition = tensor.extract %goes[] : tensor<i1>
      scf.condition(%condition) %v, %goes : tensor<4xf32>, tensor<i1>
    } do {
    ^bb0(%v: tensor<4xf32>, %goes: tensor<i1>):
      %p = pd.multiply %v, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %n = pd.logical_not %goes : (tensor<i1>) -> tensor<i1>
      scf.yield %p, %n : tensor<4xf32>, tensor<i1>
    }
    pd.yield %y#0 : tensor<4xf32>
  }
  return %dx, %dw : tensor<4xf32>, tensor<4xf32>
}
