// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @rmsprop_c3(%p: tensor<2xf32>, %lr: tensor<1xf32>) {
  // expected-error@+1 {{C3: mean_grad is missing}}
  %0:4 = "pd.rmsprop"(%p, %p, %p, %p, %lr) {centered = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0>} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<1xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @adadelta_c1(%param: tensor<3x4xf32>, %avg_squared_grad: tensor<3x4xf32>, %avg_squared_update: tensor<3x4xf32>, %learning_rate: tensor<1xf32>, %v1: tensor<9xf32>) {
  // expected-error@+1 {{C1: grad must have the dimensions of param, found tensor<9xf32> and tensor<3x4xf32>}}
  %0:3 = pd.adadelta %param, %v1, %avg_squared_grad, %avg_squared_update learning_rate = %learning_rate {epsilon = 9.9999999747524271E-7 : f64, rho = 0.94999998807907104 : f64} : (tensor<3x4xf32>, tensor<9xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<1xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>)
  return
}

// -----

func.func @adadelta_c2(%param: tensor<3x4xf32>, %grad: tensor<3x4xf32>, %avg_squared_grad: tensor<3x4xf32>, %avg_squared_update: tensor<3x4xf32>, %v4: tensor<2xf32>) {
  // expected-error@+1 {{C2: learning_rate must have one element, found tensor<2xf32>}}
  %0:3 = pd.adadelta %param, %grad, %avg_squared_grad, %avg_squared_update learning_rate = %v4 {epsilon = 9.9999999747524271E-7 : f64, rho = 0.94999998807907104 : f64} : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<2xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>)
  return
}

// -----

func.func @adagrad_c1(%param: tensor<3x4xf32>, %moment: tensor<3x4xf32>, %learning_rate: tensor<1xf32>, %v1: tensor<9xf32>) {
  // expected-error@+1 {{C1: grad must have the dimensions of param, found tensor<9xf32> and tensor<3x4xf32>}}
  %0:2 = pd.adagrad %param, %v1, %moment, %learning_rate {epsilon = 9.9999999747524271E-7 : f64} : (tensor<3x4xf32>, tensor<9xf32>, tensor<3x4xf32>, tensor<1xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  return
}

// -----

func.func @adagrad_c2(%param: tensor<3x4xf32>, %grad: tensor<3x4xf32>, %moment: tensor<3x4xf32>, %v3: tensor<2xf32>) {
  // expected-error@+1 {{C2: learning_rate must have one element, found tensor<2xf32>}}
  %0:2 = pd.adagrad %param, %grad, %moment, %v3 {epsilon = 9.9999999747524271E-7 : f64} : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<2xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  return
}

// -----

func.func @adam_c1(%param: tensor<3x4xf32>, %learning_rate: tensor<1xf32>, %moment1: tensor<3x4xf32>, %moment2: tensor<3x4xf32>, %moment2_max: tensor<1xf32>, %beta1_pow: tensor<1xf32>, %v1: tensor<9xf32>) {
  // expected-error@+1 {{C1: grad must have the dimensions of param, found tensor<9xf32> and tensor<3x4xf32>}}
  %0:6 = pd.adam %param, %v1, %learning_rate, %moment1, %moment2, %moment2_max, %beta1_pow {beta1 = 0.89999997615814208 : f64, beta2 = 0.99900001287460327 : f64, epsilon = 9.9999999392252903E-9 : f64} : (tensor<3x4xf32>, tensor<9xf32>, tensor<1xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>)
  return
}

// -----

func.func @adam_c2(%param: tensor<3x4xf32>, %grad: tensor<3x4xf32>, %moment1: tensor<3x4xf32>, %moment2: tensor<3x4xf32>, %moment2_max: tensor<1xf32>, %beta1_pow: tensor<1xf32>, %v2: tensor<2xf32>) {
  // expected-error@+1 {{C2: learning_rate must have one element, found tensor<2xf32>}}
  %0:6 = pd.adam %param, %grad, %v2, %moment1, %moment2, %moment2_max, %beta1_pow {beta1 = 0.89999997615814208 : f64, beta2 = 0.99900001287460327 : f64, epsilon = 9.9999999392252903E-9 : f64} : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<2xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>)
  return
}

// -----

func.func @adamax_c1(%param: tensor<3x4xf32>, %learning_rate: tensor<1xf32>, %moment: tensor<3x4xf32>, %inf_norm: tensor<3x4xf32>, %beta1_pow: tensor<1xf32>, %v1: tensor<9xf32>) {
  // expected-error@+1 {{C1: grad must have the dimensions of param, found tensor<9xf32> and tensor<3x4xf32>}}
  %0:3 = pd.adamax %param, %v1, %learning_rate, %moment, %inf_norm, %beta1_pow {beta1 = 0.89999997615814208 : f64, beta2 = 0.99900001287460327 : f64, epsilon = 9.9999999392252903E-9 : f64} : (tensor<3x4xf32>, tensor<9xf32>, tensor<1xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<1xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>)
  return
}

// -----

func.func @adamax_c2(%param: tensor<3x4xf32>, %grad: tensor<3x4xf32>, %moment: tensor<3x4xf32>, %inf_norm: tensor<3x4xf32>, %beta1_pow: tensor<1xf32>, %v2: tensor<2xf32>) {
  // expected-error@+1 {{C2: learning_rate must have one element, found tensor<2xf32>}}
  %0:3 = pd.adamax %param, %grad, %v2, %moment, %inf_norm, %beta1_pow {beta1 = 0.89999997615814208 : f64, beta2 = 0.99900001287460327 : f64, epsilon = 9.9999999392252903E-9 : f64} : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<2xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<1xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>)
  return
}

// -----

func.func @adamw_c1(%param: tensor<4xf32>, %learning_rate: tensor<1xf32>, %moment1: tensor<4xf32>, %moment2: tensor<4xf32>, %moment2_max: tensor<1xf32>, %beta1_pow: tensor<1xf32>, %v1: tensor<9xf32>) {
  // expected-error@+1 {{C1: grad must have the dimensions of param, found tensor<9xf32> and tensor<4xf32>}}
  %0:6 = pd.adamw %param, %v1, %learning_rate, %moment1, %moment2, %moment2_max, %beta1_pow {beta1 = 0.89999997615814208 : f64, beta2 = 0.99000000953674316 : f64, coeff = 0.019999999552965164 : f64, epsilon = 9.9999999392252903E-9 : f64, with_decay = true} : (tensor<4xf32>, tensor<9xf32>, tensor<1xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>)
  return
}

// -----

func.func @adamw_c2(%param: tensor<4xf32>, %grad: tensor<4xf32>, %moment1: tensor<4xf32>, %moment2: tensor<4xf32>, %moment2_max: tensor<1xf32>, %beta1_pow: tensor<1xf32>, %v2: tensor<2xf32>) {
  // expected-error@+1 {{C2: learning_rate must have one element, found tensor<2xf32>}}
  %0:6 = pd.adamw %param, %grad, %v2, %moment1, %moment2, %moment2_max, %beta1_pow {beta1 = 0.89999997615814208 : f64, beta2 = 0.99000000953674316 : f64, coeff = 0.019999999552965164 : f64, epsilon = 9.9999999392252903E-9 : f64, with_decay = true} : (tensor<4xf32>, tensor<4xf32>, tensor<2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>)
  return
}

// -----

func.func @asgd_c1(%a: tensor<1xf64>, %b: tensor<1xf64>, %c: tensor<1xf64>, %v1: tensor<9xf32>) {
  // expected-error@+1 {{C1: grad must have the dimensions of param, found tensor<9xf32> and tensor<1xf64>}}
  %0:3 = pd.asgd %a, %v1, %a, %c, %a, %b : (tensor<1xf64>, tensor<9xf32>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>)
  return
}

// -----

func.func @asgd_c2(%a: tensor<1xf64>, %b: tensor<1xf64>, %c: tensor<1xf64>, %v2: tensor<2xf32>) {
  // expected-error@+1 {{C2: learning_rate must have one element, found tensor<2xf32>}}
  %0:3 = pd.asgd %a, %b, %v2, %c, %a, %b : (tensor<1xf64>, tensor<1xf64>, tensor<2xf32>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>)
  return
}

// -----

func.func @decayed_adagrad_c1(%a: tensor<2x3xf32>, %b: tensor<1xf32>, %v1: tensor<9xf32>) {
  // expected-error@+1 {{C1: grad must have the dimensions of param, found tensor<9xf32> and tensor<2x3xf32>}}
  %0:2 = pd.decayed_adagrad %a, %v1, %a, %b : (tensor<2x3xf32>, tensor<9xf32>, tensor<2x3xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  return
}

// -----

func.func @decayed_adagrad_c2(%a: tensor<2x3xf32>, %v3: tensor<2xf32>) {
  // expected-error@+1 {{C2: learning_rate must have one element, found tensor<2xf32>}}
  %0:2 = pd.decayed_adagrad %a, %a, %a, %v3 : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  return
}

// -----

func.func @ftrl_c1(%a: tensor<2x3xf32>, %b: tensor<1xf32>, %v3: tensor<9xf32>) {
  // expected-error@+1 {{C1: grad must have the dimensions of param, found tensor<9xf32> and tensor<2x3xf32>}}
  %0:3 = pd.ftrl %a, %a, %a, %v3, %b : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<9xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  return
}

// -----

func.func @ftrl_c2(%a: tensor<2x3xf32>, %v4: tensor<2xf32>) {
  // expected-error@+1 {{C2: learning_rate must have one element, found tensor<2xf32>}}
  %0:3 = pd.ftrl %a, %a, %a, %a, %v4 : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  return
}

// -----

func.func @lamb_c1(%param: tensor<3x4xf32>, %learning_rate: tensor<1xf32>, %moment1: tensor<3x4xf32>, %moment2: tensor<3x4xf32>, %beta1_pow: tensor<1xf32>, %beta2_pow: tensor<1xf32>, %v1: tensor<9xf32>) {
  // expected-error@+1 {{C1: grad must have the dimensions of param, found tensor<9xf32> and tensor<3x4xf32>}}
  %0:5 = pd.lamb %param, %v1, %learning_rate, %moment1, %moment2, %beta1_pow, %beta2_pow {beta1 = 0.89999997615814208 : f64, beta2 = 0.99900001287460327 : f64, epsilon = 9.9999999747524271E-7 : f64, weight_decay = 0.0099999997764825821 : f64} : (tensor<3x4xf32>, tensor<9xf32>, tensor<1xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>)
  return
}

// -----

func.func @lamb_c2(%param: tensor<3x4xf32>, %grad: tensor<3x4xf32>, %moment1: tensor<3x4xf32>, %moment2: tensor<3x4xf32>, %beta1_pow: tensor<1xf32>, %beta2_pow: tensor<1xf32>, %v2: tensor<2xf32>) {
  // expected-error@+1 {{C2: learning_rate must have one element, found tensor<2xf32>}}
  %0:5 = pd.lamb %param, %grad, %v2, %moment1, %moment2, %beta1_pow, %beta2_pow {beta1 = 0.89999997615814208 : f64, beta2 = 0.99900001287460327 : f64, epsilon = 9.9999999747524271E-7 : f64, weight_decay = 0.0099999997764825821 : f64} : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<2xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>)
  return
}

// -----

func.func @nadam_c1(%a: tensor<1xf64>, %b: tensor<1xf64>, %v1: tensor<9xf32>) {
  // expected-error@+1 {{C1: grad must have the dimensions of param, found tensor<9xf32> and tensor<1xf64>}}
  %0:6 = pd.nadam %a, %v1, %a, %a, %a, %a, %b, %b {beta1 = 0.5 : f64, beta2 = 0.5 : f64, epsilon = 0.0 : f64, momentum_decay = 0.0 : f64} : (tensor<1xf64>, tensor<9xf32>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>)
  return
}

// -----

func.func @nadam_c2(%a: tensor<1xf64>, %b: tensor<1xf64>, %v2: tensor<2xf32>) {
  // expected-error@+1 {{C2: learning_rate must have one element, found tensor<2xf32>}}
  %0:6 = pd.nadam %a, %a, %v2, %a, %a, %a, %b, %b {beta1 = 0.5 : f64, beta2 = 0.5 : f64, epsilon = 0.0 : f64, momentum_decay = 0.0 : f64} : (tensor<1xf64>, tensor<1xf64>, tensor<2xf32>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>)
  return
}

// -----

func.func @radam_c1(%a: tensor<1xf64>, %b: tensor<1xf64>, %c: tensor<1xf64>, %v1: tensor<9xf32>) {
  // expected-error@+1 {{C1: grad must have the dimensions of param, found tensor<9xf32> and tensor<1xf64>}}
  %0:6 = pd.radam %a, %v1, %b, %b, %b, %b, %c, %c {beta1 = 0.5 : f64, beta2 = 0.75 : f64, epsilon = 0.0 : f64} : (tensor<1xf64>, tensor<9xf32>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>)
  return
}

// -----

func.func @radam_c2(%a: tensor<1xf64>, %b: tensor<1xf64>, %c: tensor<1xf64>, %v2: tensor<2xf32>) {
  // expected-error@+1 {{C2: learning_rate must have one element, found tensor<2xf32>}}
  %0:6 = pd.radam %a, %b, %v2, %b, %b, %b, %c, %c {beta1 = 0.5 : f64, beta2 = 0.75 : f64, epsilon = 0.0 : f64} : (tensor<1xf64>, tensor<1xf64>, tensor<2xf32>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>)
  return
}

// -----

func.func @rmsprop_c1(%p: tensor<2xf32>, %lr: tensor<1xf32>, %v2: tensor<9xf32>) {
  // expected-error@+1 {{C1: grad must have the dimensions of param, found tensor<9xf32> and tensor<2xf32>}}
  %0:4 = pd.rmsprop %p, %p, %v2, %p, %lr : (tensor<2xf32>, tensor<2xf32>, tensor<9xf32>, tensor<2xf32>, tensor<1xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @rmsprop_c2(%p: tensor<2xf32>, %v4: tensor<2xf32>) {
  // expected-error@+1 {{C2: learning_rate must have one element, found tensor<2xf32>}}
  %0:4 = pd.rmsprop %p, %p, %p, %p, %v4 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @rprop_c1(%param: tensor<3xf64>, %prev: tensor<3xf64>, %learning_rate: tensor<3xf64>, %master_param: tensor<2xf64>, %learning_rate_range: tensor<2xf64>, %v1: tensor<9xf32>) {
  // expected-error@+1 {{C1: grad must have the dimensions of param, found tensor<9xf32> and tensor<3xf64>}}
  %0:3 = pd.rprop %param, %v1, %prev, %learning_rate, %master_param, %learning_rate_range : (tensor<3xf64>, tensor<9xf32>, tensor<3xf64>, tensor<3xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>)
  return
}
