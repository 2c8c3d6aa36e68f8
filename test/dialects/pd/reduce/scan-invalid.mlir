// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @cumprod_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0 = "pd.cumprod"(%a0) <{axis = 2 : i64}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @logcumsumexp_c2(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<6xf32>' are incompatible with return type(s) of operation 'tensor<2x3xf32>'}}
  %0 = "pd.logcumsumexp"(%a0) <{flatten = true}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @cumsum_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found -3}}
  %0 = "pd.cumsum"(%a0) <{axis = -3 : i64}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @cumsum_c3(%a0: tensor<2x3xf32>, %a1: tensor<i64>) {
  // expected-error@+1 {{C3: axis must be constant, found a value that the run computes}}
  %0 = "pd.cumsum"(%a0, %a1) <{axis = 0 : i64}> : (tensor<2x3xf32>, tensor<i64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @cummax_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0:2 = "pd.cummax"(%a0) <{axis = 2 : i64}> : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  return
}

// -----

func.func @cummin_c2(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2x3xf32>', 'tensor<2x3xi32>' are incompatible with return type(s) of operation 'tensor<2x3xf32>', 'tensor<2x3xi64>'}}
  %0:2 = "pd.cummin"(%a0) <{dtype = i32}> : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  return
}

// -----

func.func @linear_recurrence_c2(%a0: tensor<2x3xf32>, %a1: tensor<2x3xf32>) {
  // expected-error@+1 {{C2: axis must be in [-2, 2), found 2}}
  %0 = "pd.linear_recurrence"(%a0, %a1) <{axis = 2 : i64}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @shapes(%x: tensor<3xf32>, %decay: tensor<1xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{C1: expected operands of one type and rank 1 or more, found tensor<3xf32> and tensor<1xf32>}}
  %y = pd.linear_recurrence %x, %decay {axis = 0 : i64} : (tensor<3xf32>, tensor<1xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}

// -----

func.func @cummax_c2(%x: tensor<3x4xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<3x4xf32>', 'tensor<3x4xi64>' are incompatible with return type(s) of operation 'tensor<3x4xf32>', 'tensor<3x4xi32>'}}
  %0:2 = pd.cummax %x {axis = 1 : i64, dtype = i64} : (tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xi32>)
  return
}

// -----

func.func @cummin_c1(%x: tensor<3x4xf32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0:2 = pd.cummin %x {axis = 2 : i64, dtype = i64} : (tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xi64>)
  return
}

// -----

func.func @cumprod_c2(%x: tensor<3x4xf64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<3x4xf64>' are incompatible with return type(s) of operation 'tensor<3x4xf32>'}}
  %0 = pd.cumprod %x {axis = 1 : i64} : (tensor<3x4xf64>) -> tensor<3x4xf32>
  return
}

// -----

func.func @cumsum_c2(%x: tensor<3x4xf64>) {
  // expected-error@+1 {{inferred type(s) 'tensor<3x4xf64>' are incompatible with return type(s) of operation 'tensor<3x4xf32>'}}
  %0 = pd.cumsum %x {axis = 1 : i64} : (tensor<3x4xf64>) -> tensor<3x4xf32>
  return
}

// -----

func.func @logcumsumexp_c1(%x: tensor<4xf64>) {
  // expected-error@+1 {{C1: axis must be in [-1, 1), found 1}}
  %0 = pd.logcumsumexp %x {axis = 1 : i64} : (tensor<4xf64>) -> tensor<4xf64>
  return
}

// -----

func.func @linear_recurrence_c1_type(%x: tensor<3xf32>, %v1: tensor<9xf64>) {
  // expected-error@+1 {{C1: expected operands of one type and rank 1 or more, found tensor<3xf32> and tensor<9xf64>}}
  %0 = pd.linear_recurrence %x, %v1 {axis = 0 : i64} : (tensor<3xf32>, tensor<9xf64>) -> tensor<3xf32>
  return
}

// -----

func.func @cummax_c2_out(%x: tensor<3x4xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<3x4xf32>', 'tensor<3x4xi64>' are incompatible with return type(s) of operation 'tensor<3x4xf64>', 'tensor<3x4xi64>'}}
  %0:2 = pd.cummax %x {axis = 1 : i64, dtype = i64} : (tensor<3x4xf32>) -> (tensor<3x4xf64>, tensor<3x4xi64>)
  return
}
