// Elementwise ops with parameters that are attributes or rank-0 tensors.
#ifndef PROA_DIALECTS_PD_MATH_SCALE
#define PROA_DIALECTS_PD_MATH_SCALE

include "dialects/pd/ir/Base.td"

def Pd_ScaleOp : Pd_Op<"scale", [AttrSizedOperandSegments, Pd_Elementwise]> {
  let summary = "scale * x + bias, or scale * (x + bias)";
  let description = [{
    The factor and the offset are attributes, or one-element tensors, which override the attributes. An offset of 0 is
    added too, so that no product is -0; only the factor 1 with the offset 0 is the identity.
  }];
  let arguments = (ins Pd_NumberTensor:$x, Optional<Pd_NumberTensor>:$scale_tensor,
    Optional<Pd_NumberTensor>:$bias_tensor, DefaultValuedAttr<F64Attr, "1.0">:$scale, DefaultValuedAttr<F64Attr,
    "0.0">:$bias, DefaultValuedAttr<BoolAttr, "true">:$bias_after_scale);
  let results = (outs Pd_NumberTensor:$out);
  let infer = "inferSameAsFirst";
  let decomposesInCode = 1;
  let precision = "follow";
  let legacy = [Legacy<"scale", ["X", "ScaleTensor|@scale", "BiasTensor"], ["Out"], ["scale", "bias",
    "bias_after_scale"], [], "importScale">];
  let newIrGradients = ["scale_grad(dout, scale_tensor)"];
  let linear = ["inCode"];
}

def Pd_PowOp : Pd_Op<"pow", [Pd_Elementwise]> {
  let summary = "x to the power of a constant";
  let arguments = (ins Pd_NumberTensor:$x, Optional<Pd_NumberTensor>:$factor_tensor, DefaultValuedAttr<F64Attr,
    "1.0">:$factor);
  let newIr = [NewIr<["x"], [], ["factor=y"]>];
  let results = (outs Pd_NumberTensor:$out);
  let infer = "inferSameAsFirst";
  let decomposesInCode = 1;
  let precision = "full";
  let legacy = [Legacy<"pow", ["X", "FactorTensor|@factor"], ["Out"], ["factor"]>];
  let newIrGradients = ["pow_double_grad(x, dout)", "pow_triple_grad(x, dout, ddx)"];
}

def : OnnxFormula<"Clip", "importClip">;

def Pd_ClipOp : Pd_Op<"clip", [AttrSizedOperandSegments, Pd_Elementwise]> {
  let summary = "min(max(x, min), max)";
  let arguments = (ins Pd_RealTensor:$x, Optional<Pd_RealTensor>:$min_tensor, Optional<Pd_RealTensor>:$max_tensor,
    DefaultValuedAttr<F64Attr, "0.0">:$min, DefaultValuedAttr<F64Attr, "0.0">:$max);
  let results = (outs Pd_RealTensor:$out);
  let infer = "inferSameAsFirst";
  let decomposesInCode = 1;
  let vjpInCode = 1;
  let legacy = [Legacy<"clip", ["X", "Min|@min", "Max|@max"], ["Out"], ["min", "max"]>];
  let newIrGradients = ["clip_double_grad(x) -> dout"];
}

def Pd_IncrementOp : Pd_Op<"increment"> {
  let summary = "x + value";
  let arguments = (ins Pd_NumberTensor:$x, DefaultValuedAttr<F64Attr, "1.0">:$value);
  let results = (outs Pd_NumberTensor:$out);
  let infer = "inferSameAsFirst";
  let decomposition = "x + op.getValue().convertToDouble()";
  let legacy = [Legacy<"increment", ["X"], ["Out"], ["value=step"]>];
}

#endif
