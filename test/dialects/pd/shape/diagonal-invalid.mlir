// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @diag_c1(%x: tensor<2x3x4xf32>) {
  // expected-error@+1 {{C1: x must have rank 2 or less, found rank 3}}
  %0 = pd.diag %x : (tensor<2x3x4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @diag_embed_c1(%x: tensor<f32>) {
  // expected-error@+1 {{C1: x must have rank 1 or more, found rank 0}}
  %0 = pd.diag_embed %x : (tensor<f32>) -> tensor<1x1xf32>
  return
}

// -----

func.func @diag_embed_c2(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{C2: the axes must differ, found dimension 1}}
  %0 = pd.diag_embed %x {dim1 = 1 : i64, dim2 = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3x3xf32>
  return
}

// -----

func.func @diagonal_c1(%x: tensor<3x4x2xf32>) {
  // expected-error@+1 {{C1: the axes must differ, found dimension 1}}
  %0 = pd.diagonal %x {axis1 = 1 : i64, axis2 = 1 : i64} : (tensor<3x4x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @diagonal_c1_range(%x: tensor<3x4x2xf32>) {
  // expected-error@+1 {{C1: axis must be in [-3, 3), found 3}}
  %0 = pd.diagonal %x {axis1 = 3 : i64} : (tensor<3x4x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @tril_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{C1: x must have rank 2 or more, found rank 1}}
  %0 = pd.tril %x : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @triu_c1(%x: tensor<3xf32>) {
  // expected-error@+1 {{C1: x must have rank 2 or more, found rank 1}}
  %0 = pd.triu %x : (tensor<3xf32>) -> tensor<3xf32>
  return
}
