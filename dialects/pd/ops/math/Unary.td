// Elementwise primitives of one operand.
#ifndef PROA_DIALECTS_PD_MATH_UNARY
#define PROA_DIALECTS_PD_MATH_UNARY

include "dialects/pd/ir/Base.td"

// `derivative` is the derivative of the function; "" for piecewise constant functions.
class Pd_UnaryOp<string mnemonic, TypeConstraint type, string text, string body, string derivative = "">
    : Pd_FoldableOp<mnemonic> {
  let summary = text;
  let arguments = (ins type:$x);
  let results = (outs type:$out);
  let constraints = SameTypeAsX;
  let infer = "inferSameAsFirst";
  let scalar = body;
  let derivatives = [derivative];
}

class LegacyUnary<string type> : Legacy<type, ["X"], ["Out"]>;

class Pd_UnaryMath<string mnemonic, string text, string body, string derivative = "">
    : Pd_UnaryOp<mnemonic, Pd_FloatOrComplexTensor, text, body, derivative> {
  let legacy = [LegacyUnary<mnemonic>];
}

// Paddle also takes integers, and computes in float32.
class Pd_UnaryOfReals<string mnemonic, string text, string body, string derivative>
    : Pd_UnaryMath<mnemonic, text, body, derivative> {
  let precision = "full";
  let legacy = [Legacy<mnemonic, ["X"], ["Out"], [], [], "importUnaryOfReals">];
}

class Pd_UnaryFloat<string mnemonic, string text, string body, string derivative = "">
    : Pd_UnaryOp<mnemonic, Pd_FloatTensor, text, body, derivative> {
  let legacy = [LegacyUnary<mnemonic>];
}

def Pd_ExpOp : Pd_UnaryOfReals<"exp", "e to the power of x", "b.exp(x)", "out"> {
  let onnx = [OnnxUnaryMath<"Exp">];
  let newIrGradients = ["exp_grad(out)", "exp_double_grad(out, dout)"];
}
def Pd_Expm1Op : Pd_UnaryOfReals<"expm1", "e^x - 1, accurate near zero", "b.expm1(x)", "out + 1.0"> {
  let onnx = [OnnxWritten<"exportExpm1">];
  let newIrGradients = ["expm1_grad(out)"];
}
def Pd_LogOp : Pd_UnaryOfReals<"log", "Natural logarithm", "b.log(x)", "1.0 / x"> {
  let onnx = [OnnxUnaryMath<"Log">];
  let newIrGradients = ["log_double_grad(x, dout)"];
}
def Pd_Log1pOp : Pd_UnaryOfReals<"log1p", "log(1 + x), accurate near zero", "b.log1p(x)", "1.0 / (1.0 + x)"> {
  let onnx = [OnnxWritten<"exportLog1p">];
}
def Pd_Log2Op : Pd_UnaryOfReals<"log2", "Logarithm to base 2", "b.log2(x)", "1.0 / (x * 0.69314718055994530942)"> {
  let onnx = [OnnxWritten<"exportLog2">];
}
def Pd_Log10Op : Pd_UnaryOfReals<"log10", "Logarithm to base 10", "b.log10(x)", "1.0 / (x * 2.30258509299404568402)"> {
  let onnx = [OnnxWritten<"exportLog10">];
}
def Pd_SqrtOp : Pd_UnaryMath<"sqrt", "Square root", "b.sqrt(x)", "0.5 / out"> {
  let onnx = [OnnxUnary<"Sqrt">];
  let newIrGradients = ["sqrt_grad(out)", "sqrt_double_grad(out, dx)"];
}
def Pd_RsqrtOp : Pd_UnaryMath<"rsqrt", "1 / sqrt(x)", "b.rsqrt(x)", "-0.5 * out * out * out"> {
  let onnx = [OnnxWritten<"exportRsqrt">];
  let precision = "full";
  let newIrGradients = ["rsqrt_grad(out)", "rsqrt_double_grad(out, dx)"];
}
def Pd_SinOp : Pd_UnaryMath<"sin", "Sine", "b.sin(x)", "e.cos(x)"> {
  let onnx = [OnnxUnaryMath<"Sin">];
  let newIrGradients = ["sin_double_grad(x, dout)", "sin_triple_grad(x, dout, ddx)"];
}
def Pd_CosOp : Pd_UnaryMath<"cos", "Cosine", "b.cos(x)", "-e.sin(x)"> {
  let onnx = [OnnxUnaryMath<"Cos">];
  let newIrGradients = ["cos_double_grad(x, dout)", "cos_triple_grad(x, dout, ddx)"];
}
def Pd_TanOp : Pd_UnaryMath<"tan", "Tangent", "b.tan(x)", "1.0 / (e.cos(x) * e.cos(x))"> {
  let onnx = [OnnxUnaryMath<"Tan">];
  let precision = "full";
}
def Pd_AsinOp : Pd_UnaryMath<"asin", "Arc sine", "b.asin(x)", "1.0 / e.sqrt(1.0 - x * x)"> {
  let onnx = [OnnxUnaryMath<"Asin">];
  let precision = "full";
}
def Pd_AcosOp : Pd_UnaryMath<"acos", "Arc cosine", "b.acos(x)", "-1.0 / e.sqrt(1.0 - x * x)"> {
  let onnx = [OnnxUnaryMath<"Acos">];
  let precision = "full";
  let newIrGradients = ["acos_double_grad(x, dout)"];
}
def Pd_AtanOp : Pd_UnaryMath<"atan", "Arc tangent", "b.atan(x)", "1.0 / (1.0 + x * x)"> {
  let onnx = [OnnxUnaryMath<"Atan">];
}
def Pd_SinhOp : Pd_UnaryMath<"sinh", "Hyperbolic sine", "b.sinh(x)", "e.wrap(e.create<CoshOp>(x))"> {
  let onnx = [OnnxUnaryMath<"Sinh">];
  let precision = "full";
}
def Pd_CoshOp : Pd_UnaryMath<"cosh", "Hyperbolic cosine", "b.cosh(x)", "e.wrap(e.create<SinhOp>(x))"> {
  let onnx = [OnnxUnaryMath<"Cosh">];
  let precision = "full";
}
def Pd_TanhOp : Pd_UnaryMath<"tanh", "Hyperbolic tangent", "b.tanh(x)", "1.0 - out * out"> {
  let onnx = [OnnxUnaryMath<"Tanh">];
  let postOp = [{PostOp{"tanh", {}, {}} }];
  let precision = "follow";
  let newIrGradients = ["tanh_grad(out)", "tanh_double_grad(out, dout)", "tanh_triple_grad(out, dout, ddx)"];
}
def Pd_AsinhOp : Pd_UnaryMath<"asinh", "Inverse hyperbolic sine", "b.asinh(x)", "1.0 / e.sqrt(x * x + 1.0)"> {
  let onnx = [OnnxUnaryMath<"Asinh">];
}
def Pd_AcoshOp : Pd_UnaryMath<"acosh", "Inverse hyperbolic cosine", "b.acosh(x)", "1.0 / e.sqrt(x * x - 1.0)"> {
  let onnx = [OnnxUnaryMath<"Acosh">];
}
def Pd_AtanhOp : Pd_UnaryMath<"atanh", "Inverse hyperbolic tangent", "b.atanh(x)", "1.0 / (1.0 - x * x)"> {
  let onnx = [OnnxUnaryMath<"Atanh">];
  let precision = "full";
}
def Pd_ErfOp : Pd_UnaryFloat<"erf", "Error function: 2/sqrt(pi) times the integral of exp(-t^2) from 0 to x",
  "b.erf(x)", "1.12837916709551257390 * e.exp(-(x * x))"> {
  let onnx = [OnnxUnaryMath<"Erf">];
}
def Pd_CeilOp : Pd_UnaryFloat<"ceil", "The smallest integer that is not less than x", "b.ceil(x)"> {
  let onnx = [OnnxUnary<"Ceil">];
  let newIrGradients = ["ceil_grad(dout)"];
}
def Pd_FloorOp : Pd_UnaryFloat<"floor", "The largest integer that is not greater than x", "b.floor(x)"> {
  let onnx = [OnnxUnary<"Floor">];
  let newIrGradients = ["floor_grad(dout)"];
}
def Pd_TruncOp : Pd_UnaryOp<"trunc", Pd_RealTensor, "x rounded towards zero", "b.trunc(x)"> {
  let onnx = [OnnxWritten<"exportTrunc">];
  let legacy = [LegacyUnary<"trunc">];
  let newIrGradients = ["trunc_grad(dout)"];
}
def Pd_SignOp : Pd_UnaryOp<"sign", Pd_NumberTensor, "-1, 0 or 1 by the sign of x; x / |x| for a complex number",
  "b.sign(x)"> {
  let onnx = [OnnxUnaryMath<"Sign">];
  let precision = "follow";
  let legacy = [LegacyUnary<"sign">];
  let newIrGradients = ["sign_grad(dout)"];
}
def Pd_NegateOp : Pd_UnaryOp<"negate", Pd_NumberTensor, "-x", "b.negate(x)", "-1.0"> {
  let onnx = [OnnxUnary<"Neg">];
  let precision = "follow";
  let linear = ["x"];
}

def Pd_RoundOp : Pd_FoldableOp<"round"> {
  let onnx = [OnnxWritten<"exportRound">,
              OnnxReadOnly<"Round", ["X"], ["Y"], [], ["decimals=0", "half_to_even=true"]>];
  let summary = "x rounded to the nearest number with `decimals` decimals, halves away from zero";
  let description = "With `half_to_even` halves are rounded to even, as in Paddle 3.";
  let arguments = (ins Pd_FloatTensor:$x, DefaultValuedAttr<I64Attr, "0">:$decimals, DefaultValuedAttr<BoolAttr,
    "false">:$half_to_even);
  let results = (outs Pd_FloatTensor:$out);
  let constraints = SameTypeAsX;
  let infer = "inferSameAsFirst";
  let scalar = "rounded(b, x, static_cast<int64_t>(op.getDecimals()), op.getHalfToEven())";
  let derivatives = [""];
  let newIr = [NewIr<["x"], [], [], [], "", ["half_to_even"]>];
  let legacy = [Legacy<"round", ["X"], ["Out"], ["decimals"], [], "importRound",
    writtenIf_="!op.getHalfToEven() && op.getDecimals() == 0">];
  let newIrGradients = ["round_grad(dout)"];
}

def Pd_AbsOp : Pd_FoldableOp<"abs"> {
  let onnx = [OnnxUnary<"Abs">];
  let summary = "Absolute value; for a complex number its real modulus";
  let arguments = (ins Pd_NumberTensor:$x);
  let results = (outs Pd_RealTensor:$out);
  let constraints = [
    "C1. out has the dimensions of x, and its element type or the type of the components of a complex number"
  ];
  let infer = "inferRealComponent";
  let scalar = "b.abs(x)";
  let vjp = ["e.cast(dout, x.type().getElementType()) * direction(x, out)"];
  let legacy = [LegacyUnary<"abs">];
  let newIrGradients = ["abs_double_grad(x) -> dout", "abs_triple_grad(x) -> ddx"];
}

def Pd_BitwiseNotOp : Pd_UnaryOp<"bitwise_not", Pd_BoolOrIntTensor, "Bitwise complement", "b.bitNot(x)"> {
  let onnx = [OnnxWritten<"exportBitwiseNot">, OnnxReadOnly<"BitwiseNot", ["X"], ["Y"]>];
  let legacy = [LegacyUnary<"bitwise_not">];
}

def : OnnxFormula<"IsInf", "importIsInf">;

class Pd_UnaryPredicate<string mnemonic, string legacyType, string text, string body> : Pd_FoldableOp<mnemonic> {
  let summary = text;
  let arguments = (ins Pd_Tensor:$x);
  let results = (outs Pd_BoolTensor:$out);
  let constraints = ["C1. out has the dimensions of x"];
  let infer = "inferPredicate";
  let scalar = body;
  let legacy = [LegacyUnary<legacyType>];
}

def Pd_LogicalNotOp : Pd_UnaryPredicate<"logical_not", "logical_not", "x is zero", "b.bitNot(b.toBool(x))"> {
  let onnx = [OnnxWritten<"exportLogicalNot">, OnnxReadOnly<"Not", ["X"], ["Y"]>];
}
def Pd_IsnanOp : Pd_UnaryPredicate<"isnan", "isnan_v2", "x is NaN", "b.isnan(x)"> {
  let onnx = [OnnxWritten<"exportIsnan">, OnnxReadOnly<"IsNaN", ["X"], ["Y"]>];
}
def Pd_IsinfOp : Pd_UnaryPredicate<"isinf", "isinf_v2", "Whether x is infinite", "b.isinf(x)"> {
  let onnx = [OnnxWritten<"exportIsinf">];
}
def Pd_IsfiniteOp : Pd_UnaryPredicate<"isfinite", "isfinite_v2", "Whether x is neither NaN nor infinite",
  "b.isfinite(x)"> {
  let onnx = [OnnxWritten<"exportIsfinite">];
}

def : OnnxFormula<"Cast", "importCast">;
def : OnnxFormula<"CastLike", "importCastLike">;
def : OnnxFormula<"BitCast", "importBitCast">;

def Pd_CastOp : Pd_FoldableOp<"cast"> {
  let onnx = [OnnxWritten<"exportCastToOnnx">];
  let summary = "x converted to another element type";
  let description = [{
    Float to integer rounds towards zero. Values out of range and NaN give the results of x86-64 code, as in Paddle:
    up to 16 bits the low bits of the int32 result; for int32 and int64 the least integer (lib/base/support/Numbers.h).
    Conversion to bool is `x != 0`; real to complex has the imaginary component 0; complex to real keeps the real
    component. Conversion to f16 and bf16 rounds to nearest; with `toward_zero` it rounds towards zero, and values
    beyond the largest f16 become infinite, as on the CPU before Paddle 3. Legacy ops have `toward_zero` set; casts that
    passes insert do not.
  }];
  let arguments = (ins Pd_Tensor:$x, TypeAttr:$dtype, DefaultValuedAttr<BoolAttr, "false">:$toward_zero);
  let results = (outs Pd_Tensor:$out);
  // A cast to integers must not round to 16 bits before.
  let precision = "always full";
  let constraints = ["C1. out has the dimensions of x and the element type dtype"];
  let infer = "inferCast";
  let scalar = "op.getTowardZero() ? b.castTowardZero(x) : b.cast(x)";
  let vjp = ["dout"];
  let legacy = [Legacy<"cast", ["X"], ["Out"], ["dtype=out_dtype"], ["in_dtype=any"], "importCast",
    exportHook_="exportCast">];
}

#endif
