// Ops that move elements without computing: the shape of a tensor and the order of its dimensions.
#ifndef PROA_DIALECTS_PD_SHAPE_SHAPE
#define PROA_DIALECTS_PD_SHAPE_SHAPE

include "dialects/pd/Base.td"

def Pd_ReshapeOp : Pd_FoldableOp<"reshape"> {
  let summary = "The same elements, in row-major order, under another shape";
  let description = [{
    In `shape`, 0 copies the dimension at the same place of `x`, and one -1 stands for what is left. `shape_tensor` wins
    over the attribute.
  }];
  let arguments = (ins Pd_Tensor:$x, Optional<Pd_IntTensor>:$shape_tensor,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$shape);
  let results = (outs Pd_Tensor:$out);
  let infer = "inferReshape";
  let evaluates = 1;
  let library = "reshape";
  let legacy = [Legacy<"reshape2", ["X", "ShapeTensor*|Shape|@shape"], ["Out"], ["shape"], ["XShape"]>,
                Legacy<"reshape", ["X", "ShapeTensor*|Shape|@shape"], ["Out"], ["shape"], []>];
}

def Pd_TransposeOp : Pd_FoldableOp<"transpose"> {
  let summary = "Dimensions permuted: dimension i of the result is dimension perm[i] of x";
  let arguments = (ins Pd_Tensor:$x, DenseI64ArrayAttr:$perm);
  let results = (outs Pd_Tensor:$out);
  let infer = "inferTranspose";
  let evaluates = 1;
  let moves = 1;
  let legacy = [Legacy<"transpose2", ["X"], ["Out"], ["perm=axis"], ["XShape", "data_format"]>,
                Legacy<"transpose", ["X"], ["Out"], ["perm=axis"], ["data_format"]>];
}

def Pd_ExpandOp : Pd_FoldableOp<"expand"> {
  let summary = "x broadcast to a shape";
  let description = [{
    In `shape`, -1 keeps the dimension of `x`. Dimensions are aligned at the end. `shape_tensor` wins over the attribute.
  }];
  let arguments = (ins Pd_Tensor:$x, Optional<Pd_IntTensor>:$shape_tensor,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$shape);
  let results = (outs Pd_Tensor:$out);
  let infer = "inferExpand";
  let evaluates = 1;
  let moves = 1;
  let library = "expand";
  let legacy = [Legacy<"expand_v2", ["X", "expand_shapes_tensor*|Shape|@shape"], ["Out"], ["shape"]>];
}

def Pd_DimOp : Pd_Op<"dim"> {
  let summary = "The extent of dimension `index` as a rank-0 int64 tensor";
  let arguments = (ins Pd_Tensor:$x, I64Attr:$index);
  let results = (outs Pd_IntTensor:$out);
  let infer = "inferDim";
  let hasFolder = 1;
  let library = "dim";
}

#endif
