// Softmax, dropout, and activations that use several elements or a parameter.
#ifndef PROA_DIALECTS_PD_NN_SOFTMAX
#define PROA_DIALECTS_PD_NN_SOFTMAX

include "dialects/pd/ir/Base.td"
include "dialects/pd/ir/Layout.td"

class Pd_SoftmaxLikeOp<string mnemonic> : Pd_Op<mnemonic> {
  let arguments = (ins Pd_FloatTensor:$x, DefaultValuedAttr<I64Attr, "-1">:$axis);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferAlongAxis";
  let decomposesInCode = 1;
  let legacy = [Legacy<mnemonic, ["X"], ["Out"], ["axis"], ["data_format", "is_test"]>];
}

def Pd_SoftmaxOp : Pd_SoftmaxLikeOp<"softmax"> {
  let summary = "exp(x) divided by its sum along the axis";
  let vjp = ["(dout - e.sum(dout * out, reducedAxes({static_cast<int64_t>(op.getAxis())}, x.rank()))) * out"];
  let description = [{
    Computed as exp(d) / sum of exp(d) with d = max(x - m, -64) and the maximum m along the axis, which does not
    overflow. The gradient is that of the formula without the bound, as in Paddle.
  }];
  let constraints = ["C1. axis is a dimension of x (for rank 0: 0 or -1)"];
  let precision = "full";
  let newIrGradients = ["softmax_grad(out)"];
  let batching = "batchAlongAxis";
}

def Pd_LogSoftmaxOp : Pd_SoftmaxLikeOp<"log_softmax"> {
  let summary = "Logarithm of the softmax";
  let vjp = ["dout - e.exp(out) * e.sum(dout, reducedAxes({static_cast<int64_t>(op.getAxis())}, x.rank()))"];
  let description = [{
    Computed as d - log(sum of exp(d)) with d = max(x - m, -64) and the maximum m along the axis. The gradient is that
    of the formula without the bound, as in Paddle.
  }];
  let constraints = ["C1. axis is a dimension of x (for rank 0: 0 or -1)"];
  let precision = "full";
  let newIrGradients = ["log_softmax_grad(out)"];
  let batching = "batchAlongAxis";
}

def Pd_FusedSoftmaxMaskOp : Pd_Op<"fused_softmax_mask"> {
  let summary = "softmax(x + mask) along the last dimension";
  let constraints = ["C1. x has rank 1 or more, and mask broadcasts to it"];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$mask);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferSoftmaxMask";
  let decomposesInCode = 1;
  let legacy = [Legacy<"fused_softmax_mask", ["X", "Mask"], ["Out"]>];
  let newIrGradients = ["fused_softmax_mask_grad(out) -> x"];
}

def Pd_AddPositionEncodingOp : Pd_Op<"add_position_encoding"> {
  let summary = "Positional encoding: alpha * x + beta * sines and cosines of the position";
  let description = [{
    x is [batch, time, features], or with `offsets` its rows are sequences of features. With h half of the features
    and w_k = 10000^(-k / (h - 1)) (1 / 10000 for h = 1), feature k < h gets sin(t * w_k), feature h + k gets cos(t *
    w_k).
  }];
  let constraints = ["C1. x has rank 3 (with offsets rank 2), and an even number of features"];
  let arguments = (ins Pd_FloatTensor:$x, Optional<Pd_IntTensor>:$offsets, DefaultValuedAttr<F64Attr, "1.0">:$alpha,
    DefaultValuedAttr<F64Attr, "1.0">:$beta);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferPositionEncoding";
  let decomposesInCode = 1;
  let legacy = [Legacy<"add_position_encoding", ["X", "X@LOD?"], ["Out"], ["alpha", "beta"]>];
  let newIrGradients = ["add_position_encoding_grad(x)"];
}

// Ops that sample in training: equal ones are then not merged (the effect MemAlloc). At inference they are
// merged.
class Pd_RandomInTrainingOp<string mnemonic, list<Trait> traits = []>
    : Pd_Op<mnemonic, traits # [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>, AlwaysSpeculatable]> {
  let pure = 0;
}

def Pd_RreluOp : Pd_RandomInTrainingOp<"rrelu"> {
  let summary = "x where x >= 0, else x times a slope between lower and upper";
  let description = [{
    With `is_test` the slope is (lower + upper) / 2, else random for each element. `noise` has the factors.
  }];
  let arguments = (ins Pd_FloatTensor:$x, DefaultValuedAttr<F64Attr, "0.125">:$lower,
    DefaultValuedAttr<F64Attr, "0.3333333333333333">:$upper, DefaultValuedAttr<BoolAttr, "false">:$is_test);
  let results = (outs Pd_FloatTensor:$out, Pd_FloatTensor:$noise);
  let infer = "inferRrelu";
  let decomposesInCode = 1;
  let vjpInCode = 1;
  let legacy = [Legacy<"rrelu", ["X"], ["Out", "Noise"], ["lower", "upper", "is_test"]>];
  let newIrGradients = ["rrelu_grad(x, noise)"];
}

def Pd_DropoutOp : Pd_RandomInTrainingOp<"dropout", [AttrSizedOperandSegments]> {
  let summary = "Dropout: elements set to zero with probability p";
  let description = [{
    With `is_test`, `out` is x in mode `upscale_in_train` and x * (1 - p) in mode `downgrade_in_infer`. In training
    each element of `mask` is 0 with probability p and 1 otherwise, and `out` is x * mask, in mode `upscale_in_train`
    divided by 1 - p (0 for p = 1). `p_tensor` overrides `p`, `seed_tensor` overrides `seed`; seeds are used if
    `fix_seed` is set.
  }];
  let constraints = [
    "C1. p is in [0, 1]"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Optional<Pd_IntTensor>:$seed_tensor, Optional<Pd_FloatTensor>:$p_tensor,
    DefaultValuedAttr<F64Attr, "0.5">:$p, DefaultValuedAttr<BoolAttr, "false">:$is_test,
    Pd_DefaultEnum<Pd_DropoutModeAttr, "DowngradeInInfer">:$mode, DefaultValuedAttr<I64Attr, "0">:$seed,
    DefaultValuedAttr<BoolAttr, "false">:$fix_seed);
  let results = (outs Pd_FloatTensor:$out, Pd_IntTensor:$mask);
  let infer = "inferDropout";
  let decomposesInCode = 1;
  let vjpInCode = 1;
  let precision = "follow";
  let legacy = [Legacy<"dropout", ["X", "Seed", "@dropout_prob"], ["Out", "Mask"],
    ["p=dropout_prob", "is_test", "mode=dropout_implementation", "seed", "fix_seed"]>];
  let newIrGradients = ["dropout_grad(mask, dout, p_tensor)"];
}

def Pd_PreluOp : Pd_Op<"prelu", [DeclareOpInterfaceMethods<LayoutOpInterface, ["supportsImageLayout"]>]> {
  let summary = "x where x > 0, else alpha * x";
  let description = [{
    alpha has one element (mode `all`), one for each channel (`channel`), or one for each element of a sample
    (`element`).
  }];
  let constraints = [
    "C2. alpha has the number of elements of the mode"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$alpha, Pd_DefaultEnum<Pd_DataFormatAttr, "NCHW">:$data_format,
    Pd_DefaultEnum<Pd_PreluModeAttr, "All">:$mode);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferPrelu";
  let decomposesInCode = 1;
  let legacy = [Legacy<"prelu", ["X", "Alpha"], ["Out"], ["data_format", "mode"], ["is_test"]>];
}

def Pd_MaxoutOp : Pd_Op<"maxout"> {
  let summary = "Maximum over each group of `groups` adjacent channels";
  let constraints = [
    "C1. axis is a dimension of x",
    "C2. groups is above 0 and divides the size of that dimension"
  ];
  let arguments = (ins Pd_FloatTensor:$x, I64Attr:$groups, DefaultValuedAttr<I64Attr, "1">:$axis);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferMaxout";
  let decomposesInCode = 1;
  let legacy = [Legacy<"maxout", ["X"], ["Out"], ["groups", "axis"]>];
  let newIrGradients = ["maxout_grad(x, out)"];
}

def : LegacyFormula<"dropout_nd", ["X"], ["Out", "Mask"], ["dropout_prob", "dropout_implementation", "is_test",
  "axis", "seed", "fix_seed"], [], "importDropoutNd">;

#endif
