// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @gather_c1(%a0: tensor<2x3xf32>, %a1: tensor<2xi64>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0 = "pd.gather"(%a0, %a1) <{axis = 2 : i64}> : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_c2(%a0: tensor<2x3xf32>, %a1: tensor<2xi64>, %a2: tensor<i64>) {
  // expected-error@+1 {{C2: axis must be constant, found a value that the run computes}}
  %0 = "pd.gather"(%a0, %a1, %a2) <{axis = 0 : i64}> : (tensor<2x3xf32>, tensor<2xi64>, tensor<i64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_nd_c1(%a0: tensor<2x3xf32>, %a1: tensor<2x?xi64>) {
  // expected-error@+1 {{C1: the last dim of index must be static}}
  %0 = "pd.gather_nd"(%a0, %a1) : (tensor<2x3xf32>, tensor<2x?xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @gather_nd_c2(%a0: tensor<2x3xf32>, %a1: tensor<2x3xi64>) {
  // expected-error@+1 {{C2: the last dim of index must be at most 2, the rank of x, found 3}}
  %0 = "pd.gather_nd"(%a0, %a1) : (tensor<2x3xf32>, tensor<2x3xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @take_along_axis_c1(%a0: tensor<2x3xf32>, %a1: tensor<2x1xi64>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0 = "pd.take_along_axis"(%a0, %a1) <{axis = 2 : i64}> : (tensor<2x3xf32>, tensor<2x1xi64>) -> tensor<2x1xf32>
  return
}

// -----

func.func @take_along_axis_c2(%a0: tensor<2x3xf32>, %a1: tensor<2xi64>) {
  // expected-error@+1 {{C2: x and indices must have the same rank, found 2 and 1}}
  %0 = "pd.take_along_axis"(%a0, %a1) <{axis = 1 : i64}> : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x1xf32>
  return
}

// -----

func.func @take_along_axis_c3(%a0: tensor<2x3xf32>, %a1: tensor<4x1xi64>) {
  // expected-error@+1 {{C3: dimension 0 of the indices is 4, the operand's 2}}
  %0 = "pd.take_along_axis"(%a0, %a1) <{axis = 1 : i64}> : (tensor<2x3xf32>, tensor<4x1xi64>) -> tensor<2x1xf32>
  return
}

// -----

func.func @index_sample_c1(%x: tensor<2x3x1xf32>, %index: tensor<2x1xi64>) {
  // expected-error@+1 {{C1: x and index must be matrices, found ranks 3 and 2}}
  %0 = pd.index_sample %x, %index : (tensor<2x3x1xf32>, tensor<2x1xi64>) -> tensor<2x1xf32>
  return
}

// -----

func.func @index_select_c1(%x: tensor<3xf32>, %index: tensor<2xi64>) {
  // expected-error@+1 {{C1: axis must be in [-1, 1), found 1}}
  %0 = pd.index_select %x, %index {axis = 1 : i64} : (tensor<3xf32>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @index_select_c2(%x: tensor<3xf32>, %index: tensor<2x1xi64>) {
  // expected-error@+1 {{C2: index must be a vector, found rank 2}}
  %0 = pd.index_select %x, %index {axis = 0 : i64} : (tensor<3xf32>, tensor<2x1xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @multiplex_c1(%index: tensor<4x1xi32>) {
  // expected-error@+1 {{C1: there must be at least one tensor in inputs}}
  %0 = pd.multiplex %index : (tensor<4x1xi32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @multiplex_c2(%index: tensor<4x1xi32>, %x: tensor<4x3xf32>, %y: tensor<4x3xf64>) {
  // expected-error@+1 {{C2: operands must have one element type, found f32 and f64}}
  %0 = pd.multiplex %index, %x, %y : (tensor<4x1xi32>, tensor<4x3xf32>, tensor<4x3xf64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @multiplex_c3(%index: tensor<4x1xi32>, %x: tensor<4x3xf32>, %y: tensor<4x2xf32>) {
  // expected-error@+1 {{C3: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 2 by another}}
  %0 = pd.multiplex %index, %x, %y : (tensor<4x1xi32>, tensor<4x3xf32>, tensor<4x2xf32>) -> tensor<4x3xf32>
  return
}
