// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @c1_grad(%p: tensor<2x3xf32>, %g: tensor<2x4xf32>, %lr: tensor<1xf32>) {
  // expected-error@+1 {{C1: grad must have the dimensions of param, found tensor<2x4xf32> and tensor<2x3xf32>}}
  %0 = "pd.sgd"(%p, %lr, %g) : (tensor<2x3xf32>, tensor<1xf32>, tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @c1_state(%p: tensor<2x3xf32>, %v: tensor<2x4xf32>, %lr: tensor<1xf32>) {
  // expected-error@+1 {{C1: a state must have the dimensions of param}}
  %0:2 = "pd.momentum"(%p, %p, %v, %lr) {mu = 0.9 : f64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x4xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<2x4xf32>)
  return
}

// -----

func.func @c2(%p: tensor<2x3xf32>, %lr: tensor<2xf32>) {
  // expected-error@+1 {{C2: learning_rate must have one element, found tensor<2xf32>}}
  %0 = "pd.sgd"(%p, %lr, %p) : (tensor<2x3xf32>, tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @rank_c1(%p: tensor<5xf32>, %i: tensor<3xi64>, %r: tensor<1xf32>) {
  // expected-error@+1 {{C1: param must have rank 2 and axis be 0 or 1, found rank 1 and axis 0}}
  %0:2 = "pd.sparse_momentum"(%p, %p, %p, %i, %r) {mu = 0.9} : (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<3xi64>, tensor<1xf32>) -> (tensor<5xf32>, tensor<5xf32>)
  return
}

// -----

func.func @dgc_momentum_c1(%a: tensor<2x3xf32>, %b: tensor<1xf32>, %v1: tensor<9xf32>) {
  // expected-error@+1 {{C1: grad must have the dimensions of param, found tensor<9xf32> and tensor<2x3xf32>}}
  %0:3 = pd.dgc_momentum %a, %v1, %a, %b, %b, %b {mu = 0.9 : f64} : (tensor<2x3xf32>, tensor<9xf32>, tensor<2x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  return
}

// -----

func.func @dgc_momentum_c2(%a: tensor<2x3xf32>, %b: tensor<1xf32>, %v3: tensor<2xf32>) {
  // expected-error@+1 {{C2: learning_rate must have one element, found tensor<2xf32>}}
  %0:3 = pd.dgc_momentum %a, %a, %a, %v3, %b, %b {mu = 0.9 : f64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  return
}

// -----

func.func @dpsgd_c1(%a: tensor<2x3xf32>, %b: tensor<1xf32>, %v1: tensor<9xf32>) {
  // expected-error@+1 {{C1: grad must have the dimensions of param, found tensor<9xf32> and tensor<2x3xf32>}}
  %0 = pd.dpsgd %a, %v1, %b {seed = 3 : i64} : (tensor<2x3xf32>, tensor<9xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @dpsgd_c2(%a: tensor<2x3xf32>, %v2: tensor<2xf32>) {
  // expected-error@+1 {{C2: learning_rate must have one element, found tensor<2xf32>}}
  %0 = pd.dpsgd %a, %a, %v2 {seed = 3 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @lars_momentum_c1(%a: tensor<2x3xf32>, %b: tensor<1xf32>, %v1: tensor<9xf32>) {
  // expected-error@+1 {{C1: grad must have the dimensions of param, found tensor<9xf32> and tensor<2x3xf32>}}
  %0:2 = pd.lars_momentum %a, %v1, %a, %b {mu = 0.9 : f64} : (tensor<2x3xf32>, tensor<9xf32>, tensor<2x3xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  return
}

// -----

func.func @lars_momentum_c2(%a: tensor<2x3xf32>, %v3: tensor<2xf32>) {
  // expected-error@+1 {{C2: learning_rate must have one element, found tensor<2xf32>}}
  %0:2 = pd.lars_momentum %a, %a, %a, %v3 {mu = 0.9 : f64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  return
}

// -----

func.func @momentum_c2(%a: tensor<2x3xf32>, %v3: tensor<2xf32>) {
  // expected-error@+1 {{C2: learning_rate must have one element, found tensor<2xf32>}}
  %0:2 = pd.momentum %a, %a, %a, %v3 {mu = 0.9 : f64, use_nesterov = true} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  return
}

// -----

func.func @proximal_adagrad_c1(%a: tensor<2x3xf32>, %b: tensor<1xf32>, %v2: tensor<9xf32>) {
  // expected-error@+1 {{C1: grad must have the dimensions of param, found tensor<9xf32> and tensor<2x3xf32>}}
  %0:2 = pd.proximal_adagrad %a, %a, %v2, %b : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<9xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  return
}

// -----

func.func @proximal_adagrad_c2(%a: tensor<2x3xf32>, %v3: tensor<2xf32>) {
  // expected-error@+1 {{C2: learning_rate must have one element, found tensor<2xf32>}}
  %0:2 = pd.proximal_adagrad %a, %a, %a, %v3 : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  return
}

// -----

func.func @proximal_gd_c1(%a: tensor<2x3xf32>, %b: tensor<1xf32>, %v1: tensor<9xf32>) {
  // expected-error@+1 {{C1: grad must have the dimensions of param, found tensor<9xf32> and tensor<2x3xf32>}}
  %0 = pd.proximal_gd %a, %v1, %b {l1 = 0.1 : f64} : (tensor<2x3xf32>, tensor<9xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @proximal_gd_c2(%a: tensor<2x3xf32>, %v2: tensor<2xf32>) {
  // expected-error@+1 {{C2: learning_rate must have one element, found tensor<2xf32>}}
  %0 = pd.proximal_gd %a, %a, %v2 {l1 = 0.1 : f64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @sparse_momentum_c1_axis(%a: tensor<5x4xf32>, %b: tensor<3x4xf32>, %c: tensor<3xi64>, %d: tensor<1xf32>) {
  // expected-error@+1 {{C1: param must have rank 2 and axis be 0 or 1, found rank 2 and axis 2}}
  %0:2 = pd.sparse_momentum %a, %b, %a, %c, %d {mu = 0.9, axis = 2 : i64} : (tensor<5x4xf32>, tensor<3x4xf32>, tensor<5x4xf32>, tensor<3xi64>, tensor<1xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>)
  return
}
