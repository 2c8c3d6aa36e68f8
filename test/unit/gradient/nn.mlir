// Functions whose gradients GradientTest.cpp compares with central differences.

func.func @conv2d(%a: tensor<2x3x5x6xf64>, %b: tensor<4x3x3x2xf64>) -> (tensor<2x4x2x6xf64>) attributes {test.twice} {
  %y = pd.conv2d %a, %b {strides = array<i64: 2, 1>, paddings = array<i64: 0, 1, 1, 0>} : (tensor<2x3x5x6xf64>, tensor<4x3x3x2xf64>) -> tensor<2x4x2x6xf64>
  return %y : tensor<2x4x2x6xf64>
}

func.func @conv2d_groups_dilation(%a: tensor<2x5x4x4xf64>, %b: tensor<6x2x2x2xf64>) -> (tensor<2x3x2x6xf64>) {
  %y = pd.conv2d %a, %b data_format = NHWC {dilations = array<i64: 2, 2>, groups = 2 : i64} : (tensor<2x5x4x4xf64>, tensor<6x2x2x2xf64>) -> tensor<2x3x2x6xf64>
  return %y : tensor<2x3x2x6xf64>
}

func.func @conv2d_same(%a: tensor<1x2x5x4xf64>, %b: tensor<2x2x3x3xf64>) -> (tensor<1x2x3x2xf64>) {
  %y = pd.conv2d %a, %b padding_algorithm = SAME {strides = array<i64: 2, 2>} : (tensor<1x2x5x4xf64>, tensor<2x2x3x3xf64>) -> tensor<1x2x3x2xf64>
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
  %y = pd.pool2d %a pooling_type = max {kernel_size = array<i64: 3, 3>, strides = array<i64: 2, 2>, paddings = array<i64: 1, 1>} : (tensor<2x2x5x5xf64>) -> tensor<2x2x3x3xf64>
  return %y : tensor<2x2x3x3xf64>
}

func.func @pool2d_avg(%a: tensor<2x2x5x5xf64>) -> (tensor<2x2x3x3xf64>) attributes {test.twice} {
  %y = pd.pool2d %a pooling_type = avg {kernel_size = array<i64: 3, 3>, strides = array<i64: 2, 2>, paddings = array<i64: 1, 1>} : (tensor<2x2x5x5xf64>) -> tensor<2x2x3x3xf64>
  return %y : tensor<2x2x3x3xf64>
}

func.func @pool2d_avg_inclusive_ceil(%a: tensor<1x4x4x2xf64>) -> (tensor<1x3x3x2xf64>) {
  %y = pd.pool2d %a data_format = NHWC pooling_type = avg {kernel_size = array<i64: 3, 3>, strides = array<i64: 2, 2>, paddings = array<i64: 1, 1>, exclusive = false, ceil_mode = true} : (tensor<1x4x4x2xf64>) -> tensor<1x3x3x2xf64>
  return %y : tensor<1x3x3x2xf64>
}

func.func @pool2d_adaptive(%a: tensor<1x2x5x7xf64>) -> (tensor<1x2x3x2xf64>) {
  %y = pd.pool2d %a pooling_type = avg {kernel_size = array<i64: 3, 2>, adaptive = true} : (tensor<1x2x5x7xf64>) -> tensor<1x2x3x2xf64>
  return %y : tensor<1x2x3x2xf64>
}

func.func @pool2d_global_max(%a: tensor<2x3x3x2xf64>) -> (tensor<2x1x1x2xf64>) {
  %y = pd.pool2d %a data_format = NHWC pooling_type = max {kernel_size = array<i64: 1, 1>, global_pooling = true} : (tensor<2x3x3x2xf64>) -> tensor<2x1x1x2xf64>
  return %y : tensor<2x1x1x2xf64>
}

func.func @pool2d_same(%a: tensor<1x2x5x4xf64>) -> (tensor<1x2x3x2xf64>) {
  %y = pd.pool2d %a pooling_type = max padding_algorithm = SAME {kernel_size = array<i64: 3, 3>, strides = array<i64: 2, 2>} : (tensor<1x2x5x4xf64>) -> tensor<1x2x3x2xf64>
  return %y : tensor<1x2x3x2xf64>
}

func.func @pool3d_avg(%a: tensor<1x2x3x4x3xf64>) -> (tensor<1x2x2x3x2xf64>) {
  %y = pd.pool3d %a pooling_type = avg {kernel_size = array<i64: 2, 2, 2>} : (tensor<1x2x3x4x3xf64>) -> tensor<1x2x2x3x2xf64>
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
  %y = pd.bilinear_interp %a data_format = NHWC {scale = array<f64: 2.0, 1.5>, align_corners = false, align_mode = 0 : i64} : (tensor<1x3x4x2xf64>) -> tensor<1x6x6x2xf64>
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
  %y, %f0, %f1 = pd.rnn %x states = %s0, %s1 weights = %w0, %w1, %w2, %w3, %w4, %w5, %w6, %w7, %w8, %w9, %w10, %w11, %w12, %w13, %w14, %w15 lengths = %n mode = LSTM {hidden_size = 3 : i64, num_layers = 2 : i64, is_bidirec = true} : (tensor<4x2x2xf64>, tensor<4x2x3xf64>, tensor<4x2x3xf64>, tensor<12x2xf64>, tensor<12x3xf64>, tensor<12x2xf64>, tensor<12x3xf64>, tensor<12x6xf64>, tensor<12x3xf64>, tensor<12x6xf64>, tensor<12x3xf64>, tensor<12xf64>, tensor<12xf64>, tensor<12xf64>, tensor<12xf64>, tensor<12xf64>, tensor<12xf64>, tensor<12xf64>, tensor<12xf64>, tensor<2xi32>) -> (tensor<4x2x6xf64>, tensor<4x2x3xf64>, tensor<4x2x3xf64>)
  return %y, %f0, %f1 : tensor<4x2x6xf64>, tensor<4x2x3xf64>, tensor<4x2x3xf64>
}

func.func @rnn_gru(%x: tensor<4x2x2xf64>, %s0: tensor<2x2x3xf64>, %w0: tensor<9x2xf64>, %w1: tensor<9x3xf64>, %w2: tensor<9x3xf64>, %w3: tensor<9x3xf64>, %w4: tensor<9xf64>, %w5: tensor<9xf64>, %w6: tensor<9xf64>, %w7: tensor<9xf64>, %n: tensor<2xi32> {test.values = [4.0, 2.0]}) -> (tensor<4x2x3xf64>, tensor<2x2x3xf64>) attributes {test.twice} {
  %y, %f0 = pd.rnn %x states = %s0 weights = %w0, %w1, %w2, %w3, %w4, %w5, %w6, %w7 lengths = %n mode = GRU {hidden_size = 3 : i64, num_layers = 2 : i64, is_bidirec = false} : (tensor<4x2x2xf64>, tensor<2x2x3xf64>, tensor<9x2xf64>, tensor<9x3xf64>, tensor<9x3xf64>, tensor<9x3xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<2xi32>) -> (tensor<4x2x3xf64>, tensor<2x2x3xf64>)
  return %y, %f0 : tensor<4x2x3xf64>, tensor<2x2x3xf64>
}

func.func @rnn_gru_that_resets_before(%x: tensor<4x2x2xf64>, %s0: tensor<2x2x3xf64>, %w0: tensor<9x2xf64>, %w1: tensor<9x3xf64>, %w2: tensor<9x3xf64>, %w3: tensor<9x3xf64>, %w4: tensor<9xf64>, %w5: tensor<9xf64>, %w6: tensor<9xf64>, %w7: tensor<9xf64>, %n: tensor<2xi32> {test.values = [4.0, 2.0]}) -> (tensor<4x2x3xf64>, tensor<2x2x3xf64>) attributes {test.twice} {
  %y, %f0 = pd.rnn %x states = %s0 weights = %w0, %w1, %w2, %w3, %w4, %w5, %w6, %w7 lengths = %n mode = GRU {hidden_size = 3 : i64, num_layers = 2 : i64, is_bidirec = false, resets_before = true} : (tensor<4x2x2xf64>, tensor<2x2x3xf64>, tensor<9x2xf64>, tensor<9x3xf64>, tensor<9x3xf64>, tensor<9x3xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<9xf64>, tensor<2xi32>) -> (tensor<4x2x3xf64>, tensor<2x2x3xf64>)
  return %y, %f0 : tensor<4x2x3xf64>, tensor<2x2x3xf64>
}

func.func @rnn_tanh(%x: tensor<4x2x2xf64>, %s0: tensor<2x2x3xf64>, %w0: tensor<3x2xf64>, %w1: tensor<3x3xf64>, %w2: tensor<3x2xf64>, %w3: tensor<3x3xf64>, %w4: tensor<3xf64>, %w5: tensor<3xf64>, %w6: tensor<3xf64>, %w7: tensor<3xf64>) -> (tensor<4x2x6xf64>, tensor<2x2x3xf64>) {
  %y, %f0 = pd.rnn %x states = %s0 weights = %w0, %w1, %w2, %w3, %w4, %w5, %w6, %w7 mode = RNN_TANH {hidden_size = 3 : i64, num_layers = 1 : i64, is_bidirec = true} : (tensor<4x2x2xf64>, tensor<2x2x3xf64>, tensor<3x2xf64>, tensor<3x3xf64>, tensor<3x2xf64>, tensor<3x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<4x2x6xf64>, tensor<2x2x3xf64>)
  return %y, %f0 : tensor<4x2x6xf64>, tensor<2x2x3xf64>
}

func.func @rnn_relu(%x: tensor<4x2x2xf64>, %s0: tensor<1x2x3xf64>, %w0: tensor<3x2xf64>, %w1: tensor<3x3xf64>, %w2: tensor<3xf64>, %w3: tensor<3xf64>) -> (tensor<4x2x3xf64>, tensor<1x2x3xf64>) {
  %y, %f0 = pd.rnn %x states = %s0 weights = %w0, %w1, %w2, %w3 mode = RNN_RELU {hidden_size = 3 : i64, num_layers = 1 : i64, is_bidirec = false} : (tensor<4x2x2xf64>, tensor<1x2x3xf64>, tensor<3x2xf64>, tensor<3x3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<4x2x3xf64>, tensor<1x2x3xf64>)
  return %y, %f0 : tensor<4x2x3xf64>, tensor<1x2x3xf64>
}

func.func @batch_norm(%x: tensor<2x3x2x3xf64>, %mean: tensor<3xf64>, %variance: tensor<3xf64> {test.low = 0.5, test.high = 1.5}, %scale: tensor<3xf64>, %bias: tensor<3xf64>) -> (tensor<2x3x2x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) attributes {test.twice} {
  %y, %m, %v, %sm, %sv, %r = pd.batch_norm %x, %mean, %variance scale = %scale bias = %bias {epsilon = 0.01} : (tensor<2x3x2x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<2x3x2x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<0xf64>)
  return %y, %m, %v, %sm, %sv : tensor<2x3x2x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
}

func.func @batch_norm_last(%x: tensor<4x3xf64>, %mean: tensor<3xf64>, %variance: tensor<3xf64> {test.low = 0.5, test.high = 1.5}, %scale: tensor<3xf64>, %bias: tensor<3xf64>) -> (tensor<4x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) {
  %y, %m, %v, %sm, %sv, %r = pd.batch_norm %x, %mean, %variance scale = %scale bias = %bias data_format = NHWC {epsilon = 0.01} : (tensor<4x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<4x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<0xf64>)
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
  %y, %m, %v = pd.group_norm %x scale = %scale data_format = NHWC {epsilon = 0.01, groups = 2 : i64} : (tensor<2x2x2x4xf64>, tensor<4xf64>) -> (tensor<2x2x2x4xf64>, tensor<2x2xf64>, tensor<2x2xf64>)
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
  %y = pd.prelu %a, %b mode = channel : (tensor<2x3x2x2xf64>, tensor<3xf64>) -> tensor<2x3x2x2xf64>
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

// Cotangents of statistics alone: the gradient has the dims of x.

func.func @layer_norm_mean(%a: tensor<3x5xf64>) -> (tensor<3xf64>) {
  %y, %m, %v = pd.layer_norm %a {begin_norm_axis = 1 : i64} : (tensor<3x5xf64>) -> (tensor<3x5xf64>, tensor<3xf64>, tensor<3xf64>)
  return %m : tensor<3xf64>
}

func.func @layer_norm_variance(%a: tensor<3x5xf64>) -> (tensor<3xf64>) {
  %y, %m, %v = pd.layer_norm %a {begin_norm_axis = 1 : i64} : (tensor<3x5xf64>) -> (tensor<3x5xf64>, tensor<3xf64>, tensor<3xf64>)
  return %v : tensor<3xf64>
}

func.func @group_norm_mean(%a: tensor<2x4x3xf64>) -> (tensor<2x2xf64>) {
  %y, %m, %v = pd.group_norm %a {groups = 2 : i64} : (tensor<2x4x3xf64>) -> (tensor<2x4x3xf64>, tensor<2x2xf64>, tensor<2x2xf64>)
  return %m : tensor<2x2xf64>
}

func.func @group_norm_variance(%a: tensor<2x4x3xf64>) -> (tensor<2x2xf64>) {
  %y, %m, %v = pd.group_norm %a {groups = 2 : i64} : (tensor<2x4x3xf64>) -> (tensor<2x4x3xf64>, tensor<2x2xf64>, tensor<2x2xf64>)
  return %v : tensor<2x2xf64>
}

func.func @group_norm_last_mean(%a: tensor<2x3x4xf64>) -> (tensor<2x2xf64>) {
  %y, %m, %v = pd.group_norm %a data_format = NHWC {groups = 2 : i64} : (tensor<2x3x4xf64>) -> (tensor<2x3x4xf64>, tensor<2x2xf64>, tensor<2x2xf64>)
  return %m : tensor<2x2xf64>
}

func.func @group_norm_last_variance(%a: tensor<2x3x4xf64>) -> (tensor<2x2xf64>) {
  %y, %m, %v = pd.group_norm %a data_format = NHWC {groups = 2 : i64} : (tensor<2x3x4xf64>) -> (tensor<2x3x4xf64>, tensor<2x2xf64>, tensor<2x2xf64>)
  return %v : tensor<2x2xf64>
}

func.func @rms_norm_variance(%a: tensor<3x5xf64>) -> (tensor<3xf64>) {
  %y, %v = pd.rms_norm %a {normalized_shape = array<i64: 5>} : (tensor<3x5xf64>) -> (tensor<3x5xf64>, tensor<3xf64>)
  return %v : tensor<3xf64>
}

func.func @instance_norm_mean(%a: tensor<2x3x4xf64>) -> (tensor<6xf64>) {
  %y, %m, %v = pd.instance_norm %a : (tensor<2x3x4xf64>) -> (tensor<2x3x4xf64>, tensor<6xf64>, tensor<6xf64>)
  return %m : tensor<6xf64>
}

func.func @instance_norm_variance(%a: tensor<2x3x4xf64>) -> (tensor<6xf64>) {
  %y, %m, %v = pd.instance_norm %a : (tensor<2x3x4xf64>) -> (tensor<2x3x4xf64>, tensor<6xf64>, tensor<6xf64>)
  return %v : tensor<6xf64>
}

func.func @batch_norm_mean_out(%a: tensor<2x3x4xf64>, %b: tensor<3xf64>, %c: tensor<3xf64>) -> (tensor<3xf64>) {
  %y, %mo, %vo, %m, %v, %r = pd.batch_norm %a, %b, %c : (tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<0xf64>)
  return %mo : tensor<3xf64>
}

func.func @batch_norm_variance_out(%a: tensor<2x3x4xf64>, %b: tensor<3xf64>, %c: tensor<3xf64>) -> (tensor<3xf64>) {
  %y, %mo, %vo, %m, %v, %r = pd.batch_norm %a, %b, %c : (tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<0xf64>)
  return %vo : tensor<3xf64>
}

func.func @batch_norm_saved_mean(%a: tensor<2x3x4xf64>, %b: tensor<3xf64>, %c: tensor<3xf64>) -> (tensor<3xf64>) {
  %y, %mo, %vo, %m, %v, %r = pd.batch_norm %a, %b, %c : (tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<0xf64>)
  return %m : tensor<3xf64>
}

func.func @batch_norm_saved_variance(%a: tensor<2x3x4xf64>, %b: tensor<3xf64>, %c: tensor<3xf64>) -> (tensor<3xf64>) {
  %y, %mo, %vo, %m, %v, %r = pd.batch_norm %a, %b, %c : (tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<2x3x4xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<0xf64>)
  return %v : tensor<3xf64>
}

func.func @batch_norm_mean_out_last(%a: tensor<2x4x3xf64>, %b: tensor<3xf64>, %c: tensor<3xf64>) -> (tensor<3xf64>) {
  %y, %mo, %vo, %m, %v, %r = pd.batch_norm %a, %b, %c data_format = NHWC : (tensor<2x4x3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<2x4x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<0xf64>)
  return %mo : tensor<3xf64>
}

func.func @batch_norm_variance_out_last(%a: tensor<2x4x3xf64>, %b: tensor<3xf64>, %c: tensor<3xf64>) -> (tensor<3xf64>) {
  %y, %mo, %vo, %m, %v, %r = pd.batch_norm %a, %b, %c data_format = NHWC : (tensor<2x4x3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<2x4x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<0xf64>)
  return %vo : tensor<3xf64>
}

func.func @batch_norm_saved_mean_last(%a: tensor<2x4x3xf64>, %b: tensor<3xf64>, %c: tensor<3xf64>) -> (tensor<3xf64>) {
  %y, %mo, %vo, %m, %v, %r = pd.batch_norm %a, %b, %c data_format = NHWC : (tensor<2x4x3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<2x4x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<0xf64>)
  return %m : tensor<3xf64>
}

func.func @batch_norm_saved_variance_last(%a: tensor<2x4x3xf64>, %b: tensor<3xf64>, %c: tensor<3xf64>) -> (tensor<3xf64>) {
  %y, %mo, %vo, %m, %v, %r = pd.batch_norm %a, %b, %c data_format = NHWC : (tensor<2x4x3xf64>, tensor<3xf64>, tensor<3xf64>) -> (tensor<2x4x3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>, tensor<0xf64>)
  return %v : tensor<3xf64>
}

func.func @rotary_embedding(%a: tensor<2x3x1x4xf64>, %b: tensor<3x1x4xf64>, %c: tensor<3x1x4xf64>) -> (tensor<2x3x1x4xf64>) {
  %0 = pd.rotary_embedding %a, %b, %c : (tensor<2x3x1x4xf64>, tensor<3x1x4xf64>, tensor<3x1x4xf64>) -> tensor<2x3x1x4xf64>
  return %0 : tensor<2x3x1x4xf64>
}
