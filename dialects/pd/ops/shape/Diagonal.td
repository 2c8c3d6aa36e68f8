// Diagonals and triangular parts of matrices.
#ifndef PROA_DIALECTS_PD_SHAPE_DIAGONAL
#define PROA_DIALECTS_PD_SHAPE_DIAGONAL

include "dialects/pd/ir/Base.td"

class IntDefault<string value> : DefaultValuedAttr<I64Attr, value>;

class Pd_TriangleOp<string mnemonic, string text> : Pd_Op<mnemonic> {
  let summary = text;
  let description = "The matrices are the last two dimensions. Diagonal k is k columns to the right of the main one.";
  let constraints = ["C1. x has rank 2 or more"];
  let arguments = (ins Pd_Tensor:$x, IntDefault<"0">:$diagonal);
  let results = (outs Pd_Tensor:$out);
  let infer = "inferTriangle";
  let decomposesInCode = 1;
}

def : OnnxFormula<"Trilu", "importTrilu">;
def : OnnxFormula<"Trilu", "importTrilu", 1, 0, "com.microsoft">;

def Pd_TrilOp : Pd_TriangleOp<"tril", "Lower triangle: x with zeros above a diagonal"> {
  let legacy = [Legacy<"tril_triu", ["X"], ["Out"], ["diagonal"], constants_=["lower=true"]>];
  let newIrGradients = ["tril_grad(dout)"];
}
def Pd_TriuOp : Pd_TriangleOp<"triu", "Upper triangle: x with zeros below a diagonal"> {
  let legacy = [Legacy<"tril_triu", ["X"], ["Out"], ["diagonal"], constants_=["lower=false"]>];
  let newIrGradients = ["triu_grad(dout)"];
}

def Pd_DiagonalOp : Pd_Op<"diagonal", [Pd_MovesElements]> {
  let lod = "none";
  let summary = "The diagonals of the matrices in dimensions axis1 and axis2, as a last dimension";
  let constraints = ["C1. axis1 and axis2 are two dimensions of x"];
  let arguments = (ins Pd_Tensor:$x, IntDefault<"0">:$offset, IntDefault<"0">:$axis1, IntDefault<"1">:$axis2);
  let results = (outs Pd_Tensor:$out);
  let decomposesInCode = 1;
  let legacy = [Legacy<"diagonal", ["Input"], ["Out"], ["offset", "axis1", "axis2"]>];
}

def Pd_DiagOp : Pd_Op<"diag"> {
  let lod = "none";
  let summary = "A square matrix with the vector x on a diagonal and padding_value elsewhere; for a matrix x, its "
    "diagonal";
  let constraints = ["C1. x has rank 2 or less"];
  let arguments = (ins Pd_Tensor:$x, IntDefault<"0">:$offset, DefaultValuedAttr<F64Attr, "0.0">:$padding_value);
  let results = (outs Pd_Tensor:$out);
  let decomposesInCode = 1;
  let legacy = [Legacy<"diag_v2", ["X"], ["Out"], ["offset", "padding_value"]>];
}

def Pd_DiagEmbedOp : Pd_Op<"diag_embed"> {
  let lod = "none";
  let summary = "Square matrices, in dimensions dim1 and dim2, with the vectors of x on a diagonal";
  let constraints = [
    "C1. x has rank 1 or more",
    "C2. dim1 and dim2 are two dimensions of the result"
  ];
  let arguments = (ins Pd_Tensor:$x, IntDefault<"0">:$offset, IntDefault<"-2">:$dim1, IntDefault<"-1">:$dim2);
  let results = (outs Pd_Tensor:$out);
  let decomposesInCode = 1;
  let legacy = [Legacy<"diag_embed", ["Input"], ["Out"], ["offset", "dim1", "dim2"]>];
}

#endif
