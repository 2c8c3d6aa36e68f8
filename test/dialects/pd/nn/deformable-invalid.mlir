// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @deformable_c4(%x: tensor<2x3x2x5xf32>, %o: tensor<2x18x4x5xf32>, %f: tensor<6x3x3x3xf32>) {
  // expected-error@+2 {{C4: the window must fit into the padded input}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.deformable_conv"(%x, %o, %f) : (tensor<2x3x2x5xf32>, tensor<2x18x4x5xf32>, tensor<6x3x3x3xf32>) -> tensor<2x6x1x3xf32>
  return
}

// -----

func.func @partial_c2(%m: tensor<3x5xf32>) {
  // expected-error@+2 {{C2: the matrices have 5 columns, found start_index 4 and length 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.partial_sum"(%m, %m) {start_index = 4 : i64, length = 2 : i64} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @hsigmoid_c1(%x: tensor<1x4xf32>, %l: tensor<3x1xi64>, %w: tensor<5x4xf32>) {
  // expected-error@+2 {{C1: x must be [N, D], w [nodes, D], path and code [N, length] and label must have N elements}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.hsigmoid_loss"(%x, %l, %w) {num_classes = 6 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (tensor<1x4xf32>, tensor<3x1xi64>, tensor<5x4xf32>) -> (tensor<1x1xf32>, tensor<1x3xf32>)
  return
}

// -----

func.func @deformable_conv_c2(%x: tensor<2x3x4x5xf32>, %o: tensor<2x18x4x5xf32>, %f: tensor<6x3x3x3xf32>) {
  // expected-error@+2 {{C2: strides must be 2 positive numbers, found [0, 0]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = pd.deformable_conv %x, %o, %f {paddings = array<i64: 1, 1>, strides = array<i64: 0, 0>} : (tensor<2x3x4x5xf32>, tensor<2x18x4x5xf32>, tensor<6x3x3x3xf32>) -> tensor<2x6x4x5xf32>
  return
}
