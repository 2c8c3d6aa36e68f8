// Hash codes, quantized tables, and steps of a beam search.
#ifndef PROA_DIALECTS_PD_SEARCH_TABLES
#define PROA_DIALECTS_PD_SEARCH_TABLES

include "dialects/pd/ir/Base.td"

class Pd_TableOp<string mnemonic, list<Trait> t = []> : Pd_Op<mnemonic, t> { let library = mnemonic; }

def Pd_HashOp : Pd_TableOp<"hash"> {
  let summary = "Hash codes of the rows of x, by num_hash functions";
  let description = "Code k of a row is xxHash64 of its bytes with seed k, modulo mod_by.";
  let constraints = ["C1. x is [rows, elements]", "C2. num_hash and mod_by are positive"];
  let arguments = (ins Pd_IntTensor:$x, DefaultValuedAttr<I64Attr, "1">:$num_hash, DefaultValuedAttr<I64Attr, "100000">:$mod_by);
  let results = (outs Pd_IntTensor:$out);
  let infer = "inferHash";
  let legacy = [Legacy<"hash", ["X"], ["Out"], ["num_hash", "mod_by:long"]>];
  let batching = "inCode";
  let referenceInCode = 1;
}

def Pd_LookupTableDequantOp : Pd_TableOp<"lookup_table_dequant"> {
  let summary = "Rows of a table with one byte per element, scaled by the minimum and maximum of each row";
  let description = [{
    A row of w is its minimum, its maximum, then bytes b, four in each float: element = (maximum - minimum) / 256 * b
    + minimum. Rows of `padding_idx` (-1: none) are zero. At run time: ids are rows of the table.
  }];
  let constraints = ["C1. w is a float32 matrix of 3 columns or more, and the last dim of ids is 1"];
  let arguments = (ins Pd_FloatTensor:$w, Pd_IntTensor:$ids, DefaultValuedAttr<I64Attr, "-1">:$padding_idx);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferLookupTableDequant";
  let lod = "none";
  let legacy = [Legacy<"lookup_table_dequant", ["W", "Ids"], ["Out"], ["padding_idx:long"]>];
  let batching = "inCode";
  let referenceInCode = 1;
}

def Pd_BeamSearchOp : Pd_TableOp<"beam_search"> {
  let summary = "The beam_size best continuations of the unfinished sequences of each source";
  let description = [{
    Rows offsets[i] to offsets[i + 1] are the prefixes of source i. A finished prefix (pre_ids is end_id) continues
    with end_id and its score. For another one each column is a candidate, with id `ids` (default: the index of the
    column) and score `scores`, or without `is_accumulated` pre_scores + log(scores). Of equal scores the one of the
    later prefix is better. A source is removed if all its selected candidates continue finished prefixes. `parents`
    has the prefix of each selected row, `selected_offsets` the offsets of the selected rows by prefix.
  }];
  let constraints = [
    "C1. scores and ids are [prefixes, candidates], pre_ids and pre_scores have one element for each prefix",
    "C2. beam_size is positive"
  ];
  let arguments = (ins Pd_IntTensor:$pre_ids, Pd_FloatTensor:$pre_scores, Pd_FloatTensor:$scores, Pd_IntTensor:$offsets,
    Optional<Pd_IntTensor>:$ids, I64Attr:$beam_size, I64Attr:$end_id, DefaultValuedAttr<BoolAttr, "true">:$is_accumulated);
  let results = (outs Pd_IntTensor:$selected_ids, Pd_FloatTensor:$selected_scores, Pd_IntTensor:$parents,
    Pd_IntTensor:$selected_offsets);
  let infer = "inferBeamSearch";
  let lod = "none";
  let legacy = [Legacy<"beam_search", ["pre_ids", "pre_scores", "scores", "scores@LOD", "ids"], ["selected_ids", "selected_scores",
    "parent_idx", "selected_ids|selected_scores@LOD"], ["beam_size", "end_id", "is_accumulated"], [],
    "importBeamSearch", constants_=["level=0"]>];
  let referenceInCode = 1;
}

def Pd_PyramidHashOp : Pd_TableOp<"pyramid_hash"> {
  let summary = "Pyramid hash: table rows selected by the hash codes of n-grams of ids in sequences";
  let description = [{
    The n-grams of a sequence are those of 2 ids, then of 3, up to pyramid_layer, in order. Elements j to j + rand_len
    of the row of an n-gram, for each multiple j of rand_len, are those of w from its code on: xxHash32 of its ids as
    floats, with seed j, modulo space_len. With is_training an n-gram is dropped if a number in [0, 1] of the C
    function rand_r, started with seed, is below drop_out_percent; otherwise all rows are multiplied by
    drop_out_percent. A sequence without n-grams has a row of zeros. `drop_pos` is 1 for each n-gram that is kept, and
    0 for others and as padding; `out_offsets` and `drop_offsets` are the offsets of rows and kept n-grams. `x_floats`
    has the ids as floats.
  }];
  let constraints = [
    "C1. x is [ids, 1], w float32 [space_len + rand_len, 1]",
    "C2. space_len, rand_len and num_emb are positive, rand_len divides num_emb, and pyramid_layer is 2 or more",
    "C3. there are no filters: with use_filter, white_list_len and black_list_len are 0"
  ];
  let arguments = (ins Pd_IntTensor:$x, Pd_FloatTensor:$w, Pd_IntTensor:$offsets, I64Attr:$num_emb, I64Attr:$space_len, I64Attr:$rand_len,
    DefaultValuedAttr<I64Attr, "2">:$pyramid_layer, DefaultValuedAttr<F64Attr, "0.0">:$drop_out_percent,
    DefaultValuedAttr<I64Attr, "0">:$is_training, DefaultValuedAttr<I64Attr, "0">:$seed, DefaultValuedAttr<BoolAttr, "true">:$use_filter,
    DefaultValuedAttr<I64Attr, "0">:$white_list_len, DefaultValuedAttr<I64Attr, "0">:$black_list_len);
  let results = (outs Pd_FloatTensor:$out, Pd_IntTensor:$drop_pos, Pd_FloatTensor:$x_floats, Pd_IntTensor:$out_offsets,
    Pd_IntTensor:$drop_offsets);
  let infer = "inferPyramidHash";
  let lod = "none";
  let legacy = [Legacy<"pyramid_hash", ["X", "W", "X@LOD"], ["Out", "DropPos", "X_Temp_Out", "Out@LOD", "DropPos@LOD"], ["num_emb",
    "space_len", "rand_len", "pyramid_layer", "drop_out_percent", "is_training", "seed", "use_filter", "white_list_len",
    "black_list_len"], ["WhiteList", "BlackList", "lr", "distribute_update_vars"]>];
  let referenceInCode = 1;
}

#endif
