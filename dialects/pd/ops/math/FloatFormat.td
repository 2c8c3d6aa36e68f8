// Small floats that are not element types of pd: their bits in elements of ui8.
#ifndef PROA_DIALECTS_PD_MATH_FLOATFORMAT
#define PROA_DIALECTS_PD_MATH_FLOATFORMAT

include "dialects/pd/ir/Base.td"

def Pd_ByteTensor : RankedTensorOf<[UI8], [], "ui8 tensor">;
def Pd_SingleTensor : RankedTensorOf<[F32], [], "f32 tensor">;

def Pd_DecodeFloatOp : Pd_FoldableOp<"decode_float"> {
  let summary = "The numbers whose bits in a small format are the low bits of x";
  let description = [{
    Exact. E8M0 has no sign, and its 255 is NaN.
  }];
  let constraints = ["C1. out has the dimensions of x and elements of type f32"];
  let arguments = (ins Pd_ByteTensor:$x, Pd_FloatFormatAttr:$format);
  let results = (outs Pd_SingleTensor:$out);
  let infer = "inferDecodeFloat";
  let scalar = "b.decodeFloat(x, op.getFormat())";
}

def Pd_EncodeFloatOp : Pd_FoldableOp<"encode_float"> {
  let summary = "The bits in a small format of the float next to x";
  let description = [{
    Halves round to even. Numbers beyond the largest one, also infinite ones, become the largest with `saturate`, else
    NaN; formats without NaN (E2M1, E2M3, E3M2) always saturate, and their NaN is -0, as in ml_dtypes. E8M0 ignores the
    sign and follows `rounding`, with halves rounded up, and its 0 is 2^-127; the other formats round to nearest. The
    rules are the same as for ONNX's Cast.
  }];
  let constraints = ["C1. out has the dimensions of x and elements of type ui8"];
  let arguments = (ins Pd_SingleTensor:$x, Pd_FloatFormatAttr:$format,
    Pd_DefaultEnum<Pd_FloatRoundingAttr, "Nearest">:$rounding, DefaultValuedAttr<BoolAttr, "true">:$saturate);
  let results = (outs Pd_ByteTensor:$out);
  // 16 bits round twice.
  let precision = "always full";
  let infer = "inferEncodeFloat";
  let scalar = "b.encodeFloat(x, op.getFormat(), op.getRounding(), op.getSaturate())";
}

#endif
