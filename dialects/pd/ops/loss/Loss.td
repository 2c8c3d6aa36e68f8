// Losses and accuracy.
#ifndef PROA_DIALECTS_PD_LOSS_LOSS
#define PROA_DIALECTS_PD_LOSS_LOSS

include "dialects/pd/ir/Base.td"

def Pd_CrossEntropyWithSoftmaxOp : Pd_Op<"cross_entropy_with_softmax"> {
  let lod = "all";
  let summary = "Cross entropy of the softmax along an axis with labels";
  let description = [{
    With class indices as labels, `loss = -log(softmax[label])`, and 0 if the label is `ignore_index`; the label has
    size 1 along the axis or does not have that dimension. With `soft_label`, `loss = -sum(label * log(softmax))`.
    Without `use_softmax` the input already is a softmax. The loss keeps the axis with size 1. It is computed from
    log_softmax, which does not overflow, independent of `numeric_stable_mode`.

    The gradient is the derivative of the formula without the bound of log_softmax. With `paddle_gradient`, which the
    import of gradient ops sets, soft labels are taken to add up to 1, as in Paddle's gradient kernel: `(softmax -
    label) * dloss`.
  }];
  let constraints = [
    "C1. axis is a dimension of input",
    "C2. a class label is an integer tensor with the other dimensions of input",
    "C3. a soft label is a float tensor with the dimensions of input"
  ];
  let arguments = (ins Pd_FloatTensor:$input, Pd_RealTensor:$label, DefaultValuedAttr<BoolAttr, "false">:$soft_label,
    DefaultValuedAttr<BoolAttr, "true">:$use_softmax, DefaultValuedAttr<BoolAttr, "true">:$numeric_stable_mode,
    DefaultValuedAttr<I64Attr, "-100">:$ignore_index, DefaultValuedAttr<I64Attr, "-1">:$axis,
    DefaultValuedAttr<BoolAttr, "false">:$paddle_gradient);
  let results = (outs Pd_FloatTensor:$softmax, Pd_FloatTensor:$loss);
  let infer = "inferCrossEntropyWithSoftmax";
  let decomposesInCode = 1;
  let vjpInCode = 1;
  let precision = "full";
  let legacy = [Legacy<"softmax_with_cross_entropy", ["Logits", "Label"], ["Softmax", "Loss"],
    ["soft_label", "use_softmax", "numeric_stable_mode", "ignore_index", "axis"]>];
  let newIrGradients = ["cross_entropy_with_softmax_grad(label, softmax, dloss) -> input"];
  let batching = "inCode";
}

def Pd_NllLossOp : Pd_Op<"nll_loss"> {
  let lod = "none";
  let summary = "Negative log likelihood: -weight[label] * input[label], along dimension 1";
  let description = [{
    `input` has log probabilities [N, C, d...], `label` class indices [N, d...]; a label `ignore_index` gives 0.
    reduction `none` keeps the terms, `sum` adds them, `mean` divides the sum by the sum of their weights,
    unless that is 0.
    `total_weight` is the sum of weights (0 with `none`).
  }];
  let constraints = [
    "C1. input has rank 2 or more, and label its dimensions without the second",
    "C2. weight has rank 1 and one element for each class",
    "C3. reduction is not batchmean"
  ];
  let arguments = (ins Pd_FloatTensor:$input, Pd_IntTensor:$label, Optional<Pd_FloatTensor>:$weight,
    DefaultValuedAttr<I64Attr, "-100">:$ignore_index, Pd_DefaultEnum<Pd_LossReductionAttr, "Mean">:$reduction);
  let results = (outs Pd_FloatTensor:$out, Pd_FloatTensor:$total_weight);
  let infer = "inferNllLoss";
  let decomposesInCode = 1;
  let precision = "full";
  let legacy = [Legacy<"nll_loss", ["X", "Label", "Weight"], ["Out", "Total_weight"], ["ignore_index:long",
    "reduction"]>];
  let newIrGradients = ["nll_loss_grad(input, label, weight, total_weight) -> input"];
}

defvar sameShapeConstraints = [
  "C1. both operands have the same dimensions",
  "C2. both operands have the same element type"
];

def Pd_BceLossOp : Pd_Op<"bce_loss"> {
  let summary = "Binary cross entropy of probabilities";
  let description = "-(label * log(input) + (1 - label) * log(1 - input)), with logarithms bounded below by -100.";
  let constraints = sameShapeConstraints;
  let arguments = (ins Pd_FloatTensor:$input, Pd_FloatTensor:$label);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferSameShapes";
  let vjp = ["dout * (input - label) / e.maximum((1.0 - input) * input, 1e-12)",
             "dout * (e.maximum(e.log(1.0 - input), -100.0) - e.maximum(e.log(input), -100.0))"];
  let decomposition = "(label - 1.0) * e.maximum(e.log(1.0 - input), -100.0) - label * e.maximum(e.log(input), -100.0)";
  let precision = "full";
  let legacy = [Legacy<"bce_loss", ["X", "Label"], ["Out"]>];
  let newIrGradients = ["bce_loss_grad(input, label) -> input"];
  let batching = "batchAllOperands";
}

def Pd_LogLossOp : Pd_Op<"log_loss"> {
  let summary = "-label * log(input + epsilon) - (1 - label) * log(1 - input + epsilon)";
  let constraints = sameShapeConstraints;
  let arguments = (ins Pd_FloatTensor:$input, Pd_FloatTensor:$label, F64Attr:$epsilon);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferSameShapes";
  let decomposition = [{-(label * e.log(input + op.getEpsilon().convertToDouble()))
    - (1.0 - label) * e.log(1.0 - input + op.getEpsilon().convertToDouble())}];
  let precision = "full";
  let legacy = [Legacy<"log_loss", ["Predicted", "Labels"], ["Loss"], ["epsilon"]>];
  let newIrGradients = ["log_loss_grad(input, label) -> input"];
}

def Pd_HingeLossOp : Pd_Op<"hinge_loss"> {
  let summary = "max(0, 1 - logits * (2 * labels - 1))";
  let constraints = sameShapeConstraints;
  let arguments = (ins Pd_FloatTensor:$logits, Pd_FloatTensor:$labels);
  let results = (outs Pd_FloatTensor:$loss);
  let infer = "inferSameShapes";
  let decomposition = "e.maximum(1.0 - logits * (labels * 2.0 - 1.0), 0.0)";
  let legacy = [Legacy<"hinge_loss", ["Logits", "Labels"], ["Loss"]>];
  let newIrGradients = ["hinge_loss_grad(logits, labels) -> logits"];
}

def Pd_HuberLossOp : Pd_Op<"huber_loss"> {
  let summary = "0.5 * r * r where |r| <= delta, else delta * (|r| - 0.5 * delta), with r = label - input";
  let constraints = sameShapeConstraints;
  let arguments = (ins Pd_FloatTensor:$input, Pd_FloatTensor:$label, F64Attr:$delta);
  let results = (outs Pd_FloatTensor:$out, Pd_FloatTensor:$residual);
  let infer = "inferTwoOfSameShape";
  let decomposesInCode = 1;
  let precision = "full";
  let legacy = [Legacy<"huber_loss", ["X", "Y"], ["Out", "Residual"], ["delta"]>];
  let newIrGradients = ["huber_loss_grad(residual)"];
}

def Pd_KldivLossOp : Pd_Op<"kldiv_loss"> {
  let lod = "none";
  let summary = "Kullback-Leibler divergence: label * (log(label) - x), 0 where label <= 0";
  let description = [{
    x has log probabilities. With `log_target` label has them too, and the terms are exp(label) * (label - x).
    reduction `none` keeps the terms, `sum` adds them, `mean` divides the sum by their number, `batchmean` by the
    first dim.
  }];
  let constraints = [
    "C1. both operands have the same dimensions",
    "C2. both operands have the same element type"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$label,
    Pd_DefaultEnum<Pd_LossReductionAttr, "Mean">:$reduction,
    DefaultValuedAttr<BoolAttr, "false">:$log_target);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferKldivLoss";
  let decomposesInCode = 1;
  let precision = "full";
  let legacy = [Legacy<"kldiv_loss", ["X", "Target"], ["Loss"], ["reduction", "log_target"]>];
  let newIrGradients = ["kldiv_loss_grad(x, label) -> x"];
}

def Pd_SigmoidCrossEntropyWithLogitsOp : Pd_Op<"sigmoid_cross_entropy_with_logits"> {
  let summary = "Binary cross entropy of sigmoid(x) with label";
  let description = [{
    max(x, 0) - x * label + log(1 + exp(-|x|)) * pos_weight, and 0 if label is `ignore_index`. With
    `weighs_linear_part`, as in Paddle 3: (1 - label) * x + (max(-x, 0) + log(1 + exp(-|x|))) * pos_weight. With
    `normalize` the result is divided by the number of labels other than `ignore_index` (at least 1e-5).
  }];
  let constraints = [
    "C1. x and label have the same dimensions",
    "C2. the operands have the same element type"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$label, Optional<Pd_FloatTensor>:$pos_weight,
    DefaultValuedAttr<BoolAttr, "false">:$normalize, DefaultValuedAttr<I64Attr, "-100">:$ignore_index,
    DefaultValuedAttr<BoolAttr, "false">:$weighs_linear_part);
  let newIr = [NewIr<["x", "label", "pos_weight"], [], [], [], "", ["weighs_linear_part"]>];
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferSameShapes";
  let decomposesInCode = 1;
  let precision = "full";
  let legacy = [Legacy<"sigmoid_cross_entropy_with_logits", ["X", "Label", "pos_weight"], ["Out"],
    ["normalize", "ignore_index"], [], "importSigmoidCrossEntropy", writtenIf_="!op.getWeighsLinearPart()">];
  let newIrGradients = ["sigmoid_cross_entropy_with_logits_grad(x, label, pos_weight) -> x"];
}

def Pd_LabelSmoothOp : Pd_Op<"label_smooth"> {
  let summary = "Label smoothing: (1 - epsilon) * label + epsilon * prior_dist, by default with prior_dist 1 / "
    "number of classes";
  let constraints = [
    "C1. label has rank 1 or more; its last dimension is the classes",
    "C2. prior_dist has one element for each class"
  ];
  let arguments = (ins Pd_FloatTensor:$label, Optional<Pd_FloatTensor>:$prior_dist,
    DefaultValuedAttr<F64Attr, "0.0">:$epsilon);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferLabelSmooth";
  let decomposesInCode = 1;
  let legacy = [Legacy<"label_smooth", ["X", "PriorDist"], ["Out"], ["epsilon"]>];
  let newIrGradients = ["label_smooth_grad(dout) -> label"];
}

def Pd_AccuracyOp : Pd_Op<"accuracy"> {
  let lod = "none";
  let summary = "Accuracy: the fraction of samples whose label is among the top predictions";
  let description = [{
    `indices` has the predicted classes of each sample, `label` its class. `correct` is the number of correct samples,
    `total` the number of samples.
  }];
  let constraints = [
    "C1. indices and label have rank 2, and label one column",
    "C2. indices and label have the same number of rows"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_IntTensor:$indices, Pd_IntTensor:$label);
  let results = (outs Pd_FloatTensor:$accuracy, Pd_IntTensor:$correct, Pd_IntTensor:$total);
  let infer = "inferAccuracy";
  let decomposesInCode = 1;
  let legacy = [Legacy<"accuracy", ["Out", "Indices", "Label"], ["Accuracy", "Correct", "Total"]>];
}

def : OnnxFormula<"NegativeLogLikelihoodLoss", "importNegativeLogLikelihoodLoss">;
def : OnnxFormula<"SoftmaxCrossEntropyLoss", "importSoftmaxCrossEntropyLoss">;

#endif
