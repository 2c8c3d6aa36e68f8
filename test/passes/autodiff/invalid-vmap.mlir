// RUN: proa-opt %s --split-input-file --verify-diagnostics --pd-vmap=size=3

func.func @counts(%x: tensor<4xf32>) -> tensor<?x1xi64> {
  // expected-error @+1 {{'pd.nonzero' can not be batched: the extents of its results may differ from example to example}}
  %y = pd.nonzero %x : (tensor<4xf32>) -> tensor<?x1xi64>
  return %y : tensor<?x1xi64>
}

// -----

// expected-error @+1 {{no argument has a dimension for the examples}}
func.func @nothing() -> tensor<f32> {
  %c = pd.constant dense<1.0> : tensor<f32>
  return %c : tensor<f32>
}
