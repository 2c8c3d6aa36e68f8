// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @concat_c1() {
  // expected-error@+2 {{there is nothing to concatenate}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.concat"() <{axis = 0 : i64, operandSegmentSizes = array<i32: 0, 0>}> : () -> tensor<2x3xf32>
  return
}

// -----

func.func @concat_c2(%a0: tensor<2x3xf32>, %a1: tensor<2x3xf64>) {
  // expected-error@+2 {{operands must have one element type, found f32 and f64}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.concat"(%a0, %a1) <{axis = 0 : i64, operandSegmentSizes = array<i32: 2, 0>}> : (tensor<2x3xf32>, tensor<2x3xf64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @concat_c3(%a0: tensor<2x3xf32>, %a1: tensor<2x3xf32>) {
  // expected-error@+2 {{axis 2 is outside [-2, 2)}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.concat"(%a0, %a1) <{axis = 2 : i64, operandSegmentSizes = array<i32: 2, 0>}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @concat_c3_rank(%a0: tensor<2x3xf32>, %a1: tensor<3xf32>) {
  // expected-error@+2 {{rank}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.concat"(%a0, %a1) <{axis = 0 : i64, operandSegmentSizes = array<i32: 2, 0>}> : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @concat_c4(%a0: tensor<2x3xf32>, %a1: tensor<2x4xf32>) {
  // expected-error@+2 {{dimension 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.concat"(%a0, %a1) <{axis = 0 : i64, operandSegmentSizes = array<i32: 2, 0>}> : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @concat_c5(%a0: tensor<2x3xf32>, %a1: tensor<2x3xf32>, %a2: tensor<i64>) {
  // expected-error@+2 {{axis}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.concat"(%a0, %a1, %a2) <{axis = 0 : i64, operandSegmentSizes = array<i32: 2, 1>}> : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<i64>) -> tensor<4x3xf32>
  return
}

// -----

func.func @pad_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+2 {{paddings has 2 entries, expected 4}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.pad"(%a0) <{paddings = array<i64: 1, 1>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @pad_c2(%a0: tensor<2x3xf32>) {
  // expected-error@+2 {{a padding of dimension 1 is negative}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.pad"(%a0) <{paddings = array<i64: 0, 0, 0, -1>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @negative(%x: tensor<2xf32>) {
  %n = pd.constant dense<[1, -3]> : tensor<2xi64>
  // expected-error@+2 {{element 1 of repeats_tensor is -3, expected at least 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.repeat_interleave"(%x, %n) : (tensor<2xf32>, tensor<2xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @count(%x: tensor<3xf32>) {
  %n = pd.constant dense<[1, 3]> : tensor<2xi64>
  // expected-error@+2 {{repeats_tensor has 2 elements, expected 1 or 3}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.repeat_interleave"(%x, %n) : (tensor<3xf32>, tensor<2xi64>) -> tensor<?xf32>
  return
}
