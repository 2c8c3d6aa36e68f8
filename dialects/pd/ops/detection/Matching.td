// Matching of boxes with true boxes, and of rows with columns.
#ifndef PROA_DIALECTS_PD_DETECTION_MATCHING
#define PROA_DIALECTS_PD_DETECTION_MATCHING

include "dialects/pd/ir/Base.td"
include "dialects/pd/ops/detection/Detection.td"

def Pd_BipartiteMatchOp : Pd_DetectionOp<"bipartite_match"> {
  let sharding = "whole: rows are assigned in the order of all distances";
  let summary = "Bipartite matching: a row for each column, by descending distance, each row once";
  let description = [{
    Without `offsets` dist_mat is of one image. With match_type per_prediction the remaining columns get the row of
    their largest distance, if that is at least dist_threshold. Distances below 1e-6 are ignored; columns without a
    row get -1 and distance 0.
  }];
  let constraints = ["C1. dist_mat is a matrix"];
  let arguments = (ins Pd_FloatTensor:$dist_mat, Optional<Pd_IntTensor>:$offsets,
    Pd_DefaultEnum<Pd_MatchTypeAttr, "Bipartite">:$match_type, Number<"0.5">:$dist_threshold);
  let results = (outs Pd_IntTensor:$col_to_row_match_indices, Pd_FloatTensor:$col_to_row_match_dist);
  let infer = "inferBipartiteMatch";
  let decomposesInCode = 1;
  let legacy = [Legacy<"bipartite_match", ["DistMat", "DistMat@LOD?"], ["ColToRowMatchIndices", "ColToRowMatchDist"],
    ["match_type", "dist_threshold"]>];
  let referenceInCode = 1;
  let differentiable = 0;
  let batching = "unbatched";
}

def Pd_MineHardExamplesOp : Pd_DetectionOp<"mine_hard_examples"> {
  let sharding = "whole: the dims of its results depend on data";
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
    Optional<Pd_FloatTensor>:$loc_loss, Number<"1.0">:$neg_pos_ratio, Number<"0.5">:$neg_dist_threshold,
      Count<"0">:$sample_size,
    Pd_DefaultEnum<Pd_MiningTypeAttr, "MaxNegative">:$mining_type);
  let results = (outs Pd_IntTensor:$neg_indices, Pd_IntTensor:$offsets, Pd_IntTensor:$updated_match_indices);
  let infer = "inferMineHardExamples";
  let decomposesInCode = 1;
  let legacy = [Legacy<"mine_hard_examples", ["ClsLoss", "MatchIndices", "MatchDist", "LocLoss"],
    ["NegIndices", "NegIndices@LOD", "UpdatedMatchIndices"], ["neg_pos_ratio", "neg_dist_threshold", "sample_size",
      "mining_type"]>];
  let referenceInCode = 1;
  let batching = "refused";
}

def Pd_SimilarityFocusOp : Pd_DetectionOp<"similarity_focus"> {
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
  let decomposesInCode = 1;
  let legacy = [Legacy<"similarity_focus", ["X"], ["Out"], ["axis", "indexes"]>];
  let batching = "batchImages";
  let referenceInCode = 1;
  let differentiable = 0;
}

#endif
