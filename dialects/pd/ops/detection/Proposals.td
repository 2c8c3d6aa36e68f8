// Matching, selection and distribution of proposals.
#ifndef PROA_DIALECTS_PD_DETECTION_PROPOSALS
#define PROA_DIALECTS_PD_DETECTION_PROPOSALS

include "dialects/pd/ir/Base.td"

class Decimal<string value> : DefaultValuedAttr<F64Attr, value>;
class Whole<string value> : DefaultValuedAttr<I64Attr, value>;
class Bit<string value> : DefaultValuedAttr<BoolAttr, value>;

class Pd_BoxLibraryOp<string mnemonic, list<Trait> t = []> : Pd_Op<mnemonic, t> {
  let library = mnemonic;
  let lod = "none";
}

def Pd_NmsOp : Pd_BoxLibraryOp<"nms"> {
  let summary = "Non-maximum suppression: the indices of boxes whose overlap with all earlier selected boxes is at "
    "most the threshold";
  let constraints = ["C1. x is [boxes, 4]"];
  let arguments = (ins Pd_FloatTensor:$x, Decimal<"1.0">:$threshold);
  let results = (outs Pd_IntTensor:$out);
  let infer = "inferNms";
  let legacy = [Legacy<"nms", ["Boxes"], ["KeepBoxesIdxs"], ["threshold=iou_threshold"]>];
  let referenceInCode = 1;
  let batching = "refused";
}

def Pd_BipartiteMatchOp : Pd_BoxLibraryOp<"bipartite_match"> {
  let summary = "Bipartite matching: a row for each column, by descending distance, each row once";
  let description = [{
    Without `offsets` dist_mat is of one image. With match_type per_prediction the remaining columns get the row of
    their largest distance, if that is at least dist_threshold. Distances below 1e-6 are ignored; columns without a
    row get -1 and distance 0.
  }];
  let constraints = ["C1. dist_mat is a matrix"];
  let arguments = (ins Pd_FloatTensor:$dist_mat, Optional<Pd_IntTensor>:$offsets,
    Pd_DefaultEnum<Pd_MatchTypeAttr, "Bipartite">:$match_type, Decimal<"0.5">:$dist_threshold);
  let results = (outs Pd_IntTensor:$col_to_row_match_indices, Pd_FloatTensor:$col_to_row_match_dist);
  let infer = "inferBipartiteMatch";
  let legacy = [Legacy<"bipartite_match", ["DistMat", "DistMat@LOD?"], ["ColToRowMatchIndices", "ColToRowMatchDist"],
    ["match_type", "dist_threshold"]>];
  let referenceInCode = 1;
  let differentiable = 0;
  let batching = "unbatched";
}

def Pd_GenerateProposalsOp : Pd_BoxLibraryOp<"generate_proposals"> {
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
    Pd_FloatTensor:$anchors, Pd_FloatTensor:$variances, Whole<"6000">:$pre_nms_top_n, Whole<"1000">:$post_nms_top_n,
    Decimal<"0.5">:$nms_thresh, Decimal<"0.1">:$min_size, Decimal<"1.0">:$eta, Bit<"true">:$pixel_offset,
    Bit<"false">:$is_scaled);
  let results = (outs Pd_FloatTensor:$rpn_rois, Pd_FloatTensor:$rpn_roi_probs, Pd_IntTensor:$rpn_rois_num);
  let infer = "inferGenerateProposals";
  defvar numbers = ["pre_nms_top_n=pre_nms_topN", "post_nms_top_n=post_nms_topN", "nms_thresh", "min_size", "eta"];
  let legacy = [Legacy<"generate_proposals_v2", ["Scores", "BboxDeltas", "ImShape", "Anchors", "Variances"],
                  ["RpnRois", "RpnRoiProbs", "RpnRoisNum"], numbers # ["pixel_offset"], [], "importGenerateProposals">,
                Legacy<"generate_proposals", ["Scores", "BboxDeltas", "ImInfo", "Anchors", "Variances"],
                  ["RpnRois", "RpnRoiProbs", "RpnRoisNum"], numbers, [], "importGenerateProposals">];
  let referenceInCode = 1;
  let differentiable = 0;
  let batching = "refused";
}

def Pd_DistributeFpnProposalsOp : Pd_BoxLibraryOp<"distribute_fpn_proposals"> {
  let summary = "Boxes by the level of a feature pyramid that their size selects";
  let description = [{
    A box of area a belongs to level floor(log2(sqrt(a) / refer_scale + 1e-6) + refer_level), clamped to min_level and
    max_level. multi_fpn_rois has the boxes of each level, multi_level_rois_num their number for each image;
    restore_index is the index of each box among those of all levels.
  }];
  let constraints = [
    "C1. fpn_rois is [boxes, 4]",
    "C2. there are 1 to 1024 levels from min_level to max_level"
  ];
  let arguments = (ins Pd_FloatTensor:$fpn_rois, Optional<Pd_IntTensor>:$rois_num, I64Attr:$min_level,
    I64Attr:$max_level, I64Attr:$refer_level, I64Attr:$refer_scale, Bit<"true">:$pixel_offset);
  let results = (outs Variadic<Pd_Tensor>:$boxes_and_counts);
  let infer = "inferDistributeFpnProposals";
  let legacy = [Legacy<"distribute_fpn_proposals", ["FpnRois", "RoisNum"], ["MultiFpnRois", "RestoreIndex",
    "MultiLevelRoIsNum"], ["min_level", "max_level", "refer_level", "refer_scale", "pixel_offset"], [],
    "importDistributeFpnProposals", exportHook_="exportDistributeFpnProposals">];
  let referenceInCode = 1;
  let differentiable = 0;
  let batching = "refused";
}

def Pd_CollectFpnProposalsOp : Pd_BoxLibraryOp<"collect_fpn_proposals"> {
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
    ["FpnRois", "RoisNum"], [], ["post_nms_topN"], "importCollectFpnProposals",
    exportHook_="exportCollectFpnProposals">];
  let referenceInCode = 1;
  let differentiable = 0;
  let batching = "refused";
}

def Pd_IouSimilarityOp : Pd_Op<"iou_similarity"> {
  let summary = "The overlap (intersection over union) of each box of x with each box of y";
  let constraints = ["C1. x is [N, 4] and y [M, 4]"];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$y, Bit<"true">:$box_normalized);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferIouSimilarity";
  let decomposesInCode = 1;
  let legacy = [Legacy<"iou_similarity", ["X", "Y"], ["Out"], ["box_normalized"]>];
}

def Pd_DensityPriorBoxOp : Pd_Op<"density_prior_box"> {
  let summary = "Density prior boxes: boxes of fixed sizes, several around each element of a feature map";
  let description = [{
    The center of an element is ((w + offset) * step_w, (h + offset) * step_h); a step of 0 means the image size
    divided by the map size. For each size s with density d and each ratio r there are d * d boxes of width s *
    sqrt(r) and height s / sqrt(r), on a grid of d x d centers in a square of side (step_w + step_h) / 2 (rounded
    down). `boxes` has the corners divided by the image size, clamped to [0, 1].
  }];
  let constraints = [
    "C1. input and image have rank 4",
    "C2. densities has one positive entry for each of fixed_sizes, which are positive, as fixed_ratios are",
    "C3. variances has four entries"
  ];
  let arguments = (ins Pd_FloatTensor:$input, Pd_FloatTensor:$image, DefaultValuedAttr<DenseF64ArrayAttr,
    "{}">:$variances, Bit<"true">:$clip, Bit<"false">:$flatten_to_2d, Decimal<"0.0">:$step_w, Decimal<"0.0">:$step_h,
      Decimal<"0.5">:$offset,
    DefaultValuedAttr<DenseF64ArrayAttr, "{}">:$fixed_sizes, DefaultValuedAttr<DenseF64ArrayAttr, "{}">:$fixed_ratios,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$densities);
  let results = (outs Pd_FloatTensor:$boxes, Pd_FloatTensor:$variances_out);
  let infer = "inferDensityPriorBox";
  let decomposesInCode = 1;
  let lod = "none";
  let legacy = [Legacy<"density_prior_box", ["Input", "Image"], ["Boxes", "Variances"], ["variances", "clip",
    "flatten_to_2d", "step_w", "step_h", "offset", "fixed_sizes", "fixed_ratios", "densities"]>];
}

#endif
