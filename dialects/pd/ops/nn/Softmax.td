// Softmax.
#ifndef PROA_DIALECTS_PD_NN_SOFTMAX
#define PROA_DIALECTS_PD_NN_SOFTMAX

include "dialects/pd/ir/Base.td"

class Pd_SoftmaxLikeOp<string mnemonic> : Pd_Op<mnemonic> {
  let arguments = (ins Pd_FloatTensor:$x, DefaultValuedAttr<I64Attr, "-1">:$axis);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferAlongAxis";
  let decomposesInCode = 1;
  let legacy = [Legacy<mnemonic, ["X"], ["Out"], ["axis"], ["data_format=any"]>];
}

// Before opset 13 the dimensions from `axis` on count as one.
def : OnnxFormula<"Softmax", "importSoftmaxOfMatrix", 1, 12>;
def : OnnxFormula<"Hardmax", "importHardmax">;

def Pd_SoftmaxOp : Pd_SoftmaxLikeOp<"softmax"> {
  let onnx = [Onnx<"Softmax", ["input"], ["output"], ["axis"], since_=13>];
  let summary = "exp(x) divided by its sum along the axis";
  let vjp = ["(dout - e.sum(dout * out, reducedAxes({static_cast<int64_t>(op.getAxis())}, x.rank()))) * out"];
  let description = [{
    Computed as exp(d) / sum of exp(d) with d = max(x - m, -64) and the maximum m along the axis, which does not
    overflow. The gradient is the derivative of the formula without the bound, as in Paddle.
  }];
  let constraints = ["C1. axis is a dimension of x (for rank 0: 0 or -1)"];
  let precision = "full";
  let newIrGradients = ["softmax_grad(out)"];
  let batching = "batchAlongAxis";
}

def Pd_LogSoftmaxOp : Pd_SoftmaxLikeOp<"log_softmax"> {
  let onnx = [Onnx<"LogSoftmax", ["input"], ["output"], ["axis"], hook_="importLogSoftmax">];
  let summary = "Logarithm of the softmax";
  let vjp = ["dout - e.exp(out) * e.sum(dout, reducedAxes({static_cast<int64_t>(op.getAxis())}, x.rank()))"];
  let description = [{
    Computed as d - log(sum of exp(d)) with d = max(x - m, -64) and the maximum m along the axis. The gradient is the
    derivative of the formula without the bound, as in Paddle.
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

#endif
