// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @binary_c1(%a0: tensor<2x3xf32>, %a1: tensor<2x3xf64>) {
  // expected-error@+2 {{operands must have one element type, found f32 and f64}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.add"(%a0, %a1) : (tensor<2x3xf32>, tensor<2x3xf64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @binary_c2(%a0: tensor<2x3xf32>, %a1: tensor<2x4xf32>) {
  // expected-error@+2 {{operands can't be broadcast together: dimension 1 of the result is 3 by one operand and 4 by another}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.maximum"(%a0, %a1) : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @binary_c2_result(%a0: tensor<2x3xf32>, %a1: tensor<3xf32>) {
  // expected-error@+2 {{inferred type(s) 'tensor<2x3xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.subtract"(%a0, %a1) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @compare_c1(%a0: tensor<2x3xf32>, %a1: tensor<2x3xi32>) {
  // expected-error@+2 {{operands must have one element type, found f32 and i32}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.less_than"(%a0, %a1) : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xi1>
  return
}

// -----

func.func @compare_c2(%a0: tensor<2x3xf32>, %a1: tensor<2xf32>) {
  // expected-error@+2 {{operands can't be broadcast together}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.equal"(%a0, %a1) : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xi1>
  return
}

// -----

func.func @shift_c1(%a0: tensor<2xi32>, %a1: tensor<2xi64>) {
  // expected-error@+2 {{operands must have one element type, found i32 and i64}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.bitwise_left_shift"(%a0, %a1) : (tensor<2xi32>, tensor<2xi64>) -> tensor<2xi32>
  return
}

// -----

func.func @shift_c2(%a0: tensor<2xi32>, %a1: tensor<3xi32>) {
  // expected-error@+2 {{operands can't be broadcast together}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.bitwise_right_shift"(%a0, %a1) : (tensor<2xi32>, tensor<3xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @where_c1(%a0: tensor<2xi1>, %a1: tensor<2xf32>, %a2: tensor<2xf64>) {
  // expected-error@+2 {{operands must have one element type, found f32 and f64}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.where"(%a0, %a1, %a2) : (tensor<2xi1>, tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}

// -----

func.func @where_c2(%a0: tensor<4xi1>, %a1: tensor<2xf32>, %a2: tensor<2xf32>) {
  // expected-error@+2 {{operands can't be broadcast together}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.where"(%a0, %a1, %a2) : (tensor<4xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}
