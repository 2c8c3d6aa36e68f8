// Normalizations.
#ifndef PROA_DIALECTS_PD_NN_NORM
#define PROA_DIALECTS_PD_NN_NORM

include "dialects/pd/ir/Base.td"
include "dialects/pd/ir/Layout.td"

// Of ONNX Runtime.
def : OnnxFormula<"SkipLayerNormalization", "importSkipLayerNormalization", 1, 0, "com.microsoft">;
def : OnnxFormula<"SkipSimplifiedLayerNormalization", "importSkipSimplifiedLayerNormalization", 1, 0, "com.microsoft">;
def : OnnxFormula<"EmbedLayerNormalization", "importEmbedLayerNormalization", 1, 0, "com.microsoft">;
def : OnnxFormula<"SimplifiedLayerNormalization", "importSimplifiedLayerNormalization">;
def : OnnxFormula<"QEmbedLayerNormalization", "importQEmbedLayerNormalization", 1, 0, "com.microsoft">;
def : OnnxFormula<"GatedRMSNorm", "importGatedRmsNorm", 1, 0, "com.microsoft">;
def : OnnxFormula<"BranchwiseRMSNorm", "importBranchwiseRmsNorm", 1, 0, "com.microsoft">;
def : OnnxFormula<"GroupNorm", "importGroupNorm", 1, 0, "com.microsoft">;
def : OnnxFormula<"SkipGroupNorm", "importSkipGroupNorm", 1, 0, "com.microsoft">;

class NormEpsilon<string value> : DefaultValuedAttr<F64Attr, value>;
def NormFormat : Pd_DefaultEnum<Pd_DataFormatAttr, "NCHW">;

class LegacyBatchNorm<string type> : Legacy<type,
  ["X", "Mean", "Variance", "Scale", "Bias", "MomentumTensor"],
  ["Y", "MeanOut", "VarianceOut", "SavedMean", "SavedVariance", "ReserveSpace"],
  ["is_test", "momentum", "epsilon", "data_format=data_layout", "use_global_stats", "trainable_statistics"],
  ["fuse_with_relu=fused"]>;

def Pd_BatchNormOp : Pd_Op<"batch_norm", [AttrSizedOperandSegments, LayoutOpInterface]> {
  let summary = "Batch normalization: normalization of each channel over the batch";
  let description = [{
    `out = (x - m) / sqrt(v + epsilon) * scale + bias` for each channel. `momentum_tensor` overrides `momentum`;
    `reserve_space` has no elements.

    - With `use_global_stats`, or `is_test` without `trainable_statistics`, m and v are `mean` and `variance`.
      `mean_out`, `variance_out`, `saved_mean` and `saved_variance` are the operands.
    - Otherwise m and v are the mean and the (biased) variance of the channel in x. `mean_out` is
      `mean * momentum + m * (1 - momentum)`, and the same for `variance_out`; `saved_mean` is m and `saved_variance` is
      1 / sqrt(v + epsilon).
    - In training with one element in each channel, out is x, the statistics do not change, `saved_mean` and
      `saved_variance` are zero, and only x has a gradient, as in Paddle.
  }];
  let constraints = [
    "C1. x has a channel dimension (rank 2 or more)",
    "C2. mean, variance, scale and bias have rank 1 and one element for each channel"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$mean, Pd_FloatTensor:$variance,
    Optional<Pd_FloatTensor>:$scale, Optional<Pd_FloatTensor>:$bias, Optional<Pd_FloatTensor>:$momentum_tensor,
    DefaultValuedAttr<BoolAttr, "false">:$is_test, DefaultValuedAttr<F64Attr, "0.9">:$momentum,
    NormEpsilon<"1e-5">:$epsilon, NormFormat:$data_format, DefaultValuedAttr<BoolAttr, "false">:$use_global_stats,
    DefaultValuedAttr<BoolAttr, "false">:$trainable_statistics);
  let results = (outs Pd_FloatTensor:$out, Pd_FloatTensor:$mean_out, Pd_FloatTensor:$variance_out,
    Pd_FloatTensor:$saved_mean, Pd_FloatTensor:$saved_variance, Pd_Tensor:$reserve_space);
  let infer = "inferBatchNorm";
  let decomposesInCode = 1;
  let vjpInCode = 1;
  let precision = "always full";
  let onnx = [OnnxWritten<"exportBatchNorm", "isInferenceBatchNorm(op)">,
              OnnxReadOnly<"BatchNormalization", ["X", "input_mean|mean", "input_var|var", "scale", "B", ""],
    ["Y", "running_mean|mean", "running_var|var", "", "", ""], ["epsilon", "momentum"], ["is_test=true"],
    [], "importBatchNormalization">];
  let legacy = [LegacyBatchNorm<"batch_norm">, LegacyBatchNorm<"sync_batch_norm">];
  let newIrGradients = [
    "batch_norm_grad(x, scale, bias, mean_out, variance_out, saved_mean, saved_variance, reserve_space, dout) -> x, "
      "scale, bias",
    "batch_norm_double_grad(x, scale, mean_out, variance_out, saved_mean, saved_variance, dout) -> x, scale, dout"
  ];
  let batching = "inCode";
}

def Pd_LayerNormOp : Pd_Op<"layer_norm", [AttrSizedOperandSegments]> {
  let onnx = [OnnxWritten<"exportLayerNorm", "opset >= 17 && isPlainLayerNorm(op)">];
  let summary = "Layer normalization: normalization over the dimensions from begin_norm_axis on";
  let description = [{
    `out = (x - mean) / sqrt(variance + epsilon) * scale + bias`, with mean and (biased) variance over the dimensions
    from `begin_norm_axis` on. scale and bias have one element for each element of these dimensions. `mean` and
    `variance` have the dimensions before `begin_norm_axis`.
  }];
  let constraints = [
    "C1. begin_norm_axis is above 0 and below the rank of x",
    "C2. scale and bias have rank 1 and as many elements as the normalized dimensions"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Optional<Pd_FloatTensor>:$scale, Optional<Pd_FloatTensor>:$bias,
    NormEpsilon<"1e-5">:$epsilon, DefaultValuedAttr<I64Attr, "1">:$begin_norm_axis);
  let results = (outs Pd_FloatTensor:$out, Pd_FloatTensor:$mean, Pd_FloatTensor:$variance);
  let infer = "inferLayerNorm";
  let decomposesInCode = 1;
  let vjpInCode = 1;
  let precision = "full";
  let legacy = [Legacy<"layer_norm", ["X", "Scale", "Bias"], ["Y", "Mean", "Variance"], ["epsilon", "begin_norm_axis"]>,
    Legacy<"skip_layernorm", ["X", "Scale", "Bias"], ["Out", "", ""], [], ["slot Y", "epsilon=hook",
      "begin_norm_axis=hook"],
      "importSkipLayerNorm">,
    Legacy<"fused_fc_elementwise_layernorm", ["X", "Scale", "Bias1"], ["Out", "Mean", "Variance"], [], ["slot W",
      "slot Y",
      "slot Bias0", "x_num_col_dims=hook", "activation_type=hook", "epsilon=hook",
        "begin_norm_axis=hook"], "importFcElementwiseLayerNorm">,
    Legacy<"fused_embedding_eltwise_layernorm", ["Ids*", "Scale", "Bias"], ["Out", "", ""], [], ["slot Embs",
      "epsilon=hook"],
      "importEmbeddingEltwiseLayerNorm">];
  let newIrGradients = ["layer_norm_grad(x, scale, bias, mean, variance)"];
  let batching = "inCode";
  let sharding = "inCode";
}

def Pd_GroupNormOp : Pd_Op<"group_norm", [AttrSizedOperandSegments, LayoutOpInterface]> {
  let summary = "Group normalization: normalization of each group of channels of each sample";
  let description = [{
    `y = (x - mean) / sqrt(variance + epsilon) * scale + bias`, with mean and (biased) variance over the elements of a
    group of channels of one sample; scale and bias have one element for each channel.
  }];
  let constraints = [
    "C1. x has a channel dimension (rank 2 or more)",
    "C2. scale and bias have rank 1 and one element for each channel",
    "C4. groups is above 0 and divides the number of channels"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Optional<Pd_FloatTensor>:$scale, Optional<Pd_FloatTensor>:$bias,
    NormEpsilon<"1e-5">:$epsilon, DefaultValuedAttr<I64Attr, "-1">:$groups, NormFormat:$data_format);
  let results = (outs Pd_FloatTensor:$y, Pd_FloatTensor:$mean, Pd_FloatTensor:$variance);
  let infer = "inferGroupNorm";
  let decomposesInCode = 1;
  let vjpInCode = 1;
  let precision = "full";
  let legacy = [Legacy<"group_norm", ["X", "Scale", "Bias"], ["Y", "Mean", "Variance"],
    ["epsilon", "groups", "data_format=data_layout"]>];
  let newIrGradients = ["group_norm_grad(x, scale, bias, y, mean, variance)"];
  let batching = "inCode";
}

def Pd_InstanceNormOp : Pd_Op<"instance_norm", [AttrSizedOperandSegments]> {
  let summary = "Instance normalization: normalization of each channel of each sample";
  let description = [{
    `y = (x - m) / sqrt(v + epsilon) * scale + bias`, with mean m and (biased) variance v over the elements of a
    channel of one sample. `saved_mean` is m and `saved_variance` is 1 / sqrt(v + epsilon), for each sample and
    channel.
  }];
  let constraints = [
    "C1. x has a channel dimension (rank 2 or more)",
    "C2. scale and bias have rank 1 and one element for each channel"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Optional<Pd_FloatTensor>:$scale, Optional<Pd_FloatTensor>:$bias,
    NormEpsilon<"1e-5">:$epsilon);
  let results = (outs Pd_FloatTensor:$y, Pd_FloatTensor:$saved_mean, Pd_FloatTensor:$saved_variance);
  let infer = "inferInstanceNorm";
  let decomposesInCode = 1;
  let vjpInCode = 1;
  let precision = "full";
  let onnx = [Onnx<"InstanceNormalization", ["input", "scale", "B"], ["output", "", ""], ["epsilon"],
    writtenIf_="op.getScale() && op.getBias() && op.getSavedMean().use_empty() && op.getSavedVariance().use_empty()">];
  let legacy = [Legacy<"instance_norm", ["X", "Scale", "Bias"], ["Y", "SavedMean", "SavedVariance"], ["epsilon"]>];
  let newIrGradients = [
    "instance_norm_grad(x, scale, bias, saved_mean, saved_variance)",
    "instance_norm_double_grad(x, scale, saved_mean, saved_variance, dy) -> x, scale, dy"
  ];
  let batching = "inCode";
}

def Pd_NormOp : Pd_Op<"norm"> {
  let summary = "x divided by its Euclidean norm along an axis";
  let description = [{
    `norm = sqrt(sum of x * x along axis + epsilon)`, keeping that dimension; `out = x / norm`.
  }];
  let constraints = ["C1. axis is a dimension of x"];
  let arguments = (ins Pd_FloatTensor:$x, I64Attr:$axis, NormEpsilon<"1e-10">:$epsilon,
    DefaultValuedAttr<BoolAttr, "false">:$is_test);
  let results = (outs Pd_FloatTensor:$out, Pd_FloatTensor:$norm);
  let infer = "inferNorm";
  let decomposesInCode = 1;
  let precision = "full";
  let legacy = [Legacy<"norm", ["X"], ["Out", "Norm"], ["axis", "epsilon", "is_test"]>];
  let newIrGradients = ["norm_grad(x, norm)"];
}

def : OnnxFormula<"LRN", "importLrn">;

def Pd_LrnOp : Pd_Op<"lrn", [LayoutOpInterface]> {
  let summary = "Local response normalization: x divided by a power of the sum of squares of neighboring channels";
  let description = [{
    `mid_out = k + alpha * sum of x[c']^2` over the n channels c' from c - (n - 1) / 2 on, within x;
    `out = x / mid_out^beta`.
  }];
  let constraints = [
    "C1. x has rank 4",
    "C2. n is from 1 to 4096: each channel of the window becomes ops"
  ];
  let arguments = (ins Pd_FloatTensor:$x, DefaultValuedAttr<I64Attr, "5">:$n, DefaultValuedAttr<F64Attr, "2.0">:$k,
    DefaultValuedAttr<F64Attr, "0.0001">:$alpha, DefaultValuedAttr<F64Attr, "0.75">:$beta,
    Pd_DefaultEnum<Pd_DataFormatAttr, "AnyLayout">:$data_format);
  let results = (outs Pd_FloatTensor:$out, Pd_FloatTensor:$mid_out);
  let infer = "inferLrn";
  let decomposesInCode = 1;
  let legacy = [Legacy<"lrn", ["X"], ["Out", "MidOut"], ["n", "k", "alpha", "beta", "data_format"]>];
  let newIrGradients = ["lrn_grad(x, out, mid_out)"];
}

def Pd_SpectralNormOp : Pd_Op<"spectral_norm"> {
  let summary = "Spectral normalization: weight divided by its largest singular value, by power iteration";
  let description = [{
    weight is a matrix W whose rows are dimension `dim`. `power_iters` times, v becomes W^T u and u becomes W v, each
    divided by its norm (plus eps); the result is weight / (u^T W v).
  }];
  let constraints = [
    "C1. dim is a dimension of weight; power_iters is from 0 to 4096: each iteration becomes ops",
    "C2. u has one element for each row, v one for each column"
  ];
  let arguments = (ins Pd_FloatTensor:$weight, Pd_FloatTensor:$u, Pd_FloatTensor:$v, DefaultValuedAttr<I64Attr,
    "0">:$dim, DefaultValuedAttr<I64Attr, "1">:$power_iters, NormEpsilon<"1e-12">:$eps);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferSpectralNorm";
  let decomposesInCode = 1;
  let legacy = [Legacy<"spectral_norm", ["Weight", "U", "V"], ["Out"], ["dim", "power_iters", "eps"]>];
  let newIrGradients = ["spectral_norm_grad(weight, u, v) -> weight"];
}

def Pd_AffineChannelOp : Pd_Op<"affine_channel", [LayoutOpInterface]> {
  let summary = "x * scale + bias, with one scale and bias for each channel";
  let constraints = [
    "C1. x has a channel dimension (rank 2 or more)",
    "C2. scale and bias have rank 1 and one element for each channel"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$scale, Pd_FloatTensor:$bias, NormFormat:$data_format);
  let newIr = [NewIr<["x", "scale", "bias"], [], ["data_format=data_layout"]>];
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferAffineChannel";
  let decomposesInCode = 1;
  let legacy = [Legacy<"affine_channel", ["X", "Scale", "Bias"], ["Out"], ["data_format=data_layout"]>];
}

def : OnnxFormula<"LayerNormalization", "importLayerNormalization">;
def : OnnxFormula<"GroupNormalization", "importGroupNormalization">;
def : OnnxFormula<"LpNormalization", "importLpNormalization">;
def : OnnxFormula<"MeanVarianceNormalization", "importMeanVarianceNormalization">;
def : OnnxFormula<"RMSNormalization", "importRmsNormalization">;

#endif
