// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @dgc_momentum
func.func @dgc_momentum(%a: tensor<2x3xf32>, %b: tensor<1xf32>) {
  // CHECK: pd.dgc_momentum %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {mu = 9.000000e-01 : f64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  %0:3 = pd.dgc_momentum %a, %a, %a, %b, %b, %b {mu = 0.9 : f64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  return
}

// CHECK-LABEL: func @dpsgd
func.func @dpsgd(%a: tensor<2x3xf32>, %b: tensor<1xf32>) {
  // CHECK: pd.dpsgd %{{.*}}, %{{.*}}, %{{.*}} {seed = 3 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  %0 = pd.dpsgd %a, %a, %b {seed = 3 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func @lars_momentum
func.func @lars_momentum(%a: tensor<2x3xf32>, %b: tensor<1xf32>) {
  // CHECK: pd.lars_momentum %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {mu = 9.000000e-01 : f64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  %0:2 = pd.lars_momentum %a, %a, %a, %b {mu = 0.9 : f64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  return
}

// CHECK-LABEL: func @momentum
func.func @momentum(%a: tensor<2x3xf32>, %b: tensor<1xf32>) {
  // CHECK: pd.momentum %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {mu = 9.000000e-01 : f64, use_nesterov = true} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  %0:2 = pd.momentum %a, %a, %a, %b {mu = 0.9 : f64, use_nesterov = true} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  return
}

// CHECK-LABEL: func @proximal_adagrad
func.func @proximal_adagrad(%a: tensor<2x3xf32>, %b: tensor<1xf32>) {
  // CHECK: pd.proximal_adagrad %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  %0:2 = pd.proximal_adagrad %a, %a, %a, %b : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  return
}

// CHECK-LABEL: func @proximal_gd
func.func @proximal_gd(%a: tensor<2x3xf32>, %b: tensor<1xf32>) {
  // CHECK: pd.proximal_gd %{{.*}}, %{{.*}}, %{{.*}} {l1 = 1.000000e-01 : f64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  %0 = pd.proximal_gd %a, %a, %b {l1 = 0.1 : f64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func @sgd
func.func @sgd(%param: tensor<1xf16>, %learning_rate: tensor<1xf32>, %grad: tensor<1xf16>, %master_param: tensor<1xf32>) {
  // CHECK: pd.sgd %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {multi_precision = true} : (tensor<1xf16>, tensor<1xf32>, tensor<1xf16>, tensor<1xf32>) -> (tensor<1xf16>, tensor<1xf32>)
  %0:2 = pd.sgd %param, %learning_rate, %grad, %master_param {multi_precision = true} : (tensor<1xf16>, tensor<1xf32>, tensor<1xf16>, tensor<1xf32>) -> (tensor<1xf16>, tensor<1xf32>)
  return
}

// CHECK-LABEL: func @sparse_momentum
func.func @sparse_momentum(%a: tensor<5x4xf32>, %b: tensor<3x4xf32>, %c: tensor<3xi64>, %d: tensor<1xf32>) {
  // CHECK: pd.sparse_momentum %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {mu = 9.000000e-01 : f64} : (tensor<5x4xf32>, tensor<3x4xf32>, tensor<5x4xf32>, tensor<3xi64>, tensor<1xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>)
  %0:2 = pd.sparse_momentum %a, %b, %a, %c, %d {mu = 0.9} : (tensor<5x4xf32>, tensor<3x4xf32>, tensor<5x4xf32>, tensor<3xi64>, tensor<1xf32>) -> (tensor<5x4xf32>, tensor<5x4xf32>)
  return
}

// CHECK-LABEL: func @updates_uses
func.func @updates_uses(%p: tensor<2x3xf32>, %h: tensor<2x3xf16>, %one: tensor<1xf32>) {
  // CHECK: pd.sgd %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {multi_precision = true} : {{.*}} -> (tensor<2x3xf16>, tensor<2x3xf32>)
  %0:2 = pd.sgd %h, %one, %h, %p {multi_precision = true} : (tensor<2x3xf16>, tensor<1xf32>, tensor<2x3xf16>, tensor<2x3xf32>) -> (tensor<2x3xf16>, tensor<2x3xf32>)
  // CHECK: pd.momentum
  %1:2 = pd.momentum %p, %p, %p, %one {mu = 0.9 : f64, use_nesterov = true} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  // CHECK: pd.dgc_momentum
  %2:3 = pd.dgc_momentum %p, %p, %p, %one, %one, %one {mu = 0.9 : f64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  // CHECK: pd.lars_momentum
  %3:2 = pd.lars_momentum %p, %p, %p, %one {mu = 0.9 : f64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  // CHECK: pd.proximal_gd
  %4 = pd.proximal_gd %p, %p, %one {l1 = 0.1 : f64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  // CHECK: pd.proximal_adagrad
  %5:2 = pd.proximal_adagrad %p, %p, %p, %one : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  // CHECK: pd.dpsgd
  %6 = pd.dpsgd %p, %p, %one {seed = 3 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  return
}
