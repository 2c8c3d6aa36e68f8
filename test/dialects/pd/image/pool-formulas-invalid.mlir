// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @lp_c1(%x: tensor<3x9x9xf32>) {
  // expected-error@+1 {{C1: x must have rank 4, found rank 3}}
  %0 = pd.lp_pool2d %x {kernel_size = array<i64: 3, 3>, norm_type = 2.0 : f64} : (tensor<3x9x9xf32>) -> tensor<2x3x7x7xf32>
  return
}

// -----

func.func @lp_c2(%x: tensor<2x3x9x9xf32>) {
  // expected-error@+1 {{C2: kernel_size must be 2 positive numbers}}
  %0 = pd.lp_pool2d %x {kernel_size = array<i64: 3>, norm_type = 2.0 : f64} : (tensor<2x3x9x9xf32>) -> tensor<2x3x7x7xf32>
  return
}

// -----

func.func @lp_c6(%x: tensor<2x3x9x9xf32>) {
  // expected-error@+1 {{C6: adaptive and global_pooling must be false}}
  %0 = pd.lp_pool2d %x {kernel_size = array<i64: 3, 3>, norm_type = 2.0 : f64, adaptive = true} : (tensor<2x3x9x9xf32>) -> tensor<2x3x7x7xf32>
  return
}

// -----

func.func @c1(%x: tensor<3x9x9xf32>) {
  // expected-error@+1 {{C1: x must have rank 4, found rank 3}}
  %0:2 = pd.fractional_max_pool2d %x {output_size = array<i64: 4, 4>, random_u = 0.3 : f64} : (tensor<3x9x9xf32>) -> (tensor<2x3x4x4xf32>, tensor<2x3x4x4xi32>)
  return
}

// -----

func.func @c2(%x: tensor<2x3x9x9xf32>) {
  // expected-error@+1 {{C2: output_size must be 2 positive numbers, at most the dims of x}}
  %0:2 = pd.fractional_max_pool2d %x {output_size = array<i64: 10, 4>, random_u = 0.3 : f64} : (tensor<2x3x9x9xf32>) -> (tensor<2x3x4x4xf32>, tensor<2x3x4x4xi32>)
  return
}

// -----

func.func @c3(%x: tensor<2x3x9x9xf32>) {
  // expected-error@+1 {{C3: kernel_size must be 2 numbers, at most the dims of x}}
  %0:2 = pd.fractional_max_pool2d %x {output_size = array<i64: 4, 4>, kernel_size = array<i64: 2>, random_u = 0.3 : f64} : (tensor<2x3x9x9xf32>) -> (tensor<2x3x4x4xf32>, tensor<2x3x4x4xi32>)
  return
}

// -----

func.func @c4(%x: tensor<2x3x9x9xf32>) {
  // expected-error@+1 {{C4: random_u must be above 0 and below 1, found 0.000000}}
  %0:2 = pd.fractional_max_pool2d %x {output_size = array<i64: 4, 4>, random_u = 0.0 : f64} : (tensor<2x3x9x9xf32>) -> (tensor<2x3x4x4xf32>, tensor<2x3x4x4xi32>)
  return
}

// -----

func.func @lp_pool2d_c3(%x: tensor<2x3x9x9xf32>) {
  // expected-error@+1 {{C3: strides must be 2 positive numbers, found [0, 0]}}
  %0 = pd.lp_pool2d %x {kernel_size = array<i64: 3, 3>, strides = array<i64: 0, 0>, paddings = array<i64: 1, 1>, ceil_mode = true, norm_type = 2.0 : f64} : (tensor<2x3x9x9xf32>) -> tensor<2x3x5x5xf32>
  return
}

// -----

func.func @lp_pool2d_c5(%x: tensor<2x3x9x9xf32>) {
  // expected-error@+1 {{C5: the window must fit into the padded input, found a window of 99 and an input of 9 with paddings 1 and 1 in spatial dimension 0}}
  %0 = pd.lp_pool2d %x {kernel_size = array<i64: 99, 99>, strides = array<i64: 2, 2>, paddings = array<i64: 1, 1>, ceil_mode = true, norm_type = 2.0 : f64} : (tensor<2x3x9x9xf32>) -> tensor<2x3x5x5xf32>
  return
}

// -----

func.func @fractional_max_pool3d_c1(%y: tensor<2x6x6x6xf32>) {
  // expected-error@+1 {{C1: x must have rank 5, found rank 4}}
  %1:2 = pd.fractional_max_pool3d %y {output_size = array<i64: 3, 3, 3>, kernel_size = array<i64: 2, 2, 2>, random_u = 0.6 : f64} : (tensor<2x6x6x6xf32>) -> (tensor<1x2x3x3x3xf32>, tensor<1x2x3x3x3xi32>)
  return
}

// -----

func.func @fractional_max_pool3d_c2(%y: tensor<1x2x6x6x6xf32>) {
  // expected-error@+1 {{C2: output_size must be 3 positive numbers, at most the dims of x}}
  %1:2 = pd.fractional_max_pool3d %y {output_size = array<i64: 7, 3, 3>, kernel_size = array<i64: 2, 2, 2>, random_u = 0.6 : f64} : (tensor<1x2x6x6x6xf32>) -> (tensor<1x2x3x3x3xf32>, tensor<1x2x3x3x3xi32>)
  return
}

// -----

func.func @fractional_max_pool3d_c3(%y: tensor<1x2x6x6x6xf32>) {
  // expected-error@+1 {{C3: kernel_size must be 3 numbers, at most the dims of x}}
  %1:2 = pd.fractional_max_pool3d %y {output_size = array<i64: 3, 3, 3>, kernel_size = array<i64: 7, 2, 2>, random_u = 0.6 : f64} : (tensor<1x2x6x6x6xf32>) -> (tensor<1x2x3x3x3xf32>, tensor<1x2x3x3x3xi32>)
  return
}

// -----

func.func @fractional_max_pool3d_c4(%y: tensor<1x2x6x6x6xf32>) {
  // expected-error@+1 {{C4: random_u must be above 0 and below 1, found 1.000000}}
  %1:2 = pd.fractional_max_pool3d %y {output_size = array<i64: 3, 3, 3>, kernel_size = array<i64: 2, 2, 2>, random_u = 1.0 : f64} : (tensor<1x2x6x6x6xf32>) -> (tensor<1x2x3x3x3xf32>, tensor<1x2x3x3x3xi32>)
  return
}

// -----

func.func @spp_c1(%x: tensor<2x3x?x6xf32>) {
  // expected-error@+1 {{C1: x must have rank 4 and known channels, height and width, the last two not 0, found tensor<2x3x?x6xf32>}}
  %0 = "pd.spp"(%x) : (tensor<2x3x?x6xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @spp_c1_empty(%x: tensor<2x3x0x6xf32>) {
  // expected-error@+1 {{C1: x must have rank 4 and known channels, height and width, the last two not 0, found tensor<2x3x0x6xf32>}}
  %0 = "pd.spp"(%x) : (tensor<2x3x0x6xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @spp_c2(%x: tensor<2x3x6x6xf32>) {
  // expected-error@+1 {{C2: pyramid_height must be from 1 to 16, found 0}}
  %0 = "pd.spp"(%x) {pyramid_height = 0 : i64} : (tensor<2x3x6x6xf32>) -> tensor<2x3xf32>
  return
}
