// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @interp_c1(%a: tensor<1x2x3xf32>) {
  // expected-error@+1 {{C1: x must have rank 4 to 4, found rank 3}}
  %0 = "pd.bilinear_interp"(%a) {out_h = 2 : i64, out_w = 2 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<1x2x3xf32>) -> tensor<1x2x2xf32>
  return
}

// -----

func.func @interp_c3(%a: tensor<1x2x3x3xf32>) {
  // expected-error@+1 {{C3: scale must hold 2 numbers, found 3}}
  %0 = "pd.bilinear_interp"(%a) {scale = array<f64: 2.0, 2.0, 2.0>, operandSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<1x2x3x3xf32>) -> tensor<1x2x6x6xf32>
  return
}

// -----

func.func @interp_c3_positive(%a: tensor<1x2x3x3xf32>) {
  // expected-error@+1 {{C3: scale must be positive, found -1.0}}
  %0 = "pd.bilinear_interp"(%a) {scale = array<f64: -1.0, 2.0>, operandSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<1x2x3x3xf32>) -> tensor<1x2x6x6xf32>
  return
}

// -----

func.func @interp_c4(%a: tensor<1x2x3x3xf32>) {
  // expected-error@+1 {{C4: the output's dims must be positive, found 0 in spatial dimension 0}}
  %0 = "pd.bilinear_interp"(%a) {out_w = 2 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<1x2x3x3xf32>) -> tensor<1x2x6x2xf32>
  return
}

// -----

func.func @interp_c5(%a: tensor<1x2x3x3xf32>) {
  // expected-error@+1 {{C5: interp_method must be bilinear, found nearest}}
  %0 = "pd.bilinear_interp"(%a) {out_h = 2 : i64, out_w = 2 : i64, interp_method = #pd<interpolation nearest>, operandSegmentSizes = array<i32: 1, 0, 0, 0>} : (tensor<1x2x3x3xf32>) -> tensor<1x2x2x2xf32>
  return
}

// -----

func.func @bicubic_interp_c1(%a: tensor<2x4x5xf32>, %out_size: tensor<2xi32>) {
  // expected-error@+1 {{C1: x must have rank 4 to 4, found rank 3}}
  %0 = pd.bicubic_interp %a out_size = %out_size {scale = array<f64: 2.0>} : (tensor<2x4x5xf32>, tensor<2xi32>) -> tensor<1x2x6x7xf32>
  return
}

// -----

func.func @bicubic_interp_c4(%a: tensor<1x2x4x5xf32>) {
  // expected-error@+1 {{C4: the output's dims must be positive, found -1 in spatial dimension 0}}
  %0 = pd.bicubic_interp %a {out_h = -1 : i64, out_w = 7 : i64} : (tensor<1x2x4x5xf32>) -> tensor<1x2x6x7xf32>
  return
}

// -----

func.func @bicubic_interp_c5(%a: tensor<1x2x4x5xf32>, %out_size: tensor<2xi32>) {
  // expected-error@+1 {{C5: interp_method must be bicubic, found linear}}
  %0 = pd.bicubic_interp %a out_size = %out_size interp_method = linear {scale = array<f64: 2.0>} : (tensor<1x2x4x5xf32>, tensor<2xi32>) -> tensor<1x2x6x7xf32>
  return
}

// -----

func.func @interpolate_gradient_c2(%x: tensor<1x2x4x4xf32>, %d: tensor<1x2x8x9xf32>) {
  // expected-error@+1 {{C2: out_gradient must be tensor<1x2x8x8xf32>, found tensor<1x2x8x9xf32>}}
  %0 = pd.interpolate_gradient %x, %d interp_method = bilinear {out_h = 8, out_w = 8} : (tensor<1x2x4x4xf32>, tensor<1x2x8x9xf32>) -> tensor<1x2x4x4xf32>
  return
}

// -----

func.func @linear_interp_c1(%x: tensor<2x8xf32>) {
  // expected-error@+1 {{C1: x must have rank 3 to 3, found rank 2}}
  %0 = pd.linear_interp %x {out_w = 16 : i64} : (tensor<2x8xf32>) -> tensor<4x2x16xf32>
  return
}

// -----

func.func @linear_interp_c4(%x: tensor<4x2x8xf32>) {
  // expected-error@+1 {{C4: the output's dims must be positive, found -1 in spatial dimension 0}}
  %0 = pd.linear_interp %x {out_w = -1 : i64} : (tensor<4x2x8xf32>) -> tensor<4x2x16xf32>
  return
}

// -----

func.func @linear_interp_c5(%x: tensor<4x2x8xf32>) {
  // expected-error@+1 {{C5: interp_method must be linear, found nearest}}
  %0 = pd.linear_interp %x interp_method = nearest {out_w = 16 : i64} : (tensor<4x2x8xf32>) -> tensor<4x2x16xf32>
  return
}

// -----

func.func @nearest_interp_c1(%x: tensor<2x4xf32>) {
  // expected-error@+1 {{C1: x must have rank 3 to 5, found rank 2}}
  %0 = pd.nearest_interp %x {out_h = 7, out_w = 8, align_corners = false} : (tensor<2x4xf32>) -> tensor<1x2x7x8xf32>
  return
}

// -----

func.func @nearest_interp_c4(%x: tensor<1x2x4x5xf32>) {
  // expected-error@+1 {{C4: the output's dims must be positive, found -8 in spatial dimension 1}}
  %0 = pd.nearest_interp %x {out_h = 7, out_w = -8 : i64, align_corners = false} : (tensor<1x2x4x5xf32>) -> tensor<1x2x7x8xf32>
  return
}

// -----

func.func @nearest_interp_c5(%x: tensor<1x2x4x5xf32>) {
  // expected-error@+1 {{C5: interp_method must be nearest, found linear}}
  %0 = pd.nearest_interp %x interp_method = linear {out_h = 7, out_w = 8, align_corners = false} : (tensor<1x2x4x5xf32>) -> tensor<1x2x7x8xf32>
  return
}

// -----

func.func @trilinear_interp_c1(%x: tensor<2x3x4x5xf32>) {
  // expected-error@+1 {{C1: x must have rank 5 to 5, found rank 4}}
  %0 = pd.trilinear_interp %x {out_d = 4 : i64, out_h = 7 : i64, out_w = 3 : i64} : (tensor<2x3x4x5xf32>) -> tensor<1x2x4x7x3xf32>
  return
}

// -----

func.func @trilinear_interp_c4(%x: tensor<1x2x3x4x5xf32>) {
  // expected-error@+1 {{C4: the output's dims must be positive, found -8 in spatial dimension 2}}
  %0 = pd.trilinear_interp %x {out_d = 4 : i64, out_h = 7 : i64, out_w = -8 : i64} : (tensor<1x2x3x4x5xf32>) -> tensor<1x2x4x7x3xf32>
  return
}

// -----

func.func @trilinear_interp_c5(%x: tensor<1x2x3x4x5xf32>) {
  // expected-error@+1 {{C5: interp_method must be trilinear, found linear}}
  %0 = pd.trilinear_interp %x interp_method = linear {out_d = 4 : i64, out_h = 7 : i64, out_w = 3 : i64} : (tensor<1x2x3x4x5xf32>) -> tensor<1x2x4x7x3xf32>
  return
}

// -----

func.func @linear_interp_c3(%x: tensor<4x2x8xf32>) {
  // expected-error@+1 {{C3: scale must hold 1 numbers, found 2}}
  %0 = pd.linear_interp %x {scale = array<f64: 2.0, 2.0>} : (tensor<4x2x8xf32>) -> tensor<4x2x16xf32>
  return
}

// -----

func.func @nearest_interp_c3(%x: tensor<1x2x4x5xf32>) {
  // expected-error@+1 {{C3: scale must hold 2 numbers, found 3}}
  %0 = pd.nearest_interp %x {align_corners = false, scale = array<f64: 2.0, 2.0, 2.0>} : (tensor<1x2x4x5xf32>) -> tensor<1x2x7x8xf32>
  return
}

// -----

func.func @trilinear_interp_c3(%x: tensor<1x2x3x4x5xf32>) {
  // expected-error@+1 {{C3: scale must hold 3 numbers, found 2}}
  %0 = pd.trilinear_interp %x {scale = array<f64: 2.0, 2.0>} : (tensor<1x2x3x4x5xf32>) -> tensor<1x2x4x7x3xf32>
  return
}

// -----

func.func @bicubic_interp_c3(%a: tensor<1x2x4x5xf32>) {
  // expected-error@+1 {{C3: scale must hold 2 numbers, found 3}}
  %0 = pd.bicubic_interp %a {scale = array<f64: 2.0, 2.0, 2.0>} : (tensor<1x2x4x5xf32>) -> tensor<1x2x6x7xf32>
  return
}

// -----

func.func @bicubic_interp_c3_out_size(%a: tensor<1x2x4x5xf32>, %out_size: tensor<3xi32>) {
  // expected-error@+1 {{C3: out_size must hold 2 numbers, found 3}}
  %0 = pd.bicubic_interp %a out_size = %out_size {scale = array<f64: 2.0>} : (tensor<1x2x4x5xf32>, tensor<3xi32>) -> tensor<1x2x?x?xf32>
  return
}
