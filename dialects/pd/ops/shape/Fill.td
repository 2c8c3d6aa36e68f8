// Writing of diagonals.
#ifndef PROA_DIALECTS_PD_SHAPE_FILL
#define PROA_DIALECTS_PD_SHAPE_FILL

include "dialects/pd/ir/Base.td"

class Pd_FillOp<string mnemonic> : Pd_Op<mnemonic> {
  let decomposesInCode = 1;
  let results = (outs Pd_Tensor:$out);
  let infer = "inferFillDiagonal";
}

def Pd_FillDiagonalOp : Pd_FillOp<"fill_diagonal"> {
  let summary = "x with `value` on a diagonal";
  let description = [{
    For a matrix the diagonal is `offset` columns to the right of the main one; with `wrap` it restarts below each
    square block of a tall matrix. For more dimensions, all of the same size, it has the elements whose indices are
    all equal. As row-major element indices, with w the size of dimension 1 and s the sum of all strides: i + offset
    for i = 0, s, 2 s, ... while 0 <= i mod w + offset < w, and without `wrap` i < w * w.
  }];
  let constraints = ["C1. x has rank 2 or more; above rank 2 all dims are equal"];
  let arguments = (ins Pd_Tensor:$x, DefaultValuedAttr<F64Attr, "0.0">:$value, DefaultValuedAttr<I64Attr, "0">:$offset,
    DefaultValuedAttr<BoolAttr, "false">:$wrap);
  let legacy = [Legacy<"fill_diagonal", ["X"], ["Out"], ["value", "offset", "wrap"]>];
  let newIrGradients = ["fill_diagonal_grad(dout)"];
}

def Pd_FillDiagonalTensorOp : Pd_FillOp<"fill_diagonal_tensor"> {
  let summary = "x with the vectors of y on the diagonals of the matrices in dimensions dim1 and dim2";
  let description = [{
    Diagonal `offset` is `offset` indices along dim2 from the main one. y has the other dimensions of x, then one for
    the elements of the diagonal; additional leading dimensions are ignored.
  }];
  let constraints = [
    "C1. x has rank 2 or more and dim1 and dim2 are two of its dimensions",
    "C2. y has the other dims of x, the length of the diagonal, and the element type of x"
  ];
  let arguments = (ins Pd_Tensor:$x, Pd_Tensor:$y, DefaultValuedAttr<I64Attr, "0">:$offset, DefaultValuedAttr<I64Attr,
    "0">:$dim1, DefaultValuedAttr<I64Attr, "1">:$dim2);
  let legacy = [Legacy<"fill_diagonal_tensor", ["X", "Y"], ["Out"], ["offset:long", "dim1", "dim2"]>];
  let newIrGradients = ["fill_diagonal_tensor_grad(dout) -> x"];
}

#endif
