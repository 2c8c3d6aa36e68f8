// Scaled dot-product attention as one op. pd-form-fused-attention creates it of products and softmax.
#ifndef PROA_DIALECTS_PD_NN_FUSED_ATTENTION
#define PROA_DIALECTS_PD_NN_FUSED_ATTENTION

include "dialects/pd/ir/Base.td"
include "dialects/pd/ir/DeviceKernel.td"

def Pd_FusedAttentionOp : Pd_Op<"fused_attention", [AttrSizedOperandSegments,
                                                    DeclareOpInterfaceMethods<DeviceKernelOpInterface>]> {
  let lod = "none";
  let summary = "Scaled dot-product attention: softmax(scale * q k^T + mask) v";
  let description = [{
    For each batch b, query head h and query m, with n over the keys of head g = h / (H / G):

        s[n] = scale * sum_d q[b, h, m, d] * k[b, g, n, d] + mask[b, h, m, n]
        out[b, h, m, e] = sum_n exp(s[n] - lse[b, h, m]) * v[b, g, n, e]
        lse[b, h, m] = log(sum_n exp(s[n]))

    The dims are q [B, H, M, D], k [B, G, N, D], v [B, G, N, E] and out [B, H, M, E]; with a permutation, dim i of these
    is dim `permutation[i]` of the tensor. mask broadcasts to [B, H, M, N]. With `causal` query m uses the keys up to
    m + N - M; with `key_lengths` [B] the keys below key_lengths[b]. The sums are computed in float32, for float64 in
    float64. `lse` has that type.

    A query without keys, or whose mask is minus infinity for all of them, gives NaN.

    Source: Dao et al., "FlashAttention-2" (2023), for the kernels of GPUs, which compute the same without a matrix of
    scores in memory.
  }];
  let constraints =
      ["C1. q, k and v have rank 4 and the same element type, and a permutation has each of 0 to 3 once",
       "C2. B, N, D and the heads agree: G divides H, and D, E, G and H are static",
       "C3. mask has rank 4 and broadcasts to [B, H, M, N]", "C4. key_lengths has dims [B]"];
  let arguments = (ins Pd_FloatTensor:$q, Pd_FloatTensor:$k, Pd_FloatTensor:$v,
      Optional<Pd_FloatTensor>:$mask, Optional<Pd_IntTensor>:$key_lengths,
      DefaultValuedAttr<F64Attr, "1.0">:$scale, DefaultValuedAttr<BoolAttr, "false">:$causal,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$q_permutation,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$k_permutation,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$v_permutation,
      DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$out_permutation);
  let results = (outs Pd_FloatTensor:$out, Pd_FloatTensor:$lse);
  let decomposesInCode = 1;
}

#endif
