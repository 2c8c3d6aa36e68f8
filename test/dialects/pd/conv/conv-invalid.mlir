// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @conv_c1(%a: tensor<1x2x4xf32>, %b: tensor<1x2x3x3xf32>) {
  // expected-error@+1 {{C1: input and filter must have rank 4, found ranks 3 and 4}}
  %0 = "pd.conv2d"(%a, %b) {} : (tensor<1x2x4xf32>, tensor<1x2x3x3xf32>) -> tensor<1x1x1x1xf32>
  return
}

// -----

func.func @conv_c2(%a: tensor<1x2x4x4xf32>, %b: tensor<1x2x3x3xf64>) {
  // expected-error@+1 {{C2: input and filter must have one element type, found f32 and f64}}
  %0 = "pd.conv2d"(%a, %b) {} : (tensor<1x2x4x4xf32>, tensor<1x2x3x3xf64>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @conv_c3(%a: tensor<1x2x4x4xf32>, %b: tensor<2x2x3x3xf32>) {
  // expected-error@+1 {{C3: the input must have groups (2) times the filter's 2 channels, found 2}}
  %0 = "pd.conv2d"(%a, %b) {groups = 2 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x3x3xf32>) -> tensor<1x2x2x2xf32>
  return
}

// -----

func.func @conv_c4(%a: tensor<1x2x4x4xf32>, %b: tensor<3x1x3x3xf32>) {
  // expected-error@+1 {{C4: groups must be above 0 and divide the 3 output channels, found 2}}
  %0 = "pd.conv2d"(%a, %b) {groups = 2 : i64} : (tensor<1x2x4x4xf32>, tensor<3x1x3x3xf32>) -> tensor<1x3x2x2xf32>
  return
}

// -----

func.func @conv_c4_zero(%a: tensor<1x2x4x4xf32>, %b: tensor<3x1x3x3xf32>) {
  // expected-error@+1 {{C4: groups must be above 0 and divide the 3 output channels, found 0}}
  %0 = "pd.conv2d"(%a, %b) {groups = 0 : i64} : (tensor<1x2x4x4xf32>, tensor<3x1x3x3xf32>) -> tensor<1x3x2x2xf32>
  return
}

// -----

func.func @conv_c5_strides(%a: tensor<1x2x4x4xf32>, %b: tensor<1x2x3x3xf32>) {
  // expected-error@+1 {{C5: strides must be 2 positive numbers, found [1]}}
  %0 = "pd.conv2d"(%a, %b) {strides = array<i64: 1>} : (tensor<1x2x4x4xf32>, tensor<1x2x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @conv_c5_dilations(%a: tensor<1x2x4x4xf32>, %b: tensor<1x2x3x3xf32>) {
  // expected-error@+1 {{C5: dilations must be 2 positive numbers, found [0, 1]}}
  %0 = "pd.conv2d"(%a, %b) {dilations = array<i64: 0, 1>} : (tensor<1x2x4x4xf32>, tensor<1x2x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @conv_c5_paddings(%a: tensor<1x2x4x4xf32>, %b: tensor<1x2x3x3xf32>) {
  // expected-error@+1 {{C5: paddings must be 2 or 4 numbers, none below 0, found [1, 1, -1]}}
  %0 = "pd.conv2d"(%a, %b) {paddings = array<i64: 1, 1, -1>} : (tensor<1x2x4x4xf32>, tensor<1x2x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @conv_c7(%a: tensor<1x2x4x4xf32>, %b: tensor<1x2x3x3xf32>) {
  // expected-error@+1 {{C7: the window must fit into the padded input, found a window of 5 and an input of 4 with paddings 0 and 0 in spatial dimension 0}}
  %0 = "pd.conv2d"(%a, %b) {dilations = array<i64: 2, 2>} : (tensor<1x2x4x4xf32>, tensor<1x2x3x3xf32>) -> tensor<1x1x2x2xf32>
  return
}

// -----

func.func @transpose_c3(%a: tensor<1x2x4x4xf32>, %b: tensor<3x2x3x3xf32>) {
  // expected-error@+1 {{C3: x must have the 3 input channels of the filter, found 2}}
  %0 = "pd.conv2d_transpose"(%a, %b) {} : (tensor<1x2x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x2x6x6xf32>
  return
}

// -----

func.func @transpose_c4(%a: tensor<1x3x4x4xf32>, %b: tensor<3x2x3x3xf32>) {
  // expected-error@+1 {{C4: groups must be above 0 and divide the 3 input channels, found 2}}
  %0 = "pd.conv2d_transpose"(%a, %b) {groups = 2 : i64} : (tensor<1x3x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @transpose_c7(%a: tensor<1x3x4x4xf32>, %b: tensor<3x2x3x3xf32>) {
  // expected-error@+1 {{C7: output_padding must be empty or 2 numbers, found 1}}
  %0 = "pd.conv2d_transpose"(%a, %b) {output_padding = array<i64: 1>} : (tensor<1x3x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x2x6x6xf32>
  return
}

// -----

func.func @transpose_c7_great(%a: tensor<1x3x4x4xf32>, %b: tensor<3x2x3x3xf32>) {
  // expected-error@+1 {{C7: output_padding must be at least 0 and below the stride 1 or the dilation, found 1}}
  %0 = "pd.conv2d_transpose"(%a, %b) {output_padding = array<i64: 1, 1>} : (tensor<1x3x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x2x6x6xf32>
  return
}

// -----

func.func @transpose_c8(%a: tensor<1x3x3x3xf32>, %b: tensor<3x2x3x3xf32>) {
  // expected-error@+1 {{C8: output_size must be at least 7 and below 9, found 9}}
  %0 = "pd.conv2d_transpose"(%a, %b) {output_size = array<i64: 9, 9>, strides = array<i64: 2, 2>} : (tensor<1x3x3x3xf32>, tensor<3x2x3x3xf32>) -> tensor<1x2x9x9xf32>
  return
}

// -----

func.func @transpose_c9(%a: tensor<1x3x4x4xf32>, %b: tensor<3x2x3x3xf32>) {
  // expected-error@+1 {{C9: the output dims must be positive, found 0 in spatial dimension 0}}
  %0 = "pd.conv2d_transpose"(%a, %b) {paddings = array<i64: 3, 3>} : (tensor<1x3x4x4xf32>, tensor<3x2x3x3xf32>) -> tensor<1x2x1x1xf32>
  return
}

// -----

func.func @conv2d_transpose_c5(%x: tensor<1x3x3x3xf32>, %filter: tensor<3x1x3x3xf32>) {
  // expected-error@+1 {{C5: strides must be 2 positive numbers, found [0, 0]}}
  %0 = pd.conv2d_transpose %x, %filter {groups = 3 : i64, strides = array<i64: 0, 0>} : (tensor<1x3x3x3xf32>, tensor<3x1x3x3xf32>) -> tensor<1x3x5x5xf32>
  return
}

// -----

func.func @conv2d_weight_gradient_c5(%input: tensor<1x3x8x8xf32>, %out_gradient: tensor<1x4x8x8xf32>) {
  // expected-error@+1 {{C5: strides must be 2 positive numbers, found [0, 0]}}
  %0 = pd.conv2d_weight_gradient %input, %out_gradient {kernel_size = array<i64: 1, 1>, strides = array<i64: 0, 0>} : (tensor<1x3x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<4x3x1x1xf32>
  return
}

// -----

func.func @conv3d_c5(%input: tensor<1x2x4x4x4xf32>, %filter: tensor<2x2x3x3x3xf32>) {
  // expected-error@+1 {{C5: strides must be 3 positive numbers, found [0, 0, 0]}}
  %0 = pd.conv3d %input, %filter {paddings = array<i64: 1, 1, 1>, strides = array<i64: 0, 0, 0>} : (tensor<1x2x4x4x4xf32>, tensor<2x2x3x3x3xf32>) -> tensor<1x2x4x4x4xf32>
  return
}

// -----

func.func @conv3d_transpose_c5(%x: tensor<1x2x2x2x2xf64>, %filter: tensor<2x1x2x2x2xf64>) {
  // expected-error@+1 {{C5: strides must be 3 positive numbers, found [0, 0, 0]}}
  %0 = pd.conv3d_transpose %x, %filter {strides = array<i64: 0, 0, 0>} : (tensor<1x2x2x2x2xf64>, tensor<2x1x2x2x2xf64>) -> tensor<1x1x4x3x3xf64>
  return
}

// -----

func.func @conv3d_weight_gradient_c5(%x: tensor<1x2x3x3x3xf32>, %d: tensor<1x4x2x2x2xf32>) {
  // expected-error@+1 {{C5: strides must be 3 positive numbers, found [0, 0, 0]}}
  %0 = pd.conv3d_weight_gradient %x, %d {kernel_size = array<i64: 2, 2, 2>, strides = array<i64: 0, 0, 0>} : (tensor<1x2x3x3x3xf32>, tensor<1x4x2x2x2xf32>) -> tensor<4x2x2x2x2xf32>
  return
}

// -----

func.func @conv2d_transpose_c1(%x: tensor<3x3x3xf32>, %filter: tensor<3x1x3x3xf32>) {
  // expected-error@+1 {{C1: input and filter must have rank 4, found ranks 3 and 4}}
  %0 = pd.conv2d_transpose %x, %filter {groups = 3 : i64} : (tensor<3x3x3xf32>, tensor<3x1x3x3xf32>) -> tensor<1x3x5x5xf32>
  return
}

// -----

func.func @conv2d_transpose_c2(%x: tensor<1x3x3x3xf32>, %filter: tensor<3x1x3x3xf64>) {
  // expected-error@+1 {{C2: input and filter must have one element type, found f32 and f64}}
  %0 = pd.conv2d_transpose %x, %filter {groups = 3 : i64} : (tensor<1x3x3x3xf32>, tensor<3x1x3x3xf64>) -> tensor<1x3x5x5xf32>
  return
}

// -----

func.func @conv2d_weight_gradient_c1(%input: tensor<3x8x8xf32>, %out_gradient: tensor<1x4x8x8xf32>) {
  // expected-error@+1 {{C1: input and out_gradient must have rank 4, found ranks 3 and 4}}
  %0 = pd.conv2d_weight_gradient %input, %out_gradient {kernel_size = array<i64: 1, 1>} : (tensor<3x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<4x3x1x1xf32>
  return
}

// -----

func.func @conv2d_weight_gradient_c2(%input: tensor<1x3x8x8xf32>, %out_gradient: tensor<1x4x8x8xf64>) {
  // expected-error@+1 {{C2: input and out_gradient must have one element type}}
  %0 = pd.conv2d_weight_gradient %input, %out_gradient {kernel_size = array<i64: 1, 1>} : (tensor<1x3x8x8xf32>, tensor<1x4x8x8xf64>) -> tensor<4x3x1x1xf32>
  return
}

// -----

func.func @conv2d_weight_gradient_c3(%input: tensor<1x3x8x8xf32>, %out_gradient: tensor<1x4x8x8xf32>) {
  // expected-error@+1 {{C3: kernel_size must be 2 positive numbers}}
  %0 = pd.conv2d_weight_gradient %input, %out_gradient {kernel_size = array<i64: 0, 1>} : (tensor<1x3x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<4x3x1x1xf32>
  return
}

// -----

func.func @conv2d_weight_gradient_c4(%input: tensor<1x3x8x8xf32>, %out_gradient: tensor<1x4x8x8xf32>) {
  // expected-error@+1 {{C4: groups must be above 0 and divide 3 and 4 channels, found 2}}
  %0 = pd.conv2d_weight_gradient %input, %out_gradient {kernel_size = array<i64: 1, 1>, groups = 2 : i64} : (tensor<1x3x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<4x3x1x1xf32>
  return
}

// -----

func.func @conv2d_weight_gradient_c7(%input: tensor<1x3x8x8xf32>, %out_gradient: tensor<1x4x7x8xf32>) {
  // expected-error@+1 {{C7: out_gradient must have the dim 8 in spatial dimension 0, found 7}}
  %0 = pd.conv2d_weight_gradient %input, %out_gradient {kernel_size = array<i64: 1, 1>} : (tensor<1x3x8x8xf32>, tensor<1x4x7x8xf32>) -> tensor<4x3x1x1xf32>
  return
}

// -----

func.func @conv3d_c1(%input: tensor<2x4x4x4xf32>, %filter: tensor<2x2x3x3x3xf32>) {
  // expected-error@+1 {{C1: input and filter must have rank 5, found ranks 4 and 5}}
  %0 = pd.conv3d %input, %filter {paddings = array<i64: 1, 1, 1>} : (tensor<2x4x4x4xf32>, tensor<2x2x3x3x3xf32>) -> tensor<1x2x4x4x4xf32>
  return
}

// -----

func.func @conv3d_c2(%input: tensor<1x2x4x4x4xf32>, %filter: tensor<2x2x3x3x3xf64>) {
  // expected-error@+1 {{C2: input and filter must have one element type, found f32 and f64}}
  %0 = pd.conv3d %input, %filter {paddings = array<i64: 1, 1, 1>} : (tensor<1x2x4x4x4xf32>, tensor<2x2x3x3x3xf64>) -> tensor<1x2x4x4x4xf32>
  return
}

// -----

func.func @conv3d_c3(%input: tensor<1x2x4x4x4xf32>, %filter: tensor<2x3x3x3x3xf32>) {
  // expected-error@+1 {{C3: the input must have groups (1) times the filter's 3 channels, found 2}}
  %0 = pd.conv3d %input, %filter {paddings = array<i64: 1, 1, 1>} : (tensor<1x2x4x4x4xf32>, tensor<2x3x3x3x3xf32>) -> tensor<1x2x4x4x4xf32>
  return
}

// -----

func.func @conv3d_c4(%input: tensor<1x2x4x4x4xf32>, %filter: tensor<2x2x3x3x3xf32>) {
  // expected-error@+1 {{C4: groups must be above 0 and divide the 2 output channels, found 0}}
  %0 = pd.conv3d %input, %filter {paddings = array<i64: 1, 1, 1>, groups = 0 : i64} : (tensor<1x2x4x4x4xf32>, tensor<2x2x3x3x3xf32>) -> tensor<1x2x4x4x4xf32>
  return
}

// -----

func.func @conv3d_c7(%input: tensor<1x2x4x4x4xf32>, %filter: tensor<2x2x9x3x3xf32>) {
  // expected-error@+1 {{C7: the window must fit into the padded input, found a window of 9 and an input of 4 with paddings 1 and 1 in spatial dimension 0}}
  %0 = pd.conv3d %input, %filter {paddings = array<i64: 1, 1, 1>} : (tensor<1x2x4x4x4xf32>, tensor<2x2x9x3x3xf32>) -> tensor<1x2x4x4x4xf32>
  return
}

// -----

func.func @conv3d_transpose_c1(%x: tensor<2x2x2x2xf64>, %filter: tensor<2x1x2x2x2xf64>) {
  // expected-error@+1 {{C1: input and filter must have rank 5, found ranks 4 and 5}}
  %0 = pd.conv3d_transpose %x, %filter {strides = array<i64: 2, 1, 1>} : (tensor<2x2x2x2xf64>, tensor<2x1x2x2x2xf64>) -> tensor<1x1x4x3x3xf64>
  return
}

// -----

func.func @conv3d_transpose_c2(%x: tensor<1x2x2x2x2xf64>, %filter: tensor<2x1x2x2x2xf32>) {
  // expected-error@+1 {{C2: input and filter must have one element type, found f64 and f32}}
  %0 = pd.conv3d_transpose %x, %filter {strides = array<i64: 2, 1, 1>} : (tensor<1x2x2x2x2xf64>, tensor<2x1x2x2x2xf32>) -> tensor<1x1x4x3x3xf64>
  return
}

// -----

func.func @conv3d_transpose_c3(%x: tensor<1x2x2x2x2xf64>, %filter: tensor<3x1x2x2x2xf64>) {
  // expected-error@+1 {{C3: x must have the 3 input channels of the filter, found 2}}
  %0 = pd.conv3d_transpose %x, %filter {strides = array<i64: 2, 1, 1>} : (tensor<1x2x2x2x2xf64>, tensor<3x1x2x2x2xf64>) -> tensor<1x1x4x3x3xf64>
  return
}

// -----

func.func @conv3d_transpose_c4(%x: tensor<1x2x2x2x2xf64>, %filter: tensor<2x1x2x2x2xf64>) {
  // expected-error@+1 {{C4: groups must be above 0 and divide the 2 input channels, found 0}}
  %0 = pd.conv3d_transpose %x, %filter {strides = array<i64: 2, 1, 1>, groups = 0 : i64} : (tensor<1x2x2x2x2xf64>, tensor<2x1x2x2x2xf64>) -> tensor<1x1x4x3x3xf64>
  return
}

// -----

func.func @conv3d_transpose_c7(%x: tensor<1x2x2x2x2xf64>, %filter: tensor<2x1x2x2x2xf64>) {
  // expected-error@+1 {{C7: output_padding must be at least 0 and below the stride 2 or the dilation, found 2}}
  %0 = pd.conv3d_transpose %x, %filter {strides = array<i64: 2, 1, 1>, output_padding = array<i64: 2, 0, 0>} : (tensor<1x2x2x2x2xf64>, tensor<2x1x2x2x2xf64>) -> tensor<1x1x4x3x3xf64>
  return
}

// -----

func.func @conv3d_transpose_c8(%x: tensor<1x2x2x2x2xf64>, %filter: tensor<2x1x2x2x2xf64>) {
  // expected-error@+1 {{C8: output_size must be at least 4 and below 6, found 9}}
  %0 = pd.conv3d_transpose %x, %filter {strides = array<i64: 2, 1, 1>, output_size = array<i64: 9, 3, 3>} : (tensor<1x2x2x2x2xf64>, tensor<2x1x2x2x2xf64>) -> tensor<1x1x4x3x3xf64>
  return
}

// -----

func.func @conv3d_transpose_c9(%x: tensor<1x2x2x2x2xf64>, %filter: tensor<2x1x2x2x2xf64>) {
  // expected-error@+1 {{C9: the output dims must be positive, found -14 in spatial dimension 0}}
  %0 = pd.conv3d_transpose %x, %filter {strides = array<i64: 2, 1, 1>, paddings = array<i64: 9, 9, 9>} : (tensor<1x2x2x2x2xf64>, tensor<2x1x2x2x2xf64>) -> tensor<1x1x4x3x3xf64>
  return
}

// -----

func.func @conv3d_weight_gradient_c1(%x: tensor<2x3x3x3xf32>, %d: tensor<1x4x2x2x2xf32>) {
  // expected-error@+1 {{C1: input and out_gradient must have rank 5, found ranks 4 and 5}}
  %0 = pd.conv3d_weight_gradient %x, %d {kernel_size = array<i64: 2, 2, 2>} : (tensor<2x3x3x3xf32>, tensor<1x4x2x2x2xf32>) -> tensor<4x2x2x2x2xf32>
  return
}

// -----

func.func @conv3d_weight_gradient_c2(%x: tensor<1x2x3x3x3xf32>, %d: tensor<1x4x2x2x2xf64>) {
  // expected-error@+1 {{C2: input and out_gradient must have one element type}}
  %0 = pd.conv3d_weight_gradient %x, %d {kernel_size = array<i64: 2, 2, 2>} : (tensor<1x2x3x3x3xf32>, tensor<1x4x2x2x2xf64>) -> tensor<4x2x2x2x2xf32>
  return
}

// -----

func.func @conv3d_weight_gradient_c3(%x: tensor<1x2x3x3x3xf32>, %d: tensor<1x4x2x2x2xf32>) {
  // expected-error@+1 {{C3: kernel_size must be 3 positive numbers}}
  %0 = pd.conv3d_weight_gradient %x, %d {kernel_size = array<i64: 2, 0, 2>} : (tensor<1x2x3x3x3xf32>, tensor<1x4x2x2x2xf32>) -> tensor<4x2x2x2x2xf32>
  return
}

// -----

func.func @conv3d_weight_gradient_c4(%x: tensor<1x2x3x3x3xf32>, %d: tensor<1x4x2x2x2xf32>) {
  // expected-error@+1 {{C4: groups must be above 0 and divide 2 and 4 channels, found 3}}
  %0 = pd.conv3d_weight_gradient %x, %d {kernel_size = array<i64: 2, 2, 2>, groups = 3 : i64} : (tensor<1x2x3x3x3xf32>, tensor<1x4x2x2x2xf32>) -> tensor<4x2x2x2x2xf32>
  return
}

// -----

func.func @conv3d_weight_gradient_c7(%x: tensor<1x2x3x3x3xf32>, %d: tensor<1x4x3x2x2xf32>) {
  // expected-error@+1 {{C7: out_gradient must have the dim 2 in spatial dimension 0, found 3}}
  %0 = pd.conv3d_weight_gradient %x, %d {kernel_size = array<i64: 2, 2, 2>} : (tensor<1x2x3x3x3xf32>, tensor<1x4x3x2x2xf32>) -> tensor<4x2x2x2x2xf32>
  return
}
