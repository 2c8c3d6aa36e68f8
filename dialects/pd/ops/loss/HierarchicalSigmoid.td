// The hierarchical sigmoid loss.
#ifndef PROA_DIALECTS_PD_LOSS_HIERARCHICAL_SIGMOID
#define PROA_DIALECTS_PD_LOSS_HIERARCHICAL_SIGMOID

include "dialects/pd/ir/Base.td"

def Pd_HsigmoidLossOp : Pd_Op<"hsigmoid_loss", [AttrSizedOperandSegments]> {
  let summary = "Hierarchical sigmoid loss: one logistic regression for each inner node on the path to the label";
  let description = [{
    With v the product of x and the row of w of a node, plus its bias, clamped to [-40, 40], the loss is the sum over
    the path of log(1 + exp(v)) - bit * v. Without `path` the tree is the complete binary tree of num_classes leaves:
    with c = label + num_classes, node j of the path is (c >> (j + 1)) - 1 and its bit is the lowest bit of c >> j.
    `path` and `code` [N, length] have nodes and bits for each sample; a negative node ends a path. Paths are padded to
    the longest with v = 0, whose log 2 counts, as in Paddle. `pre_out` [N, length] is log(1 + exp(v)).
  }];
  let constraints = [
    "C1. x is [N, D], w [nodes, D]; label has one element for each sample",
    "C2. without path num_classes is 2 or more",
    "C3. path and code are matrices of the same shape"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_IntTensor:$label, Pd_FloatTensor:$w, Optional<Pd_FloatTensor>:$bias,
    Optional<Pd_IntTensor>:$path, Optional<Pd_IntTensor>:$code, DefaultValuedAttr<I64Attr, "2">:$num_classes);
  let results = (outs Pd_FloatTensor:$out, Pd_FloatTensor:$pre_out);
  let newIr = [NewIr<["x", "label", "w", "bias", "path", "code"], ["out", "pre_out", ""], [], ["is_sparse=any"]>];
  let infer = "inferHsigmoidLoss";
  let decomposesInCode = 1;
  let precision = "full";
  let legacy = [Legacy<"hierarchical_sigmoid", ["X", "Label", "W", "Bias", "PathTable", "PathCode"], ["Out", "PreOut"],
    ["num_classes"], ["is_sparse=any", "slot W_Out"]>]; // W_Out is W
  let newIrGradients = ["hsigmoid_loss_grad(x, w, label, path, code, bias, pre_out)"];
}

#endif
