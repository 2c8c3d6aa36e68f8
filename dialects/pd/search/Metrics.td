// Measures of predictions that count what is right.
#ifndef PROA_DIALECTS_PD_SEARCH_METRICS
#define PROA_DIALECTS_PD_SEARCH_METRICS

include "dialects/pd/Base.td"

class Pd_MetricOp<string mnemonic, list<Trait> t = []> : Pd_Op<mnemonic, t> {
  let library = mnemonic;
  let lod = "none";
}

def Pd_ChunkEvalOp : Pd_MetricOp<"chunk_eval", [AttrSizedOperandSegments]> {
  let summary = "How many chunks of tagged sequences are found, and found right";
  let description = [{
    A label is type * tags + tag of a chunk, the greatest one outside of all. The tags of the scheme, numbered from 0: IOB begin, inside;
    IOE inside, end; IOBES begin, inside, end, single; plain one tag. A chunk goes on as long as its type does, unless
    the tags end it or begin another. Chunks of excluded_chunk_types do not count. One is right where begin, end and type agree.
    precision = right / inferred, recall = right / labelled, f1 = their harmonic mean; 0 where they would divide by 0.
    Sequences are rows by `offsets`, or the first seq_length[i] elements of row i.

    Constraints:
      C1. num_chunk_types is positive
    At run time: labels are known, chunk_scheme is IOB, IOE, IOBES or plain.
  }];
  let arguments = (ins Pd_IntTensor:$inference, Pd_IntTensor:$label, Optional<Pd_IntTensor>:$seq_length,
    Optional<Pd_IntTensor>:$offsets, I64Attr:$num_chunk_types, DefaultValuedAttr<StrAttr, "\"IOB\"">:$chunk_scheme,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$excluded_chunk_types);
  let assemblyFormat = "$inference `,` $label (`length` `=` $seq_length^)? (`offsets` `=` $offsets^)? attr-dict `:` functional-type(operands, results)";
  let results = (outs Pd_FloatTensor:$precision, Pd_FloatTensor:$recall, Pd_FloatTensor:$f1_score, Pd_IntTensor:$infer_chunks,
    Pd_IntTensor:$label_chunks, Pd_IntTensor:$correct_chunks);
  let infer = "inferChunkEval";
  let legacy = [Legacy<"chunk_eval", ["Inference", "Label", "SeqLength", "Inference@LOD?"], ["Precision", "Recall", "F1-Score",
    "NumInferChunks", "NumLabelChunks", "NumCorrectChunks"], ["num_chunk_types", "chunk_scheme", "excluded_chunk_types"]>];
}

def Pd_PrecisionRecallOp : Pd_MetricOp<"precision_recall", [AttrSizedOperandSegments]> {
  let summary = "Precision, recall and their harmonic mean over classes";
  let description = [{
    For each class the weights (absent: 1) of samples that are true positives, false positives, true negatives and false
    negatives, [class_number, 4]. Metrics: the means over classes of tp / (tp + fp) and tp / (tp + fn) (1 where there are none) and
    2 p r / (p + r), then the same three of the sums over classes. `accum_metrics` and `accum_states` add `states_info`.

    Constraints:
      C1. class_number is positive
    At run time: indices and labels are classes.
  }];
  let arguments = (ins Pd_FloatTensor:$max_probs, Pd_IntTensor:$indices, Pd_IntTensor:$labels, Optional<Pd_FloatTensor>:$weights,
    Optional<Pd_FloatTensor>:$states_info, I64Attr:$class_number);
  let assemblyFormat = "$max_probs `,` $indices `,` $labels (`weights` `=` $weights^)? (`states` `=` $states_info^)? attr-dict `:` functional-type(operands, results)";
  let results = (outs Pd_FloatTensor:$batch_metrics, Pd_FloatTensor:$accum_metrics, Pd_FloatTensor:$accum_states);
  let infer = "inferPrecisionRecall";
  let legacy = [Legacy<"precision_recall", ["MaxProbs", "Indices", "Labels", "Weights", "StatesInfo"], ["BatchMetrics",
    "AccumMetrics", "AccumStatesInfo"], ["class_number"]>];
}

#endif
