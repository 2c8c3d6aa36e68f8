// Comparisons of whole tensors and within tolerances.
#ifndef PROA_DIALECTS_PD_MATH_CLOSENESS
#define PROA_DIALECTS_PD_MATH_CLOSENESS

include "dialects/pd/ir/Base.td"

class Pd_ClosenessOp<string mnemonic, string text> : Pd_Op<mnemonic, [AttrSizedOperandSegments]> {
  let summary = text;
  let description = [{
    x and y are close where x == y or |x - y| <= atol + rtol * |y|, where the sides of that differ by no more than 1e-15
    (as in Paddle), and with `equal_nan` where both are NaN. The tolerances
    come as numbers or as one-element tensors, which win over the attributes.
  }];
  let arguments = (ins Pd_Tensor:$x, Pd_Tensor:$y, Optional<Pd_FloatTensor>:$rtol_tensor, Optional<Pd_FloatTensor>:$atol_tensor,
    DefaultValuedAttr<F64Attr, "1e-5">:$rtol, DefaultValuedAttr<F64Attr, "1e-8">:$atol,
    DefaultValuedAttr<BoolAttr, "false">:$equal_nan);
  let assemblyFormat = "$x `,` $y (`rtol` `=` $rtol_tensor^)? (`atol` `=` $atol_tensor^)? attr-dict `:` functional-type(operands, results)";
  let results = (outs Pd_BoolTensor:$out);
  let decomposesInCode = 1;
  let legacy = [Legacy<mnemonic, ["Input", "Other", "Rtol", "Atol"], ["Out"], ["rtol", "atol", "equal_nan"], [],
    "importCloseness">];
}

def Pd_IscloseOp : Pd_ClosenessOp<"isclose", "x and y are close, element by element"> {
  let infer = "inferIsclose";
}
def Pd_AllcloseOp : Pd_ClosenessOp<"allclose", "x and y are close everywhere"> {
  let infer = "inferAllclose";
}

def Pd_EqualAllOp : Pd_Op<"equal_all"> {
  let summary = "x and y have one shape and equal elements";
  let description = "Elements are compared as by pd.equal with this `tolerance`.";
  let arguments = (ins Pd_Tensor:$x, Pd_Tensor:$y, DefaultValuedAttr<F64Attr, "0.0">:$tolerance);
  let results = (outs Pd_BoolTensor:$out);
  let infer = "inferEqualAll";
  let decomposesInCode = 1;
  let legacy = [Legacy<"equal_all", ["X", "Y"], ["Out"], [], [], "importEqualAll", constants_=["axis=-1"]>];
}

#endif
