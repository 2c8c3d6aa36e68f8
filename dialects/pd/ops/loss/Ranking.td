// Ranking and other losses of legacy programs.
#ifndef PROA_DIALECTS_PD_LOSS_RANKING
#define PROA_DIALECTS_PD_LOSS_RANKING

include "dialects/pd/ir/Base.td"

class Pd_PairLoss<string mnemonic, string legacyType, string first, string second, string out> : Pd_Op<mnemonic> {
  let constraints = [
    "C1. both operands have the same dimensions",
    "C2. both operands have the same element type"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$label);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferSameShapes";
  let legacy = [Legacy<legacyType, [first, second], [out]>];
}

def Pd_ModifiedHuberLossOp : Pd_Op<"modified_huber_loss"> {
  let summary = "Modified Huber loss: with v = x * (2 * label - 1), -4 * v below -1, (1 - v)^2 below 1, else 0; and v";
  let constraints = [
    "C1. both operands have the same dimensions",
    "C2. both operands have the same element type"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$label);
  let results = (outs Pd_FloatTensor:$intermediate_val, Pd_FloatTensor:$out);
  let infer = "inferTwoOfSameShape";
  let decomposesInCode = 1;
  let legacy = [Legacy<"modified_huber_loss", ["X", "Y"], ["IntermediateVal", "Out"]>];
}

def Pd_TeacherStudentSigmoidLossOp : Pd_PairLoss<"teacher_student_sigmoid_loss", "teacher_student_sigmoid_loss", "X",
  "Label", "Y"> {
  let summary = "Logistic losses of a click label and, if the label has one, a teacher's probability";
  let description = [{
    With s = log(1 + exp(x)): a label below -1 gives s, below 0 s - x, below 1 s + (s - x * label), else
    (s - x) + (s - x * (label - 1)).

    The gradient by x is 0 unless `soft_max_lower_bound` < x < `soft_max_up_bound`, as in Paddle.
  }];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$label, DefaultValuedAttr<F64Attr, "15.0">:$soft_max_up_bound,
    DefaultValuedAttr<F64Attr, "-15.0">:$soft_max_lower_bound);
  let constraints = [
    "C1. both operands have the same dimensions",
    "C2. both operands have the same element type"
  ];
  let decomposesInCode = 1;
  let vjpInCode = 1;
  let batching = "batchAllOperands";
  let legacy = [Legacy<"teacher_student_sigmoid_loss", ["X", "Label"], ["Y"], ["soft_max_up_bound",
    "soft_max_lower_bound"]>];
}

def Pd_RankLossOp : Pd_Op<"rank_loss"> {
  let summary = "log(1 + exp(left - right)) - label * (left - right)";
  let description = "The operands are broadcast together.";
  let arguments = (ins Pd_FloatTensor:$label, Pd_FloatTensor:$left, Pd_FloatTensor:$right);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferBroadcast";
  let decomposition = "softplus(left - right) - label * (left - right)";
  let legacy = [Legacy<"rank_loss", ["Label", "Left", "Right"], ["Out"]>];
}

def Pd_BprLossOp : Pd_Op<"bpr_loss"> {
  let summary = "For each row the mean over the other classes j of log(1 + exp(x[j] - x[label]))";
  let constraints = ["C1. x has a rank of at least 1, and label its dimensions with a last one of 1"];
  let arguments = (ins Pd_FloatTensor:$x, Pd_IntTensor:$label);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferPerRow";
  let decomposesInCode = 1;
  let legacy = [Legacy<"bpr_loss", ["X", "Label"], ["Y"]>];
}

def Pd_CrossEntropyOp : Pd_Op<"cross_entropy"> {
  let summary = "The cross entropy of probabilities with labels: -log(x[label]), or with soft_label -sum(label * "
    "log(x))";
  let description = [{
    A label ignore_index gives 0. An infinite logarithm is replaced by 1e20 with its sign. `match_x` is x[label].
  }];
  let constraints = [
    "C1. x has a rank of at least 1, and label its dimensions with a last one of 1 (or, with soft_label, all)"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_RealTensor:$label, DefaultValuedAttr<BoolAttr, "false">:$soft_label,
    DefaultValuedAttr<I64Attr, "-100">:$ignore_index);
  let results = (outs Pd_FloatTensor:$out, Pd_FloatTensor:$match_x);
  let infer = "inferCrossEntropy";
  let decomposesInCode = 1;
  let precision = "full";
  let legacy = [Legacy<"cross_entropy", ["X", "Label"], ["Y", ""], ["soft_label", "ignore_index"]>,
                Legacy<"cross_entropy2", ["X", "Label"], ["Y", "MatchX"], ["ignore_index"], [], "", ["XShape"]>];
}

def Pd_IdentityLossOp : Pd_Op<"identity_loss"> {
  let summary = "The sum of x (reduction 0), its mean (1), or x (2)";
  let constraints = ["C1. reduction is 0, 1 or 2"];
  let arguments = (ins Pd_FloatTensor:$x, DefaultValuedAttr<I64Attr, "1">:$reduction);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferIdentityLoss";
  let decomposesInCode = 1;
  let lod = "none";
  let legacy = [Legacy<"identity_loss", ["X"], ["Out"], ["reduction"]>];
}

def : LegacyFormula<"nce", ["Input", "Label", "Weight", "Bias?", "SampleWeight?", "CustomDistProbs?",
  "CustomDistAlias?", "CustomDistAliasProbs?"], ["Cost", "SampleLogits", "SampleLabels"], ["num_total_classes",
  "num_neg_samples", "sampler", "seed", "custom_neg_classes"], [], "importNce">;

#endif
