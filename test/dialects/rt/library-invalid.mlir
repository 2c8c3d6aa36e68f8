// Errors of the ops and attributes of the rt dialect.
// RUN: proa-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expected one of [bias, add, multiply, relu, leaky_relu}}
// expected-error @below {{failed to parse Rt_PostOpAttr parameter 'kind'}}
#unknown = #rt.post_op<softmax>

// -----

// expected-error @below {{post-op 'leaky_relu' needs parameter 'alpha'}}
#missing = #rt.post_op<leaky_relu>

// -----

// expected-error @below {{post-op 'relu' has no parameter 'alpha'}}
#surplus = #rt.post_op<relu, alpha = 1.0>

// -----

// expected-error @below {{post-op 'relu6' has no parameter 'beta'}}
#surplus_beta = #rt.post_op<relu6, alpha = 6.0, beta = 1.0>

// -----

func.func @dictionary(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error @below {{attribute 'post_ops' failed to satisfy constraint: post-ops in the order of their application}}
  %0 = "rt.matmul"(%x, %y) {post_ops = [{kind = "relu"}]} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @too_few_extras_c1(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error @below {{C1: the post-ops read 1 extras, found 0}}
  %0 = rt.matmul %x, %y {post_ops = [#rt.post_op<bias>]} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @too_many_extras_c1(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{C1: the post-ops read 0 extras, found 1}}
  %0 = rt.matmul %x, %y, %b {post_ops = [#rt.post_op<relu>]} : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @bias_rank_c1(%i: tensor<1x3x8x8xf32>, %f: tensor<4x3x1x1xf32>, %b: tensor<4x1xf32>) {
  // expected-error @below {{C1: a bias must have rank 1, found 'tensor<4x1xf32>'}}
  %0 = rt.conv2d %i, %f, %b {post_ops = [#rt.post_op<bias>]} : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>, tensor<4x1xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @rank_c2(%i: tensor<1x3x8x8xf32>, %f: tensor<4x3x1xf32>) {
  // expected-error @below {{C2: expected tensors of rank 4, found 'tensor<4x3x1xf32>'}}
  %0 = rt.conv2d %i, %f : (tensor<1x3x8x8xf32>, tensor<4x3x1xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @input_channels_c3(%i: tensor<1x8x8x3xf32>, %f: tensor<4x3x1x1xf32>) {
  // expected-error @below {{C3: the input has 8 channels in layout NCHW, expected 3}}
  %0 = rt.conv2d %i, %f data_format = NHWC input_format = NCHW : (tensor<1x8x8x3xf32>, tensor<4x3x1x1xf32>) -> tensor<1x8x8x4xf32>
  return
}

// -----

func.func @group_channels_c3(%i: tensor<1x3x8x8xf32>, %f: tensor<4x3x1x1xf32>) {
  // expected-error @below {{C3: the input has 3 channels in layout NCHW, expected 6}}
  %0 = rt.conv2d %i, %f {groups = 2 : i64} : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @output_channels_c3(%i: tensor<1x3x8x8xf32>, %f: tensor<4x3x1x1xf32>) {
  // expected-error @below {{C3: the output has 8 channels in layout NHWC, expected 4}}
  %0 = rt.conv2d %i, %f data_format = NHWC input_format = NCHW : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  return
}
