// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @attention_c1(%q: tensor<2x4x5x8xf32>, %k: tensor<4x5x8xf32>) {
  // expected-error@+2 {{C1: q is tensor<2x4x5x8xf32>, k tensor<4x5x8xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.fused_attention"(%q, %k, %k) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<4x5x8xf32>, tensor<4x5x8xf32>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5xf32>)
  return
}

// -----

func.func @attention_c1_permutation(%q: tensor<2x4x5x8xf32>) {
  // expected-error@+2 {{C1: q is tensor<2x4x5x8xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.fused_attention"(%q, %q, %q) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, q_permutation = array<i64: 0, 1, 1, 3>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5xf32>)
  return
}

// -----

func.func @attention_c2(%q: tensor<2x4x5x8xf32>, %k: tensor<2x3x5x8xf32>) {
  // expected-error@+2 {{C2: q is tensor<2x4x5x8xf32>, k tensor<2x3x5x8xf32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.fused_attention"(%q, %k, %k) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x3x5x8xf32>, tensor<2x3x5x8xf32>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5xf32>)
  return
}

// -----

func.func @attention_c3(%q: tensor<2x4x5x8xf32>, %m: tensor<2x3x5x5xf32>) {
  // expected-error@+2 {{C3: mask is tensor<2x3x5x5xf32>, which does not broadcast to [2, 4, 5, 5]}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.fused_attention"(%q, %q, %q, %m) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x3x5x5xf32>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5xf32>)
  return
}

// -----

func.func @attention_c4(%q: tensor<2x4x5x8xf32>, %n: tensor<3xi32>) {
  // expected-error@+2 {{C4: key_lengths is tensor<3xi32>}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = "pd.fused_attention"(%q, %q, %q, %n) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 1>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<3xi32>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5xf32>)
  return
}
