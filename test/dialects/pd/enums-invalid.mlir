// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @unknown_keyword(%x: tensor<1x2x4x4xf32>) {
  // expected-error@+2 {{expected one of [max, avg] for kind of pooling, got: sum}}
  // expected-error@+1 {{failed to parse Pd_PoolingTypeAttr parameter 'value'}}
  %0 = pd.pool2d %x pooling_type = sum {kernel_size = array<i64: 2, 2>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x3x3xf32>
  return
}

// -----

func.func @no_keyword(%x: tensor<1x2x4x4xf32>) {
  // expected-error@+2 {{expected keyword for order of an image's dimensions}}
  // expected-error@+1 {{failed to parse Pd_DataFormatAttr parameter 'value'}}
  %0 = pd.pool2d %x data_format = 1 {kernel_size = array<i64: 2, 2>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x3x3xf32>
  return
}

// -----

func.func @unknown_in_full(%x: tensor<1x2x4x4xf32>) {
  // expected-error@+2 {{expected one of [EXPLICIT, SAME, VALID] for rule for the paddings of a window, got: FULL}}
  // expected-error@+1 {{failed to parse Pd_PaddingAlgorithmAttr parameter 'value'}}
  %0 = "pd.pool2d"(%x) {kernel_size = array<i64: 2, 2>, padding_algorithm = #pd<padding_algorithm FULL>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x3x3xf32>
  return
}

// -----

// How programs were printed before pd had enums.
func.func @string_in_dictionary(%x: tensor<1x4x4x2xf32>) {
  // expected-error@+1 {{attribute 'data_format' failed to satisfy constraint: order of an image's dimensions (a keyword before the attribute dictionary: NCHW, NHWC, NCDHW, NDHWC, NCL, NLC, NCW, NWC, AnyLayout)}}
  %0 = pd.pool2d %x {data_format = "NHWC", kernel_size = array<i64: 2, 2>} : (tensor<1x4x4x2xf32>) -> tensor<1x3x3x2xf32>
  return
}

// -----

// Of another enum.
func.func @other_enum(%x: tensor<1x4x4x2xf32>) {
  // expected-error@+1 {{attribute 'data_format' failed to satisfy constraint: order of an image's dimensions}}
  %0 = pd.pool2d %x {data_format = #pd<pooling_type max>, kernel_size = array<i64: 2, 2>} : (tensor<1x4x4x2xf32>) -> tensor<1x3x3x2xf32>
  return
}
