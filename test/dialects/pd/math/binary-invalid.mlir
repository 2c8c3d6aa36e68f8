// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @binary_c1(%a0: tensor<2x3xf32>, %a1: tensor<2x3xf64>) {
  // expected-error@+1 {{C1: operands must have one element type, found f32 and f64}}
  %0 = "pd.add"(%a0, %a1) : (tensor<2x3xf32>, tensor<2x3xf64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @binary_c2(%a0: tensor<2x3xf32>, %a1: tensor<2x4xf32>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 4 by another}}
  %0 = "pd.maximum"(%a0, %a1) : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @binary_c2_result(%a0: tensor<2x3xf32>, %a1: tensor<3xf32>) {
  // expected-error@+1 {{inferred type(s) 'tensor<2x3xf32>' are incompatible with return type(s) of operation 'tensor<3xf32>'}}
  %0 = "pd.subtract"(%a0, %a1) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @compare_c1(%a0: tensor<2x3xf32>, %a1: tensor<2x3xi32>) {
  // expected-error@+1 {{C1: operands must have one element type, found f32 and i32}}
  %0 = "pd.less_than"(%a0, %a1) : (tensor<2x3xf32>, tensor<2x3xi32>) -> tensor<2x3xi1>
  return
}

// -----

func.func @compare_c2(%a0: tensor<2x3xf32>, %a1: tensor<2xf32>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 2 by another}}
  %0 = "pd.equal"(%a0, %a1) : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xi1>
  return
}

// -----

func.func @shift_c1(%a0: tensor<2xi32>, %a1: tensor<2xi64>) {
  // expected-error@+1 {{C1: operands must have one element type, found i32 and i64}}
  %0 = "pd.bitwise_left_shift"(%a0, %a1) : (tensor<2xi32>, tensor<2xi64>) -> tensor<2xi32>
  return
}

// -----

func.func @shift_c2(%a0: tensor<2xi32>, %a1: tensor<3xi32>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 0 of the result is 2 by one operand and 3 by another}}
  %0 = "pd.bitwise_right_shift"(%a0, %a1) : (tensor<2xi32>, tensor<3xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @where_c1(%a0: tensor<2xi1>, %a1: tensor<2xf32>, %a2: tensor<2xf64>) {
  // expected-error@+1 {{C1: operands must have one element type, found f32 and f64}}
  %0 = "pd.where"(%a0, %a1, %a2) : (tensor<2xi1>, tensor<2xf32>, tensor<2xf64>) -> tensor<2xf32>
  return
}

// -----

func.func @where_c2(%a0: tensor<4xi1>, %a1: tensor<2xf32>, %a2: tensor<2xf32>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 0 of the result is 4 by one operand and 2 by another}}
  %0 = "pd.where"(%a0, %a1, %a2) : (tensor<4xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @add_c1(%x: tensor<f32>, %v1: tensor<f64>) {
  // expected-error@+1 {{C1: operands must have one element type, found f32 and f64}}
  %0 = pd.add %x, %v1 : (tensor<f32>, tensor<f64>) -> tensor<f32>
  return
}

// -----

func.func @add_c2(%v0: tensor<2x3xf32>, %v1: tensor<2x4xf32>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 4 by another}}
  %0 = pd.add %v0, %v1 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @atan2_c1(%x: tensor<2x3xf64>, %v1: tensor<3xf32>) {
  // expected-error@+1 {{C1: operands must have one element type, found f64 and f32}}
  %0 = pd.atan2 %x, %v1 : (tensor<2x3xf64>, tensor<3xf32>) -> tensor<2x3xf64>
  return
}

// -----

func.func @atan2_c2(%v0: tensor<2x3xf64>, %v1: tensor<2x4xf64>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 4 by another}}
  %0 = pd.atan2 %v0, %v1 : (tensor<2x3xf64>, tensor<2x4xf64>) -> tensor<2x3xf64>
  return
}

// -----

func.func @bitwise_and_c1(%x: tensor<3x4xi1>, %v1: tensor<3x4xi32>) {
  // expected-error@+1 {{C1: operands must have one element type, found i1 and i32}}
  %0 = pd.bitwise_and %x, %v1 : (tensor<3x4xi1>, tensor<3x4xi32>) -> tensor<3x4xi1>
  return
}

// -----

func.func @bitwise_and_c2(%v0: tensor<2x3xi1>, %v1: tensor<2x4xi1>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 4 by another}}
  %0 = pd.bitwise_and %v0, %v1 : (tensor<2x3xi1>, tensor<2x4xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @bitwise_left_shift_c2(%v0: tensor<2x3xi8>, %v1: tensor<2x4xi8>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 4 by another}}
  %0 = pd.bitwise_left_shift %v0, %v1 : (tensor<2x3xi8>, tensor<2x4xi8>) -> tensor<2x3xi8>
  return
}

// -----

func.func @bitwise_or_c1(%x: tensor<3x4xi1>, %v1: tensor<3x4xi32>) {
  // expected-error@+1 {{C1: operands must have one element type, found i1 and i32}}
  %0 = pd.bitwise_or %x, %v1 : (tensor<3x4xi1>, tensor<3x4xi32>) -> tensor<3x4xi1>
  return
}

// -----

func.func @bitwise_or_c2(%v0: tensor<2x3xi1>, %v1: tensor<2x4xi1>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 4 by another}}
  %0 = pd.bitwise_or %v0, %v1 : (tensor<2x3xi1>, tensor<2x4xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @bitwise_right_shift_c2(%v0: tensor<2x3xi8>, %v1: tensor<2x4xi8>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 4 by another}}
  %0 = pd.bitwise_right_shift %v0, %v1 {is_arithmetic = false} : (tensor<2x3xi8>, tensor<2x4xi8>) -> tensor<2x3xi8>
  return
}

// -----

func.func @bitwise_xor_c1(%x: tensor<3x4xi32>, %v1: tensor<3x4xi64>) {
  // expected-error@+1 {{C1: operands must have one element type, found i32 and i64}}
  %0 = pd.bitwise_xor %x, %v1 : (tensor<3x4xi32>, tensor<3x4xi64>) -> tensor<3x4xi32>
  return
}

// -----

func.func @bitwise_xor_c2(%v0: tensor<2x3xi32>, %v1: tensor<2x4xi32>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 4 by another}}
  %0 = pd.bitwise_xor %v0, %v1 : (tensor<2x3xi32>, tensor<2x4xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @copysign_c1(%x: tensor<4xf32>, %v1: tensor<4xf64>) {
  // expected-error@+1 {{C1: operands must have one element type, found f32 and f64}}
  %0 = pd.copysign %x, %v1 : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @copysign_c2(%v0: tensor<2x3xf32>, %v1: tensor<2x4xf32>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 4 by another}}
  %0 = pd.copysign %v0, %v1 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @divide_c1(%x: tensor<f32>, %v1: tensor<f64>) {
  // expected-error@+1 {{C1: operands must have one element type, found f32 and f64}}
  %0 = pd.divide %x, %v1 : (tensor<f32>, tensor<f64>) -> tensor<f32>
  return
}

// -----

func.func @divide_c2(%v0: tensor<2x3xf32>, %v1: tensor<2x4xf32>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 4 by another}}
  %0 = pd.divide %v0, %v1 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @elementwise_pow_c1(%x: tensor<2x3xf64>, %v1: tensor<3xf32>) {
  // expected-error@+1 {{C1: operands must have one element type, found f64 and f32}}
  %0 = pd.elementwise_pow %x, %v1 : (tensor<2x3xf64>, tensor<3xf32>) -> tensor<2x3xf64>
  return
}

// -----

func.func @elementwise_pow_c2(%v0: tensor<2x3xf64>, %v1: tensor<2x4xf64>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 4 by another}}
  %0 = pd.elementwise_pow %v0, %v1 : (tensor<2x3xf64>, tensor<2x4xf64>) -> tensor<2x3xf64>
  return
}

// -----

func.func @equal_c1(%x: tensor<1xi64>, %v1: tensor<1xi32>) {
  // expected-error@+1 {{C1: operands must have one element type, found i64 and i32}}
  %0 = pd.equal %x, %v1 : (tensor<1xi64>, tensor<1xi32>) -> tensor<1xi1>
  return
}

// -----

func.func @equal_c2(%v0: tensor<2x3xi64>, %v1: tensor<2x4xi64>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 4 by another}}
  %0 = pd.equal %v0, %v1 : (tensor<2x3xi64>, tensor<2x4xi64>) -> tensor<2x3xi1>
  return
}

// -----

func.func @floor_divide_c1(%x: tensor<i32>, %v1: tensor<i64>) {
  // expected-error@+1 {{C1: operands must have one element type, found i32 and i64}}
  %0 = pd.floor_divide %x, %v1 : (tensor<i32>, tensor<i64>) -> tensor<i32>
  return
}

// -----

func.func @floor_divide_c2(%v0: tensor<2x3xi32>, %v1: tensor<2x4xi32>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 4 by another}}
  %0 = pd.floor_divide %v0, %v1 : (tensor<2x3xi32>, tensor<2x4xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @fmax_c1(%x: tensor<2x3xf64>, %v1: tensor<3xf32>) {
  // expected-error@+1 {{C1: operands must have one element type, found f64 and f32}}
  %0 = pd.fmax %x, %v1 : (tensor<2x3xf64>, tensor<3xf32>) -> tensor<2x3xf64>
  return
}

// -----

func.func @fmax_c2(%v0: tensor<2x3xf64>, %v1: tensor<2x4xf64>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 4 by another}}
  %0 = pd.fmax %v0, %v1 : (tensor<2x3xf64>, tensor<2x4xf64>) -> tensor<2x3xf64>
  return
}

// -----

func.func @fmin_c1(%x: tensor<2x3xf64>, %v1: tensor<3xf32>) {
  // expected-error@+1 {{C1: operands must have one element type, found f64 and f32}}
  %0 = pd.fmin %x, %v1 : (tensor<2x3xf64>, tensor<3xf32>) -> tensor<2x3xf64>
  return
}

// -----

func.func @fmin_c2(%v0: tensor<2x3xf64>, %v1: tensor<2x4xf64>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 4 by another}}
  %0 = pd.fmin %v0, %v1 : (tensor<2x3xf64>, tensor<2x4xf64>) -> tensor<2x3xf64>
  return
}

// -----

func.func @greater_equal_c1(%x: tensor<3x4xf32>, %v1: tensor<3x4xf64>) {
  // expected-error@+1 {{C1: operands must have one element type, found f32 and f64}}
  %0 = pd.greater_equal %x, %v1 : (tensor<3x4xf32>, tensor<3x4xf64>) -> tensor<3x4xi1>
  return
}

// -----

func.func @greater_equal_c2(%v0: tensor<2x3xf32>, %v1: tensor<2x4xf32>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 4 by another}}
  %0 = pd.greater_equal %v0, %v1 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xi1>
  return
}

// -----

func.func @greater_than_c1(%x: tensor<4x5x3xf64>, %v1: tensor<f32>) {
  // expected-error@+1 {{C1: operands must have one element type, found f64 and f32}}
  %0 = pd.greater_than %x, %v1 : (tensor<4x5x3xf64>, tensor<f32>) -> tensor<4x5x3xi1>
  return
}

// -----

func.func @greater_than_c2(%v0: tensor<2x3xf64>, %v1: tensor<2x4xf64>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 4 by another}}
  %0 = pd.greater_than %v0, %v1 : (tensor<2x3xf64>, tensor<2x4xf64>) -> tensor<2x3xi1>
  return
}

// -----

func.func @heaviside_c1(%x: tensor<4xf32>, %v1: tensor<f64>) {
  // expected-error@+1 {{C1: operands must have one element type, found f32 and f64}}
  %0 = pd.heaviside %x, %v1 : (tensor<4xf32>, tensor<f64>) -> tensor<4xf32>
  return
}

// -----

func.func @heaviside_c2(%v0: tensor<2x3xf32>, %v1: tensor<2x4xf32>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 4 by another}}
  %0 = pd.heaviside %v0, %v1 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @less_equal_c1(%x: tensor<f32>, %v1: tensor<f64>) {
  // expected-error@+1 {{C1: operands must have one element type, found f32 and f64}}
  %0 = pd.less_equal %x, %v1 : (tensor<f32>, tensor<f64>) -> tensor<i1>
  return
}

// -----

func.func @less_equal_c2(%v0: tensor<2x3xf32>, %v1: tensor<2x4xf32>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 4 by another}}
  %0 = pd.less_equal %v0, %v1 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xi1>
  return
}

// -----

func.func @less_than_c1(%x: tensor<f32>, %v1: tensor<f64>) {
  // expected-error@+1 {{C1: operands must have one element type, found f32 and f64}}
  %0 = pd.less_than %x, %v1 : (tensor<f32>, tensor<f64>) -> tensor<i1>
  return
}

// -----

func.func @less_than_c2(%v0: tensor<2x3xf32>, %v1: tensor<2x4xf32>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 4 by another}}
  %0 = pd.less_than %v0, %v1 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xi1>
  return
}

// -----

func.func @logical_and_c1(%x: tensor<1xi1>, %v1: tensor<1xi32>) {
  // expected-error@+1 {{C1: operands must have one element type, found i1 and i32}}
  %0 = pd.logical_and %x, %v1 : (tensor<1xi1>, tensor<1xi32>) -> tensor<1xi1>
  return
}

// -----

func.func @logical_and_c2(%v0: tensor<2x3xi1>, %v1: tensor<2x4xi1>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 4 by another}}
  %0 = pd.logical_and %v0, %v1 : (tensor<2x3xi1>, tensor<2x4xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @logical_or_c1(%x: tensor<3x4xi1>, %v1: tensor<4xi32>) {
  // expected-error@+1 {{C1: operands must have one element type, found i1 and i32}}
  %0 = pd.logical_or %x, %v1 : (tensor<3x4xi1>, tensor<4xi32>) -> tensor<3x4xi1>
  return
}

// -----

func.func @logical_or_c2(%v0: tensor<2x3xi1>, %v1: tensor<2x4xi1>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 4 by another}}
  %0 = pd.logical_or %v0, %v1 : (tensor<2x3xi1>, tensor<2x4xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @logical_xor_c1(%x: tensor<3x4xi1>, %v1: tensor<4xi32>) {
  // expected-error@+1 {{C1: operands must have one element type, found i1 and i32}}
  %0 = pd.logical_xor %x, %v1 : (tensor<3x4xi1>, tensor<4xi32>) -> tensor<3x4xi1>
  return
}

// -----

func.func @logical_xor_c2(%v0: tensor<2x3xi1>, %v1: tensor<2x4xi1>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 4 by another}}
  %0 = pd.logical_xor %v0, %v1 : (tensor<2x3xi1>, tensor<2x4xi1>) -> tensor<2x3xi1>
  return
}

// -----

func.func @maximum_c1(%x: tensor<4xui8>, %v1: tensor<4xf32>) {
  // expected-error@+1 {{C1: operands must have one element type, found ui8 and f32}}
  %0 = pd.maximum %x, %v1 : (tensor<4xui8>, tensor<4xf32>) -> tensor<4xui8>
  return
}

// -----

func.func @maximum_c2(%v0: tensor<2x3xui8>, %v1: tensor<2x4xui8>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 4 by another}}
  %0 = pd.maximum %v0, %v1 : (tensor<2x3xui8>, tensor<2x4xui8>) -> tensor<2x3xui8>
  return
}

// -----

func.func @minimum_c1(%x: tensor<2x3xf64>, %v1: tensor<3xf32>) {
  // expected-error@+1 {{C1: operands must have one element type, found f64 and f32}}
  %0 = pd.minimum %x, %v1 : (tensor<2x3xf64>, tensor<3xf32>) -> tensor<2x3xf64>
  return
}

// -----

func.func @minimum_c2(%v0: tensor<2x3xf64>, %v1: tensor<2x4xf64>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 4 by another}}
  %0 = pd.minimum %v0, %v1 : (tensor<2x3xf64>, tensor<2x4xf64>) -> tensor<2x3xf64>
  return
}

// -----

func.func @multiply_c1(%x: tensor<f32>, %v1: tensor<f64>) {
  // expected-error@+1 {{C1: operands must have one element type, found f32 and f64}}
  %0 = pd.multiply %x, %v1 : (tensor<f32>, tensor<f64>) -> tensor<f32>
  return
}

// -----

func.func @multiply_c2(%v0: tensor<2x3xf32>, %v1: tensor<2x4xf32>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 4 by another}}
  %0 = pd.multiply %v0, %v1 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @nextafter_c1(%x: tensor<3xf32>, %v1: tensor<3xf64>) {
  // expected-error@+1 {{C1: operands must have one element type, found f32 and f64}}
  %0 = pd.nextafter %x, %v1 : (tensor<3xf32>, tensor<3xf64>) -> tensor<3xf32>
  return
}

// -----

func.func @nextafter_c2(%v0: tensor<2x3xf32>, %v1: tensor<2x4xf32>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 4 by another}}
  %0 = pd.nextafter %v0, %v1 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @not_equal_c1(%x: tensor<3x4xi32>, %v1: tensor<i64>) {
  // expected-error@+1 {{C1: operands must have one element type, found i32 and i64}}
  %0 = pd.not_equal %x, %v1 : (tensor<3x4xi32>, tensor<i64>) -> tensor<3x4xi1>
  return
}

// -----

func.func @not_equal_c2(%v0: tensor<2x3xi32>, %v1: tensor<2x4xi32>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 4 by another}}
  %0 = pd.not_equal %v0, %v1 : (tensor<2x3xi32>, tensor<2x4xi32>) -> tensor<2x3xi1>
  return
}

// -----

func.func @remainder_c1(%x: tensor<3x4xi32>, %v1: tensor<3x4xi64>) {
  // expected-error@+1 {{C1: operands must have one element type, found i32 and i64}}
  %0 = pd.remainder %x, %v1 : (tensor<3x4xi32>, tensor<3x4xi64>) -> tensor<3x4xi32>
  return
}

// -----

func.func @remainder_c2(%v0: tensor<2x3xi32>, %v1: tensor<2x4xi32>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 4 by another}}
  %0 = pd.remainder %v0, %v1 : (tensor<2x3xi32>, tensor<2x4xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @subtract_c1(%x: tensor<1xi64>, %v1: tensor<1xi32>) {
  // expected-error@+1 {{C1: operands must have one element type, found i64 and i32}}
  %0 = pd.subtract %x, %v1 : (tensor<1xi64>, tensor<1xi32>) -> tensor<1xi64>
  return
}

// -----

func.func @subtract_c2(%v0: tensor<2x3xi64>, %v1: tensor<2x4xi64>) {
  // expected-error@+1 {{C2: operands cannot be broadcast together: dimension 1 of the result is 3 by one operand and 4 by another}}
  %0 = pd.subtract %v0, %v1 : (tensor<2x3xi64>, tensor<2x4xi64>) -> tensor<2x3xi64>
  return
}

// -----

func.func @bitwise_left_shift_c1(%x: tensor<2xi32>, %y: tensor<2xi64>) {
  // expected-error@+1 {{C1: operands must have one element type, found i32 and i64}}
  %0 = pd.bitwise_left_shift %x, %y : (tensor<2xi32>, tensor<2xi64>) -> tensor<2xi32>
  return
}

// -----

func.func @bitwise_right_shift_c1(%x: tensor<2xi32>, %y: tensor<2xi64>) {
  // expected-error@+1 {{C1: operands must have one element type, found i32 and i64}}
  %0 = pd.bitwise_right_shift %x, %y {is_arithmetic = false} : (tensor<2xi32>, tensor<2xi64>) -> tensor<2xi32>
  return
}

// -----

func.func @equal_c3(%x: tensor<2xf32>) -> tensor<2xi1> {
  // expected-error @+1 {{C3: tolerance must be finite and not negative, found -1.000000e+00 on tensor<2xf32>}}
  %0 = pd.equal %x, %x {tolerance = -1.0} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}

// -----

func.func @not_equal_c3(%x: tensor<2xi32>) -> tensor<2xi1> {
  // expected-error @+1 {{C3: tolerance must be finite and not negative, and 0 on elements that are not floats}}
  %0 = pd.not_equal %x, %x {tolerance = 1.0e-8} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  return %0 : tensor<2xi1>
}
