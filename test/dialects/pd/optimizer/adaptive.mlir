// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @adadelta
func.func @adadelta(%param: tensor<3x4xf32>, %grad: tensor<3x4xf32>, %avg_squared_grad: tensor<3x4xf32>, %avg_squared_update: tensor<3x4xf32>, %learning_rate: tensor<1xf32>) {
  // CHECK: pd.adadelta %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} learning_rate = %{{.*}} {epsilon = 9.9999999747524271E-7 : f64, rho = 0.94999998807907104 : f64} : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<1xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>)
  %0:3 = pd.adadelta %param, %grad, %avg_squared_grad, %avg_squared_update learning_rate = %learning_rate {epsilon = 9.9999999747524271E-7 : f64, rho = 0.94999998807907104 : f64} : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<1xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>)
  return
}

// CHECK-LABEL: func @adagrad
func.func @adagrad(%param: tensor<3x4xf32>, %grad: tensor<3x4xf32>, %moment: tensor<3x4xf32>, %learning_rate: tensor<1xf32>) {
  // CHECK: pd.adagrad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {epsilon = 9.9999999747524271E-7 : f64} : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<1xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  %0:2 = pd.adagrad %param, %grad, %moment, %learning_rate {epsilon = 9.9999999747524271E-7 : f64} : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<1xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  return
}

// CHECK-LABEL: func @adam
func.func @adam(%param: tensor<3x4xf32>, %grad: tensor<3x4xf32>, %learning_rate: tensor<1xf32>, %moment1: tensor<3x4xf32>, %moment2: tensor<3x4xf32>, %moment2_max: tensor<1xf32>, %beta1_pow: tensor<1xf32>) {
  // CHECK: pd.adam %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {beta1 = 0.89999997615814208 : f64, beta2 = 0.99900001287460327 : f64, epsilon = 9.9999999392252903E-9 : f64} : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<1xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>)
  %0:6 = pd.adam %param, %grad, %learning_rate, %moment1, %moment2, %moment2_max, %beta1_pow {beta1 = 0.89999997615814208 : f64, beta2 = 0.99900001287460327 : f64, epsilon = 9.9999999392252903E-9 : f64} : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<1xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>)
  return
}

// CHECK-LABEL: func @adamax
func.func @adamax(%param: tensor<3x4xf32>, %grad: tensor<3x4xf32>, %learning_rate: tensor<1xf32>, %moment: tensor<3x4xf32>, %inf_norm: tensor<3x4xf32>, %beta1_pow: tensor<1xf32>) {
  // CHECK: pd.adamax %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {beta1 = 0.89999997615814208 : f64, beta2 = 0.99900001287460327 : f64, epsilon = 9.9999999392252903E-9 : f64} : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<1xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<1xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>)
  %0:3 = pd.adamax %param, %grad, %learning_rate, %moment, %inf_norm, %beta1_pow {beta1 = 0.89999997615814208 : f64, beta2 = 0.99900001287460327 : f64, epsilon = 9.9999999392252903E-9 : f64} : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<1xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<1xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>)
  return
}

// CHECK-LABEL: func @adamw
func.func @adamw(%param: tensor<4xf32>, %grad: tensor<4xf32>, %learning_rate: tensor<1xf32>, %moment1: tensor<4xf32>, %moment2: tensor<4xf32>, %moment2_max: tensor<1xf32>, %beta1_pow: tensor<1xf32>) {
  // CHECK: pd.adamw %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {beta1 = 0.89999997615814208 : f64, beta2 = 0.99000000953674316 : f64, coeff = 0.019999999552965164 : f64, epsilon = 9.9999999392252903E-9 : f64, with_decay = true} : (tensor<4xf32>, tensor<4xf32>, tensor<1xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>)
  %0:6 = pd.adamw %param, %grad, %learning_rate, %moment1, %moment2, %moment2_max, %beta1_pow {beta1 = 0.89999997615814208 : f64, beta2 = 0.99000000953674316 : f64, coeff = 0.019999999552965164 : f64, epsilon = 9.9999999392252903E-9 : f64, with_decay = true} : (tensor<4xf32>, tensor<4xf32>, tensor<1xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>)
  return
}

// CHECK-LABEL: func @asgd
func.func @asgd(%a: tensor<1xf64>, %b: tensor<1xf64>, %c: tensor<1xf64>) {
  // CHECK: pd.asgd %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>)
  %0:3 = pd.asgd %a, %b, %a, %c, %a, %b : (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>)
  return
}

// CHECK-LABEL: func @decayed_adagrad
func.func @decayed_adagrad(%a: tensor<2x3xf32>, %b: tensor<1xf32>) {
  // CHECK: pd.decayed_adagrad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  %0:2 = pd.decayed_adagrad %a, %a, %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  return
}

// CHECK-LABEL: func @ftrl
func.func @ftrl(%a: tensor<2x3xf32>, %b: tensor<1xf32>) {
  // CHECK: pd.ftrl %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  %0:3 = pd.ftrl %a, %a, %a, %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  return
}

// CHECK-LABEL: func @lamb
func.func @lamb(%param: tensor<3x4xf32>, %grad: tensor<3x4xf32>, %learning_rate: tensor<1xf32>, %moment1: tensor<3x4xf32>, %moment2: tensor<3x4xf32>, %beta1_pow: tensor<1xf32>, %beta2_pow: tensor<1xf32>) {
  // CHECK: pd.lamb %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {beta1 = 0.89999997615814208 : f64, beta2 = 0.99900001287460327 : f64, epsilon = 9.9999999747524271E-7 : f64, weight_decay = 0.0099999997764825821 : f64} : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<1xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>)
  %0:5 = pd.lamb %param, %grad, %learning_rate, %moment1, %moment2, %beta1_pow, %beta2_pow {beta1 = 0.89999997615814208 : f64, beta2 = 0.99900001287460327 : f64, epsilon = 9.9999999747524271E-7 : f64, weight_decay = 0.0099999997764825821 : f64} : (tensor<3x4xf32>, tensor<3x4xf32>, tensor<1xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>)
  return
}

// CHECK-LABEL: func @nadam
func.func @nadam(%a: tensor<1xf64>, %b: tensor<1xf64>) {
  // CHECK: pd.nadam %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {beta1 = 5.000000e-01 : f64, beta2 = 5.000000e-01 : f64, epsilon = 0.000000e+00 : f64, momentum_decay = 0.000000e+00 : f64} : (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>)
  %0:6 = pd.nadam %a, %a, %a, %a, %a, %a, %b, %b {beta1 = 0.5 : f64, beta2 = 0.5 : f64, epsilon = 0.0 : f64, momentum_decay = 0.0 : f64} : (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>)
  return
}

// CHECK-LABEL: func @radam
func.func @radam(%a: tensor<1xf64>, %b: tensor<1xf64>, %c: tensor<1xf64>) {
  // CHECK: pd.radam %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {beta1 = 5.000000e-01 : f64, beta2 = 7.500000e-01 : f64, epsilon = 0.000000e+00 : f64} : (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>)
  %0:6 = pd.radam %a, %b, %b, %b, %b, %b, %c, %c {beta1 = 0.5 : f64, beta2 = 0.75 : f64, epsilon = 0.0 : f64} : (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>)
  return
}

// CHECK-LABEL: func @rmsprop
func.func @rmsprop(%p: tensor<2xf32>, %lr: tensor<1xf32>) {
  // CHECK: pd.rmsprop %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<1xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  %0:4 = pd.rmsprop %p, %p, %p, %p, %lr : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<1xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// CHECK-LABEL: func @rprop
func.func @rprop(%param: tensor<3xf64>, %grad: tensor<3xf64>, %prev: tensor<3xf64>, %learning_rate: tensor<3xf64>, %master_param: tensor<2xf64>, %learning_rate_range: tensor<2xf64>) {
  // CHECK: pd.rprop %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>)
  %0:3 = pd.rprop %param, %grad, %prev, %learning_rate, %master_param, %learning_rate_range : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>)
  return
}

// CHECK-LABEL: func @updates_uses
func.func @updates_uses(%p: tensor<2x3xf32>, %one: tensor<1xf32>, %skip: tensor<1xi1>) {
  // CHECK: pd.adam %
  %7:6 = "pd.adam"(%p, %p, %one, %p, %p, %one, %one, %skip) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 1, 1, 0, 1, 0, 0, 0>} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xi1>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>, tensor<1xf32>)
  // CHECK: pd.adamw %
  %8:6 = "pd.adamw"(%p, %p, %one, %p, %p, %one, %one) {with_decay = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0>} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>, tensor<1xf32>)
  // CHECK: pd.adamax
  %9:3 = pd.adamax %p, %p, %one, %p, %p, %one : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  // CHECK: pd.adagrad
  %10:2 = pd.adagrad %p, %p, %p, %one : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  // CHECK: pd.decayed_adagrad
  %11:2 = pd.decayed_adagrad %p, %p, %p, %one : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  // CHECK: pd.adadelta
  %12:3 = "pd.adadelta"(%p, %p, %p, %p) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0>} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  // CHECK: pd.rmsprop
  %13:4 = "pd.rmsprop"(%p, %p, %p, %p, %one) {operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 0>} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  // CHECK: pd.lamb
  %14:5 = "pd.lamb"(%p, %p, %one, %p, %p, %one, %one) {weight_decay = 0.1 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0>} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>, tensor<1xf32>)
  // CHECK: pd.ftrl
  %15:3 = pd.ftrl %p, %p, %p, %p, %one : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  return
}
