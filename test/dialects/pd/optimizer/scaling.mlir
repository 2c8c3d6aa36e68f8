// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @add_n
func.func @add_n(%inputs: tensor<f32>, %b: tensor<f32>) {
  // CHECK: pd.add_n %{{.*}}, %{{.*}} : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %0 = pd.add_n %inputs, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func @average_accumulates
func.func @average_accumulates(%a: tensor<3xf32>, %b: tensor<1xi64>) {
  // CHECK: pd.average_accumulates %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {max_average_window = 9 : i64} : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>)
  %0:6 = pd.average_accumulates %a, %a, %a, %a, %b, %b, %b {max_average_window = 9 : i64} : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>)
  return
}

// CHECK-LABEL: func @check_finite_and_unscale
func.func @check_finite_and_unscale(%x: tensor<2xf32>, %scale: tensor<1xf32>) {
  // CHECK: pd.check_finite_and_unscale %{{.*}}, %{{.*}} : (tensor<2xf32>, tensor<1xf32>) -> (tensor<2xf32>, tensor<1xi1>)
  %0:2 = pd.check_finite_and_unscale %x, %scale : (tensor<2xf32>, tensor<1xf32>) -> (tensor<2xf32>, tensor<1xi1>)
  return
}

// CHECK-LABEL: func @coalesce_tensor
func.func @coalesce_tensor(%input: tensor<3xf32>, %copy_data: tensor<2x2xf32>) {
  // CHECK: pd.coalesce_tensor %{{.*}}, %{{.*}} {copy_data = true, dtype = f32} : (tensor<3xf32>, tensor<2x2xf32>) -> (tensor<3xf32>, tensor<2x2xf32>, tensor<2048xf32>)
  %0:3 = pd.coalesce_tensor %input, %copy_data {dtype = f32, copy_data = true} : (tensor<3xf32>, tensor<2x2xf32>) -> (tensor<3xf32>, tensor<2x2xf32>, tensor<2048xf32>)
  return
}

// CHECK-LABEL: func @pow2_decay_with_linear_warmup
func.func @pow2_decay_with_linear_warmup(%learning_rate: tensor<1xf32>, %step: tensor<1xi64>) {
  // CHECK: pd.pow2_decay_with_linear_warmup %{{.*}}, %{{.*}} {base_lr = 1.000000e-01 : f64, end_lr = 0.000000e+00 : f64, total_steps = 9 : i64, warmup_steps = 2 : i64} : (tensor<1xf32>, tensor<1xi64>) -> (tensor<1xf32>, tensor<1xi64>)
  %0:2 = pd.pow2_decay_with_linear_warmup %learning_rate, %step {warmup_steps = 2 : i64, total_steps = 9 : i64, base_lr = 0.1 : f64, end_lr = 0.0 : f64} : (tensor<1xf32>, tensor<1xi64>) -> (tensor<1xf32>, tensor<1xi64>)
  return
}

// CHECK-LABEL: func @update_loss_scaling
func.func @update_loss_scaling(%x: tensor<3xf32>, %found_infinite: tensor<1xi1>, %prev_loss_scaling: tensor<1xf32>, %in_good_steps: tensor<1xi32>, %in_bad_steps: tensor<1xi32>) {
  // CHECK: pd.update_loss_scaling %{{.*}} found_infinite = %{{.*}} prev_loss_scaling = %{{.*}} in_good_steps = %{{.*}} in_bad_steps = %{{.*}} {decr_every_n_nan_or_inf = 1 : i64, decr_ratio = 5.000000e-01 : f64, incr_every_n_steps = 2 : i64, incr_ratio = 2.000000e+00 : f64} : (tensor<3xf32>, tensor<1xi1>, tensor<1xf32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<3xf32>, tensor<1xf32>, tensor<1xi32>, tensor<1xi32>)
  %0:4 = pd.update_loss_scaling %x found_infinite = %found_infinite prev_loss_scaling = %prev_loss_scaling in_good_steps = %in_good_steps in_bad_steps = %in_bad_steps {decr_every_n_nan_or_inf = 1 : i64, decr_ratio = 5.000000e-01 : f64, incr_every_n_steps = 2 : i64, incr_ratio = 2.000000e+00 : f64} : (tensor<3xf32>, tensor<1xi1>, tensor<1xf32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<3xf32>, tensor<1xf32>, tensor<1xi32>, tensor<1xi32>)
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
