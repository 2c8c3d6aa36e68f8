// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @as_strided_c1(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{C1: dims and stride must have one entry for each dimension of the result, and dims not below 0}}
  %0 = pd.as_strided %x {dims = array<i64: 3, 4>, stride = array<i64: 6>} : (tensor<4x6xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @as_strided_c2(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{C2: offset is 6, expected a multiple of 4}}
  %0 = pd.as_strided %x {dims = array<i64: 3>, stride = array<i64: 1>, offset = 6 : i64} : (tensor<4x6xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @as_strided_c3(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{C3: the result has elements 0 to 29 of x, which has 24}}
  %0 = pd.as_strided %x {dims = array<i64: 5, 6>, stride = array<i64: 6, 1>} : (tensor<4x6xf32>) -> tensor<5x6xf32>
  return
}

// -----

func.func @as_strided_c3_negative(%x: tensor<?xf32>) {
  // expected-error@+1 {{C3: the result has elements -2 to 0 of x, which has no negative ones}}
  %0 = pd.as_strided %x {dims = array<i64: 3>, stride = array<i64: -1>} : (tensor<?xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @tensor_unfold_c1(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0 = pd.tensor_unfold %x {axis = 2 : i64, size = 3 : i64, step = 2 : i64} : (tensor<4x6xf32>) -> tensor<4x2x3xf32>
  return
}

// -----

func.func @tensor_unfold_c2(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{C2: expected a positive step and a size from 0 to the dim of axis, found 2 and 7}}
  %0 = pd.tensor_unfold %x {axis = 1 : i64, size = 7 : i64, step = 2 : i64} : (tensor<4x6xf32>) -> tensor<4x0x7xf32>
  return
}

// -----

func.func @view_dtype_c1(%x: tensor<4x5xf32>) {
  // expected-error@+1 {{C1: the last dimension of x must hold a multiple of 8 bytes}}
  %0 = pd.view_dtype %x {dtype = f64} : (tensor<4x5xf32>) -> tensor<4x2xf64>
  return
}

// -----

func.func @view_dtype_c1_rank(%x: tensor<f32>) {
  // expected-error@+1 {{C1: the last dimension of x must hold a multiple of 1 bytes}}
  %0 = pd.view_dtype %x {dtype = i8} : (tensor<f32>) -> tensor<4xi8>
  return
}

// -----

func.func @view_dtype_c2(%x: tensor<4xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<4xi32>' are incompatible with return type(s) of operation 'tensor<4xi64>'}}
  %0 = pd.view_dtype %x {dtype = i32} : (tensor<4xf32>) -> tensor<4xi64>
  return
}

// -----

func.func @as_strided_c1_negative(%x: tensor<4x6xf32>) {
  // expected-error@+1 {{C1: dims and stride must have one entry for each dimension of the result, and dims not below 0}}
  %0 = pd.as_strided %x {dims = array<i64: -3>, stride = array<i64: 1>, offset = 4 : i64} : (tensor<4x6xf32>) -> tensor<3x4xf32>
  return
}
