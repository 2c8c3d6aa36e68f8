// Training targets of detectors: anchors, regions and masks matched with true boxes.
#ifndef PROA_DIALECTS_PD_DETECTION_TARGETS
#define PROA_DIALECTS_PD_DETECTION_TARGETS

include "dialects/pd/ir/Base.td"

class Threshold<string value> : DefaultValuedAttr<F64Attr, value>;

class Pd_TargetOp<string mnemonic, list<Trait> t = []> : Pd_Op<mnemonic, t> {
  let library = mnemonic;
  let decomposesInCode = 1;
  let lod = "none";
}

defvar anchorRules = [{
    An anchor is positive if it overlaps a box of its image (corners are pixels) by at least the positive overlap, or as
    much as any anchor overlaps that box. It is negative, even if positive, if it overlaps all boxes by less than the
    negative overlap. The boxes of an image, times its scale, are those that are not crowds.

    `location_index` lists positive anchors, with the index of the image times the number of anchors added: first, for
    each one that is also negative, the first positive one, with weights of 0; then those that are only positive, with
    weights of 1. `target_bbox` has the offsets and logarithms of sizes from the anchor to its box. `score_index` lists
    the positive, then the negative anchors of each image. `location_offsets` and `score_offsets` are the offsets of the
    images.
}];
defvar anchorConstraints = ["C1. anchor and gt_boxes are [n, 4], im_info is [images, 3]: height, width, scale"];

def Pd_RpnTargetAssignOp : Pd_TargetOp<"rpn_target_assign"> {
  let sharding = "whole: the dims of its results depend on data";
  let summary = "The anchors that a region proposal head is trained on, and their targets";
  let description = [{
    Anchors that leave the image by more than rpn_straddle_thresh (0 or above) are ignored. Of each image
    rpn_fg_fraction * rpn_batch_size_per_im positive anchors are selected, and negative ones up to
    rpn_batch_size_per_im: at random with use_random, else the first ones. Labels are 1 and 0.
  }] # anchorRules;
  let constraints = anchorConstraints;
  let pure = 0;
  let arguments = (ins Pd_FloatTensor:$anchor, Pd_FloatTensor:$gt_boxes, Pd_IntTensor:$is_crowd,
    Pd_FloatTensor:$im_info, Pd_IntTensor:$gt_offsets, Threshold<"0.7">:$rpn_positive_overlap,
    Threshold<"0.3">:$rpn_negative_overlap, Threshold<"0.25">:$rpn_fg_fraction, Threshold<"0.0">:$rpn_straddle_thresh,
    DefaultValuedAttr<I64Attr,
      "256">:$rpn_batch_size_per_im,
    DefaultValuedAttr<BoolAttr, "true">:$use_random);
  let results = (outs Res<Pd_IntTensor, "", [MemAlloc]>:$location_index, Pd_IntTensor:$score_index,
    Pd_FloatTensor:$target_bbox, Pd_IntTensor:$target_label, Pd_FloatTensor:$bbox_inside_weight,
    Pd_IntTensor:$location_offsets,
      Pd_IntTensor:$score_offsets);
  let infer = "inferTargetAssign";
  let samples = "op.getUseRandom() ? 1 : 0";
  let legacy = [Legacy<"rpn_target_assign", ["Anchor", "GtBoxes", "IsCrowd", "ImInfo", "GtBoxes@LOD"],
    ["LocationIndex", "ScoreIndex", "TargetBBox", "TargetLabel", "BBoxInsideWeight",
     "LocationIndex|TargetBBox|BBoxInsideWeight@LOD", "ScoreIndex|TargetLabel@LOD"],
    ["rpn_positive_overlap", "rpn_negative_overlap", "rpn_fg_fraction", "rpn_straddle_thresh", "rpn_batch_size_per_im",
      "use_random"]>];
  let referenceInCode = 1;
  let differentiable = 0;
}

def Pd_RetinanetTargetAssignOp : Pd_TargetOp<"retinanet_target_assign"> {
  let sharding = "whole: the dims of its results depend on data";
  let summary = "The targets of the anchors of a one-stage detector";
  let description = [{
    All anchors are used. The label of a positive anchor is the label of its box, of a negative one 0.
    `foreground_number` [images, 1] is 1 more than the number of rows of `location_index` for the image.
  }] # anchorRules;
  let constraints = anchorConstraints;
  let arguments = (ins Pd_FloatTensor:$anchor, Pd_FloatTensor:$gt_boxes, Pd_IntTensor:$is_crowd,
    Pd_FloatTensor:$im_info, Pd_IntTensor:$gt_offsets, Pd_IntTensor:$gt_labels, Threshold<"0.5">:$positive_overlap,
      Threshold<"0.4">:$negative_overlap);
  let results = (outs Pd_IntTensor:$location_index, Pd_IntTensor:$score_index, Pd_FloatTensor:$target_bbox,
    Pd_IntTensor:$target_label, Pd_FloatTensor:$bbox_inside_weight, Pd_IntTensor:$location_offsets,
      Pd_IntTensor:$score_offsets,
    Pd_IntTensor:$foreground_number, Pd_IntTensor:$number_offsets);
  let infer = "inferRetinanetTargetAssign";
  let legacy = [Legacy<"retinanet_target_assign", ["Anchor", "GtBoxes", "IsCrowd", "ImInfo", "GtBoxes@LOD", "GtLabels"],
    ["LocationIndex", "ScoreIndex", "TargetBBox", "TargetLabel", "BBoxInsideWeight",
     "LocationIndex|TargetBBox|BBoxInsideWeight@LOD", "ScoreIndex|TargetLabel@LOD", "ForegroundNumber",
       "ForegroundNumber@LOD"],
    ["positive_overlap", "negative_overlap"]>];
  let referenceInCode = 1;
  let differentiable = 0;
  let batching = "refused";
}

def Pd_GenerateProposalLabelsOp : Pd_TargetOp<"generate_proposal_labels"> {
  let sharding = "whole: the dims of its results depend on data";
  let summary = "The regions that the second stage of a detector is trained on, and their targets";
  let description = [{
    Candidates of an image are its true boxes, then its rpn_rois divided by the scale of the image; an image without
    rpn_rois has none. By its largest overlap with a true box (corners are pixels; a crowd's box has none) a candidate
    is foreground from fg_thresh on, and background from bg_thresh_lo to below bg_thresh_hi. fg_fraction *
    batch_size_per_im foreground candidates are selected, and background ones up to batch_size_per_im: at random with
    use_random, else the first ones. With is_cascade_rcnn all are selected, but of the rpn_rois only regions of positive
    size and with max_overlap below 1 are candidates (if there is none, a box of zeros).

    `labels` is the class of the true box, 0 for background. In columns 4 * label (with is_cls_agnostic: 4) of a
    foreground row, `bbox_targets` has offsets and logarithms of sizes divided by bbox_reg_weights, and both weights
    are 1.
  }];
  let constraints = [
    "C1. rpn_rois and gt_boxes are [n, 4], im_info is [images, 3]: height, width, scale",
    "C2. class_nums is positive, and bbox_reg_weights has four entries",
    "C3. with is_cascade_rcnn, max_overlap is given"
  ];
  let pure = 0;
  let arguments = (ins Pd_FloatTensor:$rpn_rois, Pd_IntTensor:$gt_classes, Pd_IntTensor:$is_crowd,
    Pd_FloatTensor:$gt_boxes, Pd_FloatTensor:$im_info, Pd_IntTensor:$roi_offsets, Pd_IntTensor:$gt_offsets,
    Optional<Pd_FloatTensor>:$max_overlap, I64Attr:$batch_size_per_im, F64Attr:$fg_fraction, F64Attr:$fg_thresh,
    F64Attr:$bg_thresh_hi, F64Attr:$bg_thresh_lo, DenseF64ArrayAttr:$bbox_reg_weights, I64Attr:$class_nums,
    DefaultValuedAttr<BoolAttr, "true">:$use_random, DefaultValuedAttr<BoolAttr, "false">:$is_cascade_rcnn,
    DefaultValuedAttr<BoolAttr, "false">:$is_cls_agnostic);
  let results = (outs Res<Pd_FloatTensor, "", [MemAlloc]>:$rois, Pd_IntTensor:$labels, Pd_FloatTensor:$bbox_targets,
    Pd_FloatTensor:$bbox_inside_weights, Pd_FloatTensor:$bbox_outside_weights, Pd_FloatTensor:$max_overlap_with_gt,
    Pd_IntTensor:$offsets);
  let infer = "inferGenerateProposalLabels";
  let samples = "op.getUseRandom() ? 1 : 0";
  let legacy = [Legacy<"generate_proposal_labels", ["RpnRois", "GtClasses", "IsCrowd", "GtBoxes", "ImInfo",
    "RpnRois@LOD", "GtBoxes@LOD", "MaxOverlap"], ["Rois", "LabelsInt32", "BboxTargets", "BboxInsideWeights",
    "BboxOutsideWeights", "MaxOverlapWithGT",
    "Rois|LabelsInt32|BboxTargets|BboxInsideWeights|BboxOutsideWeights|MaxOverlapWithGT@LOD"],
    ["batch_size_per_im", "fg_fraction", "fg_thresh", "bg_thresh_hi", "bg_thresh_lo", "bbox_reg_weights", "class_nums",
      "use_random",
     "is_cascade_rcnn", "is_cls_agnostic"]>];
  let referenceInCode = 1;
  let differentiable = 0;
}

def Pd_GenerateMaskLabelsOp : Pd_TargetOp<"generate_mask_labels"> {
  let sharding = "whole: the dims of its results depend on data";
  let summary = "The target masks of the regions of a detector";
  let description = [{
    The objects of an image are outlined by polygons: object_offsets are the offsets of objects, polygon_offsets the
    offsets of their polygons, point_offsets the offsets of their points (x, y) in gt_segms. A region, divided by the
    scale of the image, of a positive label belongs to the object, not a crowd and of a positive class, whose bounding
    box it overlaps most (corners are pixels). `mask` [regions, num_classes * resolution * resolution] is -1 except in
    the block of the region's label, where it is 1 inside of a polygon of the object and 0 outside. Pixels are
    classified as in COCO's tools: edges are drawn on a grid five times as fine. `roi_has_mask` is the index of the
    region in its image. An image with regions, none of a positive label, gives one: its first, with a mask of -1 and
    the index of the first region of label 0.
  }];
  let constraints = [
    "C1. rois is [n, 4], gt_segms [points, 2], and im_info [images, 3]: height, width, scale",
    "C2. num_classes and resolution are positive"
  ];
  let arguments = (ins Pd_FloatTensor:$rois, Pd_FloatTensor:$im_info, Pd_IntTensor:$gt_classes, Pd_IntTensor:$is_crowd,
    Pd_FloatTensor:$gt_segms, Pd_IntTensor:$labels, Pd_IntTensor:$roi_offsets, Pd_IntTensor:$object_offsets,
    Pd_IntTensor:$polygon_offsets, Pd_IntTensor:$point_offsets, I64Attr:$num_classes, I64Attr:$resolution);
  let results = (outs Pd_FloatTensor:$mask_rois, Pd_IntTensor:$roi_has_mask, Pd_IntTensor:$mask, Pd_IntTensor:$offsets);
  let infer = "inferGenerateMaskLabels";
  let legacy = [Legacy<"generate_mask_labels", ["Rois", "ImInfo", "GtClasses", "IsCrowd", "GtSegms", "LabelsInt32",
    "Rois@LOD", "GtSegms@LOD", "GtSegms@LOD", "GtSegms@LOD"], ["MaskRois", "RoiHasMaskInt32", "MaskInt32",
      "MaskRois|RoiHasMaskInt32|MaskInt32@LOD"],
    [], ["num_classes=hook", "resolution=hook"], "importGenerateMaskLabels", exportHook_="exportGenerateMaskLabels">];
  let referenceInCode = 1;
  let differentiable = 0;
  let batching = "refused";
}

#endif
