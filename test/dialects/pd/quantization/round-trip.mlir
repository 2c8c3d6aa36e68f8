// Quantization: parsed and printed, types inferred.
// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @all
func.func @all(%x: tensor<2x3xf32>, %q: tensor<2x3xi8>, %one: tensor<1xf32>, %s: tensor<3xf32>) {
  // CHECK: pd.quantize_linear
  %0:4 = "pd.quantize_linear"(%x, %s) {quant_axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>} : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  // CHECK: pd.dequantize_linear {{.*}} -> (tensor<2x3xf32>
  %1:4 = "pd.dequantize_linear"(%q, %one) {quant_axis = -1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>} : (tensor<2x3xi8>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  // CHECK: pd.fake_quantize_abs_max
  %2:2 = pd.fake_quantize_abs_max %x : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<1xf32>)
  // CHECK: pd.fake_quantize_dequantize_abs_max
  %3:2 = pd.fake_quantize_dequantize_abs_max %x : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<1xf32>)
  // CHECK: pd.fake_channel_wise_quantize_abs_max {{.*}} -> (tensor<2x3xf32>, tensor<3xf32>)
  %4:2 = pd.fake_channel_wise_quantize_abs_max %x {quant_axis = 1 : i64} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  // CHECK: pd.fake_channel_wise_quantize_dequantize_abs_max
  %5:2 = pd.fake_channel_wise_quantize_dequantize_abs_max %x : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)
  // CHECK: pd.fake_quantize_moving_average_abs_max
  %6:4 = "pd.fake_quantize_moving_average_abs_max"(%x, %one) {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<2x3xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  // CHECK: pd.fake_quantize_dequantize_moving_average_abs_max
  %7:4 = "pd.fake_quantize_dequantize_moving_average_abs_max"(%x, %one) {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<2x3xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  // CHECK: pd.moving_average_abs_max_scale
  %8:4 = "pd.moving_average_abs_max_scale"(%x) {operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  // CHECK: pd.fake_quantize_range_abs_max
  %9:3 = "pd.fake_quantize_range_abs_max"(%x, %one) {is_test = true, window_size = 4 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<2x3xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<1xf32>, tensor<4xf32>)
  // CHECK: pd.fake_dequantize_max_abs
  %10 = pd.fake_dequantize_max_abs %x, %one {max_range = 127.0 : f64} : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  // CHECK: pd.fake_channel_wise_dequantize_max_abs
  %11 = pd.fake_channel_wise_dequantize_max_abs %x, %s, %one {quant_bits = array<i64: 8, 8>} : (tensor<2x3xf32>, tensor<3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  // CHECK: pd.dequantize_abs_max
  %12 = pd.dequantize_abs_max %q, %one {max_range = 127.0 : f64} : (tensor<2x3xi8>, tensor<1xf32>) -> tensor<2x3xf32>
  // CHECK: pd.quantize %{{.*}} -> tensor<2x3xui8>
  %13 = pd.quantize %x {scale = 50.0 : f64} : (tensor<2x3xf32>) -> tensor<2x3xui8>
  // CHECK: pd.dequantize %
  %14 = pd.dequantize %q {scale = 50.0 : f64} : (tensor<2x3xi8>) -> tensor<2x3xf32>
  // CHECK: pd.requantize
  %15 = pd.requantize %q {scale_in = 2.0 : f64, scale_out = 4.0 : f64} : (tensor<2x3xi8>) -> tensor<2x3xi8>
  return
}
