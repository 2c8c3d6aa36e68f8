// Attention of one new token for each sequence, over keys and values in the blocks of a cache.
#ifndef PROA_DIALECTS_PD_NN_PAGED_ATTENTION
#define PROA_DIALECTS_PD_NN_PAGED_ATTENTION

include "dialects/pd/ir/Base.td"
include "dialects/pd/ir/DeviceKernel.td"

def Pd_PagedAttentionOp : Pd_Op<"paged_attention", [DeclareOpInterfaceMethods<DeviceKernelOpInterface>]> {
  let lod = "none";
  let summary = "Attention of one query for each sequence, over keys and values in a paged cache";
  let description = [{
    Key n of sequence b is in block c = block_table[b, n / S] of the cache, in row n mod S. For each sequence b and
    query head h, with the head of keys g = h / (H / G) and n over the keys below lengths[b]:

        s[n] = scale * sum_d q[b, h, d] * key_cache[c, g, n mod S, d]
        p[n] = exp(s[n] - max_n s[n]) / sum_n exp(s[n] - max_n s[n])
        out[b, h, e] = sum_n p[n] * value_cache[c, g, n mod S, e]

    The dims are q [B, H, D], key_cache [C, G, S, D], value_cache [C, G, S, E], block_table [B, T], lengths [B] and out
    [B, H, E]; S is the number of rows of a block. A sequence without keys has the result 0. A length above T S counts
    as T S. Sums are computed in float32, for float64 in float64. Elements of the cache that no sequence uses may have
    any value.

    At run time: entries of block_table for blocks with keys are in [0, C). The other entries, which Paddle sets to -1,
    are not read.

    Source: Kwon et al., "Efficient Memory Management for Large Language Model Serving with PagedAttention" (2023); the
    layout of the cache is as in Paddle's block_multihead_attention. The kernel of GPUs divides the keys of a sequence
    among blocks of threads: Dao et al., "Flash-Decoding for long-context inference" (2023).
  }];
  let constraints = [
    "C1. q has rank 3, the caches rank 4, block_table rank 2, lengths rank 1; q and the caches have one element type",
    "C2. C, G, S and D agree: G divides H, and D, E, G, H and S are static and positive",
    "C3. q, block_table and lengths have the same B"
  ];
  let arguments = (ins Pd_FloatTensor:$q, Pd_FloatTensor:$key_cache, Pd_FloatTensor:$value_cache,
    Pd_IntTensor:$block_table, Pd_IntTensor:$lengths, DefaultValuedAttr<F64Attr, "1.0">:$scale);
  let results = (outs Pd_FloatTensor:$out);
  let decomposesInCode = 1;
  let sharding = "inCode";
}

#endif
