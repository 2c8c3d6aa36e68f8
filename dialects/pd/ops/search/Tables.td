// Codes of numbers, rows of packed tables, and beams of sequences.
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
}

def Pd_LookupTableDequantOp : Pd_TableOp<"lookup_table_dequant"> {
  let summary = "Rows of a table that holds bytes between a minimum and a maximum of its own for each row";
  let description = [{
    A row of w is its minimum, its maximum, then bytes b, four in the place of each float: element = (maximum - minimum) / 256 * b +
    minimum. Rows of `padding_idx` (-1: none) are zero. At run time: ids are rows of the table.
  }];
  let constraints = ["C1. w is a float32 matrix of 3 columns or more, and the last extent of ids is 1"];
  let arguments = (ins Pd_FloatTensor:$w, Pd_IntTensor:$ids, DefaultValuedAttr<I64Attr, "-1">:$padding_idx);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferLookupTableDequant";
  let lod = "none";
  let legacy = [Legacy<"lookup_table_dequant", ["W", "Ids"], ["Out"], ["padding_idx:long"]>];
}

def Pd_BeamSearchOp : Pd_TableOp<"beam_search"> {
  let summary = "The beam_size best continuations of the unfinished translations of each source";
  let description = [{
    Rows offsets[i] to offsets[i + 1] are the prefixes of source i. A prefix that ended (pre_ids is end_id) goes on with end_id and
    its score; of another one each column is a candidate, of id `ids` (absent: the column's number) and score `scores`, or
    without `is_accumulated` pre_scores + log(scores). Of equal scores that of the later prefix is better. Of a source all whose
    selected candidates are the ends of prefixes that ended nothing stays. `parents` has the prefix of each selected row,
    `selected_offsets` says which rows came from which prefix.
  }];
  let constraints = [
    "C1. scores and ids are [prefixes, candidates], pre_ids and pre_scores have one element a prefix",
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
}

def Pd_PyramidHashOp : Pd_TableOp<"pyramid_hash"> {
  let summary = "Rows of numbers looked up by the hash codes of the runs of ids in sequences";
  let description = [{
    A sequence's runs are those of 2 ids, then of 3, up to pyramid_layer, each from the first id on. Elements j to j + rand_len of a
    run's row, for each multiple j of rand_len, are those of w from the run's code on: xxHash32 of its ids as floats, with seed j, modulo
    space_len. With is_training a run is dropped where a number from 0 to 1 of the C library's generator rand_r, begun with seed, is
    below drop_out_percent; without it all rows are multiplied by drop_out_percent. A sequence of no runs has a row of zeros.
    `drop_pos` is 1 for each run that stays, 0 for others and behind them; `out_offsets` and `drop_offsets` count rows and runs that
    stay. `x_floats` has the ids as floats.
  }];
  let constraints = [
    "C1. x is [ids, 1], w float32 [space_len + rand_len, 1]",
    "C2. space_len, rand_len and num_emb are positive, rand_len divides num_emb, and pyramid_layer is 2 or more",
    "C3. there are no filters: with use_filter white_list_len and black_list_len are 0"
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
}

#endif
