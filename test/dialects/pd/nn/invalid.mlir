// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @conv_c1(%a: tensor<1x2x4xf32>, %b: tensor<1x2x3x3xf32>) {
  // expected-error@+2 {{C1: input and filter must have rank 4, found ranks 3 and 4}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.conv2d"(%a, %b) {} : (tensor<1x2x4xf32>, tensor<1x2x3x3xf32>) -> tensor<1x1x1x1xf32>
  return
}

// -----

func.func @conv_c2(%a: tensor<1x2x4x4xf32>, %b: tensor<1x2x3x3xf64>) {
  // expected-error@+2 {{C2: input and filter must have one element type, found f32 and f64}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.conv2d"(%a, %b) {} : (tensor<1x2x4x4xf32>, tensor<1x2x3x3xf64>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @conv_c3(%a: tensor<1x2x4x4xf32>, %b: tensor<2x2x3x3xf32>) {
  // expected-error@+2 {{C3: the input must have groups (2) times the filter's 2 channels, found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.conv2d"(%a, %b) {groups = 2 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x3x3xf32>) -> tensor<1x2x2x2xf32>
  return
}

// -----

func.func @conv_c4(%a: tensor<1x2x4x4xf32>, %b: tensor<3x1x3x3xf32>) {
  // expected-error@+2 {{C4: groups must be above 0 and divide the 3 output channels, found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.conv2d"(%a, %b) {groups = 2 : i64} : (tensor<1x2x4x4xf32>, tensor<3x1x3x3xf32>) -> tensor<1x3x2x2xf32>
  return
}

// -----

func.func @conv_c4_zero(%a: tensor<1x2x4x4xf32>, %b: tensor<3x1x3x3xf32>) {
  // expected-error@+2 {{C4: groups must be above 0 and divide the 3 output channels, found 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.conv2d"(%a, %b) {groups = 0 : i64} : (tensor<1x2x4x4xf32>, tensor<3x1x3x3xf32>) -> tensor<1x3x2x2xf32>
  return
}

// -----

func.func @conv_c5_strides(%a: tensor<1x2x4x4xf32>, %b: tensor<1x2x3x3xf32>) {
  // expected-error@+2 {{C5: strides must be 2 positive numbers, found [1]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.conv2d"(%a, %b) {strides = array<i64: 1>} : (tensor<1x2x4x4xf32>, tensor<1x2x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @conv_c5_dilations(%a: tensor<1x2x4x4xf32>, %b: tensor<1x2x3x3xf32>) {
  // expected-error@+2 {{C5: dilations must be 2 positive numbers, found [0, 1]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.conv2d"(%a, %b) {dilations = array<i64: 0, 1>} : (tensor<1x2x4x4xf32>, tensor<1x2x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @conv_c5_paddings(%a: tensor<1x2x4x4xf32>, %b: tensor<1x2x3x3xf32>) {
  // expected-error@+2 {{C5: paddings must be 2 or 4 numbers, none below 0, found [1, 1, -1]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.conv2d"(%a, %b) {paddings = array<i64: 1, 1, -1>} : (tensor<1x2x4x4xf32>, tensor<1x2x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @conv_c5_algorithm(%a: tensor<1x2x4x4xf32>, %b: tensor<1x2x3x3xf32>) {
  // expected-error@+2 {{C5: the padding algorithm must be EXPLICIT, SAME or VALID, found 'FULL'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.conv2d"(%a, %b) {padding_algorithm = "FULL"} : (tensor<1x2x4x4xf32>, tensor<1x2x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @conv_c6(%a: tensor<1x2x4x4xf32>, %b: tensor<1x2x3x3xf32>) {
  // expected-error@+2 {{C6: the data format must be NCHW, NHWC or the like, found 'CHWN'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.conv2d"(%a, %b) {data_format = "CHWN"} : (tensor<1x2x4x4xf32>, tensor<1x2x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @conv_c7(%a: tensor<1x2x4x4xf32>, %b: tensor<1x2x3x3xf32>) {
  // expected-error@+2 {{C7: the window must fit into the padded input, found a window of 5 and an input of 4 with paddings 0 and 0 in spatial dimension 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.conv2d"(%a, %b) {dilations = array<i64: 2, 2>} : (tensor<1x2x4x4xf32>, tensor<1x2x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @transpose_c3(%a: tensor<1x2x4x4xf32>, %b: tensor<3x2x3x3xf32>) {
  // expected-error@+2 {{C3: x must have the 3 input channels of the filter, found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.conv2d_transpose"(%a, %b) {} : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x2x6x6xf32>
  return
}

// -----

func.func @transpose_c4(%a: tensor<1x3x4x4xf32>, %b: tensor<3x2x3x3xf32>) {
  // expected-error@+2 {{C4: groups must be above 0 and divide the 3 input channels, found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.conv2d_transpose"(%a, %b) {groups = 2 : i64} : (tensor<1x3x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @transpose_c7(%a: tensor<1x3x4x4xf32>, %b: tensor<3x2x3x3xf32>) {
  // expected-error@+2 {{C7: output_padding must be empty or 2 numbers, found 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.conv2d_transpose"(%a, %b) {output_padding = array<i64: 1>} : (tensor<1x3x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x2x6x6xf32>
  return
}

// -----

func.func @transpose_c7_great(%a: tensor<1x3x4x4xf32>, %b: tensor<3x2x3x3xf32>) {
  // expected-error@+2 {{C7: output_padding must be at least 0 and below the stride 1 or the dilation, found 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.conv2d_transpose"(%a, %b) {output_padding = array<i64: 1, 1>} : (tensor<1x3x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x2x6x6xf32>
  return
}

// -----

func.func @transpose_c8(%a: tensor<1x3x3x3xf32>, %b: tensor<3x2x3x3xf32>) {
  // expected-error@+2 {{C8: output_size must be at least 7 and below 9, found 9}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.conv2d_transpose"(%a, %b) {output_size = array<i64: 9, 9>, strides = array<i64: 2, 2>} : (tensor<1x3x3x3xf32>, tensor<3x2x3x3xf32>) -> tensor<1x2x9x9xf32>
  return
}

// -----

func.func @transpose_c9(%a: tensor<1x3x4x4xf32>, %b: tensor<3x2x3x3xf32>) {
  // expected-error@+2 {{C9: the output extents must be positive, found 0 in spatial dimension 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.conv2d_transpose"(%a, %b) {paddings = array<i64: 3, 3>} : (tensor<1x3x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x2x1x1xf32>
  return
}

// -----

func.func @pool_c1(%a: tensor<2x4x4xf32>) {
  // expected-error@+2 {{C1: x must have rank 4, found rank 3}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.pool2d"(%a) {kernel_size = array<i64: 2, 2>} : (tensor<2x4x4xf32>) -> tensor<2x3x3xf32>
  return
}

// -----

func.func @pool_c2(%a: tensor<1x2x4x4xf32>) {
  // expected-error@+2 {{C2: kernel_size must be 2 positive numbers}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.pool2d"(%a) {kernel_size = array<i64: 2>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x3x3xf32>
  return
}

// -----

func.func @pool_c3(%a: tensor<1x2x4x4xf32>) {
  // expected-error@+2 {{C3: strides must be 2 positive numbers, found [0, 0]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.pool2d"(%a) {kernel_size = array<i64: 2, 2>, strides = array<i64: 0, 0>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x3x3xf32>
  return
}

// -----

func.func @pool_c4(%a: tensor<1x2x4x4xf32>) {
  // expected-error@+2 {{C4: the data format must be NCHW, NHWC or the like, found 'X'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.pool2d"(%a) {kernel_size = array<i64: 2, 2>, data_format = "X"} : (tensor<1x2x4x4xf32>) -> tensor<1x2x3x3xf32>
  return
}

// -----

func.func @pool_c5(%a: tensor<1x2x4x4xf32>) {
  // expected-error@+2 {{C5: the window must fit into the padded input, found a window of 5 and an input of 4}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.pool2d"(%a) {kernel_size = array<i64: 5, 2>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x3x3xf32>
  return
}

// -----

func.func @pool_c6(%a: tensor<1x2x4x4xf32>) {
  // expected-error@+2 {{C6: pooling_type must be max or avg, found 'sum'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.pool2d"(%a) {kernel_size = array<i64: 2, 2>, pooling_type = "sum"} : (tensor<1x2x4x4xf32>) -> tensor<1x2x3x3xf32>
  return
}

// -----

func.func @layer_norm_c1(%a: tensor<2x3xf32>) {
  // expected-error@+2 {{C1: begin_norm_axis must be above 0 and below the rank 2 of x, found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:3 = "pd.layer_norm"(%a) {begin_norm_axis = 2 : i64, operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @layer_norm_c2(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  // expected-error@+2 {{C2: parameters must have rank 1 and one element for each of the normalized elements, 3 in number, found tensor<2xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:3 = "pd.layer_norm"(%a, %b) {operandSegmentSizes = array<i32: 1, 1, 0>} : (tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @batch_norm_c1(%a: tensor<3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) {
  // expected-error@+2 {{C1: x must have rank 2 or more, found rank 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:6 = "pd.batch_norm"(%a, %b, %c) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<0xf32>)
  return
}

// -----

func.func @batch_norm_c2(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<2xf32>) {
  // expected-error@+2 {{C2: parameters must have rank 1 and one element for each of the channels, 3 in number, found tensor<2xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:6 = "pd.batch_norm"(%a, %b, %c) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (tensor<2x3xf32>, tensor<3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<0xf32>)
  return
}

// -----

func.func @batch_norm_c3(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) {
  // expected-error@+2 {{C3: the data format must be NCHW, NHWC or the like, found 'X'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:6 = "pd.batch_norm"(%a, %b, %c) {data_format = "X", operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<0xf32>)
  return
}

// -----

func.func @group_norm_c4(%a: tensor<2x3x4xf32>) {
  // expected-error@+2 {{C4: groups must be above 0 and divide the 3 channels, found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:3 = "pd.group_norm"(%a) {groups = 2 : i64, operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x2xf32>, tensor<2x2xf32>)
  return
}

// -----

func.func @softmax_c1(%a: tensor<2x3xf32>) {
  // expected-error@+2 {{C1: axis must be in [-2, 2), found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.softmax"(%a) {axis = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @dropout_c1(%a: tensor<2xf32>) {
  // expected-error@+2 {{C1: p must be in [0, 1], found 1.5}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.dropout"(%a) {p = 1.5 : f64, operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xui8>)
  return
}

// -----

func.func @dropout_c2(%a: tensor<2xf32>) {
  // expected-error@+2 {{C2: mode must be upscale_in_train or downgrade_in_infer, found 'none'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.dropout"(%a) {mode = "none", operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xui8>)
  return
}

// -----

func.func @prelu_c1(%a: tensor<2x3xf32>, %b: tensor<3xf32>) {
  // expected-error@+2 {{C1: mode must be all, channel or element, found 'row'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.prelu"(%a, %b) {mode = "row"} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @prelu_c2(%a: tensor<2x3x4xf32>, %b: tensor<4xf32>) {
  // expected-error@+2 {{C2: alpha must have 3 elements in mode channel, found 4}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.prelu"(%a, %b) {mode = "channel"} : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @maxout_c2(%a: tensor<2x3xf32>) {
  // expected-error@+2 {{C2: groups must be above 0 and divide the extent 3, found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.maxout"(%a) {groups = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  return
}

// -----

func.func @embedding_c1(%a: tensor<2xi64>, %b: tensor<2xf32>) {
  // expected-error@+2 {{C1: weight must have rank 2, found rank 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.embedding"(%a, %b) {} : (tensor<2xi64>, tensor<2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @embedding_c2(%a: tensor<2xi64>, %b: tensor<4x2xf32>) {
  // expected-error@+2 {{C2: padding_idx must be -1 or one of the 4 rows, found 9}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.embedding"(%a, %b) {padding_idx = 9 : i64} : (tensor<2xi64>, tensor<4x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @interp_c1(%a: tensor<1x2x3xf32>) {
  // expected-error@+2 {{C1: x must have rank 4 to 4, found rank 3}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.bilinear_interp"(%a) {out_h = 2 : i64, out_w = 2 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<1x2x3xf32>) -> tensor<1x2x2xf32>
  return
}

// -----

func.func @interp_c3(%a: tensor<1x2x3x3xf32>) {
  // expected-error@+2 {{C3: scale must hold 2 numbers, found 3}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.bilinear_interp"(%a) {scale = array<f64: 2.0, 2.0, 2.0>, operandSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<1x2x3x3xf32>) -> tensor<1x2x6x6xf32>
  return
}

// -----

func.func @interp_c3_positive(%a: tensor<1x2x3x3xf32>) {
  // expected-error@+2 {{C3: scale must be positive, found -1.0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.bilinear_interp"(%a) {scale = array<f64: -1.0, 2.0>, operandSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<1x2x3x3xf32>) -> tensor<1x2x6x6xf32>
  return
}

// -----

func.func @interp_c4(%a: tensor<1x2x3x3xf32>) {
  // expected-error@+2 {{C4: the output's extents must be positive, found 0 in spatial dimension 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.bilinear_interp"(%a) {out_w = 2 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<1x2x3x3xf32>) -> tensor<1x2x6x2xf32>
  return
}

// -----

func.func @interp_c5(%a: tensor<1x2x3x3xf32>) {
  // expected-error@+2 {{C5: interp_method must be "bilinear", found "nearest"}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.bilinear_interp"(%a) {out_h = 2 : i64, out_w = 2 : i64, interp_method = "nearest", operandSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<1x2x3x3xf32>) -> tensor<1x2x2x2xf32>
  return
}

// -----

func.func @rnn_c1(%a: tensor<7x16xf32>, %b: tensor<1x2x24xf32>) {
  // expected-error@+2 {{C1: x must have rank 3, found rank 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.rnn"(%a, %b) {operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<7x16xf32>, tensor<1x2x24xf32>) -> (tensor<7x2x24xf32>, tensor<1x2x24xf32>)
  return
}

// -----

func.func @rnn_c2(%a: tensor<7x2x16xf32>, %b: tensor<1x2x24xf32>) {
  // expected-error@+2 {{C2: mode must be LSTM, GRU, RNN_TANH or RNN_RELU, found 'CELL'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.rnn"(%a, %b) {mode = "CELL", operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<7x2x16xf32>, tensor<1x2x24xf32>) -> (tensor<7x2x24xf32>, tensor<1x2x24xf32>)
  return
}

// -----

func.func @rnn_c3(%a: tensor<7x2x16xf32>, %b: tensor<1x2x24xf32>) {
  // expected-error@+2 {{C3: pre_state must be 2 tensors of the dimensions [1, batch, 24], found 1 tensors}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.rnn"(%a, %b) {mode = "LSTM", hidden_size = 24 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<7x2x16xf32>, tensor<1x2x24xf32>) -> (tensor<7x2x24xf32>, tensor<1x2x24xf32>)
  return
}

// -----

func.func @rnn_c4(%a: tensor<7x2x16xf32>, %b: tensor<1x2x24xf32>) {
  // expected-error@+2 {{C4: weight_list must have 4 tensors, found 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.rnn"(%a, %b) {hidden_size = 24 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<7x2x16xf32>, tensor<1x2x24xf32>) -> (tensor<7x2x24xf32>, tensor<1x2x24xf32>)
  return
}

// -----

func.func @rnn_c5(%a: tensor<7x2x16xf32>, %b: tensor<1x2x24xf32>) {
  // expected-error@+2 {{C5: num_layers and hidden_size must be positive, found 0 and 100}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.rnn"(%a, %b) {num_layers = 0 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0>} : (tensor<7x2x16xf32>, tensor<1x2x24xf32>) -> (tensor<7x2x24xf32>, tensor<1x2x24xf32>)
  return
}

// -----

func.func @grid_c1(%a: tensor<1x1x2xf32>, %b: tensor<1x1x2xf32>) {
  // expected-error@+2 {{C1: x must have rank 4 or 5 and grid the same, found ranks 3 and 3}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.grid_sample"(%a, %b) {} : (tensor<1x1x2xf32>, tensor<1x1x2xf32>) -> tensor<1x1x2xf32>
  return
}

// -----

func.func @grid_c2(%a: tensor<1x1x2x2xf32>, %b: tensor<1x3x3x3xf32>) {
  // expected-error@+2 {{C2: grid must have the batch of x and 2 numbers at the end, found tensor<1x1x2x2xf32> and tensor<1x3x3x3xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.grid_sample"(%a, %b) {} : (tensor<1x1x2x2xf32>, tensor<1x3x3x3xf32>) -> tensor<1x1x3x3xf32>
  return
}

// -----

func.func @grid_c3(%a: tensor<1x1x2x2xf32>, %b: tensor<1x3x3x2xf64>) {
  // expected-error@+2 {{C3: x and grid must have one element type}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.grid_sample"(%a, %b) {} : (tensor<1x1x2x2xf32>, tensor<1x3x3x2xf64>) -> tensor<1x1x3x3xf32>
  return
}

// -----

func.func @grid_c4(%a: tensor<1x1x2x2xf32>, %b: tensor<1x3x3x2xf32>) {
  // expected-error@+2 {{C4: mode must be bilinear or nearest and padding_mode zeros, border or reflection, found 'cubic' and 'zeros'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.grid_sample"(%a, %b) {mode = "cubic"} : (tensor<1x1x2x2xf32>, tensor<1x3x3x2xf32>) -> tensor<1x1x3x3xf32>
  return
}

// -----

func.func @affine_c1(%a: tensor<1x2x2xf32>) {
  // expected-error@+2 {{C1: input must be [N, 2, 3] or [N, 3, 4], found tensor<1x2x2xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.affine_grid"(%a) {output_shape = array<i64: 1, 1, 2, 2>} : (tensor<1x2x2xf32>) -> tensor<1x2x2x2xf32>
  return
}

// -----

func.func @affine_c2(%a: tensor<1x2x3xf32>) {
  // expected-error@+2 {{C2: output_shape must have 4 numbers, found 3}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.affine_grid"(%a) {output_shape = array<i64: 1, 1, 2>} : (tensor<1x2x3xf32>) -> tensor<1x2x2x2xf32>
  return
}

// -----

func.func @unfold_c1(%a: tensor<1x4x4xf32>) {
  // expected-error@+2 {{C1: x must have rank 4, found rank 3}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.unfold"(%a) {kernel_sizes = array<i64: 2, 2>, strides = array<i64: 1, 1>, paddings = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x4x4xf32>) -> tensor<1x4x9xf32>
  return
}

// -----

func.func @unfold_c2(%a: tensor<1x1x4x4xf32>) {
  // expected-error@+2 {{C2: kernel_sizes must be two positive numbers}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.unfold"(%a) {kernel_sizes = array<i64: 2, 0>, strides = array<i64: 1, 1>, paddings = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x1x4x4xf32>) -> tensor<1x4x9xf32>
  return
}

// -----

func.func @unfold_c3(%a: tensor<1x1x4x4xf32>) {
  // expected-error@+2 {{C3: the window must fit into the padded input}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.unfold"(%a) {kernel_sizes = array<i64: 5, 2>, strides = array<i64: 1, 1>, paddings = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x1x4x4xf32>) -> tensor<1x4x9xf32>
  return
}

// -----

func.func @fold_c4(%a: tensor<1x8x5xf32>) {
  // expected-error@+2 {{C4: x must have 4 columns and a multiple of 4 rows, found 5 and 8}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.fold"(%a) {output_sizes = array<i64: 4, 4>, kernel_sizes = array<i64: 2, 2>, strides = array<i64: 2, 2>, paddings = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x8x5xf32>) -> tensor<1x2x4x4xf32>
  return
}

// -----

func.func @unpool_c1(%a: tensor<1x1x2x2xf32>, %b: tensor<1x1x2x3xi32>) {
  // expected-error@+2 {{C1: x must have rank 4 and indices its dimensions}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.unpool"(%a, %b) {ksize = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = array<i64: 0, 0>} : (tensor<1x1x2x2xf32>, tensor<1x1x2x3xi32>) -> tensor<1x1x4x4xf32>
  return
}

// -----

func.func @unpool_c2(%a: tensor<1x1x2x2xf32>, %b: tensor<1x1x2x2xi32>) {
  // expected-error@+2 {{C2: ksize, strides and padding must hold two numbers}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.unpool"(%a, %b) {ksize = array<i64: 2>, strides = array<i64: 2, 2>, padding = array<i64: 0, 0>} : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xi32>) -> tensor<1x1x4x4xf32>
  return
}

// -----

func.func @shift_c2(%a: tensor<3x4x1x1xf32>) {
  // expected-error@+2 {{C2: seg_num must be above 0 and divide 3, and shift_ratio be in (0, 0.5), found 2 and 0.25}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.temporal_shift"(%a) {seg_num = 2 : i64} : (tensor<3x4x1x1xf32>) -> tensor<3x4x1x1xf32>
  return
}

// -----

func.func @lrn_c1(%a: tensor<1x2x3xf32>) {
  // expected-error@+2 {{C1: x must have rank 4, found rank 3}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.lrn"(%a) {} : (tensor<1x2x3xf32>) -> (tensor<1x2x3xf32>, tensor<1x2x3xf32>)
  return
}

// -----

func.func @lrn_c2(%a: tensor<1x2x3x3xf32>) {
  // expected-error@+2 {{C2: n must be above 0, found 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.lrn"(%a) {n = 0 : i64} : (tensor<1x2x3x3xf32>) -> (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>)
  return
}

// -----

func.func @spectral_c1(%a: tensor<2x3xf32>, %b: tensor<2xf32>, %c: tensor<3xf32>) {
  // expected-error@+2 {{C1: dim must be below the rank 2 and power_iters not below 0, found 2 and 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.spectral_norm"(%a, %b, %c) {dim = 2 : i64} : (tensor<2x3xf32>, tensor<2xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @spectral_c2(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<2xf32>) {
  // expected-error@+2 {{C2: u must have 2 elements and v one for each column, found 3 and 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.spectral_norm"(%a, %b, %c) {} : (tensor<2x3xf32>, tensor<3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @softmax_mask_c1(%a: tensor<2x3xf32>, %b: tensor<2x2x3xf32>) {
  // expected-error@+2 {{C1: mask must broadcast to x, found tensor<2x3xf32> and tensor<2x2x3xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.fused_softmax_mask"(%a, %b) {} : (tensor<2x3xf32>, tensor<2x2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @position_c1(%a: tensor<1x2x3xf32>) {
  // expected-error@+2 {{C1: x must have rank 3 and an even number of features, found tensor<1x2x3xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.add_position_encoding"(%a) {} : (tensor<1x2x3xf32>) -> tensor<1x2x3xf32>
  return
}
