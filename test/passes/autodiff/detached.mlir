// RUN: split-file %s %t
// RUN: proa-opt %t/jvp.mlir --pd-jvp --verify-diagnostics
// RUN: proa-opt %t/hessian.mlir --pd-hessian=function=f --verify-diagnostics

// Forward mode differentiates regions that are in no function. Whether an op there may wait for static dims was
// asked by a function of MLIR that needs one: a crash.
//--- jvp.mlir
func.func @f(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = pd.checkpoint(%x : tensor<?x3xf32>) : tensor<?x3xf32> {
  ^bb0(%y: tensor<?x3xf32>):
    // expected-error@+1 {{'math.exp' has no rule for its gradient}}
    %1 = math.exp %y : tensor<?x3xf32>
    pd.yield %1 : tensor<?x3xf32>
  }
  return %0 : tensor<?x3xf32>
}

//--- hessian.mlir
func.func @f(%x: tensor<5x6xf32>, %w: tensor<?x6xf32>, %lod: tensor<3xi64>) -> tensor<f32> {
  // expected-error@+1 {{'pd.vjp' cannot be batched: its decomposition needs dims that are dynamic}}
  %0 = pd.gru %x, %w, %lod : (tensor<5x6xf32>, tensor<?x6xf32>, tensor<3xi64>) -> tensor<5x2xf32>
  %1 = pd.sum %0 : (tensor<5x2xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}
