// Embedding lookup.
#ifndef PROA_DIALECTS_PD_NN_EMBEDDING
#define PROA_DIALECTS_PD_NN_EMBEDDING

include "dialects/pd/ir/Base.td"

def Pd_EmbeddingOp : Pd_Op<"embedding"> {
  let onnx = [OnnxWritten<"exportEmbedding">];
  let summary = "Row x[i] of weight for each i";
  let description = [{
    The result has the dimensions of x followed by the dimension of a row. If x is `padding_idx` (unless -1) the row is
    zero, and so is its gradient. With `sparse`, as in Paddle, the padding row gets the gradients of the zero rows.
  }];
  let constraints = [
    "C1. weight has rank 2",
    "C2. padding_idx is -1 or a row of weight"
  ];
  let arguments = (ins Pd_IntTensor:$x, Pd_FloatTensor:$weight, DefaultValuedAttr<I64Attr, "-1">:$padding_idx,
    DefaultValuedAttr<BoolAttr, "false">:$sparse);
  let vjpInCode = 1;
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferEmbedding";
  let evaluates = 1;
  let element = 1;
  let library = "embedding";
  let libraryHalf = 1;
  let precision = "always full";
  let legacy = [
    Legacy<"lookup_table_v2", ["Ids", "W"], ["Out"], ["padding_idx:long", "sparse=is_sparse"]>,
    Legacy<"lookup_table", ["Ids", "W"], ["Out"], ["padding_idx:long", "sparse=is_sparse"], ["entry=none",
      "entry_config=", "grad_inplace=any",
      "table_class=none"], "importLookupTableV1">];
  let linear = ["weight"];
  let batching = "inCode";
  let sharding = "inCode";
}

def Pd_LookupTableDequantOp : Pd_Op<"lookup_table_dequant"> {
  let onnx = [OnnxWritten<"exportLookupTableDequant">];
  let sharding = "* *, ... * -> ... *";
  let summary = "Rows of a table with one byte per element, scaled by the minimum and maximum of each row";
  let description = [{
    A row of w is its minimum, its maximum, then bytes b, four in each float: element = (maximum - minimum) / 256 * b
    + minimum. Rows of `padding_idx` (-1: none) are zero. At run time: ids are rows of the table.
  }];
  let constraints = ["C1. w is a float32 matrix of 3 columns or more, and the last dim of ids is 1"];
  let arguments = (ins Pd_FloatTensor:$w, Pd_IntTensor:$ids, DefaultValuedAttr<I64Attr, "-1">:$padding_idx);
  let results = (outs Pd_FloatTensor:$out);
  let library = "lookup_table_dequant";
  let infer = "inferLookupTableDequant";
  let lod = "none";
  let legacy = [Legacy<"lookup_table_dequant", ["W", "Ids"], ["Out"], ["padding_idx:long"]>];
  let batching = "inCode";
  let referenceInCode = 1;
  let differentiable = 0;
}

#endif
