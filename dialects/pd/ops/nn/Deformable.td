// Deformable convolution, tree-structured losses, and small layers of legacy programs.
#ifndef PROA_DIALECTS_PD_NN_DEFORMABLE
#define PROA_DIALECTS_PD_NN_DEFORMABLE

include "dialects/pd/ir/Base.td"

defvar PairOfOnes = DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">;
defvar PairOfZeros = DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0}">;

def Pd_DeformableConvOp : Pd_Op<"deformable_conv"> {
  let summary = "Deformable convolution: a 2-D convolution whose window elements are shifted by `offset` and "
    "weighted by `mask`";
  let description = [{
    offset [N, 2 * deformable_groups * kernel elements, OH, OW] has the shift down and right of each element of each
    window, mask [N, deformable_groups * kernel elements, OH, OW] its weight (default 1). Shifted elements are
    interpolated bilinearly, with zeros outside of x. The channels of x are divided into deformable_groups blocks.
  }];
  let constraints = [
    "C1. x, offset, mask and filter have rank 4, and the dims of the filter are static",
    "C2. strides, paddings and dilations are pairs, strides and dilations positive, paddings not negative",
    "C3. groups and deformable_groups are positive, and groups divides the number of filters",
    "C4. the window fits into the padded input"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$offset, Pd_FloatTensor:$filter, Optional<Pd_FloatTensor>:$mask,
    PairOfOnes:$strides, PairOfZeros:$paddings, PairOfOnes:$dilations, DefaultValuedAttr<I64Attr, "1">:$deformable_groups,
    DefaultValuedAttr<I64Attr, "1">:$groups);
  let newIr = [NewIr<["x", "offset", "filter", "mask"], [], [], ["im2col_step"]>];
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferDeformableConv";
  let decomposesInCode = 1;
  let lod = "none";
  // Without a mask deformable_conv_v1: deformable_conv requires one. Gradients with an im2col_step above 1 are wrong in
  // Paddle 2.6.2.
  let legacy = [Legacy<"deformable_conv_v1", ["Input", "Offset", "Filter", ""], ["Output"], ["strides", "paddings", "dilations",
                  "deformable_groups", "groups"], ["im2col_step"], constants_=["im2col_step=1"]>,
                Legacy<"deformable_conv", ["Input", "Offset", "Filter", "Mask"], ["Output"], ["strides", "paddings", "dilations",
                  "deformable_groups", "groups"], ["im2col_step"], constants_=["im2col_step=1"]>];
}

def Pd_HsigmoidLossOp : Pd_Op<"hsigmoid_loss", [AttrSizedOperandSegments]> {
  let summary = "Hierarchical sigmoid loss: one logistic regression for each inner node on the path to the label";
  let description = [{
    With v the product of x and the row of w of a node, plus its bias, clamped to [-40, 40], the loss is the sum over
    the path of log(1 + exp(v)) - bit * v. Without `path` the tree is the complete binary tree of num_classes leaves:
    with c = label + num_classes, node j of the path is (c >> (j + 1)) - 1 and its bit is that of c >> j. `path` and
    `code` [N, length] have nodes and bits for each sample; a negative node ends a path. Paths are padded to the
    longest with v = 0, whose log 2 counts, as in Paddle. `pre_out` [N, length] is log(1 + exp(v)).
  }];
  let constraints = [
    "C1. x is [N, D], w [nodes, D]; label has one element for each sample",
    "C2. without path num_classes is 2 or more",
    "C3. path and code are matrices of the same shape"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_IntTensor:$label, Pd_FloatTensor:$w, Optional<Pd_FloatTensor>:$bias,
    Optional<Pd_IntTensor>:$path, Optional<Pd_IntTensor>:$code, DefaultValuedAttr<I64Attr, "2">:$num_classes);
  let results = (outs Pd_FloatTensor:$out, Pd_FloatTensor:$pre_out);
  let newIr = [NewIr<["x", "label", "w", "bias", "path", "code"], ["out", "pre_out", ""], [], ["is_sparse"]>];
  let infer = "inferHsigmoidLoss";
  let decomposesInCode = 1;
  let precision = "full";
  let legacy = [Legacy<"hierarchical_sigmoid", ["X", "Label", "W", "Bias", "PathTable", "PathCode"], ["Out", "PreOut"],
    ["num_classes"], ["is_sparse", "W_Out"]>]; // W_Out is W
  let newIrGradients = ["hsigmoid_loss_grad(x, w, label, path, code, bias, pre_out)"];
}

def Pd_PartialConcatOp : Pd_Op<"partial_concat"> {
  let summary = "Columns start_index to start_index + length of all matrices, concatenated";
  let description = [{
    A negative length means all columns from start_index on; a negative start_index counts from the end.
  }];
  let constraints = [
    "C1. all operands are matrices of the same shape",
    "C2. the columns are in range"
  ];
  let arguments = (ins Variadic<Pd_Tensor>:$x, DefaultValuedAttr<I64Attr, "0">:$start_index, DefaultValuedAttr<I64Attr, "-1">:$length);
  let results = (outs Pd_Tensor:$out);
  let infer = "inferPartialConcat";
  let decomposesInCode = 1;
  let legacy = [Legacy<"partial_concat", ["X*"], ["Out"], ["start_index", "length"]>];
}

def Pd_PartialSumOp : Pd_Op<"partial_sum"> {
  let summary = "The sum of columns start_index to start_index + length of all matrices";
  let description = "As pd.partial_concat, with its constraints.";
  let arguments = (ins Variadic<Pd_Tensor>:$x, DefaultValuedAttr<I64Attr, "0">:$start_index, DefaultValuedAttr<I64Attr, "-1">:$length);
  let results = (outs Pd_Tensor:$out);
  let infer = "inferPartialSum";
  let decomposesInCode = 1;
  let legacy = [Legacy<"partial_sum", ["X*"], ["Out"], ["start_index", "length"]>];
}

def Pd_FspOp : Pd_Op<"fsp"> {
  let summary = "For each pair of channels of x and y, the mean of their product over all spatial positions";
  let constraints = ["C1. x and y have rank 4 and the same batch, height and width"];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$y);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferFsp";
  let decomposesInCode = 1;
  let legacy = [Legacy<"fsp", ["X", "Y"], ["Out"]>];
}

def Pd_CvmOp : Pd_Op<"cvm"> {
  let summary = "With use_cvm, columns 0 and 1 become log(x_0 + 1) and log(x_1 + 1) - log(x_0 + 1); otherwise they "
    "are removed";
  let description = [{
    `cvm` has the shows and clicks of each row. If it is given, columns 0 and 1 of the gradient of x are cvm, as in
    Paddle; else the gradient is the derivative.
  }];
  let constraints = [
    "C1. x is a matrix of more than two columns",
    "C2. cvm has two columns and the rows of x"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Optional<Pd_FloatTensor>:$cvm, DefaultValuedAttr<BoolAttr, "true">:$use_cvm);
  let vjpInCode = 1;
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferCvm";
  let decomposesInCode = 1;
  let legacy = [Legacy<"cvm", ["X", "CVM"], ["Y"], ["use_cvm"], [], "importCvm">];
  let newIrGradients = ["cvm_grad(x, cvm) -> x"];
  let batching = "inCode";
}

def Pd_DataNormOp : Pd_Op<"data_norm", [AttrSizedOperandSegments]> {
  let summary = "Normalization by running statistics: (x - batch_sum / batch_size) * sqrt(batch_size / "
    "batch_square_sum) for each column";
  let description = [{
    `means` and `scales` are the two factors. scale_w and bias are applied if given. The three batch operands are
    counters and not weights: as in Paddle their gradients are the amounts that the batch adds to them (its number of
    rows, their sum, and the sum of (x - means)^2 + epsilon), and the gradient of x treats means and scales as
    constants.
  }];
  let constraints = ["C1. x is a matrix, and the other operands are vectors with one element for each column"];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$batch_size, Pd_FloatTensor:$batch_sum, Pd_FloatTensor:$batch_square_sum,
    Optional<Pd_FloatTensor>:$scale_w, Optional<Pd_FloatTensor>:$bias, DefaultValuedAttr<F64Attr, "1e-5">:$epsilon);
  let vjpInCode = 1;
  let operandFormat = [{$x `,` $batch_size `,` $batch_sum `,` $batch_square_sum (`scale` `=` $scale_w^)?
    (`bias` `=` $bias^)?}];
  let results = (outs Pd_FloatTensor:$out, Pd_FloatTensor:$means, Pd_FloatTensor:$scales);
  let infer = "inferDataNorm";
  let decomposesInCode = 1;
  let legacy = [Legacy<"data_norm", ["X", "BatchSize", "BatchSum", "BatchSquareSum", "scale_w", "bias"], ["Y", "Means", "Scales"],
    ["epsilon"], ["slot_dim", "summary_decay_rate", "enable_scale_and_shift", "data_layout", "sync_stats"], "importDataNorm">];
  let batching = "inCode";
}

#endif
