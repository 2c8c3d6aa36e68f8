// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @c1(%x: tensor<2xf32>) {
  // expected-error@+1 {{C1: bit_length must be in [2, 16], found 1}}
  %0:2 = "pd.fake_quantize_abs_max"(%x) {bit_length = 1 : i64} : (tensor<2xf32>) -> (tensor<2xf32>, tensor<1xf32>)
  return
}

// -----

func.func @c2(%x: tensor<2xf32>) {
  // expected-error@+1 {{C2: round_type must be 0 or 1, found 2}}
  %0:2 = "pd.fake_quantize_abs_max"(%x) {round_type = 2 : i64} : (tensor<2xf32>) -> (tensor<2xf32>, tensor<1xf32>)
  return
}

// -----

func.func @c3(%x: tensor<2xf32>) {
  // expected-error@+1 {{C3: quant_axis must be -1 or a dimension of x, found 1 for tensor<2xf32>}}
  %0:2 = "pd.fake_channel_wise_quantize_abs_max"(%x) {quant_axis = 1 : i64} : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @c4(%x: tensor<2xf32>, %s: tensor<3xf32>) {
  // expected-error@+1 {{C4: scale must have 2 elements, found tensor<3xf32>}}
  %0:4 = "pd.quantize_linear"(%x, %s) {operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>} : (tensor<2xf32>, tensor<3xf32>) -> (tensor<2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  return
}

// -----

func.func @c5_scale(%x: tensor<2xf32>) {
  // expected-error@+1 {{C5: scale is missing}}
  %0:4 = "pd.quantize_linear"(%x) {operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>} : (tensor<2xf32>) -> (tensor<2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  return
}

// -----

func.func @c5_range(%x: tensor<2xf32>, %s: tensor<1xf32>) {
  // expected-error@+1 {{C5: iter or in_scales is missing}}
  %0:3 = "pd.fake_quantize_range_abs_max"(%x, %s) {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<2xf32>, tensor<1xf32>) -> (tensor<2xf32>, tensor<1xf32>, tensor<4xf32>)
  return
}

// -----

func.func @c5_channels(%x: tensor<2xf32>) {
  // expected-error@+1 {{C5: expected one or two tensors of scales and as many quant_bits, found 0 and 1}}
  %0 = "pd.fake_channel_wise_dequantize_max_abs"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @c6(%x: tensor<2xf32>, %s: tensor<1xf32>) {
  // expected-error@+1 {{C6: window_size must be positive, found -10}}
  %0:3 = "pd.fake_quantize_range_abs_max"(%x, %s) {operandSegmentSizes = array<i32: 1, 1, 0, 0>, is_test = true, window_size = -10 : i64} : (tensor<2xf32>, tensor<1xf32>) -> (tensor<2xf32>, tensor<1xf32>, tensor<4xf32>)
  return
}

// -----

func.func @size_c1(%x: tensor<3x4xi8>, %d: tensor<100xf32>) {
  // expected-error@+1 {{C1: dict must have 128 elements, found 100}}
  %0 = "pd.dequantize_log"(%x, %d) : (tensor<3x4xi8>, tensor<100xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @dequantize_linear_c1(%x: tensor<3x4xi8>, %scale: tensor<4xf32>, %zero_point: tensor<4xf32>) {
  // expected-error@+1 {{C1: bit_length must be in [2, 16], found 17}}
  %0:4 = pd.dequantize_linear %x scale = %scale zero_point = %zero_point {moving_rate = 0.89999997615814208 : f64, quant_axis = 1 : i64, bit_length = 17 : i64} : (tensor<3x4xi8>, tensor<4xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  return
}

// -----

func.func @dequantize_linear_c2(%x: tensor<3x4xi8>, %scale: tensor<4xf32>, %zero_point: tensor<4xf32>) {
  // expected-error@+1 {{C2: round_type must be 0 or 1, found 2}}
  %0:4 = pd.dequantize_linear %x scale = %scale zero_point = %zero_point {moving_rate = 0.89999997615814208 : f64, quant_axis = 1 : i64, round_type = 2 : i64} : (tensor<3x4xi8>, tensor<4xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  return
}

// -----

func.func @fake_channel_wise_quantize_abs_max_c1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: bit_length must be in [2, 16], found 17}}
  %0:2 = pd.fake_channel_wise_quantize_abs_max %x {quant_axis = 1 : i64, bit_length = 17 : i64} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @fake_channel_wise_quantize_abs_max_c2(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{C2: round_type must be 0 or 1, found 2}}
  %0:2 = pd.fake_channel_wise_quantize_abs_max %x {quant_axis = 1 : i64, round_type = 2 : i64} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @fake_channel_wise_quantize_dequantize_abs_max_c1(%x: tensor<2x2xf32>) {
  // expected-error@+1 {{C1: bit_length must be in [2, 16], found 17}}
  %0:2 = pd.fake_channel_wise_quantize_dequantize_abs_max %x {quant_axis = 1 : i64, bit_length = 17 : i64} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @fake_channel_wise_quantize_dequantize_abs_max_c2(%x: tensor<2x2xf32>) {
  // expected-error@+1 {{C2: round_type must be 0 or 1, found 2}}
  %0:2 = pd.fake_channel_wise_quantize_dequantize_abs_max %x {quant_axis = 1 : i64, round_type = 2 : i64} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @fake_quantize_range_abs_max_c1(%x: tensor<3x4xf32>, %in_scale: tensor<1xf32>) {
  // expected-error@+1 {{C1: bit_length must be in [2, 16], found 17}}
  %0:3 = pd.fake_quantize_range_abs_max %x, %in_scale {is_test = true, window_size = 10 : i64, bit_length = 17 : i64} : (tensor<3x4xf32>, tensor<1xf32>) -> (tensor<3x4xf32>, tensor<1xf32>, tensor<10xf32>)
  return
}

// -----

func.func @fake_quantize_range_abs_max_c2(%x: tensor<3x4xf32>, %in_scale: tensor<1xf32>) {
  // expected-error@+1 {{C2: round_type must be 0 or 1, found 2}}
  %0:3 = pd.fake_quantize_range_abs_max %x, %in_scale {is_test = true, window_size = 10 : i64, round_type = 2 : i64} : (tensor<3x4xf32>, tensor<1xf32>) -> (tensor<3x4xf32>, tensor<1xf32>, tensor<10xf32>)
  return
}

// -----

func.func @quantize_linear_c1(%x: tensor<3x4xf32>, %scale: tensor<3xf32>, %zero_point: tensor<3xf32>) {
  // expected-error@+1 {{C1: bit_length must be in [2, 16], found 17}}
  %0:4 = pd.quantize_linear %x scale = %scale zero_point = %zero_point {moving_rate = 0.89999997615814208 : f64, bit_length = 17 : i64} : (tensor<3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  return
}

// -----

func.func @quantize_linear_c2(%x: tensor<3x4xf32>, %scale: tensor<3xf32>, %zero_point: tensor<3xf32>) {
  // expected-error@+1 {{C2: round_type must be 0 or 1, found 2}}
  %0:4 = pd.quantize_linear %x scale = %scale zero_point = %zero_point {moving_rate = 0.89999997615814208 : f64, round_type = 2 : i64} : (tensor<3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  return
}

// -----

func.func @dequantize_linear_c3(%x: tensor<3x4xi8>, %scale: tensor<4xf32>, %zero_point: tensor<4xf32>) {
  // expected-error@+1 {{C3: quant_axis must be -1 or a dimension of x, found 2 for tensor<3x4xi8>}}
  %0:4 = pd.dequantize_linear %x scale = %scale zero_point = %zero_point {moving_rate = 0.89999997615814208 : f64, quant_axis = 2 : i64} : (tensor<3x4xi8>, tensor<4xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  return
}

// -----

func.func @dequantize_linear_c4(%x: tensor<3x4xi8>, %scale: tensor<3xf32>, %zero_point: tensor<4xf32>) {
  // expected-error@+1 {{C4: scale must have 4 elements, found tensor<3xf32>}}
  %0:4 = pd.dequantize_linear %x scale = %scale zero_point = %zero_point {moving_rate = 0.89999997615814208 : f64, quant_axis = 1 : i64} : (tensor<3x4xi8>, tensor<3xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  return
}

// -----

func.func @dequantize_linear_c5(%x: tensor<3x4xi8>, %zero_point: tensor<4xf32>) {
  // expected-error@+1 {{C5: scale is missing}}
  %0:4 = pd.dequantize_linear %x zero_point = %zero_point {moving_rate = 0.89999997615814208 : f64, quant_axis = 1 : i64} : (tensor<3x4xi8>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  return
}

// -----

func.func @fake_channel_wise_dequantize_max_abs_c4(%x: tensor<2x3xf32>, %scales: tensor<4xf32>, %quant_bits: tensor<1xf32>) {
  // expected-error@+1 {{C4: scale must have 3 elements, found tensor<4xf32>}}
  %0 = pd.fake_channel_wise_dequantize_max_abs %x, %scales, %quant_bits {quant_bits = array<i64: 8, 8>} : (tensor<2x3xf32>, tensor<4xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @fake_channel_wise_quantize_abs_max_c4(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2x3xf32>', 'tensor<3xf32>' are incompatible with return type(s) of operation 'tensor<2x3xf32>', 'tensor<4xf32>'}}
  %0:2 = pd.fake_channel_wise_quantize_abs_max %x {quant_axis = 1 : i64} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<4xf32>)
  return
}

// -----

func.func @fake_channel_wise_quantize_dequantize_abs_max_c3(%x: tensor<2x2xf32>) {
  // expected-error@+1 {{C3: quant_axis must be -1 or a dimension of x, found 2 for tensor<2x2xf32>}}
  %0:2 = pd.fake_channel_wise_quantize_dequantize_abs_max %x {quant_axis = 2 : i64} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @fake_channel_wise_quantize_dequantize_abs_max_c4(%x: tensor<2x2xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2x2xf32>', 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<2x2xf32>', 'tensor<3xf32>'}}
  %0:2 = pd.fake_channel_wise_quantize_dequantize_abs_max %x {quant_axis = 1 : i64} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<3xf32>)
  return
}

// -----

func.func @quantize_linear_c3(%x: tensor<3x4xf32>, %scale: tensor<3xf32>, %zero_point: tensor<3xf32>) {
  // expected-error@+1 {{C3: quant_axis must be -1 or a dimension of x, found 2 for tensor<3x4xf32>}}
  %0:4 = pd.quantize_linear %x scale = %scale zero_point = %zero_point {moving_rate = 0.89999997615814208 : f64, quant_axis = 2 : i64} : (tensor<3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3x4xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  return
}

// -----

func.func @straight_through_c1(%x: tensor<2x3xf32>, %value: tensor<2x3xf64>) {
  // expected-error@+1 {{C1: operands must have one element type, found f32 and f64}}
  %0 = pd.straight_through %x, %value : (tensor<2x3xf32>, tensor<2x3xf64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @straight_through_c2(%x: tensor<2x3xf32>, %value: tensor<2x4xf32>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 4 by another}}
  %0 = pd.straight_through %x, %value : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}
