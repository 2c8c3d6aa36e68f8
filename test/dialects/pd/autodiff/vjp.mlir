// RUN: proa-opt %s | FileCheck %s --check-prefix=ROUND
// RUN: proa-opt %s | proa-opt | FileCheck %s --check-prefix=ROUND
// RUN: proa-opt %s --pd-decompose=only=pd.vjp | FileCheck %s

// ROUND-LABEL: func @saved
// ROUND: pd.vjp(%{{.*}} : tensor<4xf32>) saved(%{{.*}} : tensor<4xf32>) cotangents(%{{.*}} : tensor<4xf32>)
// ROUND-NEXT: ^bb0(%{{.*}}: tensor<4xf32>):
// ROUND: pd.yield

// The saved result is used, and the forward op is gone.
// CHECK-LABEL: func @saved
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>, %[[OUT:.*]]: tensor<4xf32>, %[[D:.*]]: tensor<4xf32>)
// CHECK-NOT: pd.tanh
// CHECK: %[[SQUARE:.*]] = pd.multiply %[[OUT]], %[[OUT]]
// CHECK: %[[SLOPE:.*]] = pd.subtract %{{.*}}, %[[SQUARE]]
// CHECK: %[[DX:.*]] = pd.multiply %[[D]], %[[SLOPE]]
// CHECK: return %[[DX]]
func.func @saved(%x: tensor<4xf32>, %out: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %dx = pd.vjp(%x : tensor<4xf32>) saved(%out : tensor<4xf32>) cotangents(%d : tensor<4xf32>)
      {cotangent_of = array<i64: 0>, saved_of = array<i64: 0>} : tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %y = pd.tanh %a : (tensor<4xf32>) -> tensor<4xf32>
    pd.yield %y : tensor<4xf32>
  }
  return %dx : tensor<4xf32>
}

// A broadcast operand gets the sum; one that is not asked for costs nothing.
// CHECK-LABEL: func @broadcast
// CHECK: pd.sum %{{.*}} {axis = array<i64: 1>, keepdim = true} : (tensor<2x3xf32>) -> tensor<2x1xf32>
// CHECK-NOT: pd.multiply
func.func @broadcast(%x: tensor<2x1xf32>, %y: tensor<2x3xf32>, %d: tensor<2x3xf32>) -> tensor<2x1xf32> {
  %dx = pd.vjp(%x : tensor<2x1xf32>) cotangents(%d : tensor<2x3xf32>)
      {cotangent_of = array<i64: 0>, saved_of = array<i64>} : tensor<2x1xf32> {
  ^bb0(%a: tensor<2x1xf32>):
    %z = pd.add %a, %y : (tensor<2x1xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    pd.yield %z : tensor<2x3xf32>
  }
  return %dx : tensor<2x1xf32>
}

// A value that is used twice gets the sum of both cotangents.
// CHECK-LABEL: func @twice
// CHECK: pd.add
func.func @twice(%x: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %dx = pd.vjp(%x : tensor<4xf32>) cotangents(%d : tensor<4xf32>)
      {cotangent_of = array<i64: 0>, saved_of = array<i64>} : tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %y = pd.multiply %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    pd.yield %y : tensor<4xf32>
  }
  return %dx : tensor<4xf32>
}

// Nothing depends on the input: zeros.
// CHECK-LABEL: func @constant
// CHECK: pd.full {{.*}}shape = array<i64: 4>
func.func @constant(%x: tensor<4xf32>, %y: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
  %dx = pd.vjp(%x : tensor<4xf32>) cotangents(%d : tensor<4xf32>)
      {cotangent_of = array<i64: 0>, saved_of = array<i64>} : tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %z = pd.exp %y : (tensor<4xf32>) -> tensor<4xf32>
    pd.yield %z : tensor<4xf32>
  }
  return %dx : tensor<4xf32>
}

// The derivative of a derivative: the inner gradient is decomposed first.
// CHECK-LABEL: func @second
// CHECK-NOT: pd.vjp
func.func @second(%x: tensor<4xf32>, %d: tensor<4xf32>, %dd: tensor<4xf32>) -> tensor<4xf32> {
  %ddx = pd.vjp(%x : tensor<4xf32>) cotangents(%dd : tensor<4xf32>)
      {cotangent_of = array<i64: 0>, saved_of = array<i64>} : tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %dx = pd.vjp(%a : tensor<4xf32>) cotangents(%d : tensor<4xf32>)
        {cotangent_of = array<i64: 0>, saved_of = array<i64>} : tensor<4xf32> {
    ^bb0(%b: tensor<4xf32>):
      %y = pd.sin %b : (tensor<4xf32>) -> tensor<4xf32>
      pd.yield %y : tensor<4xf32>
    }
    pd.yield %dx : tensor<4xf32>
  }
  return %ddx : tensor<4xf32>
}
