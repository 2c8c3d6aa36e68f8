// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @cross(%x: tensor<2x4xf32>) {
  // expected-error@+2 {{C2: the dimension must have extent 3, found axis 9 of tensor<2x4xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.cross"(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @cross_c1(%a: tensor<2x3xf32>, %v1: tensor<2x3xf64>) {
  // expected-error@+2 {{C1: both operands must have one type, found tensor<2x3xf32> and tensor<2x3xf64>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = pd.cross %a, %v1 : (tensor<2x3xf32>, tensor<2x3xf64>) -> tensor<2x3xf32>
  return
}
