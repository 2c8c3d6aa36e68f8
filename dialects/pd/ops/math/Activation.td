// Activations and other elementwise composites of one operand. Constants, defaults and results for NaN and infinities
// are Paddle's: a formula multiplies by a condition, instead of selecting, where Paddle does.
#ifndef PROA_DIALECTS_PD_MATH_ACTIVATION
#define PROA_DIALECTS_PD_MATH_ACTIVATION

include "dialects/pd/ir/Base.td"

// Of ONNX Runtime.
def : OnnxFormula<"Gelu", "importContribGelu", 1, 0, "com.microsoft">;
def : OnnxFormula<"BiasGelu", "importBiasGelu", 1, 0, "com.microsoft">;
def : OnnxFormula<"FastGelu", "importFastGelu", 1, 0, "com.microsoft">;
def : OnnxFormula<"QuickGelu", "importQuickGelu", 1, 0, "com.microsoft">;
def : OnnxFormula<"BiasSplitGelu", "importBiasSplitGelu", 1, 0, "com.microsoft">;
def : OnnxFormula<"BiasAdd", "importBiasAdd", 1, 0, "com.microsoft">;
def : OnnxFormula<"ScaledSiLU", "importScaledSilu", 1, 0, "com.microsoft">;
def : OnnxFormula<"SwiGLU", "importContribSwiGlu", 1, 0, "com.microsoft">;
def : OnnxFormula<"GatedAdd", "importGatedAdd", 1, 0, "com.microsoft">;
def : OnnxFormula<"BiasSoftmax", "importBiasSoftmax", 1, 0, "com.microsoft">;

class Pd_FormulaOp<string mnemonic, TypeConstraint type, string text, string formula, dag attributes = (ins)>
    : Pd_Op<mnemonic, [Pd_Elementwise]> {
  let summary = text;
  let arguments = !con((ins type:$x), attributes);
  let results = (outs type:$out);
  let infer = "inferSameAsFirst";
  let decomposition = formula;
}

class LegacyActivation<string type, list<string> attributes = [], list<string> ignored = []>
    : Legacy<type, ["X"], ["Out"], attributes, ignored>;

// The legacy op on complex numbers is imported as a formula of other ops.
class LegacyOfComplexToo<string type, list<string> attributes = [], list<string> ignored = []>
    : Legacy<type, ["X"], ["Out"], attributes, ignored, "importActivation">;

class Pd_Activation<string mnemonic, string text, string formula, dag attributes = (ins)>
    : Pd_FormulaOp<mnemonic, Pd_FloatTensor, text, formula, attributes>;

def : OnnxFormula<"PRelu", "importPRelu">;
def : OnnxFormula<"SwiGLU", "importSwiGlu">;
def : OnnxFormula<"Shrink", "importShrink">;
// Paddle's op multiplies by a condition, which gives NaN for infinities.
def : OnnxFormula<"ThresholdedRelu", "importThresholdedRelu">;

class F64Default<string value> : DefaultValuedAttr<F64Attr, value>;

def Pd_ReluOp : Pd_FormulaOp<"relu", Pd_RealTensor, "max(x, 0)", "e.maximum(x, 0.0)"> {
  let onnx = [OnnxUnary<"Relu">];
  let derivatives = ["e.indicator(out > 0.0, out)"];
  let postOp = [{PostOp{"relu", {}, {}} }];
  let precision = "follow";
  let legacy = [LegacyActivation<"relu">];
  let newIrGradients = ["relu_grad(out)", "relu_double_grad(out) -> dout"];
}
def Pd_Relu6Op : Pd_Activation<"relu6", "min(max(x, 0), 6)", "e.minimum(6.0, e.maximum(0.0, x))"> {
  let derivatives = ["e.indicator(out > 0.0, out) * e.indicator(out < 6.0, out)"];
  let postOp = [{PostOp{"relu6", 6.0, {}} }];
  let precision = "follow";
  let legacy = [LegacyActivation<"relu6", [], ["threshold=any"]>];
  let newIrGradients = ["relu6_grad(out)"];
}
def Pd_LeakyReluOp : Pd_Activation<"leaky_relu", "x where x > 0, else negative_slope * x",
    "e.select(x > 0.0, x, x * op.getNegativeSlope().convertToDouble())",
    (ins F64Default<"0.02">:$negative_slope)> {
  let onnx = [Onnx<"LeakyRelu", ["X"], ["Y"], ["negative_slope=alpha"], writtenIf_="!isDouble(op.getX())">];
  let derivatives = [[{e.select(x < 0.0, e.constant(op.getNegativeSlope().convertToDouble(), x.type().getElementType()),
    e.constant(1, x.type().getElementType()))}]];
  let postOp = [{PostOp{"leaky_relu", op.getNegativeSlope().convertToDouble(), {}} }];
  let precision = "follow";
  let legacy = [LegacyActivation<"leaky_relu", ["negative_slope=alpha"]>];
  let newIrGradients = ["leaky_relu_double_grad(x) -> dout"];
}
def Pd_EluOp : Pd_Activation<"elu", "x where x > 0, else alpha * (exp(x) - 1)",
    "e.select(x > 0.0, x, e.expm1(x) * op.getAlpha().convertToDouble())", (ins F64Default<"1.0">:$alpha)> {
  let onnx = [Onnx<"Elu", ["X"], ["Y"], ["alpha"], writtenIf_="!isDouble(op.getX())">];
  // The exponential is bounded: for large x it would be infinite, and 0 * infinity is NaN.
  let derivatives = [[{e.select(x > 0.0, e.constant(1, x.type().getElementType()),
    e.exp(e.minimum(x, 0.0)) * op.getAlpha().convertToDouble())}]];
  let postOp = [{PostOp{"elu", op.getAlpha().convertToDouble(), {}} }];
  let legacy = [LegacyActivation<"elu", ["alpha"]>];
  let newIrGradients = ["elu_grad(x, out)", "elu_double_grad(x, dout) -> x, dout"];
}
def Pd_SeluOp : Pd_Activation<"selu", "scale * (x where x > 0, else alpha * (exp(x) - 1))",
    "e.select(x > 0.0, x, e.expm1(x) * op.getAlpha().convertToDouble()) * op.getScale().convertToDouble()",
    (ins F64Default<"1.0507009873554804934193349852946">:$scale,
      F64Default<"1.6732632423543772848170429916717">:$alpha)> {
  let onnx = [Onnx<"Selu", ["X"], ["Y"], ["alpha", "scale=gamma"], writtenIf_="!isDouble(op.getX())">];
  let derivatives = [[{e.select(x > 0.0, e.constant(1, x.type().getElementType()),
    e.exp(e.minimum(x, 0.0)) * op.getAlpha().convertToDouble()) * op.getScale().convertToDouble()}]];
  let legacy = [LegacyActivation<"selu", ["scale", "alpha"]>];
  let newIrGradients = ["selu_grad(out)"];
}
def Pd_CeluOp : Pd_Activation<"celu", "max(0, x) + min(0, alpha * (exp(x / alpha) - 1))",
    "e.maximum(0.0, x) + e.minimum(0.0, e.expm1(x / op.getAlpha().convertToDouble()) * "
      "op.getAlpha().convertToDouble())",
    (ins F64Default<"1.0">:$alpha)> {
  let onnx = [Onnx<"Celu", ["X"], ["Y"], ["alpha"], writtenIf_="!isDouble(op.getX())">];
  let derivatives = [[{e.select(x > 0.0, e.constant(1, x.type().getElementType()), e.exp(e.minimum(x,
    0.0) / op.getAlpha().convertToDouble()))}]];
  let legacy = [LegacyActivation<"celu", ["alpha"]>];
  let newIrGradients = ["celu_double_grad(x, dout)"];
}
def Pd_GeluOp : Pd_Activation<"gelu", "x * Phi(x) with the normal distribution function Phi, or its tanh approximation",
    [{op.getApproximate()
        ? x * 0.5 * (1.0 + e.tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)))
        : x * (1.0 + e.erf(x * 0.70710678118654752440)) * 0.5}],
    (ins DefaultValuedAttr<BoolAttr, "false">:$approximate)> {
  let onnx = [Onnx<"Gelu", ["X"], ["Y"], [], ["approximate=false"], hook_="importGelu",
                writtenIf_="!isDouble(op.getX())">,
              OnnxWritten<"exportGelu", "opset >= 20 && op.getApproximate() && !isDouble(op.getX())">];
  let postOp = [{PostOp{op.getApproximate() ? "gelu_tanh" : "gelu_erf", {}, {}} }];
  let legacy = [LegacyActivation<"gelu", ["approximate"]>];
}
def Pd_SigmoidOp : Pd_FormulaOp<"sigmoid", Pd_FloatOrComplexTensor, "1 / (1 + exp(-x))", "1.0 / (1.0 + e.exp(-x))"> {
  let onnx = [OnnxUnary<"Sigmoid">];
  let derivatives = ["out * (1.0 - out)"];
  let postOp = [{PostOp{"sigmoid", {}, {}} }];
  let precision = "follow";
  let legacy = [LegacyActivation<"sigmoid">];
  let newIrGradients = ["sigmoid_grad(out)", "sigmoid_double_grad(out, dout)", "sigmoid_triple_grad(out, dout, ddx)"];
}
def Pd_LogsigmoidOp : Pd_Activation<"logsigmoid", "log(1 / (1 + exp(-x)))",
    "-e.maximum(-x, 0.0) - e.log(e.exp(-e.maximum(-x, 0.0)) + e.exp(-x - e.maximum(-x, 0.0)))"> {
  let legacy = [LegacyOfComplexToo<"logsigmoid">];
}
def Pd_SiluOp : Pd_FormulaOp<"silu", Pd_FloatOrComplexTensor, "x * sigmoid(x)", "x * e.sigmoid(x)"> {
  let onnx = [OnnxWritten<"exportSilu", "opset >= 24 && isReal(op.getX()) && !isDouble(op.getX())">];
  let postOp = [{PostOp{"swish", 1.0, {}} }];
  let legacy = [LegacyActivation<"silu">];
  let newIrGradients = ["silu_grad(x, out)", "silu_double_grad(x, out, dout) -> x, dout"];
}
def Pd_SwishOp : Pd_Activation<"swish", "x * sigmoid(beta * x)", "x * e.sigmoid(x * op.getBeta().convertToDouble())",
    (ins F64Default<"1.0">:$beta)> {
  let onnx = [Onnx<"Swish", ["X"], ["Y"], ["beta=alpha"]>];
  let postOp = [{PostOp{"swish", op.getBeta().convertToDouble(), {}} }];
  // Since Paddle 2.4 its kernel ignores beta.
  let legacy = [Legacy<"swish", ["X"], ["Out"], [], ["beta=any"],
    writtenIf_="op.getBeta().isExactlyValue(1.0)">];
}
def Pd_SwigluOp : Pd_Op<"swiglu"> {
  let summary = "silu(x) * y; without y, silu of the first half of the last dimension of x times the second half";
  let constraints = ["C1. without y the last dim of x is even; with y both have the same dimensions"];
  let arguments = (ins Pd_FloatTensor:$x, Optional<Pd_FloatTensor>:$y);
  let results = (outs Pd_FloatTensor:$out);
  let decomposesInCode = 1;
  let legacy = [LegacyReadOnly<"swiglu", ["x", "y"], ["out"]>];
}
def Pd_MishOp : Pd_Activation<"mish", "x * tanh(softplus(x)); softplus is x above the threshold",
    [{x * e.tanh(e.select(x > op.getThreshold().convertToDouble(), x,
                          e.log1p(e.exp(e.minimum(x, op.getThreshold().convertToDouble())))))}],
    (ins F64Default<"20.0">:$threshold)> {
  let onnx = [Onnx<"Mish", ["X"], ["Y"], [], ["threshold=20.0"], writtenIf_="!isDouble(op.getX())">];
  let legacy = [LegacyActivation<"mish", ["threshold"]>];
  let newIr = [NewIr<["x"], [], ["threshold=lambda"]>];
}
def Pd_SoftplusOp : Pd_Activation<"softplus", "log(1 + exp(beta * x)) / beta; x where beta * x is above the threshold",
    [{e.select(x * op.getBeta().convertToDouble() > op.getThreshold().convertToDouble(), x,
               e.log1p(e.exp(x * op.getBeta().convertToDouble())) / op.getBeta().convertToDouble())}],
    (ins F64Default<"1.0">:$beta, F64Default<"20.0">:$threshold)> {
  let onnx = [Onnx<"Softplus", ["X"], ["Y"], [], ["beta=1", "threshold=40"]>];
  let derivatives = [[{e.select(x * op.getBeta().convertToDouble() > op.getThreshold().convertToDouble(),
    e.constant(1, x.type().getElementType()), e.sigmoid(x * op.getBeta().convertToDouble()))}]];
  let precision = "full";
  let legacy = [LegacyOfComplexToo<"softplus", ["beta", "threshold"]>];
  let newIrGradients = ["softplus_double_grad(x, dout)"];
}
def Pd_SoftReluOp : Pd_Activation<"soft_relu", "log(1 + exp(x)), x clamped to [-threshold, threshold]",
    [{e.log(1.0 + e.exp(e.maximum(e.minimum(x, op.getThreshold().convertToDouble()),
      -op.getThreshold().convertToDouble())))}],
    (ins F64Default<"40.0">:$threshold)> {
  let legacy = [LegacyActivation<"soft_relu", ["threshold"]>];
  let newIrGradients = ["soft_relu_grad(x, out)"];
}
def Pd_SoftsignOp : Pd_Activation<"softsign", "x / (1 + |x|)", "x / (1.0 + e.abs(x))"> {
  let onnx = [Onnx<"Softsign", ["input"], ["output"], writtenIf_="!isDouble(op.getX())">];
  let derivatives = ["1.0 / ((1.0 + e.abs(x)) * (1.0 + e.abs(x)))"];
  let legacy = [LegacyOfComplexToo<"softsign">];
}
def Pd_HardsigmoidOp : Pd_Activation<"hardsigmoid", "min(max(slope * x + offset, 0), 1)",
    "e.minimum(1.0, e.maximum(0.0, x * op.getSlope().convertToDouble() + op.getOffset().convertToDouble()))",
    (ins F64Default<"0.2">:$slope, F64Default<"0.5">:$offset)> {
  let onnx = [Onnx<"HardSigmoid", ["X"], ["Y"], ["slope=alpha", "offset=beta"], writtenIf_="!isDouble(op.getX())">];
  let derivatives = [[{e.indicator(out > 0.0, out) * e.indicator(out < 1.0, out) * op.getSlope().convertToDouble()}]];
  let postOp = [{PostOp{"hardsigmoid", op.getSlope().convertToDouble(), op.getOffset().convertToDouble()} }];
  let legacy = [LegacyActivation<"hard_sigmoid", ["slope", "offset"]>];
  let newIrGradients = ["hardsigmoid_grad(out)"];
}
def Pd_HardswishOp : Pd_Activation<"hardswish", "x * min(max(x + offset, 0), threshold) / scale",
    [{x * e.minimum(op.getThreshold().convertToDouble(), e.maximum(0.0, x + op.getOffset().convertToDouble()))
        / op.getScale().convertToDouble()}],
    (ins F64Default<"6.0">:$threshold, F64Default<"6.0">:$scale, F64Default<"3.0">:$offset)> {
  let onnx = [Onnx<"HardSwish", ["X"], ["Y"], [], ["threshold=6.0", "scale=6.0", "offset=3.0"],
                writtenIf_="!isDouble(op.getX())">];
  let derivatives = [[{e.select(x + op.getOffset().convertToDouble() < op.getThreshold().convertToDouble(),
    e.indicator(x + op.getOffset().convertToDouble() > 0.0, x) * (2.0 * x + op.getOffset().convertToDouble())
      / op.getScale().convertToDouble(), e.constant(1, x.type().getElementType()))}]];
  // Since Paddle 2.4 its kernel ignores the attributes.
  let legacy = [LegacyOfComplexToo<"hard_swish", [], ["threshold=any", "scale=any", "offset=any"]>];
}
def Pd_TanhShrinkOp : Pd_Activation<"tanh_shrink", "x - tanh(x)", "x - e.tanh(x)"> {
  let legacy = [LegacyActivation<"tanh_shrink">];
}
def Pd_HardshrinkOp : Pd_Activation<"hardshrink", "x where |x| > threshold, else 0",
    "x * e.cast(e.abs(x) > op.getThreshold().convertToDouble(), x.type().getElementType())",
      (ins F64Default<"0.5">:$threshold)> {
  let legacy = [LegacyActivation<"hard_shrink", ["threshold"]>];
}
def Pd_SoftshrinkOp : Pd_Activation<"softshrink", "x shrunk towards 0 by the threshold, and 0 within it",
    [{(x - op.getThreshold().convertToDouble()) * e.cast(x > op.getThreshold().convertToDouble(),
      x.type().getElementType())
      + (x + op.getThreshold().convertToDouble()) * e.cast(x < -op.getThreshold().convertToDouble(),
      x.type().getElementType())}],
    (ins F64Default<"0.5">:$threshold)> {
  let legacy = [LegacyActivation<"softshrink", ["threshold=lambda"]>];
}
def Pd_ThresholdedReluOp : Pd_Activation<"thresholded_relu", "x where x > threshold, else value",
    [{x * e.cast(x > op.getThreshold().convertToDouble(), x.type().getElementType())
      + op.getValue().convertToDouble() * e.cast(x <= op.getThreshold().convertToDouble(), x.type().getElementType())}],
    (ins F64Default<"1.0">:$threshold, F64Default<"0.0">:$value)> {
  // Paddle 2.6 does not have `value`.
  let legacy = [Legacy<"thresholded_relu", ["X"], ["Out"], ["threshold", "value"],
    writtenIf_="op.getValue().isZero()">];
}
def Pd_HardtanhOp : Pd_Activation<"hardtanh", "min(max(x, t_min), t_max)",
    "e.minimum(op.getTMax().convertToDouble(), e.maximum(op.getTMin().convertToDouble(), x))",
    (ins F64Default<"0.0">:$t_min, F64Default<"24.0">:$t_max)> {
  let derivatives = [[{e.indicator(x > op.getTMin().convertToDouble(),
    x) * e.indicator(x < op.getTMax().convertToDouble(), x)}]];
  let legacy = [LegacyActivation<"brelu", ["t_min", "t_max"]>];
}
def Pd_StanhOp : Pd_Activation<"stanh", "scale_b * tanh(scale_a * x)",
    "e.tanh(x * op.getScaleA().convertToDouble()) * op.getScaleB().convertToDouble()",
    (ins F64Default<"0.67">:$scale_a, F64Default<"1.7159">:$scale_b)> {
  let legacy = [LegacyActivation<"stanh", ["scale_a", "scale_b"]>];
}
def Pd_SquareOp : Pd_FormulaOp<"square", Pd_NumberTensor, "x * x", "x * x"> {
  let precision = "full";
  let legacy = [LegacyActivation<"square">];
  let newIrGradients = ["square_double_grad(x, dout)"];
}
def Pd_ReciprocalOp : Pd_FormulaOp<"reciprocal", Pd_FloatOrComplexTensor, "1 / x", "1.0 / x"> {
  let onnx = [OnnxUnary<"Reciprocal">];
  let precision = "full";
  let legacy = [LegacyActivation<"reciprocal">];
  let newIrGradients = ["reciprocal_grad(out)"];
}
def Pd_LogitOp : Pd_Activation<"logit",
  "log(p / (1 - p)) with p = x clamped to [eps, 1 - eps]; NaN outside [0, 1] if eps is 0",
    [{op.getEps().convertToDouble() == 0.0
        ? e.log(x / (1.0 - x))
        : e.log(e.minimum(1.0 - op.getEps().convertToDouble(), e.maximum(op.getEps().convertToDouble(), x)) /
            (1.0 - e.minimum(1.0 - op.getEps().convertToDouble(), e.maximum(op.getEps().convertToDouble(), x))))}],
    (ins F64Default<"1e-6">:$eps)> {
  let derivatives = [[{e.select(x < op.getEps().convertToDouble(), 0.0,
    e.select(x > 1.0 - op.getEps().convertToDouble(), 0.0, 1.0 /
        (e.minimum(1.0 - op.getEps().convertToDouble(), e.maximum(op.getEps().convertToDouble(), x)) *
         (1.0 - e.minimum(1.0 - op.getEps().convertToDouble(), e.maximum(op.getEps().convertToDouble(), x))))))}]];
  let legacy = [LegacyActivation<"logit", ["eps"]>];
}

#endif
