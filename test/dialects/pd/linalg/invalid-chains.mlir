// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @bilinear_c1(%a: tensor<3x2xf32>, %b: tensor<3x4xf32>, %c: tensor<2x4xf32>) {
  // expected-error@+2 {{C1: operand 2 must have rank 3, found rank 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.bilinear"(%a, %b, %c) {} : (tensor<3x2xf32>, tensor<3x4xf32>, tensor<2x4xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @bilinear_c3(%a: tensor<3x2xf32>, %b: tensor<3x4xf32>, %c: tensor<5x4x2xf32>) {
  // expected-error@+2 {{C3: weight must contract the columns of x and y, which have as many rows, found tensor<3x2xf32>, tensor<3x4xf32> and tensor<5x4x2xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.bilinear"(%a, %b, %c) {} : (tensor<3x2xf32>, tensor<3x4xf32>, tensor<5x4x2xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @bilinear_c4(%a: tensor<3x2xf32>, %b: tensor<3x4xf32>, %c: tensor<5x2x4xf32>, %d: tensor<4xf32>) {
  // expected-error@+2 {{C4: bias must have 5 elements, found 4}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.bilinear"(%a, %b, %c, %d) {} : (tensor<3x2xf32>, tensor<3x4xf32>, tensor<5x2x4xf32>, tensor<4xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @squared_c1(%a: tensor<3xf32>, %b: tensor<3x4xf32>) {
  // expected-error@+2 {{C1: operand 0 must have rank 2, found rank 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:4 = "pd.fusion_squared_mat_sub"(%a, %b) {} : (tensor<3xf32>, tensor<3x4xf32>) -> (tensor<3xf32>, tensor<3x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @multi_dot_c1(%a: tensor<3x4xf32>, %b: tensor<4xf32>, %c: tensor<4x2xf32>) {
  // expected-error@+2 {{C1: two operands or more of rank 2 are needed, the first and the last one of rank 1 or 2, found operand 1 of rank 1 among 3}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.multi_dot"(%a, %b, %c) {} : (tensor<3x4xf32>, tensor<4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @multi_dot_c3(%a: tensor<3x4xf32>, %b: tensor<3x2xf32>) {
  // expected-error@+2 {{C3: the contracted extents must be equal, found 4 in x and 3 in y}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.multi_dot"(%a, %b) {} : (tensor<3x4xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}
