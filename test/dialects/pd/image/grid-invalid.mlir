// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @grid_c1(%a: tensor<1x1x2xf32>, %b: tensor<1x1x2xf32>) {
  // expected-error@+1 {{C1: x must have rank 4 or 5 and grid the same, found ranks 3 and 3}}
  %0 = "pd.grid_sample"(%a, %b) {} : (tensor<1x1x2xf32>, tensor<1x1x2xf32>) -> tensor<1x1x2xf32>
  return
}

// -----

func.func @grid_c2(%a: tensor<1x1x2x2xf32>, %b: tensor<1x3x3x3xf32>) {
  // expected-error@+1 {{C2: grid must have the batch of x and 2 numbers at the end, found tensor<1x1x2x2xf32> and tensor<1x3x3x3xf32>}}
  %0 = "pd.grid_sample"(%a, %b) {} : (tensor<1x1x2x2xf32>, tensor<1x3x3x3xf32>) -> tensor<1x1x3x3xf32>
  return
}

// -----

func.func @grid_c3(%a: tensor<1x1x2x2xf32>, %b: tensor<1x3x3x2xf64>) {
  // expected-error@+1 {{C3: x and grid must have one element type}}
  %0 = "pd.grid_sample"(%a, %b) {} : (tensor<1x1x2x2xf32>, tensor<1x3x3x2xf64>) -> tensor<1x1x3x3xf32>
  return
}

// -----

func.func @affine_c1(%a: tensor<1x2x2xf32>) {
  // expected-error@+1 {{C1: input must be [N, 2, 3] or [N, 3, 4], found tensor<1x2x2xf32>}}
  %0 = "pd.affine_grid"(%a) {output_shape = array<i64: 1, 1, 2, 2>} : (tensor<1x2x2xf32>) -> tensor<1x2x2x2xf32>
  return
}

// -----

func.func @affine_c2(%a: tensor<1x2x3xf32>) {
  // expected-error@+1 {{C2: output_shape must have 4 numbers, found 3}}
  %0 = "pd.affine_grid"(%a) {output_shape = array<i64: 1, 1, 2>} : (tensor<1x2x3xf32>) -> tensor<1x2x2x2xf32>
  return
}

// -----

func.func @affine_grid_c1(%v0: tensor<2x3x3xf32>) {
  // expected-error@+1 {{C1: input must be [N, 2, 3] or [N, 3, 4], found tensor<2x3x3xf32>}}
  %0 = pd.affine_grid %v0 {output_shape = array<i64: 1, 3, 2, 2>} : (tensor<2x3x3xf32>) -> tensor<1x2x2x2xf64>
  return
}

// -----

func.func @grid_sample_c1_grid(%x: tensor<1x1x2x2xf64>, %v1: tensor<2x2x3x4x3xf64>) {
  // expected-error@+1 {{C1: x must have rank 4 or 5 and grid the same, found ranks 4 and 5}}
  %0 = pd.grid_sample %x, %v1 {align_corners = false} : (tensor<1x1x2x2xf64>, tensor<2x2x3x4x3xf64>) -> tensor<1x1x1x3xf64>
  return
}

// -----

func.func @grid_sample_c2_batch(%x: tensor<1x1x2x2xf64>, %v1: tensor<9x2x3x2xf64>) {
  // expected-error@+1 {{C2: grid must have the batch of x and 2 numbers at the end, found tensor<1x1x2x2xf64> and tensor<9x2x3x2xf64>}}
  %0 = pd.grid_sample %x, %v1 {align_corners = false} : (tensor<1x1x2x2xf64>, tensor<9x2x3x2xf64>) -> tensor<1x1x1x3xf64>
  return
}

