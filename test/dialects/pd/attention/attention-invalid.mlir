// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @flash_attn_c1(%q: tensor<2x5x4x8xf32>, %k: tensor<2x5x4x6xf32>) {
  // expected-error@+1 {{C1: q is tensor<2x5x4x8xf32>, k tensor<2x5x4x6xf32>, v tensor<2x5x4x6xf32>}}
  %0 = "pd.flash_attn"(%q, %k, %k) : (tensor<2x5x4x8xf32>, tensor<2x5x4x6xf32>, tensor<2x5x4x6xf32>) -> tensor<2x5x4x6xf32>
  return
}

// -----

func.func @flash_attn_c2(%q: tensor<2x5x4x8xf32>, %k: tensor<2x5x3x8xf32>) {
  // expected-error@+1 {{C2: q has 4 heads, k 3, v 3}}
  %0 = "pd.flash_attn"(%q, %k, %k) : (tensor<2x5x4x8xf32>, tensor<2x5x3x8xf32>, tensor<2x5x3x8xf32>) -> tensor<2x5x4x8xf32>
  return
}

// -----

func.func @flash_attn_c3(%q: tensor<2x5x4x8xf32>) {
  // expected-error@+1 {{C3: dropout requires is_test}}
  %0 = "pd.flash_attn"(%q, %q, %q) {dropout = 0.1} : (tensor<2x5x4x8xf32>, tensor<2x5x4x8xf32>, tensor<2x5x4x8xf32>) -> tensor<2x5x4x8xf32>
  return
}

// -----

func.func @flash_attn_c1_d(%q: tensor<2x5x4x8xf32>, %k: tensor<2x?x2x8xf32>, %v1: tensor<2x4x4x9xf32>) {
  // expected-error@+1 {{C1: q is tensor<2x5x4x8xf32>, k tensor<2x4x4x9xf32>, v tensor<2x?x2x8xf32>}}
  %0 = pd.flash_attn %q, %v1, %k {causal = true} : (tensor<2x5x4x8xf32>, tensor<2x4x4x9xf32>, tensor<2x?x2x8xf32>) -> tensor<2x5x4x8xf32>
  return
}

// -----

func.func @fused_softmax_mask_upper_triangle_c1(%x: tensor<3xf16>) {
  // expected-error@+1 {{C1: x must have rank 2 or more, found rank 1}}
  %0 = pd.fused_softmax_mask_upper_triangle %x : (tensor<3xf16>) -> tensor<3xf16>
  return
}
