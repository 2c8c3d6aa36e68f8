// RUN: proa-opt %s | proa-opt | FileCheck %s

// CHECK-LABEL: func @dequantize_abs_max
func.func @dequantize_abs_max(%x: tensor<2x3xi8>, %scale: tensor<1xf32>) {
  // CHECK: pd.dequantize_abs_max %{{.*}}, %{{.*}} {max_range = 1.270000e+02 : f64} : (tensor<2x3xi8>, tensor<1xf32>) -> tensor<2x3xf32>
  %0 = pd.dequantize_abs_max %x, %scale {max_range = 127.0 : f64} : (tensor<2x3xi8>, tensor<1xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func @dequantize_linear
func.func @dequantize_linear(%x: tensor<3x4xi8>, %scale: tensor<4xf32>, %zero_point: tensor<4xf32>) {
  // CHECK: pd.dequantize_linear %{{.*}} scale = %{{.*}} zero_point = %{{.*}} {moving_rate = 0.89999997615814208 : f64, quant_axis = 1 : i64} : (tensor<3x4xi8>, tensor<4xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  %0:4 = pd.dequantize_linear %x scale = %scale zero_point = %zero_point {moving_rate = 0.89999997615814208 : f64, quant_axis = 1 : i64} : (tensor<3x4xi8>, tensor<4xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  return
}

// CHECK-LABEL: func @dequantize_log
func.func @dequantize_log(%x: tensor<3x4xi8>, %dict: tensor<128xf32>) {
  // CHECK: pd.dequantize_log %{{.*}}, %{{.*}} : (tensor<3x4xi8>, tensor<128xf32>) -> tensor<3x4xf32>
  %0 = pd.dequantize_log %x, %dict : (tensor<3x4xi8>, tensor<128xf32>) -> tensor<3x4xf32>
  return
}

// CHECK-LABEL: func @dequantize
func.func @dequantize(%input: tensor<2x3xi8>) {
  // CHECK: pd.dequantize %{{.*}} {scale = 5.000000e+01 : f64} : (tensor<2x3xi8>) -> tensor<2x3xf32>
  %0 = pd.dequantize %input {scale = 50.0 : f64} : (tensor<2x3xi8>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func @fake_channel_wise_dequantize_max_abs
func.func @fake_channel_wise_dequantize_max_abs(%x: tensor<2x3xf32>, %scales: tensor<3xf32>, %quant_bits: tensor<1xf32>) {
  // CHECK: pd.fake_channel_wise_dequantize_max_abs %{{.*}}, %{{.*}}, %{{.*}} {quant_bits = array<i64: 8, 8>} : (tensor<2x3xf32>, tensor<3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  %0 = pd.fake_channel_wise_dequantize_max_abs %x, %scales, %quant_bits {quant_bits = array<i64: 8, 8>} : (tensor<2x3xf32>, tensor<3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func @fake_channel_wise_quantize_abs_max
func.func @fake_channel_wise_quantize_abs_max(%x: tensor<2x3xf32>) {
  // CHECK: pd.fake_channel_wise_quantize_abs_max %{{.*}} {quant_axis = 1 : i64} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  %0:2 = pd.fake_channel_wise_quantize_abs_max %x {quant_axis = 1 : i64} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  return
}

// CHECK-LABEL: func @fake_channel_wise_quantize_dequantize_abs_max
func.func @fake_channel_wise_quantize_dequantize_abs_max(%x: tensor<2x2xf32>) {
  // CHECK: pd.fake_channel_wise_quantize_dequantize_abs_max %{{.*}} {quant_axis = 1 : i64} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>)
  %0:2 = pd.fake_channel_wise_quantize_dequantize_abs_max %x {quant_axis = 1 : i64} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>)
  return
}

// CHECK-LABEL: func @fake_dequantize_max_abs
func.func @fake_dequantize_max_abs(%x: tensor<2x3xf32>, %scale: tensor<1xf32>) {
  // CHECK: pd.fake_dequantize_max_abs %{{.*}}, %{{.*}} {max_range = 1.270000e+02 : f64} : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  %0 = pd.fake_dequantize_max_abs %x, %scale {max_range = 127.0 : f64} : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func @fake_quantize_abs_max
func.func @fake_quantize_abs_max(%x: tensor<5xf32>) {
  // CHECK: pd.fake_quantize_abs_max %{{.*}} : (tensor<5xf32>) -> (tensor<5xf32>, tensor<1xf32>)
  %0:2 = pd.fake_quantize_abs_max %x : (tensor<5xf32>) -> (tensor<5xf32>, tensor<1xf32>)
  return
}

// CHECK-LABEL: func @fake_quantize_dequantize_abs_max
func.func @fake_quantize_dequantize_abs_max(%x: tensor<2x3xf32>) {
  // CHECK: pd.fake_quantize_dequantize_abs_max %{{.*}} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<1xf32>)
  %0:2 = pd.fake_quantize_dequantize_abs_max %x : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<1xf32>)
  return
}

// CHECK-LABEL: func @fake_quantize_dequantize_moving_average_abs_max
func.func @fake_quantize_dequantize_moving_average_abs_max(%x: tensor<2x3xf32>, %one: tensor<1xf32>) {
  // CHECK: pd.fake_quantize_dequantize_moving_average_abs_max %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  %0:4 = pd.fake_quantize_dequantize_moving_average_abs_max %x, %one : (tensor<2x3xf32>, tensor<1xf32>) -> (tensor<2x3xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  return
}

// CHECK-LABEL: func @fake_quantize_moving_average_abs_max
func.func @fake_quantize_moving_average_abs_max(%x: tensor<3x4xf32>, %in_scale: tensor<1xf32>) {
  // CHECK: pd.fake_quantize_moving_average_abs_max %{{.*}}, %{{.*}} {is_test = true, moving_rate = 0.89999997615814208 : f64} : (tensor<3x4xf32>, tensor<1xf32>) -> (tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  %0:4 = pd.fake_quantize_moving_average_abs_max %x, %in_scale {is_test = true, moving_rate = 0.89999997615814208 : f64} : (tensor<3x4xf32>, tensor<1xf32>) -> (tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  return
}

// CHECK-LABEL: func @fake_quantize_range_abs_max
func.func @fake_quantize_range_abs_max(%x: tensor<3x4xf32>, %in_scale: tensor<1xf32>) {
  // CHECK: pd.fake_quantize_range_abs_max %{{.*}}, %{{.*}} {is_test = true, window_size = 10 : i64} : (tensor<3x4xf32>, tensor<1xf32>) -> (tensor<3x4xf32>, tensor<1xf32>, tensor<10xf32>)
  %0:3 = pd.fake_quantize_range_abs_max %x, %in_scale {is_test = true, window_size = 10 : i64} : (tensor<3x4xf32>, tensor<1xf32>) -> (tensor<3x4xf32>, tensor<1xf32>, tensor<10xf32>)
  return
}

// CHECK-LABEL: func @moving_average_abs_max_scale
func.func @moving_average_abs_max_scale(%a: tensor<3x4xf32>, %b: tensor<1xf32>) {
  // CHECK: pd.moving_average_abs_max_scale %{{.*}} in_accum = %{{.*}} in_state = %{{.*}} {is_test = true, moving_rate = 0.89999997615814208 : f64} : (tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  %0:4 = pd.moving_average_abs_max_scale %a in_accum = %b in_state = %b {is_test = true, moving_rate = 0.89999997615814208 : f64} : (tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>) -> (tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  return
}

// CHECK-LABEL: func @quantize_linear
func.func @quantize_linear(%x: tensor<3x4xf32>, %scale: tensor<3xf32>, %zero_point: tensor<3xf32>) {
  // CHECK: pd.quantize_linear %{{.*}} scale = %{{.*}} zero_point = %{{.*}} {moving_rate = 0.89999997615814208 : f64} : (tensor<3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  %0:4 = pd.quantize_linear %x scale = %scale zero_point = %zero_point {moving_rate = 0.89999997615814208 : f64} : (tensor<3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  return
}

// CHECK-LABEL: func @quantize
func.func @quantize(%input: tensor<2x3xf32>) {
  // CHECK: pd.quantize %{{.*}} {scale = 5.000000e+01 : f64} : (tensor<2x3xf32>) -> tensor<2x3xui8>
  %0 = pd.quantize %input {scale = 50.0 : f64} : (tensor<2x3xf32>) -> tensor<2x3xui8>
  return
}

// CHECK-LABEL: func @requantize
func.func @requantize(%input: tensor<2x3xi8>) {
  // CHECK: pd.requantize %{{.*}} {scale_in = 2.000000e+00 : f64, scale_out = 4.000000e+00 : f64} : (tensor<2x3xi8>) -> tensor<2x3xi8>
  %0 = pd.requantize %input {scale_in = 2.0 : f64, scale_out = 4.0 : f64} : (tensor<2x3xi8>) -> tensor<2x3xi8>
  return
}

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

// CHECK-LABEL: @table
func.func @table(%x: tensor<3x4xi8>, %d: tensor<128xf32>) -> tensor<3x4xf32> {
  // CHECK: pd.dequantize_log {{.*}} -> tensor<3x4xf32>
  %0 = pd.dequantize_log %x, %d : (tensor<3x4xi8>, tensor<128xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// CHECK-LABEL: func @straight_through
func.func @straight_through(%x: tensor<2x3xf32>, %value: tensor<2x3xf32>) {
  // CHECK: pd.straight_through %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = pd.straight_through %x, %value : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
