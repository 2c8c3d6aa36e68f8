// Comparisons within tolerances and of whole tensors.
#ifndef PROA_DIALECTS_PD_MATH_CLOSENESS
#define PROA_DIALECTS_PD_MATH_CLOSENESS

include "dialects/pd/ir/Base.td"

class Pd_ClosenessOp<string mnemonic, string text> : Pd_Op<mnemonic, [AttrSizedOperandSegments]> {
  let summary = text;
  let description = [{
    x and y are close if x == y, or if |x - y| <= atol + rtol * |y| up to a difference of 1e-15 of both sides (as in
    Paddle), or with `equal_nan` if both are NaN. The tolerances are attributes, or one-element tensors, which
    override the attributes.
  }];
  let constraints = [
    "C1. x and y have the same element type",
    "C2. x and y broadcast"
  ];
  let arguments = (ins Pd_Tensor:$x, Pd_Tensor:$y, Optional<Pd_FloatTensor>:$rtol_tensor,
    Optional<Pd_FloatTensor>:$atol_tensor, DefaultValuedAttr<F64Attr, "1e-5">:$rtol, DefaultValuedAttr<F64Attr,
    "1e-8">:$atol, DefaultValuedAttr<BoolAttr, "false">:$equal_nan);
  let results = (outs Pd_BoolTensor:$out);
  let decomposesInCode = 1;
  let legacy = [Legacy<mnemonic, ["Input", "Other", "Rtol", "Atol"], ["Out"], ["rtol", "atol", "equal_nan"], [],
    "importCloseness", exportHook_="exportCloseness">];
}

def Pd_IscloseOp : Pd_ClosenessOp<"isclose", "Whether x and y are close, elementwise"> {
  let infer = "inferIsclose";
}
def Pd_AllcloseOp : Pd_ClosenessOp<"allclose", "Whether all elements of x and y are close"> {
  let infer = "inferAllclose";
}

def Pd_EqualAllOp : Pd_Op<"equal_all"> {
  let summary = "Whether x and y have the same shape and equal elements";
  let description = "Elements are compared as by pd.equal with this `tolerance`.";
  let constraints = ["C1. x and y have the same element type"];
  let arguments = (ins Pd_Tensor:$x, Pd_Tensor:$y, DefaultValuedAttr<F64Attr, "0.0">:$tolerance);
  let results = (outs Pd_BoolTensor:$out);
  let infer = "inferEqualAll";
  let decomposesInCode = 1;
  let legacy = [Legacy<"equal_all", ["X", "Y"], ["Out"], [], [], "importEqualAll", constants_=["axis=-1"]>];
}

#endif
