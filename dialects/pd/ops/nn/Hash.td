// Hash codes, and embeddings by hash codes.
#ifndef PROA_DIALECTS_PD_NN_HASH
#define PROA_DIALECTS_PD_NN_HASH

include "dialects/pd/ir/Base.td"

def Pd_HashOp : Pd_Op<"hash"> {
  let onnx = [OnnxWritten<"exportHash", "opset >= 18">];
  let sharding = "r * -> r * *";
  let summary = "Hash codes of the rows of x, by num_hash functions";
  let description = "Code k of a row is xxHash64 of its bytes with seed k, modulo mod_by.";
  let constraints = ["C1. x is [rows, elements]", "C2. num_hash and mod_by are positive"];
  let arguments = (ins Pd_IntTensor:$x, DefaultValuedAttr<I64Attr, "1">:$num_hash, DefaultValuedAttr<I64Attr,
    "100000">:$mod_by);
  let results = (outs Pd_IntTensor:$out);
  let library = "hash";
  let infer = "inferHash";
  let legacy = [Legacy<"hash", ["X"], ["Out"], ["num_hash", "mod_by:long"]>];
  let batching = "inCode";
  let referenceInCode = 1;
}

def Pd_PyramidHashOp : Pd_Op<"pyramid_hash"> {
  let sharding = "whole: sequences are rows of one tensor, and a shard could end inside of one";
  let summary = "Pyramid hash: table rows selected by the hash codes of n-grams of ids in sequences";
  let description = [{
    The n-grams of a sequence have 2 ids, then 3, up to pyramid_layer, in order. Elements j to j + rand_len
    of the row of an n-gram, for each multiple j of rand_len, are the elements of w from its code on: xxHash32 of its
    ids as floats, with seed j, modulo space_len. With is_training an n-gram is dropped if a number in [0, 1] of the C
    function rand_r, started with seed, is below drop_out_percent; otherwise all rows are multiplied by
    drop_out_percent. A sequence without n-grams has a row of zeros. `drop_pos` is 1 for each n-gram that is kept, and 0
    for others and as padding; `out_offsets` and `drop_offsets` are the offsets of rows and kept n-grams. `x_floats` has
    the ids as floats.
  }];
  let constraints = [
    "C1. x is [ids, 1], w float32 [space_len + rand_len, 1]",
    "C2. space_len, rand_len and num_emb are positive, rand_len divides num_emb, and pyramid_layer is 2 or more",
    "C3. there are no filters: with use_filter, white_list_len and black_list_len are 0"
  ];
  let arguments = (ins Pd_IntTensor:$x, Pd_FloatTensor:$w, Pd_IntTensor:$offsets, I64Attr:$num_emb, I64Attr:$space_len,
    I64Attr:$rand_len, DefaultValuedAttr<I64Attr, "2">:$pyramid_layer, DefaultValuedAttr<F64Attr,
    "0.0">:$drop_out_percent, DefaultValuedAttr<I64Attr, "0">:$is_training, DefaultValuedAttr<I64Attr, "0">:$seed,
    DefaultValuedAttr<BoolAttr,
      "true">:$use_filter,
    DefaultValuedAttr<I64Attr, "0">:$white_list_len, DefaultValuedAttr<I64Attr, "0">:$black_list_len);
  let results = (outs Pd_FloatTensor:$out, Pd_IntTensor:$drop_pos, Pd_FloatTensor:$x_floats, Pd_IntTensor:$out_offsets,
    Pd_IntTensor:$drop_offsets);
  let library = "pyramid_hash";
  let infer = "inferPyramidHash";
  let lod = "none";
  let legacy = [Legacy<"pyramid_hash", ["X", "W", "X@LOD"], ["Out", "DropPos", "X_Temp_Out", "Out@LOD", "DropPos@LOD"],
    ["num_emb", "space_len", "rand_len", "pyramid_layer", "drop_out_percent", "is_training", "seed", "use_filter",
    "white_list_len", "black_list_len"], ["slot WhiteList", "slot BlackList", "lr=any", "distribute_update_vars=any"],
    exportHook_="exportPyramidHash">];
  let referenceInCode = 1;
  let differentiable = 0;
  let batching = "refused";
}

#endif
