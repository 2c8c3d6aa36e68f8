// What the formulas give on small constants: values by hand.
// RUN: proa-opt %s --pd-refine-shapes --canonicalize | FileCheck %s

// 10 - 0.5 * 4, on a master copy of higher precision.
// CHECK-LABEL: @sgd
func.func @sgd() -> (tensor<1xf16>, tensor<1xf32>) {
  // CHECK-DAG: dense<8.000000e+00> : tensor<1xf16>
  // CHECK-DAG: dense<8.00048828> : tensor<1xf32>
  %p = pd.constant dense<10.0> : tensor<1xf16>
  %m = pd.constant dense<10.00048828125> : tensor<1xf32>
  %lr = pd.constant dense<0.5> : tensor<1xf32>
  %g = pd.constant dense<4.0> : tensor<1xf16>
  %0:2 = pd.sgd %p, %lr, %g, %m {multi_precision = true} : (tensor<1xf16>, tensor<1xf32>, tensor<1xf16>, tensor<1xf32>) -> (tensor<1xf16>, tensor<1xf32>)
  return %0#0, %0#1 : tensor<1xf16>, tensor<1xf32>
}

// v = 0.5 * 2 + (3 + 0.25 * 4) = 5; p = 4 - 0.1 * (4 + 0.5 * 5).
// CHECK-LABEL: @momentum
func.func @momentum() -> (tensor<1xf64>, tensor<1xf64>) {
  // CHECK-DAG: dense<3.35{{(0*)?.*}}> : tensor<1xf64>
  // CHECK-DAG: dense<5.000000e+00> : tensor<1xf64>
  %p = pd.constant dense<4.0> : tensor<1xf64>
  %g = pd.constant dense<3.0> : tensor<1xf64>
  %v = pd.constant dense<2.0> : tensor<1xf64>
  %lr = pd.constant dense<0.1> : tensor<1xf64>
  %0:2 = pd.momentum %p, %g, %v, %lr regularization_method = l2_decay {mu = 0.5 : f64, use_nesterov = true, regularization_coeff = 0.25 : f64} : (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>)
  return %0#0, %0#1 : tensor<1xf64>, tensor<1xf64>
}

// A first step of adam goes the learning rate far, whatever the gradient; the powers of beta advance.
// CHECK-LABEL: @adam
func.func @adam() -> (tensor<2xf64>, tensor<1xf64>) {
  // CHECK-DAG: dense<[9.000000e-01, 1.100000e+00]> : tensor<2xf64>
  // CHECK-DAG: dense<2.500000e-01> : tensor<1xf64>
  %p = pd.constant dense<1.0> : tensor<2xf64>
  %g = pd.constant dense<[8.0, -2.0]> : tensor<2xf64>
  %zero = pd.constant dense<0.0> : tensor<2xf64>
  %lr = pd.constant dense<0.1> : tensor<1xf64>
  %b = pd.constant dense<0.5> : tensor<1xf64>
  %0:6 = "pd.adam"(%p, %g, %lr, %zero, %zero, %b, %b) {beta1 = 0.5 : f64, beta2 = 0.5 : f64, epsilon = 0.0 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 0, 0, 0>} : (tensor<2xf64>, tensor<2xf64>, tensor<1xf64>, tensor<2xf64>, tensor<2xf64>, tensor<1xf64>, tensor<1xf64>) -> (tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<1xf64>, tensor<1xf64>)
  return %0#0, %0#4 : tensor<2xf64>, tensor<1xf64>
}

// An infinite gradient: the scale is halved, the gradients count as zero.
// CHECK-LABEL: @loss_scaling
func.func @loss_scaling() -> (tensor<1xi1>, tensor<1xf32>, tensor<2xf32>) {
  // CHECK-DAG: dense<true> : tensor<1xi1>
  // CHECK-DAG: dense<4.000000e+00> : tensor<1xf32>
  // CHECK-DAG: dense<0.000000e+00> : tensor<2xf32>
  %g = pd.constant dense<[1.0, 0x7F800000]> : tensor<2xf32>
  %s = pd.constant dense<8.0> : tensor<1xf32>
  %n = pd.constant dense<0> : tensor<1xi32>
  %0:2 = pd.check_finite_and_unscale %g, %s : (tensor<2xf32>, tensor<1xf32>) -> (tensor<2xf32>, tensor<1xi1>)
  %1:4 = "pd.update_loss_scaling"(%0#0, %0#1, %s, %n, %n) {incr_every_n_steps = 2 : i64, decr_every_n_nan_or_inf = 1 : i64, incr_ratio = 2.0 : f64, decr_ratio = 0.5 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 0>} : (tensor<2xf32>, tensor<1xi1>, tensor<1xf32>, tensor<1xi32>, tensor<1xi32>) -> (tensor<2xf32>, tensor<1xf32>, tensor<1xi32>, tensor<1xi32>)
  return %0#1, %1#1, %1#0 : tensor<1xi1>, tensor<1xf32>, tensor<2xf32>
}

// Powers of 0.96 to 0 are 1: mu and the next one are 0.5 * (1 - 0.5) = 0.25, their product 0.0625; the mean is
// 0.25 * 0.5 / 0.9375 + 0.75 * 1 / 0.75, and the divisor sqrt(0.5 / 0.5).
// CHECK-LABEL: @nadam
func.func @nadam() -> (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>) {
  // CHECK-DAG: dense<-0.1333333{{.*}}> : tensor<1xf64>
  // CHECK-DAG: dense<0.9599999{{.*}}> : tensor<1xf64>
  // CHECK-DAG: dense<2.500000e-01> : tensor<1xf64>
  %one = pd.constant dense<1.0> : tensor<1xf64>
  %zero = pd.constant dense<0.0> : tensor<1xf64>
  %0:6 = pd.nadam %one, %one, %one, %one, %one, %one, %zero, %zero {beta1 = 0.5 : f64, beta2 = 0.5 : f64, epsilon = 0.0 : f64, momentum_decay = 0.0 : f64} : (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>
}

// rho is (0.75 - 0.75 + 0.75) / 0.25 = 3, the length 7 - 2 * 3 = 1: a step of plain momentum, 3 - 0.5 / 0.5.
// CHECK-LABEL: @radam
func.func @radam() -> (tensor<1xf64>, tensor<1xf64>) {
  // CHECK-DAG: dense<2.000000e+00> : tensor<1xf64>
  // CHECK-DAG: dense<3.000000e+00> : tensor<1xf64>
  %p = pd.constant dense<3.0> : tensor<1xf64>
  %one = pd.constant dense<1.0> : tensor<1xf64>
  %zero = pd.constant dense<0.0> : tensor<1xf64>
  %0:6 = pd.radam %p, %one, %one, %one, %one, %one, %zero, %zero {beta1 = 0.5 : f64, beta2 = 0.75 : f64, epsilon = 0.0 : f64} : (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>)
  return %0#0, %0#3 : tensor<1xf64>, tensor<1xf64>
}

// The first element goes on in its direction, by 0.5 * 1.5; the second turned: no step, and half the rate; the third's
// rate stays below the greatest.
// CHECK-LABEL: @rprop
func.func @rprop() -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) {
  // CHECK-DAG: dense<[2.500000e-01, 1.000000e+00, 2.000000e+00]> : tensor<3xf64>
  // CHECK-DAG: dense<[2.000000e+00, 0.000000e+00, -1.000000e+00]> : tensor<3xf64>
  // CHECK-DAG: dense<[7.500000e-01, 2.500000e-01, 1.000000e+00]> : tensor<3xf64>
  %p = pd.constant dense<1.0> : tensor<3xf64>
  %g = pd.constant dense<[2.0, 2.0, -1.0]> : tensor<3xf64>
  %prev = pd.constant dense<[1.0, -1.0, -1.0]> : tensor<3xf64>
  %rate = pd.constant dense<[0.5, 0.5, 0.9]> : tensor<3xf64>
  %range = pd.constant dense<[0.0, 1.0]> : tensor<2xf64>
  %etas = pd.constant dense<[0.5, 1.5]> : tensor<2xf64>
  %0:3 = pd.rprop %p, %g, %prev, %rate, %range, %etas : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>)
  return %0#0, %0#1, %0#2 : tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
}

// The sum of the last gradients becomes 3 - 1 + 2, of which a step takes the half.
// CHECK-LABEL: @asgd
func.func @asgd() -> (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>) {
  // CHECK-DAG: dense<-1.000000e+00> : tensor<1xf64>
  // CHECK-DAG: dense<4.000000e+00> : tensor<1xf64>
  // CHECK-DAG: dense<2.000000e+00> : tensor<1xf64>
  %one = pd.constant dense<1.0> : tensor<1xf64>
  %two = pd.constant dense<2.0> : tensor<1xf64>
  %three = pd.constant dense<3.0> : tensor<1xf64>
  %0:3 = pd.asgd %one, %two, %one, %three, %one, %two : (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>, tensor<1xf64>) -> (tensor<1xf64>, tensor<1xf64>, tensor<1xf64>)
  return %0#0, %0#1, %0#2 : tensor<1xf64>, tensor<1xf64>, tensor<1xf64>
}
