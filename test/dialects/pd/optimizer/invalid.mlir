// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @c1_grad(%p: tensor<2x3xf32>, %g: tensor<2x4xf32>, %lr: tensor<1xf32>) {
  // expected-error@+2 {{C1: grad must have the dimensions of param, found tensor<2x4xf32> and tensor<2x3xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.sgd"(%p, %lr, %g) : (tensor<2x3xf32>, tensor<1xf32>, tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @c1_state(%p: tensor<2x3xf32>, %v: tensor<2x4xf32>, %lr: tensor<1xf32>) {
  // expected-error@+2 {{C1: a state must have the dimensions of param}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.momentum"(%p, %p, %v, %lr) {mu = 0.9 : f64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x4xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<2x4xf32>)
  return
}

// -----

func.func @c2(%p: tensor<2x3xf32>, %lr: tensor<2xf32>) {
  // expected-error@+2 {{C2: learning_rate must have one element, found tensor<2xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.sgd"(%p, %lr, %p) : (tensor<2x3xf32>, tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @momentum_c3(%p: tensor<2xf32>, %lr: tensor<1xf32>) {
  // expected-error@+2 {{C3: regularization_method must be l2_decay or empty, found 'l1'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.momentum"(%p, %p, %p, %lr) {mu = 0.9 : f64, regularization_method = "l1"} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<1xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @rmsprop_c3(%p: tensor<2xf32>, %lr: tensor<1xf32>) {
  // expected-error@+2 {{C3: mean_grad is missing}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:4 = "pd.rmsprop"(%p, %p, %p, %p, %lr) {centered = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0>} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<1xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

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
