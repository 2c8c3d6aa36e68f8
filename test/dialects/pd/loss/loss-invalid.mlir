// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @cross_entropy_c1(%a: tensor<4x5xf32>, %b: tensor<4x1xi64>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0:2 = "pd.cross_entropy_with_softmax"(%a, %b) {axis = 2 : i64} : (tensor<4x5xf32>, tensor<4x1xi64>) -> (tensor<4x5xf32>, tensor<4x1xf32>)
  return
}

// -----

func.func @cross_entropy_c2(%a: tensor<4x5xf32>, %b: tensor<4x1xf32>) {
  // expected-error@+1 {{C2: a class label must be an integer tensor with the other dimensions of input, found tensor<4x5xf32> and tensor<4x1xf32>}}
  %0:2 = "pd.cross_entropy_with_softmax"(%a, %b) {} : (tensor<4x5xf32>, tensor<4x1xf32>) -> (tensor<4x5xf32>, tensor<4x1xf32>)
  return
}

// -----

func.func @cross_entropy_c3(%a: tensor<4x5xf32>, %b: tensor<4x1xf32>) {
  // expected-error@+1 {{C3: a soft label must be a float tensor with the dimensions of input, found tensor<4x5xf32> and tensor<4x1xf32>}}
  %0:2 = "pd.cross_entropy_with_softmax"(%a, %b) {soft_label = true} : (tensor<4x5xf32>, tensor<4x1xf32>) -> (tensor<4x5xf32>, tensor<4x1xf32>)
  return
}

// -----

func.func @nll_c1(%a: tensor<4x5xf32>, %b: tensor<5xi64>) {
  // expected-error@+1 {{C1: label must have the dimensions of input but the second, found tensor<4x5xf32> and tensor<5xi64>}}
  %0:2 = "pd.nll_loss"(%a, %b) {} : (tensor<4x5xf32>, tensor<5xi64>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

func.func @nll_c2(%a: tensor<4x5xf32>, %b: tensor<4xi64>, %c: tensor<4xf32>) {
  // expected-error@+1 {{C2: weight must have one element for each class of input, found tensor<4x5xf32> and tensor<4xf32>}}
  %0:2 = "pd.nll_loss"(%a, %b, %c) {} : (tensor<4x5xf32>, tensor<4xi64>, tensor<4xf32>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

func.func @nll_c3(%a: tensor<4x5xf32>, %b: tensor<4xi64>) {
  // expected-error@+1 {{C3: reduction must be none, mean or sum, found batchmean}}
  %0:2 = "pd.nll_loss"(%a, %b) {reduction = #pd<loss_reduction batchmean>} : (tensor<4x5xf32>, tensor<4xi64>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

func.func @bce_c1(%a: tensor<4xf32>, %b: tensor<5xf32>) {
  // expected-error@+1 {{C1: both operands must have the same dimensions, found tensor<4xf32> and tensor<5xf32>}}
  %0 = "pd.bce_loss"(%a, %b) {} : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @bce_c2(%a: tensor<4xf32>, %b: tensor<4xf64>) {
  // expected-error@+1 {{C2: the operands must have one element type, found tensor<4xf32> and tensor<4xf64>}}
  %0 = "pd.bce_loss"(%a, %b) {} : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @label_smooth_c1(%a: tensor<f32>) {
  // expected-error@+1 {{C1: label must have rank 1 or more, found rank 0}}
  %0 = "pd.label_smooth"(%a) {} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @label_smooth_c2(%a: tensor<2x3xf32>, %b: tensor<1x2xf32>) {
  // expected-error@+1 {{C2: prior_dist must have 3 elements, found 2}}
  %0 = "pd.label_smooth"(%a, %b) {} : (tensor<2x3xf32>, tensor<1x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @accuracy_c1(%a: tensor<4x2xf32>, %b: tensor<4x2xi64>, %c: tensor<4x2xi64>) {
  // expected-error@+1 {{C1: indices and label must have rank 2, and label one column, found tensor<4x2xi64> and tensor<4x2xi64>}}
  %0:3 = "pd.accuracy"(%a, %b, %c) {} : (tensor<4x2xf32>, tensor<4x2xi64>, tensor<4x2xi64>) -> (tensor<f32>, tensor<i32>, tensor<i32>)
  return
}

// -----

func.func @accuracy_c2(%a: tensor<4x2xf32>, %b: tensor<4x2xi64>, %c: tensor<3x1xi64>) {
  // expected-error@+1 {{C2: indices and label must have as many rows, found tensor<4x2xi64> and tensor<3x1xi64>}}
  %0:3 = "pd.accuracy"(%a, %b, %c) {} : (tensor<4x2xf32>, tensor<4x2xi64>, tensor<3x1xi64>) -> (tensor<f32>, tensor<i32>, tensor<i32>)
  return
}

// -----

func.func @hinge_loss_c1(%a: tensor<2x3xf32>, %v1: tensor<2x8xf32>) {
  // expected-error@+1 {{C1: both operands must have the same dimensions, found tensor<2x3xf32> and tensor<2x8xf32>}}
  %0 = pd.hinge_loss %a, %v1 : (tensor<2x3xf32>, tensor<2x8xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @hinge_loss_c2(%a: tensor<2x3xf32>, %v1: tensor<2x3xf64>) {
  // expected-error@+1 {{C2: the operands must have one element type, found tensor<2x3xf32> and tensor<2x3xf64>}}
  %0 = pd.hinge_loss %a, %v1 : (tensor<2x3xf32>, tensor<2x3xf64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @huber_loss_c1(%input: tensor<2xf64>, %v1: tensor<7xf64>) {
  // expected-error@+1 {{C1: both operands must have the same dimensions, found tensor<2xf64> and tensor<7xf64>}}
  %0:2 = pd.huber_loss %input, %v1 {delta = 2.0} : (tensor<2xf64>, tensor<7xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  return
}

// -----

func.func @huber_loss_c2(%input: tensor<2xf64>, %v1: tensor<2xf32>) {
  // expected-error@+1 {{C2: the operands must have one element type, found tensor<2xf64> and tensor<2xf32>}}
  %0:2 = pd.huber_loss %input, %v1 {delta = 2.0} : (tensor<2xf64>, tensor<2xf32>) -> (tensor<2xf64>, tensor<2xf64>)
  return
}

// -----

func.func @kldiv_loss_c1(%x: tensor<3x4xf32>, %v1: tensor<3x9xf32>) {
  // expected-error@+1 {{C1: both operands must have the same dimensions, found tensor<3x4xf32> and tensor<3x9xf32>}}
  %0 = pd.kldiv_loss %x, %v1 reduction = none : (tensor<3x4xf32>, tensor<3x9xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @kldiv_loss_c2(%x: tensor<3x4xf32>, %v1: tensor<3x4xf64>) {
  // expected-error@+1 {{C2: the operands must have one element type, found tensor<3x4xf32> and tensor<3x4xf64>}}
  %0 = pd.kldiv_loss %x, %v1 reduction = none : (tensor<3x4xf32>, tensor<3x4xf64>) -> tensor<3x4xf32>
  return
}

// -----

func.func @log_loss_c1(%input: tensor<3x1xf64>, %v1: tensor<3x6xf64>) {
  // expected-error@+1 {{C1: both operands must have the same dimensions, found tensor<3x1xf64> and tensor<3x6xf64>}}
  %0 = pd.log_loss %input, %v1 {epsilon = 0.001} : (tensor<3x1xf64>, tensor<3x6xf64>) -> tensor<3x1xf64>
  return
}

// -----

func.func @log_loss_c2(%input: tensor<3x1xf64>, %v1: tensor<3x1xf32>) {
  // expected-error@+1 {{C2: the operands must have one element type, found tensor<3x1xf64> and tensor<3x1xf32>}}
  %0 = pd.log_loss %input, %v1 {epsilon = 0.001} : (tensor<3x1xf64>, tensor<3x1xf32>) -> tensor<3x1xf64>
  return
}

// -----

func.func @sigmoid_cross_entropy_with_logits_c2(%x: tensor<4xf64>, %v1: tensor<4xf32>) {
  // expected-error@+1 {{C2: the operands must have one element type, found tensor<4xf64> and tensor<4xf32>}}
  %0 = pd.sigmoid_cross_entropy_with_logits %x, %v1 : (tensor<4xf64>, tensor<4xf32>) -> tensor<4xf64>
  return
}

// -----

func.func @sigmoid_cross_entropy_with_logits_c1(%x: tensor<4xf64>, %label: tensor<5xf64>) {
  // expected-error@+1 {{C1: both operands must have the same dimensions, found tensor<4xf64> and tensor<5xf64>}}
  %0 = pd.sigmoid_cross_entropy_with_logits %x, %label : (tensor<4xf64>, tensor<5xf64>) -> tensor<4xf64>
  return
}

// -----

func.func @accuracy_c1_label(%x: tensor<4x2xf32>, %indices: tensor<4x2xi64>, %v2: tensor<4x2xi64>) {
  // expected-error@+1 {{C1: indices and label must have rank 2, and label one column, found tensor<4x2xi64> and tensor<4x2xi64>}}
  %0:3 = pd.accuracy %x, %indices, %v2 : (tensor<4x2xf32>, tensor<4x2xi64>, tensor<4x2xi64>) -> (tensor<f32>, tensor<i32>, tensor<i32>)
  return
}

// -----

func.func @nll_loss_c1_label(%input: tensor<4x5xf32>, %weight: tensor<5xf32>, %v1: tensor<9xi64>) {
  // expected-error@+1 {{C1: label must have the dimensions of input but the second, found tensor<4x5xf32> and tensor<9xi64>}}
  %0:2 = pd.nll_loss %input, %v1, %weight reduction = none : (tensor<4x5xf32>, tensor<9xi64>, tensor<5xf32>) -> (tensor<4xf32>, tensor<f32>)
  return
}

// -----

func.func @nll_loss_c2(%input: tensor<4x5xf32>, %label: tensor<4xi64>, %weight: tensor<9xf64>) {
  // expected-error@+1 {{C2: weight must have one element for each class of input, found tensor<4x5xf32> and tensor<9xf64>}}
  %0:2 = pd.nll_loss %input, %label, %weight reduction = none : (tensor<4x5xf32>, tensor<4xi64>, tensor<9xf64>) -> (tensor<4xf32>, tensor<f32>)
  return
}
