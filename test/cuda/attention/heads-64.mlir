// Attention with heads of 64 elements: causal, of odd lengths, with masks and shared heads of keys.
func.func @main(
    %causal_q: tensor<2x8x1024x64xbf16>,
    %causal_k: tensor<2x8x1024x64xbf16>,
    %causal_s: tensor<2x8x1024xf32>,
    %shared_q: tensor<2x8x1024x64xbf16>,
    %shared_k: tensor<2x2x1024x64xbf16>,
    %full_q: tensor<2x8x1024x64xbf16>,
    %full_k: tensor<2x8x1024x64xbf16>,
    %full_s: tensor<2x8x1024xf32>,
    %odd_q: tensor<2x8x1000x64xbf16>,
    %odd_k: tensor<2x8x1000x64xbf16>,
    %odd_s: tensor<2x8x1000xf32>,
    %odd_causal_q: tensor<2x8x1023x64xbf16>,
    %odd_causal_k: tensor<2x8x1023x64xbf16>,
    %odd_causal_s: tensor<2x8x1023xf32>,
    %masked_q: tensor<2x8x1024x64xbf16>,
    %masked_k: tensor<2x8x1024x64xbf16>,
    %masked_m: tensor<1x8x1024x1024xbf16>,
    %masked_s: tensor<2x8x1024xf32>,
    %row_mask_q: tensor<2x8x1000x64xbf16>,
    %row_mask_k: tensor<2x8x1000x64xbf16>,
    %row_mask_m: tensor<2x1x1x1000xbf16>,
    %row_mask_s: tensor<2x8x1000xf32>,
    %half_q: tensor<2x8x1000x64xf16>,
    %half_k: tensor<2x8x1000x64xf16>,
    %half_s: tensor<2x8x1000xf32>,
    %uneven_mask2_q: tensor<2x8x1000x64xbf16>,
    %uneven_mask2_k: tensor<2x8x1000x64xbf16>,
    %uneven_mask2_m: tensor<2x1x1x1000xbf16>,
    %uneven_mask2_s: tensor<2x8x1000xf32>
) -> (
    tensor<2x8x1024x64xbf16>,
    tensor<2x8x1024x64xbf16>,
    tensor<2x8x1024x64xbf16>,
    tensor<2x8x1024x64xbf16>,
    tensor<2x8x1024x64xbf16>,
    tensor<2x8x1024x64xbf16>,
    tensor<2x8x1024x64xbf16>,
    tensor<2x8x1024x64xbf16>,
    tensor<2x8x1024x64xbf16>,
    tensor<2x8x1000x64xbf16>,
    tensor<2x8x1000x64xbf16>,
    tensor<2x8x1000x64xbf16>,
    tensor<2x8x1000x64xbf16>,
    tensor<2x8x1023x64xbf16>,
    tensor<2x8x1023x64xbf16>,
    tensor<2x8x1023x64xbf16>,
    tensor<2x8x1023x64xbf16>,
    tensor<2x8x1024x64xbf16>,
    tensor<2x8x1024x64xbf16>,
    tensor<2x8x1024x64xbf16>,
    tensor<2x8x1024x64xbf16>,
    tensor<2x8x1000x64xbf16>,
    tensor<2x8x1000x64xbf16>,
    tensor<2x8x1000x64xbf16>,
    tensor<2x8x1000x64xbf16>,
    tensor<2x8x1000x64xf16>,
    tensor<2x8x1000x64xf16>,
    tensor<2x8x1000x64xf16>,
    tensor<2x8x1000x64xf16>,
    tensor<2x8x1000x64xbf16>,
    tensor<2x8x1000x64xbf16>,
    tensor<2x8x1000x64xbf16>,
    tensor<2x8x1000x64xbf16>
) {
  %causal:3 = pd.fused_attention %causal_q, %causal_k, %causal_k {causal = true}
      : (tensor<2x8x1024x64xbf16>, tensor<2x8x1024x64xbf16>, tensor<2x8x1024x64xbf16>) -> (tensor<2x8x1024x64xbf16>, tensor<2x8x1024xf32>, tensor<2x8x1024xf32>)
  %causal_gq = pd.fused_attention_q_grad %causal_q, %causal_k, %causal_k, %causal_q, %causal#1, %causal#2, %causal_s {causal = true}
      : (tensor<2x8x1024x64xbf16>, tensor<2x8x1024x64xbf16>, tensor<2x8x1024x64xbf16>, tensor<2x8x1024x64xbf16>, tensor<2x8x1024xf32>, tensor<2x8x1024xf32>, tensor<2x8x1024xf32>) -> tensor<2x8x1024x64xbf16>
  %causal_gk:2 = pd.fused_attention_kv_grad %causal_q, %causal_k, %causal_k, %causal_q, %causal#1, %causal#2, %causal_s {causal = true}
      : (tensor<2x8x1024x64xbf16>, tensor<2x8x1024x64xbf16>, tensor<2x8x1024x64xbf16>, tensor<2x8x1024x64xbf16>, tensor<2x8x1024xf32>, tensor<2x8x1024xf32>, tensor<2x8x1024xf32>) -> (tensor<2x8x1024x64xbf16>, tensor<2x8x1024x64xbf16>)
  %shared:3 = pd.fused_attention %shared_q, %shared_k, %shared_k {causal = true}
      : (tensor<2x8x1024x64xbf16>, tensor<2x2x1024x64xbf16>, tensor<2x2x1024x64xbf16>) -> (tensor<2x8x1024x64xbf16>, tensor<2x8x1024xf32>, tensor<2x8x1024xf32>)
  %full:3 = pd.fused_attention %full_q, %full_k, %full_k
      : (tensor<2x8x1024x64xbf16>, tensor<2x8x1024x64xbf16>, tensor<2x8x1024x64xbf16>) -> (tensor<2x8x1024x64xbf16>, tensor<2x8x1024xf32>, tensor<2x8x1024xf32>)
  %full_gq = pd.fused_attention_q_grad %full_q, %full_k, %full_k, %full_q, %full#1, %full#2, %full_s
      : (tensor<2x8x1024x64xbf16>, tensor<2x8x1024x64xbf16>, tensor<2x8x1024x64xbf16>, tensor<2x8x1024x64xbf16>, tensor<2x8x1024xf32>, tensor<2x8x1024xf32>, tensor<2x8x1024xf32>) -> tensor<2x8x1024x64xbf16>
  %full_gk:2 = pd.fused_attention_kv_grad %full_q, %full_k, %full_k, %full_q, %full#1, %full#2, %full_s
      : (tensor<2x8x1024x64xbf16>, tensor<2x8x1024x64xbf16>, tensor<2x8x1024x64xbf16>, tensor<2x8x1024x64xbf16>, tensor<2x8x1024xf32>, tensor<2x8x1024xf32>, tensor<2x8x1024xf32>) -> (tensor<2x8x1024x64xbf16>, tensor<2x8x1024x64xbf16>)
  %odd:3 = pd.fused_attention %odd_q, %odd_k, %odd_k
      : (tensor<2x8x1000x64xbf16>, tensor<2x8x1000x64xbf16>, tensor<2x8x1000x64xbf16>) -> (tensor<2x8x1000x64xbf16>, tensor<2x8x1000xf32>, tensor<2x8x1000xf32>)
  %odd_gq = pd.fused_attention_q_grad %odd_q, %odd_k, %odd_k, %odd_q, %odd#1, %odd#2, %odd_s
      : (tensor<2x8x1000x64xbf16>, tensor<2x8x1000x64xbf16>, tensor<2x8x1000x64xbf16>, tensor<2x8x1000x64xbf16>, tensor<2x8x1000xf32>, tensor<2x8x1000xf32>, tensor<2x8x1000xf32>) -> tensor<2x8x1000x64xbf16>
  %odd_gk:2 = pd.fused_attention_kv_grad %odd_q, %odd_k, %odd_k, %odd_q, %odd#1, %odd#2, %odd_s
      : (tensor<2x8x1000x64xbf16>, tensor<2x8x1000x64xbf16>, tensor<2x8x1000x64xbf16>, tensor<2x8x1000x64xbf16>, tensor<2x8x1000xf32>, tensor<2x8x1000xf32>, tensor<2x8x1000xf32>) -> (tensor<2x8x1000x64xbf16>, tensor<2x8x1000x64xbf16>)
  %odd_causal:3 = pd.fused_attention %odd_causal_q, %odd_causal_k, %odd_causal_k {causal = true}
      : (tensor<2x8x1023x64xbf16>, tensor<2x8x1023x64xbf16>, tensor<2x8x1023x64xbf16>) -> (tensor<2x8x1023x64xbf16>, tensor<2x8x1023xf32>, tensor<2x8x1023xf32>)
  %odd_causal_gq = pd.fused_attention_q_grad %odd_causal_q, %odd_causal_k, %odd_causal_k, %odd_causal_q, %odd_causal#1, %odd_causal#2, %odd_causal_s {causal = true}
      : (tensor<2x8x1023x64xbf16>, tensor<2x8x1023x64xbf16>, tensor<2x8x1023x64xbf16>, tensor<2x8x1023x64xbf16>, tensor<2x8x1023xf32>, tensor<2x8x1023xf32>, tensor<2x8x1023xf32>) -> tensor<2x8x1023x64xbf16>
  %odd_causal_gk:2 = pd.fused_attention_kv_grad %odd_causal_q, %odd_causal_k, %odd_causal_k, %odd_causal_q, %odd_causal#1, %odd_causal#2, %odd_causal_s {causal = true}
      : (tensor<2x8x1023x64xbf16>, tensor<2x8x1023x64xbf16>, tensor<2x8x1023x64xbf16>, tensor<2x8x1023x64xbf16>, tensor<2x8x1023xf32>, tensor<2x8x1023xf32>, tensor<2x8x1023xf32>) -> (tensor<2x8x1023x64xbf16>, tensor<2x8x1023x64xbf16>)
  %masked:3 = pd.fused_attention %masked_q, %masked_k, %masked_k mask = %masked_m
      : (tensor<2x8x1024x64xbf16>, tensor<2x8x1024x64xbf16>, tensor<2x8x1024x64xbf16>, tensor<1x8x1024x1024xbf16>) -> (tensor<2x8x1024x64xbf16>, tensor<2x8x1024xf32>, tensor<2x8x1024xf32>)
  %masked_gq = pd.fused_attention_q_grad %masked_q, %masked_k, %masked_k, %masked_q, %masked#1, %masked#2, %masked_s mask = %masked_m
      : (tensor<2x8x1024x64xbf16>, tensor<2x8x1024x64xbf16>, tensor<2x8x1024x64xbf16>, tensor<2x8x1024x64xbf16>, tensor<2x8x1024xf32>, tensor<2x8x1024xf32>, tensor<2x8x1024xf32>, tensor<1x8x1024x1024xbf16>) -> tensor<2x8x1024x64xbf16>
  %masked_gk:2 = pd.fused_attention_kv_grad %masked_q, %masked_k, %masked_k, %masked_q, %masked#1, %masked#2, %masked_s mask = %masked_m
      : (tensor<2x8x1024x64xbf16>, tensor<2x8x1024x64xbf16>, tensor<2x8x1024x64xbf16>, tensor<2x8x1024x64xbf16>, tensor<2x8x1024xf32>, tensor<2x8x1024xf32>, tensor<2x8x1024xf32>, tensor<1x8x1024x1024xbf16>) -> (tensor<2x8x1024x64xbf16>, tensor<2x8x1024x64xbf16>)
  %row_mask:3 = pd.fused_attention %row_mask_q, %row_mask_k, %row_mask_k mask = %row_mask_m
      : (tensor<2x8x1000x64xbf16>, tensor<2x8x1000x64xbf16>, tensor<2x8x1000x64xbf16>, tensor<2x1x1x1000xbf16>) -> (tensor<2x8x1000x64xbf16>, tensor<2x8x1000xf32>, tensor<2x8x1000xf32>)
  %row_mask_gq = pd.fused_attention_q_grad %row_mask_q, %row_mask_k, %row_mask_k, %row_mask_q, %row_mask#1, %row_mask#2, %row_mask_s mask = %row_mask_m
      : (tensor<2x8x1000x64xbf16>, tensor<2x8x1000x64xbf16>, tensor<2x8x1000x64xbf16>, tensor<2x8x1000x64xbf16>, tensor<2x8x1000xf32>, tensor<2x8x1000xf32>, tensor<2x8x1000xf32>, tensor<2x1x1x1000xbf16>) -> tensor<2x8x1000x64xbf16>
  %row_mask_gk:2 = pd.fused_attention_kv_grad %row_mask_q, %row_mask_k, %row_mask_k, %row_mask_q, %row_mask#1, %row_mask#2, %row_mask_s mask = %row_mask_m
      : (tensor<2x8x1000x64xbf16>, tensor<2x8x1000x64xbf16>, tensor<2x8x1000x64xbf16>, tensor<2x8x1000x64xbf16>, tensor<2x8x1000xf32>, tensor<2x8x1000xf32>, tensor<2x8x1000xf32>, tensor<2x1x1x1000xbf16>) -> (tensor<2x8x1000x64xbf16>, tensor<2x8x1000x64xbf16>)
  %half:3 = pd.fused_attention %half_q, %half_k, %half_k {causal = true}
      : (tensor<2x8x1000x64xf16>, tensor<2x8x1000x64xf16>, tensor<2x8x1000x64xf16>) -> (tensor<2x8x1000x64xf16>, tensor<2x8x1000xf32>, tensor<2x8x1000xf32>)
  %half_gq = pd.fused_attention_q_grad %half_q, %half_k, %half_k, %half_q, %half#1, %half#2, %half_s {causal = true}
      : (tensor<2x8x1000x64xf16>, tensor<2x8x1000x64xf16>, tensor<2x8x1000x64xf16>, tensor<2x8x1000x64xf16>, tensor<2x8x1000xf32>, tensor<2x8x1000xf32>, tensor<2x8x1000xf32>) -> tensor<2x8x1000x64xf16>
  %half_gk:2 = pd.fused_attention_kv_grad %half_q, %half_k, %half_k, %half_q, %half#1, %half#2, %half_s {causal = true}
      : (tensor<2x8x1000x64xf16>, tensor<2x8x1000x64xf16>, tensor<2x8x1000x64xf16>, tensor<2x8x1000x64xf16>, tensor<2x8x1000xf32>, tensor<2x8x1000xf32>, tensor<2x8x1000xf32>) -> (tensor<2x8x1000x64xf16>, tensor<2x8x1000x64xf16>)
  %uneven_mask2:3 = pd.fused_attention %uneven_mask2_q, %uneven_mask2_k, %uneven_mask2_k mask = %uneven_mask2_m
      : (tensor<2x8x1000x64xbf16>, tensor<2x8x1000x64xbf16>, tensor<2x8x1000x64xbf16>, tensor<2x1x1x1000xbf16>) -> (tensor<2x8x1000x64xbf16>, tensor<2x8x1000xf32>, tensor<2x8x1000xf32>)
  %uneven_mask2_gq = pd.fused_attention_q_grad %uneven_mask2_q, %uneven_mask2_k, %uneven_mask2_k, %uneven_mask2_q, %uneven_mask2#1, %uneven_mask2#2, %uneven_mask2_s mask = %uneven_mask2_m
      : (tensor<2x8x1000x64xbf16>, tensor<2x8x1000x64xbf16>, tensor<2x8x1000x64xbf16>, tensor<2x8x1000x64xbf16>, tensor<2x8x1000xf32>, tensor<2x8x1000xf32>, tensor<2x8x1000xf32>, tensor<2x1x1x1000xbf16>) -> tensor<2x8x1000x64xbf16>
  %uneven_mask2_gk:2 = pd.fused_attention_kv_grad %uneven_mask2_q, %uneven_mask2_k, %uneven_mask2_k, %uneven_mask2_q, %uneven_mask2#1, %uneven_mask2#2, %uneven_mask2_s mask = %uneven_mask2_m
      : (tensor<2x8x1000x64xbf16>, tensor<2x8x1000x64xbf16>, tensor<2x8x1000x64xbf16>, tensor<2x8x1000x64xbf16>, tensor<2x8x1000xf32>, tensor<2x8x1000xf32>, tensor<2x8x1000xf32>, tensor<2x1x1x1000xbf16>) -> (tensor<2x8x1000x64xbf16>, tensor<2x8x1000x64xbf16>)
  return
    %causal#0,
    %causal_gq,
    %causal_gk#0,
    %causal_gk#1,
    %shared#0,
    %full#0,
    %full_gq,
    %full_gk#0,
    %full_gk#1,
    %odd#0,
    %odd_gq,
    %odd_gk#0,
    %odd_gk#1,
    %odd_causal#0,
    %odd_causal_gq,
    %odd_causal_gk#0,
    %odd_causal_gk#1,
    %masked#0,
    %masked_gq,
    %masked_gk#0,
    %masked_gk#1,
    %row_mask#0,
    %row_mask_gq,
    %row_mask_gk#0,
    %row_mask_gk#1,
    %half#0,
    %half_gq,
    %half_gk#0,
    %half_gk#1,
    %uneven_mask2#0,
    %uneven_mask2_gq,
    %uneven_mask2_gk#0,
    %uneven_mask2_gk#1
    : tensor<2x8x1024x64xbf16>,
      tensor<2x8x1024x64xbf16>,
      tensor<2x8x1024x64xbf16>,
      tensor<2x8x1024x64xbf16>,
      tensor<2x8x1024x64xbf16>,
      tensor<2x8x1024x64xbf16>,
      tensor<2x8x1024x64xbf16>,
      tensor<2x8x1024x64xbf16>,
      tensor<2x8x1024x64xbf16>,
      tensor<2x8x1000x64xbf16>,
      tensor<2x8x1000x64xbf16>,
      tensor<2x8x1000x64xbf16>,
      tensor<2x8x1000x64xbf16>,
      tensor<2x8x1023x64xbf16>,
      tensor<2x8x1023x64xbf16>,
      tensor<2x8x1023x64xbf16>,
      tensor<2x8x1023x64xbf16>,
      tensor<2x8x1024x64xbf16>,
      tensor<2x8x1024x64xbf16>,
      tensor<2x8x1024x64xbf16>,
      tensor<2x8x1024x64xbf16>,
      tensor<2x8x1000x64xbf16>,
      tensor<2x8x1000x64xbf16>,
      tensor<2x8x1000x64xbf16>,
      tensor<2x8x1000x64xbf16>,
      tensor<2x8x1000x64xf16>,
      tensor<2x8x1000x64xf16>,
      tensor<2x8x1000x64xf16>,
      tensor<2x8x1000x64xf16>,
      tensor<2x8x1000x64xbf16>,
      tensor<2x8x1000x64xbf16>,
      tensor<2x8x1000x64xbf16>,
      tensor<2x8x1000x64xbf16>
}
