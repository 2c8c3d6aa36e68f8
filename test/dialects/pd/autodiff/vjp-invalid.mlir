// RUN: proa-opt %s --split-input-file --verify-diagnostics --pd-decompose=only=pd.vjp

func.func @arguments(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{C1: expected block arguments of the types of the inputs}}
  %dx = pd.vjp(%x : tensor<4xf32>) {cotangent_of = array<i64>, saved_of = array<i64>} : tensor<4xf32> {
  ^bb0(%a: tensor<3xf32>):
    pd.yield %a : tensor<3xf32>
  }
  return %dx : tensor<4xf32>
}

// -----

func.func @number(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{C2: 'cotangent_of' names result 1, the region has 1}}
  %dx = pd.vjp(%x : tensor<4xf32>) cotangents(%x : tensor<4xf32>)
      {cotangent_of = array<i64: 1>, saved_of = array<i64>} : tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    pd.yield %a : tensor<4xf32>
  }
  return %dx : tensor<4xf32>
}

// -----

func.func @type(%x: tensor<4xf32>, %d: tensor<5xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{C2: the cotangent value of result 0 has type 'tensor<5xf32>', expected 'tensor<4xf32>'}}
  %dx = pd.vjp(%x : tensor<4xf32>) cotangents(%d : tensor<5xf32>)
      {cotangent_of = array<i64: 0>, saved_of = array<i64>} : tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    pd.yield %a : tensor<4xf32>
  }
  return %dx : tensor<4xf32>
}

// -----

func.func @noRule(%x: tensor<2x3xf32>, %i: tensor<2x1xi64>, %v: tensor<2x3xf32>, %d: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %dx = pd.vjp(%x : tensor<2x3xf32>) cotangents(%d : tensor<2x3xf32>)
      {cotangent_of = array<i64: 0>, saved_of = array<i64>} : tensor<2x3xf32> {
  ^bb0(%a: tensor<2x3xf32>):
    // expected-error @+1 {{has no gradient with reduce = multiply}}
    %y = pd.scatter_nd %a, %i, %v reduce = multiply
        : (tensor<2x3xf32>, tensor<2x1xi64>, tensor<2x3xf32>) -> tensor<2x3xf32>
    pd.yield %y : tensor<2x3xf32>
  }
  return %dx : tensor<2x3xf32>
}
