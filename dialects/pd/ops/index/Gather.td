// Elements selected by index tensors. A negative index counts from the end of its dimension.
#ifndef PROA_DIALECTS_PD_INDEX_GATHER
#define PROA_DIALECTS_PD_INDEX_GATHER

include "dialects/pd/ir/Base.td"
include "dialects/pd/autodiff/Broadcasting.td"

def : OnnxFormula<"GatherElements", "importGatherElements", strings_="moved">;
def : OnnxFormula<"GatherND", "importGatherNd", strings_="moved">;
def : OnnxFormula<"GatherND", "importGatherNd", 1, 0, "com.microsoft">;
def : OnnxFormula<"Compress", "importCompress", strings_="moved">;
def : OnnxFormula<"ReverseSequence", "importReverseSequence">;

def Pd_GatherOp : Pd_Op<"gather"> {
  let onnx = [OnnxWritten<"exportGather">, 
              OnnxReadOnly<"Gather", ["data", "indices", ""], ["output"], ["axis"], strings_="moved">];
  let summary = "Slices of x along `axis` at the indices in `index`";
  let description = [{
    The result has the dimensions of x, with `axis` replaced by the dimensions of `index`. `axis_tensor` must be
    constant and overrides the attribute.
  }];
  let constraints = ["C1. axis is in [-rank, rank) of x", "C2. axis_tensor is constant"];
  let arguments = (ins Pd_Tensor:$x, Pd_IntTensor:$index, Optional<Pd_IntTensor>:$axis_tensor,
    DefaultValuedAttr<I64Attr, "0">:$axis);
  let vjpInCode = 1;
  let results = (outs Pd_Tensor:$out);
  let evaluates = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
  let element = 1;
  let library = "gather";
  let libraryHalf = 1;
  let precision = "follow";
  let legacy = [Legacy<"gather", ["X", "Index", "Axis|@axis"], ["Out"], ["axis"], ["overwrite=any"], "importGather">];
  let newIrGradients = ["gather_double_grad(index) -> dout"];
  let linear = ["x"];
  let batching = "inCode";
  let sharding = "inCode";
}

def Pd_GatherNdOp : Pd_FoldableOp<"gather_nd"> {
  let onnx = [OnnxWritten<"exportGatherNd">];
  let summary = "Slices of x at the index tuples in the rows of `index`";
  let description = [{
    The last dimension of `index`, of static size k, addresses the first k dimensions of x. The result has the other
    dimensions of `index`, then the other dimensions of x.
  }];
  let constraints = [
    "C1. index has rank 1 or more, and its last dim is static",
    "C2. the last dim of index is at most the rank of x"
  ];
  let arguments = (ins Pd_Tensor:$x, Pd_IntTensor:$index);
  let vjpInCode = 1;
  let results = (outs Pd_Tensor:$out);
  let evaluates = 1;
  let element = 1;
  let library = "gather_nd";
  let libraryHalf = 1;
  let legacy = [Legacy<"gather_nd", ["X", "Index"], ["Out"]>];
  let newIrGradients = ["gather_nd_double_grad(dout, index) -> dout"];
  let linear = ["x"];
  let batching = "inCode";
  let sharding = "inCode";
}

def Pd_IndexSelectOp : Pd_Op<"index_select"> {
  let summary = "Slices of x along `axis` at the indices in the vector `index`";
  let constraints = [
    "C1. axis is in [-rank, rank) of x",
    "C2. index is a vector"
  ];
  let arguments = (ins Pd_Tensor:$x, Pd_IntTensor:$index, DefaultValuedAttr<I64Attr, "0">:$axis);
  let results = (outs Pd_Tensor:$out);
  let decomposesInCode = 1;
  let legacy = [Legacy<"index_select", ["X", "Index"], ["Out"], ["axis=dim"]>];
  let newIrGradients = ["index_select_double_grad(index) -> dout"];
}

def Pd_TakeAlongAxisOp : Pd_FoldableOp<"take_along_axis", [Pd_BroadcastsOperands]> {
  let onnx = [OnnxWritten<"exportTakeAlongAxis">];
  let lod = "none";
  let summary = "out[i, j, k] = x[i, indices[i, j, k], k] for axis 1";
  let description = "A dimension of size 1, other than `axis`, of either operand is broadcast.";
  let constraints = [
    "C1. axis is in [-rank, rank) of x",
    "C2. x and indices have the same rank",
    "C3. the dims of indices, except along axis, are at most the dims of x, unless x has dim 1"
  ];
  let arguments = (ins Pd_Tensor:$x, Pd_IntTensor:$indices, I64Attr:$axis);
  let vjpInCode = 1;
  let results = (outs Pd_Tensor:$out);
  let evaluates = 1;
  let element = 1;
  let library = "take_along_axis";
  let libraryHalf = 1;
  let legacy = [Legacy<"take_along_axis", ["Input", "Index"], ["Result"], ["axis=Axis"]>];
  let newIrGradients = ["take_along_axis_double_grad(indices) -> dout"];
  let linear = ["x"];
  let batching = "inCode";
  let sharding = "inCode";
}

def Pd_IndexSampleOp : Pd_Op<"index_sample"> {
  let summary = "out[i, j] = x[i, index[i, j]]";
  let constraints = ["C1. x and index are matrices"];
  let arguments = (ins Pd_Tensor:$x, Pd_IntTensor:$index);
  let results = (outs Pd_Tensor:$out);
  let decomposesInCode = 1;
  let legacy = [Legacy<"index_sample", ["X", "Index"], ["Out"]>];
}

def Pd_MultiplexOp : Pd_Op<"multiplex"> {
  let lod = "none";
  let summary = "Row i of the result is row i of tensor index[i]";
  let constraints = [
    "C1. inputs has at least one tensor",
    "C2. all tensors of inputs have the same element type",
    "C3. the tensors of inputs broadcast"
  ];
  let arguments = (ins Pd_IntTensor:$index, Variadic<Pd_Tensor>:$inputs);
  let results = (outs Pd_Tensor:$out);
  let decomposesInCode = 1;
  let newIr = [NewIr<["inputs", "index"]>];
  let legacy = [Legacy<"multiplex", ["Ids", "X*"], ["Out"]>];
}

// The rows of sparse tensors (SELECTED_ROWS), and the split and merge of sequences by a mask.
def : LegacyFormula<"merge_selected_rows", ["X"], ["Out"], [], [], "importMergeSelectedRows">;
def : LegacyFormula<"get_tensor_from_selected_rows", ["X"], ["Out"], [], [], "importTensorOfSelectedRows">;
def : LegacyFormula<"split_lod_tensor", ["X", "Mask"], ["OutTrue", "OutFalse"], ["level"], [], "importSplitLodTensor">;
class LegacyMergeLodTensor<string type> : LegacyFormula<type, ["X", "Mask", "InTrue", "InFalse"], ["Out"],
  ["level"], [], "importMergeLodTensor">;
def : LegacyMergeLodTensor<"merge_lod_tensor">;
def : LegacyMergeLodTensor<"merge_lod_tensor_infer">;

#endif
