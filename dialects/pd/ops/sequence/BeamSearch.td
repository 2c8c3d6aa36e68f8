// Steps of a beam search, and the sequences that they find.
#ifndef PROA_DIALECTS_PD_SEQUENCE_BEAM_SEARCH
#define PROA_DIALECTS_PD_SEQUENCE_BEAM_SEARCH

include "dialects/pd/ir/Base.td"
include "dialects/pd/ops/control/ArrayOperand.td"

def Pd_BeamSearchOp : Pd_Op<"beam_search"> {
  let sharding = "whole: sequences are rows of one tensor, and a shard could end inside of one";
  let summary = "The beam_size best continuations of the unfinished sequences of each source";
  let description = [{
    Rows offsets[i] to offsets[i + 1] are the prefixes of source i. A finished prefix (pre_ids is end_id) continues
    with end_id and its score. For another one each column is a candidate, with id `ids` (default: the index of the
    column) and score `scores`, or without `is_accumulated` pre_scores + log(scores). Of equal scores the score of the
    later prefix is better. A source is removed if all its selected candidates continue finished prefixes. `parents`
    has the prefix of each selected row, `selected_offsets` the offsets of the selected rows by prefix.
  }];
  let constraints = [
    "C1. scores and ids are [prefixes, candidates], pre_ids and pre_scores have one element for each prefix",
    "C2. beam_size is positive"
  ];
  let arguments = (ins Pd_IntTensor:$pre_ids, Pd_FloatTensor:$pre_scores, Pd_FloatTensor:$scores, Pd_IntTensor:$offsets,
    Optional<Pd_IntTensor>:$ids, I64Attr:$beam_size, I64Attr:$end_id, DefaultValuedAttr<BoolAttr,
      "true">:$is_accumulated);
  let results = (outs Pd_IntTensor:$selected_ids, Pd_FloatTensor:$selected_scores, Pd_IntTensor:$parents,
    Pd_IntTensor:$selected_offsets);
  let library = "beam_search";
  let infer = "inferBeamSearch";
  let decomposesInCode = 1;
  let lod = "none";
  let legacy = [Legacy<"beam_search", ["pre_ids", "pre_scores", "scores", "scores@LOD", "ids"], ["selected_ids",
    "selected_scores", "parent_idx", "selected_ids|selected_scores@LOD"], ["beam_size", "end_id", "is_accumulated"], [],
    "importBeamSearch", constants_=["level=0"]>];
  let referenceInCode = 1;
  let differentiable = 0;
  let batching = "refused";
}

def Pd_BeamSearchDecodeOp : Pd_Op<"beam_search_decode"> {
  let sharding = "whole: a tensor array holds whole tensors";
  let summary = "The sequences found by the steps of a beam search, for each source the best one first";
  let description = [{
    Element t of `ids` and `scores` is the selection of beam_search at step t: rows prefix_offsets[p] to
    prefix_offsets[p + 1] continue row p of the previous step, and prefixes source_offsets[i] to source_offsets[i + 1]
    belong to source i. A sequence ends with a row of the last step at which its source has any; it is followed back
    from there to the first step. Of several end_id only the last one is kept. `sentence_ids` and `sentence_scores`
    have the rows of each sequence in order, and the sequences of a source by descending score of their last row;
    `sentence_offsets` are the offsets of the sequences, `translation_offsets` the offsets of the sources. At run time:
    the four arrays have the same, positive number of elements, and no source has more than beam_size sequences.
  }];
  let constraints = [
    "C1. ids are int64, scores float32 or float64",
    "C2. beam_size is positive"
  ];
  let arguments = (ins Pd_Array:$ids, Pd_Array:$scores, Pd_Array:$source_offsets, Pd_Array:$prefix_offsets,
    I64Attr:$beam_size, I64Attr:$end_id);
  let results = (outs Pd_IntTensor:$sentence_ids, Pd_FloatTensor:$sentence_scores, Pd_IntTensor:$translation_offsets,
    Pd_IntTensor:$sentence_offsets);
  let infer = "inferBeamSearchDecode";
  let decomposesInCode = 1;
  let library = "array_beam_search_decode";
  let arrayReferenceInCode = 1;
  let lod = "none";
  let legacy = [Legacy<"beam_search_decode", ["Ids", "Scores", "", ""], ["SentenceIds", "SentenceScores", "", ""], [],
    ["beam_size=hook", "end_id=hook"], "importBeamSearchDecode">];
  let differentiable = 0;
  let batching = "refused";
}

#endif
