// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @lu_permutation_c1(%a0: tensor<i32>) {
  // expected-error@+1 {{C1: pivots must have rank 1 or more}}
  %0 = "pd.lu_permutation"(%a0) <{rows = 2 : i64, dtype = f32}> : (tensor<i32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @lu_permutation_c2(%a0: tensor<3xi32>) {
  // expected-error@+1 {{C2: rows must not be below the number of pivots, found 2 and 3}}
  %0 = "pd.lu_permutation"(%a0) <{rows = 2 : i64, dtype = f32}> : (tensor<3xi32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @square(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{C2: the matrices of x must be square, found tensor<2x3xf32>}}
  %0 = "pd.cholesky"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @pivot(%x: tensor<2x2xf32>) {
  // expected-error@+1 {{C3: pivot must be true}}
  %0:3 = "pd.lu"(%x) {pivot = false} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xi32>, tensor<1xi32>)
  return
}

// -----

func.func @cholesky_c1(%a0: tensor<3xf32>) {
  // expected-error@+1 {{C1: }}
  %0 = "pd.cholesky"(%a0) : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @cholesky_c2(%a0: tensor<3x2xf32>) {
  // expected-error@+1 {{C2: }}
  %0 = "pd.cholesky"(%a0) : (tensor<3x2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @eigh_c2(%a0: tensor<3x2xf32>) {
  // expected-error@+1 {{C2: }}
  %0:2 = "pd.eigh"(%a0) : (tensor<3x2xf32>) -> (tensor<3xf32>, tensor<3x2xf32>)
  return
}

// -----

func.func @qr_c1(%a0: tensor<3xf32>) {
  // expected-error@+1 {{C1: }}
  %0:2 = "pd.qr"(%a0) : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @svd_c1(%a0: tensor<3xf32>) {
  // expected-error@+1 {{C1: }}
  %0:3 = "pd.svd"(%a0) : (tensor<3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>, tensor<3x3xf32>)
  return
}

// -----

func.func @lu_c1(%a0: tensor<3xf32>) {
  // expected-error@+1 {{C1: }}
  %0:3 = "pd.lu"(%a0) : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3xi32>, tensor<i32>)
  return
}

// -----

func.func @eig_c1(%v0: tensor<3xf32>) {
  // expected-error@+1 {{C1: x must have rank 2 or more, found tensor<3xf32>}}
  %0:2 = pd.eig %v0 : (tensor<3xf32>) -> (tensor<4xcomplex<f32>>, tensor<4x4xcomplex<f32>>)
  return
}

// -----

func.func @eigh_c1(%v0: tensor<3xf32>) {
  // expected-error@+1 {{C1: x must have rank 2 or more, found tensor<3xf32>}}
  %0:2 = pd.eigh %v0 : (tensor<3xf32>) -> (tensor<3xf32>, tensor<3x3xf32>)
  return
}

// -----

func.func @eigvals_c1(%v0: tensor<3xf32>) {
  // expected-error@+1 {{C1: x must have rank 2 or more, found tensor<3xf32>}}
  %0 = pd.eigvals %v0 : (tensor<3xf32>) -> tensor<4xcomplex<f32>>
  return
}

// -----

func.func @lu_unpack_c1(%pivots: tensor<2x3xi32>, %v0: tensor<3xf32>) {
  // expected-error@+1 {{C1: x must have rank 2 or more, found tensor<3xf32>}}
  %0:3 = pd.lu_unpack %v0, %pivots : (tensor<3xf32>, tensor<2x3xi32>) -> (tensor<2x3x3xf32>, tensor<2x3x3xf32>, tensor<2x3x5xf32>)
  return
}

// -----

func.func @svdvals_c1(%v0: tensor<3xf64>) {
  // expected-error@+1 {{C1: x must have rank 2 or more, found tensor<3xf64>}}
  %0 = pd.svdvals %v0 : (tensor<3xf64>) -> tensor<3xf64>
  return
}

// -----

func.func @eig_c2(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{C2: the matrices of x must be square, found tensor<4x3xf32>}}
  %0:2 = pd.eig %x : (tensor<4x3xf32>) -> (tensor<4xcomplex<f32>>, tensor<4x4xcomplex<f32>>)
  return
}

// -----

func.func @eigvals_c2(%x: tensor<4x3xf32>) {
  // expected-error@+1 {{C2: the matrices of x must be square, found tensor<4x3xf32>}}
  %0 = pd.eigvals %x : (tensor<4x3xf32>) -> tensor<4xcomplex<f32>>
  return
}
