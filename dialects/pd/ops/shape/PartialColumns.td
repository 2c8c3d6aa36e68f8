// Concatenation and sum of the same columns of several matrices.
#ifndef PROA_DIALECTS_PD_SHAPE_PARTIAL_COLUMNS
#define PROA_DIALECTS_PD_SHAPE_PARTIAL_COLUMNS

include "dialects/pd/ir/Base.td"

def Pd_PartialConcatOp : Pd_Op<"partial_concat"> {
  let summary = "Columns start_index to start_index + length of all matrices, concatenated";
  let description = [{
    A negative length means all columns from start_index on; a negative start_index counts from the end.
  }];
  let constraints = [
    "C1. all operands are matrices of the same shape",
    "C2. the columns are in range"
  ];
  let arguments = (ins Variadic<Pd_Tensor>:$x, DefaultValuedAttr<I64Attr, "0">:$start_index, DefaultValuedAttr<I64Attr,
    "-1">:$length);
  let results = (outs Pd_Tensor:$out);
  let infer = "inferPartialConcat";
  let decomposesInCode = 1;
  let legacy = [Legacy<"partial_concat", ["X*"], ["Out"], ["start_index", "length"]>];
}

def Pd_PartialSumOp : Pd_Op<"partial_sum"> {
  let summary = "The sum of columns start_index to start_index + length of all matrices";
  let description = "As pd.partial_concat, with its constraints.";
  let arguments = (ins Variadic<Pd_Tensor>:$x, DefaultValuedAttr<I64Attr, "0">:$start_index, DefaultValuedAttr<I64Attr,
    "-1">:$length);
  let results = (outs Pd_Tensor:$out);
  let infer = "inferPartialSum";
  let decomposesInCode = 1;
  let legacy = [Legacy<"partial_sum", ["X*"], ["Out"], ["start_index", "length"]>];
}

#endif
