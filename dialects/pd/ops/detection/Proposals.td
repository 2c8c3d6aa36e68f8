// Boxes matched, selected and distributed over the levels of a feature pyramid.
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
  let summary = "The positions of boxes that overlap no earlier one that stays by more than the threshold";
  let constraints = ["C1. x is [boxes, 4]"];
  let arguments = (ins Pd_FloatTensor:$x, Decimal<"1.0">:$threshold);
  let results = (outs Pd_IntTensor:$out);
  let infer = "inferNms";
  let legacy = [Legacy<"nms", ["Boxes"], ["KeepBoxesIdxs"], ["threshold=iou_threshold"]>];
}

def Pd_BipartiteMatchOp : Pd_BoxLibraryOp<"bipartite_match"> {
  let summary = "For each column a row, pairs of the greatest distances first, each row once";
  let description = [{
    Without `offsets` dist_mat is of one image. With match_type per_prediction the columns that are left get the row of their
    greatest distance, if that is dist_threshold or above. Distances below 1e-6 are none; columns without a row get -1 and distance 0.
  }];
  let constraints = ["C1. dist_mat is a matrix"];
  let arguments = (ins Pd_FloatTensor:$dist_mat, Optional<Pd_IntTensor>:$offsets,
    DefaultValuedAttr<StrAttr, "\"bipartite\"">:$match_type, Decimal<"0.5">:$dist_threshold);
  let results = (outs Pd_IntTensor:$col_to_row_match_indices, Pd_FloatTensor:$col_to_row_match_dist);
  let infer = "inferBipartiteMatch";
  let legacy = [Legacy<"bipartite_match", ["DistMat", "DistMat@LOD?"], ["ColToRowMatchIndices", "ColToRowMatchDist"],
    ["match_type", "dist_threshold"]>];
}

def Pd_GenerateProposalsOp : Pd_BoxLibraryOp<"generate_proposals"> {
  let summary = "The boxes of a region proposal head with the best scores that overlap little";
  let description = [{
    scores [N, A, H, W] and bbox_deltas [N, 4 A, H, W] belong to the anchors [H, W, A, 4]. Of each image the pre_nms_top_n best are
    decoded (center offsets in extents of the anchor, logarithms of extents, times the variances), moved into the image, dropped
    where a side is below max(min_size, 1), and suppressed as in multiclass_nms3 by nms_thresh and eta; post_nms_top_n stay.
    An image without any has one box of zeros. With pixel_offset corners are pixels. im_shape holds height and width of each
    image; with is_scaled also the scale that the sizes are divided by.
  }];
  let constraints = ["C1. scores and bbox_deltas have rank 4"];
  let arguments = (ins Pd_FloatTensor:$scores, Pd_FloatTensor:$bbox_deltas, Pd_FloatTensor:$im_shape, Pd_FloatTensor:$anchors,
    Pd_FloatTensor:$variances, Whole<"6000">:$pre_nms_top_n, Whole<"1000">:$post_nms_top_n, Decimal<"0.5">:$nms_thresh,
    Decimal<"0.1">:$min_size, Decimal<"1.0">:$eta, Bit<"true">:$pixel_offset, Bit<"false">:$is_scaled);
  let results = (outs Pd_FloatTensor:$rpn_rois, Pd_FloatTensor:$rpn_roi_probs, Pd_IntTensor:$rpn_rois_num);
  let infer = "inferGenerateProposals";
  defvar numbers = ["pre_nms_top_n=pre_nms_topN", "post_nms_top_n=post_nms_topN", "nms_thresh", "min_size", "eta"];
  let legacy = [Legacy<"generate_proposals_v2", ["Scores", "BboxDeltas", "ImShape", "Anchors", "Variances"],
                  ["RpnRois", "RpnRoiProbs", "RpnRoisNum"], numbers # ["pixel_offset"], [], "importGenerateProposals">,
                Legacy<"generate_proposals", ["Scores", "BboxDeltas", "ImInfo", "Anchors", "Variances"],
                  ["RpnRois", "RpnRoiProbs", "RpnRoisNum"], numbers, [], "importGenerateProposals">];
}

def Pd_DistributeFpnProposalsOp : Pd_BoxLibraryOp<"distribute_fpn_proposals"> {
  let summary = "Boxes by the level of a feature pyramid that their size belongs to";
  let description = [{
    A box of area a goes to level floor(log2(sqrt(a) / refer_scale + 1e-6) + refer_level), within min_level and max_level.
    multi_fpn_rois has the boxes of each level, multi_level_rois_num how many of them each image has; restore_index says where
    each box stands among those of all levels.
  }];
  let constraints = [
    "C1. fpn_rois is [boxes, 4]",
    "C2. there are 1 to 1024 levels from min_level to max_level"
  ];
  let arguments = (ins Pd_FloatTensor:$fpn_rois, Optional<Pd_IntTensor>:$rois_num, I64Attr:$min_level, I64Attr:$max_level,
    I64Attr:$refer_level, I64Attr:$refer_scale, Bit<"true">:$pixel_offset);
  let results = (outs Variadic<Pd_Tensor>:$boxes_and_counts);
  let infer = "inferDistributeFpnProposals";
  let legacy = [Legacy<"distribute_fpn_proposals", ["FpnRois", "RoisNum"], ["MultiFpnRois", "RestoreIndex",
    "MultiLevelRoIsNum"], ["min_level", "max_level", "refer_level", "refer_scale", "pixel_offset"], [],
    "importDistributeFpnProposals", exportHook_="exportDistributeFpnProposals">];
}

def Pd_CollectFpnProposalsOp : Pd_BoxLibraryOp<"collect_fpn_proposals"> {
  let summary = "The post_nms_topn best boxes of all levels, image by image";
  let description = [{
    inputs are the boxes [R, 4] of `levels` levels, then their scores, then (or nothing) how many boxes each image has there.
  }];
  let constraints = ["C1. there are two or three tensors for each level"];
  let arguments = (ins Variadic<Pd_Tensor>:$inputs, I64Attr:$levels, I64Attr:$post_nms_topn);
  let results = (outs Pd_FloatTensor:$fpn_rois, Pd_IntTensor:$rois_num);
  let infer = "inferCollectFpnProposals";
  let legacy = [Legacy<"collect_fpn_proposals", ["MultiLevelRois*", "MultiLevelScores*", "MultiLevelRoIsNum*"],
    ["FpnRois", "RoisNum"], [], ["post_nms_topN"], "importCollectFpnProposals",
    exportHook_="exportCollectFpnProposals">];
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
  let summary = "Prior boxes of fixed sizes, several of each around an element of a feature map";
  let description = [{
    The element's centre is ((w + offset) * step_w, (h + offset) * step_h), a step of 0 standing for the image's extent divided by
    the map's. For each size s with density d and each ratio r stand d * d boxes of width s * sqrt(r) and height s / sqrt(r) on
    a grid of d x d centres in a square of side (step_w + step_h) / 2 (rounded down). `boxes` holds the corners divided by the
    image's extents, within [0, 1].
  }];
  let constraints = [
    "C1. input and image have rank 4",
    "C2. there are as many densities as fixed_sizes, all positive, and fixed_ratios",
    "C3. variances holds four numbers"
  ];
  let arguments = (ins Pd_FloatTensor:$input, Pd_FloatTensor:$image, DefaultValuedAttr<DenseF64ArrayAttr, "{}">:$variances,
    Bit<"true">:$clip, Bit<"false">:$flatten_to_2d, Decimal<"0.0">:$step_w, Decimal<"0.0">:$step_h, Decimal<"0.5">:$offset,
    DefaultValuedAttr<DenseF64ArrayAttr, "{}">:$fixed_sizes, DefaultValuedAttr<DenseF64ArrayAttr, "{}">:$fixed_ratios,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$densities);
  let results = (outs Pd_FloatTensor:$boxes, Pd_FloatTensor:$variances_out);
  let infer = "inferDensityPriorBox";
  let decomposesInCode = 1;
  let lod = "none";
  let legacy = [Legacy<"density_prior_box", ["Input", "Image"], ["Boxes", "Variances"], ["variances", "clip", "flatten_to_2d",
    "step_w", "step_h", "offset", "fixed_sizes", "fixed_ratios", "densities"]>];
}

#endif
