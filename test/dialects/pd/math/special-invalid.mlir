// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @special_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<2x3xf32>' are incompatible with return type(s) of operation 'tensor<2x3xf64>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.lgamma"(%a0) : (tensor<2x3xf32>) -> tensor<2x3xf64>
  return
}

// -----

func.func @polygamma_c2(%a0: tensor<2xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.polygamma"(%a0) <{n = 1 : i64}> : (tensor<2xf32>) -> tensor<3xf32>
  return
}
