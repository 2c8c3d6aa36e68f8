// What becomes of beams when a translation ends.
#ifndef PROA_DIALECTS_PD_SEARCH_BEAMS
#define PROA_DIALECTS_PD_SEARCH_BEAMS

include "dialects/pd/ir/Base.td"
include "dialects/pd/ops/control/ArrayOperand.td"

def Pd_BeamSearchDecodeOp : Pd_Op<"beam_search_decode"> {
  let summary = "The translations that the steps of a beam search found, the best one of each source first";
  let description = [{
    Element t of `ids` and `scores` holds what beam_search selected at step t: rows prefix_offsets[p] to prefix_offsets[p + 1] go on
    from row p of the step before, and prefixes source_offsets[i] to source_offsets[i + 1] belong to source i. A translation ends
    with a row of the last step at which its source has any; from there it is followed back to the first step. Of end_id it keeps the
    last one alone. `sentence_ids` and `sentence_scores` list the rows of each translation in their order, those of a source by
    the score of the last row, best first; `sentence_offsets` says which rows belong to which translation, `translation_offsets`
    which translations to which source.
    At run time: the four arrays have the same, positive number of elements, and no source has more than beam_size translations.
  }];
  let constraints = [
    "C1. ids are int64, scores float32 or float64",
    "C2. beam_size is positive"
  ];
  let arguments = (ins Pd_Array:$ids, Pd_Array:$scores, Pd_Array:$source_offsets, Pd_Array:$prefix_offsets, I64Attr:$beam_size,
    I64Attr:$end_id);
  let results = (outs Pd_IntTensor:$sentence_ids, Pd_FloatTensor:$sentence_scores, Pd_IntTensor:$translation_offsets,
    Pd_IntTensor:$sentence_offsets);
  let infer = "inferBeamSearchDecode";
  let library = "array_beam_search_decode";
  let lod = "none";
  let legacy = [Legacy<"beam_search_decode", ["Ids", "Scores", "", ""], ["SentenceIds", "SentenceScores", "", ""], [],
    ["beam_size", "end_id"], "importBeamSearchDecode">];
}

#endif
