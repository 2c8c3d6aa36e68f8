// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @reduce_as_c1(%x: tensor<2x3x4xf32>, %t: tensor<2x4xf32>) {
  // expected-error@+2 {{C1: tensor<2x4xf32> does not broadcast to tensor<2x3x4xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.reduce_as"(%x, %t) : (tensor<2x3x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}
