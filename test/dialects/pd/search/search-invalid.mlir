// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @argmax_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+2 {{axis 2 is outside [-2, 2)}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.argmax"(%a0) <{axis = 2 : i64}> : (tensor<2x3xf32>) -> tensor<2xi64>
  return
}

// -----

func.func @argmax_c2(%a0: tensor<2x3xf32>, %a1: tensor<i64>) {
  // expected-error@+2 {{axis}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.argmax"(%a0, %a1) : (tensor<2x3xf32>, tensor<i64>) -> tensor<2xi64>
  return
}

// -----

func.func @argmin_c3(%a0: tensor<2x3xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<2xi32>' are incompatible with return type(s) of operation 'tensor<2xi64>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.argmin"(%a0) <{axis = 1 : i64, dtype = i32}> : (tensor<2x3xf32>) -> tensor<2xi64>
  return
}

// -----

func.func @argsort_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+2 {{axis 2 is outside [-2, 2)}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.argsort"(%a0) <{axis = 2 : i64}> : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  return
}

// -----

func.func @argsort_c2(%a0: tensor<2x3xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<2x3xf32>', 'tensor<2x3xi64>' are incompatible with return type(s) of operation 'tensor<2x3xf32>', 'tensor<2x3xi32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.argsort"(%a0) : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  return
}

// -----

func.func @topk_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+2 {{axis -3 is outside [-2, 2)}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.topk"(%a0) <{k = 1 : i64, axis = -3 : i64}> : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  return
}

// -----

func.func @topk_c2(%a0: tensor<2x3xf32>) {
  // expected-error@+2 {{k is 4, expected at least 1 and at most the extent of the axis}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.topk"(%a0) <{k = 4 : i64}> : (tensor<2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xi64>)
  return
}

// -----

func.func @nonzero_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<?x2xi64>' are incompatible with return type(s) of operation 'tensor<?x1xi64>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.nonzero"(%a0) : (tensor<2x3xf32>) -> tensor<?x1xi64>
  return
}

// -----

func.func @argmax_c3(%x: tensor<3x5xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<3xi64>' are incompatible with return type(s) of operation 'tensor<3xi32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = pd.argmax %x {axis = 1 : i64, dtype = i64} : (tensor<3x5xf32>) -> tensor<3xi32>
  return
}

// -----

func.func @argmin_c1(%x: tensor<3x5xf32>) {
  // expected-error@+2 {{axis 2 is outside [-2, 2)}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = pd.argmin %x {axis = 2 : i64, dtype = i64} : (tensor<3x5xf32>) -> tensor<3xi64>
  return
}

// -----

func.func @argmin_c2(%x: tensor<3x5xf32>, %axis_tensor: tensor<1xi64>) {
  // expected-error@+2 {{axis is computed when the program runs, expected one that is known before}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = pd.argmin %x, %axis_tensor {axis = 1 : i64, dtype = i64} : (tensor<3x5xf32>, tensor<1xi64>) -> tensor<3xi64>
  return
}

// -----

func.func @mode_c1(%x: tensor<4x5xf32>) {
  // expected-error@+2 {{axis 2 is outside [-2, 2)}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.mode"(%x) {axis = 2 : i64} : (tensor<4x5xf32>) -> (tensor<4xf32>, tensor<4xi64>)
  return
}
