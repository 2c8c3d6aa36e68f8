// RUN: proa-opt %s --split-input-file --verify-diagnostics --proa-choose-attention

func.func private @kind(%q: tensor<2x4x64x64xf16>, %s: tensor<2x4x64xf32>) -> tensor<2x4x64x64xf16>
    attributes {proa.device_kernel = #proa.device_kernel<op>} {
  // expected-error @below {{`tile` is 32, 64, expected with 'wgmma' multiples of 64 up to 128 and of 16 up to 128}}
  %0 = pd.fused_attention_q_grad %q, %q, %q, %q, %s, %s, %s
      {proa.attention = #proa.attention<kind = wgmma, tile = [32, 64]>}
      : (tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>,
      tensor<2x4x64x64xf16>, tensor<2x4x64xf32>, tensor<2x4x64xf32>, tensor<2x4x64xf32>) -> tensor<2x4x64x64xf16>
  return %0 : tensor<2x4x64x64xf16>
}

// -----

func.func private @tile(%q: tensor<2x4x64x64xf16>, %s: tensor<2x4x64xf32>) -> tensor<2x4x64x64xf16>
    attributes {proa.device_kernel = #proa.device_kernel<op>} {
  // expected-error @+2 {{C1: `tile` is [24, 64], expected two multiples of 16 up to 128}}
  %0 = pd.fused_attention_q_grad %q, %q, %q, %q, %s, %s, %s
      {proa.attention = #proa.attention<kind = mma, tile = [24, 64]>}
      : (tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>,
      tensor<2x4x64x64xf16>, tensor<2x4x64xf32>, tensor<2x4x64xf32>, tensor<2x4x64xf32>) -> tensor<2x4x64x64xf16>
  return %0 : tensor<2x4x64x64xf16>
}

// -----

func.func private @stages(%q: tensor<2x4x64x64xf32>, %s: tensor<2x4x64xf32>) -> tensor<2x4x64x64xf32>
    attributes {proa.device_kernel = #proa.device_kernel<op>} {
  // expected-error @below {{`stages` is 2, expected 1 to 1}}
  %0:2 = pd.fused_attention_kv_grad %q, %q, %q, %q, %s, %s, %s
      {proa.attention = #proa.attention<kind = fma, tile = [32, 64], stages = 2>}
      : (tensor<2x4x64x64xf32>, tensor<2x4x64x64xf32>,
      tensor<2x4x64x64xf32>, tensor<2x4x64x64xf32>, tensor<2x4x64xf32>, tensor<2x4x64xf32>, tensor<2x4x64xf32>)
      -> (tensor<2x4x64x64xf32>, tensor<2x4x64x64xf32>)
  return %0#0 : tensor<2x4x64x64xf32>
}

// -----

func.func private @element(%q: tensor<2x4x64x64xf32>, %s: tensor<2x4x64xf32>) -> tensor<2x4x64x64xf32>
    attributes {proa.device_kernel = #proa.device_kernel<op>} {
  // expected-error @below {{'mma' needs elements of f16 or bf16}}
  %0 = pd.fused_attention_q_grad %q, %q, %q, %q, %s, %s, %s
      {proa.attention = #proa.attention<kind = mma, tile = [64, 64]>}
      : (tensor<2x4x64x64xf32>, tensor<2x4x64x64xf32>, tensor<2x4x64x64xf32>,
      tensor<2x4x64x64xf32>, tensor<2x4x64xf32>, tensor<2x4x64xf32>, tensor<2x4x64xf32>) -> tensor<2x4x64x64xf32>
  return %0 : tensor<2x4x64x64xf32>
}

// -----

func.func private @paged(%q: tensor<2x8x128xf16>, %k: tensor<9x2x16x128xf16>, %t: tensor<2x4xi32>, %n: tensor<2xi32>)
    -> tensor<2x8x128xf16> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  // expected-error @below {{the choice for the attention: a paged cache has no form with 'wgmma'}}
  %0 = pd.paged_attention %q, %k, %k, %t, %n {proa.attention = #proa.attention<kind = wgmma, tile = [64, 64]>}
      : (tensor<2x8x128xf16>, tensor<9x2x16x128xf16>, tensor<9x2x16x128xf16>, tensor<2x4xi32>, tensor<2xi32>)
      -> tensor<2x8x128xf16>
  return %0 : tensor<2x8x128xf16>
}

// -----

func.func private @split(%q: tensor<2x4x64x64xf16>) -> tensor<2x4x64x64xf16> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  // expected-error @below {{`split_keys` is 2, expected 1 without a paged cache}}
  %0:3 = pd.fused_attention %q, %q, %q {proa.attention = #proa.attention<split_keys = 2>}
      : (tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>, tensor<2x4x64x64xf16>)
      -> (tensor<2x4x64x64xf16>, tensor<2x4x64xf32>, tensor<2x4x64xf32>)
  return %0#0 : tensor<2x4x64x64xf16>
}
