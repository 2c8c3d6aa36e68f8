// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @channel_shuffle_c1(%x: tensor<4x6x6xf32>) {
  // expected-error@+1 {{C1: x must have rank 4, found rank 3}}
  %0 = pd.channel_shuffle %x {groups = 2 : i64} : (tensor<4x6x6xf32>) -> tensor<4x6x6xf32>
  return
}

// -----

func.func @channel_shuffle_c2(%x: tensor<1x4x3x3xf32>) {
  // expected-error@+1 {{C2: data_format must be NCHW or NHWC, found NCDHW}}
  %0 = pd.channel_shuffle %x data_format = NCDHW {groups = 2 : i64} : (tensor<1x4x3x3xf32>) -> tensor<1x4x3x3xf32>
  return
}

// -----

func.func @channel_shuffle_c3(%x: tensor<1x4x3x3xf32>) {
  // expected-error@+1 {{C3: the factor must be positive, found 0}}
  %0 = pd.channel_shuffle %x {groups = 0 : i64} : (tensor<1x4x3x3xf32>) -> tensor<1x4x3x3xf32>
  return
}

// -----

func.func @channel_shuffle_c3_multiple(%x: tensor<1x5x5x5xf32>) {
  // expected-error@+1 {{C3: dim 5 is not a multiple of 2}}
  %0 = pd.channel_shuffle %x {groups = 2 : i64} : (tensor<1x5x5x5xf32>) -> tensor<1x5x5x5xf32>
  return
}

// -----

func.func @pixel_shuffle_c1(%x: tensor<4x6x6xf32>) {
  // expected-error@+1 {{C1: x must have rank 4, found rank 3}}
  %0 = pd.pixel_shuffle %x {upscale_factor = 2 : i64} : (tensor<4x6x6xf32>) -> tensor<4x6x6xf32>
  return
}

// -----

func.func @pixel_shuffle_c2(%x: tensor<1x8x2x3xf32>) {
  // expected-error@+1 {{C2: data_format must be NCHW or NHWC, found NCDHW}}
  %0 = pd.pixel_shuffle %x data_format = NCDHW {upscale_factor = 2 : i64} : (tensor<1x8x2x3xf32>) -> tensor<1x8x2x3xf32>
  return
}

// -----

func.func @pixel_shuffle_c3(%x: tensor<1x8x2x3xf32>) {
  // expected-error@+1 {{C3: the factor must be positive, found 0}}
  %0 = pd.pixel_shuffle %x {upscale_factor = 0 : i64} : (tensor<1x8x2x3xf32>) -> tensor<1x8x2x3xf32>
  return
}

// -----

func.func @pixel_shuffle_c3_multiple(%x: tensor<1x5x5x5xf32>) {
  // expected-error@+1 {{C3: dim 5 is not a multiple of 4}}
  %0 = pd.pixel_shuffle %x {upscale_factor = 2 : i64} : (tensor<1x5x5x5xf32>) -> tensor<1x5x5x5xf32>
  return
}

// -----

func.func @pixel_unshuffle_c1(%x: tensor<4x6x6xf32>) {
  // expected-error@+1 {{C1: x must have rank 4, found rank 3}}
  %0 = pd.pixel_unshuffle %x {downscale_factor = 2 : i64} : (tensor<4x6x6xf32>) -> tensor<4x6x6xf32>
  return
}

// -----

func.func @pixel_unshuffle_c2(%x: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{C2: data_format must be NCHW or NHWC, found NCDHW}}
  %0 = pd.pixel_unshuffle %x data_format = NCDHW {downscale_factor = 2 : i64} : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @pixel_unshuffle_c3(%x: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{C3: the factor must be positive, found 0}}
  %0 = pd.pixel_unshuffle %x {downscale_factor = 0 : i64} : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @pixel_unshuffle_c3_multiple(%x: tensor<1x5x5x5xf32>) {
  // expected-error@+1 {{C3: dim 5 is not a multiple of 2}}
  %0 = pd.pixel_unshuffle %x {downscale_factor = 2 : i64} : (tensor<1x5x5x5xf32>) -> tensor<1x5x5x5xf32>
  return
}

// -----

func.func @flatten_c1(%x: tensor<3x4xf32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0 = pd.flatten %x {start_axis = 2 : i64} : (tensor<3x4xf32>) -> tensor<12xf32>
  return
}

// -----

func.func @flatten_c2(%x: tensor<3x4xf32>) {
  // expected-error@+1 {{C2: start_axis must not be above stop_axis, found 1 and 0}}
  %0 = pd.flatten %x {start_axis = 1 : i64, stop_axis = 0 : i64} : (tensor<3x4xf32>) -> tensor<12xf32>
  return
}

// -----

func.func @flatten_to_matrix_c1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: axis must be in [-3, 3), found 3}}
  %0 = pd.flatten_to_matrix %x {axis = 3 : i64} : (tensor<2x3xf32>) -> tensor<6x1xf32>
  return
}

// -----

func.func @squeeze_c1(%x: tensor<2x1xf32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0 = pd.squeeze %x {axis = array<i64: 2>} : (tensor<2x1xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @squeeze_c1_tensor(%x: tensor<2x1xf32>, %a: tensor<1xi64>) {
  // expected-error@+1 {{C1: axis must be constant, found a value that the run computes}}
  %0 = pd.squeeze %x, %a : (tensor<2x1xf32>, tensor<1xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @unsqueeze_c1(%x: tensor<2xf32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0 = pd.unsqueeze %x {axis = array<i64: 2>} : (tensor<2xf32>) -> tensor<2x1xf32>
  return
}
