// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @prior_c1(%a: tensor<1x2x3xf32>, %b: tensor<1x3x4x4xf32>) {
  // expected-error@+2 {{C1: input and image must have rank 4, found tensor<1x2x3xf32> and tensor<1x3x4x4xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.prior_box"(%a, %b) {min_sizes = array<f64: 2.0>, variances = array<f64: 1.0, 1.0, 1.0, 1.0>} : (tensor<1x2x3xf32>, tensor<1x3x4x4xf32>) -> (tensor<1x3x1x4xf32>, tensor<1x3x1x4xf32>)
  return
}

// -----

func.func @prior_c2(%a: tensor<1x2x3x3xf32>, %b: tensor<1x3x4x4xf32>) {
  // expected-error@+2 {{C2: min_sizes must hold positive numbers and max_sizes as many or none, found 1 and 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.prior_box"(%a, %b) {min_sizes = array<f64: 2.0>, max_sizes = array<f64: 3.0, 4.0>, variances = array<f64: 1.0, 1.0, 1.0, 1.0>} : (tensor<1x2x3x3xf32>, tensor<1x3x4x4xf32>) -> (tensor<3x3x1x4xf32>, tensor<3x3x1x4xf32>)
  return
}

// -----

func.func @prior_c3(%a: tensor<1x2x3x3xf32>, %b: tensor<1x3x4x4xf32>) {
  // expected-error@+2 {{C3: variances must hold four numbers, found 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.prior_box"(%a, %b) {min_sizes = array<f64: 2.0>} : (tensor<1x2x3x3xf32>, tensor<1x3x4x4xf32>) -> (tensor<3x3x1x4xf32>, tensor<3x3x1x4xf32>)
  return
}

// -----

func.func @anchor_c2(%a: tensor<1x2x3x3xf32>) {
  // expected-error@+2 {{C2: anchor_sizes and aspect_ratios must hold positive numbers and stride two, found 1, 1 and 1 numbers}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.anchor_generator"(%a) {anchor_sizes = array<f64: 2.0>, aspect_ratios = array<f64: 1.0>, stride = array<f64: 16.0>, variances = array<f64: 1.0, 1.0, 1.0, 1.0>} : (tensor<1x2x3x3xf32>) -> (tensor<3x3x1x4xf32>, tensor<3x3x1x4xf32>)
  return
}

// -----

func.func @coder_c1(%a: tensor<2x3xf32>, %b: tensor<5x4xf32>) {
  // expected-error@+2 {{C1: prior_box must be [M, 4], and so must be prior_box_var, found tensor<2x3xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.box_coder"(%a, %b) {} : (tensor<2x3xf32>, tensor<5x4xf32>) -> tensor<5x2x4xf32>
  return
}

// -----

func.func @coder_c3(%a: tensor<2x4xf32>, %b: tensor<5x4xf32>) {
  // expected-error@+2 {{C3: target_box must be [N, 4] to encode and have a box for each prior box to decode, found tensor<2x4xf32> and tensor<5x4xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.box_coder"(%a, %b) {code_type = #pd<box_code_type decode_center_size>} : (tensor<2x4xf32>, tensor<5x4xf32>) -> tensor<5x2x4xf32>
  return
}

// -----

func.func @coder_c4(%a: tensor<2x4xf32>, %b: tensor<5x4xf32>) {
  // expected-error@+2 {{C4: variance must hold four numbers or none, found 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.box_coder"(%a, %b) {variance = array<f64: 1.0>} : (tensor<2x4xf32>, tensor<5x4xf32>) -> tensor<5x2x4xf32>
  return
}

// -----

func.func @coder_c5(%a: tensor<2x4xf32>, %b: tensor<5x4xf32>) {
  // expected-error@+2 {{C5: axis must be 0 or 1, found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.box_coder"(%a, %b) {axis = 2 : i64} : (tensor<2x4xf32>, tensor<5x4xf32>) -> tensor<5x2x4xf32>
  return
}

// -----

func.func @clip_c1(%a: tensor<2x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error@+2 {{C1: the last dimension of input must be a multiple of 4, found tensor<2x3xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.box_clip"(%a, %b) {} : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @clip_c2(%a: tensor<2x4xf32>, %b: tensor<2x3xf32>) {
  // expected-error@+2 {{C2: im_info must be [images, 3], without offsets [1, 3], found tensor<2x3xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.box_clip"(%a, %b) {} : (tensor<2x4xf32>, tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @polygon_c1(%a: tensor<2x4xf32>) {
  // expected-error@+2 {{C1: input must have rank 4, found tensor<2x4xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.polygon_box_transform"(%a) {} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @anchor_generator_c1(%input: tensor<8x1x2xf32>) {
  // expected-error@+2 {{C1: input must have rank 4, found tensor<8x1x2xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = pd.anchor_generator %input {anchor_sizes = array<f64: 32.0>, aspect_ratios = array<f64: 1.0>, stride = array<f64: 16.0, 16.0>, variances = array<f64: 1.0, 1.0, 1.0, 1.0>} : (tensor<8x1x2xf32>) -> (tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>)
  return
}

// -----

func.func @anchor_generator_c3(%input: tensor<1x8x1x2xf32>) {
  // expected-error@+2 {{C3: variances must hold four numbers, found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = pd.anchor_generator %input {anchor_sizes = array<f64: 32.0>, aspect_ratios = array<f64: 1.0>, stride = array<f64: 16.0, 16.0>, variances = array<f64: 1.0, 1.0>} : (tensor<1x8x1x2xf32>) -> (tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>)
  return
}

// -----

func.func @anchor_generator_c2_stride(%input: tensor<1x8x1x2xf32>) {
  // expected-error@+2 {{C2: anchor_sizes and aspect_ratios must hold positive numbers and stride two, found 1, 1 and 1 numbers}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = pd.anchor_generator %input {anchor_sizes = array<f64: 32.0>, aspect_ratios = array<f64: 1.0>, stride = array<f64: 16.0>, variances = array<f64: 1.0, 1.0, 1.0, 1.0>} : (tensor<1x8x1x2xf32>) -> (tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>)
  return
}

// -----

func.func @box_clip_c2(%input: tensor<1x4xf64>, %v1: tensor<1x4xf32>) {
  // expected-error@+2 {{C2: im_info must be [images, 3], without offsets [1, 3], found tensor<1x4xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = pd.box_clip %input, %v1 : (tensor<1x4xf64>, tensor<1x4xf32>) -> tensor<1x4xf64>
  return
}

// -----

func.func @prior_box_c2_max(%input: tensor<1x8x1x1xf32>, %image: tensor<1x3x4x4xf32>) {
  // expected-error@+2 {{C2: min_sizes must hold positive numbers and max_sizes as many or none, found 1 and 5}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = pd.prior_box %input, %image {min_sizes = array<f64: 2.0>, aspect_ratios = array<f64: 4.0>, flip = false, variances = array<f64: 1.0, 2.0, 3.0, 4.0>, max_sizes = array<f64: 9.0, 10.0, 11.0, 12.0, 13.0>} : (tensor<1x8x1x1xf32>, tensor<1x3x4x4xf32>) -> (tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>)
  return
}
