// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @cholesky_c1(%a0: tensor<3xf32>) {
  // expected-error@+2 {{C1: }}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.cholesky"(%a0) : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @cholesky_c2(%a0: tensor<3x2xf32>) {
  // expected-error@+2 {{C2: }}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.cholesky"(%a0) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @eigh_c2(%a0: tensor<3x2xf32>) {
  // expected-error@+2 {{C2: }}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.eigh"(%a0) : (tensor<3x2xf32>) -> (tensor<3xf32>, tensor<3x2xf32>)
  return
}

// -----

func.func @qr_c1(%a0: tensor<3xf32>) {
  // expected-error@+2 {{C1: }}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.qr"(%a0) : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @svd_c1(%a0: tensor<3xf32>) {
  // expected-error@+2 {{C1: }}
  // expected-error@+1 {{failed to infer returned types}}
  %0:3 = "pd.svd"(%a0) : (tensor<3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>, tensor<3x3xf32>)
  return
}

// -----

func.func @lu_c1(%a0: tensor<3xf32>) {
  // expected-error@+2 {{C1: }}
  // expected-error@+1 {{failed to infer returned types}}
  %0:3 = "pd.lu"(%a0) : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xi32>, tensor<i32>)
  return
}

// -----

func.func @det_c1(%a0: tensor<3xf32>) {
  // expected-error@+2 {{C1: }}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.det"(%a0) : (tensor<3xf32>) -> tensor<f32>
  return
}

// -----

func.func @slogdet_c2(%a0: tensor<3x2xf32>) {
  // expected-error@+2 {{C2: }}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.slogdet"(%a0) : (tensor<3x2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @inverse_c2(%a0: tensor<3x2xf32>) {
  // expected-error@+2 {{C2: }}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.inverse"(%a0) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @triangular_c1(%a0: tensor<3xf32>, %a1: tensor<3x2xf32>) {
  // expected-error@+2 {{C1: }}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.triangular_solve"(%a0, %a1) : (tensor<3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @triangular_c2(%a0: tensor<3x2xf32>, %a1: tensor<3x2xf32>) {
  // expected-error@+2 {{C2: }}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.triangular_solve"(%a0, %a1) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @triangular_c3(%a0: tensor<3x3xf32>, %a1: tensor<2x2xf32>) {
  // expected-error@+2 {{C3: }}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.triangular_solve"(%a0, %a1) : (tensor<3x3xf32>, tensor<2x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @cholesky_solve_c4(%a0: tensor<2x3x1xf32>, %a1: tensor<4x3x3xf32>) {
  // expected-error@+2 {{C4: }}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.cholesky_solve"(%a0, %a1) : (tensor<2x3x1xf32>, tensor<4x3x3xf32>) -> tensor<4x3x1xf32>
  return
}

// -----

func.func @cholesky_solve_c5(%a0: tensor<3x1xf32>, %a1: tensor<3x3xf64>) {
  // expected-error@+2 {{C5: }}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.cholesky_solve"(%a0, %a1) : (tensor<3x1xf32>, tensor<3x3xf64>) -> tensor<3x1xf32>
  return
}

// -----

func.func @lstsq_c1(%a0: tensor<3xf32>, %a1: tensor<3x2xf32>) {
  // expected-error@+2 {{C1: }}
  // expected-error@+1 {{failed to infer returned types}}
  %0:4 = "pd.lstsq"(%a0, %a1) : (tensor<3xf32>, tensor<3x2xf32>) -> (tensor<2xf32>, tensor<0xf32>, tensor<i32>, tensor<0xf32>)
  return
}

// -----

func.func @lstsq_c3_batch(%a0: tensor<2x3x2xf32>, %a1: tensor<4x3x2xf32>) {
  // expected-error@+2 {{C3: }}
  // expected-error@+1 {{failed to infer returned types}}
  %0:4 = "pd.lstsq"(%a0, %a1) : (tensor<2x3x2xf32>, tensor<4x3x2xf32>) -> (tensor<2x2x2xf32>, tensor<2x2xf32>, tensor<2xi32>, tensor<0xf32>)
  return
}

// -----

func.func @lstsq_c3(%a0: tensor<3x2xf32>, %a1: tensor<2x2xf32>) {
  // expected-error@+2 {{C3: }}
  // expected-error@+1 {{failed to infer returned types}}
  %0:4 = "pd.lstsq"(%a0, %a1) : (tensor<3x2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<i32>, tensor<0xf32>)
  return
}

// -----

func.func @lstsq_c5(%a0: tensor<3x2xf32>, %a1: tensor<3x2xf64>) {
  // expected-error@+2 {{C5: }}
  // expected-error@+1 {{failed to infer returned types}}
  %0:4 = "pd.lstsq"(%a0, %a1) : (tensor<3x2xf32>, tensor<3x2xf64>) -> (tensor<2x2xf32>, tensor<2xf32>, tensor<i32>, tensor<0xf32>)
  return
}
