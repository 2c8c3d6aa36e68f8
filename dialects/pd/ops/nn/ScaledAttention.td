// Attention and its gradient as one op each, so that devices can split the sequence.
#ifndef PROA_DIALECTS_PD_NN_SCALED_ATTENTION
#define PROA_DIALECTS_PD_NN_SCALED_ATTENTION

include "dialects/pd/ir/Base.td"
include "dialects/pd/ops/nn/RingInterface.td"

// Fields of both ops. `ring` does not change the results. Devices that split the sequence hold the queries, keys and
// values of their part. They gather the keys and values; with `ring` they pass them around in steps instead, and hold
// two parts at a time.
class Pd_ScaledAttentionBase<string mnemonic> : Pd_Op<mnemonic, [DeclareOpInterfaceMethods<RingOpInterface>]> {
  let lod = "none";
  let decomposesInCode = 1;
  let sharding = "inCode";
  dag scaled = (ins DefaultValuedAttr<F64Attr, "1.0">:$scale, DefaultValuedAttr<BoolAttr, "false">:$ring);
  list<string> shapes = [
    "C1. q, k and v have one rank of at least 2 and equal dims before the last two; q and k have equal last dims, k "
      "and v equal dims before it",
    "C2. bias has at most the rank of q; its dims, from the last one, are 1 or those of the scores"
  ];
}

def Pd_AttentionOp : Pd_ScaledAttentionBase<"attention"> {
  let onnx = [OnnxWritten<"exportAttention", "opset >= 23 && isAttentionInOnnx(op)">];
  let summary = "softmax(scale q k^T + bias) v, and the statistics of the softmax";
  let description = [{
    q is [..., M, D], k [..., N, D], v [..., N, E]. The scores s = scale (q k^T) + bias are [..., M, N], `maximum` is
    max(s) and `sum` is sum(exp(s - maximum)) along the last dimension, [..., M, 1]. For operands of 16 bits the
    products are rounded to them, the rest is computed in float32, and the weights exp(s - maximum) / sum are rounded to
    16 bits.
    Dao et al. 2022, "FlashAttention", describes the statistics. pd-form-attention creates the op.
  }];
  let constraints = shapes;
  let arguments = !con((ins Pd_FloatTensor:$q, Pd_FloatTensor:$k, Pd_FloatTensor:$v, Optional<Pd_FloatTensor>:$bias),
    scaled);
  let results = (outs Pd_FloatTensor:$out, Pd_FloatTensor:$maximum, Pd_FloatTensor:$sum);
}

def Pd_AttentionGradOp : Pd_ScaledAttentionBase<"attention_grad"> {
  let summary = "The gradients of pd.attention by q, k and v";
  let description = [{
    With the weights p = exp(s - maximum) / sum of the scores s as in pd.attention:

    - v_grad = p^T out_grad,
    - s_grad = p (out_grad v^T - sum(out_grad out)), with the sum along the last dimension,
    - q_grad = scale s_grad k, k_grad = scale s_grad^T q.

    The sum equals that of p times its gradient, which the formula of softmax has: it needs no other keys.
  }];
  let constraints = shapes # [
    "C3. out and out_grad have the dims of the result of pd.attention; maximum and sum have a last dim of 1"
  ];
  let arguments = !con((ins Pd_FloatTensor:$q, Pd_FloatTensor:$k, Pd_FloatTensor:$v, Optional<Pd_FloatTensor>:$bias,
    Pd_FloatTensor:$out, Pd_FloatTensor:$maximum, Pd_FloatTensor:$sum, Pd_FloatTensor:$out_grad), scaled);
  let results = (outs Pd_FloatTensor:$q_grad, Pd_FloatTensor:$k_grad, Pd_FloatTensor:$v_grad);
}

#endif
