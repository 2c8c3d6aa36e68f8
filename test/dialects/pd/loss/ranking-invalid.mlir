// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @bpr_c1(%p: tensor<4x5xf32>, %l: tensor<4x2xi64>) {
  // expected-error@+1 {{C1: label must have the dimensions of x with a last one of 1, found tensor<4x5xf32> and tensor<4x2xi64>}}
  %0 = "pd.bpr_loss"(%p, %l) : (tensor<4x5xf32>, tensor<4x2xi64>) -> tensor<4x1xf32>
  return
}

// -----

func.func @modified_huber_loss_c1(%x: tensor<4x1xf32>, %v1: tensor<4x6xf32>) {
  // expected-error@+1 {{C1: both operands must have the same dimensions, found tensor<4x1xf32> and tensor<4x6xf32>}}
  %0:2 = pd.modified_huber_loss %x, %v1 : (tensor<4x1xf32>, tensor<4x6xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>)
  return
}

// -----

func.func @modified_huber_loss_c2(%x: tensor<4x1xf32>, %v1: tensor<4x1xf64>) {
  // expected-error@+1 {{C2: the operands must have one element type, found tensor<4x1xf32> and tensor<4x1xf64>}}
  %0:2 = pd.modified_huber_loss %x, %v1 : (tensor<4x1xf32>, tensor<4x1xf64>) -> (tensor<4x1xf32>, tensor<4x1xf32>)
  return
}

// -----

func.func @teacher_student_sigmoid_loss_c1(%x: tensor<4x1xf32>, %v1: tensor<4x6xf32>) {
  %0:2 = pd.modified_huber_loss %x, %x : (tensor<4x1xf32>, tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>)
  // expected-error@+1 {{C1: both operands must have the same dimensions, found tensor<4x1xf32> and tensor<4x6xf32>}}
  %1 = pd.teacher_student_sigmoid_loss %x, %v1 : (tensor<4x1xf32>, tensor<4x6xf32>) -> tensor<4x1xf32>
  return
}

// -----

func.func @teacher_student_sigmoid_loss_c2(%x: tensor<4x1xf32>, %v1: tensor<4x1xf64>) {
  %0:2 = pd.modified_huber_loss %x, %x : (tensor<4x1xf32>, tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>)
  // expected-error@+1 {{C2: the operands must have one element type, found tensor<4x1xf32> and tensor<4x1xf64>}}
  %1 = pd.teacher_student_sigmoid_loss %x, %v1 : (tensor<4x1xf32>, tensor<4x1xf64>) -> tensor<4x1xf32>
  return
}

// -----

func.func @cross_entropy_c1(%l: tensor<4x1xi64>, %v0: tensor<5xf32>) {
  // expected-error@+1 {{C1: label must have the dimensions of x with a last one of 1, found tensor<5xf32> and tensor<4x1xi64>}}
  %5:2 = pd.cross_entropy %v0, %l : (tensor<5xf32>, tensor<4x1xi64>) -> (tensor<4x1xf32>, tensor<4x1xf32>)
  return
}

// -----

func.func @identity_loss_c1(%p: tensor<4x5xf32>) {
  // expected-error@+1 {{C1: reduction must be 0, 1 or 2, found 3}}
  %6 = pd.identity_loss %p {reduction = 3 : i64} : (tensor<4x5xf32>) -> tensor<f32>
  return
}

// -----

func.func @bpr_loss_c1_label(%p: tensor<4x5xf32>, %v1: tensor<9x1xi64>) {
  // expected-error@+1 {{C1: label must have the dimensions of x with a last one of 1, found tensor<4x5xf32> and tensor<9x1xi64>}}
  %4 = pd.bpr_loss %p, %v1 : (tensor<4x5xf32>, tensor<9x1xi64>) -> tensor<4x1xf32>
  return
}

// -----

func.func @cross_entropy_c1_label(%p: tensor<4x5xf32>, %v1: tensor<5x1xi64>) {
  // expected-error@+1 {{C1: label must have the dimensions of x with a last one of 1, found tensor<4x5xf32> and tensor<5x1xi64>}}
  %5:2 = pd.cross_entropy %p, %v1 : (tensor<4x5xf32>, tensor<5x1xi64>) -> (tensor<4x1xf32>, tensor<4x1xf32>)
  return
}
