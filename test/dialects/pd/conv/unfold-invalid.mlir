// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @unfold_c1(%a: tensor<1x4x4xf32>) {
  // expected-error@+1 {{C1: x must have rank 4, found rank 3}}
  %0 = "pd.unfold"(%a) {kernel_sizes = array<i64: 2, 2>, strides = array<i64: 1, 1>, paddings = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x4x4xf32>) -> tensor<1x4x9xf32>
  return
}

// -----

func.func @unfold_c2(%a: tensor<1x1x4x4xf32>) {
  // expected-error@+1 {{C2: kernel_sizes must be two positive numbers}}
  %0 = "pd.unfold"(%a) {kernel_sizes = array<i64: 2, 0>, strides = array<i64: 1, 1>, paddings = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x1x4x4xf32>) -> tensor<1x4x9xf32>
  return
}

// -----

func.func @unfold_c3(%a: tensor<1x1x4x4xf32>) {
  // expected-error@+1 {{C3: the window must fit into the padded input}}
  %0 = "pd.unfold"(%a) {kernel_sizes = array<i64: 5, 2>, strides = array<i64: 1, 1>, paddings = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x1x4x4xf32>) -> tensor<1x4x9xf32>
  return
}

// -----

func.func @fold_c4(%a: tensor<1x8x5xf32>) {
  // expected-error@+1 {{C4: x must have 4 columns and a multiple of 4 rows, found 5 and 8}}
  %0 = "pd.fold"(%a) {output_sizes = array<i64: 4, 4>, kernel_sizes = array<i64: 2, 2>, strides = array<i64: 2, 2>, paddings = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x8x5xf32>) -> tensor<1x2x4x4xf32>
  return
}

// -----

func.func @fold_c3(%x: tensor<1x2x2xf64>) {
  // expected-error@+1 {{C3: the window must fit into the padded input, found a window of 3 and an input of 1 with paddings 0 and 0 in spatial dimension 0}}
  %0 = pd.fold %x {output_sizes = array<i64: 1, 3>, kernel_sizes = array<i64: 3, 2>, strides = array<i64: 1, 1>, paddings = array<i64: 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x2xf64>) -> tensor<1x1x1x3xf64>
  return
}

// -----

func.func @fold_c1(%x: tensor<2x2xf64>) {
  // expected-error@+1 {{C1: x must have rank 3, found rank 2}}
  %0 = pd.fold %x {output_sizes = array<i64: 1, 3>, kernel_sizes = array<i64: 1, 2>, strides = array<i64: 1, 1>, paddings = array<i64: 0>, dilations = array<i64: 1, 1>} : (tensor<2x2xf64>) -> tensor<1x1x1x3xf64>
  return
}

// -----

func.func @fold_c2(%x: tensor<1x2x2xf64>) {
  // expected-error@+1 {{C2: kernel_sizes must be two positive numbers}}
  %0 = pd.fold %x {output_sizes = array<i64: 1, 3>, kernel_sizes = array<i64: 0, 2>, strides = array<i64: 1, 1>, paddings = array<i64: 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x2xf64>) -> tensor<1x1x1x3xf64>
  return
}

// -----

func.func @fold_c4_rows(%x: tensor<1x3x2xf64>) {
  // expected-error@+1 {{C4: x must have 2 columns and a multiple of 2 rows, found 2 and 3}}
  %0 = pd.fold %x {output_sizes = array<i64: 1, 3>, kernel_sizes = array<i64: 1, 2>, strides = array<i64: 1, 1>, paddings = array<i64: 0>, dilations = array<i64: 1, 1>} : (tensor<1x3x2xf64>) -> tensor<1x1x1x3xf64>
  return
}
