// Elementwise functions of two and three operands. Operands are broadcast as in NumPy, aligned at the last dimension.
#ifndef PROA_DIALECTS_PD_MATH_BINARY
#define PROA_DIALECTS_PD_MATH_BINARY

include "dialects/pd/ir/Base.td"

class Pd_BinaryOp<string mnemonic, TypeConstraint type, list<Trait> t = []> : Pd_FoldableOp<mnemonic, t> {
  let arguments = (ins type:$x, type:$y);
  let results = (outs type:$out);
  let constraints = BroadcastAlike;
  let infer = "inferBroadcast";
}

class OnnxBinary<string type> : Onnx<type, ["A", "B"], ["C"], hook_="importBinary">;

// Functions of any number of operands become a chain of ops.
def : OnnxFormula<"Max", "importExtremes">;
def : OnnxFormula<"Min", "importExtremes">;
def : OnnxFormula<"Sum", "importSum">;
def : OnnxFormula<"Mean", "importMean">;

// The remainder has the sign of the divisor, or of the dividend.
def : OnnxFormula<"Mod", "importMod">;
def : OnnxFormula<"BitShift", "importBitShift">;

// Legacy mapping with `axis`: the dimension of X at which the dimensions of Y begin; -1: aligned at the last.
class LegacyByAxis<string type, string hook = "importElementwise", list<string> fused = []>
    : Legacy<type, ["X", "Y"], ["Out"], [], ["force_cpu=any"] # fused, hook, constants_=["axis=-1"]>;
// An op of oneDNN, with the ops that Paddle's passes fuse into it (translator/import/legacy/FusedAttributes.h).
class LegacyFusible<string type> : LegacyByAxis<type, "importElementwise",
  ["Scale_x=fused", "Scale_y=fused", "Scale_out=fused", "fuse_activation=fused",
   "fused_output_scale=fused", "fused_unsqueeze2_axes=fused"]>;

// A function of two operands with one operand constant, in either order.
class LegacyFusedElementwise<string type> : Legacy<type, ["X", "Y"], ["Out"], [],
  ["axis=hook", "scale=hook", "save_intermediate_out=any", "functor_list=hook",
    "slot IntermediateOut"], "importFusedElementwise">;

def Pd_AddOp : Pd_BinaryOp<"add", Pd_Tensor, [Commutative]> {
  let onnx = [OnnxWritten<"exportBoolAdd", "isBool(op.getX())">, OnnxBinary<"Add">];
  let summary = "x + y; logical or for bools";
  let scalar = "b.add(x, y)";
  let derivatives = ["1.0", "1.0"];
  let precision = "follow";
  let legacy = [LegacyFusible<"elementwise_add">, LegacyByAxis<"grad_add">, LegacyFusible<"fused_elementwise_add">,
    LegacyFusedElementwise<"fused_elemwise_activation">, LegacyFusedElementwise<"fused_elemwise_add_activation">];
  let newIrGradients = ["add_double_grad(y, dout) -> dout", "add_triple_grad(ddx, ddy) -> ddx, ddy"];
  let linear = ["x, y"];
}

def Pd_SubtractOp : Pd_BinaryOp<"subtract", Pd_NumberTensor> {
  let onnx = [OnnxBinary<"Sub">];
  let summary = "x - y";
  let scalar = "b.subtract(x, y)";
  let derivatives = ["1.0", "-1.0"];
  let precision = "follow";
  let legacy = [LegacyFusible<"elementwise_sub">, LegacyByAxis<"minus">, LegacyFusible<"fused_elementwise_sub">];
  let newIrGradients = ["subtract_double_grad(y, dout) -> dout"];
  let linear = ["x, y"];
}

def Pd_MultiplyOp : Pd_BinaryOp<"multiply", Pd_Tensor, [Commutative]> {
  let onnx = [OnnxWritten<"exportBoolMultiply", "isBool(op.getX())">, OnnxBinary<"Mul">];
  let summary = "x * y; logical and for bools";
  let scalar = "b.multiply(x, y)";
  let derivatives = ["y", "x"];
  let precision = "follow";
  let legacy = [LegacyFusible<"elementwise_mul">, LegacyFusible<"fused_elementwise_mul">];
  let newIrGradients = ["multiply_double_grad(x, y, dout)", "multiply_triple_grad(x, y, dout, ddx, ddy)"];
  let linear = ["x", "y"];
}

def Pd_DivideOp : Pd_BinaryOp<"divide", Pd_NumberTensor> {
  let onnx = [OnnxBinary<"Div">];
  let summary = "x / y; for integers rounded towards zero";
  let scalar = "b.divide(x, y)";
  let vjp = ["dout / e.conj(y)", "-dout * e.conj(out / y)"];
  let precision = "follow";
  let legacy = [LegacyFusible<"elementwise_div">, LegacyFusible<"fused_elementwise_div">];
  let newIrGradients = ["divide_grad(x, y, out)", "divide_double_grad(y, out, dout, dx) -> y, out, dout"];
}

// The larger or the smaller operand. With `propagate_nan`, as in the new IR, equal operands share the gradient;
// otherwise y has it.
class Pd_ExtremeOfTwoOp<string mnemonic> : Pd_BinaryOp<mnemonic, Pd_RealTensor> {
  let arguments = (ins Pd_RealTensor:$x, Pd_RealTensor:$y, DefaultValuedAttr<BoolAttr, "false">:$propagate_nan);
  let newIr = [NewIr<["x", "y"], [], [], [], "", ["propagate_nan"]>];
  let precision = "follow";
}

def Pd_MaximumOp : Pd_ExtremeOfTwoOp<"maximum"> {
  let onnx = [OnnxWritten<"exportMaximum">];
  let summary = "x > y ? x : y; so y if either is NaN. With `propagate_nan` NaN if either is NaN, as in the new IR";
  let scalar = "op.getPropagateNan() ? b.maximum(x, y) : b.select(b.lessThan(y, x), x, y)";
  let derivatives = ["ofExtreme(e, x > y, x, y, op, 0.5)", "ofExtreme(e, x <= y, x, y, op, -0.5)"];
  let legacy = [LegacyByAxis<"elementwise_max">];
}

def Pd_MinimumOp : Pd_ExtremeOfTwoOp<"minimum"> {
  let onnx = [OnnxWritten<"exportMinimum">];
  let summary = "x < y ? x : y; so y if either is NaN. With `propagate_nan` NaN if either is NaN, as in the new IR";
  let scalar = "op.getPropagateNan() ? b.minimum(x, y) : b.select(b.lessThan(x, y), x, y)";
  let derivatives = ["ofExtreme(e, x < y, x, y, op, 0.5)", "ofExtreme(e, x >= y, x, y, op, -0.5)"];
  let legacy = [LegacyByAxis<"elementwise_min">];
}

def Pd_FmaxOp : Pd_BinaryOp<"fmax", Pd_RealTensor, [Commutative]> {
  let onnx = [OnnxWritten<"exportFmax">];
  let summary = "The larger of x and y; of a NaN and a number, the number";
  let scalar = "b.fmax(x, y)";
  let derivatives = ["1.0 - e.indicator(x < y, x) - e.indicator(e.isnan(x), x)",
                     "e.indicator(x < y, x) + e.indicator(e.isnan(x), x)"];
  let legacy = [LegacyByAxis<"elementwise_fmax">];
}

def Pd_FminOp : Pd_BinaryOp<"fmin", Pd_RealTensor, [Commutative]> {
  let onnx = [OnnxWritten<"exportFmin">];
  let summary = "The smaller of x and y; of a NaN and a number, the number";
  let scalar = "b.fmin(x, y)";
  let derivatives = ["1.0 - e.indicator(x > y, x) - e.indicator(e.isnan(x), x)",
                     "e.indicator(x > y, x) + e.indicator(e.isnan(x), x)"];
  let legacy = [LegacyByAxis<"elementwise_fmin">];
}

def Pd_RemainderOp : Pd_BinaryOp<"remainder", Pd_RealTensor> {
  let onnx = [OnnxWritten<"exportRemainder">];
  let summary = "x - floor(x / y) * y, which has the sign of y";
  let scalar = "b.remainder(x, y)";
  let derivatives = ["1.0", "-e.floor(x / y)"];
  let precision = "follow";
  let legacy = [LegacyByAxis<"elementwise_mod">];
}

def Pd_FloorDivideOp : Pd_BinaryOp<"floor_divide", Pd_RealTensor> {
  let onnx = [OnnxWritten<"exportFloorDivide">];
  let summary = "floor(x / y)";
  let scalar = "b.floorDivide(x, y)";
  let derivatives = ["", ""];
  let precision = "follow";
  let legacy = [LegacyByAxis<"elementwise_floordiv">];
}

def Pd_ElementwisePowOp : Pd_BinaryOp<"elementwise_pow", Pd_NumberTensor> {
  let onnx = [Onnx<"Pow", ["X", "Y"], ["Z"], hook_="importPow">];
  let summary = "x to the power of y";
  let scalar = "b.pow(x, y)";
  let description = [{
    Derivatives of any order are exact at x = 0 where they exist: x^0 is the constant 1, and the derivative of 0^y by
    y is 0 for y >= 0.
  }];
  let derivatives = ["derivativeByBase(e, x, y)", "out * e.log(e.select(e.equal(x, 0.0), 1.0, x))"];
  let precision = "follow";
  let legacy = [LegacyByAxis<"elementwise_pow">];
}

def Pd_Atan2Op : Pd_BinaryOp<"atan2", Pd_FloatTensor> {
  let onnx = [OnnxWritten<"exportAtan2">];
  let summary = "The angle of the point (y, x): atan2(x, y)";
  let scalar = "b.atan2(x, y)";
  let derivatives = ["y / (x * x + y * y)", "-x / (x * x + y * y)"];
  let legacy = [Legacy<"atan2", ["X1", "X2"], ["Out"], [], [], "importAtan2">];
}

def Pd_NextafterOp : Pd_BinaryOp<"nextafter", Pd_FloatTensor> {
  let onnx = [OnnxWritten<"exportNextafter">];
  let summary = "The next representable float after x towards y";
  let scalar = "b.nextafter(x, y)";
  let derivatives = ["1.0", ""];
  let legacy = [Legacy<"nextafter", ["x", "y"], ["out"]>];
}

def Pd_CopysignOp : Pd_BinaryOp<"copysign", Pd_FloatTensor> {
  let onnx = [OnnxWritten<"exportCopysign">];
  let summary = "|x| with the sign of y";
  let scalar = "b.copysign(x, y)";
  let derivatives = ["e.select(e.equal(x, 0.0), 0.0, out / e.select(e.equal(x, 0.0), 1.0, x))", ""];
  let legacy = [LegacyReadOnly<"copysign", ["x", "y"], ["out"]>];
}

def Pd_HeavisideOp : Pd_BinaryOp<"heaviside", Pd_RealTensor> {
  let onnx = [OnnxWritten<"exportHeaviside">];
  let summary = "0 where x < 0 or NaN, y where x is 0, 1 where x > 0";
  let scalar = [{b.select(b.equal(x, b.number(0, x)), y, b.select(b.lessThan(b.number(0, x), x), b.number(1, x),
    b.number(0, x)))}];
  let derivatives = ["", "e.indicator(e.equal(x, 0.0), x)"];
  let legacy = [LegacyByAxis<"elementwise_heaviside">];
}

def Pd_LerpOp : Pd_Op<"lerp", [Pd_Elementwise]> {
  let summary = "x + weight * (y - x)";
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$y, Pd_FloatTensor:$weight);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferBroadcast";
  let decomposition = "x + weight * (y - x)";
  let legacy = [Legacy<"lerp", ["X", "Y", "Weight"], ["Out"]>];
  let newIrGradients = ["lerp_grad(x, y, weight, out) -> x, y"];
}

//===-- Comparisons -----------------------------------------------------------------------------------------------===//

class Pd_CompareOp<string mnemonic, list<Trait> t = []> : Pd_FoldableOp<mnemonic, t> {
  let arguments = (ins Pd_Tensor:$x, Pd_Tensor:$y);
  let results = (outs Pd_BoolTensor:$out);
  let constraints = [
    "C1. x and y have the same element type",
    "C2. the dimensions of x and y broadcast to the dimensions of out"
  ];
  let infer = "inferCompare";
}

// Equality, with a tolerance for floats.
class Pd_EqualityOp<string mnemonic> : Pd_CompareOp<mnemonic, [Commutative]> {
  let arguments = (ins Pd_Tensor:$x, Pd_Tensor:$y, DefaultValuedAttr<F64Attr, "0.0">:$tolerance);
  let description = [{
    With a `tolerance` above 0, x equals y if x == y or |x - y| < tolerance, computed in the element type of x. NaN
    equals nothing; an infinity equals only itself. The legacy ops of Paddle 2.6.2 compare float32 and float64 with
    tolerance 1e-8, and other element types exactly; the ops of Paddle 3.3.1 compare all floats with 1e-15.
  }];
  let constraints = [
    "C1. x and y have the same element type",
    "C2. the dimensions of x and y broadcast to the dimensions of out",
    "C3. tolerance is finite, not negative, and 0 for element types other than floats"
  ];
  let infer = "inferEquality";
  let builders = [OpBuilder<(ins "::mlir::Value":$x, "::mlir::Value":$y), [{
    build($_builder, $_state, x, y, ::llvm::APFloat(0.0));
  }]>];
  let precision = "follow";
}

def Pd_EqualOp : Pd_EqualityOp<"equal"> {
  let onnx = [Onnx<"Equal", ["A", "B"], ["C"], hook_="importEqual", strings_="inHook">,
              OnnxWritten<"exportEqual">];
  let summary = "x == y, for floats within a tolerance";
  let scalar = "areEqual(b, x, y, op)";
  let legacy = [LegacyByAxis<"equal", "importEquality">];
}

def Pd_NotEqualOp : Pd_EqualityOp<"not_equal"> {
  let onnx = [OnnxWritten<"exportNotEqual">];
  let summary = "x != y, for floats outside of a tolerance";
  let scalar = "op.getTolerance().isZero() ? b.notEqual(x, y) : b.bitNot(areEqual(b, x, y, op))";
  let legacy = [LegacyByAxis<"not_equal", "importEquality">];
}

def Pd_LessThanOp : Pd_CompareOp<"less_than"> {
  let onnx = [OnnxBinary<"Less">];
  let summary = "x < y";
  let scalar = "b.lessThan(x, y)";
  let precision = "follow";
  let legacy = [LegacyByAxis<"less_than">];
}

def Pd_LessEqualOp : Pd_CompareOp<"less_equal"> {
  let onnx = [OnnxBinary<"LessOrEqual">];
  let summary = "x <= y";
  let scalar = "b.lessEqual(x, y)";
  let precision = "follow";
  let legacy = [LegacyByAxis<"less_equal">];
}

def Pd_GreaterThanOp : Pd_CompareOp<"greater_than"> {
  let onnx = [OnnxBinary<"Greater">];
  let summary = "x > y";
  let scalar = "b.lessThan(y, x)";
  let precision = "follow";
  let legacy = [LegacyByAxis<"greater_than">];
}

def Pd_GreaterEqualOp : Pd_CompareOp<"greater_equal"> {
  let onnx = [OnnxBinary<"GreaterOrEqual">];
  let summary = "x >= y";
  let scalar = "b.lessEqual(y, x)";
  let precision = "follow";
  let legacy = [LegacyByAxis<"greater_equal">];
}

//===-- Logic -----------------------------------------------------------------------------------------------------===//

class Pd_LogicalOp<string mnemonic> : Pd_CompareOp<mnemonic, [Commutative]>;

def Pd_LogicalAndOp : Pd_LogicalOp<"logical_and"> {
  let onnx = [OnnxBinary<"And">];
  let summary = "x and y are both not zero";
  let scalar = "b.bitAnd(b.toBool(x), b.toBool(y))";
  let legacy = [Legacy<"logical_and", ["X", "Y"], ["Out"]>];
}

def Pd_LogicalOrOp : Pd_LogicalOp<"logical_or"> {
  let onnx = [OnnxBinary<"Or">];
  let summary = "x or y is not zero";
  let scalar = "b.bitOr(b.toBool(x), b.toBool(y))";
  let legacy = [Legacy<"logical_or", ["X", "Y"], ["Out"]>];
}

def Pd_LogicalXorOp : Pd_LogicalOp<"logical_xor"> {
  let onnx = [OnnxBinary<"Xor">];
  let summary = "Exactly one of x and y is not zero";
  let scalar = "b.bitXor(b.toBool(x), b.toBool(y))";
  let legacy = [Legacy<"logical_xor", ["X", "Y"], ["Out"]>];
}

def Pd_BitwiseAndOp : Pd_BinaryOp<"bitwise_and", Pd_BoolOrIntTensor, [Commutative]> {
  let onnx = [OnnxWritten<"exportBitsOfBools", "isBool(op.getX())">, OnnxBinary<"BitwiseAnd">];
  let summary = "x & y";
  let scalar = "b.bitAnd(x, y)";
  let legacy = [Legacy<"bitwise_and", ["X", "Y"], ["Out"]>];
}

def Pd_BitwiseOrOp : Pd_BinaryOp<"bitwise_or", Pd_BoolOrIntTensor, [Commutative]> {
  let onnx = [OnnxWritten<"exportBitsOfBools", "isBool(op.getX())">, OnnxBinary<"BitwiseOr">];
  let summary = "x | y";
  let scalar = "b.bitOr(x, y)";
  let legacy = [Legacy<"bitwise_or", ["X", "Y"], ["Out"]>];
}

def Pd_BitwiseXorOp : Pd_BinaryOp<"bitwise_xor", Pd_BoolOrIntTensor, [Commutative]> {
  let onnx = [OnnxWritten<"exportBitsOfBools", "isBool(op.getX())">, OnnxBinary<"BitwiseXor">];
  let summary = "x ^ y";
  let scalar = "b.bitXor(x, y)";
  let legacy = [Legacy<"bitwise_xor", ["X", "Y"], ["Out"]>];
}

class Pd_ShiftOp<string mnemonic, string text, string body> : Pd_FoldableOp<mnemonic> {
  let onnx = [OnnxWritten<"exportShift">];
  let summary = text;
  let description = "The result has no bits of x if y is negative or at least the bit width.";
  let arguments = (ins Pd_IntTensor:$x, Pd_IntTensor:$y, DefaultValuedAttr<BoolAttr, "true">:$is_arithmetic);
  let results = (outs Pd_IntTensor:$out);
  let constraints = BroadcastAlike;
  let infer = "inferBroadcast";
  let scalar = body;
  let legacy = [LegacyReadOnly<mnemonic, ["x", "y"], ["out"], ["is_arithmetic"]>];
}
def Pd_BitwiseLeftShiftOp : Pd_ShiftOp<"bitwise_left_shift", "x shifted left by y bits", "b.shiftLeft(x, y)">;
def Pd_BitwiseRightShiftOp : Pd_ShiftOp<"bitwise_right_shift",
  "x shifted right by y bits, with copies of the sign if `is_arithmetic`, else with zeros",
  "b.shiftRight(x, y, op.getIsArithmetic())">;

//===-- Selection -------------------------------------------------------------------------------------------------===//

def Pd_WhereOp : Pd_FoldableOp<"where"> {
  let onnx = [OnnxWritten<"exportWhereOfBools", "isBool(op.getX())">,
              Onnx<"Where", ["condition", "X", "Y"], ["output"], strings_="moved">];
  let summary = "x where the condition is true, else y";
  let description = [{
    The three operands are broadcast together. The value that is not selected has no influence, even if it is NaN.
  }];
  let arguments = (ins Pd_BoolTensor:$condition, Pd_Tensor:$x, Pd_Tensor:$y);
  let results = (outs Pd_Tensor:$out);
  let constraints = [
    "C1. x, y and out have the same element type",
    "C2. the dimensions of the three operands broadcast to the dimensions of out"
  ];
  let infer = "inferSelect";
  let scalar = "b.select(condition, x, y)";
  let vjp = ["", "e.select(condition, dout, 0.0)", "e.select(condition, 0.0, dout)"];
  let precision = "follow";
  let newIr = [NewIr<["y", "condition", "x"], [], [], [], "masked_fill">];
  let legacy = [Legacy<"where", ["Condition", "X", "Y"], ["Out"], exportHook_="exportWhere">,
                LegacyReadOnly<"masked_fill", ["mask", "value", "x"], ["out"]>];
  let newIrGradients = ["where_double_grad(condition) -> dout", "masked_fill_double_grad(condition) -> dout"];
  let newIrInPlace = ["where_(out=x)"];
}

#endif
