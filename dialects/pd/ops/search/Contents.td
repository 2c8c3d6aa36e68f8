// Statistics of the elements of a tensor: mode, NaNs, AUC.
#ifndef PROA_DIALECTS_PD_SEARCH_CONTENTS
#define PROA_DIALECTS_PD_SEARCH_CONTENTS

include "dialects/pd/ir/Base.td"

class Pd_ContentsOp<string mnemonic> : Pd_Op<mnemonic> {
  let decomposesInCode = 1;
  let lod = "none";
}

def Pd_ModeOp : Pd_ContentsOp<"mode"> {
  let summary = "Mode: the most frequent element along an axis, and its last index";
  let description = [{
    Of several equally frequent elements, the smallest. A NaN differs from other NaNs, and is larger than all numbers.
  }];
  let constraints = ["C1. axis is in [-rank, rank)"];
  let arguments = (ins Pd_RealTensor:$x, DefaultValuedAttr<I64Attr, "-1">:$axis, DefaultValuedAttr<BoolAttr, "false">:$keepdim);
  let results = (outs Pd_RealTensor:$out, Pd_IntTensor:$indices);
  let infer = "inferMode";
  let legacy = [Legacy<"mode", ["X"], ["Out", "Indices"], ["axis", "keepdim"]>];
  let newIrGradients = ["mode_grad(x, indices)"];
}

class Pd_HasOp<string mnemonic, string what, string type> : Pd_ContentsOp<mnemonic> {
  let summary = "Whether x contains " # what # ", as a bool vector of one element";
  let arguments = (ins Pd_NumberTensor:$x);
  let results = (outs Pd_BoolTensor:$out);
  let infer = "inferOneBool";
  let legacy = [Legacy<type, ["X"], ["Out"]>];
}

def Pd_HasNanOp : Pd_HasOp<"has_nan", "a NaN", "isnan">;
def Pd_HasInfOp : Pd_HasOp<"has_inf", "an infinity", "isinf">;

def Pd_CheckNumericsOp : Pd_ContentsOp<"check_numerics"> {
  let summary = "The numbers of NaN, infinite and zero elements of a tensor, and its maximum, minimum and mean";
  let description = [{
    `stats` has the three counts, `values` the three numbers in float32. Paddle also prints them, and may end the
    program if there is a NaN; this op does not.
  }];
  let arguments = (ins Pd_FloatTensor:$tensor);
  let results = (outs Pd_IntTensor:$stats, Pd_FloatTensor:$values);
  let infer = "inferCheckNumerics";
  let legacy = [Legacy<"check_numerics", ["tensor"], ["stats", "values"], [], ["op_type", "var_name", "check_nan_inf_level",
    "stack_height_limit", "output_dir"]>];
}

def Pd_AucOp : Pd_Op<"auc"> {
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
  let library = "auc";
  let lod = "none";
  let legacy = [Legacy<"auc", ["Predict", "Label", "StatPos", "StatNeg", "InsTagWeight"], ["AUC", "StatPosOut", "StatNegOut"],
    ["num_thresholds", "slide_steps"], ["curve"]>];
  let referenceInCode = 1;
}

#endif
