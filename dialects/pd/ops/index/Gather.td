// Elements picked by index tensors. An index below 0 counts from the end of its dimension.
#ifndef PROA_DIALECTS_PD_INDEX_GATHER
#define PROA_DIALECTS_PD_INDEX_GATHER

include "dialects/pd/ir/Base.td"
include "dialects/pd/autodiff/Broadcasting.td"

def Pd_GatherOp : Pd_Op<"gather"> {
  let summary = "Slices of x along `axis` at the positions in `index`";
  let description = [{
    The result has x's dimensions, with those of `index` in the place of `axis`. `axis_tensor` must be constant and wins
    over the attribute.
  }];
  let constraints = ["C1. axis is in [-rank, rank) of x", "C2. axis_tensor is constant"];
  let arguments = (ins Pd_Tensor:$x, Pd_IntTensor:$index, Optional<Pd_IntTensor>:$axis_tensor,
    DefaultValuedAttr<I64Attr, "0">:$axis);
  let vjpInCode = 1;
  let results = (outs Pd_Tensor:$out);
  let evaluates = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
  let library = "gather";
  let libraryHalf = 1;
  let precision = "follow";
  let legacy = [Legacy<"gather", ["X", "Index", "Axis|@axis"], ["Out"], ["axis"], ["overwrite"], "importGather">];
  let newIrGradients = ["gather_double_grad(index) -> dout"];
}

def Pd_GatherNdOp : Pd_FoldableOp<"gather_nd"> {
  let summary = "Slices of x at the positions that the rows of `index` hold";
  let description = [{
    The last dimension of `index`, of known extent k, addresses the first k dimensions of x; the result has the other
    dimensions of `index`, then the other dimensions of x.
  }];
  let constraints = [
    "C1. index has rank 1 or more, and its last extent is known",
    "C2. that extent is at most the rank of x"
  ];
  let arguments = (ins Pd_Tensor:$x, Pd_IntTensor:$index);
  let vjpInCode = 1;
  let results = (outs Pd_Tensor:$out);
  let evaluates = 1;
  let library = "gather_nd";
  let libraryHalf = 1;
  let legacy = [Legacy<"gather_nd", ["X", "Index"], ["Out"]>];
  let newIrGradients = ["gather_nd_double_grad(dout, index) -> dout"];
}

def Pd_IndexSelectOp : Pd_Op<"index_select"> {
  let summary = "Slices of x along `axis` at the positions in the vector `index`";
  let arguments = (ins Pd_Tensor:$x, Pd_IntTensor:$index, DefaultValuedAttr<I64Attr, "0">:$axis);
  let results = (outs Pd_Tensor:$out);
  let decomposesInCode = 1;
  let legacy = [Legacy<"index_select", ["X", "Index"], ["Out"], ["axis=dim"]>];
  let newIrGradients = ["index_select_double_grad(index) -> dout"];
}

def Pd_TakeAlongAxisOp : Pd_FoldableOp<"take_along_axis", [Pd_BroadcastsOperands]> {
  let lod = "none";
  let summary = "out[i, j, k] = x[i, indices[i, j, k], k] for axis 1";
  let description = "A dimension of extent 1 of one operand, other than `axis`, is broadcast.";
  let constraints = [
    "C1. axis is in [-rank, rank) of x",
    "C2. x and indices have one rank",
    "C3. the extents of indices other than that along axis are at most those of x, unless those are 1"
  ];
  let arguments = (ins Pd_Tensor:$x, Pd_IntTensor:$indices, I64Attr:$axis);
  let vjpInCode = 1;
  let results = (outs Pd_Tensor:$out);
  let evaluates = 1;
  let library = "take_along_axis";
  let libraryHalf = 1;
  let legacy = [Legacy<"take_along_axis", ["Input", "Index"], ["Result"], ["axis=Axis"]>];
  let newIrGradients = ["take_along_axis_double_grad(indices) -> dout"];
}

def Pd_IndexSampleOp : Pd_Op<"index_sample"> {
  let summary = "out[i, j] = x[i, index[i, j]]";
  let arguments = (ins Pd_Tensor:$x, Pd_IntTensor:$index);
  let results = (outs Pd_Tensor:$out);
  let decomposesInCode = 1;
  let legacy = [Legacy<"index_sample", ["X", "Index"], ["Out"]>];
}

def Pd_MultiplexOp : Pd_Op<"multiplex"> {
  let lod = "none";
  let summary = "Row i of the result is row i of the tensor number index[i]";
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
