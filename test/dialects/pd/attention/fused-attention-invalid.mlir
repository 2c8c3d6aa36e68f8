// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @attention_c1(%q: tensor<2x4x5x8xf32>, %k: tensor<4x5x8xf32>) {
  // expected-error@+1 {{C1: q is tensor<2x4x5x8xf32>, k tensor<4x5x8xf32>}}
  %0:3 = "pd.fused_attention"(%q, %k, %k) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<4x5x8xf32>, tensor<4x5x8xf32>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>)
  return
}

// -----

func.func @attention_c1_permutation(%q: tensor<2x4x5x8xf32>) {
  // expected-error@+1 {{C1: q is tensor<2x4x5x8xf32>}}
  %0:3 = "pd.fused_attention"(%q, %q, %q) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>, q_permutation = array<i64: 0, 1, 1, 3>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>)
  return
}

// -----

func.func @attention_c2(%q: tensor<2x4x5x8xf32>, %k: tensor<2x3x5x8xf32>) {
  // expected-error@+1 {{C2: q is tensor<2x4x5x8xf32>, k tensor<2x3x5x8xf32>}}
  %0:3 = "pd.fused_attention"(%q, %k, %k) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x3x5x8xf32>, tensor<2x3x5x8xf32>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>)
  return
}

// -----

func.func @attention_c3(%q: tensor<2x4x5x8xf32>, %m: tensor<2x3x5x5xf32>) {
  // expected-error@+1 {{C3: mask is tensor<2x3x5x5xf32>, which does not broadcast to [2, 4, 5, 5]}}
  %0:3 = "pd.fused_attention"(%q, %q, %q, %m) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x3x5x5xf32>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>)
  return
}

// -----

func.func @attention_c4(%q: tensor<2x4x5x8xf32>, %n: tensor<3xi32>) {
  // expected-error@+1 {{C4: key_lengths is tensor<3xi32>}}
  %0:3 = "pd.fused_attention"(%q, %q, %q, %n) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<3xi32>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>)
  return
}

// -----

func.func @attention_c1_out_permutation(%q: tensor<2x4x5x8xf32>) {
  // expected-error@+1 {{C1: out_permutation does not have each of 0 to 3 once}}
  %0:3 = "pd.fused_attention"(%q, %q, %q) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>, out_permutation = array<i64: 0, 1, 1, 3>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>)
  return
}

// -----

func.func @kv_gradient_c1(%q: tensor<2x4x5x8xf32>, %k: tensor<4x5x8xf32>, %l: tensor<2x4x5xf32>) {
  // expected-error@+1 {{C1: q is tensor<2x4x5x8xf32>, k tensor<4x5x8xf32>}}
  %0:2 = "pd.fused_attention_kv_grad"(%q, %k, %k, %q, %l, %l, %l) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<4x5x8xf32>, tensor<4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>) -> (tensor<4x5x8xf32>, tensor<4x5x8xf32>)
  return
}

// -----

func.func @q_gradient_c5(%q: tensor<2x4x5x8xf32>, %g: tensor<2x5x4x8xf32>, %l: tensor<2x4x5xf32>) {
  // expected-error@+1 {{C5: out_grad is tensor<2x5x4x8xf32>, expected the dims tensor<2x4x5x8xf32> in the order of its permutation}}
  %0 = "pd.fused_attention_q_grad"(%q, %q, %q, %g, %l, %l, %l) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x5x4x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>) -> tensor<2x4x5x8xf32>
  return
}

// -----

func.func @gradient_c5_out(%q: tensor<2x4x5x8xf32>, %o: tensor<2x4x5x7xf32>, %l: tensor<2x4x5xf32>) {
  // expected-error@+1 {{C5: out is tensor<2x4x5x7xf32>, expected the dims tensor<2x4x5x8xf32>}}
  %0:3 = "pd.fused_attention_grad"(%q, %q, %q, %q, %l, %l, %o) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5x7xf32>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>)
  return
}

// -----

func.func @gradient_c6(%q: tensor<2x4x5x8xf32>, %l: tensor<2x4x5xf32>, %s: tensor<2x4x5x1xf32>) {
  // expected-error@+1 {{C6: sum is tensor<2x4x5x1xf32>, expected tensor<2x4x5xf32>}}
  %0:3 = "pd.fused_attention_grad"(%q, %q, %q, %q, %l, %s, %q) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5x1xf32>, tensor<2x4x5x8xf32>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>)
  return
}

// -----

func.func @kv_gradient_c6(%q: tensor<2x4x5x8xf16>, %l: tensor<2x4x5xf32>, %d: tensor<2x4x5xf16>) {
  // expected-error@+1 {{C6: delta is tensor<2x4x5xf16>, expected tensor<2x4x5xf32>}}
  %0:2 = "pd.fused_attention_kv_grad"(%q, %q, %q, %q, %l, %l, %d) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0>}> : (tensor<2x4x5x8xf16>, tensor<2x4x5x8xf16>, tensor<2x4x5x8xf16>, tensor<2x4x5x8xf16>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf16>) -> (tensor<2x4x5x8xf16>, tensor<2x4x5x8xf16>)
  return
}

// -----

func.func @attention_c7_probability(%q: tensor<2x4x5x8xf32>, %c: tensor<2xi64>) {
  // expected-error@+1 {{C7: dropout_p is 1.500000, expected a number in [0, 1], and 0 without dropout_call}}
  %0:3 = "pd.fused_attention"(%q, %q, %q, %c) <{dropout_p = 1.5, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 1, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2xi64>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>)
  return
}

// -----

func.func @attention_c7_without_call(%q: tensor<2x4x5x8xf32>) {
  // expected-error@+1 {{C7: dropout_p is 0.500000, expected a number in [0, 1], and 0 without dropout_call}}
  %0:3 = "pd.fused_attention"(%q, %q, %q) <{dropout_p = 0.5, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>)
  return
}

// -----

func.func @attention_c7_call(%q: tensor<2x4x5x8xf32>, %c: tensor<3xi64>) {
  // expected-error@+1 {{C7: dropout_call is tensor<3xi64>, expected tensor<2xi64>}}
  %0:3 = "pd.fused_attention"(%q, %q, %q, %c) <{dropout_p = 0.5, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 1, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<3xi64>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>)
  return
}

// -----

func.func @attention_c7_call_type(%q: tensor<2x4x5x8xf32>, %c: tensor<2xi32>) {
  // expected-error@+1 {{C7: dropout_call is tensor<2xi32>, expected tensor<2xi64>}}
  %0:3 = "pd.fused_attention"(%q, %q, %q, %c) <{dropout_p = 0.5, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 1, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2xi32>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>)
  return
}

// -----

func.func @gradient_c1(%a: tensor<2x4x5x8xf32>, %b: tensor<4x5x8xf32>, %c: tensor<2x4x5xf32>) {
  // expected-error@+1 {{C1: q is tensor<2x4x5x8xf32>, k tensor<4x5x8xf32>}}
  %0:3 = "pd.fused_attention_grad"(%a, %b, %b, %a, %c, %c, %a) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<4x5x8xf32>, tensor<4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5x8xf32>) -> (tensor<2x4x5x8xf32>, tensor<4x5x8xf32>, tensor<4x5x8xf32>)
  return
}

// -----

func.func @gradient_c2(%a: tensor<2x4x5x8xf32>, %b: tensor<2x3x5x8xf32>, %c: tensor<2x4x5xf32>) {
  // expected-error@+1 {{C2: q is tensor<2x4x5x8xf32>, k tensor<2x3x5x8xf32>}}
  %0:3 = "pd.fused_attention_grad"(%a, %b, %b, %a, %c, %c, %a) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x3x5x8xf32>, tensor<2x3x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5x8xf32>) -> (tensor<2x4x5x8xf32>, tensor<2x3x5x8xf32>, tensor<2x3x5x8xf32>)
  return
}

// -----

func.func @gradient_c3(%a: tensor<2x4x5x8xf32>, %b: tensor<2x4x5xf32>, %c: tensor<2x3x5x5xf32>) {
  // expected-error@+1 {{C3: mask is tensor<2x3x5x5xf32>, which does not broadcast to [2, 4, 5, 5]}}
  %0:3 = "pd.fused_attention_grad"(%a, %a, %a, %a, %b, %b, %a, %c) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5x8xf32>, tensor<2x3x5x5xf32>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>)
  return
}

// -----

func.func @gradient_c4(%a: tensor<2x4x5x8xf32>, %b: tensor<2x4x5xf32>, %c: tensor<3xi32>) {
  // expected-error@+1 {{C4: key_lengths is tensor<3xi32>}}
  %0:3 = "pd.fused_attention_grad"(%a, %a, %a, %a, %b, %b, %a, %c) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5x8xf32>, tensor<3xi32>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>)
  return
}

// -----

func.func @q_gradient_c1(%a: tensor<2x4x5x8xf32>, %b: tensor<4x5x8xf32>, %c: tensor<2x4x5xf32>) {
  // expected-error@+1 {{C1: q is tensor<2x4x5x8xf32>, k tensor<4x5x8xf32>}}
  %0 = "pd.fused_attention_q_grad"(%a, %b, %b, %a, %c, %c, %c) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<4x5x8xf32>, tensor<4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>) -> tensor<2x4x5x8xf32>
  return
}

// -----

func.func @q_gradient_c2(%a: tensor<2x4x5x8xf32>, %b: tensor<2x3x5x8xf32>, %c: tensor<2x4x5xf32>) {
  // expected-error@+1 {{C2: q is tensor<2x4x5x8xf32>, k tensor<2x3x5x8xf32>}}
  %0 = "pd.fused_attention_q_grad"(%a, %b, %b, %a, %c, %c, %c) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x3x5x8xf32>, tensor<2x3x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>) -> tensor<2x4x5x8xf32>
  return
}

// -----

func.func @q_gradient_c3(%a: tensor<2x4x5x8xf32>, %b: tensor<2x4x5xf32>, %c: tensor<2x3x5x5xf32>) {
  // expected-error@+1 {{C3: mask is tensor<2x3x5x5xf32>, which does not broadcast to [2, 4, 5, 5]}}
  %0 = "pd.fused_attention_q_grad"(%a, %a, %a, %a, %b, %b, %b, %c) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x3x5x5xf32>) -> tensor<2x4x5x8xf32>
  return
}

// -----

func.func @q_gradient_c4(%a: tensor<2x4x5x8xf32>, %b: tensor<2x4x5xf32>, %c: tensor<3xi32>) {
  // expected-error@+1 {{C4: key_lengths is tensor<3xi32>}}
  %0 = "pd.fused_attention_q_grad"(%a, %a, %a, %a, %b, %b, %b, %c) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<3xi32>) -> tensor<2x4x5x8xf32>
  return
}

// -----

func.func @q_gradient_c6(%a: tensor<2x4x5x8xf32>, %b: tensor<2x4x5xf32>, %c: tensor<2x4x5x1xf32>) {
  // expected-error@+1 {{C6: sum is tensor<2x4x5x1xf32>, expected tensor<2x4x5xf32>}}
  %0 = "pd.fused_attention_q_grad"(%a, %a, %a, %a, %b, %c, %b) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5x1xf32>, tensor<2x4x5xf32>) -> tensor<2x4x5x8xf32>
  return
}

// -----

func.func @kv_gradient_c2(%a: tensor<2x4x5x8xf32>, %b: tensor<2x3x5x8xf32>, %c: tensor<2x4x5xf32>) {
  // expected-error@+1 {{C2: q is tensor<2x4x5x8xf32>, k tensor<2x3x5x8xf32>}}
  %0:2 = "pd.fused_attention_kv_grad"(%a, %b, %b, %a, %c, %c, %c) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x3x5x8xf32>, tensor<2x3x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>) -> (tensor<2x3x5x8xf32>, tensor<2x3x5x8xf32>)
  return
}

// -----

func.func @kv_gradient_c3(%a: tensor<2x4x5x8xf32>, %b: tensor<2x4x5xf32>, %c: tensor<2x3x5x5xf32>) {
  // expected-error@+1 {{C3: mask is tensor<2x3x5x5xf32>, which does not broadcast to [2, 4, 5, 5]}}
  %0:2 = "pd.fused_attention_kv_grad"(%a, %a, %a, %a, %b, %b, %b, %c) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x3x5x5xf32>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>)
  return
}

// -----

func.func @kv_gradient_c4(%a: tensor<2x4x5x8xf32>, %b: tensor<2x4x5xf32>, %c: tensor<3xi32>) {
  // expected-error@+1 {{C4: key_lengths is tensor<3xi32>}}
  %0:2 = "pd.fused_attention_kv_grad"(%a, %a, %a, %a, %b, %b, %b, %c) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<3xi32>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>)
  return
}

// -----

func.func @kv_gradient_c5(%a: tensor<2x4x5x8xf32>, %b: tensor<2x5x4x8xf32>, %c: tensor<2x4x5xf32>) {
  // expected-error@+1 {{C5: out_grad is tensor<2x5x4x8xf32>, expected the dims tensor<2x4x5x8xf32> in the order of its permutation}}
  %0:2 = "pd.fused_attention_kv_grad"(%a, %a, %a, %b, %c, %c, %c) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x5x4x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>)
  return
}

// -----

func.func @attention_grad_c7(%q: tensor<2x4x5x8xf32>, %s: tensor<2x4x5xf32>, %c: tensor<3xi64>) {
  // expected-error@+1 {{C7: dropout_call is tensor<3xi64>, expected tensor<2xi64>}}
  %0:3 = "pd.fused_attention_grad"(%q, %q, %q, %q, %s, %s, %q, %c) <{dropout_p = 0.5, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5x8xf32>, tensor<3xi64>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>)
  return
}

// -----

func.func @attention_q_grad_c7(%q: tensor<2x4x5x8xf32>, %s: tensor<2x4x5xf32>, %c: tensor<3xi64>) {
  // expected-error@+1 {{C7: dropout_call is tensor<3xi64>, expected tensor<2xi64>}}
  %0 = "pd.fused_attention_q_grad"(%q, %q, %q, %q, %s, %s, %s, %c) <{dropout_p = 0.5, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<3xi64>) -> tensor<2x4x5x8xf32>
  return
}

// -----

func.func @attention_kv_grad_c7(%q: tensor<2x4x5x8xf32>, %s: tensor<2x4x5xf32>, %c: tensor<3xi64>) {
  // expected-error@+1 {{C7: dropout_call is tensor<3xi64>, expected tensor<2xi64>}}
  %0:2 = "pd.fused_attention_kv_grad"(%q, %q, %q, %q, %s, %s, %s, %c) <{dropout_p = 0.5, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<3xi64>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>)
  return
}

// -----

func.func @attention_c8(%q: tensor<2x4x5x8xf32>, %s: tensor<2x4x5xf32>, %c: tensor<2xi64>, %b: tensor<4xi64>) {
  // expected-error@+1 {{C8: whole_shape has the last entry 7, expected the 5 keys of an op with dropout_call}}
  %0:3 = "pd.fused_attention"(%q, %q, %q, %c, %b) <{dropout_p = 0.5, whole_shape = array<i64: 4, 4, 5, 7>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 1, 1, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2xi64>, tensor<4xi64>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>)
  return
}

// -----

func.func @attention_grad_c8(%q: tensor<2x4x5x8xf32>, %s: tensor<2x4x5xf32>, %c: tensor<2xi64>, %b: tensor<4xi64>) {
  // expected-error@+1 {{C8: whole_shape has the last entry 7, expected the 5 keys of an op with dropout_call}}
  %0:3 = "pd.fused_attention_grad"(%q, %q, %q, %q, %s, %s, %q, %c, %b) <{dropout_p = 0.5, whole_shape = array<i64: 4, 4, 5, 7>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5x8xf32>, tensor<2xi64>, tensor<4xi64>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>)
  return
}

// -----

func.func @attention_q_grad_c8(%q: tensor<2x4x5x8xf32>, %s: tensor<2x4x5xf32>, %c: tensor<2xi64>, %b: tensor<4xi64>) {
  // expected-error@+1 {{C8: whole_shape has the last entry 7, expected the 5 keys of an op with dropout_call}}
  %0 = "pd.fused_attention_q_grad"(%q, %q, %q, %q, %s, %s, %s, %c, %b) <{dropout_p = 0.5, whole_shape = array<i64: 4, 4, 5, 7>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2xi64>, tensor<4xi64>) -> tensor<2x4x5x8xf32>
  return
}

// -----

func.func @attention_kv_grad_c8(%q: tensor<2x4x5x8xf32>, %s: tensor<2x4x5xf32>, %c: tensor<2xi64>, %b: tensor<4xi64>) {
  // expected-error@+1 {{C8: whole_shape has the last entry 7, expected the 5 keys of an op with dropout_call}}
  %0:2 = "pd.fused_attention_kv_grad"(%q, %q, %q, %q, %s, %s, %s, %c, %b) <{dropout_p = 0.5, whole_shape = array<i64: 4, 4, 5, 7>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2xi64>, tensor<4xi64>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>)
  return
}

// -----

func.func @attention_c8_begin(%q: tensor<2x4x5x8xf32>, %c: tensor<2xi64>, %b: tensor<3xi64>) {
  // expected-error@+1 {{C8: whole_shape and part_begin must have an entry for each of the 4 dimensions, or be absent}}
  %0:3 = "pd.fused_attention"(%q, %q, %q, %c, %b) <{dropout_p = 0.5, whole_shape = array<i64: 4, 4, 5, 5>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 1, 1, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2xi64>, tensor<3xi64>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>)
  return
}

// -----

func.func @attention_c8_without_dropout(%q: tensor<2x4x5x8xf32>, %b: tensor<4xi64>) {
  // expected-error@+1 {{C8: whole_shape has the last entry 5, expected the 5 keys of an op with dropout_call}}
  %0:3 = "pd.fused_attention"(%q, %q, %q, %b) <{whole_shape = array<i64: 4, 4, 5, 5>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 1, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<4xi64>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>)
  return
}

// -----

func.func @q_gradient_c5_scores(%q: tensor<2x4x5x8xf32>, %g: tensor<2x5x4x8xf32>, %l: tensor<2x4x5xf32>) {
  // expected-error@+1 {{C5: out_grad is tensor<2x5x4x8xf32>, expected the dims tensor<2x4x5x8xf32> in the order of its permutation}}
  %0 = "pd.fused_attention_score_grad"(%q, %q, %q, %g, %l, %l, %l) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x5x4x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>) -> tensor<2x4x5x8xf32>
  return
}

// -----

func.func @q_gradient_c1_scores(%a: tensor<2x4x5x8xf32>, %b: tensor<4x5x8xf32>, %c: tensor<2x4x5xf32>) {
  // expected-error@+1 {{C1: q is tensor<2x4x5x8xf32>, k tensor<4x5x8xf32>}}
  %0 = "pd.fused_attention_score_grad"(%a, %b, %b, %a, %c, %c, %c) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<4x5x8xf32>, tensor<4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>) -> tensor<2x4x5x8xf32>
  return
}

// -----

func.func @q_gradient_c2_scores(%a: tensor<2x4x5x8xf32>, %b: tensor<2x3x5x8xf32>, %c: tensor<2x4x5xf32>) {
  // expected-error@+1 {{C2: q is tensor<2x4x5x8xf32>, k tensor<2x3x5x8xf32>}}
  %0 = "pd.fused_attention_score_grad"(%a, %b, %b, %a, %c, %c, %c) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x3x5x8xf32>, tensor<2x3x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>) -> tensor<2x4x5x8xf32>
  return
}

// -----

func.func @q_gradient_c3_scores(%a: tensor<2x4x5x8xf32>, %b: tensor<2x4x5xf32>, %c: tensor<2x3x5x5xf32>) {
  // expected-error@+1 {{C3: mask is tensor<2x3x5x5xf32>, which does not broadcast to [2, 4, 5, 5]}}
  %0 = "pd.fused_attention_score_grad"(%a, %a, %a, %a, %b, %b, %b, %c) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x3x5x5xf32>) -> tensor<2x4x5x8xf32>
  return
}

// -----

func.func @q_gradient_c4_scores(%a: tensor<2x4x5x8xf32>, %b: tensor<2x4x5xf32>, %c: tensor<3xi32>) {
  // expected-error@+1 {{C4: key_lengths is tensor<3xi32>}}
  %0 = "pd.fused_attention_score_grad"(%a, %a, %a, %a, %b, %b, %b, %c) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<3xi32>) -> tensor<2x4x5x8xf32>
  return
}

// -----

func.func @q_gradient_c6_scores(%a: tensor<2x4x5x8xf32>, %b: tensor<2x4x5xf32>, %c: tensor<2x4x5x1xf32>) {
  // expected-error@+1 {{C6: sum is tensor<2x4x5x1xf32>, expected tensor<2x4x5xf32>}}
  %0 = "pd.fused_attention_score_grad"(%a, %a, %a, %a, %b, %c, %b) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5x1xf32>, tensor<2x4x5xf32>) -> tensor<2x4x5x8xf32>
  return
}

// -----

func.func @attention_q_grad_c7_scores(%q: tensor<2x4x5x8xf32>, %s: tensor<2x4x5xf32>, %c: tensor<3xi64>) {
  // expected-error@+1 {{C7: dropout_call is tensor<3xi64>, expected tensor<2xi64>}}
  %0 = "pd.fused_attention_score_grad"(%q, %q, %q, %q, %s, %s, %s, %c) <{dropout_p = 0.5, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<3xi64>) -> tensor<2x4x5x8xf32>
  return
}

// -----

func.func @attention_q_grad_c8_scores(%q: tensor<2x4x5x8xf32>, %s: tensor<2x4x5xf32>, %c: tensor<2xi64>, %b: tensor<4xi64>) {
  // expected-error@+1 {{C8: whole_shape has the last entry 7, expected the 5 keys of an op with dropout_call}}
  %0 = "pd.fused_attention_score_grad"(%q, %q, %q, %q, %s, %s, %s, %c, %b) <{dropout_p = 0.5, whole_shape = array<i64: 4, 4, 5, 7>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2xi64>, tensor<4xi64>) -> tensor<2x4x5x8xf32>
  return
}

// -----

func.func @attention_c9(%q: tensor<2x4x5x8xf32>) {
  // expected-error@+1 {{C9: soft_cap is -1.000000, expected a finite number of at least 0}}
  %0:3 = "pd.fused_attention"(%q, %q, %q) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>, soft_cap = -1.0}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>)
  return
}

// -----

func.func @attention_c10(%q: tensor<2x4x5x8xf32>) {
  // expected-error@+1 {{C10: left_window is -2, expected -1 for no window, or a number of keys}}
  %0:3 = "pd.fused_attention"(%q, %q, %q) <{left_window = -2 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>)
  return
}

// -----

func.func @fused_attention_grad_c9(%q: tensor<2x4x5x8xf32>, %s: tensor<2x4x5xf32>) {
  // expected-error@+1 {{C9: soft_cap is -1.000000, expected a finite number of at least 0}}
  %0:3 = "pd.fused_attention_grad"(%q, %q, %q, %q, %s, %s, %q) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0>, soft_cap = -1.0}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5x8xf32>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>)
  return
}

// -----

func.func @fused_attention_grad_c10(%q: tensor<2x4x5x8xf32>, %s: tensor<2x4x5xf32>) {
  // expected-error@+1 {{C10: right_window is -2, expected -1 for no window, or a number of keys}}
  %0:3 = "pd.fused_attention_grad"(%q, %q, %q, %q, %s, %s, %q) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0>, right_window = -2 : i64}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5x8xf32>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>)
  return
}

// -----

func.func @fused_attention_q_grad_c9(%q: tensor<2x4x5x8xf32>, %s: tensor<2x4x5xf32>) {
  // expected-error@+1 {{C9: soft_cap is -1.000000, expected a finite number of at least 0}}
  %0 = "pd.fused_attention_q_grad"(%q, %q, %q, %q, %s, %s, %s) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0>, soft_cap = -1.0}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>) -> tensor<2x4x5x8xf32>
  return
}

// -----

func.func @fused_attention_q_grad_c10(%q: tensor<2x4x5x8xf32>, %s: tensor<2x4x5xf32>) {
  // expected-error@+1 {{C10: right_window is -2, expected -1 for no window, or a number of keys}}
  %0 = "pd.fused_attention_q_grad"(%q, %q, %q, %q, %s, %s, %s) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0>, right_window = -2 : i64}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>) -> tensor<2x4x5x8xf32>
  return
}

// -----

func.func @fused_attention_kv_grad_c9(%q: tensor<2x4x5x8xf32>, %s: tensor<2x4x5xf32>) {
  // expected-error@+1 {{C9: soft_cap is -1.000000, expected a finite number of at least 0}}
  %0:2 = "pd.fused_attention_kv_grad"(%q, %q, %q, %q, %s, %s, %s) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0>, soft_cap = -1.0}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>)
  return
}

// -----

func.func @fused_attention_kv_grad_c10(%q: tensor<2x4x5x8xf32>, %s: tensor<2x4x5xf32>) {
  // expected-error@+1 {{C10: right_window is -2, expected -1 for no window, or a number of keys}}
  %0:2 = "pd.fused_attention_kv_grad"(%q, %q, %q, %q, %s, %s, %s) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0>, right_window = -2 : i64}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>)
  return
}

// -----

func.func @fused_attention_score_grad_c9(%q: tensor<2x4x5x8xf32>, %s: tensor<2x4x5xf32>) {
  // expected-error@+1 {{C9: soft_cap is -1.000000, expected a finite number of at least 0}}
  %0 = "pd.fused_attention_score_grad"(%q, %q, %q, %q, %s, %s, %s) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0>, soft_cap = -1.0}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>) -> tensor<2x4x5x5xf32>
  return
}

// -----

func.func @fused_attention_score_grad_c10(%q: tensor<2x4x5x8xf32>, %s: tensor<2x4x5xf32>) {
  // expected-error@+1 {{C10: right_window is -2, expected -1 for no window, or a number of keys}}
  %0 = "pd.fused_attention_score_grad"(%q, %q, %q, %q, %s, %s, %s) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0>, right_window = -2 : i64}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>) -> tensor<2x4x5x5xf32>
  return
}

// -----

func.func @fused_attention_c11(%q: tensor<2x4x5x8xf32>, %m: tensor<2x4x1x5xf32>) {
  // expected-error@+1 {{C11: key_mask is tensor<2x4x1x5xf32>, expected [2, 1, 1, 5], or 1 in place of either}}
  %0:3 = "pd.fused_attention"(%q, %q, %q, %m) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 1>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x1x5xf32>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>)
  return
}

// -----

func.func @fused_attention_grad_c11(%q: tensor<2x4x5x8xf32>, %s: tensor<2x4x5xf32>, %m: tensor<2x1x1x4xf32>) {
  // expected-error@+1 {{C11: key_mask is tensor<2x1x1x4xf32>, expected [2, 1, 1, 5], or 1 in place of either}}
  %0:3 = "pd.fused_attention_grad"(%q, %q, %q, %q, %s, %s, %q, %m) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5x8xf32>, tensor<2x1x1x4xf32>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>)
  return
}

// -----

func.func @fused_attention_q_grad_c11(%q: tensor<2x4x5x8xf32>, %s: tensor<2x4x5xf32>, %m: tensor<2x1x1x4xf32>) {
  // expected-error@+1 {{C11: key_mask is tensor<2x1x1x4xf32>, expected [2, 1, 1, 5], or 1 in place of either}}
  %0 = "pd.fused_attention_q_grad"(%q, %q, %q, %q, %s, %s, %s, %m) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x1x1x4xf32>) -> tensor<2x4x5x8xf32>
  return
}

// -----

func.func @fused_attention_kv_grad_c11(%q: tensor<2x4x5x8xf32>, %s: tensor<2x4x5xf32>, %m: tensor<2x1x1x4xf32>) {
  // expected-error@+1 {{C11: key_mask is tensor<2x1x1x4xf32>, expected [2, 1, 1, 5], or 1 in place of either}}
  %0:2 = "pd.fused_attention_kv_grad"(%q, %q, %q, %q, %s, %s, %s, %m) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x1x1x4xf32>) -> (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>)
  return
}

// -----

func.func @fused_attention_score_grad_c11(%q: tensor<2x4x5x8xf32>, %s: tensor<2x4x5xf32>, %m: tensor<2x1x1x4xf32>) {
  // expected-error@+1 {{C11: key_mask is tensor<2x1x1x4xf32>, expected [2, 1, 1, 5], or 1 in place of either}}
  %0 = "pd.fused_attention_score_grad"(%q, %q, %q, %q, %s, %s, %s, %m) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 1>}> : (tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5x8xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x1x1x4xf32>) -> tensor<2x4x5x5xf32>
  return
}
