// Symmetric quantization by the largest absolute value.
#ifndef PROA_DIALECTS_PD_QUANTIZATION_QUANTIZATION
#define PROA_DIALECTS_PD_QUANTIZATION_QUANTIZATION

include "dialects/pd/ir/Base.td"

def : OnnxFormula<"QuantizeLinear", "importQuantizeLinear">;
def : OnnxFormula<"DequantizeLinear", "importDequantizeLinear">;
def : OnnxFormula<"DynamicQuantizeLinear", "importDynamicQuantizeLinear">;
def : OnnxFormula<"MatMulInteger", "importMatMulInteger">;
def : OnnxFormula<"QLinearMatMul", "importQLinearMatMul">;
def : OnnxFormula<"ConvInteger", "importConvInteger">;
def : OnnxFormula<"QLinearConv", "importQLinearConv">;
// Of ONNX Runtime.
def : OnnxFormula<"QLinearConv", "importQLinearConv", 1, 0, "com.microsoft">;
def : OnnxFormula<"QLinearAveragePool", "importQLinearAveragePool", 1, 0, "com.microsoft">;
def : OnnxFormula<"FusedConv", "importFusedConv", 1, 0, "com.microsoft">;
def : OnnxFormula<"NhwcConv", "importNhwcConv", 1, 0, "com.microsoft">;
def : OnnxFormula<"NhwcFusedConv", "importNhwcFusedConv", 1, 0, "com.microsoft">;
def : OnnxFormula<"QuantizeLinear", "importQuantizeLinear", 1, 0, "com.microsoft">;
def : OnnxFormula<"DequantizeLinear", "importDequantizeLinear", 1, 0, "com.microsoft">;
def : OnnxFormula<"QLinearAdd", "importQLinearAdd", 1, 0, "com.microsoft">;
def : OnnxFormula<"QLinearMul", "importQLinearMul", 1, 0, "com.microsoft">;
def : OnnxFormula<"QLinearSigmoid", "importQLinearSigmoid", 1, 0, "com.microsoft">;
def : OnnxFormula<"QLinearLeakyRelu", "importQLinearLeakyRelu", 1, 0, "com.microsoft">;
def : OnnxFormula<"QLinearSoftmax", "importQLinearSoftmax", 1, 0, "com.microsoft">;
def : OnnxFormula<"QLinearConcat", "importQLinearConcat", 1, 0, "com.microsoft">;
def : OnnxFormula<"QLinearWhere", "importQLinearWhere", 1, 0, "com.microsoft">;
def : OnnxFormula<"QLinearReduceMean", "importQLinearReduceMean", 1, 0, "com.microsoft">;
def : OnnxFormula<"QLinearGlobalAveragePool", "importQLinearGlobalAveragePool", 1, 0, "com.microsoft">;
def : OnnxFormula<"QGemm", "importQGemm", 1, 0, "com.microsoft">;
def : OnnxFormula<"MatMulInteger16", "importMatMulInteger16", 1, 0, "com.microsoft">;
def : OnnxFormula<"MatMulIntegerToFloat", "importMatMulIntegerToFloat", 1, 0, "com.microsoft">;
def : OnnxFormula<"DynamicQuantizeMatMul", "importDynamicQuantizeMatMul", 1, 0, "com.microsoft">;

// With bound = 2^(bit_length - 1) - 1 and a scale s: round_type 1: q = round(clip(x, -s, s) * bound / s), halves away
// from zero round_type 0: q = clip(round(x * bound / s), -bound - 1, bound), halves to even and back: q * s / bound.
// The scale is not divided by bound. Fake ops keep q in x's type. A scale that is (nearly) 0 counts as 1e-6 in
// divisions. Per channel: one scale for each index along quant_axis; -1 is one scale for all.
defvar BitLengthConstraint = "C1. bit_length is in [2, 16]";
defvar RoundTypeConstraint = "C2. round_type is 0 or 1";
defvar QuantAxisConstraint = "C3. quant_axis is -1 or a dimension of x";
defvar ScaleConstraint = "C4. a scale has one element; per channel, one for each channel";
defvar ChannelConstraints = [BitLengthConstraint, RoundTypeConstraint, QuantAxisConstraint, ScaleConstraint];
// 16 bits do not hold integers of 16 bits, nor small scales.
// Its decomposition shows passes that values are integers, and their zero points and scales.
def Pd_Quantizes : NativeOpTrait<"QuantizesTrait"> { let cppNamespace = "::proa::pd"; }

class Pd_QuantizationOp<string mnemonic, list<Trait> t = []> : Pd_Op<mnemonic, t # [Pd_Quantizes]> {
  let decomposesInCode = 1;
  let precision = "always full";
}

class QuantInt<string value> : DefaultValuedAttr<I64Attr, value>;
class QuantFlag<string value> : DefaultValuedAttr<BoolAttr, value>;
defvar MovingRate = DefaultValuedAttr<F64Attr, "0.9">;

def Pd_StraightThroughOp : Pd_Op<"straight_through", [Pd_Elementwise]> {
  let summary = "value, with the gradient of x";
  let description = [{
    The straight-through estimator of quantization-aware training: value is x rounded, and the derivative by x is
    taken to be 1. The importer inserts it where the gradient ops of a program bypass a quantization,
    if it derives gradients instead of importing these.
  }];
  let constraints = [
    "C1. x, value and out have the same element type",
    "C2. the dimensions of x and value broadcast to the dimensions of out"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$value);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferBroadcast";
  let decomposition = "value";
  let derivatives = ["1.0", ""];
}

class Pd_LinearQuantizationOp<string mnemonic, TypeConstraint input, string legacyType>
    : Pd_QuantizationOp<mnemonic, [AttrSizedOperandSegments]> {
  let arguments = (ins input:$x, Optional<Pd_FloatTensor>:$scale, Optional<Pd_Tensor>:$zero_point,
    Optional<Pd_FloatTensor>:$in_accum, Optional<Pd_FloatTensor>:$in_state, QuantInt<"0">:$quant_axis,
    QuantInt<"8">:$bit_length, QuantInt<"-128">:$qmin, QuantInt<"127">:$qmax, QuantInt<"0">:$round_type,
    QuantFlag<"true">:$is_test, QuantFlag<"false">:$only_observer, MovingRate:$moving_rate);
  let results = (outs Pd_FloatTensor:$y, Pd_FloatTensor:$out_state, Pd_FloatTensor:$out_accum,
    Pd_FloatTensor:$out_scale);
  let infer = "inferLinearQuantization";
  let legacy = [Legacy<legacyType, ["X", "Scale", "ZeroPoint", "InAccum", "InState"], ["Y", "OutState", "OutAccum",
    "OutScale"], ["quant_axis", "bit_length", "qmin", "qmax", "round_type", "is_test", "only_observer",
      "moving_rate"]>];
}

def Pd_QuantizeLinearOp : Pd_LinearQuantizationOp<"quantize_linear", Pd_FloatTensor, "quantize_linear"> {
  let onnx = [OnnxWritten<"exportQuantizeLinear">];
  let summary = "x quantized by a scale, which follows x in training";
  let description = [{
    With `is_test` the scale is the operand. In training it is the largest |x| per channel, or for a single scale its
    moving average: out_state = moving_rate * in_state + 1, out_accum = moving_rate * in_accum + max|x|, out_scale =
    out_accum / out_state. With `only_observer` y is x. zero_point is ignored, as in Paddle. y is a float tensor of
    integers.
  }];
  let constraints = !listconcat(ChannelConstraints,
    ["C5. scale is given with is_test; in_accum and in_state are given in training with one scale"]);
}

def Pd_DequantizeLinearOp : Pd_LinearQuantizationOp<"dequantize_linear", Pd_RealTensor, "dequantize_linear"> {
  let onnx = [OnnxWritten<"exportDequantizeLinear">];
  let summary = "x * scale / bound, in the element type of the scale";
  let description = [{
    With `only_observer` y is x. zero_point is ignored, as in Paddle. The other results are zeros of one element.
  }];
  let constraints = !listconcat(ChannelConstraints, ["C5. scale is given"]);
}

class Pd_AbsMaxOp<string mnemonic> : Pd_QuantizationOp<mnemonic> {
  let description = "out_scale, of one element, is max|x|.";
  let arguments = (ins Pd_FloatTensor:$x, QuantInt<"8">:$bit_length, QuantInt<"1">:$round_type);
  let results = (outs Pd_FloatTensor:$out, Pd_FloatTensor:$out_scale);
  let infer = "inferAbsMax";
  let legacy = [Legacy<mnemonic, ["X"], ["Out", "OutScale"], ["bit_length", "round_type"]>];
}

def Pd_FakeQuantizeAbsMaxOp : Pd_AbsMaxOp<"fake_quantize_abs_max"> {
  let onnx = [OnnxWritten<"exportFakeQuantizeAbsMax">];
  let summary = "x quantized by its largest absolute value";
}
def Pd_FakeQuantizeDequantizeAbsMaxOp : Pd_AbsMaxOp<"fake_quantize_dequantize_abs_max"> {
  let onnx = [OnnxWritten<"exportFakeQuantizeDequantizeAbsMax">];
  let summary = "x quantized by its largest absolute value and dequantized";
  let newIrGradients = ["fake_quantize_dequantize_abs_max_grad(dout)"];
}

class Pd_ChannelAbsMaxOp<string mnemonic> : Pd_QuantizationOp<mnemonic> {
  let description = "out_scale has max|x| for each index along quant_axis.";
  let constraints = ChannelConstraints;
  let results = (outs Pd_FloatTensor:$out, Pd_FloatTensor:$out_scale);
  let infer = "inferChannelAbsMax";
}

def Pd_FakeChannelWiseQuantizeAbsMaxOp : Pd_ChannelAbsMaxOp<"fake_channel_wise_quantize_abs_max"> {
  let onnx = [OnnxWritten<"exportFakeChannelWiseQuantizeAbsMax">];
  let summary = "x quantized by the largest absolute value of each channel";
  let arguments = (ins Pd_FloatTensor:$x, QuantInt<"8">:$bit_length, QuantInt<"1">:$round_type,
    QuantInt<"0">:$quant_axis);
  let legacy = [Legacy<"fake_channel_wise_quantize_abs_max", ["X"], ["Out", "OutScale"], ["bit_length", "round_type",
    "quant_axis"]>];
}
def Pd_FakeChannelWiseQuantizeDequantizeAbsMaxOp : Pd_ChannelAbsMaxOp<"fake_channel_wise_quantize_dequantize_abs_max"> {
  let onnx = [OnnxWritten<"exportFakeChannelWiseQuantizeDequantizeAbsMax">];
  let summary = "x quantized by the largest absolute value of each channel and dequantized";
  let arguments = (ins Pd_FloatTensor:$x, QuantInt<"8">:$bit_length, QuantInt<"1">:$round_type,
    QuantInt<"0">:$quant_axis);
  let legacy = [Legacy<"fake_channel_wise_quantize_dequantize_abs_max", ["X"], ["Out", "OutScale"], ["bit_length",
    "round_type", "quant_axis"]>];
  let newIrGradients = ["fake_channel_wise_quantize_dequantize_abs_max_grad(dout)"];
}

class Pd_MovingAverageAbsMaxOp<string mnemonic> : Pd_QuantizationOp<mnemonic, [AttrSizedOperandSegments]> {
  let description = [{
    out_state = moving_rate * in_state + 1, out_accum = moving_rate * in_accum + max|x|, out_scale = out_accum /
    out_state. With `is_test` the scale is in_scale and the states do not change. A missing state or accumulator is 0.
  }];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$in_scale, Optional<Pd_FloatTensor>:$in_accum,
    Optional<Pd_FloatTensor>:$in_state, MovingRate:$moving_rate, QuantInt<"8">:$bit_length, QuantFlag<"false">:$is_test,
    QuantInt<"1">:$round_type);
  let results = (outs Pd_FloatTensor:$out, Pd_FloatTensor:$out_scale, Pd_FloatTensor:$out_state,
    Pd_FloatTensor:$out_accum);
  let infer = "inferMovingAverage";
  let legacy = [Legacy<mnemonic, ["X", "InScale", "InAccum", "InState"], ["Out", "OutScale", "OutState", "OutAccum"],
    ["moving_rate", "bit_length", "is_test", "round_type"], [], "importObservingQuantizer">];
}

def Pd_FakeQuantizeMovingAverageAbsMaxOp : Pd_MovingAverageAbsMaxOp<"fake_quantize_moving_average_abs_max"> {
  let onnx = [OnnxWritten<"exportFakeQuantizeMovingAverage">];
  let summary = "x quantized by a moving average of its largest absolute value";
  let newIrInPlace = ["fake_quantize_moving_average_abs_max_(out_scale=in_scale)"];
}
def Pd_FakeQuantizeDequantizeMovingAverageAbsMaxOp
    : Pd_MovingAverageAbsMaxOp<"fake_quantize_dequantize_moving_average_abs_max"> {
  let onnx = [OnnxWritten<"exportFakeQuantizeDequantizeMovingAverage">];
  let summary = "x quantized by a moving average of its largest absolute value and dequantized";
  let newIrGradients = ["fake_quantize_dequantize_moving_average_abs_max_grad(dout) -> x"];
  let newIrInPlace = ["fake_quantize_dequantize_moving_average_abs_max_(out_scale=in_scale)"];
}

def Pd_MovingAverageAbsMaxScaleOp : Pd_QuantizationOp<"moving_average_abs_max_scale", [AttrSizedOperandSegments]> {
  let summary = "x, and a moving average of its largest absolute value";
  let description = [{
    States as in pd.fake_quantize_moving_average_abs_max. With `is_test` they do not change, and out_scale is zero.
  }];
  let arguments = (ins Pd_FloatTensor:$x, Optional<Pd_FloatTensor>:$in_accum, Optional<Pd_FloatTensor>:$in_state,
    MovingRate:$moving_rate, QuantFlag<"false">:$is_test);
  let results = (outs Pd_FloatTensor:$out, Pd_FloatTensor:$out_scale, Pd_FloatTensor:$out_state,
    Pd_FloatTensor:$out_accum);
  let infer = "inferObserver";
  let legacy = [Legacy<"moving_average_abs_max_scale", ["X", "InAccum", "InState"], ["Out", "OutScale", "OutState",
    "OutAccum"], ["moving_rate", "is_test"], [], "importObservingQuantizer">];
}

def Pd_FakeQuantizeRangeAbsMaxOp : Pd_QuantizationOp<"fake_quantize_range_abs_max", [AttrSizedOperandSegments]> {
  let onnx = [OnnxWritten<"exportFakeQuantizeRange">];
  let summary = "x quantized by the largest absolute value of the last window_size steps";
  let description = [{
    With `is_test` the scale is in_scale. In training, in_scales is a ring of the maxima of the last steps: entry iter
    % window_size of out_scales is max|x|. out_scale is the larger of in_scale and max|x|, unless in_scale was the
    replaced maximum: then it is the largest of the first min(iter, window_size) entries, and at least max|x|.
  }];
  let constraints = [
    BitLengthConstraint,
    RoundTypeConstraint,
    "C5. iter and in_scales are given in training",
    "C6. window_size is positive"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$in_scale, Optional<Pd_IntTensor>:$iter,
    Optional<Pd_FloatTensor>:$in_scales, QuantInt<"10000">:$window_size, QuantInt<"8">:$bit_length,
    QuantFlag<"false">:$is_test, QuantInt<"1">:$round_type);
  let results = (outs Pd_FloatTensor:$out, Pd_FloatTensor:$out_scale, Pd_FloatTensor:$out_scales);
  let infer = "inferRange";
  let legacy = [Legacy<"fake_quantize_range_abs_max", ["X", "InScale", "Iter", "<OutScales"], ["Out", "OutScale",
    "OutScales"], ["window_size", "bit_length", "is_test", "round_type"], [], "importObservingQuantizer">];
  let newIrInPlace = ["fake_quantize_range_abs_max_(out_scale=in_scale)"];
}

def Pd_FakeDequantizeMaxAbsOp : Pd_QuantizationOp<"fake_dequantize_max_abs"> {
  let onnx = [OnnxWritten<"exportFakeDequantizeMaxAbs">];
  let summary = "x * scale / max_range";
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$scale, F64Attr:$max_range);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferSameAsFirst";
  let legacy = [Legacy<"fake_dequantize_max_abs", ["X", "Scale"], ["Out"], ["max_range"]>];
}

def Pd_FakeChannelWiseDequantizeMaxAbsOp : Pd_QuantizationOp<"fake_channel_wise_dequantize_max_abs"> {
  let summary = "x * scale / bound by one scale for each channel";
  let description = [{
    With one tensor of scales the channels are along quant_axis. With two, the first has scales along x_num_col_dims,
    the second one element, and x is divided by both bounds.
  }];
  let constraints = [ScaleConstraint, "C5. there are one or two tensors of scales, and as many quant_bits"];
  let arguments = (ins Pd_FloatTensor:$x, Variadic<Pd_FloatTensor>:$scales,
    DefaultValuedAttr<DenseI64ArrayAttr, "{8}">:$quant_bits, QuantInt<"0">:$quant_axis, QuantInt<"1">:$x_num_col_dims);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferChannelDequantize";
  let legacy = [Legacy<"fake_channel_wise_dequantize_max_abs", ["X", "Scales*"], ["Out"], ["quant_bits", "quant_axis",
    "x_num_col_dims"]>];
}

def Pd_DequantizeAbsMaxOp : Pd_QuantizationOp<"dequantize_abs_max"> {
  let onnx = [OnnxWritten<"exportDequantizeAbsMax">];
  let summary = "scale * x / max_range of int8 values";
  let arguments = (ins Pd_IntTensor:$x, Pd_FloatTensor:$scale, F64Attr:$max_range);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferDequantizeAbsMax";
  let legacy = [Legacy<"dequantize_abs_max", ["X", "Scale"], ["Out"], ["max_range"]>];
}

// Affine quantization ops of oneDNN.

def Pd_QuantizeOp : Pd_QuantizationOp<"quantize"> {
  let onnx = [OnnxWritten<"exportQuantize">];
  let summary = "round(x * scale + shift) as 8-bit integers, halves to even";
  let description = [{
    Signed if `is_negative_input` and the shift is 0, else unsigned; values out of range are clamped. With `bfloat16`
    x * scale in that type. As in oneDNN, the shift is rounded towards zero to an integer.
  }];
  let arguments = (ins Pd_FloatTensor:$input, DefaultValuedAttr<F64Attr, "1.0">:$scale, DefaultValuedAttr<F64Attr,
    "0.0">:$shift, QuantFlag<"false">:$is_negative_input, QuantFlag<"false">:$bfloat16);
  let results = (outs Pd_RealTensor:$output);
  let infer = "inferQuantize";
  let legacy = [Legacy<"quantize", ["Input"], ["Output"], ["scale=Scale", "shift=Shift", "is_negative_input",
    "bfloat16"], ["output_format=any"]>];
}

def Pd_DequantizeOp : Pd_QuantizationOp<"dequantize"> {
  let onnx = [OnnxWritten<"exportDequantize">];
  let summary = "(x - shift) / scale as f32";
  let description = "As in oneDNN, the shift is rounded towards zero to an integer.";
  let arguments = (ins Pd_RealTensor:$input, DefaultValuedAttr<F64Attr, "1.0">:$scale, DefaultValuedAttr<F64Attr,
    "0.0">:$shift);
  let results = (outs Pd_FloatTensor:$output);
  let infer = "inferDequantize";
  let legacy = [Legacy<"dequantize", ["Input"], ["Output"], ["scale=Scale", "shift=Shift"]>];
}

def Pd_RequantizeOp : Pd_QuantizationOp<"requantize"> {
  let summary = "Requantization: round(x * s + shift) with s = scale_out / scale_in";
  let description = [{
    The shift is shift_out - s * shift_in, with both rounded towards zero, rounded to an integer in [0, 255]. Paddle's
    default of both is 1.
  }];
  let arguments = (ins Pd_RealTensor:$input, DefaultValuedAttr<F64Attr, "1.0">:$scale_in,
    DefaultValuedAttr<F64Attr, "1.0">:$scale_out, DefaultValuedAttr<F64Attr, "1.0">:$shift_in,
    DefaultValuedAttr<F64Attr, "1.0">:$shift_out);
  let results = (outs Pd_RealTensor:$output);
  let infer = "inferSameAsFirst";
  let legacy = [Legacy<"requantize", ["Input"], ["Output"], ["scale_in=Scale_in", "scale_out=Scale_out",
    "shift_in=Shift_in", "shift_out=Shift_out"]>];
}

def Pd_DequantizeLogOp : Pd_Op<"dequantize_log"> {
  let summary = "Entry x of a table of 128 numbers; for negative x, minus entry x + 128";
  let constraints = ["C1. dict has 128 elements"];
  let arguments = (ins Pd_IntTensor:$x, Pd_FloatTensor:$dict);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferDequantizeLog";
  let decomposesInCode = 1;
  let legacy = [Legacy<"dequantize_log", ["X", "Dict"], ["Out"]>];
}

#endif
