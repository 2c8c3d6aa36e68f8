// Update rules and the ops around them: parsed and printed, types inferred.
// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @updates
func.func @updates(%p: tensor<2x3xf32>, %h: tensor<2x3xf16>, %one: tensor<1xf32>, %skip: tensor<1xi1>) {
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

// CHECK-LABEL: func @around
func.func @around(%x: tensor<3xf32>, %y: tensor<2x2xf32>, %one: tensor<1xf32>, %n: tensor<1xi64>, %found: tensor<1xi1>) {
  // CHECK: pd.add_n
  %0 = pd.add_n %x, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  // CHECK: pd.check_finite_and_unscale
  %1:3 = pd.check_finite_and_unscale %x, %y, %one : (tensor<3xf32>, tensor<2x2xf32>, tensor<1xf32>) -> (tensor<3xf32>, tensor<2x2xf32>, tensor<1xi1>)
  // CHECK: pd.update_loss_scaling
  %2:4 = "pd.update_loss_scaling"(%x, %found, %one, %n, %n) {incr_every_n_steps = 2 : i64, decr_every_n_nan_or_inf = 1 : i64, incr_ratio = 2.0 : f64, decr_ratio = 0.5 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0>} : (tensor<3xf32>, tensor<1xi1>, tensor<1xf32>, tensor<1xi64>, tensor<1xi64>) -> (tensor<3xf32>, tensor<1xf32>, tensor<1xi64>, tensor<1xi64>)
  // CHECK: pd.average_accumulates
  %3:6 = pd.average_accumulates %x, %x, %x, %x, %n, %n, %n {max_average_window = 9 : i64} : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>)
  // CHECK: pd.coalesce_tensor {{.*}} -> (tensor<3xf32>, tensor<2x2xf32>, tensor<2048xf32>)
  %4:3 = pd.coalesce_tensor %x, %y {dtype = f32, copy_data = true} : (tensor<3xf32>, tensor<2x2xf32>) -> (tensor<3xf32>, tensor<2x2xf32>, tensor<2048xf32>)
  // CHECK: pd.pow2_decay_with_linear_warmup
  %5:2 = pd.pow2_decay_with_linear_warmup %one, %n {warmup_steps = 2 : i64, total_steps = 9 : i64, base_lr = 0.1 : f64, end_lr = 0.0 : f64} : (tensor<1xf32>, tensor<1xi64>) -> (tensor<1xf32>, tensor<1xi64>)
  return
}
