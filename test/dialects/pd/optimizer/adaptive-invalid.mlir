// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @rmsprop_c3(%p: tensor<2xf32>, %lr: tensor<1xf32>) {
  // expected-error@+2 {{C3: mean_grad is missing}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:4 = "pd.rmsprop"(%p, %p, %p, %p, %lr) {centered = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0>} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<1xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}
