// Measures of predictions that count what is right.
#ifndef PROA_DIALECTS_PD_SEARCH_METRICS
#define PROA_DIALECTS_PD_SEARCH_METRICS

include "dialects/pd/ir/Base.td"

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
    At run time: labels are known, chunk_scheme is IOB, IOE, IOBES or plain.
  }];
  let constraints = ["C1. num_chunk_types is positive"];
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
    At run time: indices and labels are classes.
  }];
  let constraints = ["C1. class_number is positive"];
  let arguments = (ins Pd_FloatTensor:$max_probs, Pd_IntTensor:$indices, Pd_IntTensor:$labels, Optional<Pd_FloatTensor>:$weights,
    Optional<Pd_FloatTensor>:$states_info, I64Attr:$class_number);
  let assemblyFormat = "$max_probs `,` $indices `,` $labels (`weights` `=` $weights^)? (`states` `=` $states_info^)? attr-dict `:` functional-type(operands, results)";
  let results = (outs Pd_FloatTensor:$batch_metrics, Pd_FloatTensor:$accum_metrics, Pd_FloatTensor:$accum_states);
  let infer = "inferPrecisionRecall";
  let legacy = [Legacy<"precision_recall", ["MaxProbs", "Indices", "Labels", "Weights", "StatesInfo"], ["BatchMetrics",
    "AccumMetrics", "AccumStatesInfo"], ["class_number"]>];
}

def Pd_DetectionMapOp : Pd_MetricOp<"detection_map", [AttrSizedOperandSegments]> {
  let summary = "The mean average precision of detected boxes";
  let description = [{
    Rows of detect_res hold label, score and corners, rows of label the label, (with 6 columns) whether the box is difficult, and
    corners; offsets say which belong to which image. By score, best first, a detection, moved into [0, 1], is right where the true box of its
    label and image that it overlaps most does so by more than overlap_threshold and is not taken; without evaluate_difficult
    those of difficult boxes do not count. `accum_pos_count` counts the true boxes of each class, `accum_true_pos` and
    `accum_false_pos` list score and 1 or 0 for each detection, class by class by `true_offsets` and `false_offsets`; with
    has_state not 0 all add to pos_count, true_pos and false_pos. The average precision of a class is by ap_type the area under the
    precision over the recall (integral), or the mean of the greatest precisions at eleven recalls (11point). The mean is over classes
    with true boxes, but not those of which there are background_label ones: Paddle compares the count there, not the class.
  }];
  let constraints = [
    "C1. detect_res has 6 columns, label 5 or 6",
    "C2. class_num is positive, and ap_type integral or 11point",
    "C3. pos_count, true_pos, false_pos and the offsets of these two are given all or none"
  ];
  let arguments = (ins Pd_FloatTensor:$detect_res, Pd_FloatTensor:$label, Pd_IntTensor:$detect_offsets, Pd_IntTensor:$label_offsets,
    Optional<Pd_IntTensor>:$has_state, Optional<Pd_IntTensor>:$pos_count, Optional<Pd_FloatTensor>:$true_pos,
    Optional<Pd_FloatTensor>:$false_pos, Optional<Pd_IntTensor>:$true_pos_offsets, Optional<Pd_IntTensor>:$false_pos_offsets,
    I64Attr:$class_num, DefaultValuedAttr<I64Attr, "0">:$background_label, DefaultValuedAttr<F64Attr, "0.5">:$overlap_threshold,
    DefaultValuedAttr<BoolAttr, "true">:$evaluate_difficult, DefaultValuedAttr<StrAttr, "\"integral\"">:$ap_type);
  let assemblyFormat = "$detect_res `,` $label `,` $detect_offsets `,` $label_offsets (`state` $has_state^)? (`counts` $pos_count^ $true_pos `,` $false_pos `,` $true_pos_offsets `,` $false_pos_offsets)? attr-dict `:` functional-type(operands, results)";
  let results = (outs Pd_IntTensor:$accum_pos_count, Pd_FloatTensor:$accum_true_pos, Pd_FloatTensor:$accum_false_pos,
    Pd_FloatTensor:$map, Pd_IntTensor:$true_offsets, Pd_IntTensor:$false_offsets);
  let infer = "inferDetectionMap";
  let legacy = [Legacy<"detection_map", ["DetectRes", "Label", "DetectRes@LOD", "Label@LOD", "HasState", "PosCount", "TruePos",
    "FalsePos", "TruePos@LOD?", "FalsePos@LOD?"], ["AccumPosCount", "AccumTruePos", "AccumFalsePos", "MAP", "AccumTruePos@LOD",
    "AccumFalsePos@LOD"], ["class_num", "background_label", "overlap_threshold", "evaluate_difficult", "ap_type"]>];
}

def : LegacyFormula<"positive_negative_pair", ["Score", "Label", "QueryID", "Weight?", "AccumulatePositivePair?",
  "AccumulateNegativePair?", "AccumulateNeutralPair?"], ["PositivePair", "NegativePair", "NeutralPair"], ["column"], [],
  "importPositiveNegativePair">;

#endif
