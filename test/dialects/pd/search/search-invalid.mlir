// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @argmax_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0 = "pd.argmax"(%a0) <{axis = 2 : i64}> : (tensor<2x3xf32>) -> tensor<2xi64>
  return
}

// -----

func.func @argmax_c2(%a0: tensor<2x3xf32>, %a1: tensor<i64>) {
  // expected-error@+1 {{C2: axis must be constant, found a value that the run computes}}
  %0 = "pd.argmax"(%a0, %a1) : (tensor<2x3xf32>, tensor<i64>) -> tensor<2xi64>
  return
}

// -----

func.func @argmin_c3(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2xi32>' are incompatible with return type(s) of operation 'tensor<2xi64>'}}
  %0 = "pd.argmin"(%a0) <{axis = 1 : i64, dtype = i32}> : (tensor<2x3xf32>) -> tensor<2xi64>
  return
}

// -----

func.func @argsort_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0:2 = "pd.argsort"(%a0) <{axis = 2 : i64}> : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  return
}

// -----

func.func @argsort_c2(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2x3xf32>', 'tensor<2x3xi64>' are incompatible with return type(s) of operation 'tensor<2x3xf32>', 'tensor<2x3xi32>'}}
  %0:2 = "pd.argsort"(%a0) : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return
}

// -----

func.func @topk_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found -3}}
  %0:2 = "pd.topk"(%a0) <{k = 1 : i64, axis = -3 : i64}> : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  return
}

// -----

func.func @topk_c2(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{C2: k must be at least 1 and at most the dim of the axis, found 4}}
  %0:2 = "pd.topk"(%a0) <{k = 4 : i64}> : (tensor<2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xi64>)
  return
}

// -----

func.func @nonzero_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<?x2xi64>' are incompatible with return type(s) of operation 'tensor<?x1xi64>'}}
  %0 = "pd.nonzero"(%a0) : (tensor<2x3xf32>) -> tensor<?x1xi64>
  return
}

// -----

func.func @argmax_c3(%x: tensor<3x5xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<3xi64>' are incompatible with return type(s) of operation 'tensor<3xi32>'}}
  %0 = pd.argmax %x {axis = 1 : i64, dtype = i64} : (tensor<3x5xf32>) -> tensor<3xi32>
  return
}

// -----

func.func @argmin_c1(%x: tensor<3x5xf32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0 = pd.argmin %x {axis = 2 : i64, dtype = i64} : (tensor<3x5xf32>) -> tensor<3xi64>
  return
}

// -----

func.func @argmin_c2(%x: tensor<3x5xf32>, %axis_tensor: tensor<1xi64>) {
  // expected-error@+1 {{C2: axis must be constant, found a value that the run computes}}
  %0 = pd.argmin %x, %axis_tensor {axis = 1 : i64, dtype = i64} : (tensor<3x5xf32>, tensor<1xi64>) -> tensor<3xi64>
  return
}

// -----

func.func @mode_c1(%x: tensor<4x5xf32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0:2 = "pd.mode"(%x) {axis = 2 : i64} : (tensor<4x5xf32>) -> (tensor<4xf32>, tensor<4xi64>)
  return
}

// -----

func.func @kthvalue_c1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0:2 = pd.kthvalue %x {k = 2 : i64, axis = 2 : i64} : (tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  return
}

// -----

func.func @kthvalue_c2(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{C2: k must be at least 1 and at most the dim of the axis, found 4}}
  %0:2 = pd.kthvalue %x {k = 4 : i64} : (tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  return
}

// -----

func.func @masked_select_c1(%x: tensor<2x3xf32>, %mask: tensor<2xi1>) {
  // expected-error@+1 {{C1: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 2 by another}}
  %0 = pd.masked_select %x, %mask : (tensor<2x3xf32>, tensor<2xi1>) -> tensor<?xf32>
  return
}

// -----

func.func @median_c1(%x: tensor<3x6xf64>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0 = pd.median %x {axis = array<i64: 2>} : (tensor<3x6xf64>) -> tensor<3xf64>
  return
}

// -----

func.func @nanmedian_c1(%x: tensor<3x6xf64>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0 = pd.nanmedian %x {axis = array<i64: 2>} : (tensor<3x6xf64>) -> tensor<3xf64>
  return
}

// -----

func.func @one_hot_c1(%x: tensor<2xi64>) {
  // expected-error@+1 {{C1: num_classes must be at least 1, found 0}}
  %0 = pd.one_hot %x {num_classes = 0 : i64} : (tensor<2xi64>) -> tensor<2x0xf32>
  return
}

// -----

func.func @searchsorted_c1(%s: tensor<2x4xf32>, %v: tensor<7xf32>) {
  // expected-error@+1 {{C1: sorted_sequence must have rank 1 or 1, found rank 2}}
  %0 = pd.searchsorted %s, %v : (tensor<2x4xf32>, tensor<7xf32>) -> tensor<7xi64>
  return
}
