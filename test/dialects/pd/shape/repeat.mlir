// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @negative(%x: tensor<2xf32>) {
  %n = pd.constant dense<[1, -3]> : tensor<2xi64>
  // expected-error@+2 {{element 1 of repeats_tensor is -3, expected at least 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.repeat_interleave"(%x, %n) : (tensor<2xf32>, tensor<2xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @count(%x: tensor<3xf32>) {
  %n = pd.constant dense<[1, 3]> : tensor<2xi64>
  // expected-error@+2 {{repeats_tensor has 2 elements, expected 1 or 3}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.repeat_interleave"(%x, %n) : (tensor<3xf32>, tensor<2xi64>) -> tensor<?xf32>
  return
}
