// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @gather_c1(%a0: tensor<2x3xf32>, %a1: tensor<2xi64>) {
  // expected-error@+2 {{axis 2 is outside [-2, 2)}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.gather"(%a0, %a1) <{axis = 2 : i64}> : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_c2(%a0: tensor<2x3xf32>, %a1: tensor<2xi64>, %a2: tensor<i64>) {
  // expected-error@+2 {{axis}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.gather"(%a0, %a1, %a2) <{axis = 0 : i64}> : (tensor<2x3xf32>, tensor<2xi64>, tensor<i64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gather_nd_c1(%a0: tensor<2x3xf32>, %a1: tensor<2x?xi64>) {
  // expected-error@+2 {{the last dimension of the index tensor must be known}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.gather_nd"(%a0, %a1) : (tensor<2x3xf32>, tensor<2x?xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @gather_nd_c2(%a0: tensor<2x3xf32>, %a1: tensor<2x3xi64>) {
  // expected-error@+2 {{the index tensor addresses 3 dimensions, the operand has 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.gather_nd"(%a0, %a1) : (tensor<2x3xf32>, tensor<2x3xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @take_along_axis_c1(%a0: tensor<2x3xf32>, %a1: tensor<2x1xi64>) {
  // expected-error@+2 {{axis 2 is outside [-2, 2)}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.take_along_axis"(%a0, %a1) <{axis = 2 : i64}> : (tensor<2x3xf32>, tensor<2x1xi64>) -> tensor<2x1xf32>
  return
}

// -----

func.func @take_along_axis_c2(%a0: tensor<2x3xf32>, %a1: tensor<2xi64>) {
  // expected-error@+2 {{the operands have ranks 2 and 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.take_along_axis"(%a0, %a1) <{axis = 1 : i64}> : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2x1xf32>
  return
}

// -----

func.func @take_along_axis_c3(%a0: tensor<2x3xf32>, %a1: tensor<4x1xi64>) {
  // expected-error@+2 {{dimension 0 of the indices is 4, that of the operand 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.take_along_axis"(%a0, %a1) <{axis = 1 : i64}> : (tensor<2x3xf32>, tensor<4x1xi64>) -> tensor<2x1xf32>
  return
}
