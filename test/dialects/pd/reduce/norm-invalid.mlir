// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @dist_c1(%x: tensor<3xf32>, %y: tensor<3xf64>) {
  // expected-error@+1 {{C1: operands must have one element type, found f32 and f64}}
  %0 = pd.dist %x, %y : (tensor<3xf32>, tensor<3xf64>) -> tensor<f32>
  return
}

// -----

func.func @dist_c2(%x: tensor<3xf32>, %y: tensor<4xf32>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 0 of the result is 3 by one operand and 4 by another}}
  %0 = pd.dist %x, %y : (tensor<3xf32>, tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @frobenius_norm_c1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0 = pd.frobenius_norm %x {axis = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @logsumexp_c1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0 = pd.logsumexp %x {axis = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @p_norm_c1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0 = pd.p_norm %x {axis = 2 : i64} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @trace_c1(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: axis1 and axis2 must differ, found dimension 1}}
  %0 = pd.trace %x {axis1 = 1 : i64, axis2 = 1 : i64} : (tensor<2x3xf32>) -> tensor<f32>
  return
}

// -----

func.func @trace_c1_range(%x: tensor<2x3xf32>) {
  // expected-error@+1 {{C1: axis must be in [-2, 2), found 2}}
  %0 = pd.trace %x {axis2 = 2 : i64} : (tensor<2x3xf32>) -> tensor<f32>
  return
}
