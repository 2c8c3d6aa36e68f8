// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @hsigmoid_c1(%x: tensor<1x4xf32>, %l: tensor<3x1xi64>, %w: tensor<5x4xf32>) {
  // expected-error@+1 {{C1: x must be [N, D], w [nodes, D], path and code [N, length] and label must have N elements}}
  %0:2 = "pd.hsigmoid_loss"(%x, %l, %w) {num_classes = 6 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (tensor<1x4xf32>, tensor<3x1xi64>, tensor<5x4xf32>) -> (tensor<1x1xf32>, tensor<1x3xf32>)
  return
}

// -----

func.func @hsigmoid_loss_c2(%a: tensor<3x4xf32>, %b: tensor<3x1xi64>, %c: tensor<5x4xf32>, %bias: tensor<5x1xf32>) {
  // expected-error@+1 {{C2: num_classes must be 2 or more, found 1}}
  %0:2 = pd.hsigmoid_loss %a, %b, %c bias = %bias {num_classes = 1 : i64} : (tensor<3x4xf32>, tensor<3x1xi64>, tensor<5x4xf32>, tensor<5x1xf32>) -> (tensor<3x1xf32>, tensor<3x3xf32>)
  return
}

// -----

func.func @hsigmoid_loss_c3(%a: tensor<3x4xf32>, %b: tensor<3x1xi64>, %c: tensor<5x4xf32>, %bias: tensor<5x1xf32>, %p: tensor<3x2xi64>, %q: tensor<3x3xi64>) {
  // expected-error@+1 {{C3: path and code must be matrices of one shape}}
  %0:2 = pd.hsigmoid_loss %a, %b, %c bias = %bias path = %p code = %q {num_classes = 6 : i64} : (tensor<3x4xf32>, tensor<3x1xi64>, tensor<5x4xf32>, tensor<5x1xf32>, tensor<3x2xi64>, tensor<3x3xi64>) -> (tensor<3x1xf32>, tensor<3x3xf32>)
  return
}

// -----

func.func @hsigmoid_loss_c1_label(%a: tensor<3x4xf32>, %b: tensor<4x1xi64>, %c: tensor<5x4xf32>, %bias: tensor<5x1xf32>) {
  // expected-error@+1 {{C1: x must be [N, D], w [nodes, D], path and code [N, length] and label must have N elements}}
  %0:2 = pd.hsigmoid_loss %a, %b, %c bias = %bias {num_classes = 6 : i64} : (tensor<3x4xf32>, tensor<4x1xi64>, tensor<5x4xf32>, tensor<5x1xf32>) -> (tensor<3x1xf32>, tensor<3x3xf32>)
  return
}
