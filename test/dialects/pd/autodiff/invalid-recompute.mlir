// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @arguments(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{C1: expected block arguments of the types of the inputs}}
  %y = pd.checkpoint(%x : tensor<4xf32>) : tensor<4xf32> {
  ^bb0(%a: tensor<4xf64>):
    %e = pd.cast %a {dtype = f32} : (tensor<4xf64>) -> tensor<4xf32>
    pd.yield %e : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

// -----

func.func @random(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{C2: expected ops without effects, found 'pd.uniform'}}
  %y = pd.checkpoint(%x : tensor<4xf32>) : tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %u = pd.uniform {shape = array<i64: 4>, dtype = f32} : () -> tensor<4xf32>
    %e = pd.multiply %a, %u : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    pd.yield %e : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
