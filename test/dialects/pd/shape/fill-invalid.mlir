// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @cube_c1(%x: tensor<3x3x4xf32>) {
  // expected-error@+1 {{C1: x must be a matrix, or have more dimensions all of one dim, found tensor<3x3x4xf32>}}
  %0 = "pd.fill_diagonal"(%x) : (tensor<3x3x4xf32>) -> tensor<3x3x4xf32>
  return
}

// -----

func.func @dims_c1(%x: tensor<3x4xf32>, %y: tensor<3xf32>) {
  // expected-error@+1 {{C1: dim1 and dim2 must be two dimensions of x, found 1 and -1 of tensor<3x4xf32>}}
  %0 = "pd.fill_diagonal_tensor"(%x, %y) {dim1 = 1 : i64, dim2 = -1 : i64} : (tensor<3x4xf32>, tensor<3xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @extents_c2(%x: tensor<3x4xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{C2: y must be tensor<3xf32>, found tensor<4xf32>}}
  %0 = "pd.fill_diagonal_tensor"(%x, %y) : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @fill_diagonal_c1_extents(%v0: tensor<2x3x2xf32>) {
  // expected-error@+1 {{C1: x must be a matrix, or have more dimensions all of one dim, found tensor<2x3x2xf32>}}
  %0 = pd.fill_diagonal %v0 {value = 2.0, wrap = true} : (tensor<2x3x2xf32>) -> tensor<2x3x2xf32>
  return
}

// -----

func.func @fill_diagonal_tensor_c2_type(%x: tensor<2x4x3xf32>, %v1: tensor<2xf16>) {
  // expected-error@+1 {{C2: y must be tensor<2x3xf32>, found tensor<2xf16>}}
  %0 = pd.fill_diagonal_tensor %x, %v1 {dim1 = 1 : i64, dim2 = -1 : i64, offset = -1 : i64} : (tensor<2x4x3xf32>, tensor<2xf16>) -> tensor<2x4x3xf32>
  return
}
