// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @layer_norm_c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: begin_norm_axis must be above 0 and below the rank 2 of x, found 2}}
  %0:3 = "pd.layer_norm"(%a) {begin_norm_axis = 2 : i64, operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @layer_norm_c2(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  // expected-error@+1 {{C2: parameters must have rank 1 and one element for each of the normalized elements, 3 in number, found tensor<2xf32>}}
  %0:3 = "pd.layer_norm"(%a, %b) {operandSegmentSizes = array<i32: 1, 1, 0>} : (tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @batch_norm_c1(%a: tensor<3xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) {
  // expected-error@+1 {{C1: x must have rank 2 or more, found rank 1}}
  %0:6 = "pd.batch_norm"(%a, %b, %c) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<0xf32>)
  return
}

// -----

func.func @batch_norm_c2(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<2xf32>) {
  // expected-error@+1 {{C2: parameters must have rank 1 and one element for each of the channels, 3 in number, found tensor<2xf32>}}
  %0:6 = "pd.batch_norm"(%a, %b, %c) {operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (tensor<2x3xf32>, tensor<3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<0xf32>)
  return
}

// -----

func.func @group_norm_c4(%a: tensor<2x3x4xf32>) {
  // expected-error@+1 {{C4: groups must be above 0 and divide the 3 channels, found 2}}
  %0:3 = "pd.group_norm"(%a) {groups = 2 : i64, operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x2xf32>, tensor<2x2xf32>)
  return
}

// -----

func.func @lrn_c1(%a: tensor<1x2x3xf32>) {
  // expected-error@+1 {{C1: x must have rank 4, found rank 3}}
  %0:2 = "pd.lrn"(%a) {} : (tensor<1x2x3xf32>) -> (tensor<1x2x3xf32>, tensor<1x2x3xf32>)
  return
}

// -----

func.func @lrn_c2(%a: tensor<1x2x3x3xf32>) {
  // expected-error@+1 {{C2: n must be from 1 to 4096, found 0}}
  %0:2 = "pd.lrn"(%a) {n = 0 : i64} : (tensor<1x2x3x3xf32>) -> (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>)
  return
}

// -----

func.func @lrn_c2_many(%a: tensor<1x2x3x3xf32>) {
  // expected-error@+1 {{C2: n must be from 1 to 4096, found 2147483648}}
  %0:2 = "pd.lrn"(%a) {n = 2147483648 : i64} : (tensor<1x2x3x3xf32>) -> (tensor<1x2x3x3xf32>, tensor<1x2x3x3xf32>)
  return
}

// -----

func.func @spectral_c1(%a: tensor<2x3xf32>, %b: tensor<2xf32>, %c: tensor<3xf32>) {
  // expected-error@+1 {{C1: dim must be below the rank 2 and power_iters from 0 to 4096, found 2 and 1}}
  %0 = "pd.spectral_norm"(%a, %b, %c) {dim = 2 : i64} : (tensor<2x3xf32>, tensor<2xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @spectral_c2(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<2xf32>) {
  // expected-error@+1 {{C2: u must have 2 elements and v one for each column, found 3 and 2}}
  %0 = "pd.spectral_norm"(%a, %b, %c) {} : (tensor<2x3xf32>, tensor<3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @affine_channel_c1(%x: tensor<3xf64>, %scale: tensor<3xf64>, %bias: tensor<3xf64>) {
  // expected-error@+1 {{C1: x must have rank 2 or more, found rank 1}}
  %0 = pd.affine_channel %x, %scale, %bias : (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>) -> tensor<2x3x2x2xf64>
  return
}

// -----

func.func @affine_channel_c2(%x: tensor<2x3x2x2xf64>, %scale: tensor<3xf64>, %bias: tensor<4xf64>) {
  // expected-error@+1 {{C2: parameters must have rank 1 and one element for each of the channels, 3 in number, found tensor<4xf64>}}
  %0 = pd.affine_channel %x, %scale, %bias : (tensor<2x3x2x2xf64>, tensor<3xf64>, tensor<4xf64>) -> tensor<2x3x2x2xf64>
  return
}

// -----

func.func @group_norm_c1(%x: tensor<2xf64>) {
  // expected-error@+1 {{C1: x must have rank 2 or more, found rank 1}}
  %0:3 = pd.group_norm %x {epsilon = 0.0, groups = 2} : (tensor<2xf64>) -> (tensor<1x2x2xf64>, tensor<1x2xf64>, tensor<1x2xf64>)
  return
}

// -----

func.func @group_norm_c2(%x: tensor<1x2x2xf64>, %scale: tensor<3xf64>) {
  // expected-error@+1 {{C2: parameters must have rank 1 and one element for each of the channels, 2 in number, found tensor<3xf64>}}
  %0:3 = pd.group_norm %x scale = %scale {epsilon = 0.0, groups = 2} : (tensor<1x2x2xf64>, tensor<3xf64>) -> (tensor<1x2x2xf64>, tensor<1x2xf64>, tensor<1x2xf64>)
  return
}

// -----

func.func @instance_norm_c1(%x: tensor<2xf64>) {
  // expected-error@+1 {{C1: x must have rank 2 or more, found rank 1}}
  %0:3 = pd.instance_norm %x {epsilon = 0.0} : (tensor<2xf64>) -> (tensor<1x2x2xf64>, tensor<2xf64>, tensor<2xf64>)
  return
}

// -----

func.func @instance_norm_c2(%x: tensor<1x2x2xf64>, %scale: tensor<3xf64>) {
  // expected-error@+1 {{C2: parameters must have rank 1 and one element for each of the channels, 2 in number, found tensor<3xf64>}}
  %0:3 = pd.instance_norm %x scale = %scale {epsilon = 0.0} : (tensor<1x2x2xf64>, tensor<3xf64>) -> (tensor<1x2x2xf64>, tensor<2xf64>, tensor<2xf64>)
  return
}

// -----

func.func @norm_c1(%x: tensor<3x4xf64>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0:2 = pd.norm %x {axis = 2 : i64} : (tensor<3x4xf64>) -> (tensor<3x4xf64>, tensor<3x1xf64>)
  return
}

// -----

func.func @spectral_norm_c1_many_iters(%a: tensor<2x2xf64>, %b: tensor<2xf64>) {
  // expected-error@+1 {{C1: dim must be below the rank 2 and power_iters from 0 to 4096, found 0 and 4097}}
  %0 = pd.spectral_norm %a, %b, %b {eps = 0.0, power_iters = 4097 : i64} : (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  return
}

// -----

func.func @spectral_norm_c1_iters(%a: tensor<2x2xf64>, %b: tensor<2xf64>) {
  // expected-error@+1 {{C1: dim must be below the rank 2 and power_iters from 0 to 4096, found 0 and -1}}
  %0 = pd.spectral_norm %a, %b, %b {eps = 0.0, power_iters = -1 : i64} : (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  return
}

// -----

func.func @layer_norm_c1_high(%x: tensor<2x4x8xf32>) {
  // expected-error@+1 {{C1: begin_norm_axis must be above 0 and below the rank 3 of x, found 3}}
  %0:3 = pd.layer_norm %x {epsilon = 9.9999997473787516E-6 : f64, begin_norm_axis = 3 : i64} : (tensor<2x4x8xf32>) -> (tensor<2x4x8xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}
