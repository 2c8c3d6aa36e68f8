// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @rank(%x: tensor<3xf32>) {
  // expected-error@+1 {{C1: x must have rank 2 or more, found tensor<3xf32>}}
  %0 = "pd.inverse"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @rows(%x: tensor<2x2xf32>, %y: tensor<3x2xf32>) {
  // expected-error@+1 {{C3: the right-hand side must have 2 rows, found tensor<3x2xf32>}}
  %0 = "pd.solve"(%x, %y) : (tensor<2x2xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @batches(%x: tensor<3x2x2xf32>, %y: tensor<4x2x2xf32>) {
  // expected-error@+1 {{C4: the batches must broadcast, found tensor<3x2x2xf32> and tensor<4x2x2xf32>}}
  %0 = "pd.triangular_solve"(%x, %y) : (tensor<3x2x2xf32>, tensor<4x2x2xf32>) -> tensor<3x2x2xf32>
  return
}

// -----

func.func @elements(%x: tensor<2x2xf32>, %y: tensor<2x2xf64>) {
  // expected-error@+1 {{C5: both operands must have one element type, found f32 and f64}}
  %0 = "pd.solve"(%x, %y) : (tensor<2x2xf32>, tensor<2x2xf64>) -> tensor<2x2xf32>
  return
}

// -----

func.func @det_c1(%a0: tensor<3xf32>) {
  // expected-error@+1 {{C1: }}
  %0 = "pd.det"(%a0) : (tensor<3xf32>) -> tensor<f32>
  return
}

// -----

func.func @slogdet_c2(%a0: tensor<3x2xf32>) {
  // expected-error@+1 {{C2: }}
  %0 = "pd.slogdet"(%a0) : (tensor<3x2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @inverse_c2(%a0: tensor<3x2xf32>) {
  // expected-error@+1 {{C2: }}
  %0 = "pd.inverse"(%a0) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @triangular_c1(%a0: tensor<3xf32>, %a1: tensor<3x2xf32>) {
  // expected-error@+1 {{C1: }}
  %0 = "pd.triangular_solve"(%a0, %a1) : (tensor<3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @triangular_c2(%a0: tensor<3x2xf32>, %a1: tensor<3x2xf32>) {
  // expected-error@+1 {{C2: }}
  %0 = "pd.triangular_solve"(%a0, %a1) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @triangular_c3(%a0: tensor<3x3xf32>, %a1: tensor<2x2xf32>) {
  // expected-error@+1 {{C3: }}
  %0 = "pd.triangular_solve"(%a0, %a1) : (tensor<3x3xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @cholesky_solve_c4(%a0: tensor<2x3x1xf32>, %a1: tensor<4x3x3xf32>) {
  // expected-error@+1 {{C4: }}
  %0 = "pd.cholesky_solve"(%a0, %a1) : (tensor<2x3x1xf32>, tensor<4x3x3xf32>) -> tensor<4x3x1xf32>
  return
}

// -----

func.func @cholesky_solve_c5(%a0: tensor<3x1xf32>, %a1: tensor<3x3xf64>) {
  // expected-error@+1 {{C5: }}
  %0 = "pd.cholesky_solve"(%a0, %a1) : (tensor<3x1xf32>, tensor<3x3xf64>) -> tensor<3x1xf32>
  return
}

// -----

func.func @lstsq_c1(%a0: tensor<3xf32>, %a1: tensor<3x2xf32>) {
  // expected-error@+1 {{C1: }}
  %0:4 = "pd.lstsq"(%a0, %a1) : (tensor<3xf32>, tensor<3x2xf32>) -> (tensor<2xf32>, tensor<0xf32>, tensor<i32>, tensor<0xf32>)
  return
}

// -----

func.func @lstsq_c3_batch(%a0: tensor<2x3x2xf32>, %a1: tensor<4x3x2xf32>) {
  // expected-error@+1 {{C3: }}
  %0:4 = "pd.lstsq"(%a0, %a1) : (tensor<2x3x2xf32>, tensor<4x3x2xf32>) -> (tensor<2x2x2xf32>, tensor<2x2xf32>, tensor<2xi32>, tensor<0xf32>)
  return
}

// -----

func.func @lstsq_c3(%a0: tensor<3x2xf32>, %a1: tensor<2x2xf32>) {
  // expected-error@+1 {{C3: }}
  %0:4 = "pd.lstsq"(%a0, %a1) : (tensor<3x2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<i32>, tensor<0xf32>)
  return
}

// -----

func.func @lstsq_c5(%a0: tensor<3x2xf32>, %a1: tensor<3x2xf64>) {
  // expected-error@+1 {{C5: }}
  %0:4 = "pd.lstsq"(%a0, %a1) : (tensor<3x2xf32>, tensor<3x2xf64>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<i32>, tensor<0xf32>)
  return
}

// -----

func.func @matrix_power_c1(%v0: tensor<3xf32>) {
  // expected-error@+1 {{C1: x must have rank 2 or more, found tensor<3xf32>}}
  %0 = pd.matrix_power %v0 {n = -2 : i64} : (tensor<3xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @matrix_rank_c1(%tol_tensor: tensor<2xf32>, %v0: tensor<3xf32>) {
  // expected-error@+1 {{C1: x must have rank 2 or more, found tensor<3xf32>}}
  %0 = pd.matrix_rank %v0, %tol_tensor : (tensor<3xf32>, tensor<2xf32>) -> tensor<2x2xi32>
  return
}

// -----

func.func @slogdet_c1(%v0: tensor<3xf64>) {
  // expected-error@+1 {{C1: x must have rank 2 or more, found tensor<3xf64>}}
  %0 = pd.slogdet %v0 : (tensor<3xf64>) -> tensor<2xf64>
  return
}

// -----

func.func @triangular_solve_c5(%x: tensor<2x1x4x4xf32>, %v1: tensor<3x4x2xf64>) {
  // expected-error@+1 {{C5: both operands must have one element type, found f32 and f64}}
  %0 = pd.triangular_solve %x, %v1 {transpose = true, upper = false} : (tensor<2x1x4x4xf32>, tensor<3x4x2xf64>) -> tensor<2x3x4x2xf32>
  return
}

// -----

func.func @cholesky_solve_c1(%x: tensor<3xf64>, %y: tensor<2x3x3xf64>) {
  // expected-error@+1 {{C1: the right-hand side must have rank 2 or more, found tensor<3xf64>}}
  %0 = pd.cholesky_solve %x, %y : (tensor<3xf64>, tensor<2x3x3xf64>) -> tensor<2x3x2xf64>
  return
}

// -----

func.func @cholesky_solve_c2(%x: tensor<3x2xf64>, %y: tensor<2x3x4xf64>) {
  // expected-error@+1 {{C2: the matrices of the system must be square, found tensor<2x3x4xf64>}}
  %0 = pd.cholesky_solve %x, %y : (tensor<3x2xf64>, tensor<2x3x4xf64>) -> tensor<2x3x2xf64>
  return
}

// -----

func.func @cholesky_solve_c3(%x: tensor<4x2xf64>, %y: tensor<2x3x3xf64>) {
  // expected-error@+1 {{C3: the right-hand side must have 3 rows, found tensor<4x2xf64>}}
  %0 = pd.cholesky_solve %x, %y : (tensor<4x2xf64>, tensor<2x3x3xf64>) -> tensor<2x3x2xf64>
  return
}

// -----

func.func @det_c2(%x: tensor<2x3x4xf64>) {
  // expected-error@+1 {{C2: the matrices of x must be square, found tensor<2x3x4xf64>}}
  %0 = pd.det %x : (tensor<2x3x4xf64>) -> tensor<2xf64>
  return
}

// -----

func.func @lu_solve_c1(%b: tensor<3xf64>, %lu: tensor<2x3x3xf64>, %pivots: tensor<2x3xi32>) {
  // expected-error@+1 {{C1: the right-hand side must have rank 2 or more, found tensor<3xf64>}}
  %0 = pd.lu_solve %b, %lu, %pivots trans = T : (tensor<3xf64>, tensor<2x3x3xf64>, tensor<2x3xi32>) -> tensor<2x3x2xf64>
  return
}

// -----

func.func @lu_solve_c2(%b: tensor<2x3x2xf64>, %lu: tensor<2x3x4xf64>, %pivots: tensor<2x3xi32>) {
  // expected-error@+1 {{C2: the matrices of the system must be square, found tensor<2x3x4xf64>}}
  %0 = pd.lu_solve %b, %lu, %pivots trans = T : (tensor<2x3x2xf64>, tensor<2x3x4xf64>, tensor<2x3xi32>) -> tensor<2x3x2xf64>
  return
}

// -----

func.func @lu_solve_c3(%b: tensor<2x4x2xf64>, %lu: tensor<2x3x3xf64>, %pivots: tensor<2x3xi32>) {
  // expected-error@+1 {{C3: the right-hand side must have 3 rows, found tensor<2x4x2xf64>}}
  %0 = pd.lu_solve %b, %lu, %pivots trans = T : (tensor<2x4x2xf64>, tensor<2x3x3xf64>, tensor<2x3xi32>) -> tensor<2x3x2xf64>
  return
}

// -----

func.func @lu_solve_c4(%b: tensor<5x3x2xf64>, %lu: tensor<2x3x3xf64>, %pivots: tensor<2x3xi32>) {
  // expected-error@+1 {{C4: the batches must broadcast, found tensor<2x3x3xf64> and tensor<5x3x2xf64>}}
  %0 = pd.lu_solve %b, %lu, %pivots trans = T : (tensor<5x3x2xf64>, tensor<2x3x3xf64>, tensor<2x3xi32>) -> tensor<2x3x2xf64>
  return
}

// -----

func.func @lu_solve_c5(%b: tensor<2x3x2xf32>, %lu: tensor<2x3x3xf64>, %pivots: tensor<2x3xi32>) {
  // expected-error@+1 {{C5: both operands must have one element type, found f64 and f32}}
  %0 = pd.lu_solve %b, %lu, %pivots trans = T : (tensor<2x3x2xf32>, tensor<2x3x3xf64>, tensor<2x3xi32>) -> tensor<2x3x2xf64>
  return
}

// -----

func.func @matrix_power_c2(%x: tensor<3x4xf32>) {
  // expected-error@+1 {{C2: the matrices of x must be square, found tensor<3x4xf32>}}
  %0 = pd.matrix_power %x {n = -2 : i64} : (tensor<3x4xf32>) -> tensor<3x3xf32>
  return
}

// -----

func.func @matrix_rank_c2(%x: tensor<2x1x4x3xf32>, %tol_tensor: tensor<2xf32>) {
  // expected-error@+1 {{C2: the matrices of x must be square, found tensor<2x1x4x3xf32>}}
  %0 = pd.matrix_rank %x, %tol_tensor {hermitian = true} : (tensor<2x1x4x3xf32>, tensor<2xf32>) -> tensor<2x2xi32>
  return
}

// -----

func.func @solve_c1(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{C1: the system must have rank 2 or more, found tensor<4xf32>}}
  %0 = pd.solve %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @solve_c2(%x: tensor<4x3xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{C2: the matrices of the system must be square, found tensor<4x3xf32>}}
  %0 = pd.solve %x, %y : (tensor<4x3xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @solve_c4(%x: tensor<2x4x4xf32>, %y: tensor<3x4x4xf32>) {
  // expected-error@+1 {{C4: the batches must broadcast, found tensor<2x4x4xf32> and tensor<3x4x4xf32>}}
  %0 = pd.solve %x, %y : (tensor<2x4x4xf32>, tensor<3x4x4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @solve_c5(%x: tensor<4x4xf32>, %y: tensor<4xf64>) {
  // expected-error@+1 {{C5: both operands must have one element type, found f32 and f64}}
  %0 = pd.solve %x, %y : (tensor<4x4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @adjugate_c1(%x: tensor<3xf64>) {
  // expected-error@+1 {{C1: x must have rank 2 or more, found tensor<3xf64>}}
  %0 = pd.adjugate %x : (tensor<3xf64>) -> tensor<3xf64>
  return
}

// -----

func.func @adjugate_c2(%x: tensor<2x3x4xf64>) {
  // expected-error@+1 {{C2: the matrices of x must be square, found tensor<2x3x4xf64>}}
  %0 = pd.adjugate %x : (tensor<2x3x4xf64>) -> tensor<2x3x4xf64>
  return
}

// -----

func.func @matrix_rank_c3(%x: tensor<2x3x3xf32>, %tol: tensor<4xf32>) {
  // expected-error@+1 {{C3: operands cannot be broadcast together: dimension 0 of the result is 2 by one operand and 4 by another}}
  %0 = pd.matrix_rank %x, %tol : (tensor<2x3x3xf32>, tensor<4xf32>) -> tensor<2xi32>
  return
}
