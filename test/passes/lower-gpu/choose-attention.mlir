// RUN: proa-opt %s --pass-pipeline="builtin.module(proa-set-target{gpu=sm_90a},func.func(proa-choose-attention))" | FileCheck %s

// CHECK-LABEL: func.func private @forward
// CHECK: proa.attention = #proa.attention<kind = wgmma, tile = [128, 128], stages = 4>
func.func private @forward(%q: tensor<2x4x512x64xf16>) -> tensor<2x4x512x64xf16> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0:3 = pd.fused_attention %q, %q, %q : (tensor<2x4x512x64xf16>, tensor<2x4x512x64xf16>, tensor<2x4x512x64xf16>)
      -> (tensor<2x4x512x64xf16>, tensor<2x4x512xf32>, tensor<2x4x512xf32>)
  return %0#0 : tensor<2x4x512x64xf16>
}

// A block owns queries, no more than there are, and loops over keys. So few do not fill a warpgroup.
// CHECK-LABEL: func.func private @queries
// CHECK: proa.attention = #proa.attention<kind = mma, tile = [32, 64], stages = 1>
func.func private @queries(%q: tensor<2x4x17x64xf16>, %k: tensor<2x4x512x64xf16>, %s: tensor<2x4x17xf32>)
    -> tensor<2x4x17x64xf16> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.fused_attention_q_grad %q, %k, %k, %q, %s, %s, %s : (tensor<2x4x17x64xf16>, tensor<2x4x512x64xf16>,
      tensor<2x4x512x64xf16>, tensor<2x4x17x64xf16>, tensor<2x4x17xf32>, tensor<2x4x17xf32>, tensor<2x4x17xf32>)
      -> tensor<2x4x17x64xf16>
  return %0 : tensor<2x4x17x64xf16>
}

// A block owns keys and loops over queries, fewer of them for long rows.
// CHECK-LABEL: func.func private @keys
// CHECK: proa.attention = #proa.attention<kind = fma, tile = [32, 64], stages = 1>
func.func private @keys(%q: tensor<2x4x512x128xf32>, %s: tensor<2x4x512xf32>)
    -> (tensor<2x4x512x128xf32>, tensor<2x4x512x128xf32>) attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0:2 = pd.fused_attention_kv_grad %q, %q, %q, %q, %s, %s, %s : (tensor<2x4x512x128xf32>, tensor<2x4x512x128xf32>,
      tensor<2x4x512x128xf32>, tensor<2x4x512x128xf32>, tensor<2x4x512xf32>, tensor<2x4x512xf32>, tensor<2x4x512xf32>)
      -> (tensor<2x4x512x128xf32>, tensor<2x4x512x128xf32>)
  return %0#0, %0#1 : tensor<2x4x512x128xf32>, tensor<2x4x512x128xf32>
}

// The gradients of keys and values of 128 elements leave registers for one warpgroup and 32 queries at once.
// CHECK-LABEL: func.func private @wide_keys
// CHECK: proa.attention = #proa.attention<kind = wgmma, tile = [32, 64], stages = 4>
func.func private @wide_keys(%q: tensor<2x4x512x128xf16>, %s: tensor<2x4x512xf32>)
    -> (tensor<2x4x512x128xf16>, tensor<2x4x512x128xf16>) attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0:2 = pd.fused_attention_kv_grad %q, %q, %q, %q, %s, %s, %s : (tensor<2x4x512x128xf16>, tensor<2x4x512x128xf16>,
      tensor<2x4x512x128xf16>, tensor<2x4x512x128xf16>, tensor<2x4x512xf32>, tensor<2x4x512xf32>, tensor<2x4x512xf32>)
      -> (tensor<2x4x512x128xf16>, tensor<2x4x512x128xf16>)
  return %0#0, %0#1 : tensor<2x4x512x128xf16>, tensor<2x4x512x128xf16>
}

// A block owns a tile of scores.
// CHECK-LABEL: func.func private @scores
// CHECK: proa.attention = #proa.attention<kind = wgmma, tile = [128, 64], stages = 4>
func.func private @scores(%q: tensor<2x4x512x64xf16>, %s: tensor<2x4x512xf32>) -> tensor<1x4x512x512xf32>
    attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.fused_attention_score_grad %q, %q, %q, %q, %s, %s, %s {sum_batches = true} : (tensor<2x4x512x64xf16>,
      tensor<2x4x512x64xf16>, tensor<2x4x512x64xf16>, tensor<2x4x512x64xf16>, tensor<2x4x512xf32>,
      tensor<2x4x512xf32>, tensor<2x4x512xf32>) -> tensor<1x4x512x512xf32>
  return %0 : tensor<1x4x512x512xf32>
}

// With dropout, tiles are smaller: random words of the scores share the registers.
// CHECK-LABEL: func.func private @dropout
// CHECK: proa.attention = #proa.attention<kind = wgmma, tile = [128, 64], stages = 4>
func.func private @dropout(%q: tensor<2x4x512x64xf16>, %c: tensor<2xi64>) -> tensor<2x4x512x64xf16>
    attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0:3 = pd.fused_attention %q, %q, %q dropout_call = %c {dropout_p = 0.1 : f64}
      : (tensor<2x4x512x64xf16>, tensor<2x4x512x64xf16>, tensor<2x4x512x64xf16>, tensor<2xi64>)
      -> (tensor<2x4x512x64xf16>, tensor<2x4x512xf32>, tensor<2x4x512xf32>)
  return %0#0 : tensor<2x4x512x64xf16>
}

// A block has the query heads that share a head of keys. 2 x 2 heads of keys: 16 blocks share the keys of one, at least
// 256 of them each.
// CHECK-LABEL: func.func private @paged
// CHECK: proa.attention = #proa.attention<kind = mma, tile = [16, 32], stages = 2, split_keys = 16>
func.func private @paged(%q: tensor<2x8x128xf16>, %k: tensor<600x2x16x128xf16>, %t: tensor<2x256xi32>, %n: tensor<2xi32>)
    -> tensor<2x8x128xf16> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.paged_attention %q, %k, %k, %t, %n : (tensor<2x8x128xf16>, tensor<600x2x16x128xf16>,
      tensor<600x2x16x128xf16>, tensor<2x256xi32>, tensor<2xi32>) -> tensor<2x8x128xf16>
  return %0 : tensor<2x8x128xf16>
}

// Many sequences occupy the device without parts.
// CHECK-LABEL: func.func private @sequences
// CHECK: proa.attention = #proa.attention<kind = fma, tile = [16, 32], stages = 2, split_keys = 1>
func.func private @sequences(%q: tensor<300x8x64xf32>, %k: tensor<600x8x16x64xf32>, %t: tensor<300x256xi32>,
                             %n: tensor<300xi32>) -> tensor<300x8x64xf32> attributes {proa.device_kernel = #proa.device_kernel<op>} {
  %0 = pd.paged_attention %q, %k, %k, %t, %n : (tensor<300x8x64xf32>, tensor<600x8x16x64xf32>,
      tensor<600x8x16x64xf32>, tensor<300x256xi32>, tensor<300xi32>) -> tensor<300x8x64xf32>
  return %0 : tensor<300x8x64xf32>
}
