// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @attention_c1(%q: tensor<2x8x4xf32>, %k: tensor<2x8x5xf32>) {
  // expected-error@+1 {{C1: q is tensor<2x8x4xf32>, k tensor<2x8x5xf32>, v tensor<2x8x5xf32>}}
  %0:3 = "pd.attention"(%q, %k, %k) : (tensor<2x8x4xf32>, tensor<2x8x5xf32>, tensor<2x8x5xf32>) -> (tensor<2x8x5xf32>, tensor<2x8x1xf32>, tensor<2x8x1xf32>)
  return
}

// -----

func.func @attention_c2(%q: tensor<2x8x4xf32>, %bias: tensor<4x8xf32>) {
  // expected-error@+1 {{C2: bias is tensor<4x8xf32>, q is tensor<2x8x4xf32>}}
  %0:3 = "pd.attention"(%q, %q, %q, %bias) : (tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<2x8x4xf32>, tensor<4x8xf32>) -> (tensor<2x8x4xf32>, tensor<2x8x1xf32>, tensor<2x8x1xf32>)
  return
}

// -----

func.func @attention_grad_c1(%q: tensor<4xf32>) {
  // expected-error@+1 {{C1: q is tensor<4xf32>}}
  %0:3 = "pd.attention_grad"(%q, %q, %q, %q, %q, %q, %q) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @attention_grad_c2(%q: tensor<8x4xf32>, %s: tensor<8x1xf32>, %bias: tensor<2x8x8xf32>) {
  // expected-error@+1 {{C2: bias is tensor<2x8x8xf32>}}
  %0:3 = "pd.attention_grad"(%q, %q, %q, %bias, %q, %s, %s, %q) : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<2x8x8xf32>, tensor<8x4xf32>, tensor<8x1xf32>, tensor<8x1xf32>, tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
  return
}

// -----

func.func @attention_grad_c3(%q: tensor<8x4xf32>) {
  // expected-error@+1 {{C3: found tensor<8x4xf32>, expected the dims of tensor<8x1xf32>}}
  %0:3 = "pd.attention_grad"(%q, %q, %q, %q, %q, %q, %q) : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>)
  return
}
