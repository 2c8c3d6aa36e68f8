// RUN: proa-opt %s --split-input-file --verify-diagnostics

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
