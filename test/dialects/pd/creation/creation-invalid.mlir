// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @constant_c1() {
  // expected-error@+1 {{inferred type(s) 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  %0 = "pd.constant"() <{value = dense<1.0> : tensor<2xf32>}> : () -> tensor<3xf32>
  return
}

// -----

func.func @full_c1() {
  // expected-error@+1 {{C1: dims must not be negative, found -2}}
  %0 = "pd.full"() <{shape = array<i64: 2, -2>, dtype = i1, operandSegmentSizes = array<i32: 0, 0>}> : () -> tensor<2x?xi1>
  return
}

// -----

func.func @full_c2(%s: tensor<?xi64>) {
  // expected-error@+1 {{C2: a tensor of dims must have a static number of elements}}
  %0 = pd.full shape = %s {dtype = f32} : (tensor<?xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @full_batch_size_like_c1(%x: tensor<3x2xf32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0 = pd.full_batch_size_like %x {dtype = f32, shape = array<i64: -1, 4>, input_dim_idx = 2 : i64} : (tensor<3x2xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @full_batch_size_like_c2(%x: tensor<3x2xf32>) {
  // expected-error@+1 {{C2: dims must not be negative, found -4}}
  %0 = pd.full_batch_size_like %x {dtype = f32, shape = array<i64: -1, -4>} : (tensor<3x2xf32>) -> tensor<3x4xf32>
  return
}
