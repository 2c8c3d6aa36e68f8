// Attention with heads of 256 elements: causal, of odd lengths, with masks and shared heads of keys.
func.func @main(
    %causal_q: tensor<2x8x1024x256xbf16>,
    %causal_k: tensor<2x8x1024x256xbf16>,
    %shared_q: tensor<2x8x1024x256xbf16>,
    %shared_k: tensor<2x2x1024x256xbf16>,
    %full_q: tensor<2x8x1024x256xbf16>,
    %full_k: tensor<2x8x1024x256xbf16>,
    %odd_q: tensor<2x8x1000x256xbf16>,
    %odd_k: tensor<2x8x1000x256xbf16>,
    %odd_causal_q: tensor<2x8x1023x256xbf16>,
    %odd_causal_k: tensor<2x8x1023x256xbf16>,
    %masked_q: tensor<2x8x1024x256xbf16>,
    %masked_k: tensor<2x8x1024x256xbf16>,
    %masked_m: tensor<1x8x1024x1024xbf16>,
    %row_mask_q: tensor<2x8x1000x256xbf16>,
    %row_mask_k: tensor<2x8x1000x256xbf16>,
    %row_mask_m: tensor<2x1x1x1000xbf16>
) -> (
    tensor<2x8x1024x256xbf16>,
    tensor<2x8x1024x256xbf16>,
    tensor<2x8x1024x256xbf16>,
    tensor<2x8x1000x256xbf16>,
    tensor<2x8x1023x256xbf16>,
    tensor<2x8x1024x256xbf16>,
    tensor<2x8x1000x256xbf16>
) {
  %causal:3 = pd.fused_attention %causal_q, %causal_k, %causal_k {causal = true}
      : (tensor<2x8x1024x256xbf16>, tensor<2x8x1024x256xbf16>, tensor<2x8x1024x256xbf16>) -> (tensor<2x8x1024x256xbf16>, tensor<2x8x1024xf32>, tensor<2x8x1024xf32>)
  %shared:3 = pd.fused_attention %shared_q, %shared_k, %shared_k {causal = true}
      : (tensor<2x8x1024x256xbf16>, tensor<2x2x1024x256xbf16>, tensor<2x2x1024x256xbf16>) -> (tensor<2x8x1024x256xbf16>, tensor<2x8x1024xf32>, tensor<2x8x1024xf32>)
  %full:3 = pd.fused_attention %full_q, %full_k, %full_k
      : (tensor<2x8x1024x256xbf16>, tensor<2x8x1024x256xbf16>, tensor<2x8x1024x256xbf16>) -> (tensor<2x8x1024x256xbf16>, tensor<2x8x1024xf32>, tensor<2x8x1024xf32>)
  %odd:3 = pd.fused_attention %odd_q, %odd_k, %odd_k
      : (tensor<2x8x1000x256xbf16>, tensor<2x8x1000x256xbf16>, tensor<2x8x1000x256xbf16>) -> (tensor<2x8x1000x256xbf16>, tensor<2x8x1000xf32>, tensor<2x8x1000xf32>)
  %odd_causal:3 = pd.fused_attention %odd_causal_q, %odd_causal_k, %odd_causal_k {causal = true}
      : (tensor<2x8x1023x256xbf16>, tensor<2x8x1023x256xbf16>, tensor<2x8x1023x256xbf16>) -> (tensor<2x8x1023x256xbf16>, tensor<2x8x1023xf32>, tensor<2x8x1023xf32>)
  %masked:3 = pd.fused_attention %masked_q, %masked_k, %masked_k mask = %masked_m
      : (tensor<2x8x1024x256xbf16>, tensor<2x8x1024x256xbf16>, tensor<2x8x1024x256xbf16>, tensor<1x8x1024x1024xbf16>) -> (tensor<2x8x1024x256xbf16>, tensor<2x8x1024xf32>, tensor<2x8x1024xf32>)
  %row_mask:3 = pd.fused_attention %row_mask_q, %row_mask_k, %row_mask_k mask = %row_mask_m
      : (tensor<2x8x1000x256xbf16>, tensor<2x8x1000x256xbf16>, tensor<2x8x1000x256xbf16>, tensor<2x1x1x1000xbf16>) -> (tensor<2x8x1000x256xbf16>, tensor<2x8x1000xf32>, tensor<2x8x1000xf32>)
  return
    %causal#0,
    %shared#0,
    %full#0,
    %odd#0,
    %odd_causal#0,
    %masked#0,
    %row_mask#0
    : tensor<2x8x1024x256xbf16>,
      tensor<2x8x1024x256xbf16>,
      tensor<2x8x1024x256xbf16>,
      tensor<2x8x1000x256xbf16>,
      tensor<2x8x1023x256xbf16>,
      tensor<2x8x1024x256xbf16>,
      tensor<2x8x1000x256xbf16>
}
