// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @bpr_c1(%p: tensor<4x5xf32>, %l: tensor<4x2xi64>) {
  // expected-error@+2 {{C1: label must have the dimensions of x with a last one of 1, found tensor<4x5xf32> and tensor<4x2xi64>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.bpr_loss"(%p, %l) : (tensor<4x5xf32>, tensor<4x2xi64>) -> tensor<4x1xf32>
  return
}
