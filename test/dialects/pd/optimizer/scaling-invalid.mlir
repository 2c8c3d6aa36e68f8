// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @add_n_c1(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error@+2 {{C1: the inputs must have the same dimensions and element type}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.add_n"(%x, %y) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @unscale_c1(%x: tensor<2xf32>) {
  // expected-error@+2 {{C1: scale must have one element, found tensor<2xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.check_finite_and_unscale"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<1xi1>)
  return
}

// -----

func.func @coalesce_c1(%x: tensor<?xf32>) {
  // expected-error@+2 {{C1: the dimensions must be known, found tensor<?xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.coalesce_tensor"(%x) {dtype = f32} : (tensor<?xf32>) -> (tensor<?xf32>, tensor<8xf32>)
  return
}
