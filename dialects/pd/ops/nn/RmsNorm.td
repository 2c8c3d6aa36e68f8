// RMS normalization.
#ifndef PROA_DIALECTS_PD_NN_RMS_NORM
#define PROA_DIALECTS_PD_NN_RMS_NORM

include "dialects/pd/ir/Base.td"

def Pd_RmsNormOp : Pd_Op<"rms_norm"> {
  let onnx = [OnnxWritten<"exportRmsNorm", "opset >= 23 && isPlainRmsNorm(op)">];
  let lod = "none";
  let summary = "RMS normalization: x divided by the root mean square of its elements along the last dimensions";
  let description = [{
    y = x * invvar * scale with invvar = 1 / sqrt(mean(x^2) + epsilon). The mean is over as many of the last
    dimensions as normalized_shape has entries. invvar is float32 for 16-bit x.
  }];
  let constraints = [
    "C1. x has at least as many dimensions as normalized_shape, and scale one element for each of their elements"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Optional<Pd_FloatTensor>:$scale, DenseI64ArrayAttr:$normalized_shape,
    DefaultValuedAttr<F64Attr, "1e-5">:$epsilon);
  let results = (outs Pd_FloatTensor:$y, Pd_FloatTensor:$invvar);
  let decomposesInCode = 1;
  let precision = "full";
  let legacy = [LegacyReadOnly<"rms_norm", ["x", "scale"], ["y", "invvar"], ["normalized_shape", "epsilon"],
    ["slot norm_weight", "slot norm_bias", "slot bias", "slot residual", "slot out", "slot residual_out",
      "begin_norm_axis=hook", "quant_scale=hook",
     "quant_round_type=any", "quant_max_bound=any", "quant_min_bound=any"], "importRmsNorm">];
  let newIrGradients = ["rms_norm_grad(x, scale, invvar)"];
}

#endif
