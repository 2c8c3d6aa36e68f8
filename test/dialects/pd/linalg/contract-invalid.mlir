// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @bilinear_c1(%a: tensor<3x2xf32>, %b: tensor<3x4xf32>, %c: tensor<2x4xf32>) {
  // expected-error@+1 {{C1: operand 2 must have rank 3, found rank 2}}
  %0 = "pd.bilinear"(%a, %b, %c) {} : (tensor<3x2xf32>, tensor<3x4xf32>, tensor<2x4xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @bilinear_c3(%a: tensor<3x2xf32>, %b: tensor<3x4xf32>, %c: tensor<5x4x2xf32>) {
  // expected-error@+1 {{C3: weight must contract the columns of x and y, which have as many rows, found tensor<3x2xf32>, tensor<3x4xf32> and tensor<5x4x2xf32>}}
  %0 = "pd.bilinear"(%a, %b, %c) {} : (tensor<3x2xf32>, tensor<3x4xf32>, tensor<5x4x2xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @bilinear_c4(%a: tensor<3x2xf32>, %b: tensor<3x4xf32>, %c: tensor<5x2x4xf32>, %d: tensor<4xf32>) {
  // expected-error@+1 {{C4: bias must have 5 elements, found 4}}
  %0 = "pd.bilinear"(%a, %b, %c, %d) {} : (tensor<3x2xf32>, tensor<3x4xf32>, tensor<5x2x4xf32>, tensor<4xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @squared_c1(%a: tensor<3xf32>, %b: tensor<3x4xf32>) {
  // expected-error@+1 {{C1: operand 0 must have rank 2, found rank 1}}
  %0:4 = "pd.fusion_squared_mat_sub"(%a, %b) {} : (tensor<3xf32>, tensor<3x4xf32>) -> (tensor<3xf32>, tensor<3x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @multi_dot_c1(%a: tensor<3x4xf32>, %b: tensor<4xf32>, %c: tensor<4x2xf32>) {
  // expected-error@+1 {{C1: two operands or more of rank 2 are needed, the first and the last one of rank 1 or 2, found operand 1 of rank 1 among 3}}
  %0 = "pd.multi_dot"(%a, %b, %c) {} : (tensor<3x4xf32>, tensor<4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @multi_dot_c3(%a: tensor<3x4xf32>, %b: tensor<3x2xf32>) {
  // expected-error@+1 {{C3: the contracted dims must be equal, found 4 in x and 3 in y}}
  %0 = "pd.multi_dot"(%a, %b) {} : (tensor<3x4xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @matmul_c1(%x: tensor<f32>, %y: tensor<3xf32>) {
  // expected-error@+1 {{C1: the operands of a matmul must have rank 1 or more, found rank 0}}
  %0 = "pd.matmul"(%x, %y) : (tensor<f32>, tensor<3xf32>) -> tensor<f32>
  return
}

// -----

func.func @matmul_c2(%x: tensor<3x3xf32>, %y: tensor<3x3xf64>) {
  // expected-error@+1 {{C2: the operands must have one element type, found f32 and f64}}
  %0 = "pd.matmul"(%x, %y) : (tensor<3x3xf32>, tensor<3x3xf64>) -> tensor<3x3xf32>
  return
}

// -----

func.func @matmul_c3(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) {
  // expected-error@+1 {{C3: the contracted dims must be equal, found 3 in x and 2 in y}}
  %0 = "pd.matmul"(%x, %y) {transpose_y = true} : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @matmul_c4(%x: tensor<2x3x3xf32>, %y: tensor<4x3x3xf32>) {
  // expected-error@+1 {{C4: the dimensions before the last two must broadcast, found tensor<2x3x3xf32> and tensor<4x3x3xf32>}}
  %0 = "pd.matmul"(%x, %y) : (tensor<2x3x3xf32>, tensor<4x3x3xf32>) -> tensor<2x3x3xf32>
  return
}

// -----

func.func @flatten_c1(%x: tensor<2x3xf32>, %y: tensor<3x2xf32>) {
  // expected-error@+1 {{C1: x_num_col_dims must be above 0 and below the rank 2 of x, found 2}}
  %0 = "pd.matmul_with_flatten"(%x, %y) {x_num_col_dims = 2} : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @flatten_c3(%x: tensor<2x3x4xf32>, %y: tensor<4x2xf32>) {
  // expected-error@+1 {{C3: the contracted dims must be equal, found 12 in x and 4 in y}}
  %0 = "pd.matmul_with_flatten"(%x, %y) : (tensor<2x3x4xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @bmm_c1(%x: tensor<3x3xf32>, %y: tensor<2x3x3xf32>) {
  // expected-error@+1 {{C1: operand 0 must have rank 3, found rank 2}}
  %0 = "pd.bmm"(%x, %y) : (tensor<3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  return
}

// -----

func.func @bmm_c4(%x: tensor<1x3x3xf32>, %y: tensor<2x3x3xf32>) {
  // expected-error@+1 {{C4: the batch dims must be equal, found 1 and 2}}
  %0 = "pd.bmm"(%x, %y) : (tensor<1x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  return
}

// -----

func.func @dot_c1(%x: tensor<3xf32>, %y: tensor<1x3xf32>) {
  // expected-error@+1 {{C1: both operands must have rank 1 or both rank 2, found ranks 1 and 2}}
  %0 = "pd.dot"(%x, %y) : (tensor<3xf32>, tensor<1x3xf32>) -> tensor<f32>
  return
}

// -----

func.func @dot_c3(%x: tensor<3xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{C3: the dims must be equal, found tensor<3xf32> and tensor<4xf32>}}
  %0 = "pd.dot"(%x, %y) : (tensor<3xf32>, tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @addmm_c4(%i: tensor<4xf32>, %x: tensor<2x3xf32>, %y: tensor<3x2xf32>) {
  // expected-error@+1 {{C4: input must broadcast to the product tensor<2x2xf32>, found tensor<4xf32>}}
  %0 = "pd.addmm"(%i, %x, %y) : (tensor<4xf32>, tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @einsum_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{C1: expected 1 terms, found 2 in the equation 'i,i->'}}
  %0 = "pd.einsum"(%x) {equation = "i,i->"} : (tensor<3xf32>) -> tensor<f32>
  return
}

// -----

func.func @einsum_c1_letters(%x: tensor<3xf32>) {
  // expected-error@+1 {{C1: expected letters and at most one '...', found '1' in the equation '1->'}}
  %0 = "pd.einsum"(%x) {equation = "1->"} : (tensor<3xf32>) -> tensor<f32>
  return
}

// -----

func.func @einsum_c2(%x: tensor<3xf32>) {
  // expected-error@+1 {{C2: operand 0 has rank 1, but its term 'ij' has 2 labels in the equation 'ij->'}}
  %0 = "pd.einsum"(%x) {equation = "ij->"} : (tensor<3xf32>) -> tensor<f32>
  return
}

// -----

func.func @einsum_c3(%x: tensor<3xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{C3: the label 'i' has the dims 3 and 4 in the equation 'i,i->'}}
  %0 = "pd.einsum"(%x, %y) {equation = "i,i->"} : (tensor<3xf32>, tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @einsum_c4(%x: tensor<3xf32>) {
  // expected-error@+1 {{C4: the result has 'j', which no term has, in the equation 'i->j'}}
  %0 = "pd.einsum"(%x) {equation = "i->j"} : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @einsum_c5(%x: tensor<3xf32>, %y: tensor<3xf64>) {
  // expected-error@+1 {{C5: the operands must have one element type}}
  %0 = "pd.einsum"(%x, %y) {equation = "i,i->"} : (tensor<3xf32>, tensor<3xf64>) -> tensor<f32>
  return
}

// -----

func.func @addmm_c2(%i: tensor<5xf32>, %y: tensor<4x5xf32>, %v1: tensor<3x4xf64>) {
  // expected-error@+1 {{C2: the operands must have one element type, found f32 and f64}}
  %0 = pd.addmm %i, %v1, %y {beta = 0.5, alpha = 2.0} : (tensor<5xf32>, tensor<3x4xf64>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @baddbmm_c2(%input: tensor<2x4x4xf32>, %y: tensor<2x5x4xf32>, %v1: tensor<2x4x5xf64>) {
  // expected-error@+1 {{C2: the operands must have one element type, found f32 and f64}}
  %0 = pd.baddbmm %input, %v1, %y {alpha = 0.5 : f64} : (tensor<2x4x4xf32>, tensor<2x4x5xf64>, tensor<2x5x4xf32>) -> tensor<2x4x4xf32>
  return
}

// -----

func.func @bilinear_c2(%x: tensor<1x2xf64>, %weight: tensor<1x2x2xf64>, %bias: tensor<1xf64>, %v1: tensor<1x2xf32>) {
  // expected-error@+1 {{C2: the operands must have one element type, found f64 and f32}}
  %0 = pd.bilinear %x, %v1, %weight, %bias : (tensor<1x2xf64>, tensor<1x2xf32>, tensor<1x2x2xf64>, tensor<1xf64>) -> tensor<1x1xf64>
  return
}

// -----

func.func @dot_c2(%x: tensor<3x4xf32>, %v1: tensor<3x4xf64>) {
  // expected-error@+1 {{C2: the operands must have one element type, found f32 and f64}}
  %0 = pd.dot %x, %v1 : (tensor<3x4xf32>, tensor<3x4xf64>) -> tensor<3xf32>
  return
}

// -----

func.func @fusion_squared_mat_sub_c2(%x: tensor<1x2xf64>, %v1: tensor<2x1xf32>) {
  // expected-error@+1 {{C2: the operands must have one element type, found f64 and f32}}
  %0:4 = pd.fusion_squared_mat_sub %x, %v1 {scalar = 0.5} : (tensor<1x2xf64>, tensor<2x1xf32>) -> (tensor<1x2xf64>, tensor<2x1xf64>, tensor<1x1xf64>, tensor<1x1xf64>)
  return
}

// -----

func.func @matmul_with_flatten_c2(%x: tensor<?x?x8xf32>, %v1: tensor<8x6xf64>) {
  // expected-error@+1 {{C2: the operands must have one element type, found f32 and f64}}
  %0 = pd.matmul_with_flatten %x, %v1 {x_num_col_dims = 2} : (tensor<?x?x8xf32>, tensor<8x6xf64>) -> tensor<?x?x6xf32>
  return
}

// -----

func.func @multi_dot_c2(%x: tensor<10x10xf32>, %c: tensor<10xf32>, %v1: tensor<10x10xf64>) {
  // expected-error@+1 {{C2: the operands must have one element type, found f32 and f64}}
  %0 = pd.multi_dot %x, %v1, %c : (tensor<10x10xf32>, tensor<10x10xf64>, tensor<10xf32>) -> tensor<10xf32>
  return
}

// -----

func.func @bmm_c2(%x: tensor<2x3x4xf32>, %y: tensor<2x4x5xf64>) {
  // expected-error@+1 {{C2: the operands must have one element type, found f32 and f64}}
  %0 = pd.bmm %x, %y : (tensor<2x3x4xf32>, tensor<2x4x5xf64>) -> tensor<2x3x5xf32>
  return
}

// -----

func.func @bmm_c3(%x: tensor<2x3x4xf32>, %y: tensor<2x3x5xf32>) {
  // expected-error@+1 {{C3: the contracted dims must be equal, found 4 in x and 3 in y}}
  %0 = pd.bmm %x, %y : (tensor<2x3x4xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

func.func @addmm_c3(%i: tensor<5xf32>, %x: tensor<2x3xf32>, %y: tensor<4x2xf32>) {
  // expected-error@+1 {{C3: the contracted dims must be equal, found 3 in x and 4 in y}}
  %0 = pd.addmm %i, %x, %y {beta = 0.5, alpha = 2.0} : (tensor<5xf32>, tensor<2x3xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @addmm_c1(%i: tensor<5xf32>, %x: tensor<1x3x4xf32>, %y: tensor<4x5xf32>) {
  // expected-error@+1 {{C1: operand 0 must have rank 2, found rank 3}}
  %0 = pd.addmm %i, %x, %y {beta = 0.5, alpha = 2.0} : (tensor<5xf32>, tensor<1x3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @baddbmm_c1(%input: tensor<2x4x4xf32>, %x: tensor<4x5xf32>, %y: tensor<2x5x4xf32>) {
  // expected-error@+1 {{C1: operand 0 must have rank 3, found rank 2}}
  %0 = pd.baddbmm %input, %x, %y {alpha = 0.5 : f64} : (tensor<2x4x4xf32>, tensor<4x5xf32>, tensor<2x5x4xf32>) -> tensor<2x4x4xf32>
  return
}

// -----

func.func @baddbmm_c3(%input: tensor<2x4x4xf32>, %x: tensor<2x4x5xf32>, %y: tensor<2x6x4xf32>) {
  // expected-error@+1 {{C3: the contracted dims must be equal, found 5 in x and 6 in y}}
  %0 = pd.baddbmm %input, %x, %y {alpha = 0.5 : f64} : (tensor<2x4x4xf32>, tensor<2x4x5xf32>, tensor<2x6x4xf32>) -> tensor<2x4x4xf32>
  return
}

// -----

func.func @baddbmm_c4(%input: tensor<3x4x4xf32>, %x: tensor<2x4x5xf32>, %y: tensor<2x5x4xf32>) {
  // expected-error@+1 {{C4: input must broadcast to the product tensor<2x4x4xf32>, found tensor<3x4x4xf32>}}
  %0 = pd.baddbmm %input, %x, %y {alpha = 0.5 : f64} : (tensor<3x4x4xf32>, tensor<2x4x5xf32>, tensor<2x5x4xf32>) -> tensor<2x4x4xf32>
  return
}

// -----

func.func @fusion_squared_mat_sub_c3(%x: tensor<1x2xf64>, %y: tensor<3x1xf64>) {
  // expected-error@+1 {{C3: the contracted dims must be equal, found 2 in x and 3 in y}}
  %0:4 = pd.fusion_squared_mat_sub %x, %y {scalar = 0.5} : (tensor<1x2xf64>, tensor<3x1xf64>) -> (tensor<1x2xf64>, tensor<2x1xf64>, tensor<1x1xf64>, tensor<1x1xf64>)
  return
}

// -----

func.func @mv_c1(%v: tensor<4xf32>, %v0: tensor<4xf32>) {
  // expected-error@+1 {{C1: operand 0 must have rank 2, found rank 1}}
  %1 = pd.mv %v0, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @mv_c2(%m: tensor<3x4xf32>, %v1: tensor<4xf64>) {
  // expected-error@+1 {{C2: the operands must have one element type, found f32 and f64}}
  %1 = pd.mv %m, %v1 : (tensor<3x4xf32>, tensor<4xf64>) -> tensor<3xf32>
  return
}

// -----

func.func @mv_c3(%m: tensor<3x4xf32>, %v1: tensor<5xf32>) {
  // expected-error@+1 {{C3: the contracted dims must be equal, found 4 in x and 5 in y}}
  %1 = pd.mv %m, %v1 : (tensor<3x4xf32>, tensor<5xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @bilinear_c1_weight(%x: tensor<1x2xf64>, %y: tensor<1x2xf64>, %bias: tensor<1xf64>, %v2: tensor<4x5xf64>) {
  // expected-error@+1 {{C1: operand 2 must have rank 3, found rank 2}}
  %0 = pd.bilinear %x, %y, %v2, %bias : (tensor<1x2xf64>, tensor<1x2xf64>, tensor<4x5xf64>, tensor<1xf64>) -> tensor<1x1xf64>
  return
}

// -----

func.func @bilinear_c3_rows(%x: tensor<1x2xf64>, %weight: tensor<1x2x2xf64>, %bias: tensor<1xf64>, %v1: tensor<9x4xf64>) {
  // expected-error@+1 {{C3: weight must contract the columns of x and y, which have as many rows, found tensor<1x2xf64>, tensor<9x4xf64> and tensor<1x2x2xf64>}}
  %0 = pd.bilinear %x, %v1, %weight, %bias : (tensor<1x2xf64>, tensor<9x4xf64>, tensor<1x2x2xf64>, tensor<1xf64>) -> tensor<1x1xf64>
  return
}

// -----

func.func @multi_dot_c1_rank(%x: tensor<10x10xf32>, %c: tensor<10xf32>, %v1: tensor<2x3x4xf32>) {
  // expected-error@+1 {{C1: two operands or more of rank 2 are needed, the first and the last one of rank 1 or 2, found operand 1 of rank 3 among 3}}
  %0 = pd.multi_dot %x, %v1, %c : (tensor<10x10xf32>, tensor<2x3x4xf32>, tensor<10xf32>) -> tensor<10xf32>
  return
}

// -----

func.func @matmul_with_flatten_c1_y(%x: tensor<?x?x8xf32>, %y: tensor<8x6xf32>) {
  // expected-error@+1 {{C1: y_num_col_dims must be above 0 and below the rank 2 of y, found 7}}
  %0 = pd.matmul_with_flatten %x, %y {x_num_col_dims = 2, y_num_col_dims = 7 : i64} : (tensor<?x?x8xf32>, tensor<8x6xf32>) -> tensor<?x?x6xf32>
  return
}

// -----

func.func @fsp_c1(%x: tensor<2x3x4x5xf32>, %v1: tensor<2x3x5x5xf32>) {
  // expected-error@+1 {{C1: x and y must have rank 4, one batch, height and width, found tensor<2x3x4x5xf32>, tensor<2x3x5x5xf32>}}
  %1 = pd.fsp %x, %v1 : (tensor<2x3x4x5xf32>, tensor<2x3x5x5xf32>) -> tensor<2x3x3xf32>
  return
}
