// What the formulas give on small constants: values by hand.
// RUN: proa-opt %s --pd-refine-shapes --canonicalize | FileCheck %s

// A scale of 127 keeps the numbers: halves go away from zero, and both ends are -127 and 127.
// CHECK-LABEL: @away
func.func @away() -> (tensor<5xf32>, tensor<1xf32>) {
  // CHECK-DAG: dense<[1.000000e+00, 2.000000e+00, -3.000000e+00, 1.270000e+02, -1.270000e+02]>
  // CHECK-DAG: dense<1.270000e+02> : tensor<1xf32>
  %x = pd.constant dense<[0.5, 1.5, -2.5, 127.0, -127.0]> : tensor<5xf32>
  %0:2 = pd.fake_quantize_abs_max %x : (tensor<5xf32>) -> (tensor<5xf32>, tensor<1xf32>)
  return %0#0, %0#1 : tensor<5xf32>, tensor<1xf32>
}

// Halves to even; the lower end is one lower.
// CHECK-LABEL: @even
func.func @even() -> tensor<6xf32> {
  // CHECK: dense<[0.000000e+00, 2.000000e+00, -2.000000e+00, 4.000000e+00, 1.270000e+02, -1.280000e+02]>
  %x = pd.constant dense<[0.5, 1.5, -2.5, 3.5, 900.0, -900.0]> : tensor<6xf32>
  %s = pd.constant dense<127.0> : tensor<1xf32>
  %0:4 = "pd.quantize_linear"(%x, %s) {quant_axis = -1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>} : (tensor<6xf32>, tensor<1xf32>) -> (tensor<6xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  return %0#0 : tensor<6xf32>
}

// state = 0.5 * 2 + 1, accum = 0.5 * 6 + 5, scale = accum / state.
// CHECK-LABEL: @moving
func.func @moving() -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) {
  // CHECK-DAG: dense<4.000000e+00>
  // CHECK-DAG: dense<2.000000e+00>
  // CHECK-DAG: dense<8.000000e+00>
  %x = pd.constant dense<[1.0, -5.0]> : tensor<2xf32>
  %one = pd.constant dense<1.0> : tensor<1xf32>
  %accum = pd.constant dense<6.0> : tensor<1xf32>
  %state = pd.constant dense<2.0> : tensor<1xf32>
  %0:4 = "pd.fake_quantize_moving_average_abs_max"(%x, %one, %accum, %state) {moving_rate = 0.5 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1>} : (tensor<2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  return %0#1, %0#2, %0#3 : tensor<1xf32>, tensor<1xf32>, tensor<1xf32>
}

// Each column by its own maximum and back.
// CHECK-LABEL: @channels
func.func @channels() -> (tensor<2x2xf32>, tensor<2xf32>) {
  // CHECK-DAG: dense<{{\[\[}}1.270000e+02, 0.000000e+00], [0.000000e+00, 2.540000e+02]]>
  // CHECK-DAG: dense<[1.270000e+02, 2.540000e+02]>
  %x = pd.constant dense<[[127.0, 0.9], [0.4, 254.0]]> : tensor<2x2xf32>
  %0:2 = pd.fake_channel_wise_quantize_dequantize_abs_max %x {quant_axis = 1 : i64} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>)
  return %0#0, %0#1 : tensor<2x2xf32>, tensor<2xf32>
}

// The maximum that leaves the ring was the scale: the greatest of those left is the new one.
// CHECK-LABEL: @range
func.func @range() -> (tensor<1xf32>, tensor<3xf32>) {
  // CHECK-DAG: dense<4.000000e+00> : tensor<1xf32>
  // CHECK-DAG: dense<[2.000000e+00, 1.000000e+00, 4.000000e+00]>
  %x = pd.constant dense<[1.0, -0.5]> : tensor<2xf32>
  %s = pd.constant dense<9.0> : tensor<1xf32>
  %i = pd.constant dense<4> : tensor<1xi64>
  %r = pd.constant dense<[2.0, 9.0, 4.0]> : tensor<3xf32>
  %0:3 = "pd.fake_quantize_range_abs_max"(%x, %s, %i, %r) {window_size = 3 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 1>} : (tensor<2xf32>, tensor<1xf32>, tensor<1xi64>, tensor<3xf32>) -> (tensor<2xf32>, tensor<1xf32>, tensor<3xf32>)
  return %0#1, %0#2 : tensor<1xf32>, tensor<3xf32>
}
