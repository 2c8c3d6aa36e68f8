// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @reshape_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: at most one entry of shape may be -1}}
  %0 = "pd.reshape"(%a0) <{shape = array<i64: -1, -1>}> : (tensor<2x3xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @reshape_c1_negative(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: entry 0 of shape must be a dim, 0 or -1, found -2}}
  %0 = "pd.reshape"(%a0) <{shape = array<i64: -2>}> : (tensor<2x3xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @reshape_c2(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{C2: entry 2 of shape is 0 (copied), but x has rank 2}}
  %0 = "pd.reshape"(%a0) <{shape = array<i64: 2, 3, 0>}> : (tensor<2x3xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @reshape_c3(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{C3: cannot reshape 6 elements into 5}}
  %0 = "pd.reshape"(%a0) <{shape = array<i64: 5>}> : (tensor<2x3xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @reshape_c4(%a0: tensor<2x3xf32>, %a1: tensor<?xi64>) {
  // expected-error@+1 {{C4: a tensor of dims must have a static number of elements}}
  %0 = "pd.reshape"(%a0, %a1) : (tensor<2x3xf32>, tensor<?xi64>) -> tensor<6xf32>
  return
}

// -----

func.func @transpose_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: perm must have one entry for each of the 2 dimensions of x, found 1}}
  %0 = "pd.transpose"(%a0) <{perm = array<i64: 0>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @transpose_c2(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{C2: axis must be in [-2, 2), found 2}}
  %0 = "pd.transpose"(%a0) <{perm = array<i64: 0, 2>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @transpose_c2_twice(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{C2: perm names dimension 0 twice}}
  %0 = "pd.transpose"(%a0) <{perm = array<i64: 0, 0>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @transpose_c3(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<3x2xf32>' are incompatible with return type(s) of operation 'tensor<3x2xf64>'}}
  %0 = "pd.transpose"(%a0) <{perm = array<i64: 1, 0>}> : (tensor<2x3xf32>) -> tensor<3x2xf64>
  return
}

// -----

func.func @expand_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: shape must have at least 2 entries, the rank of x, found 1}}
  %0 = "pd.expand"(%a0) <{shape = array<i64: 3>}> : (tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @expand_c2(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{C2: cannot expand dimension 0 from 2 to 4}}
  %0 = "pd.expand"(%a0) <{shape = array<i64: 4, 3>}> : (tensor<2x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @expand_c3(%a0: tensor<2x3xf32>, %a1: tensor<?xi64>) {
  // expected-error@+1 {{C3: a tensor of dims must have a static number of elements}}
  %0 = "pd.expand"(%a0, %a1) : (tensor<2x3xf32>, tensor<?xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @expand_c4(%a0: tensor<3xf32>) {
  // expected-error@+1 {{C4: entries of shape must be at least -1, found -2}}
  %0 = "pd.expand"(%a0) <{shape = array<i64: -2, 3>}> : (tensor<3xf32>) -> tensor<?x3xf32>
  return
}

// -----

func.func @dim_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0 = "pd.dim"(%a0) <{index = 2 : i64}> : (tensor<2x3xf32>) -> tensor<i64>
  return
}

// -----

func.func @dim_c2(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<i64>' are incompatible with return type(s) of operation 'tensor<1xi64>'}}
  %0 = "pd.dim"(%a0) <{index = 1 : i64}> : (tensor<2x3xf32>) -> tensor<1xi64>
  return
}

// -----

func.func @shape_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2xi32>' are incompatible with return type(s) of operation 'tensor<2xi64>'}}
  %0 = "pd.shape"(%a0) : (tensor<2x3xf32>) -> tensor<2xi64>
  return
}

// -----

func.func @expand_as_c1(%x: tensor<1x3xf32>) {
  // expected-error@+1 {{C1: shape must have at least 2 entries, the rank of x, found 1}}
  %0 = pd.expand_as %x {target_shape = array<i64: 3>} : (tensor<1x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @expand_as_c2(%x: tensor<2x3xf32>, %y: tensor<4x3xf32>) {
  // expected-error@+1 {{C2: cannot expand dimension 0 from 2 to 4}}
  %0 = pd.expand_as %x, %y : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @expand_as_c4(%x: tensor<1x3xf32>) {
  // expected-error@+1 {{C4: entries of shape must be at least -1, found -2}}
  %0 = pd.expand_as %x {target_shape = array<i64: -2, 3>} : (tensor<1x3xf32>) -> tensor<1x3xf32>
  return
}
