// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @spp_c1(%x: tensor<2x3x?x6xf32>) {
  // expected-error@+2 {{C1: x must have rank 4 and known channels, height and width, the last two not 0, found tensor<2x3x?x6xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.spp"(%x) : (tensor<2x3x?x6xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @spp_c1_empty(%x: tensor<2x3x0x6xf32>) {
  // expected-error@+2 {{C1: x must have rank 4 and known channels, height and width, the last two not 0, found tensor<2x3x0x6xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.spp"(%x) : (tensor<2x3x0x6xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @spp_c2(%x: tensor<2x3x6x6xf32>) {
  // expected-error@+2 {{C2: pyramid_height must be from 1 to 16, found 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.spp"(%x) {pyramid_height = 0 : i64} : (tensor<2x3x6x6xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @unpool_c1(%v: tensor<1x2x2x2x2xf32>, %i: tensor<1x2x2x2x3xi32>) {
  // expected-error@+2 {{C1: x must have rank 5 and indices its dimensions, found tensor<1x2x2x2x2xf32> and tensor<1x2x2x2x3xi32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.unpool3d"(%v, %i) {ksize = array<i64: 2, 2, 2>} : (tensor<1x2x2x2x2xf32>, tensor<1x2x2x2x3xi32>) -> tensor<1x2x4x4x4xf32>
  return
}

// -----

func.func @unpool_c2(%v: tensor<1x2x2x2x2xf32>, %i: tensor<1x2x2x2x2xi32>) {
  // expected-error@+2 {{C2: ksize, strides and padding must hold three numbers, and output_size three positive numbers or none}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.unpool3d"(%v, %i) {ksize = array<i64: 2, 2>} : (tensor<1x2x2x2x2xf32>, tensor<1x2x2x2x2xi32>) -> tensor<1x2x4x4x4xf32>
  return
}

// -----

func.func @unpool3d_c1_indices(%v: tensor<1x2x2x2x2xf32>, %v1: tensor<1x1x9x9x9xi32>) {
  // expected-error@+2 {{C1: x must have rank 5 and indices its dimensions, found tensor<1x2x2x2x2xf32> and tensor<1x1x9x9x9xi32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %1 = pd.unpool3d %v, %v1 {ksize = array<i64: 2, 2, 2>, strides = array<i64: 2, 2, 2>} : (tensor<1x2x2x2x2xf32>, tensor<1x1x9x9x9xi32>) -> tensor<1x2x4x4x4xf32>
  return
}

// -----

func.func @unpool3d_c2_size(%v: tensor<1x2x2x2x2xf32>, %i: tensor<1x2x2x2x2xi32>) {
  // expected-error@+2 {{C2: ksize, strides and padding must hold three numbers, and output_size three positive numbers or none}}
  // expected-error@+1 {{failed to infer returned types}}
  %1 = pd.unpool3d %v, %i {ksize = array<i64: 2, 2, 2>, strides = array<i64: 2, 2, 2>, output_size = array<i64: 0, 4, 4>} : (tensor<1x2x2x2x2xf32>, tensor<1x2x2x2x2xi32>) -> tensor<1x2x4x4x4xf32>
  return
}
