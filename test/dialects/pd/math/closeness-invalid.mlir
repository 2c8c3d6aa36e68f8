// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @isclose_c1(%x: tensor<2x3xf32>, %y: tensor<2x3xf64>) {
  // expected-error@+1 {{C1: operands must have one element type, found f32 and f64}}
  %0 = pd.isclose %x, %y : (tensor<2x3xf32>, tensor<2x3xf64>) -> tensor<2x3xi1>
  return
}

// -----

func.func @isclose_c2(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 2 by another}}
  %0 = pd.isclose %x, %y : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xi1>
  return
}

// -----

func.func @allclose_c1(%x: tensor<2x3xf32>, %y: tensor<2x3xf64>) {
  // expected-error@+1 {{C1: operands must have one element type, found f32 and f64}}
  %0 = pd.allclose %x, %y : (tensor<2x3xf32>, tensor<2x3xf64>) -> tensor<i1>
  return
}

// -----

func.func @allclose_c2(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 2 by another}}
  %0 = pd.allclose %x, %y : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<i1>
  return
}

// -----

func.func @equal_all_c1(%x: tensor<2x3xf32>, %y: tensor<2x3xf64>) {
  // expected-error@+1 {{C1: operands must have one element type, found f32 and f64}}
  %0 = pd.equal_all %x, %y : (tensor<2x3xf32>, tensor<2x3xf64>) -> tensor<i1>
  return
}
