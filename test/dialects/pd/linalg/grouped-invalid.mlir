// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @rank(%x: tensor<7x4xf32>, %y: tensor<4x5xf32>, %sizes: tensor<3xi64>) {
  // expected-error@+1 {{C1: operand 1 must have rank 3, found rank 2}}
  %0 = pd.grouped_matmul %x, %y, %sizes : (tensor<7x4xf32>, tensor<4x5xf32>, tensor<3xi64>) -> tensor<7x5xf32>
  return
}

// -----

func.func @element(%x: tensor<7x4xf32>, %y: tensor<3x4x5xf16>, %sizes: tensor<3xi64>) {
  // expected-error@+1 {{C2: x has elements of type f32, y of f16}}
  %0 = pd.grouped_matmul %x, %y, %sizes : (tensor<7x4xf32>, tensor<3x4x5xf16>, tensor<3xi64>) -> tensor<7x5xf32>
  return
}

// -----

func.func @contracted(%x: tensor<7x4xf32>, %y: tensor<3x4x5xf32>, %sizes: tensor<3xi64>) {
  // expected-error@+1 {{C3: the contracted dims must be equal, found 4 and 5}}
  %0 = pd.grouped_matmul %x, %y, %sizes {transpose_y = true} : (tensor<7x4xf32>, tensor<3x4x5xf32>, tensor<3xi64>) -> tensor<7x4xf32>
  return
}

// -----

func.func @groups(%x: tensor<7x4xf32>, %y: tensor<3x4x5xf32>, %sizes: tensor<2xi64>) {
  // expected-error@+1 {{C4: y has 3 matrices, sizes 2 elements}}
  %0 = pd.grouped_matmul %x, %y, %sizes : (tensor<7x4xf32>, tensor<3x4x5xf32>, tensor<2xi64>) -> tensor<7x5xf32>
  return
}

// -----

func.func @sizes(%x: tensor<7x4xf32>, %y: tensor<3x4x5xf32>, %sizes: tensor<3xf32>) {
  // expected-error@+1 {{operand #2 must be}}
  %0 = pd.grouped_matmul %x, %y, %sizes : (tensor<7x4xf32>, tensor<3x4x5xf32>, tensor<3xf32>) -> tensor<7x5xf32>
  return
}

// -----

func.func @grad_rank(%x: tensor<7x4x1xf32>, %g: tensor<7x5xf32>, %sizes: tensor<3xi64>) {
  // expected-error@+1 {{C1: operand 0 must have rank 2, found rank 3}}
  %0 = pd.grouped_matmul_y_grad %x, %g, %sizes : (tensor<7x4x1xf32>, tensor<7x5xf32>, tensor<3xi64>) -> tensor<3x4x5xf32>
  return
}

// -----

func.func @grad_element(%x: tensor<7x4xf32>, %g: tensor<7x5xbf16>, %sizes: tensor<3xi64>) {
  // expected-error@+1 {{C2: x has elements of type f32, out_grad of bf16}}
  %0 = pd.grouped_matmul_y_grad %x, %g, %sizes : (tensor<7x4xf32>, tensor<7x5xbf16>, tensor<3xi64>) -> tensor<3x4x5xf32>
  return
}

// -----

func.func @grad_rows(%x: tensor<7x4xf32>, %g: tensor<6x5xf32>, %sizes: tensor<3xi64>) {
  // expected-error@+1 {{C3: x has 7 rows, out_grad 6}}
  %0 = pd.grouped_matmul_y_grad %x, %g, %sizes : (tensor<7x4xf32>, tensor<6x5xf32>, tensor<3xi64>) -> tensor<3x4x5xf32>
  return
}
