// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @rank(%x: tensor<3xf32>) {
  // expected-error@+2 {{C1: x must have rank 2 or more, found tensor<3xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.inverse"(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @square(%x: tensor<2x3xf32>) {
  // expected-error@+2 {{C2: the matrices of x must be square, found tensor<2x3xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.cholesky"(%x) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @pivot(%x: tensor<2x2xf32>) {
  // expected-error@+2 {{C3: pivot must be true}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:3 = "pd.lu"(%x) {pivot = false} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xi32>, tensor<1xi32>)
  return
}

// -----

func.func @mode(%x: tensor<2x2xf32>) {
  // expected-error@+2 {{C4: mode must be reduced, complete or r, found 'full'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.qr"(%x) {mode = "full"} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
  return
}

// -----

func.func @triangle(%x: tensor<2x2xf32>) {
  // expected-error@+2 {{C4: UPLO must be L or U, found 'l'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.eigh"(%x) {UPLO = "l"} : (tensor<2x2xf32>) -> (tensor<2xf32>, tensor<2x2xf32>)
  return
}

// -----

func.func @rows(%x: tensor<2x2xf32>, %y: tensor<3x2xf32>) {
  // expected-error@+2 {{C3: the right-hand side must have 2 rows, found tensor<3x2xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.solve"(%x, %y) : (tensor<2x2xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @batches(%x: tensor<3x2x2xf32>, %y: tensor<4x2x2xf32>) {
  // expected-error@+2 {{C4: the batches must broadcast, found tensor<3x2x2xf32> and tensor<4x2x2xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.triangular_solve"(%x, %y) : (tensor<3x2x2xf32>, tensor<4x2x2xf32>) -> tensor<3x2x2xf32>
  return
}

// -----

func.func @elements(%x: tensor<2x2xf32>, %y: tensor<2x2xf64>) {
  // expected-error@+2 {{C5: both operands must have one element type, found f32 and f64}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.solve"(%x, %y) : (tensor<2x2xf32>, tensor<2x2xf64>) -> tensor<2x2xf32>
  return
}

// -----

func.func @driver(%x: tensor<2x2xf32>) {
  // expected-error@+2 {{C4: driver must be gels, gelsy, gelsd or gelss, found 'svd'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:4 = "pd.lstsq"(%x, %x) {driver = "svd"} : (tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<0xf32>, tensor<i32>, tensor<0xf32>)
  return
}

// -----

func.func @cross(%x: tensor<2x4xf32>) {
  // expected-error@+2 {{C2: the dimension must have extent 3, found axis 9 of tensor<2x4xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.cross"(%x, %x) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @lu_solve(%x: tensor<4x4xf32>, %p: tensor<4xi32>) {
  // expected-error@+2 {{C6: trans is 'H', expected N, T or C}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.lu_solve"(%x, %x, %p) {trans = "H"} : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xi32>) -> tensor<4x4xf32>
  return
}
