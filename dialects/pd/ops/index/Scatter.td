// Tensors with some elements replaced or added to. A negative index counts from the end of its dimension.
#ifndef PROA_DIALECTS_PD_INDEX_SCATTER
#define PROA_DIALECTS_PD_INDEX_SCATTER

include "dialects/pd/ir/Base.td"
include "dialects/pd/autodiff/Broadcasting.td"

defvar PaddleScatterGradient = [{
    Of several updates of one element only the last, which is kept, has a gradient. With
    `paddle_gradient`, which the import of gradient ops sets, all of them have it, as in Paddle's gradient kernel.
}];

defvar ScatterKinds = [{
    `reduce` combines an addressed element x and the update u: assign (u; of several updates the
    last), add (x + u), multiply (x * u), amin, amax.
}];

// An index tensor smaller than x addresses its first elements; pd.put_along_axis broadcasts it.
def : OnnxFormula<"Scatter", "importScatterElements">;
def : OnnxFormula<"ScatterElements", "importScatterElements", strings_="moved">;
def : OnnxFormula<"ScatterND", "importScatterNd">;
def : OnnxFormula<"TensorScatter", "importTensorScatter">;

def Pd_ScatterNdOp : Pd_FoldableOp<"scatter_nd"> {
  let onnx = [OnnxWritten<"exportScatterNd">];
  let summary = "x with `updates` written at the index tuples in the rows of `index`";
  let description = [{
    The last dimension of `index`, of static size k, addresses the first k dimensions of x. `updates` has the other
    dimensions of `index`, then the other dimensions of x.
  }] # ScatterKinds # PaddleScatterGradient;
  let constraints = [
    "C1. index has rank 1 or more, and its last dim is static",
    "C2. the last dim of index is at most the rank of x",
    "C3. updates has the dimensions of index except the last, then the dimensions of x that index does not address",
    "C5. x and updates have the same element type"
  ];
  let arguments = (ins Pd_Tensor:$x, Pd_IntTensor:$index, Pd_Tensor:$updates,
    Pd_DefaultEnum<Pd_ScatterReduceAttr, "Assign">:$reduce, DefaultValuedAttr<BoolAttr, "false">:$paddle_gradient);
  let vjpInCode = 1;
  let results = (outs Pd_Tensor:$out);
  let evaluates = 1;
  let library = "scatter_nd";
  let libraryHalf = 1;
  let precision = "always full";
  let linear = ["inCode"];
  let batching = "inCode";
  let sharding = "inCode";
}

def Pd_PutAlongAxisOp : Pd_FoldableOp<"put_along_axis", [Pd_BroadcastsOperands]> {
  let onnx = [OnnxWritten<"exportPutAlongAxis">];
  let summary = "x with out[i, indices[i, j, k], k] = values[i, j, k] for axis 1";
  let description = ScatterKinds # "`values` is broadcast to the shape of `indices`.";
  let constraints = [
    "C1. axis is in [-rank, rank) of x",
    "C2. x and indices have the same rank",
    "C3. the dims of indices, except along axis, are at most the dims of x, unless x has dim 1",
    "C5. x and values have the same element type",
    "C6. values, without leading dimensions of size 1, broadcasts to the dimensions of indices"
  ];
  let arguments = (ins Pd_Tensor:$x, Pd_IntTensor:$indices, Pd_Tensor:$values, I64Attr:$axis,
    Pd_DefaultEnum<Pd_ScatterReduceAttr, "Assign">:$reduce);
  let vjpInCode = 1;
  let newIr = [NewIr<["x", "indices", "values"], [], [], ["include_self=true"]>];
  let results = (outs Pd_Tensor:$out);
  let evaluates = 1;
  let library = "put_along_axis";
  let libraryHalf = 1;
  let precision = "always full";
  let legacy = [Legacy<"put_along_axis", ["Input", "Index", "Value"], ["Result"], ["axis=Axis", "reduce=Reduce"],
    [], "importPutAlongAxis", constants_=["Include_self=true"]>];
  let newIrGradients = [
    "put_along_axis_grad(x, indices, values, out)",
    "put_along_axis_double_grad(x, indices, values, ddvalues, ddx) -> dout"
  ];
  let linear = ["inCode"];
  let batching = "inCode";
  let sharding = "inCode";
}

def Pd_SetValueOp : Pd_Op<"set_value", [AttrSizedOperandSegments, Pd_BroadcastsOperands]> {
  let onnx = [OnnxWritten<"exportSetValueToOnnx">];
  let lod = "none";
  let summary = "x with the elements of a slice replaced by `values`";
  let description = [{
    axes, starts, ends and steps are as in pd.slice; `values` is broadcast to the shape of that slice.
  }];
  let constraints = [
    "C1. the axes are in [-rank, rank) of x, without repetitions",
    "C2. starts, ends and, if given, steps have one entry for each axis",
    "C3. no step is 0",
    "C4. x and values have the same element type",
    "C5. values, without leading dimensions of size 1, broadcasts to the dimensions of the slice"
  ];
  let arguments = (ins Pd_Tensor:$x, Pd_Tensor:$values, Optional<Pd_IntTensor>:$starts_tensor,
    Optional<Pd_IntTensor>:$ends_tensor, Optional<Pd_IntTensor>:$steps_tensor, DenseI64ArrayAttr:$axes,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$starts, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$ends,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$steps);
  let vjpInCode = 1;
  let results = (outs Pd_Tensor:$out);
  let evaluates = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
  let element = 1;
  let library = "set_value";
  let libraryHalf = 1;
  let precision = "follow";
  let legacy = [Legacy<"set_value", ["Input", "ValueTensor", "StartsTensorList*", "EndsTensorList*",
    "StepsTensorList*"], ["Out"], ["axes:long", "starts:long", "ends:long", "steps:long"], ["decrease_axes=hook",
    "none_axes=hook", "dtype=any", "shape=hook", "values=hook", "bool_values=hook", "fp32_values=hook",
      "int32_values=hook",
      "int64_values=hook",
     "fp64_values=hook", "fp16_values=hook"], "importSetValue", exportHook_="exportSetValue">];
  let newIr = [NewIr<["x", "starts_tensor", "ends_tensor", "steps_tensor"]>,
               NewIr<["x", "values", "starts_tensor", "ends_tensor", "steps_tensor"], [], [], [],
                 "set_value_with_tensor">];
  let newIrGradients = ["set_value_grad(dout)", "set_value_with_tensor_grad(values)"];
  let linear = ["x, values"];
  let batching = "inCode";
  let sharding = "inCode";
}

def Pd_ScatterOp : Pd_Op<"scatter"> {
  let summary = "x with row index[i] replaced by row i of updates";
  let description = [{
    `index` is a vector (or a matrix with one column), or one row index with a single row in `updates`. Without
    `overwrite` the addressed rows are first set to zero, then all updates are added; with it the last update of a row
    is kept.
  }] # PaddleScatterGradient;
  let arguments = (ins Pd_Tensor:$x, Pd_IntTensor:$index, Pd_Tensor:$updates,
    DefaultValuedAttr<BoolAttr, "true">:$overwrite, DefaultValuedAttr<BoolAttr, "false">:$paddle_gradient);
  let results = (outs Pd_Tensor:$out);
  let infer = "inferSameAsFirst";
  let decomposesInCode = 1;
  let precision = "always full";
  let legacy = [Legacy<"scatter", ["X", "Ids", "Updates"], ["Out"], ["overwrite"]>];
  let newIrGradients = ["scatter_grad(index, updates)"];
}

def Pd_ScatterNdAddOp : Pd_Op<"scatter_nd_add"> {
  let summary = "x with `updates` added at the index tuples in the rows of `index`";
  let arguments = (ins Pd_Tensor:$x, Pd_IntTensor:$index, Pd_Tensor:$updates);
  let results = (outs Pd_Tensor:$out);
  let infer = "inferSameAsFirst";
  let decomposesInCode = 1;
  let legacy = [Legacy<"scatter_nd_add", ["X", "Index", "Updates"], ["Out"]>];
  let newIrGradients = ["scatter_nd_add_grad(index, updates)"];
}

def Pd_IndexAddOp : Pd_Op<"index_add"> {
  let sharding = "inCode";
  let summary = "x with slice i of add_value along `axis` added to slice index[i]";
  let arguments = (ins Pd_Tensor:$x, Pd_IntTensor:$index, Pd_Tensor:$add_value, DefaultValuedAttr<I64Attr, "0">:$axis);
  let results = (outs Pd_Tensor:$out);
  let infer = "inferSameAsFirst";
  let decomposesInCode = 1;
  let legacy = [Legacy<"index_add", ["X", "Index", "AddValue"], ["Out"], ["axis"]>];
  let newIrGradients = ["index_add_grad(index, add_value)", "index_add_double_grad(index, dout) -> dout"];
}

def Pd_IndexPutOp : Pd_Op<"index_put"> {
  let summary = "x with `value` written at, or added to, the elements addressed by the index tensors";
  let description = [{
    The integer index tensors are broadcast together. With n of them, `value` is broadcast to their shape followed by
    the dimensions of x from the n-th on. Without `accumulate` the last value of an element is kept.
  }] # PaddleScatterGradient;
  let arguments = (ins Pd_Tensor:$x, Variadic<Pd_IntTensor>:$indices, Pd_Tensor:$value,
    DefaultValuedAttr<BoolAttr, "false">:$accumulate, DefaultValuedAttr<BoolAttr, "false">:$paddle_gradient);
  let results = (outs Pd_Tensor:$out);
  let infer = "inferSameAsFirst";
  let decomposesInCode = 1;
  let legacy = [Legacy<"index_put", ["x", "indices*", "value"], ["out"], ["accumulate"], [], "importIndexPut">];
  let newIrGradients = ["index_put_double_grad(x, indices, value) -> dout"];
}

#endif
