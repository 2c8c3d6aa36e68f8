// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @deformable_c4(%x: tensor<2x3x2x5xf32>, %o: tensor<2x18x4x5xf32>, %f: tensor<6x3x3x3xf32>) {
  // expected-error@+1 {{C4: the window must fit into the padded input}}
  %0 = "pd.deformable_conv"(%x, %o, %f) : (tensor<2x3x2x5xf32>, tensor<2x18x4x5xf32>, tensor<6x3x3x3xf32>) -> tensor<2x6x1x3xf32>
  return
}

// -----

func.func @deformable_conv_c2(%x: tensor<2x3x4x5xf32>, %o: tensor<2x18x4x5xf32>, %f: tensor<6x3x3x3xf32>) {
  // expected-error@+1 {{C2: strides must be 2 positive numbers, found [0, 0]}}
  %0 = pd.deformable_conv %x, %o, %f {paddings = array<i64: 1, 1>, strides = array<i64: 0, 0>} : (tensor<2x3x4x5xf32>, tensor<2x18x4x5xf32>, tensor<6x3x3x3xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @deformable_conv_c1(%x: tensor<2x3x4x5xf32>, %o: tensor<18x4x5xf32>, %f: tensor<6x3x3x3xf32>) {
  // expected-error@+1 {{C1: x, offset, mask and filter must have rank 4, and the filter's dims be known}}
  %0 = pd.deformable_conv %x, %o, %f {paddings = array<i64: 1, 1>} : (tensor<2x3x4x5xf32>, tensor<18x4x5xf32>, tensor<6x3x3x3xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @deformable_conv_c3(%x: tensor<2x3x4x5xf32>, %o: tensor<2x18x4x5xf32>, %f: tensor<6x3x3x3xf32>) {
  // expected-error@+1 {{C3: groups and deformable_groups must be positive, and groups divide 6, found 0 and 1}}
  %0 = pd.deformable_conv %x, %o, %f {paddings = array<i64: 1, 1>, groups = 0 : i64} : (tensor<2x3x4x5xf32>, tensor<2x18x4x5xf32>, tensor<6x3x3x3xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @deformable_conv_c3_deformable(%x: tensor<2x3x4x5xf32>, %o: tensor<2x18x4x5xf32>, %f: tensor<6x3x3x3xf32>) {
  // expected-error@+1 {{C3: groups and deformable_groups must be positive, and groups divide 6, found 1 and 0}}
  %0 = pd.deformable_conv %x, %o, %f {paddings = array<i64: 1, 1>, deformable_groups = 0 : i64} : (tensor<2x3x4x5xf32>, tensor<2x18x4x5xf32>, tensor<6x3x3x3xf32>) -> tensor<2x6x4x5xf32>
  return
}
