// What a tensor contains: its most frequent elements, NaNs, infinities.
#ifndef PROA_DIALECTS_PD_SEARCH_CONTENTS
#define PROA_DIALECTS_PD_SEARCH_CONTENTS

include "dialects/pd/ir/Base.td"

class Pd_ContentsOp<string mnemonic> : Pd_Op<mnemonic> {
  let decomposesInCode = 1;
  let lod = "none";
}

def Pd_ModeOp : Pd_ContentsOp<"mode"> {
  let summary = "The most frequent element along an axis, and where it stands last";
  let description = [{
    Of several equally frequent elements the least. A NaN equals no other NaN, and is greater than all numbers.
  }];
  let constraints = ["C1. axis is in [-rank, rank)"];
  let arguments = (ins Pd_RealTensor:$x, DefaultValuedAttr<I64Attr, "-1">:$axis, DefaultValuedAttr<BoolAttr, "false">:$keepdim);
  let results = (outs Pd_RealTensor:$out, Pd_IntTensor:$indices);
  let infer = "inferMode";
  let legacy = [Legacy<"mode", ["X"], ["Out", "Indices"], ["axis", "keepdim"]>];
  let newIrGradients = ["mode_grad(x, indices)"];
}

class Pd_HasOp<string mnemonic, string what, string type> : Pd_ContentsOp<mnemonic> {
  let summary = "Whether x holds " # what # ", as a bool vector of one element";
  let arguments = (ins Pd_NumberTensor:$x);
  let results = (outs Pd_BoolTensor:$out);
  let infer = "inferOneBool";
  let legacy = [Legacy<type, ["X"], ["Out"]>];
}

def Pd_HasNanOp : Pd_HasOp<"has_nan", "a NaN", "isnan">;
def Pd_HasInfOp : Pd_HasOp<"has_inf", "an infinity", "isinf">;

def Pd_CheckNumericsOp : Pd_ContentsOp<"check_numerics"> {
  let summary = "How many elements of a tensor are NaN, infinite and zero; their maximum, minimum and mean";
  let description = [{
    `stats` holds the three counts, `values` the three numbers in float32. Paddle also prints them, and may end the program
    where it finds a NaN; this op does neither.
  }];
  let arguments = (ins Pd_FloatTensor:$tensor);
  let results = (outs Pd_IntTensor:$stats, Pd_FloatTensor:$values);
  let infer = "inferCheckNumerics";
  let legacy = [Legacy<"check_numerics", ["tensor"], ["stats", "values"], [], ["op_type", "var_name", "check_nan_inf_level",
    "stack_height_limit", "output_dir"]>];
}

def Pd_AucOp : Pd_Op<"auc"> {
  let summary = "The area under the ROC curve of predictions, from counts of positive and negative samples by threshold";
  let description = [{
    The last column of `predict` [N, 1 or 2] holds the probabilities that a sample is positive; sample i is positive where label[i]
    is above 0, negative where it is 0. It is counted in bucket floor(probability * num_thresholds) of num_thresholds + 1. The curve joins the points
    (negatives, positives) counted from the last bucket down; its area is divided by both totals unless one is 0.

    Without slide_steps the counts are added to `stat_pos` and `stat_neg` [1, buckets]. With them these hold, one after the
    other, the counts of the last slide_steps calls, their sums, and the number of calls; the sums count.
    Where the first element of `ins_tag_weight` is 0 nothing is counted.
    At run time: probabilities are from 0 to 1, stat_pos and stat_neg have room for their counts.
  }];
  let constraints = [
    "C1. predict has rank 2, and label as many elements as it has rows",
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
