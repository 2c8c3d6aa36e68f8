// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @slice_c1(%a0: tensor<2x3xf32>) {
  // expected-error@+2 {{axis 2 is outside [-2, 2)}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.slice"(%a0) <{axes = array<i64: 2>, starts = array<i64: 0>, ends = array<i64: 1>, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @slice_c1_twice(%a0: tensor<2x3xf32>) {
  // expected-error@+2 {{axis 0 is named twice}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.slice"(%a0) <{axes = array<i64: 0, -2>, starts = array<i64: 0, 0>, ends = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @slice_c2(%a0: tensor<2x3xf32>) {
  // expected-error@+2 {{starts has 0 entries, axes 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.slice"(%a0) <{axes = array<i64: 0>, starts = array<i64>, ends = array<i64: 1>, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @slice_c3(%a0: tensor<2x3xf32>) {
  // expected-error@+2 {{a stride is 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = "pd.slice"(%a0) <{axes = array<i64: 0>, starts = array<i64: 0>, ends = array<i64: 1>, strides = array<i64: 0>, operandSegmentSizes = array<i32: 1, 0, 0, 0>}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
