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

// -----

func.func @cvm_c1(%m: tensor<3x2xf32>) {
  // expected-error@+2 {{C1: x must be a matrix of more than two columns, found tensor<3x2xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = pd.cvm %m {use_cvm = false} : (tensor<3x2xf32>) -> tensor<3x0xf32>
  return
}

// -----

func.func @cvm_c2(%m: tensor<3x5xf32>, %cvm: tensor<4x2xf32>) {
  // expected-error@+2 {{C2: cvm must have two columns and the rows of x}}
  // expected-error@+1 {{failed to infer returned types}}
  %2 = pd.cvm %m, %cvm {use_cvm = false} : (tensor<3x5xf32>, tensor<4x2xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @deformable_conv_c1(%x: tensor<2x3x4x5xf32>, %o: tensor<18x4x5xf32>, %f: tensor<6x3x3x3xf32>) {
  // expected-error@+2 {{C1: x, offset, mask and filter must have rank 4, and the filter's extents be known}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = pd.deformable_conv %x, %o, %f {paddings = array<i64: 1, 1>} : (tensor<2x3x4x5xf32>, tensor<18x4x5xf32>, tensor<6x3x3x3xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @deformable_conv_c3(%x: tensor<2x3x4x5xf32>, %o: tensor<2x18x4x5xf32>, %f: tensor<6x3x3x3xf32>) {
  // expected-error@+2 {{C3: groups and deformable_groups must be positive, and groups divide 6, found 0 and 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = pd.deformable_conv %x, %o, %f {paddings = array<i64: 1, 1>, groups = 0 : i64} : (tensor<2x3x4x5xf32>, tensor<2x18x4x5xf32>, tensor<6x3x3x3xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @hsigmoid_loss_c2(%a: tensor<3x4xf32>, %b: tensor<3x1xi64>, %c: tensor<5x4xf32>, %bias: tensor<5x1xf32>) {
  // expected-error@+2 {{C2: num_classes must be 2 or more, found 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = pd.hsigmoid_loss %a, %b, %c bias = %bias {num_classes = 1 : i64} : (tensor<3x4xf32>, tensor<3x1xi64>, tensor<5x4xf32>, tensor<5x1xf32>) -> (tensor<3x1xf32>, tensor<3x3xf32>)
  return
}

// -----

func.func @hsigmoid_loss_c3(%a: tensor<3x4xf32>, %b: tensor<3x1xi64>, %c: tensor<5x4xf32>, %bias: tensor<5x1xf32>, %p: tensor<3x2xi64>, %q: tensor<3x3xi64>) {
  // expected-error@+2 {{C3: path and code must be matrices of one shape}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = pd.hsigmoid_loss %a, %b, %c bias = %bias path = %p code = %q {num_classes = 6 : i64} : (tensor<3x4xf32>, tensor<3x1xi64>, tensor<5x4xf32>, tensor<5x1xf32>, tensor<3x2xi64>, tensor<3x3xi64>) -> (tensor<3x1xf32>, tensor<3x3xf32>)
  return
}

// -----

func.func @partial_concat_c1(%x: tensor<3x4xf32>, %start_index: tensor<2x4xf32>) {
  // expected-error@+2 {{C1: the operands must be matrices of one shape, found tensor<3x4xf32>, tensor<2x4xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = pd.partial_concat %x, %start_index {length = 2 : i64, start_index = 1 : i64} : (tensor<3x4xf32>, tensor<2x4xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @partial_concat_c2(%x: tensor<3x4xf32>, %start_index: tensor<3x4xf32>) {
  // expected-error@+2 {{C2: the matrices have 4 columns, found start_index 1 and length 4}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = pd.partial_concat %x, %start_index {length = 4 : i64, start_index = 1 : i64} : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @data_norm_c1(%m: tensor<3x5xf32>, %v: tensor<5xf32>, %v1: tensor<4xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<3x5xf32>', 'tensor<4xf32>', 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<3x5xf32>', 'tensor<5xf32>', 'tensor<5xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %3:3 = pd.data_norm %m, %v1, %v, %v : (tensor<3x5xf32>, tensor<4xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<3x5xf32>, tensor<5xf32>, tensor<5xf32>)
  return
}

// -----

func.func @data_norm_c1_rank(%m: tensor<3x5x1xf32>, %v: tensor<5xf32>) {
  // expected-error@+2 {{C1: x must be a matrix and the others vectors, found tensor<3x5x1xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:3 = pd.data_norm %m, %v, %v, %v : (tensor<3x5x1xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> (tensor<3x5x1xf32>, tensor<5xf32>, tensor<5xf32>)
  return
}

// -----

func.func @deformable_conv_c3_deformable(%x: tensor<2x3x4x5xf32>, %o: tensor<2x18x4x5xf32>, %f: tensor<6x3x3x3xf32>) {
  // expected-error@+2 {{C3: groups and deformable_groups must be positive, and groups divide 6, found 1 and 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = pd.deformable_conv %x, %o, %f {paddings = array<i64: 1, 1>, deformable_groups = 0 : i64} : (tensor<2x3x4x5xf32>, tensor<2x18x4x5xf32>, tensor<6x3x3x3xf32>) -> tensor<2x6x4x5xf32>
  return
}

// -----

func.func @hsigmoid_loss_c1_label(%a: tensor<3x4xf32>, %b: tensor<4x1xi64>, %c: tensor<5x4xf32>, %bias: tensor<5x1xf32>) {
  // expected-error@+2 {{C1: x must be [N, D], w [nodes, D], path and code [N, length] and label must have N elements}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = pd.hsigmoid_loss %a, %b, %c bias = %bias {num_classes = 6 : i64} : (tensor<3x4xf32>, tensor<4x1xi64>, tensor<5x4xf32>, tensor<5x1xf32>) -> (tensor<3x1xf32>, tensor<3x3xf32>)
  return
}

// -----

func.func @fsp_c1(%x: tensor<2x3x4x5xf32>, %v1: tensor<2x3x5x5xf32>) {
  // expected-error@+2 {{C1: x and y must have rank 4, one batch, height and width, found tensor<2x3x4x5xf32>, tensor<2x3x5x5xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %1 = pd.fsp %x, %v1 : (tensor<2x3x4x5xf32>, tensor<2x3x5x5xf32>) -> tensor<2x3x3xf32>
  return
}
