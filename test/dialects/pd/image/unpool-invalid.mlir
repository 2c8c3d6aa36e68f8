// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @unpool_c1(%v: tensor<1x2x2x2x2xf32>, %i: tensor<1x2x2x2x3xi32>) {
  // expected-error@+1 {{C1: x must have rank 5 and indices its dimensions, found tensor<1x2x2x2x2xf32> and tensor<1x2x2x2x3xi32>}}
  %0 = "pd.unpool3d"(%v, %i) {ksize = array<i64: 2, 2, 2>} : (tensor<1x2x2x2x2xf32>, tensor<1x2x2x2x3xi32>) -> tensor<1x2x4x4x4xf32>
  return
}

// -----

func.func @unpool_c2(%v: tensor<1x2x2x2x2xf32>, %i: tensor<1x2x2x2x2xi32>) {
  // expected-error@+1 {{C2: ksize, strides and padding must hold three numbers, and output_size three positive numbers or none}}
  %0 = "pd.unpool3d"(%v, %i) {ksize = array<i64: 2, 2>} : (tensor<1x2x2x2x2xf32>, tensor<1x2x2x2x2xi32>) -> tensor<1x2x4x4x4xf32>
  return
}

// -----

func.func @unpool3d_c1_indices(%v: tensor<1x2x2x2x2xf32>, %v1: tensor<1x1x9x9x9xi32>) {
  // expected-error@+1 {{C1: x must have rank 5 and indices its dimensions, found tensor<1x2x2x2x2xf32> and tensor<1x1x9x9x9xi32>}}
  %1 = pd.unpool3d %v, %v1 {ksize = array<i64: 2, 2, 2>, strides = array<i64: 2, 2, 2>} : (tensor<1x2x2x2x2xf32>, tensor<1x1x9x9x9xi32>) -> tensor<1x2x4x4x4xf32>
  return
}

// -----

func.func @unpool3d_c2_size(%v: tensor<1x2x2x2x2xf32>, %i: tensor<1x2x2x2x2xi32>) {
  // expected-error@+1 {{C2: ksize, strides and padding must hold three numbers, and output_size three positive numbers or none}}
  %1 = pd.unpool3d %v, %i {ksize = array<i64: 2, 2, 2>, strides = array<i64: 2, 2, 2>, output_size = array<i64: 0, 4, 4>} : (tensor<1x2x2x2x2xf32>, tensor<1x2x2x2x2xi32>) -> tensor<1x2x4x4x4xf32>
  return
}

// -----

func.func @unpool_c1(%a: tensor<1x1x2x2xf32>, %b: tensor<1x1x2x3xi32>) {
  // expected-error@+1 {{C1: x must have rank 4 and indices its dimensions}}
  %0 = "pd.unpool"(%a, %b) {ksize = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = array<i64: 0, 0>} : (tensor<1x1x2x2xf32>, tensor<1x1x2x3xi32>) -> tensor<1x1x4x4xf32>
  return
}

// -----

func.func @unpool_c2(%a: tensor<1x1x2x2xf32>, %b: tensor<1x1x2x2xi32>) {
  // expected-error@+1 {{C2: ksize, strides and padding must hold two numbers}}
  %0 = "pd.unpool"(%a, %b) {ksize = array<i64: 2>, strides = array<i64: 2, 2>, padding = array<i64: 0, 0>} : (tensor<1x1x2x2xf32>, tensor<1x1x2x2xi32>) -> tensor<1x1x4x4xf32>
  return
}

// -----

func.func @unpool_c1_indices(%x: tensor<1x2x2x2xf64>, %v1: tensor<1x1x9x9xi32>) {
  // expected-error@+1 {{C1: x must have rank 4 and indices its dimensions, found tensor<1x2x2x2xf64> and tensor<1x1x9x9xi32>}}
  %0 = pd.unpool %x, %v1 {ksize = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = array<i64: 0, 0>} : (tensor<1x2x2x2xf64>, tensor<1x1x9x9xi32>) -> tensor<1x2x4x4xf64>
  return
}

// -----

func.func @unpool_c2_size(%x: tensor<1x2x2x2xf64>, %indices: tensor<1x2x2x2xi32>) {
  // expected-error@+1 {{C2: ksize, strides and padding must hold two numbers, and output_size two positive numbers or none}}
  %0 = pd.unpool %x, %indices {ksize = array<i64: 2, 2>, strides = array<i64: 2, 2>, padding = array<i64: 0, 0>, output_size = array<i64: 0, 4>} : (tensor<1x2x2x2xf64>, tensor<1x2x2x2xi32>) -> tensor<1x2x4x4xf64>
  return
}
