// RUN: proa-opt %s --split-input-file --verify-diagnostics

func.func @paged_attention_c1(%q: tensor<3x4x8xf32>, %k: tensor<9x2x16x8xf32>, %t: tensor<3xi32>) {
  // expected-error@+1 {{C1: q is tensor<3x4x8xf32>, key_cache tensor<9x2x16x8xf32>, value_cache tensor<9x2x16x8xf32>, block_table tensor<3xi32>, lengths tensor<3xi32>, expected ranks 3, 4, 4, 2 and 1}}
  %0 = pd.paged_attention %q, %k, %k, %t, %t : (tensor<3x4x8xf32>, tensor<9x2x16x8xf32>, tensor<9x2x16x8xf32>, tensor<3xi32>, tensor<3xi32>) -> tensor<3x4x8xf32>
  return
}

// -----

func.func @paged_attention_c1_element(%q: tensor<3x4x8xf32>, %k: tensor<9x2x16x8xf16>, %t: tensor<3x5xi32>, %n: tensor<3xi32>) {
  // expected-error@+1 {{C1: q is tensor<3x4x8xf32>, key_cache tensor<9x2x16x8xf16>}}
  %0 = pd.paged_attention %q, %k, %k, %t, %n : (tensor<3x4x8xf32>, tensor<9x2x16x8xf16>, tensor<9x2x16x8xf16>, tensor<3x5xi32>, tensor<3xi32>) -> tensor<3x4x8xf32>
  return
}

// -----

func.func @paged_attention_c2(%q: tensor<3x4x8xf32>, %k: tensor<9x3x16x8xf32>, %t: tensor<3x5xi32>, %n: tensor<3xi32>) {
  // expected-error@+1 {{C2: q is tensor<3x4x8xf32>, key_cache tensor<9x3x16x8xf32>, value_cache tensor<9x3x16x8xf32>, expected [B, H, D], [C, G, S, D] and [C, G, S, E], static and positive except B and C, with H a multiple of G}}
  %0 = pd.paged_attention %q, %k, %k, %t, %n : (tensor<3x4x8xf32>, tensor<9x3x16x8xf32>, tensor<9x3x16x8xf32>, tensor<3x5xi32>, tensor<3xi32>) -> tensor<3x4x8xf32>
  return
}

// -----

func.func @paged_attention_c2_static(%q: tensor<3x4x8xf32>, %k: tensor<9x2x?x8xf32>, %t: tensor<3x5xi32>, %n: tensor<3xi32>) {
  // expected-error@+1 {{C2: q is tensor<3x4x8xf32>, key_cache tensor<9x2x?x8xf32>}}
  %0 = pd.paged_attention %q, %k, %k, %t, %n : (tensor<3x4x8xf32>, tensor<9x2x?x8xf32>, tensor<9x2x?x8xf32>, tensor<3x5xi32>, tensor<3xi32>) -> tensor<3x4x8xf32>
  return
}

// -----

func.func @paged_attention_c3(%q: tensor<3x4x8xf32>, %k: tensor<9x2x16x8xf32>, %t: tensor<3x5xi32>, %n: tensor<4xi32>) {
  // expected-error@+1 {{C3: q is tensor<3x4x8xf32>, block_table tensor<3x5xi32>, lengths tensor<4xi32>, expected one sequence in each for each of q}}
  %0 = pd.paged_attention %q, %k, %k, %t, %n : (tensor<3x4x8xf32>, tensor<9x2x16x8xf32>, tensor<9x2x16x8xf32>, tensor<3x5xi32>, tensor<4xi32>) -> tensor<3x4x8xf32>
  return
}
