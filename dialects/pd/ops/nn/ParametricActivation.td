// Activations with parameters: weights, random slopes, groups of channels.
#ifndef PROA_DIALECTS_PD_NN_PARAMETRIC_ACTIVATION
#define PROA_DIALECTS_PD_NN_PARAMETRIC_ACTIVATION

include "dialects/pd/ir/Layout.td"
include "dialects/pd/ops/nn/RandomInTraining.td"

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
  let legacy = [Legacy<"prelu", ["X", "Alpha"], ["Out"], ["data_format", "mode"]>];
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

#endif
