// Region proposals: generation, and distribution over the levels of a feature pyramid.
#ifndef PROA_DIALECTS_PD_DETECTION_PROPOSALS
#define PROA_DIALECTS_PD_DETECTION_PROPOSALS

include "dialects/pd/ir/Base.td"
include "dialects/pd/ops/detection/Detection.td"

def Pd_GenerateProposalsOp : Pd_DetectionOp<"generate_proposals"> {
  let onnx = [OnnxWritten<"exportGenerateProposals", "isProposalsInOnnx(op)">];
  let sharding = "whole: the dims of its results depend on data";
  let summary = "Region proposals: the best boxes of a proposal head after non-maximum suppression";
  let description = [{
    scores [N, A, H, W] and bbox_deltas [N, 4 A, H, W] belong to the anchors [H, W, A, 4]. Of each image the
    pre_nms_top_n best boxes are decoded (center offsets in units of the anchor size, logarithms of sizes, times the
    variances), clamped to the image, removed if a side is below max(min_size, 1), and suppressed as in
    pd.multiclass_nms3 by nms_thresh and eta; post_nms_top_n are kept. An image without boxes has one box of zeros.
    With pixel_offset corners are pixels. im_shape has height and width of each image; with is_scaled also the scale
    by which sizes are divided.
  }];
  let constraints = ["C1. scores and bbox_deltas have rank 4"];
  let arguments = (ins Pd_FloatTensor:$scores, Pd_FloatTensor:$bbox_deltas, Pd_FloatTensor:$im_shape,
    Pd_FloatTensor:$anchors, Pd_FloatTensor:$variances, Count<"6000">:$pre_nms_top_n, Count<"1000">:$post_nms_top_n,
    Number<"0.5">:$nms_thresh, Number<"0.1">:$min_size, Number<"1.0">:$eta, Flag<"true">:$pixel_offset,
    Flag<"false">:$is_scaled);
  let results = (outs Pd_FloatTensor:$rpn_rois, Pd_FloatTensor:$rpn_roi_probs, Pd_IntTensor:$rpn_rois_num);
  let infer = "inferGenerateProposals";
  let decomposesInCode = 1;
  defvar numbers = ["pre_nms_top_n=pre_nms_topN", "post_nms_top_n=post_nms_topN", "nms_thresh", "min_size", "eta"];
  let legacy = [Legacy<"generate_proposals_v2", ["Scores", "BboxDeltas", "ImShape", "Anchors", "Variances"],
                  ["RpnRois", "RpnRoiProbs", "RpnRoisNum"], numbers # ["pixel_offset"], [], "importGenerateProposals",
                  writtenIf_="!op.getIsScaled()">,
                Legacy<"generate_proposals", ["Scores", "BboxDeltas", "ImInfo", "Anchors", "Variances"],
                  ["RpnRois", "RpnRoiProbs", "RpnRoisNum"], numbers, [], "importGenerateProposals",
                  writtenIf_="op.getIsScaled() && op.getPixelOffset()">];
  let referenceInCode = 1;
  let differentiable = 0;
  let batching = "refused";
}

def Pd_DistributeFpnProposalsOp : Pd_DetectionOp<"distribute_fpn_proposals"> {
  let onnx = [OnnxWritten<"exportDistributeFpnProposalsToOnnx">];
  let sharding = "whole: the dims of its results depend on data";
  let summary = "Boxes by the level of a feature pyramid that their size selects";
  let description = [{
    A box of area a belongs to level floor(log2(sqrt(a) / refer_scale + 1e-6) + refer_level), clamped to min_level and
    max_level. multi_fpn_rois has the boxes of each level, multi_level_rois_num their number for each image;
    restore_index is the index of each box among the boxes of all levels.
  }];
  let constraints = [
    "C1. fpn_rois is [boxes, 4]",
    "C2. there are 1 to 1024 levels from min_level to max_level"
  ];
  let arguments = (ins Pd_FloatTensor:$fpn_rois, Optional<Pd_IntTensor>:$rois_num, I64Attr:$min_level,
    I64Attr:$max_level, I64Attr:$refer_level, I64Attr:$refer_scale, Flag<"true">:$pixel_offset);
  let results = (outs Variadic<Pd_Tensor>:$boxes_and_counts);
  let infer = "inferDistributeFpnProposals";
  let legacy = [Legacy<"distribute_fpn_proposals", ["FpnRois", "RoisNum"], ["MultiFpnRois", "RestoreIndex",
    "MultiLevelRoIsNum"], ["min_level", "max_level", "refer_level", "refer_scale", "pixel_offset"], [],
    "importDistributeFpnProposals", exportHook_="exportDistributeFpnProposals">];
  let referenceInCode = 1;
  let differentiable = 0;
  let batching = "refused";
}

def Pd_CollectFpnProposalsOp : Pd_DetectionOp<"collect_fpn_proposals"> {
  let onnx = [OnnxWritten<"exportCollectFpnProposalsToOnnx">];
  let sharding = "whole: the dims of its results depend on data";
  let summary = "The post_nms_topn best boxes of all levels, image by image";
  let description = [{
    inputs are the boxes [R, 4] of `levels` levels, then their scores, then optionally the number of boxes of each
    image in each level.
  }];
  let constraints = ["C1. there are two or three tensors for each level"];
  let arguments = (ins Variadic<Pd_Tensor>:$inputs, I64Attr:$levels, I64Attr:$post_nms_topn);
  let results = (outs Pd_FloatTensor:$fpn_rois, Pd_IntTensor:$rois_num);
  let infer = "inferCollectFpnProposals";
  let legacy = [Legacy<"collect_fpn_proposals", ["MultiLevelRois*", "MultiLevelScores*", "MultiLevelRoIsNum*"],
    ["FpnRois", "RoisNum"], [], ["post_nms_topN=hook"], "importCollectFpnProposals",
    exportHook_="exportCollectFpnProposals">];
  let referenceInCode = 1;
  let differentiable = 0;
  let batching = "refused";
}

#endif
