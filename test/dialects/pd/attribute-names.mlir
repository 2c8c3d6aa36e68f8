// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @misspelt(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error @below {{'pd.softmax' op has no attribute 'axes'; did you mean 'axis'?}}
  // expected-note @below {{an attribute that is not part of the op has a dialect's name before it, as in 'pd.axes'}}
  %0 = pd.softmax %x {axes = 0 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// All of them are reported, also where none is near.
func.func @several(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  // expected-error @below {{'pd.sum' op has no attribute 'axsi'; did you mean 'axis'?}}
  // expected-note @below {{as in 'pd.axsi'}}
  // expected-error @below {{'pd.sum' op has no attribute 'reduce_all', expected one of: axis, }}
  // expected-note @below {{as in 'pd.reduce_all'}}
  %0 = pd.sum %x {axsi = array<i64: 1>, reduce_all = false} : (tensor<2x3xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @of_no_attributes(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{'pd.exp' op has no attribute 'axis', expected none}}
  // expected-note @below {{as in 'pd.axis'}}
  %0 = pd.exp %x {axis = 0 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// The attribute that counts operands is not one that a user sets.
func.func @hidden(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{'pd.full' op has no attribute 'valu'; did you mean 'value'?}}
  // expected-note @below {{as in 'pd.valu'}}
  %0 = pd.full {valu = 2.0 : f64, shape = array<i64: 2>, dtype = f32} : () -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @of_the_runtime(%x: tensor<2x3xf32>, %y: tensor<3x3xf32>) -> tensor<2x3xf32> {
  // expected-error @below {{'rt.matmul' op has no attribute 'tranpose_y'; did you mean 'transpose_y'?}}
  // expected-note @below {{as in 'pd.tranpose_y'}}
  %0 = rt.matmul %x, %y {tranpose_y = true} : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @of_ops_without_inference(%a: !pd.array<tensor<?xf32>>) {
  // expected-error @below {{'pd.array_cast' op has no attribute 'to', expected none}}
  // expected-note @below {{as in 'pd.to'}}
  %0 = pd.array_cast %a {to = 1 : i64} : !pd.array<tensor<?xf32>> to !pd.array<tensor<?xf32>>
  return
}

// -----

func.func @of_terminators(%x: tensor<4xf32>) -> tensor<4xf32> {
  %1 = pd.checkpoint(%x : tensor<4xf32>) : tensor<4xf32> {
  ^bb0(%b: tensor<4xf32>):
    // expected-error @below {{'pd.yield' op has no attribute 'value', expected none}}
    // expected-note @below {{as in 'pd.value'}}
    pd.yield %b : tensor<4xf32> {value = 1 : i64}
  }
  return %1 : tensor<4xf32>
}

// -----

// Near miss: attributes of other dialects belong to passes and tools.
func.func @prefixed(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = pd.softmax %x {axis = 0 : i64, pd.sharding_rule = "i j -> i j", my.note = "axes"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
