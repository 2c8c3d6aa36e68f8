// Scaled dot-product attention and its gradients as single ops.
// pd-form-attention creates them of products and softmax.
#ifndef PROA_DIALECTS_PD_NN_FUSED_ATTENTION
#define PROA_DIALECTS_PD_NN_FUSED_ATTENTION

include "dialects/pd/ir/Base.td"
include "dialects/pd/ir/DeviceKernel.td"
include "dialects/pd/ir/Enums.td"
include "dialects/pd/ir/PartialLibrary.td"
include "dialects/pd/ops/attention/FusedAttentionInterface.td"
include "dialects/pd/ops/attention/RingInterface.td"

// The fields of all ops.
class Pd_FusedAttentionBase<string mnemonic, list<Trait> traits = []>
    : Pd_Op<mnemonic, [AttrSizedOperandSegments, FusedAttentionOpInterface] # traits> {
  let lod = "none";
  let decomposesInCode = 1;
  dag inputs = (ins Pd_FloatTensor:$q, Pd_FloatTensor:$k, Pd_FloatTensor:$v);
  dag settings = (ins Optional<AnyTypeOf<[Pd_FloatTensor, Pd_BoolTensor]>>:$mask, Optional<Pd_IntTensor>:$key_lengths,
      Optional<Pd_IntTensor>:$dropout_call, Optional<Pd_IntTensor>:$part_begin,
      Optional<AnyTypeOf<[Pd_FloatTensor, Pd_BoolTensor]>>:$key_mask,
      DefaultValuedAttr<F64Attr, "1.0">:$scale, DefaultValuedAttr<BoolAttr, "false">:$causal,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$q_permutation,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$k_permutation,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$v_permutation,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$out_permutation,
      DefaultValuedAttr<F64Attr, "0.0">:$dropout_p,
      Pd_DefaultEnum<Pd_DropoutModeAttr, "UpscaleInTrain">:$dropout_mode,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$whole_shape, DefaultValuedAttr<F64Attr, "0.0">:$mask_fill,
      DefaultValuedAttr<F64Attr, "0.0">:$soft_cap, DefaultValuedAttr<I64Attr, "-1">:$left_window,
      DefaultValuedAttr<I64Attr, "-1">:$right_window);
  list<string> shapes =
      ["C1. q, k and v have rank 4 and the same element type, and a permutation has each of 0 to 3 once",
       "C2. B, N, D and the heads agree: G divides H, and D, E, G and H are static",
       "C3. mask has rank 4 and broadcasts to [B, H, M, N]", "C4. key_lengths has dims [B]"];
  list<string> ranges =
      ["C7. dropout_call has dims [2] and the element type i64, and dropout_p, which is 0 without it, is in [0, 1]",
       "C8. with dropout_call, whole_shape may have four entries, of which the last is N, and part_begin four",
       "C9. soft_cap is finite and not negative", "C10. left_window and right_window are -1 or more",
       "C11. key_mask has dims [B, 1, 1, N], of which B and N may be 1"];
}

// A GPU computes the op by one kernel.
class Pd_FusedAttentionKernel<string mnemonic, list<Trait> traits = []>
    : Pd_FusedAttentionBase<mnemonic, [DeclareOpInterfaceMethods<DeviceKernelOpInterface>] # traits>;

// A CPU computes the op by a library kernel, in float32.
class Pd_FusedAttentionLibrary<string mnemonic, list<Trait> traits = []>
    : Pd_FusedAttentionKernel<mnemonic, [DeclareOpInterfaceMethods<PartialLibraryOpInterface>] # traits> {
  let library = mnemonic;
  let libraryHalf = 1;
}

// Devices that split the sequence hold the queries, keys and values of their shard. They gather keys and values; with
// `ring` they pass them around in steps instead, and hold two shards at a time. The results do not depend on it.
defvar ringOfDevices = (ins DefaultValuedAttr<BoolAttr, "false">:$ring);

def Pd_FusedAttentionOp
    : Pd_FusedAttentionLibrary<"fused_attention", [DeclareOpInterfaceMethods<RingOpInterface>]> {
  let onnx = [OnnxWritten<"exportAttention", "opset >= 23 && isAttentionInOnnx(op)">];
  let sharding = "inCode";
  let summary = "Scaled dot-product attention: softmax(scale * q k^T + mask) v";
  let description = [{
    For each batch b, query head h and query m, with n over the keys of head g = h / (H / G):

        t[n] = scale * sum_d q[b, h, m, d] * k[b, g, n, d]
        c[n] = soft_cap * tanh(t[n] / soft_cap), or t[n] where soft_cap is 0
        s[n] = c[n] + key_mask[b, n] + mask[b, h, m, n], or mask_fill where a condition is false
        maximum[b, h, m] = max_n s[n]
        sum[b, h, m] = sum_n exp(s[n] - maximum[b, h, m])
        out[b, h, m, e] = sum_n exp(s[n] - maximum[b, h, m]) / sum[b, h, m] * v[b, g, n, e]

    The dims are q [B, H, M, D], k [B, G, N, D], v [B, G, N, E] and out [B, H, M, E]; with a permutation, dim i of these
    is dim `permutation[i]` of the tensor. mask broadcasts to [B, H, M, N], and key_mask has the dims [B, 1, 1, N], of
    which B and N may be 1. Each may be absent. Each is a condition if it is of i1: it is not added, and s[n] is
    `mask_fill` where it is false. Masks of keys have an operand, so that no mask of all scores is formed of them and
    other masks.

    Query m is at the position p = m + N - M among the keys. It uses keys n <= p with `causal`, n >= p - w with
    `left_window` w >= 0, n <= p + w with `right_window` w >= 0, and n < key_lengths[b] with `key_lengths` [B]. The
    sums are computed in float32, for float64 in float64. `maximum` and `sum` have that type.

    A query without keys, or whose mask is minus infinity for all of them, gives NaN.

    With `dropout_call`, the key and number of an execution that rt.random_call gives, weight n in the sum of `out` is
    multiplied by z[n], as pd.dropout does in training with p = dropout_p and mode = dropout_mode: 0 if number
    ((b H + h) M + m) N + n of this execution of pd.uniform, in [0, 1), is below p; else 1 / (1 - p) in mode
    upscale_in_train, and 1 in mode downgrade_in_infer. `maximum` and `sum` are computed without dropout. With
    `whole_shape` [B', H', M', N] the weights are the shard of the weights of the whole program that begins at the index
    `part_begin` [b', h', m', 0], and the number is (((b + b') H' + h + h') M' + m + m') N + n.

    With `ring` devices that split the sequence pass keys and values around in steps, and hold two shards at a time;
    without it they gather them. The results do not depend on it.

    Source: Gemma Team, "Gemma 2" (2024), for `soft_cap`; Beltagy et al., "Longformer" (2020), for the windows; Dao et
    al., "FlashAttention-2" (2023), for the kernels, which compute the same without a matrix of scores in
    memory. The CPU kernel does not compute float64.
  }];
  let constraints = shapes # ranges;
  let arguments = !con(inputs, settings, ringOfDevices);
  let results = (outs Pd_FloatTensor:$out, Pd_FloatTensor:$maximum, Pd_FloatTensor:$sum);
}

def Pd_FusedAttentionGradOp
    : Pd_FusedAttentionLibrary<"fused_attention_grad", [DeclareOpInterfaceMethods<RingOpInterface>]> {
  let sharding = "inCode";
  let summary = "The gradients of pd.fused_attention by q, k and v";
  let description = [{
    With the scores s of pd.fused_attention, its results out, maximum and sum, and the gradient out_grad of out, for
    each batch b, query head h, query m, and key n of head g = h / (H / G):

        p[n] = exp(s[n] - maximum[b, h, m]) / sum[b, h, m]
        delta[b, h, m] = sum_e out_grad[b, h, m, e] * out[b, h, m, e]
        s_grad[n] = p[n] * (z[n] * sum_e out_grad[b, h, m, e] * v[b, g, n, e] - delta[b, h, m]), or 0 where the mask is
                    a condition that is false
        t_grad[n] = s_grad[n] * (1 - tanh(t[n] / soft_cap)^2), or s_grad[n] where soft_cap is 0
        q_grad[b, h, m, d] = scale * sum_n t_grad[n] * k[b, g, n, d]
        k_grad[b, g, n, d] = scale * sum_hm t_grad[n] * q[b, h, m, d]
        v_grad[b, g, n, e] = sum_hm p[n] * z[n] * out_grad[b, h, m, e]

    The sums sum_hm are over all queries of the query heads h that share the head g. delta is the sum of p times
    its gradient, which the derivative of softmax has. z is 1, or the factor of dropout of the same execution. The dims,
    masks, `causal`, windows and `key_lengths` are as in pd.fused_attention; `out_permutation` also holds for
    out_grad, and a gradient is stored as its tensor. The sums are computed in float32, for float64 in float64. The
    gradient of mask is the result of pd.fused_attention_score_grad. A query without keys gives NaN.

    On GPUs the op is decomposed into delta, `pd.fused_attention_q_grad` and `pd.fused_attention_kv_grad`: a block that
    owns queries sums over keys, one that owns keys sums over queries. A thread of a CPU owns a head of keys, or a slice
    of its queries, and computes all gradients from one computation of the weights.

    Source: Dao, "FlashAttention-2" (2023), algorithm 2.
  }];
  let constraints = shapes # [
    "C5. out and out_grad have the dims and the type of the result of pd.fused_attention",
    "C6. maximum and sum have dims [B, H, M] and the type of the sums"
  ] # ranges;
  let arguments = !con(inputs, (ins Pd_FloatTensor:$out_grad, Pd_FloatTensor:$maximum, Pd_FloatTensor:$sum,
    Pd_FloatTensor:$out), settings, ringOfDevices);
  let results = (outs Pd_FloatTensor:$q_grad, Pd_FloatTensor:$k_grad, Pd_FloatTensor:$v_grad);
}

// Some of the gradients, which is one kernel of a GPU; `more` are attributes of its own.
class Pd_FusedAttentionPartialGrad<string mnemonic, dag more = (ins), list<Trait> traits = []>
    : Pd_FusedAttentionKernel<mnemonic, traits> {
  let constraints = shapes # [
    "C5. out_grad has the dims and the type of the result of pd.fused_attention",
    "C6. maximum, sum and delta have dims [B, H, M] and the type of the sums"
  ] # ranges;
  let arguments = !con(inputs, (ins Pd_FloatTensor:$out_grad, Pd_FloatTensor:$maximum, Pd_FloatTensor:$sum,
    Pd_FloatTensor:$delta), settings, more);
}

def Pd_FusedAttentionQGradOp : Pd_FusedAttentionPartialGrad<"fused_attention_q_grad"> {
  let summary = "The gradient of pd.fused_attention by the queries";
  let description = [{
    `q_grad` of pd.fused_attention_grad, with its `delta` as an operand.

    Source: Dao, "FlashAttention-2" (2023), algorithm 2.
  }];
  let results = (outs Pd_FloatTensor:$q_grad);
}

def Pd_FusedAttentionKvGradOp : Pd_FusedAttentionPartialGrad<"fused_attention_kv_grad"> {
  let summary = "The gradients of pd.fused_attention by the keys and values";
  let description = [{
    `k_grad` and `v_grad` of pd.fused_attention_grad, with its `delta` as an operand.

    Source: Dao, "FlashAttention-2" (2023), algorithm 2.
  }];
  let results = (outs Pd_FloatTensor:$k_grad, Pd_FloatTensor:$v_grad);
}

def Pd_FusedAttentionScoreGradOp : Pd_FusedAttentionPartialGrad<"fused_attention_score_grad",
    (ins DefaultValuedAttr<BoolAttr, "false">:$sum_batches, DefaultValuedAttr<BoolAttr, "false">:$sum_heads),
    [DeclareOpInterfaceMethods<PartialLibraryOpInterface>]> {
  let library = "fused_attention_score_grad";
  let libraryHalf = 1;
  let summary = "The gradient of pd.fused_attention by the scores, equal to the gradient by a mask added to them";
  let description = [{
    `s_grad` of pd.fused_attention_grad, with its `delta` as an operand, in the dims [B, H, M, N]. With `sum_batches`
    it is the sum over the batches b and B is 1; with `sum_heads` the sum over the query heads h, and H is 1: the
    gradient of a mask that is broadcast along these dims. The result has the type of the sums.

    Kernels compute the scores again: a block of a GPU owns a tile of M and N, a thread of a CPU a tile of M, and loops
    over the batches and heads.
  }];
  let results = (outs Pd_FloatTensor:$score_grad);
}

#endif
