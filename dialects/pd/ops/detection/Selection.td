// Selection of boxes and examples by score, in heads of older detectors.
#ifndef PROA_DIALECTS_PD_DETECTION_SELECTION
#define PROA_DIALECTS_PD_DETECTION_SELECTION

include "dialects/pd/ir/Base.td"

class Real<string value> : DefaultValuedAttr<F64Attr, value>;
class Limit<string value> : DefaultValuedAttr<I64Attr, value>;

class Pd_SelectionOp<string mnemonic, list<Trait> t = []> : Pd_Op<mnemonic, t> {
  let library = mnemonic;
  let lod = "none";
}

def Pd_LocalityAwareNmsOp : Pd_SelectionOp<"locality_aware_nms"> {
  let summary = "Locality-aware NMS: adjacent boxes are merged, then selected by class as in pd.multiclass_nms3";
  let description = [{
    Class by class, in order: a box that overlaps the last one by more than `nms_threshold` is merged into it (corners
    weighted by the scores, scores added). The merged boxes of one class are the boxes of the next one. Of the result,
    boxes with a score above `score_threshold` are selected as by pd.multiclass_nms3. `offsets` are the offsets of the
    images; an empty result is one element, -1, of one sequence.
  }];
  let constraints = ["C1. bboxes is [N, M, 4] and scores [N, classes, M], with the same element type"];
  let arguments = (ins Pd_FloatTensor:$bboxes, Pd_FloatTensor:$scores, F64Attr:$score_threshold, I64Attr:$nms_top_k,
    I64Attr:$keep_top_k, Real<"0.3">:$nms_threshold, DefaultValuedAttr<BoolAttr, "true">:$normalized,
      Real<"1.0">:$nms_eta,
    Limit<"-1">:$background_label);
  let results = (outs Pd_FloatTensor:$out, Pd_IntTensor:$offsets);
  let infer = "inferLocalityAwareNms";
  let legacy = [Legacy<"locality_aware_nms", ["BBoxes", "Scores"], ["Out", "Out@LOD"], ["score_threshold", "nms_top_k",
    "keep_top_k", "nms_threshold", "normalized", "nms_eta", "background_label"]>];
  let referenceInCode = 1;
  let differentiable = 0;
  let batching = "refused";
}

def Pd_RetinanetDetectionOutputOp : Pd_SelectionOp<"retinanet_detection_output", [AttrSizedOperandSegments]> {
  let summary = "Output of a RetinaNet detector: the boxes of all levels, decoded and selected by class";
  let description = [{
    Of each level the `nms_top_k` best pairs of a box and a class with a score above `score_threshold` (for the last
    level: 0) are decoded from the anchors of the level (center offsets in units of the anchor size, logarithms of
    sizes), divided by the scale of the image, and clamped to the image; corners are pixels. Boxes of a class are
    selected as in pd.multiclass_nms3, and the best `keep_top_k` are kept. Rows have label + 1, score and box, the
    best first; `offsets` are the offsets of the images.
  }];
  let constraints = [
    "C1. there is one scores, [N, M, classes], and one anchors, [M, 4], for each of bboxes, [N, M, 4]"
  ];
  let arguments = (ins Variadic<Pd_FloatTensor>:$bboxes, Variadic<Pd_FloatTensor>:$scores,
    Variadic<Pd_FloatTensor>:$anchors, Pd_FloatTensor:$im_info, F64Attr:$score_threshold, I64Attr:$nms_top_k,
    I64Attr:$keep_top_k, F64Attr:$nms_threshold, Real<"1.0">:$nms_eta);
  let operandFormat = "`(` $bboxes `)` `(` $scores `)` `(` $anchors `)` $im_info";
  let results = (outs Pd_FloatTensor:$out, Pd_IntTensor:$offsets);
  let infer = "inferRetinanetDetectionOutput";
  let legacy = [Legacy<"retinanet_detection_output", ["BBoxes*", "Scores*", "Anchors*", "ImInfo"], ["Out", "Out@LOD"],
    ["score_threshold", "nms_top_k", "keep_top_k", "nms_threshold", "nms_eta"]>];
  let referenceInCode = 1;
  let differentiable = 0;
  let batching = "refused";
}

def Pd_BoxDecoderAndAssignOp : Pd_SelectionOp<"box_decoder_and_assign"> {
  let sharding = "r *, *, r *, r * -> r *, r *";
  let summary = "Boxes of all classes decoded from one prior box each, and the box of the best class";
  let description = [{
    The boxes of a row are decoded from its prior box, whose corners are pixels, by offsets and logarithms of sizes
    times the four variances; logarithms are at most `box_clip`. The best class is the one of the largest score above
    -1, except class 0; if there is none, the prior box is assigned.
  }];
  let constraints = [
    "C1. prior_box is [R, 4], prior_box_var has 4 elements, target_box is [R, 4 * classes] and box_score [R, classes]"
  ];
  let arguments = (ins Pd_FloatTensor:$prior_box, Pd_FloatTensor:$prior_box_var, Pd_FloatTensor:$target_box,
    Pd_FloatTensor:$box_score, Real<"4.135">:$box_clip);
  let results = (outs Pd_FloatTensor:$output_box, Pd_FloatTensor:$output_assign_box);
  let infer = "inferBoxDecoderAndAssign";
  let legacy = [Legacy<"box_decoder_and_assign", ["PriorBox", "PriorBoxVar", "TargetBox", "BoxScore"],
    ["DecodeBox", "OutputAssignBox"], ["box_clip"]>];
  let batching = "inCode";
  let referenceInCode = 1;
  let differentiable = 0;
}

def Pd_MineHardExamplesOp : Pd_SelectionOp<"mine_hard_examples"> {
  let summary = "Hard example mining: the unmatched prior boxes of the largest losses";
  let description = [{
    max_negative: of the boxes of an image without a match (-1) whose match_dist is below `neg_dist_threshold`, the
    neg_pos_ratio * (number of matches) ones of the largest loss. hard_example: of all boxes, the `sample_size` ones
    of the largest cls_loss + loc_loss; `updated_match_indices` removes the matches of the others. `neg_indices` has
    the selected boxes without a match, in ascending order; `offsets` are the offsets of the images.
  }];
  let constraints = [
    "C1. all operands are [N, boxes]"
  ];
  let arguments = (ins Pd_FloatTensor:$cls_loss, Pd_IntTensor:$match_indices, Pd_FloatTensor:$match_dist,
    Optional<Pd_FloatTensor>:$loc_loss, Real<"1.0">:$neg_pos_ratio, Real<"0.5">:$neg_dist_threshold,
      Limit<"0">:$sample_size,
    Pd_DefaultEnum<Pd_MiningTypeAttr, "MaxNegative">:$mining_type);
  let results = (outs Pd_IntTensor:$neg_indices, Pd_IntTensor:$offsets, Pd_IntTensor:$updated_match_indices);
  let infer = "inferMineHardExamples";
  let legacy = [Legacy<"mine_hard_examples", ["ClsLoss", "MatchIndices", "MatchDist", "LocLoss"],
    ["NegIndices", "NegIndices@LOD", "UpdatedMatchIndices"], ["neg_pos_ratio", "neg_dist_threshold", "sample_size",
      "mining_type"]>];
  let referenceInCode = 1;
  let batching = "refused";
}

def Pd_SimilarityFocusOp : Pd_SelectionOp<"similarity_focus"> {
  let sharding = "b * * * -> b * * *";
  let summary = "Ones at the largest elements of slices, one in each row and column, in all slices along the axis";
  let description = [{
    For each image and each of the `indexes` of slices along `axis`: the elements of the slice in descending order,
    unless their row or column has one already. The result is 1 at their positions in all slices along the axis, else
    0.
  }];
  let constraints = [
    "C1. x has rank 4 and axis is 1, 2 or 3",
    "C2. there is at least one index, and all are within the dim of the axis"
  ];
  let arguments = (ins Pd_FloatTensor:$x, I64Attr:$axis, DenseI64ArrayAttr:$indexes);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferSimilarityFocus";
  let legacy = [Legacy<"similarity_focus", ["X"], ["Out"], ["axis", "indexes"]>];
  let batching = "batchImages";
  let referenceInCode = 1;
  let differentiable = 0;
}

#endif
