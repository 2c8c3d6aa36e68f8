// Functions whose gradients GradientTest.cpp compares with central differences.

func.func @conv2d(%a: tensor<2x3x5x6xf64>, %b: tensor<4x3x3x2xf64>) -> (tensor<2x4x2x6xf64>) attributes {test.twice} {
  %y = pd.conv2d %a, %b {strides = array<i64: 2, 1>, paddings = array<i64: 0, 1, 1, 0>} : (tensor<2x3x5x6xf64>, tensor<4x3x3x2xf64>) -> tensor<2x4x2x6xf64>
  return %y : tensor<2x4x2x6xf64>
}

func.func @conv2d_groups_dilation(%a: tensor<2x5x4x4xf64>, %b: tensor<6x2x2x2xf64>) -> (tensor<2x3x2x6xf64>) {
  %y = pd.conv2d %a, %b {dilations = array<i64: 2, 2>, groups = 2 : i64, data_format = "NHWC"} : (tensor<2x5x4x4xf64>, tensor<6x2x2x2xf64>) -> tensor<2x3x2x6xf64>
  return %y : tensor<2x3x2x6xf64>
}

func.func @conv2d_same(%a: tensor<1x2x5x4xf64>, %b: tensor<2x2x3x3xf64>) -> (tensor<1x2x3x2xf64>) {
  %y = pd.conv2d %a, %b {strides = array<i64: 2, 2>, padding_algorithm = "SAME"} : (tensor<1x2x5x4xf64>, tensor<2x2x3x3xf64>) -> tensor<1x2x3x2xf64>
  return %y : tensor<1x2x3x2xf64>
}

func.func @conv2d_transpose(%a: tensor<2x4x3x2xf64>, %b: tensor<4x2x2x3xf64>) -> (tensor<2x4x5x4xf64>) attributes {test.twice} {
  %y = pd.conv2d_transpose %a, %b {strides = array<i64: 2, 1>, paddings = array<i64: 1, 0, 0, 0>, groups = 2 : i64} : (tensor<2x4x3x2xf64>, tensor<4x2x2x3xf64>) -> tensor<2x4x5x4xf64>
  return %y : tensor<2x4x5x4xf64>
}

func.func @conv2d_transpose_padded(%a: tensor<1x2x3x3xf64>, %b: tensor<2x1x2x2xf64>) -> (tensor<1x1x8x6xf64>) {
  %y = pd.conv2d_transpose %a, %b {strides = array<i64: 2, 1>, output_padding = array<i64: 1, 1>, dilations = array<i64: 2, 2>} : (tensor<1x2x3x3xf64>, tensor<2x1x2x2xf64>) -> tensor<1x1x8x6xf64>
  return %y : tensor<1x1x8x6xf64>
}

func.func @conv3d(%a: tensor<1x2x3x4x3xf64>, %b: tensor<2x2x2x2x2xf64>) -> (tensor<1x2x2x3x3xf64>) {
  %y = pd.conv3d %a, %b {paddings = array<i64: 0, 0, 0, 0, 1, 0>} : (tensor<1x2x3x4x3xf64>, tensor<2x2x2x2x2xf64>) -> tensor<1x2x2x3x3xf64>
  return %y : tensor<1x2x2x3x3xf64>
}

func.func @conv3d_transpose(%a: tensor<1x2x2x2x2xf64>, %b: tensor<2x1x2x2x2xf64>) -> (tensor<1x1x4x3x3xf64>) {
  %y = pd.conv3d_transpose %a, %b {strides = array<i64: 2, 1, 1>} : (tensor<1x2x2x2x2xf64>, tensor<2x1x2x2x2xf64>) -> tensor<1x1x4x3x3xf64>
  return %y : tensor<1x1x4x3x3xf64>
}

func.func @pool2d_max(%a: tensor<2x2x5x5xf64>) -> (tensor<2x2x3x3xf64>) {
  %y = pd.pool2d %a {kernel_size = array<i64: 3, 3>, strides = array<i64: 2, 2>, paddings = array<i64: 1, 1>, pooling_type = "max"} : (tensor<2x2x5x5xf64>) -> tensor<2x2x3x3xf64>
  return %y : tensor<2x2x3x3xf64>
}

func.func @pool2d_avg(%a: tensor<2x2x5x5xf64>) -> (tensor<2x2x3x3xf64>) attributes {test.twice} {
  %y = pd.pool2d %a {kernel_size = array<i64: 3, 3>, strides = array<i64: 2, 2>, paddings = array<i64: 1, 1>, pooling_type = "avg"} : (tensor<2x2x5x5xf64>) -> tensor<2x2x3x3xf64>
  return %y : tensor<2x2x3x3xf64>
}

func.func @pool2d_avg_inclusive_ceil(%a: tensor<1x4x4x2xf64>) -> (tensor<1x3x3x2xf64>) {
  %y = pd.pool2d %a {kernel_size = array<i64: 3, 3>, strides = array<i64: 2, 2>, paddings = array<i64: 1, 1>, pooling_type = "avg", exclusive = false, ceil_mode = true, data_format = "NHWC"} : (tensor<1x4x4x2xf64>) -> tensor<1x3x3x2xf64>
  return %y : tensor<1x3x3x2xf64>
}

func.func @pool2d_adaptive(%a: tensor<1x2x5x7xf64>) -> (tensor<1x2x3x2xf64>) {
  %y = pd.pool2d %a {kernel_size = array<i64: 3, 2>, pooling_type = "avg", adaptive = true} : (tensor<1x2x5x7xf64>) -> tensor<1x2x3x2xf64>
  return %y : tensor<1x2x3x2xf64>
}

func.func @pool2d_global_max(%a: tensor<2x3x3x2xf64>) -> (tensor<2x1x1x2xf64>) {
  %y = pd.pool2d %a {kernel_size = array<i64: 1, 1>, pooling_type = "max", global_pooling = true, data_format = "NHWC"} : (tensor<2x3x3x2xf64>) -> tensor<2x1x1x2xf64>
  return %y : tensor<2x1x1x2xf64>
}

func.func @pool2d_same(%a: tensor<1x2x5x4xf64>) -> (tensor<1x2x3x2xf64>) {
  %y = pd.pool2d %a {kernel_size = array<i64: 3, 3>, strides = array<i64: 2, 2>, pooling_type = "max", padding_algorithm = "SAME"} : (tensor<1x2x5x4xf64>) -> tensor<1x2x3x2xf64>
  return %y : tensor<1x2x3x2xf64>
}

func.func @pool3d_avg(%a: tensor<1x2x3x4x3xf64>) -> (tensor<1x2x2x3x2xf64>) {
  %y = pd.pool3d %a {kernel_size = array<i64: 2, 2, 2>, pooling_type = "avg"} : (tensor<1x2x3x4x3xf64>) -> tensor<1x2x2x3x2xf64>
  return %y : tensor<1x2x2x3x2xf64>
}

func.func @max_pool2d_with_index(%a: tensor<2x2x4x4xf64>) -> (tensor<2x2x2x2xf64>) attributes {test.twice} {
  %y, %z = pd.max_pool2d_with_index %a {kernel_size = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<2x2x4x4xf64>) -> (tensor<2x2x2x2xf64>, tensor<2x2x2x2xi32>)
  return %y : tensor<2x2x2x2xf64>
}

func.func @unpool(%a: tensor<1x2x2x2xf64>, %b: tensor<1x2x2x2xi32> {test.values = [0.0, 3.0, 9.0, 11.0, 1.0, 2.0, 12.0, 15.0]}) -> (tensor<1x2x4x4xf64>) {
  %y = pd.unpool %a, %b {ksize = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = array<i64: 0, 0>} : (tensor<1x2x2x2xf64>, tensor<1x2x2x2xi32>) -> tensor<1x2x4x4xf64>
  return %y : tensor<1x2x4x4xf64>
}

func.func @linear_interp_corners_1(%a: tensor<2x2x4xf64>) -> (tensor<2x2x7xf64>) attributes {test.twice} {
  %y = pd.linear_interp %a {out_w = 7 : i64, align_corners = true, align_mode = 1 : i64} : (tensor<2x2x4xf64>) -> tensor<2x2x7xf64>
  return %y : tensor<2x2x7xf64>
}

func.func @linear_interp_centres_0(%a: tensor<2x2x4xf64>) -> (tensor<2x2x7xf64>) {
  %y = pd.linear_interp %a {out_w = 7 : i64, align_corners = false, align_mode = 0 : i64} : (tensor<2x2x4xf64>) -> tensor<2x2x7xf64>
  return %y : tensor<2x2x7xf64>
}

func.func @linear_interp_centres_1(%a: tensor<2x2x4xf64>) -> (tensor<2x2x7xf64>) {
  %y = pd.linear_interp %a {out_w = 7 : i64, align_corners = false, align_mode = 1 : i64} : (tensor<2x2x4xf64>) -> tensor<2x2x7xf64>
  return %y : tensor<2x2x7xf64>
}

func.func @bilinear_interp_corners_1(%a: tensor<1x2x3x4xf64>) -> (tensor<1x2x5x6xf64>) attributes {test.twice} {
  %y = pd.bilinear_interp %a {out_h = 5 : i64, out_w = 6 : i64, align_corners = true, align_mode = 1 : i64} : (tensor<1x2x3x4xf64>) -> tensor<1x2x5x6xf64>
  return %y : tensor<1x2x5x6xf64>
}

func.func @bilinear_interp_centres_0(%a: tensor<1x2x3x4xf64>) -> (tensor<1x2x5x6xf64>) {
  %y = pd.bilinear_interp %a {out_h = 5 : i64, out_w = 6 : i64, align_corners = false, align_mode = 0 : i64} : (tensor<1x2x3x4xf64>) -> tensor<1x2x5x6xf64>
  return %y : tensor<1x2x5x6xf64>
}

func.func @bilinear_interp_centres_1(%a: tensor<1x2x3x4xf64>) -> (tensor<1x2x5x6xf64>) {
  %y = pd.bilinear_interp %a {out_h = 5 : i64, out_w = 6 : i64, align_corners = false, align_mode = 1 : i64} : (tensor<1x2x3x4xf64>) -> tensor<1x2x5x6xf64>
  return %y : tensor<1x2x5x6xf64>
}

func.func @trilinear_interp_corners_1(%a: tensor<1x1x2x3x2xf64>) -> (tensor<1x1x3x5x4xf64>) attributes {test.twice} {
  %y = pd.trilinear_interp %a {out_d = 3 : i64, out_h = 5 : i64, out_w = 4 : i64, align_corners = true, align_mode = 1 : i64} : (tensor<1x1x2x3x2xf64>) -> tensor<1x1x3x5x4xf64>
  return %y : tensor<1x1x3x5x4xf64>
}

func.func @trilinear_interp_centres_0(%a: tensor<1x1x2x3x2xf64>) -> (tensor<1x1x3x5x4xf64>) {
  %y = pd.trilinear_interp %a {out_d = 3 : i64, out_h = 5 : i64, out_w = 4 : i64, align_corners = false, align_mode = 0 : i64} : (tensor<1x1x2x3x2xf64>) -> tensor<1x1x3x5x4xf64>
  return %y : tensor<1x1x3x5x4xf64>
}

func.func @trilinear_interp_centres_1(%a: tensor<1x1x2x3x2xf64>) -> (tensor<1x1x3x5x4xf64>) {
  %y = pd.trilinear_interp %a {out_d = 3 : i64, out_h = 5 : i64, out_w = 4 : i64, align_corners = false, align_mode = 1 : i64} : (tensor<1x1x2x3x2xf64>) -> tensor<1x1x3x5x4xf64>
  return %y : tensor<1x1x3x5x4xf64>
}

func.func @bicubic_interp_corners_1(%a: tensor<1x2x4x4xf64>) -> (tensor<1x2x6x3xf64>) attributes {test.twice} {
  %y = pd.bicubic_interp %a {out_h = 6 : i64, out_w = 3 : i64, align_corners = true, align_mode = 1 : i64} : (tensor<1x2x4x4xf64>) -> tensor<1x2x6x3xf64>
  return %y : tensor<1x2x6x3xf64>
}

func.func @bicubic_interp_centres_0(%a: tensor<1x2x4x4xf64>) -> (tensor<1x2x6x3xf64>) {
  %y = pd.bicubic_interp %a {out_h = 6 : i64, out_w = 3 : i64, align_corners = false, align_mode = 0 : i64} : (tensor<1x2x4x4xf64>) -> tensor<1x2x6x3xf64>
  return %y : tensor<1x2x6x3xf64>
}

func.func @bicubic_interp_centres_1(%a: tensor<1x2x4x4xf64>) -> (tensor<1x2x6x3xf64>) {
  %y = pd.bicubic_interp %a {out_h = 6 : i64, out_w = 3 : i64, align_corners = false, align_mode = 1 : i64} : (tensor<1x2x4x4xf64>) -> tensor<1x2x6x3xf64>
  return %y : tensor<1x2x6x3xf64>
}

func.func @nearest_interp_corners_1(%a: tensor<1x2x3x4xf64>) -> (tensor<1x2x5x2xf64>) attributes {test.twice} {
  %y = pd.nearest_interp %a {out_h = 5 : i64, out_w = 2 : i64, align_corners = true, align_mode = 1 : i64} : (tensor<1x2x3x4xf64>) -> tensor<1x2x5x2xf64>
  return %y : tensor<1x2x5x2xf64>
}

func.func @nearest_interp_centres_0(%a: tensor<1x2x3x4xf64>) -> (tensor<1x2x5x2xf64>) {
  %y = pd.nearest_interp %a {out_h = 5 : i64, out_w = 2 : i64, align_corners = false, align_mode = 0 : i64} : (tensor<1x2x3x4xf64>) -> tensor<1x2x5x2xf64>
  return %y : tensor<1x2x5x2xf64>
}

func.func @nearest_interp_centres_1(%a: tensor<1x2x3x4xf64>) -> (tensor<1x2x5x2xf64>) {
  %y = pd.nearest_interp %a {out_h = 5 : i64, out_w = 2 : i64, align_corners = false, align_mode = 1 : i64} : (tensor<1x2x3x4xf64>) -> tensor<1x2x5x2xf64>
  return %y : tensor<1x2x5x2xf64>
}

func.func @bilinear_interp_scale(%a: tensor<1x3x4x2xf64>) -> (tensor<1x6x6x2xf64>) {
  %y = pd.bilinear_interp %a {scale = array<f64: 2.0, 1.5>, align_corners = false, align_mode = 0 : i64, data_format = "NHWC"} : (tensor<1x3x4x2xf64>) -> tensor<1x6x6x2xf64>
  return %y : tensor<1x6x6x2xf64>
}

func.func @grid_sample(%a: tensor<1x2x3x4xf64>, %b: tensor<1x2x3x2xf64> {test.low = -0.8, test.high = 0.8}) -> (tensor<1x2x2x3xf64>) {
  %y = pd.grid_sample %a, %b : (tensor<1x2x3x4xf64>, tensor<1x2x3x2xf64>) -> tensor<1x2x2x3xf64>
  return %y : tensor<1x2x2x3xf64>
}

func.func @unfold(%a: tensor<1x2x4x4xf64>) -> (tensor<1x8x9xf64>) {
  %y = pd.unfold %a {kernel_sizes = array<i64: 2, 2>, strides = array<i64: 1, 1>, paddings = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x4x4xf64>) -> tensor<1x8x9xf64>
  return %y : tensor<1x8x9xf64>
}

func.func @fold(%a: tensor<1x8x9xf64>) -> (tensor<1x2x4x4xf64>) {
  %y = pd.fold %a {output_sizes = array<i64: 4, 4>, kernel_sizes = array<i64: 2, 2>, strides = array<i64: 1, 1>, paddings = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x8x9xf64>) -> tensor<1x2x4x4xf64>
  return %y : tensor<1x2x4x4xf64>
}

func.func @rnn_lstm(%x: tensor<4x2x2xf64>, %s0: tensor<4x2x3xf64>, %s1: tensor<4x2x3xf64>, %w0: tensor<12x2xf64>, %w1: tensor<12x3xf64>, %w2: tensor<12x2xf64>, %w3: tensor<12x3xf64>, %w4: tensor<12x6xf64>, %w5: tensor<12x3xf64>, %w6: tensor<12x6xf64>, %w7: tensor<12x3xf64>, %w8: tensor<12xf64>, %w9: tensor<12xf64>, %w10: tensor<12xf64>, %w11: tensor<12xf64>, %w12: tensor<12xf64>, %w13: tensor<12xf64>, %w14: tensor<12xf64>, %w15: tensor<12xf64>, %n: tensor<2xi32> {test.values = [4.0, 2.0]}) -> (tensor<4x2x6xf64>, tensor<4x2x3xf64>, tensor<4x2x3xf64>) {
  %y, %f0, %f1 = pd.rnn %x states = %s0, %s1 weights = %w0, %w1, %w2, %w3, %w4, %w5, %w6, %w7, %w8, %w9, %w10, %w11, %w12, %w13, %w14, %w15 lengths = %n {mode = "LSTM", hidden_size = 3 : i64, num_layers = 2 : i64, is_bidirec = true} : (tensor<4x2x2xf64>, tensor<4x2x3xf64>, tensor<4x2x3xf64>, tensor<12x2xf64>, tensor<12x3xf64>, tensor<12x2xf64>, tensor<12x3xf64>, tensor<12x6xf64>, tensor<12x3xf64>, tensor<12x6xf64>, tensor<12x3xf64>, tensor<12xf64>, tensor<12xf64>, tensor<12xf64>, tensor<12xf64>, tensor<12xf64>, tensor<12xf64>, tensor<12xf64>, tensor<12xf64>, tensor<2xi32>) -> (tensor<4x2x6xf64>, tensor<4x2x3xf64>, tensor<4x2x3xf64>)
  return %y, %f0, %f1 : tensor<4x2x6xf64>, tensor<4x2x3xf64>, tensor<4x2x3xf64>
}

func.func @rnn_gru(%x: tensor<4x2x2xf64>, %s0: tensor<2x2x3xf64>, %w0: tensor<9x2xf64>, %w1: tensor<9x3xf64>, %w2: tensor<9x3xf64>, %w3: tensor<9x3xf64>, %w4: tensor<9xf64>, %w5: tensor<9xf64>, %w6: tensor<9xf64>, %w7: tensor<9xf64>, %n: tensor<2xi32> {test.values = [4.0, 2.0]}) -> (tensor<4x2x3xf64>, tensor<2x2x3xf64>) attributes {test.twice} {
  %y, %f0 = pd.rnn %x states = %s0 weights = %w0, %w1, %w2, %w3, %w4, %w5, %w6, %w7 lengths = %n {mode = "GRU", hidden_size = 3 : i64, num_layers = 2 : i64, is_bidirec = false} : (tensor<4x2x2xf64>, tensor<2x2x3xf64>, tensor<9x2xf64>, tensor<9x3xf64>, tensor<9x3xf64>, tensor<9x3xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<2xi32>) -> (tensor<4x2x3xf64>, tensor<2x2x3xf64>)
  return %y, %f0 : tensor<4x2x3xf64>, tensor<2x2x3xf64>
}

func.func @rnn_tanh(%x: tensor<4x2x2xf64>, %s0: tensor<2x2x3xf64>, %w0: tensor<3x2xf64>, %w1: tensor<3x3xf64>, %w2: tensor<3x2xf64>, %w3: tensor<3x3xf64>, %w4: tensor<3xf64>, %w5: tensor<3xf64>, %w6: tensor<3xf64>, %w7: tensor<3xf64>) -> (tensor<4x2x6xf64>, tensor<2x2x3xf64>) {
  %y, %f0 = pd.rnn %x states = %s0 weights = %w0, %w1, %w2, %w3, %w4, %w5, %w6, %w7 {mode = "RNN_TANH", hidden_size = 3 : i64, num_layers = 1 : i64, is_bidirec = true} : (tensor<4x2x2xf64>, tensor<2x2x3xf64>, tensor<3x2xf64>, tensor<3x3xf64>, tensor<3x2xf64>, tensor<3x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<4x2x6xf64>, tensor<2x2x3xf64>)
  return %y, %f0 : tensor<4x2x6xf64>, tensor<2x2x3xf64>
}

func.func @rnn_relu(%x: tensor<4x2x2xf64>, %s0: tensor<1x2x3xf64>, %w0: tensor<3x2xf64>, %w1: tensor<3x3xf64>, %w2: tensor<3xf64>, %w3: tensor<3xf64>) -> (tensor<4x2x3xf64>, tensor<1x2x3xf64>) {
  %y, %f0 = pd.rnn %x states = %s0 weights = %w0, %w1, %w2, %w3 {mode = "RNN_RELU", hidden_size = 3 : i64, num_layers = 1 : i64, is_bidirec = false} : (tensor<4x2x2xf64>, tensor<1x2x3xf64>, tensor<3x2xf64>, tensor<3x3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<4x2x3xf64>, tensor<1x2x3xf64>)
  return %y, %f0 : tensor<4x2x3xf64>, tensor<1x2x3xf64>
}

func.func @batch_norm(%x: tensor<2x3x2x3xf64>, %mean: tensor<3xf64>, %variance: tensor<3xf64> {test.low = 0.5, test.high = 1.5}, %scale: tensor<3xf64>, %bias: tensor<3xf64>) -> (tensor<2x3x2x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) attributes {test.twice} {
  %y, %m, %v, %sm, %sv, %r = pd.batch_norm %x, %mean, %variance scale = %scale bias = %bias {epsilon = 0.01} : (tensor<2x3x2x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<2x3x2x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<0xf64>)
  return %y, %m, %v, %sm, %sv : tensor<2x3x2x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
}

func.func @batch_norm_last(%x: tensor<4x3xf64>, %mean: tensor<3xf64>, %variance: tensor<3xf64> {test.low = 0.5, test.high = 1.5}, %scale: tensor<3xf64>, %bias: tensor<3xf64>) -> (tensor<4x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) {
  %y, %m, %v, %sm, %sv, %r = pd.batch_norm %x, %mean, %variance scale = %scale bias = %bias {epsilon = 0.01, data_format = "NHWC"} : (tensor<4x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<4x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<0xf64>)
  return %y, %m, %v, %sm, %sv : tensor<4x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
}

func.func @batch_norm_given(%x: tensor<2x3x2x3xf64>, %mean: tensor<3xf64>, %variance: tensor<3xf64> {test.low = 0.5, test.high = 1.5}, %scale: tensor<3xf64>, %bias: tensor<3xf64>) -> (tensor<2x3x2x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) attributes {test.twice} {
  %y, %m, %v, %sm, %sv, %r = pd.batch_norm %x, %mean, %variance scale = %scale bias = %bias {epsilon = 0.01, use_global_stats = true} : (tensor<2x3x2x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<2x3x2x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<0xf64>)
  return %y, %m, %v, %sm, %sv : tensor<2x3x2x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
}

func.func @layer_norm(%x: tensor<2x3x4xf64>, %scale: tensor<12xf64>, %bias: tensor<12xf64>) -> (tensor<2x3x4xf64>, tensor<2xf64>, tensor<2xf64>) attributes {test.twice} {
  %y, %m, %v = pd.layer_norm %x scale = %scale bias = %bias {epsilon = 0.01, begin_norm_axis = 1 : i64} : (tensor<2x3x4xf64>, tensor<12xf64>, tensor<12xf64>) -> (tensor<2x3x4xf64>, tensor<2xf64>, tensor<2xf64>)
  return %y, %m, %v : tensor<2x3x4xf64>, tensor<2xf64>, tensor<2xf64>
}

func.func @layer_norm_last(%x: tensor<2x3x4xf64>) -> (tensor<2x3x4xf64>, tensor<2x3xf64>, tensor<2x3xf64>) {
  %y, %m, %v = pd.layer_norm %x {epsilon = 0.01, begin_norm_axis = 2 : i64} : (tensor<2x3x4xf64>) -> (tensor<2x3x4xf64>, tensor<2x3xf64>, tensor<2x3xf64>)
  return %y, %m, %v : tensor<2x3x4xf64>, tensor<2x3xf64>, tensor<2x3xf64>
}

func.func @group_norm(%x: tensor<2x4x2x2xf64>, %scale: tensor<4xf64>, %bias: tensor<4xf64>) -> (tensor<2x4x2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>) attributes {test.twice} {
  %y, %m, %v = pd.group_norm %x scale = %scale bias = %bias {epsilon = 0.01, groups = 2 : i64} : (tensor<2x4x2x2xf64>, tensor<4xf64>, tensor<4xf64>) -> (tensor<2x4x2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>)
  return %y, %m, %v : tensor<2x4x2x2xf64>, tensor<2x2xf64>, tensor<2x2xf64>
}

func.func @group_norm_last(%x: tensor<2x2x2x4xf64>, %scale: tensor<4xf64>) -> (tensor<2x2x2x4xf64>, tensor<2x2xf64>, tensor<2x2xf64>) {
  %y, %m, %v = pd.group_norm %x scale = %scale {epsilon = 0.01, groups = 2 : i64, data_format = "NHWC"} : (tensor<2x2x2x4xf64>, tensor<4xf64>) -> (tensor<2x2x2x4xf64>, tensor<2x2xf64>, tensor<2x2xf64>)
  return %y, %m, %v : tensor<2x2x2x4xf64>, tensor<2x2xf64>, tensor<2x2xf64>
}

func.func @instance_norm(%x: tensor<2x3x2x2xf64>, %scale: tensor<3xf64>, %bias: tensor<3xf64>) -> (tensor<2x3x2x2xf64>, tensor<6xf64>, tensor<6xf64>) attributes {test.twice} {
  %y, %m, %v = pd.instance_norm %x scale = %scale bias = %bias {epsilon = 0.01} : (tensor<2x3x2x2xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<2x3x2x2xf64>, tensor<6xf64>, tensor<6xf64>)
  return %y, %m, %v : tensor<2x3x2x2xf64>, tensor<6xf64>, tensor<6xf64>
}

func.func @norm(%a: tensor<3x4xf64>) -> (tensor<3x4xf64>, tensor<3x1xf64>) {
  %y, %z = pd.norm %a {axis = 1 : i64} : (tensor<3x4xf64>) -> (tensor<3x4xf64>, tensor<3x1xf64>)
  return %y, %z : tensor<3x4xf64>, tensor<3x1xf64>
}

func.func @lrn(%a: tensor<1x5x2x2xf64>) -> (tensor<1x5x2x2xf64>, tensor<1x5x2x2xf64>) {
  %y, %z = pd.lrn %a {n = 3 : i64, alpha = 0.1} : (tensor<1x5x2x2xf64>) -> (tensor<1x5x2x2xf64>, tensor<1x5x2x2xf64>)
  return %y, %z : tensor<1x5x2x2xf64>, tensor<1x5x2x2xf64>
}

func.func @spectral_norm(%a: tensor<3x4xf64>, %b: tensor<3xf64> {test.constant}, %c: tensor<4xf64> {test.constant}) -> (tensor<3x4xf64>) {
  %y = pd.spectral_norm %a, %b, %c {power_iters = 0 : i64} : (tensor<3x4xf64>, tensor<3xf64>, tensor<4xf64>) -> tensor<3x4xf64>
  return %y : tensor<3x4xf64>
}

func.func @affine_channel(%a: tensor<2x3x2x2xf64>, %b: tensor<3xf64>, %c: tensor<3xf64>) -> (tensor<2x3x2x2xf64>) {
  %y = pd.affine_channel %a, %b, %c : (tensor<2x3x2x2xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<2x3x2x2xf64>
  return %y : tensor<2x3x2x2xf64>
}

func.func @p_norm(%a: tensor<3x4xf64>) -> (tensor<3xf64>) attributes {test.twice} {
  %y = pd.p_norm %a {porder = 3.0, axis = 1 : i64} : (tensor<3x4xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func @p_norm_2(%a: tensor<3x4xf64>) -> (tensor<f64>) attributes {test.twice} {
  %y = pd.p_norm %a {porder = 2.0, asvector = true} : (tensor<3x4xf64>) -> tensor<f64>
  return %y : tensor<f64>
}

func.func @p_norm_max(%a: tensor<3x4xf64>) -> (tensor<1x4xf64>) {
  %y = pd.p_norm %a {porder = 0x7FF0000000000000 : f64, axis = 0 : i64, keepdim = true} : (tensor<3x4xf64>) -> tensor<1x4xf64>
  return %y : tensor<1x4xf64>
}

func.func @clip_by_norm(%a: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %y = pd.clip_by_norm %a {max_norm = 0.5} : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %y : tensor<3x4xf64>
}

func.func @softmax(%a: tensor<2x3x4xf64>) -> (tensor<2x3x4xf64>) attributes {test.twice} {
  %y = pd.softmax %a {axis = 1 : i64} : (tensor<2x3x4xf64>) -> tensor<2x3x4xf64>
  return %y : tensor<2x3x4xf64>
}

func.func @log_softmax(%a: tensor<2x3x4xf64>) -> (tensor<2x3x4xf64>) attributes {test.twice} {
  %y = pd.log_softmax %a {axis = 1 : i64} : (tensor<2x3x4xf64>) -> tensor<2x3x4xf64>
  return %y : tensor<2x3x4xf64>
}

func.func @cross_entropy(%a: tensor<4x3xf64>, %b: tensor<4x1xi64> {test.values = [0.0, 2.0, -100.0, 1.0]}) -> (tensor<4x3xf64>, tensor<4x1xf64>) attributes {test.twice} {
  %y, %z = pd.cross_entropy_with_softmax %a, %b : (tensor<4x3xf64>, tensor<4x1xi64>) -> (tensor<4x3xf64>, tensor<4x1xf64>)
  return %y, %z : tensor<4x3xf64>, tensor<4x1xf64>
}

func.func @cross_entropy_soft(%a: tensor<2x3xf64>, %b: tensor<2x3xf64> {test.constant, test.values = [0.2, 0.5, 0.3, 0.6, 0.1, 0.3]}) -> (tensor<2x3xf64>, tensor<2x1xf64>) {
  %y, %z = pd.cross_entropy_with_softmax %a, %b {soft_label = true} : (tensor<2x3xf64>, tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x1xf64>)
  return %y, %z : tensor<2x3xf64>, tensor<2x1xf64>
}

func.func @cross_entropy_given(%a: tensor<2x3xf64> {test.low = 0.1, test.high = 0.9}, %b: tensor<2x1xi64> {test.high = 2.0}) -> (tensor<2x3xf64>, tensor<2x1xf64>) {
  %y, %z = pd.cross_entropy_with_softmax %a, %b {use_softmax = false} : (tensor<2x3xf64>, tensor<2x1xi64>) -> (tensor<2x3xf64>, tensor<2x1xf64>)
  return %y, %z : tensor<2x3xf64>, tensor<2x1xf64>
}

func.func @bce_loss(%a: tensor<3x2xf64> {test.low = 0.1, test.high = 0.9}, %b: tensor<3x2xf64> {test.low = 0.1, test.high = 0.9}) -> (tensor<3x2xf64>) attributes {test.twice} {
  %y = pd.bce_loss %a, %b : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
  return %y : tensor<3x2xf64>
}

func.func @log_loss(%a: tensor<3x1xf64> {test.low = 0.1, test.high = 0.9}, %b: tensor<3x1xf64> {test.low = 0.1, test.high = 0.9}) -> (tensor<3x1xf64>) {
  %y = pd.log_loss %a, %b {epsilon = 0.001} : (tensor<3x1xf64>, tensor<3x1xf64>) -> tensor<3x1xf64>
  return %y : tensor<3x1xf64>
}

func.func @huber_loss(%a: tensor<3x2xf64>, %b: tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<3x2xf64>) {
  %y, %z = pd.huber_loss %a, %b {delta = 0.4} : (tensor<3x2xf64>, tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<3x2xf64>)
  return %y, %z : tensor<3x2xf64>, tensor<3x2xf64>
}

func.func @prelu(%a: tensor<2x3x2x2xf64>, %b: tensor<3xf64>) -> (tensor<2x3x2x2xf64>) {
  %y = pd.prelu %a, %b {mode = "channel"} : (tensor<2x3x2x2xf64>, tensor<3xf64>) -> tensor<2x3x2x2xf64>
  return %y : tensor<2x3x2x2xf64>
}

func.func @maxout(%a: tensor<1x4x2x2xf64>) -> (tensor<1x2x2x2xf64>) {
  %y = pd.maxout %a {groups = 2 : i64} : (tensor<1x4x2x2xf64>) -> tensor<1x2x2x2xf64>
  return %y : tensor<1x2x2x2xf64>
}

func.func @embedding(%a: tensor<2x3xi64> {test.high = 4.0}, %b: tensor<5x2xf64>) -> (tensor<2x3x2xf64>) {
  %y = pd.embedding %a, %b {padding_idx = 1 : i64} : (tensor<2x3xi64>, tensor<5x2xf64>) -> tensor<2x3x2xf64>
  return %y : tensor<2x3x2xf64>
}

func.func @relu(%a: tensor<7xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<7xf64>) {
  %y = pd.relu %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @relu6(%a: tensor<7xf64> {test.low = -1.0, test.high = 7.0}) -> (tensor<7xf64>) {
  %y = pd.relu6 %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @leaky_relu(%a: tensor<7xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<7xf64>) {
  %y = pd.leaky_relu %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @elu(%a: tensor<7xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<7xf64>) {
  %y = pd.elu %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @selu(%a: tensor<7xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<7xf64>) {
  %y = pd.selu %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @celu(%a: tensor<7xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<7xf64>) {
  %y = pd.celu %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @gelu(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) attributes {test.twice} {
  %y = pd.gelu %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @sigmoid(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) attributes {test.twice} {
  %y = pd.sigmoid %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @logsigmoid(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.logsigmoid %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @silu(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.silu %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @swish(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.swish %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @mish(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.mish %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @softplus(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.softplus %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @softsign(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.softsign %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @hardsigmoid(%a: tensor<7xf64> {test.low = -4.0, test.high = 4.0}) -> (tensor<7xf64>) {
  %y = pd.hardsigmoid %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @hardswish(%a: tensor<7xf64> {test.low = -4.0, test.high = 4.0}) -> (tensor<7xf64>) {
  %y = pd.hardswish %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @tanh_shrink(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.tanh_shrink %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @hardshrink(%a: tensor<7xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<7xf64>) {
  %y = pd.hardshrink %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @softshrink(%a: tensor<7xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<7xf64>) {
  %y = pd.softshrink %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @thresholded_relu(%a: tensor<7xf64> {test.low = 0.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.thresholded_relu %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @stanh(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.stanh %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @square(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.square %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @reciprocal(%a: tensor<7xf64> {test.low = 0.5, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.reciprocal %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @exp(%a: tensor<7xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<7xf64>) attributes {test.twice} {
  %y = pd.exp %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @expm1(%a: tensor<7xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<7xf64>) {
  %y = pd.expm1 %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @log(%a: tensor<7xf64> {test.low = 0.2, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.log %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @log2(%a: tensor<7xf64> {test.low = 0.2, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.log2 %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @log10(%a: tensor<7xf64> {test.low = 0.2, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.log10 %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @log1p(%a: tensor<7xf64> {test.low = -0.5, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.log1p %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @sqrt(%a: tensor<7xf64> {test.low = 0.2, test.high = 2.0}) -> (tensor<7xf64>) attributes {test.twice} {
  %y = pd.sqrt %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @rsqrt(%a: tensor<7xf64> {test.low = 0.2, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.rsqrt %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @sin(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.sin %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @cos(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.cos %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @tan(%a: tensor<7xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<7xf64>) {
  %y = pd.tan %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @asin(%a: tensor<7xf64> {test.low = -0.9, test.high = 0.9}) -> (tensor<7xf64>) {
  %y = pd.asin %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @acos(%a: tensor<7xf64> {test.low = -0.9, test.high = 0.9}) -> (tensor<7xf64>) {
  %y = pd.acos %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @atan(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.atan %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @sinh(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.sinh %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @cosh(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.cosh %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @tanh(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) attributes {test.twice} {
  %y = pd.tanh %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @asinh(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.asinh %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @acosh(%a: tensor<7xf64> {test.low = 1.2, test.high = 3.0}) -> (tensor<7xf64>) {
  %y = pd.acosh %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @atanh(%a: tensor<7xf64> {test.low = -0.9, test.high = 0.9}) -> (tensor<7xf64>) {
  %y = pd.atanh %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @erf(%a: tensor<7xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<7xf64>) {
  %y = pd.erf %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @abs(%a: tensor<7xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<7xf64>) {
  %y = pd.abs %a : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @logit(%a: tensor<7xf64> {test.low = 0.1, test.high = 0.9}) -> (tensor<7xf64>) {
  %y = pd.logit %a {eps = 0.001} : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @hardtanh(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.hardtanh %a {t_min = -1.0, t_max = 1.0} : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @clip(%a: tensor<7xf64> {test.low = -2.0, test.high = 2.0}) -> (tensor<7xf64>) {
  %y = pd.clip %a {min = -1.0, max = 1.0, operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<7xf64>) -> tensor<7xf64>
  return %y : tensor<7xf64>
}

func.func @add(%a: tensor<2x3xf64> {test.low = -1.0, test.high = 1.0}, %b: tensor<3xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<2x3xf64>) {
  %y = pd.add %a, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @subtract(%a: tensor<2x3xf64> {test.low = -1.0, test.high = 1.0}, %b: tensor<3xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<2x3xf64>) {
  %y = pd.subtract %a, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @multiply(%a: tensor<2x3xf64> {test.low = -1.0, test.high = 1.0}, %b: tensor<3xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<2x3xf64>) attributes {test.twice} {
  %y = pd.multiply %a, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @divide(%a: tensor<2x3xf64> {test.low = 0.5, test.high = 2.0}, %b: tensor<3xf64> {test.low = 0.5, test.high = 2.0}) -> (tensor<2x3xf64>) attributes {test.twice} {
  %y = pd.divide %a, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @maximum(%a: tensor<2x3xf64> {test.low = -1.0, test.high = 1.0}, %b: tensor<3xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<2x3xf64>) {
  %y = pd.maximum %a, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @minimum(%a: tensor<2x3xf64> {test.low = -1.0, test.high = 1.0}, %b: tensor<3xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<2x3xf64>) {
  %y = pd.minimum %a, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @fmax(%a: tensor<2x3xf64> {test.low = -1.0, test.high = 1.0}, %b: tensor<3xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<2x3xf64>) {
  %y = pd.fmax %a, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @fmin(%a: tensor<2x3xf64> {test.low = -1.0, test.high = 1.0}, %b: tensor<3xf64> {test.low = -1.0, test.high = 1.0}) -> (tensor<2x3xf64>) {
  %y = pd.fmin %a, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @elementwise_pow(%a: tensor<2x3xf64> {test.low = 0.5, test.high = 2.0}, %b: tensor<3xf64> {test.low = 0.5, test.high = 2.0}) -> (tensor<2x3xf64>) {
  %y = pd.elementwise_pow %a, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @atan2(%a: tensor<2x3xf64> {test.low = 0.5, test.high = 2.0}, %b: tensor<3xf64> {test.low = 0.5, test.high = 2.0}) -> (tensor<2x3xf64>) {
  %y = pd.atan2 %a, %b : (tensor<2x3xf64>, tensor<3xf64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @matmul(%a: tensor<2x3x4xf64>, %b: tensor<4x5xf64>) -> (tensor<2x3x5xf64>) attributes {test.twice} {
  %y = pd.matmul %a, %b : (tensor<2x3x4xf64>, tensor<4x5xf64>) -> tensor<2x3x5xf64>
  return %y : tensor<2x3x5xf64>
}

func.func @matmul_transposed(%a: tensor<4x3xf64>, %b: tensor<2x5x4xf64>) -> (tensor<2x3x5xf64>) {
  %y = pd.matmul %a, %b {transpose_x = true, transpose_y = true} : (tensor<4x3xf64>, tensor<2x5x4xf64>) -> tensor<2x3x5xf64>
  return %y : tensor<2x3x5xf64>
}

func.func @reduce_sum(%a: tensor<2x3x4xf64> {test.low = 0.5, test.high = 2.0}) -> (tensor<2x4xf64>) {
  %y = pd.sum %a {axis = array<i64: 1>, keepdim = false} : (tensor<2x3x4xf64>) -> tensor<2x4xf64>
  return %y : tensor<2x4xf64>
}

func.func @reduce_mean(%a: tensor<2x3x4xf64> {test.low = 0.5, test.high = 2.0}) -> (tensor<2x4xf64>) {
  %y = pd.mean %a {axis = array<i64: 1>, keepdim = false} : (tensor<2x3x4xf64>) -> tensor<2x4xf64>
  return %y : tensor<2x4xf64>
}

func.func @reduce_max(%a: tensor<2x3x4xf64> {test.low = 0.5, test.high = 2.0}) -> (tensor<2x4xf64>) {
  %y = pd.max %a {axis = array<i64: 1>, keepdim = false} : (tensor<2x3x4xf64>) -> tensor<2x4xf64>
  return %y : tensor<2x4xf64>
}

func.func @reduce_min(%a: tensor<2x3x4xf64> {test.low = 0.5, test.high = 2.0}) -> (tensor<2x4xf64>) {
  %y = pd.min %a {axis = array<i64: 1>, keepdim = false} : (tensor<2x3x4xf64>) -> tensor<2x4xf64>
  return %y : tensor<2x4xf64>
}

func.func @reduce_prod_zeros(%a: tensor<4x3xf64> {test.values = [1.5, 0.0, 2.0, 0.0, 0.5, 0.0, 3.0, 2.0, -1.0, 0.0, 0.0, 0.0]}) -> (tensor<4xf64>) {
  %y = pd.prod %a {axis = array<i64: 1>, keepdim = false} : (tensor<4x3xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @reduce_prod(%a: tensor<2x3x4xf64> {test.low = 0.5, test.high = 2.0}) -> (tensor<2x4xf64>) {
  %y = pd.prod %a {axis = array<i64: 1>, keepdim = false} : (tensor<2x3x4xf64>) -> tensor<2x4xf64>
  return %y : tensor<2x4xf64>
}

func.func @reduce_logsumexp(%a: tensor<2x3x4xf64> {test.low = 0.5, test.high = 2.0}) -> (tensor<2x4xf64>) {
  %y = pd.logsumexp %a {axis = array<i64: 1>, keepdim = false} : (tensor<2x3x4xf64>) -> tensor<2x4xf64>
  return %y : tensor<2x4xf64>
}

func.func @reduce_amax(%a: tensor<2x3x4xf64> {test.low = 0.5, test.high = 2.0}) -> (tensor<2x4xf64>) {
  %y = pd.amax %a {axis = array<i64: 1>, keepdim = false} : (tensor<2x3x4xf64>) -> tensor<2x4xf64>
  return %y : tensor<2x4xf64>
}

func.func @reduce_amin(%a: tensor<2x3x4xf64> {test.low = 0.5, test.high = 2.0}) -> (tensor<2x4xf64>) {
  %y = pd.amin %a {axis = array<i64: 1>, keepdim = false} : (tensor<2x3x4xf64>) -> tensor<2x4xf64>
  return %y : tensor<2x4xf64>
}

func.func @cumsum(%a: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %y = pd.cumsum %a {axis = 1 : i64} : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %y : tensor<3x4xf64>
}

func.func @cumprod(%a: tensor<3x4xf64> {test.low = 0.5, test.high = 2.0}) -> (tensor<3x4xf64>) {
  %y = pd.cumprod %a {dim = 1 : i64} : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %y : tensor<3x4xf64>
}

func.func @logcumsumexp(%a: tensor<3x4xf64>) -> (tensor<3x4xf64>) {
  %y = pd.logcumsumexp %a {axis = 1 : i64} : (tensor<3x4xf64>) -> tensor<3x4xf64>
  return %y : tensor<3x4xf64>
}

func.func @det(%a: tensor<2x3x3xf64>) -> (tensor<2xf64>) attributes {test.twice} {
  %y = pd.det %a : (tensor<2x3x3xf64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}

func.func @slogdet(%a: tensor<3x3xf64>) -> (tensor<2xf64>) {
  %y = pd.slogdet %a : (tensor<3x3xf64>) -> tensor<2xf64>
  return %y : tensor<2xf64>
}

func.func @svd(%a: tensor<4x3xf64>) -> (tensor<3xf64>) {
  %u, %s, %v = pd.svd %a : (tensor<4x3xf64>) -> (tensor<4x3xf64>, tensor<3xf64>, tensor<3x3xf64>)
  return %s : tensor<3xf64>
}

func.func @lu_solve(%b: tensor<2x3x2xf64>, %x: tensor<2x3x3xf64> {test.values = [1.0, 4.0, 0.5, 3.0, -1.0, 1.0, 0.5, 1.0, 2.5, 2.0, 0.0, 1.0, -1.0, 3.0, 0.5, 4.0, 1.0, -2.0]}) -> (tensor<2x3x2xf64>, tensor<2x3x2xf64>) {
  %lu:3 = pd.lu %x : (tensor<2x3x3xf64>) -> (tensor<2x3x3xf64>, tensor<2x3xi32>, tensor<2xi32>)
  %n = pd.lu_solve %b, %lu#0, %lu#1 : (tensor<2x3x2xf64>, tensor<2x3x3xf64>, tensor<2x3xi32>) -> tensor<2x3x2xf64>
  %t = pd.lu_solve %b, %lu#0, %lu#1 {trans = "T"} : (tensor<2x3x2xf64>, tensor<2x3x3xf64>, tensor<2x3xi32>) -> tensor<2x3x2xf64>
  return %n, %t : tensor<2x3x2xf64>, tensor<2x3x2xf64>
}
func.func @cholesky_solve(%a: tensor<3x2xf64>, %b: tensor<2x3x3xf64>) -> (tensor<2x3x2xf64>) {
  %y = pd.cholesky_solve %a, %b : (tensor<3x2xf64>, tensor<2x3x3xf64>) -> tensor<2x3x2xf64>
  return %y : tensor<2x3x2xf64>
}

func.func @roi_align(%a: tensor<2x2x6x5xf64>, %b: tensor<3x4xf64> {test.constant, test.values = [0.0, 1.0, 3.0, 4.0, 1.0, 0.0, 4.0, 5.0, 0.0, 0.0, 2.0, 2.0]}, %c: tensor<2xi32> {test.values = [1.0, 2.0]}) -> (tensor<3x2x2x2xf64>) {
  %y = pd.roi_align %a, %b, %c {pooled_height = 2 : i64, pooled_width = 2 : i64, sampling_ratio = 2 : i64} : (tensor<2x2x6x5xf64>, tensor<3x4xf64>, tensor<2xi32>) -> tensor<3x2x2x2xf64>
  return %y : tensor<3x2x2x2xf64>
}

func.func @roi_pool(%a: tensor<2x2x6x5xf64>, %b: tensor<3x4xf64> {test.constant, test.values = [0.0, 1.0, 3.0, 4.0, 1.0, 0.0, 4.0, 5.0, 0.0, 0.0, 2.0, 2.0]}, %c: tensor<2xi32> {test.values = [1.0, 2.0]}) -> (tensor<3x2x2x2xf64>) {
  %y, %i = pd.roi_pool %a, %b, %c {pooled_height = 2 : i64, pooled_width = 2 : i64} : (tensor<2x2x6x5xf64>, tensor<3x4xf64>, tensor<2xi32>) -> (tensor<3x2x2x2xf64>, tensor<3x2x2x2xi64>)
  return %y : tensor<3x2x2x2xf64>
}

func.func @psroi_pool(%a: tensor<2x4x6x5xf64>, %b: tensor<3x4xf64> {test.constant, test.values = [0.0, 1.0, 3.0, 4.0, 1.0, 0.0, 4.0, 5.0, 0.0, 0.0, 2.0, 2.0]}, %c: tensor<2xi32> {test.values = [1.0, 2.0]}) -> (tensor<3x1x2x2xf64>) {
  %y = pd.psroi_pool %a, %b, %c {pooled_height = 2 : i64, pooled_width = 2 : i64, output_channels = 1 : i64} : (tensor<2x4x6x5xf64>, tensor<3x4xf64>, tensor<2xi32>) -> tensor<3x1x2x2xf64>
  return %y : tensor<3x1x2x2xf64>
}

func.func @transpose(%a: tensor<2x3x4xf64>) -> (tensor<4x2x3xf64>) {
  %y = pd.transpose %a {perm = array<i64: 2, 0, 1>} : (tensor<2x3x4xf64>) -> tensor<4x2x3xf64>
  return %y : tensor<4x2x3xf64>
}

func.func @pad(%a: tensor<2x3xf64>) -> (tensor<3x6xf64>) {
  %y = pd.pad %a {paddings = array<i64: 1, 0, 2, 1>, pad_value = 0.5} : (tensor<2x3xf64>) -> tensor<3x6xf64>
  return %y : tensor<3x6xf64>
}

func.func @gather(%a: tensor<4x3xf64>, %b: tensor<5xi64> {test.high = 3.0}) -> (tensor<5x3xf64>) {
  %y = pd.gather %a, %b {axis = 0 : i64} : (tensor<4x3xf64>, tensor<5xi64>) -> tensor<5x3xf64>
  return %y : tensor<5x3xf64>
}

func.func @gather_nd(%a: tensor<4x3xf64>, %b: tensor<5x2xi64> {test.high = 2.0}) -> (tensor<5xf64>) {
  %y = pd.gather_nd %a, %b : (tensor<4x3xf64>, tensor<5x2xi64>) -> tensor<5xf64>
  return %y : tensor<5xf64>
}

func.func @take_along_axis(%a: tensor<4x3xf64>, %b: tensor<2x3xi64> {test.high = 3.0}) -> (tensor<2x3xf64>) {
  %y = pd.take_along_axis %a, %b {axis = 0 : i64} : (tensor<4x3xf64>, tensor<2x3xi64>) -> tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

func.func @put_along_axis(%a: tensor<4x3xf64>, %b: tensor<2x3xi64> {test.values = [0.0, 1.0, 2.0, 3.0, 3.0, 0.0]}, %c: tensor<2x3xf64>) -> (tensor<4x3xf64>) {
  %y = pd.put_along_axis %a, %b, %c {axis = 0 : i64, reduce = "assign"} : (tensor<4x3xf64>, tensor<2x3xi64>, tensor<2x3xf64>) -> tensor<4x3xf64>
  return %y : tensor<4x3xf64>
}

// U diag(s^2) VH does not see the phases of the vectors.
func.func @svd_complex(%a: tensor<3x2xf64>, %b: tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<3x2xf64>) {
  %x = pd.complex %a, %b : (tensor<3x2xf64>, tensor<3x2xf64>) -> tensor<3x2xcomplex<f64>>
  %u, %s, %v = pd.svd %x : (tensor<3x2xcomplex<f64>>) -> (tensor<3x2xcomplex<f64>>, tensor<2xf64>, tensor<2x2xcomplex<f64>>)
  %q = pd.multiply %s, %s : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %c = pd.cast %q {dtype = complex<f64>} : (tensor<2xf64>) -> tensor<2xcomplex<f64>>
  %w = pd.multiply %u, %c : (tensor<3x2xcomplex<f64>>, tensor<2xcomplex<f64>>) -> tensor<3x2xcomplex<f64>>
  %p = pd.matmul %w, %v : (tensor<3x2xcomplex<f64>>, tensor<2x2xcomplex<f64>>) -> tensor<3x2xcomplex<f64>>
  %y = pd.real %p : (tensor<3x2xcomplex<f64>>) -> tensor<3x2xf64>
  %z = pd.imag %p : (tensor<3x2xcomplex<f64>>) -> tensor<3x2xf64>
  return %y, %z : tensor<3x2xf64>, tensor<3x2xf64>
}

func.func @qr_without_q(%a: tensor<4x3xf64>) -> (tensor<3x3xf64>) {
  %q, %r = pd.qr %a {mode = "r"} : (tensor<4x3xf64>) -> (tensor<0xf64>, tensor<3x3xf64>)
  return %r : tensor<3x3xf64>
}

func.func @take_along_axis_in_part(%a: tensor<4x3xf64>, %b: tensor<2x2xi64> {test.high = 2.0}) -> (tensor<2x2xf64>) {
  %y = pd.take_along_axis %a, %b {axis = 1 : i64} : (tensor<4x3xf64>, tensor<2x2xi64>) -> tensor<2x2xf64>
  return %y : tensor<2x2xf64>
}

func.func @put_along_axis_least(%a: tensor<4x3xf64>, %b: tensor<2x3xi64> {test.values = [0.0, 1.0, 2.0, 3.0, 1.0, 0.0]}, %c: tensor<2x3xf64>) -> (tensor<4x3xf64>) {
  %y = pd.put_along_axis %a, %b, %c {axis = 0 : i64, reduce = "amin"} : (tensor<4x3xf64>, tensor<2x3xi64>, tensor<2x3xf64>) -> tensor<4x3xf64>
  return %y : tensor<4x3xf64>
}

func.func @put_along_axis_greatest(%a: tensor<4x3xf64>, %b: tensor<2x3xi64> {test.values = [0.0, 1.0, 2.0, 3.0, 1.0, 0.0]}, %c: tensor<2x1xf64>) -> (tensor<4x3xf64>) {
  %y = pd.put_along_axis %a, %b, %c {axis = 0 : i64, reduce = "amax"} : (tensor<4x3xf64>, tensor<2x3xi64>, tensor<2x1xf64>) -> tensor<4x3xf64>
  return %y : tensor<4x3xf64>
}

// Control flow: a condition and a number of iterations that are data, and a loop that ends by what it computes.

func.func @branch(%a: tensor<3xf64>, %b: tensor<3xf64>, %n: tensor<1xi64>) -> (tensor<3xf64>) {
  %zero = pd.constant dense<0> : tensor<1xi64>
  %c = pd.equal %n, %zero : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
  %r = pd.reshape %c {shape = array<i64>} : (tensor<1xi1>) -> tensor<i1>
  %condition = tensor.extract %r[] : tensor<i1>
  %y = scf.if %condition -> (tensor<3xf64>) {
    %e = pd.exp %a : (tensor<3xf64>) -> tensor<3xf64>
    %m = pd.multiply %e, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    scf.yield %m : tensor<3xf64>
  } else {
    scf.yield %a : tensor<3xf64>
  }
  return %y : tensor<3xf64>
}

func.func @loop_count(%a: tensor<3xf64>, %b: tensor<3xf64>, %n: tensor<1xi64> {test.high = 4.0}) -> (tensor<3xf64>) attributes {test.twice} {
  %zero = pd.constant dense<0> : tensor<1xi64>
  %one = pd.constant dense<1> : tensor<1xi64>
  %y:2 = scf.while (%v = %a, %i = %zero) : (tensor<3xf64>, tensor<1xi64>) -> (tensor<3xf64>, tensor<1xi64>) {
    %c = pd.less_than %i, %n : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %r = pd.reshape %c {shape = array<i64>} : (tensor<1xi1>) -> tensor<i1>
    %condition = tensor.extract %r[] : tensor<i1>
    scf.condition(%condition) %v, %i : tensor<3xf64>, tensor<1xi64>
  } do {
  ^bb0(%v: tensor<3xf64>, %i: tensor<1xi64>):
    %m = pd.multiply %v, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %s = pd.sin %m : (tensor<3xf64>) -> tensor<3xf64>
    %j = pd.add %i, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    scf.yield %s, %j : tensor<3xf64>, tensor<1xi64>
  }
  return %y#0 : tensor<3xf64>
}

// Only what the loop reads from outside is differentiated by.
func.func @loop_captured(%a: tensor<3xf64> {test.constant}, %b: tensor<3xf64>) -> (tensor<3xf64>) {
  %zero = pd.constant dense<0> : tensor<1xi64>
  %one = pd.constant dense<1> : tensor<1xi64>
  %three = pd.constant dense<3> : tensor<1xi64>
  %y:2 = scf.while (%v = %a, %i = %zero) : (tensor<3xf64>, tensor<1xi64>) -> (tensor<3xf64>, tensor<1xi64>) {
    %c = pd.less_than %i, %three : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %r = pd.reshape %c {shape = array<i64>} : (tensor<1xi1>) -> tensor<i1>
    %condition = tensor.extract %r[] : tensor<i1>
    scf.condition(%condition) %v, %i : tensor<3xf64>, tensor<1xi64>
  } do {
  ^bb0(%v: tensor<3xf64>, %i: tensor<1xi64>):
    %m = pd.multiply %v, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %s = pd.sin %m : (tensor<3xf64>) -> tensor<3xf64>
    %j = pd.add %i, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    scf.yield %s, %j : tensor<3xf64>, tensor<1xi64>
  }
  return %y#0 : tensor<3xf64>
}

func.func @loop_until(%a: tensor<3xf64> {test.low = 0.1}, %b: tensor<3xf64> {test.low = 1.2, test.high = 1.9}) -> (tensor<3xf64>) attributes {test.twice} {
  %bound = pd.constant dense<4.0> : tensor<f64>
  %y = scf.while (%v = %a) : (tensor<3xf64>) -> (tensor<3xf64>) {
    %s = pd.sum %v : (tensor<3xf64>) -> tensor<f64>
    %c = pd.less_than %s, %bound : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %condition = tensor.extract %c[] : tensor<i1>
    scf.condition(%condition) %v : tensor<3xf64>
  } do {
  ^bb0(%v: tensor<3xf64>):
    %m = pd.multiply %v, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    scf.yield %m : tensor<3xf64>
  }
  return %y : tensor<3xf64>
}

// An array that a loop fills and reads, and one from outside that it reads: states of a recurrence and their sum.
func.func @loop_arrays(%a: tensor<3xf64>, %b: tensor<3xf64>) -> (tensor<3x3xf64>) attributes {test.batch_first} {
  %zero = pd.constant dense<0> : tensor<1xi64>
  %one = pd.constant dense<1> : tensor<1xi64>
  %three = pd.constant dense<3> : tensor<1xi64>
  %empty = pd.array_create : () -> !array.of<*>
  %e0 = pd.array_write %empty, %zero, %a : (!array.of<*>, tensor<1xi64>, tensor<3xf64>) -> !array.of<tensor<3xf64>>
  %y:2 = scf.while (%v = %e0, %i = %one) : (!array.of<tensor<3xf64>>, tensor<1xi64>) -> (!array.of<tensor<3xf64>>, tensor<1xi64>) {
    %c = pd.less_than %i, %three : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi1>
    %r = pd.reshape %c {shape = array<i64>} : (tensor<1xi1>) -> tensor<i1>
    %condition = tensor.extract %r[] : tensor<i1>
    scf.condition(%condition) %v, %i : !array.of<tensor<3xf64>>, tensor<1xi64>
  } do {
  ^bb0(%v: !array.of<tensor<3xf64>>, %i: tensor<1xi64>):
    %before = pd.subtract %i, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    %h = pd.array_read %v, %before : (!array.of<tensor<3xf64>>, tensor<1xi64>) -> tensor<3xf64>
    %u = pd.array_read %e0, %zero : (!array.of<tensor<3xf64>>, tensor<1xi64>) -> tensor<3xf64>
    %m = pd.multiply %h, %b : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %s = pd.sin %m : (tensor<3xf64>) -> tensor<3xf64>
    %p = pd.multiply %s, %u : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
    %w = pd.array_write %v, %i, %p : (!array.of<tensor<3xf64>>, tensor<1xi64>, tensor<3xf64>) -> !array.of<tensor<3xf64>>
    %j = pd.add %i, %one : (tensor<1xi64>, tensor<1xi64>) -> tensor<1xi64>
    scf.yield %w, %j : !array.of<tensor<3xf64>>, tensor<1xi64>
  }
  %t, %sizes = pd.array_to_tensor %y#0 {axis = 0 : i64, use_stack = true} : (!array.of<tensor<3xf64>>) -> (tensor<?x3xf64>, tensor<?xi32>)
  %f = pd.reshape %t {shape = array<i64: 3, 3>} : (tensor<?x3xf64>) -> tensor<3x3xf64>
  return %f : tensor<3x3xf64>
}

func.func @elu_far(%a: tensor<4xf64> {test.values = [-800.0, -1.5, 2.0, 800.0]}) -> (tensor<4xf64>) attributes {test.twice} {
  %y = pd.elu %a {alpha = 1.3} : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @selu_far(%a: tensor<4xf64> {test.values = [-800.0, -1.5, 2.0, 800.0]}) -> (tensor<4xf64>) attributes {test.twice} {
  %y = pd.selu %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @celu_far(%a: tensor<4xf64> {test.values = [-800.0, -1.5, 2.0, 800.0]}) -> (tensor<4xf64>) attributes {test.twice} {
  %y = pd.celu %a {alpha = 1.7} : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @softplus_far(%a: tensor<4xf64> {test.values = [-800.0, -1.5, 2.0, 800.0]}) -> (tensor<4xf64>) attributes {test.twice} {
  %y = pd.softplus %a {beta = 1.5} : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @mish_far(%a: tensor<4xf64> {test.values = [-800.0, -1.5, 2.0, 800.0]}) -> (tensor<4xf64>) attributes {test.twice} {
  %y = pd.mish %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @silu_far(%a: tensor<4xf64> {test.values = [-800.0, -1.5, 2.0, 800.0]}) -> (tensor<4xf64>) attributes {test.twice} {
  %y = pd.silu %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @swish_far(%a: tensor<4xf64> {test.values = [-800.0, -1.5, 2.0, 800.0]}) -> (tensor<4xf64>) attributes {test.twice} {
  %y = pd.swish %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @logsigmoid_far(%a: tensor<4xf64> {test.values = [-800.0, -1.5, 2.0, 800.0]}) -> (tensor<4xf64>) attributes {test.twice} {
  %y = pd.logsigmoid %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @gelu_far(%a: tensor<4xf64> {test.values = [-800.0, -1.5, 2.0, 800.0]}) -> (tensor<4xf64>) attributes {test.twice} {
  %y = pd.gelu %a : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @sigmoid_cross_entropy_at_zero(%a: tensor<4xf64> {test.values = [0.0, -0.0, 0.0, 1.0]}, %b: tensor<4xf64> {test.values = [0.3, 1.0, 0.0, 0.7]}) -> (tensor<4xf64>) attributes {test.twice} {
  %y = pd.sigmoid_cross_entropy_with_logits %a, %b : (tensor<4xf64>, tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @rank_loss_of_equals(%a: tensor<3xf64> {test.values = [0.3, 1.0, 0.0]}, %b: tensor<3xf64> {test.values = [0.5, -2.0, 1.0]}, %c: tensor<3xf64> {test.values = [0.5, -2.0, 0.0]}) -> (tensor<3xf64>) attributes {test.twice} {
  %y = pd.rank_loss %a, %b, %c : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func @logcumsumexp_far(%a: tensor<4xf64> {test.values = [-800.0, -801.0, -799.5, -800.0]}) -> (tensor<4xf64>) attributes {test.twice} {
  %y = pd.logcumsumexp %a {axis = 0 : i64} : (tensor<4xf64>) -> tensor<4xf64>
  return %y : tensor<4xf64>
}

func.func @swiglu(%a: tensor<3x4xf64>, %b: tensor<3x4xf64>) -> (tensor<3x4xf64>) attributes {test.twice} {
  %y = pd.swiglu %a, %b : (tensor<3x4xf64>, tensor<3x4xf64>) -> tensor<3x4xf64>
  return %y : tensor<3x4xf64>
}

func.func @swiglu_halves(%a: tensor<3x4xf64>) -> (tensor<3x2xf64>) {
  %y = pd.swiglu %a : (tensor<3x4xf64>) -> tensor<3x2xf64>
  return %y : tensor<3x2xf64>
}

func.func @copysign(%a: tensor<3x4xf64>, %b: tensor<4xf64>) -> (tensor<3x4xf64>) {
  %y = pd.copysign %a, %b : (tensor<3x4xf64>, tensor<4xf64>) -> tensor<3x4xf64>
  return %y : tensor<3x4xf64>
}

func.func @reduce_as(%a: tensor<2x3x4xf64>) -> (tensor<3x1xf64>) {
  %t = pd.constant dense<0.0> : tensor<3x1xf64>
  %y = pd.reduce_as %a, %t : (tensor<2x3x4xf64>, tensor<3x1xf64>) -> tensor<3x1xf64>
  return %y : tensor<3x1xf64>
}

func.func @svdvals(%a: tensor<4x3xf64>) -> (tensor<3xf64>) {
  %s = pd.svdvals %a : (tensor<4x3xf64>) -> tensor<3xf64>
  return %s : tensor<3xf64>
}

func.func @median(%a: tensor<3x6xf64>) -> (tensor<3xf64>) {
  %y = pd.median %a {axis = array<i64: 1>} : (tensor<3x6xf64>) -> tensor<3xf64>
  return %y : tensor<3xf64>
}

func.func @flash_attn(%a: tensor<2x3x4x5xf64>, %b: tensor<2x4x2x5xf64>, %c: tensor<2x4x2x5xf64>) -> (tensor<2x3x4x5xf64>) attributes {test.twice} {
  %y = pd.flash_attn %a, %b, %c {causal = true} : (tensor<2x3x4x5xf64>, tensor<2x4x2x5xf64>, tensor<2x4x2x5xf64>) -> tensor<2x3x4x5xf64>
  return %y : tensor<2x3x4x5xf64>
}

func.func @fused_softmax_mask_upper_triangle(%a: tensor<2x4x4xf64>) -> (tensor<2x4x4xf64>) {
  %y = pd.fused_softmax_mask_upper_triangle %a : (tensor<2x4x4xf64>) -> tensor<2x4x4xf64>
  return %y : tensor<2x4x4xf64>
}

func.func @rms_norm(%a: tensor<2x3x4xf64>, %b: tensor<4xf64>) -> (tensor<2x3x4xf64>) attributes {test.twice} {
  %y, %i = pd.rms_norm %a, %b {normalized_shape = array<i64: 4>} : (tensor<2x3x4xf64>, tensor<4xf64>) -> (tensor<2x3x4xf64>, tensor<2x3xf64>)
  return %y : tensor<2x3x4xf64>
}
