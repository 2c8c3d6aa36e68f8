// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @scatter_nd_c1(%a0: tensor<2x3xf32>, %a1: tensor<2x?xi64>, %a2: tensor<2xf32>) {
  // expected-error@+1 {{C1: the last dim of index must be static}}
  %0 = "pd.scatter_nd"(%a0, %a1, %a2) : (tensor<2x3xf32>, tensor<2x?xi64>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_nd_c2(%a0: tensor<2x3xf32>, %a1: tensor<2x3xi64>, %a2: tensor<2xf32>) {
  // expected-error@+1 {{C2: the last dim of index must be at most 2, the rank of x, found 3}}
  %0 = "pd.scatter_nd"(%a0, %a1, %a2) : (tensor<2x3xf32>, tensor<2x3xi64>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_nd_c3(%a0: tensor<2x3xf32>, %a1: tensor<2x1xi64>, %a2: tensor<2x4xf32>) {
  // expected-error@+1 {{C3: updates must have the dimensions of index and of the rest of x}}
  %0 = "pd.scatter_nd"(%a0, %a1, %a2) : (tensor<2x3xf32>, tensor<2x1xi64>, tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @scatter_nd_c5(%a0: tensor<2x3xf32>, %a1: tensor<2x1xi64>, %a2: tensor<2x3xf64>) {
  // expected-error@+1 {{C5: x and updates must have one element type, found f32 and f64}}
  %0 = "pd.scatter_nd"(%a0, %a1, %a2) : (tensor<2x3xf32>, tensor<2x1xi64>, tensor<2x3xf64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @put_along_axis_c1(%a0: tensor<2x3xf32>, %a1: tensor<2x1xi64>, %a2: tensor<2x1xf32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0 = "pd.put_along_axis"(%a0, %a1, %a2) <{axis = 2 : i64}> : (tensor<2x3xf32>, tensor<2x1xi64>, tensor<2x1xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @put_along_axis_c2(%a0: tensor<2x3xf32>, %a1: tensor<2xi64>, %a2: tensor<2xf32>) {
  // expected-error@+1 {{C2: x and indices must have the same rank, found 2 and 1}}
  %0 = "pd.put_along_axis"(%a0, %a1, %a2) <{axis = 1 : i64}> : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @put_along_axis_c3(%a0: tensor<2x3xf32>, %a1: tensor<4x1xi64>, %a2: tensor<4x1xf32>) {
  // expected-error@+1 {{C3: dimension 0 of the indices is 4, the operand's 2}}
  %0 = "pd.put_along_axis"(%a0, %a1, %a2) <{axis = 1 : i64}> : (tensor<2x3xf32>, tensor<4x1xi64>, tensor<4x1xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @put_along_axis_c5(%a0: tensor<2x3xf32>, %a1: tensor<2x1xi64>, %a2: tensor<2x1xf64>) {
  // expected-error@+1 {{C5: x and values must have one element type, found f32 and f64}}
  %0 = "pd.put_along_axis"(%a0, %a1, %a2) <{axis = 1 : i64}> : (tensor<2x3xf32>, tensor<2x1xi64>, tensor<2x1xf64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @put_along_axis_c6(%a0: tensor<2x3xf32>, %a1: tensor<2x1xi64>, %a2: tensor<2x2xf32>) {
  // expected-error@+1 {{C6: values must broadcast to the dimensions of the indices (2, 1), found tensor<2x2xf32>}}
  %0 = "pd.put_along_axis"(%a0, %a1, %a2) <{axis = 1 : i64}> : (tensor<2x3xf32>, tensor<2x1xi64>, tensor<2x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @set_value_c1(%a0: tensor<2x3xf32>, %a1: tensor<f32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0 = "pd.set_value"(%a0, %a1) <{axes = array<i64: 2>, starts = array<i64: 0>, ends = array<i64: 1>, steps = array<i64: 1>, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}> : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @set_value_c1_twice(%a0: tensor<2x3xf32>, %a1: tensor<f32>) {
  // expected-error@+1 {{C1: axes names dimension 1 twice}}
  %0 = "pd.set_value"(%a0, %a1) <{axes = array<i64: 1, -1>, starts = array<i64: 0, 0>, ends = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}> : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @set_value_c2(%a0: tensor<2x3xf32>, %a1: tensor<f32>) {
  // expected-error@+1 {{C2: ends must have 1 entries, as axes, found 0}}
  %0 = "pd.set_value"(%a0, %a1) <{axes = array<i64: 1>, starts = array<i64: 0>, ends = array<i64>, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}> : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @set_value_c3(%a0: tensor<2x3xf32>, %a1: tensor<f32>) {
  // expected-error@+1 {{C3: strides must not be 0}}
  %0 = "pd.set_value"(%a0, %a1) <{axes = array<i64: 1>, starts = array<i64: 0>, ends = array<i64: 2>, steps = array<i64: 0>, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}> : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @set_value_c4(%a0: tensor<2x3xf32>, %a1: tensor<f64>) {
  // expected-error@+1 {{C4: x and values must have one element type, found f32 and f64}}
  %0 = "pd.set_value"(%a0, %a1) <{axes = array<i64: 1>, starts = array<i64: 0>, ends = array<i64: 2>, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}> : (tensor<2x3xf32>, tensor<f64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @set_value_c5(%a0: tensor<2x3xf32>, %a1: tensor<3xf32>) {
  // expected-error@+1 {{C5: values must broadcast to the dimensions of the slice (2, 2), found tensor<3xf32>}}
  %0 = "pd.set_value"(%a0, %a1) <{axes = array<i64: 1>, starts = array<i64: 0>, ends = array<i64: 2>, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}> : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}
