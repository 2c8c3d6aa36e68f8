// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @softmax_c1(%a: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0 = "pd.softmax"(%a) {axis = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @softmax_mask_c1(%a: tensor<2x3xf32>, %b: tensor<2x2x3xf32>) {
  // expected-error@+1 {{C1: mask must broadcast to x, found tensor<2x3xf32> and tensor<2x2x3xf32>}}
  %0 = "pd.fused_softmax_mask"(%a, %b) {} : (tensor<2x3xf32>, tensor<2x2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @log_softmax_c1(%x: tensor<2x3x4xf64>) {
  // expected-error@+1 {{C1: axis must be in [-3, 3), found 3}}
  %0 = pd.log_softmax %x {axis = 3 : i64} : (tensor<2x3x4xf64>) -> tensor<2x3x4xf64>
  return
}

// -----

func.func @fused_softmax_mask_c1_mask(%x: tensor<1x2xf64>, %v1: tensor<7x1x5x9xf32>) {
  // expected-error@+1 {{C1: mask must broadcast to x, found tensor<1x2xf64> and tensor<7x1x5x9xf32>}}
  %0 = pd.fused_softmax_mask %x, %v1 : (tensor<1x2xf64>, tensor<7x1x5x9xf32>) -> tensor<1x2xf64>
  return
}
