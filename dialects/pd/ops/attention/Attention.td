// Attention ops of programs that were exported on a GPU, as formulas.
#ifndef PROA_DIALECTS_PD_NN_ATTENTION
#define PROA_DIALECTS_PD_NN_ATTENTION

include "dialects/pd/ir/Base.td"

// Of ONNX Runtime.
def : OnnxFormula<"Attention", "importContribAttention", 1, 0, "com.microsoft">;
def : OnnxFormula<"MultiHeadAttention", "importMultiHeadAttention", 1, 0, "com.microsoft">;
def : OnnxFormula<"GroupQueryAttention", "importGroupQueryAttention", 1, 0, "com.microsoft">;
def : OnnxFormula<"RotaryEmbedding", "importContribRotaryEmbedding", 1, 0, "com.microsoft">;
def : OnnxFormula<"QAttention", "importQAttention", 1, 0, "com.microsoft">;
def : OnnxFormula<"RelativePositionBias", "importRelativePositionBias", 1, 0, "com.microsoft">;
def : OnnxFormula<"LinearAttention", "importLinearAttention", 1, 0, "com.microsoft">;
def : OnnxFormula<"LinearAttentionGate", "importLinearAttentionGate", 1, 0, "com.microsoft">;
def : OnnxFormula<"DecoderMaskedMultiHeadAttention", "importDecoderMaskedAttention", 1, 0, "com.microsoft">;
def : OnnxFormula<"SparseAttention", "importSparseAttention", 1, 0, "com.microsoft">;
def : OnnxFormula<"PackedAttention", "importPackedAttention", 1, 0, "com.microsoft">;
def : OnnxFormula<"PackedMultiHeadAttention", "importPackedMultiHeadAttention", 1, 0, "com.microsoft">;
def : OnnxFormula<"RemovePadding", "importRemovePadding", 1, 0, "com.microsoft">;
def : OnnxFormula<"RestorePadding", "importRestorePadding", 1, 0, "com.microsoft">;
def : OnnxFormula<"GatedRelativePositionBias", "importGatedRelativePositionBias", 1, 0, "com.microsoft">;
def : OnnxFormula<"MRotaryEmbedding", "importMRotaryEmbedding", 1, 0, "com.microsoft">;
def : OnnxFormula<"NGramRepeatBlock", "importNGramRepeatBlock", 1, 0, "com.microsoft">;

def Pd_FlashAttnOp : Pd_Op<"flash_attn"> {
  let lod = "none";
  let summary = "Multi-head attention: softmax(q k^T / sqrt(D) + attn_mask) v";
  let description = [{
    q is [B, M, H, D], k and v are [B, N, G, D]; query head h uses the keys of head h / (H / G). With `causal` query i
    uses the keys up to i + N - M. Paddle's kernels save the softmax for the gradient as further results; here the
    formula is differentiated.
  }];
  let constraints = [
    "C1. q, k and v have rank 4; D is static and equal for q and k",
    "C2. G, the number of heads of k and v, divides the number of heads of q; both are static",
    "C3. `dropout` is 0, or `is_test` is set"
  ];
  let arguments = (ins Pd_FloatTensor:$q, Pd_FloatTensor:$k, Pd_FloatTensor:$v, Optional<Pd_FloatTensor>:$attn_mask,
    DefaultValuedAttr<F64Attr, "0.0">:$dropout, DefaultValuedAttr<BoolAttr, "false">:$causal,
      DefaultValuedAttr<BoolAttr, "false">:$is_test);
  let results = (outs Pd_FloatTensor:$out);
  let decomposesInCode = 1;
  let newIr = [NewIr<["q", "k", "v", "absent fixed_seed_offset", "attn_mask"], ["out", "", "", ""], [],
    ["return_softmax=any", "rng_name=any"]>];
  let legacy = [LegacyReadOnly<"flash_attn", ["q", "k", "v", "attn_mask"], ["out"], ["dropout", "causal", "is_test"],
    ["return_softmax=any", "rng_name=any", "slot fixed_seed_offset", "slot softmax", "slot softmax_lse",
      "slot seed_offset"]>];
  let newIrGradients = ["flash_attn_grad(q, k, v, out, result 2, result 3, attn_mask) -> q, k, v"];
}

def Pd_FusedSoftmaxMaskUpperTriangleOp : Pd_Op<"fused_softmax_mask_upper_triangle"> {
  let lod = "none";
  let summary = "Softmax along the last dimension of the lower triangle of each matrix; zero above it";
  let constraints = ["C1. x has rank 2 or more"];
  let arguments = (ins Pd_FloatTensor:$x);
  let results = (outs Pd_FloatTensor:$out);
  let decomposesInCode = 1;
  let legacy = [LegacyReadOnly<"fused_softmax_mask_upper_triangle", ["X"], ["Out"]>];
  let newIrGradients = ["fused_softmax_mask_upper_triangle_grad(out)"];
}

def : OnnxFormula<"Attention", "importAttention">;
def : OnnxFormula<"FlexAttention", "importFlexAttention", 1, 0, "ai.onnx.preview">;
def : OnnxFormula<"LinearAttention", "importLinearAttention">;
def : OnnxFormula<"RotaryEmbedding", "importRotaryEmbedding">;

#endif
