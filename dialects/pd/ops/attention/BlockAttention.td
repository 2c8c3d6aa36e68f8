// Attention ops of Paddle's inference on GPUs that write the keys and values of new tokens to a cache.
#ifndef PROA_DIALECTS_PD_NN_BLOCK_ATTENTION
#define PROA_DIALECTS_PD_NN_BLOCK_ATTENTION

include "dialects/pd/ir/Base.td"

def Pd_BlockMultiheadAttentionOp : Pd_Op<"block_multihead_attention", [AttrSizedOperandSegments]> {
  let lod = "none";
  let summary = "Decoding step: one new token for each sequence, with keys and values in a paged cache";
  let description = [{
    Row b of qkv [B, (H + 2 G) D] has the heads of queries, of keys and of values of the new token of
    sequence b, which has t = seq_lens_decoder[b] tokens in the cache. With x = qkv + qkv_bias:

    1. Rotary embeddings: with `rope_emb`, queries and keys are rotated by the angles of position t. With
       `use_neox_style`, elements i and i + D / 2 of a head are rotated together, and rope_emb [2, ..., D] has the
       cosines and then the sines of all positions: y[i] = x[i] cos[t, i] - x[i + D / 2] sin[t, i],
       y[i + D / 2] = x[i + D / 2] cos[t, i + D / 2] + x[i] sin[t, i + D / 2]. Otherwise elements 2 i and 2 i + 1 are
       rotated by the angle t / rope_theta^(2 i / D): Paddle's kernel for decoding does not read the table then.
    2. Keys and values are written to row t mod S of block block_tables[b, t / S] of the caches [C, G, S, D].
    3. fmha_out [B, H D] is pd.paged_attention over the t + 1 tokens, with scale 1 / sqrt(D).

    qkv_out is x; the caches with the new rows are key_cache_out and value_cache_out. Paddle overwrites qkv and the
    caches.

    At run time: each sequence decodes one token, so that seq_lens_encoder is 0, seq_lens_decoder positive and
    seq_lens_this_time 1. Paddle's kernel also computes prompts (prefill), for which the run fails here. `mask` has no
    effect on decoding, nor have max_seq_len, the offsets and the largest lengths, which follow from the lengths.

    Source: Paddle, phi/kernels/fusion/gpu/block_multi_head_attention_kernel.cu and block_attn.h.
  }];
  let constraints = [
    "C1. qkv has rank 2, the caches have rank 4 and equal types, block_tables rank 2, and qkv the element type of the "
      "caches",
    "C2. qkv has (H + 2 G) D columns with H > 0 a multiple of G; G, S and D are static; qkv_bias has as many elements",
    "C3. qkv has one row for each row of block_tables, and the lengths one element",
    "C4. block_size is S",
    "C5. rope_emb has 2 P D elements for P positions, and D is even",
    "C6. nothing is quantized: no scales, shift or smooth factors, out_scale at most 0, and compute_dtype is default "
      "or the type of qkv",
    "C7. there is no prefix cache and no tgt_mask"
  ];
  let arguments = (ins Pd_FloatTensor:$qkv, Pd_FloatTensor:$key_cache, Pd_FloatTensor:$value_cache,
    Pd_IntTensor:$seq_lens_encoder, Pd_IntTensor:$seq_lens_decoder, Pd_IntTensor:$seq_lens_this_time,
    Pd_IntTensor:$block_tables, Optional<Pd_Tensor>:$pre_key_cache, Optional<Pd_Tensor>:$pre_value_cache,
    Optional<Pd_FloatTensor>:$rope_emb, Optional<Pd_Tensor>:$tgt_mask, Optional<Pd_Tensor>:$cache_k_quant_scales,
    Optional<Pd_Tensor>:$cache_v_quant_scales, Optional<Pd_Tensor>:$cache_k_dequant_scales,
    Optional<Pd_Tensor>:$cache_v_dequant_scales, Optional<Pd_Tensor>:$qkv_out_scale, Optional<Pd_FloatTensor>:$qkv_bias,
    Optional<Pd_Tensor>:$out_shift, Optional<Pd_Tensor>:$out_smooth, DefaultValuedAttr<I64Attr, "64">:$block_size,
    DefaultValuedAttr<BoolAttr, "false">:$use_neox_style, DefaultValuedAttr<F64Attr, "-1.0">:$out_scale,
    DefaultValuedAttr<StrAttr, "\"default\"">:$compute_dtype, DefaultValuedAttr<F64Attr, "10000.0">:$rope_theta);
  let results = (outs Pd_FloatTensor:$fmha_out, Pd_FloatTensor:$qkv_out, Pd_FloatTensor:$key_cache_out,
    Pd_FloatTensor:$value_cache_out);
  let decomposesInCode = 1;
  let precision = "follow";
  // Nothing is quantized (C6), so the bounds and the rounding are irrelevant.
  defvar derived = ["max_seq_len=any", "dynamic_cachekv_quant=false", "quant_round_type=any", "quant_max_bound=any",
    "quant_min_bound=any"];
  let legacy = [LegacyReadOnly<"block_multihead_attention", ["qkv", "key_cache", "value_cache", "seq_lens_encoder",
    "seq_lens_decoder", "seq_lens_this_time", "block_tables", "pre_key_cache", "pre_value_cache", "rope_emb",
    "tgt_mask", "cache_k_quant_scales", "cache_v_quant_scales", "cache_k_dequant_scales", "cache_v_dequant_scales",
    "qkv_out_scale", "qkv_bias", "out_shift", "out_smooth"],
    ["fmha_out", "qkv_out", "key_cache_out", "value_cache_out"],
    ["block_size", "use_neox_style", "out_scale", "compute_dtype", "rope_theta"],
    derived # ["slot padding_offsets", "slot cum_offsets", "slot cu_seqlens_q", "slot cu_seqlens_k", "slot mask",
      "slot max_enc_len_this_time",
      "slot max_dec_len_this_time"]>];
  let newIr = [NewIr<["qkv", "key_cache", "value_cache", "seq_lens_encoder", "seq_lens_decoder", "seq_lens_this_time",
    "unused padding_offsets", "unused cum_offsets", "unused cu_seqlens_q", "unused cu_seqlens_k", "block_tables",
    "pre_key_cache", "pre_value_cache", "rope_emb", "absent mask", "tgt_mask",
    "cache_k_quant_scales", "cache_v_quant_scales", "cache_k_dequant_scales", "cache_v_dequant_scales", "qkv_out_scale",
    "qkv_bias", "out_shift", "out_smooth", "unused max_enc_len_this_time", "unused max_dec_len_this_time"], [], [],
    ["max_seq_len=any", "dynamic_cachekv_quant=false", "quant_round_type=any", "quant_max_bound=any",
     "quant_min_bound=any"]>];
}

def Pd_MaskedMultiheadAttentionOp : Pd_Op<"masked_multihead_attention", [AttrSizedOperandSegments]> {
  let lod = "none";
  let summary = "Decoding step: one new token for each sequence, with keys and values in a cache of whole sequences";
  let description = [{
    Row b of x [B, (H + 2 G) D] has the heads of queries, of keys and of values of the new token of
    sequence b at position t = sequence_lengths[b]; without these, t is the last dim of src_mask less 1. `bias` has as
    many elements as a row, and is added.

    1. Rotary embeddings: with `rotary_emb_dims` 1, queries and keys are rotated by cosines and sines of the token,
       which are rotary_tensor [2, B, ..., D]. Elements i and i + D / 2 of a head are rotated together with
       `use_neox_rotary_style`, as in pd.block_multihead_attention, otherwise elements 2 i and 2 i + 1:
       y[2 i] = x[2 i] cos[2 i] - x[2 i + 1] sin[2 i], y[2 i + 1] = x[2 i + 1] cos[2 i + 1] + x[2 i] sin[2 i + 1].
    2. Keys and values are written to cache_kv [2, B, G, M, D] at position t. As in Paddle, the keys of a head are
       stored as [D / X, M, X], with X the elements of 16 bytes, and its values as [M, D].
    3. out [B, H D] is softmax(q k^T / sqrt(D) + src_mask) v over the positions up to t. src_mask is [B, 1 or H, 1, N];
       with it t is below N.

    Paddle overwrites cache_kv. At run time: sequence_lengths is at least 0; Paddle skips sequences with a negative one.

    Source: Paddle, phi/kernels/fusion/gpu/masked_multihead_attention_kernel.cu.
  }];
  let constraints = [
    "C1. x has rank 2, cache_kv rank 5 and a first dim of 2; x, cache_kv, bias and src_mask have one element type",
    "C2. x has (H + 2 G) D columns with H > 0 a multiple of G; G, M and D are static, and a row of D elements has a "
      "multiple of 16 bytes; bias has as many elements as a row",
    "C3. x, cache_kv, sequence_lengths and src_mask, which is [B, 1 or H, 1, N] with N from 1 to M, have the same B; "
      "one of the last two is given",
    "C4. rotary_emb_dims is 0, or 1 with a rotary_tensor of 2 B D elements",
    "C5. nothing is quantized: no scales, shift or smooth factors, out_scale at most 0, and compute_dtype is default "
      "or the type of x",
    "C6. there are no cum_offsets and no beam_cache_offset"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$cache_kv, Optional<Pd_FloatTensor>:$bias,
    Optional<Pd_FloatTensor>:$src_mask, Optional<Pd_Tensor>:$cum_offsets, Optional<Pd_IntTensor>:$sequence_lengths,
    Optional<Pd_FloatTensor>:$rotary_tensor, Optional<Pd_Tensor>:$beam_cache_offset, Optional<Pd_Tensor>:$qkv_out_scale,
    Optional<Pd_Tensor>:$out_shift, Optional<Pd_Tensor>:$out_smooth, DefaultValuedAttr<I64Attr, "0">:$rotary_emb_dims,
    DefaultValuedAttr<BoolAttr, "false">:$use_neox_rotary_style,
    DefaultValuedAttr<StrAttr, "\"default\"">:$compute_dtype, DefaultValuedAttr<F64Attr, "-1.0">:$out_scale);
  let results = (outs Pd_FloatTensor:$out, Pd_FloatTensor:$cache_kv_out);
  let decomposesInCode = 1;
  // The cache packs as many elements as fit in 16 bytes.
  let precision = "always full";
  defvar derived = ["seq_len=any", "quant_round_type=any", "quant_max_bound=any", "quant_min_bound=any"];
  let legacy = [LegacyReadOnly<"masked_multihead_attention", ["x", "cache_kv", "bias", "src_mask", "cum_offsets",
    "sequence_lengths", "rotary_tensor", "beam_cache_offset", "qkv_out_scale", "out_shift", "out_smooth"],
    ["out", "cache_kv_out"], ["rotary_emb_dims", "use_neox_rotary_style", "compute_dtype", "out_scale"],
    derived # ["slot beam_cache_offset_out"]>];
  let newIr = [NewIr<["x", "cache_kv", "bias", "src_mask", "cum_offsets", "sequence_lengths", "rotary_tensor",
    "beam_cache_offset", "qkv_out_scale", "out_shift", "out_smooth"], ["out", "cache_kv_out", ""], [],
    ["seq_len=any", "quant_round_type=any", "quant_max_bound=any", "quant_min_bound=any"]>];
}

#endif
