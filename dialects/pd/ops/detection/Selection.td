// Boxes, examples and places selected by scores: heads of old detectors.
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
  let summary = "Neighbouring boxes merged, then boxes selected class by class as in multiclass_nms3";
  let description = [{
    Class by class, in their order: a box that overlaps the last one by more than `nms_threshold` is merged into it (corners
    weighted by the scores, the scores added). The merged boxes of one class are the boxes of the next one. What is left with a
    score above `score_threshold` is selected as by multiclass_nms3. `offsets` says which rows belong to which image; where
    nothing is found, out is one element, -1, of one sequence.
  }];
  let constraints = ["C1. bboxes is [N, M, 4] and scores [N, classes, M], of one element type"];
  let arguments = (ins Pd_FloatTensor:$bboxes, Pd_FloatTensor:$scores, F64Attr:$score_threshold, I64Attr:$nms_top_k,
    I64Attr:$keep_top_k, Real<"0.3">:$nms_threshold, DefaultValuedAttr<BoolAttr, "true">:$normalized, Real<"1.0">:$nms_eta,
    Limit<"-1">:$background_label);
  let results = (outs Pd_FloatTensor:$out, Pd_IntTensor:$offsets);
  let infer = "inferLocalityAwareNms";
  let legacy = [Legacy<"locality_aware_nms", ["BBoxes", "Scores"], ["Out", "Out@LOD"], ["score_threshold", "nms_top_k",
    "keep_top_k", "nms_threshold", "normalized", "nms_eta", "background_label"]>];
}

def Pd_RetinanetDetectionOutputOp : Pd_SelectionOp<"retinanet_detection_output", [AttrSizedOperandSegments]> {
  let summary = "The boxes that the levels of a feature pyramid find, decoded and selected by class";
  let description = [{
    Of each level the `nms_top_k` best pairs of a box and a class with a score above `score_threshold` (the last level: 0) are
    decoded from the level's anchors (centre offsets in extents of the anchor, logarithms of extents), divided by the image's
    scale, and moved into the image; corners are pixels. Of each class boxes stay as in multiclass_nms3, of all the best
    `keep_top_k`. Rows hold label + 1, score and box, the best one first; `offsets` says which rows belong to which image.
  }];
  let constraints = ["C1. there are as many bboxes, [N, M, 4], as scores, [N, M, classes], and anchors, [M, 4]"];
  let arguments = (ins Variadic<Pd_FloatTensor>:$bboxes, Variadic<Pd_FloatTensor>:$scores, Variadic<Pd_FloatTensor>:$anchors,
    Pd_FloatTensor:$im_info, F64Attr:$score_threshold, I64Attr:$nms_top_k, I64Attr:$keep_top_k, F64Attr:$nms_threshold,
    Real<"1.0">:$nms_eta);
  let operandFormat = "`(` $bboxes `)` `(` $scores `)` `(` $anchors `)` $im_info";
  let results = (outs Pd_FloatTensor:$out, Pd_IntTensor:$offsets);
  let infer = "inferRetinanetDetectionOutput";
  let legacy = [Legacy<"retinanet_detection_output", ["BBoxes*", "Scores*", "Anchors*", "ImInfo"], ["Out", "Out@LOD"],
    ["score_threshold", "nms_top_k", "keep_top_k", "nms_threshold", "nms_eta"]>];
}

def Pd_BoxDecoderAndAssignOp : Pd_SelectionOp<"box_decoder_and_assign"> {
  let summary = "Boxes of all classes decoded from one prior box each, and the box of the best class";
  let description = [{
    Offsets and logarithms of extents, times the four variances and at most `box_clip` for the logarithms, decode the boxes of a row
    from its prior box, whose corners are pixels. The best class is the one of the greatest score above -1 but class 0; where
    there is none the prior box is assigned.
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
}

def Pd_MineHardExamplesOp : Pd_SelectionOp<"mine_hard_examples"> {
  let summary = "The unmatched prior boxes of the greatest losses";
  let description = [{
    max_negative: of the boxes of an image without a match (-1) whose match_dist is below `neg_dist_threshold` the
    neg_pos_ratio * (number of matches) ones of the greatest loss. hard_example: of all boxes the `sample_size` ones of the
    greatest cls_loss + loc_loss; matches of others are taken back in `updated_match_indices`. `neg_indices` lists what was
    selected and has no match, in ascending order; `offsets` says which belong to which image.
  }];
  let constraints = [
    "C1. all operands are [N, boxes]"
  ];
  let arguments = (ins Pd_FloatTensor:$cls_loss, Pd_IntTensor:$match_indices, Pd_FloatTensor:$match_dist,
    Optional<Pd_FloatTensor>:$loc_loss, Real<"1.0">:$neg_pos_ratio, Real<"0.5">:$neg_dist_threshold, Limit<"0">:$sample_size,
    Pd_DefaultEnum<Pd_MiningTypeAttr, "MaxNegative">:$mining_type);
  let results = (outs Pd_IntTensor:$neg_indices, Pd_IntTensor:$offsets, Pd_IntTensor:$updated_match_indices);
  let infer = "inferMineHardExamples";
  let legacy = [Legacy<"mine_hard_examples", ["ClsLoss", "MatchIndices", "MatchDist", "LocLoss"],
    ["NegIndices", "NegIndices@LOD", "UpdatedMatchIndices"], ["neg_pos_ratio", "neg_dist_threshold", "sample_size", "mining_type"]>];
}

def Pd_SimilarityFocusOp : Pd_SelectionOp<"similarity_focus"> {
  let summary = "Ones at the greatest elements of slices, one in each row and column, in all slices along the axis";
  let description = [{
    For each image and each of the `indexes` of slices along `axis`: the greatest elements of the slice from the first on, unless their
    row or column has one already. The result is 1 at their places in all slices along the axis, else 0.
  }];
  let constraints = [
    "C1. x has rank 4 and axis is 1, 2 or 3",
    "C2. there is an index, and all are within the extent of the axis"
  ];
  let arguments = (ins Pd_FloatTensor:$x, I64Attr:$axis, DenseI64ArrayAttr:$indexes);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferSimilarityFocus";
  let legacy = [Legacy<"similarity_focus", ["X"], ["Out"], ["axis", "indexes"]>];
}

#endif
