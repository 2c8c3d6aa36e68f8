// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @prior_c1(%a: tensor<1x2x3xf32>, %b: tensor<1x3x4x4xf32>) {
  // expected-error@+1 {{C1: input and image must have rank 4, found tensor<1x2x3xf32> and tensor<1x3x4x4xf32>}}
  %0:2 = "pd.prior_box"(%a, %b) {min_sizes = array<f64: 2.0>, variances = array<f64: 1.0, 1.0, 1.0, 1.0>} : (tensor<1x2x3xf32>, tensor<1x3x4x4xf32>) -> (tensor<1x3x1x4xf32>, tensor<1x3x1x4xf32>)
  return
}

// -----

func.func @prior_c2(%a: tensor<1x2x3x3xf32>, %b: tensor<1x3x4x4xf32>) {
  // expected-error@+1 {{C2: min_sizes must hold positive numbers and max_sizes as many or none, found 1 and 2}}
  %0:2 = "pd.prior_box"(%a, %b) {min_sizes = array<f64: 2.0>, max_sizes = array<f64: 3.0, 4.0>, variances = array<f64: 1.0, 1.0, 1.0, 1.0>} : (tensor<1x2x3x3xf32>, tensor<1x3x4x4xf32>) -> (tensor<3x3x1x4xf32>, tensor<3x3x1x4xf32>)
  return
}

// -----

func.func @prior_c3(%a: tensor<1x2x3x3xf32>, %b: tensor<1x3x4x4xf32>) {
  // expected-error@+1 {{C3: variances must hold four numbers, found 0}}
  %0:2 = "pd.prior_box"(%a, %b) {min_sizes = array<f64: 2.0>} : (tensor<1x2x3x3xf32>, tensor<1x3x4x4xf32>) -> (tensor<3x3x1x4xf32>, tensor<3x3x1x4xf32>)
  return
}

// -----

func.func @anchor_c2(%a: tensor<1x2x3x3xf32>) {
  // expected-error@+1 {{C2: anchor_sizes and aspect_ratios must hold positive numbers and stride two, found 1, 1 and 1 numbers}}
  %0:2 = "pd.anchor_generator"(%a) {anchor_sizes = array<f64: 2.0>, aspect_ratios = array<f64: 1.0>, stride = array<f64: 16.0>, variances = array<f64: 1.0, 1.0, 1.0, 1.0>} : (tensor<1x2x3x3xf32>) -> (tensor<3x3x1x4xf32>, tensor<3x3x1x4xf32>)
  return
}

// -----

func.func @coder_c1(%a: tensor<2x3xf32>, %b: tensor<5x4xf32>) {
  // expected-error@+1 {{C1: prior_box must be [M, 4], and so must be prior_box_var, found tensor<2x3xf32>}}
  %0 = "pd.box_coder"(%a, %b) {} : (tensor<2x3xf32>, tensor<5x4xf32>) -> tensor<5x2x4xf32>
  return
}

// -----

func.func @coder_c3(%a: tensor<2x4xf32>, %b: tensor<5x4xf32>) {
  // expected-error@+1 {{C3: target_box must be [N, 4] to encode and have a box for each prior box to decode, found tensor<2x4xf32> and tensor<5x4xf32>}}
  %0 = "pd.box_coder"(%a, %b) {code_type = #pd<box_code_type decode_center_size>} : (tensor<2x4xf32>, tensor<5x4xf32>) -> tensor<5x2x4xf32>
  return
}

// -----

func.func @coder_c4(%a: tensor<2x4xf32>, %b: tensor<5x4xf32>) {
  // expected-error@+1 {{C4: variance must hold four numbers or none, found 1}}
  %0 = "pd.box_coder"(%a, %b) {variance = array<f64: 1.0>} : (tensor<2x4xf32>, tensor<5x4xf32>) -> tensor<5x2x4xf32>
  return
}

// -----

func.func @coder_c5(%a: tensor<2x4xf32>, %b: tensor<5x4xf32>) {
  // expected-error@+1 {{C5: axis must be 0 or 1, found 2}}
  %0 = "pd.box_coder"(%a, %b) {axis = 2 : i64} : (tensor<2x4xf32>, tensor<5x4xf32>) -> tensor<5x2x4xf32>
  return
}

// -----

func.func @clip_c1(%a: tensor<2x3xf32>, %b: tensor<1x3xf32>) {
  // expected-error@+1 {{C1: the last dimension of input must be a multiple of 4, found tensor<2x3xf32>}}
  %0 = "pd.box_clip"(%a, %b) {} : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @clip_c2(%a: tensor<2x4xf32>, %b: tensor<2x3xf32>) {
  // expected-error@+1 {{C2: im_info must be [images, 3], without offsets [1, 3], found tensor<2x3xf32>}}
  %0 = "pd.box_clip"(%a, %b) {} : (tensor<2x4xf32>, tensor<2x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @polygon_c1(%a: tensor<2x4xf32>) {
  // expected-error@+1 {{C1: input must have rank 4, found tensor<2x4xf32>}}
  %0 = "pd.polygon_box_transform"(%a) {} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @anchor_generator_c1(%input: tensor<8x1x2xf32>) {
  // expected-error@+1 {{C1: input must have rank 4, found tensor<8x1x2xf32>}}
  %0:2 = pd.anchor_generator %input {anchor_sizes = array<f64: 32.0>, aspect_ratios = array<f64: 1.0>, stride = array<f64: 16.0, 16.0>, variances = array<f64: 1.0, 1.0, 1.0, 1.0>} : (tensor<8x1x2xf32>) -> (tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>)
  return
}

// -----

func.func @anchor_generator_c3(%input: tensor<1x8x1x2xf32>) {
  // expected-error@+1 {{C3: variances must hold four numbers, found 2}}
  %0:2 = pd.anchor_generator %input {anchor_sizes = array<f64: 32.0>, aspect_ratios = array<f64: 1.0>, stride = array<f64: 16.0, 16.0>, variances = array<f64: 1.0, 1.0>} : (tensor<1x8x1x2xf32>) -> (tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>)
  return
}

// -----

func.func @anchor_generator_c2_stride(%input: tensor<1x8x1x2xf32>) {
  // expected-error@+1 {{C2: anchor_sizes and aspect_ratios must hold positive numbers and stride two, found 1, 1 and 1 numbers}}
  %0:2 = pd.anchor_generator %input {anchor_sizes = array<f64: 32.0>, aspect_ratios = array<f64: 1.0>, stride = array<f64: 16.0>, variances = array<f64: 1.0, 1.0, 1.0, 1.0>} : (tensor<1x8x1x2xf32>) -> (tensor<1x2x1x4xf32>, tensor<1x2x1x4xf32>)
  return
}

// -----

func.func @box_clip_c2(%input: tensor<1x4xf64>, %v1: tensor<1x4xf32>) {
  // expected-error@+1 {{C2: im_info must be [images, 3], without offsets [1, 3], found tensor<1x4xf32>}}
  %0 = pd.box_clip %input, %v1 : (tensor<1x4xf64>, tensor<1x4xf32>) -> tensor<1x4xf64>
  return
}

// -----

func.func @prior_box_c2_max(%input: tensor<1x8x1x1xf32>, %image: tensor<1x3x4x4xf32>) {
  // expected-error@+1 {{C2: min_sizes must hold positive numbers and max_sizes as many or none, found 1 and 5}}
  %0:2 = pd.prior_box %input, %image {min_sizes = array<f64: 2.0>, aspect_ratios = array<f64: 4.0>, flip = false, variances = array<f64: 1.0, 2.0, 3.0, 4.0>, max_sizes = array<f64: 9.0, 10.0, 11.0, 12.0, 13.0>} : (tensor<1x8x1x1xf32>, tensor<1x3x4x4xf32>) -> (tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>)
  return
}

// -----

func.func @yolo_c1(%a: tensor<1x6x3xf32>, %b: tensor<1x2xi32>) {
  // expected-error@+1 {{C1: x must have rank 4, and img_size be [N, 2], found tensor<1x6x3xf32> and tensor<1x2xi32>}}
  %0:2 = "pd.yolo_box"(%a, %b) {anchors = array<i64: 1, 2>} : (tensor<1x6x3xf32>, tensor<1x2xi32>) -> (tensor<1x9x4xf32>, tensor<1x9x1xf32>)
  return
}

// -----

func.func @yolo_c2(%a: tensor<1x6x3x3xf32>, %b: tensor<1x2xi32>) {
  // expected-error@+1 {{C2: anchors must be pairs of positive numbers and class_num positive, found 3 numbers and class_num 1}}
  %0:2 = "pd.yolo_box"(%a, %b) {anchors = array<i64: 1, 2, 3>} : (tensor<1x6x3x3xf32>, tensor<1x2xi32>) -> (tensor<1x9x4xf32>, tensor<1x9x1xf32>)
  return
}

// -----

func.func @yolo_c3(%a: tensor<1x6x3x3xf32>, %b: tensor<1x2xi32>) {
  // expected-error@+1 {{C3: x must have 8 channels, found 6}}
  %0:2 = "pd.yolo_box"(%a, %b) {anchors = array<i64: 1, 2>, class_num = 3 : i64} : (tensor<1x6x3x3xf32>, tensor<1x2xi32>) -> (tensor<1x9x4xf32>, tensor<1x9x1xf32>)
  return
}

// -----

func.func @yolo_box_c1_size(%x: tensor<1x16x3x3xf32>, %v1: tensor<9x3xi32>) {
  // expected-error@+1 {{C1: x must have rank 4, and img_size be [N, 2], found tensor<1x16x3x3xf32> and tensor<9x3xi32>}}
  %0:2 = pd.yolo_box %x, %v1 {anchors = array<i64: 10, 13, 16, 30>, class_num = 3 : i64, conf_thresh = 0.0099999997764825821 : f64} : (tensor<1x16x3x3xf32>, tensor<9x3xi32>) -> (tensor<1x18x4xf32>, tensor<1x18x3xf32>)
  return
}

// -----

func.func @decoder_c1(%p: tensor<7x4xf32>, %v: tensor<3xf32>, %t: tensor<7x12xf32>, %s: tensor<7x3xf32>) {
  // expected-error@+1 {{C1: prior_box must be [R, 4], prior_box_var of 4 elements}}
  %0:2 = "pd.box_decoder_and_assign"(%p, %v, %t, %s) : (tensor<7x4xf32>, tensor<3xf32>, tensor<7x12xf32>, tensor<7x3xf32>) -> (tensor<7x12xf32>, tensor<7x4xf32>)
  return
}

// -----

func.func @box_decoder_and_assign_c1(%p: tensor<7x4xf32>, %t: tensor<7x12xf32>, %s: tensor<7x3xf32>, %v1: tensor<9xf32>) {
  // expected-error@+1 {{C1: prior_box must be [R, 4], prior_box_var of 4 elements, target_box [R, 4 * classes] and box_score [R, classes], found tensor<7x4xf32>, tensor<9xf32>, tensor<7x12xf32>, tensor<7x3xf32>}}
  %0:2 = pd.box_decoder_and_assign %p, %v1, %t, %s : (tensor<7x4xf32>, tensor<9xf32>, tensor<7x12xf32>, tensor<7x3xf32>) -> (tensor<7x12xf32>, tensor<7x4xf32>)
  return
}

// -----

func.func @density_c2(%m: tensor<1x2x3x4xf32>, %i: tensor<1x3x24x32xf32>) {
  // expected-error@+1 {{C2: there must be as many positive densities as fixed_sizes, and fixed_ratios, found 1, 2 and 1 numbers}}
  %0:2 = "pd.density_prior_box"(%m, %i) {fixed_sizes = array<f64: 8.0, 16.0>, fixed_ratios = array<f64: 1.0>, densities = array<i64: 2>} : (tensor<1x2x3x4xf32>, tensor<1x3x24x32xf32>) -> (tensor<3x4x5x4xf32>, tensor<3x4x5x4xf32>)
  return
}

// -----

func.func @density_prior_box_c1(%m: tensor<2x3x4xf32>, %i: tensor<1x3x24x32xf32>) {
  // expected-error@+1 {{C1: input and image must have rank 4, found ranks 3 and 4}}
  %3:2 = pd.density_prior_box %m, %i {variances = array<f64: 0.1, 0.1, 0.2, 0.2>, fixed_sizes = array<f64: 8.0, 16.0>, fixed_ratios = array<f64: 1.0>, densities = array<i64: 2, 1>} : (tensor<2x3x4xf32>, tensor<1x3x24x32xf32>) -> (tensor<3x4x5x4xf32>, tensor<3x4x5x4xf32>)
  return
}

// -----

func.func @density_prior_box_c3(%m: tensor<1x2x3x4xf32>, %i: tensor<1x3x24x32xf32>) {
  // expected-error@+1 {{C3: variances must hold four numbers, found 2}}
  %3:2 = pd.density_prior_box %m, %i {variances = array<f64: 1.0, 1.0>, fixed_sizes = array<f64: 8.0, 16.0>, fixed_ratios = array<f64: 1.0>, densities = array<i64: 2, 1>} : (tensor<1x2x3x4xf32>, tensor<1x3x24x32xf32>) -> (tensor<3x4x5x4xf32>, tensor<3x4x5x4xf32>)
  return
}

// -----

func.func @iou_similarity_c1(%b: tensor<9x4xf32>, %v0: tensor<9x5xf32>) {
  // expected-error@+1 {{C1: x and y must be [boxes, 4], found tensor<9x5xf32>, tensor<9x4xf32>}}
  %2 = pd.iou_similarity %v0, %b : (tensor<9x5xf32>, tensor<9x4xf32>) -> tensor<9x9xf32>
  return
}

// -----

func.func @iou_similarity_c1_y(%b: tensor<9x4xf32>, %v1: tensor<9x5xf32>) {
  // expected-error@+1 {{C1: x and y must be [boxes, 4], found tensor<9x4xf32>, tensor<9x5xf32>}}
  %2 = pd.iou_similarity %b, %v1 : (tensor<9x4xf32>, tensor<9x5xf32>) -> tensor<9x9xf32>
  return
}
