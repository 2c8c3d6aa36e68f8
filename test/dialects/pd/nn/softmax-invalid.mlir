// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @softmax_c1(%a: tensor<2x3xf32>) {
  // expected-error@+2 {{C1: axis must be in [-2, 2), found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.softmax"(%a) {axis = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @dropout_c1(%a: tensor<2xf32>) {
  // expected-error@+2 {{C1: p must be in [0, 1], found 1.5}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.dropout"(%a) {p = 1.5 : f64, operandSegmentSizes = array<i32: 1, 0, 0>} : (tensor<2xf32>) -> (tensor<2xf32>, tensor<2xui8>)
  return
}

// -----

func.func @prelu_c2(%a: tensor<2x3x4xf32>, %b: tensor<4xf32>) {
  // expected-error@+2 {{C2: alpha must have 3 elements in mode channel, found 4}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.prelu"(%a, %b) {mode = #pd<prelu_mode channel>} : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @maxout_c2(%a: tensor<2x3xf32>) {
  // expected-error@+2 {{C2: groups must be above 0 and divide the extent 3, found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.maxout"(%a) {groups = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  return
}

// -----

func.func @softmax_mask_c1(%a: tensor<2x3xf32>, %b: tensor<2x2x3xf32>) {
  // expected-error@+2 {{C1: mask must broadcast to x, found tensor<2x3xf32> and tensor<2x2x3xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.fused_softmax_mask"(%a, %b) {} : (tensor<2x3xf32>, tensor<2x2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @position_c1(%a: tensor<1x2x3xf32>) {
  // expected-error@+2 {{C1: x must have rank 3 and an even number of features, found tensor<1x2x3xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.add_position_encoding"(%a) {} : (tensor<1x2x3xf32>) -> tensor<1x2x3xf32>
  return
}

// -----

func.func @log_softmax_c1(%x: tensor<2x3x4xf64>) {
  // expected-error@+2 {{C1: axis must be in [-3, 3), found 3}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = pd.log_softmax %x {axis = 3 : i64} : (tensor<2x3x4xf64>) -> tensor<2x3x4xf64>
  return
}

// -----

func.func @maxout_c1(%x: tensor<1x4xf64>) {
  // expected-error@+2 {{C1: axis must be in [-2, 2), found 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = pd.maxout %x {groups = 2, axis = 2 : i64} : (tensor<1x4xf64>) -> tensor<1x2xf64>
  return
}

// -----

func.func @add_position_encoding_c1_odd(%x: tensor<1x1x5xf64>) {
  // expected-error@+2 {{C1: x must have rank 3 and an even number of features, found tensor<1x1x5xf64>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = pd.add_position_encoding %x {alpha = 2.0, beta = 3.0} : (tensor<1x1x5xf64>) -> tensor<1x1x5xf64>
  return
}

// -----

func.func @fused_softmax_mask_c1_mask(%x: tensor<1x2xf64>, %v1: tensor<7x1x5x9xf32>) {
  // expected-error@+2 {{C1: mask must broadcast to x, found tensor<1x2xf64> and tensor<7x1x5x9xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = pd.fused_softmax_mask %x, %v1 : (tensor<1x2xf64>, tensor<7x1x5x9xf32>) -> tensor<1x2xf64>
  return
}
