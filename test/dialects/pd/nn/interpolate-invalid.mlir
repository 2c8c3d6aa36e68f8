// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @interp_c1(%a: tensor<1x2x3xf32>) {
  // expected-error@+2 {{C1: x must have rank 4 to 4, found rank 3}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.bilinear_interp"(%a) {out_h = 2 : i64, out_w = 2 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<1x2x3xf32>) -> tensor<1x2x2xf32>
  return
}

// -----

func.func @interp_c3(%a: tensor<1x2x3x3xf32>) {
  // expected-error@+2 {{C3: scale must hold 2 numbers, found 3}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.bilinear_interp"(%a) {scale = array<f64: 2.0, 2.0, 2.0>, operandSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<1x2x3x3xf32>) -> tensor<1x2x6x6xf32>
  return
}

// -----

func.func @interp_c3_positive(%a: tensor<1x2x3x3xf32>) {
  // expected-error@+2 {{C3: scale must be positive, found -1.0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.bilinear_interp"(%a) {scale = array<f64: -1.0, 2.0>, operandSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<1x2x3x3xf32>) -> tensor<1x2x6x6xf32>
  return
}

// -----

func.func @interp_c4(%a: tensor<1x2x3x3xf32>) {
  // expected-error@+2 {{C4: the output's extents must be positive, found 0 in spatial dimension 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.bilinear_interp"(%a) {out_w = 2 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<1x2x3x3xf32>) -> tensor<1x2x6x2xf32>
  return
}

// -----

func.func @interp_c5(%a: tensor<1x2x3x3xf32>) {
  // expected-error@+2 {{C5: interp_method must be "bilinear", found "nearest"}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.bilinear_interp"(%a) {out_h = 2 : i64, out_w = 2 : i64, interp_method = "nearest", operandSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<1x2x3x3xf32>) -> tensor<1x2x2x2xf32>
  return
}
