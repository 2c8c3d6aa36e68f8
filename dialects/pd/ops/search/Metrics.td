// Metrics of predictions.
#ifndef PROA_DIALECTS_PD_SEARCH_METRICS
#define PROA_DIALECTS_PD_SEARCH_METRICS

include "dialects/pd/ir/Base.td"

class Pd_MetricOp<string mnemonic, list<Trait> t = []> : Pd_Op<mnemonic, t> {
  let library = mnemonic;
  let lod = "none";
}

def Pd_ChunkEvalOp : Pd_MetricOp<"chunk_eval", [AttrSizedOperandSegments]> {
  let sharding = "whole: it counts over the whole batch";
  let summary = "The numbers of inferred, labelled and correct chunks of tagged sequences";
  let description = [{
    A label is type * tags + tag of a chunk; the largest label is outside of all chunks. The tags of the schemes, from
    0: IOB begin, inside; IOE inside, end; IOBES begin, inside, end, single; plain one tag. A chunk continues while
    its type does, unless the tags end it or begin another. Chunks of excluded_chunk_types are ignored. A chunk is
    correct if begin, end and type agree. precision = correct / inferred, recall = correct / labelled, f1 = their
    harmonic mean; 0 for a division by 0. Sequences are rows by `offsets`, or the first seq_length[i] elements of row
    i. At run time: labels are valid, chunk_scheme is IOB, IOE, IOBES or plain.
  }];
  let constraints = ["C1. num_chunk_types is positive"];
  let arguments = (ins Pd_IntTensor:$inference, Pd_IntTensor:$label, Optional<Pd_IntTensor>:$seq_length,
    Optional<Pd_IntTensor>:$offsets, I64Attr:$num_chunk_types, Pd_DefaultEnum<Pd_ChunkSchemeAttr, "IOB">:$chunk_scheme,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$excluded_chunk_types);
  let operandFormat = "$inference `,` $label (`length` `=` $seq_length^)? (`offsets` `=` $offsets^)?";
  let results = (outs Pd_FloatTensor:$precision, Pd_FloatTensor:$recall, Pd_FloatTensor:$f1_score,
    Pd_IntTensor:$infer_chunks, Pd_IntTensor:$label_chunks, Pd_IntTensor:$correct_chunks);
  let infer = "inferChunkEval";
  let decomposesInCode = 1;
  let legacy = [Legacy<"chunk_eval", ["Inference", "Label", "SeqLength", "Inference@LOD?"], ["Precision", "Recall",
    "F1-Score", "NumInferChunks", "NumLabelChunks", "NumCorrectChunks"], ["num_chunk_types", "chunk_scheme",
      "excluded_chunk_types"]>];
  let referenceInCode = 1;
  let batching = "unbatched";
}

def Pd_PrecisionRecallOp : Pd_MetricOp<"precision_recall", [AttrSizedOperandSegments]> {
  let sharding = "whole: it counts over the whole batch";
  let summary = "Precision, recall and F1 score over classes";
  let description = [{
    `states` [class_number, 4] has for each class the weights (default 1) of true positives, false positives, true
    negatives and false negatives. Metrics: the means over classes of p = tp / (tp + fp) and r = tp / (tp + fn) (1 if
    there are none) and of 2 p r / (p + r), then the same three of the sums over classes. `accum_metrics` and
    `accum_states` add `states_info`. At run time: indices and labels are classes.
  }];
  let constraints = ["C1. class_number is positive"];
  let arguments = (ins Pd_FloatTensor:$max_probs, Pd_IntTensor:$indices, Pd_IntTensor:$labels,
    Optional<Pd_FloatTensor>:$weights, Optional<Pd_FloatTensor>:$states_info, I64Attr:$class_number);
  let operandFormat = "$max_probs `,` $indices `,` $labels (`weights` `=` $weights^)? (`states` `=` $states_info^)?";
  let results = (outs Pd_FloatTensor:$batch_metrics, Pd_FloatTensor:$accum_metrics, Pd_FloatTensor:$accum_states);
  let infer = "inferPrecisionRecall";
  let decomposesInCode = 1;
  let legacy = [Legacy<"precision_recall", ["MaxProbs", "Indices", "Labels", "Weights", "StatesInfo"], ["BatchMetrics",
    "AccumMetrics", "AccumStatesInfo"], ["class_number"]>];
  let referenceInCode = 1;
  let differentiable = 0;
  let batching = "unbatched";
}

def Pd_DetectionMapOp : Pd_MetricOp<"detection_map", [AttrSizedOperandSegments]> {
  let sharding = "whole: it counts over the whole batch";
  let summary = "Mean average precision of detected boxes";
  let description = [{
    Rows of detect_res are label, score and corners. Rows of label are the label, (with 6 columns) whether the box is
    difficult, and corners. offsets are the offsets of the images. In descending order of scores, a detection, clamped
    to [0, 1], is correct if the true box of its label and image that it overlaps most does so by more than
    overlap_threshold and is not matched yet; without evaluate_difficult, detections of difficult boxes are ignored.

    `accum_pos_count` is the number of true boxes of each class; `accum_true_pos` and `accum_false_pos` have score and
    1 or 0 for each detection, by class with the offsets `true_offsets` and `false_offsets`. If has_state is not 0,
    pos_count, true_pos and false_pos are included. The average precision of a class is the area under the
    precision-recall curve (ap_type integral), or the mean of the largest precisions at eleven recalls (11point). The
    mean is over classes with true boxes, except classes with background_label true boxes: Paddle compares the count,
    not the class.
  }];
  let constraints = [
    "C1. detect_res has 6 columns, label 5 or 6",
    "C2. class_num is positive",
    "C3. pos_count, true_pos, false_pos and the offsets of these two are given all or none"
  ];
  let arguments = (ins Pd_FloatTensor:$detect_res, Pd_FloatTensor:$label, Pd_IntTensor:$detect_offsets,
    Pd_IntTensor:$label_offsets, Optional<Pd_IntTensor>:$has_state, Optional<Pd_IntTensor>:$pos_count,
    Optional<Pd_FloatTensor>:$true_pos, Optional<Pd_FloatTensor>:$false_pos, Optional<Pd_IntTensor>:$true_pos_offsets,
      Optional<Pd_IntTensor>:$false_pos_offsets,
    I64Attr:$class_num, DefaultValuedAttr<I64Attr, "0">:$background_label, DefaultValuedAttr<F64Attr,
      "0.5">:$overlap_threshold,
    DefaultValuedAttr<BoolAttr, "true">:$evaluate_difficult,
    Pd_DefaultEnum<Pd_AveragePrecisionAttr, "Integral">:$ap_type);
  let operandFormat = [{$detect_res `,` $label `,` $detect_offsets `,` $label_offsets (`state` $has_state^)?
    (`counts` $pos_count^ $true_pos `,` $false_pos `,` $true_pos_offsets `,` $false_pos_offsets)?}];
  let results = (outs Pd_IntTensor:$accum_pos_count, Pd_FloatTensor:$accum_true_pos, Pd_FloatTensor:$accum_false_pos,
    Pd_FloatTensor:$map, Pd_IntTensor:$true_offsets, Pd_IntTensor:$false_offsets);
  let infer = "inferDetectionMap";
  let decomposesInCode = 1;
  let legacy = [Legacy<"detection_map", ["DetectRes", "Label", "DetectRes@LOD", "Label@LOD", "HasState", "PosCount",
    "TruePos", "FalsePos", "TruePos@LOD?", "FalsePos@LOD?"], ["AccumPosCount", "AccumTruePos", "AccumFalsePos", "MAP",
      "AccumTruePos@LOD",
    "AccumFalsePos@LOD"], ["class_num", "background_label", "overlap_threshold", "evaluate_difficult", "ap_type"]>];
  let referenceInCode = 1;
  let differentiable = 0;
  let batching = "refused";
}

def Pd_AucOp : Pd_Op<"auc"> {
  let sharding = "whole: it counts over the whole batch";
  let summary = "AUC: the area under the ROC curve of predictions, from counts of positive and negative samples by "
    "threshold";
  let description = [{
    The last column of `predict` [N, 1 or 2] has the probabilities that a sample is positive. Sample i is positive if
    label[i] is above 0, and negative if it is 0. It is counted in bucket floor(probability * num_thresholds) of
    num_thresholds + 1. The curve connects the points (negatives, positives), cumulated from the last bucket down; its
    area is divided by both totals unless one is 0.

    Without slide_steps the counts are added to `stat_pos` and `stat_neg` [1, buckets]. With slide_steps these have
    the counts of the last slide_steps calls, their sums, and the number of calls; the sums are used. If the first
    element of `ins_tag_weight` is 0, nothing is counted. At run time: probabilities are in [0, 1], stat_pos and
    stat_neg have the required size.
  }];
  let constraints = [
    "C1. predict has rank 2, and label one element for each of its rows",
    "C2. num_thresholds is positive and slide_steps not negative"
  ];
  let arguments = (ins Pd_FloatTensor:$predict, Pd_IntTensor:$label, Pd_IntTensor:$stat_pos, Pd_IntTensor:$stat_neg,
    Optional<Pd_FloatTensor>:$ins_tag_weight, DefaultValuedAttr<I64Attr, "4095">:$num_thresholds,
    DefaultValuedAttr<I64Attr, "1">:$slide_steps);
  let results = (outs Pd_FloatTensor:$auc, Pd_IntTensor:$stat_pos_out, Pd_IntTensor:$stat_neg_out);
  let infer = "inferAuc";
  let decomposesInCode = 1;
  let library = "auc";
  let lod = "none";
  let legacy = [Legacy<"auc", ["Predict", "Label", "StatPos", "StatNeg", "InsTagWeight"], ["AUC", "StatPosOut",
    "StatNegOut"], ["num_thresholds", "slide_steps"], constants_=["curve=ROC"]>];
  let newIr = [NewIr<["predict", "label", "stat_pos", "stat_neg", "ins_tag_weight"], [], [], ["curve=ROC"]>];
  let referenceInCode = 1;
  let differentiable = 0;
  let batching = "unbatched";
}

def : LegacyFormula<"positive_negative_pair", ["Score", "Label", "QueryID", "Weight?", "AccumulatePositivePair?",
  "AccumulateNegativePair?", "AccumulateNeutralPair?"], ["PositivePair", "NegativePair", "NeutralPair"], ["column"], [],
  "importPositiveNegativePair">;

#endif
