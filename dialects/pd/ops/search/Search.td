// Ops that order, find and count elements.
#ifndef PROA_DIALECTS_PD_SEARCH_SEARCH
#define PROA_DIALECTS_PD_SEARCH_SEARCH

include "dialects/pd/ir/Base.td"

class IntDefault<string value> : DefaultValuedAttr<I64Attr, value>;
class BoolDefault<string value> : DefaultValuedAttr<BoolAttr, value>;

class Pd_ArgOp<string mnemonic, string legacyType, string text> : Pd_Op<mnemonic> {
  let lod = "none";
  let summary = text;
  let description = [{
    With `flatten` x counts as a vector, and the result has rank 0 (with `keepdims`, x's rank). `axis_tensor` must be
    constant and wins over the attribute. `dtype` is int64 where it is not given.
  }];
  let constraints = [
    "C1. axis is in [-rank, rank) of x, a rank of 0 counting as 1; with flatten it means nothing",
    "C2. axis_tensor is constant",
    "C3. out has the element type dtype"
  ];
  let arguments = (ins Pd_RealTensor:$x, Optional<Pd_IntTensor>:$axis_tensor, IntDefault<"-1">:$axis,
    BoolDefault<"false">:$keepdims, BoolDefault<"false">:$flatten, OptionalAttr<TypeAttr>:$dtype);
  let results = (outs Pd_IntTensor:$out);
  let infer = "inferArg";
  let evaluates = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
  let library = mnemonic;
  let libraryHalf = 1;
  let legacy = [Legacy<legacyType, ["X", "@axis"], ["Out"], ["axis", "keepdims", "flatten", "dtype"], [], "importArg",
    exportHook_="exportArg">];
}

def Pd_ArgmaxOp : Pd_ArgOp<"argmax", "arg_max", "Position of the first greatest element along an axis">;
def Pd_ArgminOp : Pd_ArgOp<"argmin", "arg_min", "Position of the first smallest element along an axis">;

def Pd_ArgsortOp : Pd_Op<"argsort"> {
  let lod = "all";
  let summary = "The elements along an axis in order, and where each of them stood";
  let description = "Equal elements keep their order where `stable`; else they stand as std::sort leaves them, as in Paddle.";
  let constraints = [
    "C1. axis is in [-rank, rank) of x, a rank of 0 counting as 1",
    "C2. out has the type of x, indices its dimensions and element type i64"
  ];
  let arguments = (ins Pd_RealTensor:$x, IntDefault<"-1">:$axis, BoolDefault<"false">:$descending,
    BoolDefault<"false">:$stable);
  let vjpInCode = 1;
  let results = (outs Pd_RealTensor:$out, Pd_IntTensor:$indices);
  let evaluates = 1;
  let hasFolder = 1;
  let library = "argsort";
  let libraryHalf = 1;
  let legacy = [Legacy<"argsort", ["X"], ["Out", "Indices"], ["axis", "descending", "stable"]>];
  let newIrGradients = ["argsort_grad(indices, x)"];
}

def Pd_TopkOp : Pd_Op<"topk"> {
  let lod = "all";
  let summary = "The k greatest (or smallest) elements along an axis in order, and where they stood";
  let description = [{
    `k_tensor` wins over the attribute. Without `sorted` the order is that in which std::nth_element leaves the elements. Equal ones stand as the
    algorithms of Paddle's kernel leave them (`SortOrder::Select`).
  }];
  let constraints = [
    "C1. axis is in [-rank, rank) of x, a rank of 0 counting as 1",
    "C2. k, where it is known, is at least 1 and at most the extent of x along axis"
  ];
  let arguments = (ins Pd_RealTensor:$x, Optional<Pd_IntTensor>:$k_tensor, IntDefault<"1">:$k, IntDefault<"-1">:$axis,
    BoolDefault<"true">:$largest, BoolDefault<"true">:$sorted);
  let vjpInCode = 1;
  let results = (outs Pd_RealTensor:$out, Pd_IntTensor:$indices);
  let evaluates = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
  let library = "topk";
  let libraryHalf = 1;
  let precision = "follow";
  let legacy = [Legacy<"top_k_v2", ["X", "K|@k"], ["Out", "Indices"], ["k", "axis", "largest", "sorted"]>,
                Legacy<"top_k", ["X", "K"], ["Out", "Indices"], ["k"]>];
  let newIrGradients = ["topk_grad(x, indices)"];
}

def Pd_KthvalueOp : Pd_Op<"kthvalue"> {
  let summary = "The k-th smallest element along an axis, counted from 1, and where it stood";
  let arguments = (ins Pd_RealTensor:$x, IntDefault<"1">:$k, IntDefault<"-1">:$axis, BoolDefault<"false">:$keepdim);
  let results = (outs Pd_RealTensor:$out, Pd_IntTensor:$indices);
  let decomposesInCode = 1;
  let legacy = [Legacy<"kthvalue", ["X"], ["Out", "Indices"], ["k", "axis", "keepdim"]>];
  let newIrGradients = ["kthvalue_grad(x, indices)"];
}

class Pd_AnyMedianOp<string mnemonic, string text> : Pd_Op<mnemonic> {
  let summary = text;
  let description = "Of an even number of elements the mean of the middle two where `mode` is avg, the lower one where it is min.";
  let arguments = (ins Pd_FloatTensor:$x, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$axis, BoolDefault<"false">:$keepdim,
    DefaultValuedAttr<StrAttr, "\"avg\"">:$mode);
  let newIr = [NewIr<["x"], ["out", ""]>];
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferReduce";
  let decomposesInCode = 1;
}
def Pd_NanmedianOp : Pd_AnyMedianOp<"nanmedian", "The median of the elements that are not NaN along some axes (empty: all)"> {
  let legacy = [Legacy<"nanmedian", ["X"], ["Out"], ["axis", "keepdim", "mode"], scratch_=["MedianIndex"],
    writtenIf_="op.getMode() == \"avg\"">];
  let newIrGradients = ["nanmedian_grad(x, out, result 1)"];
}
def Pd_MedianOp : Pd_AnyMedianOp<"median", "The median of the elements along some axes (empty: all); NaN where one is NaN"> {
  let legacy = [LegacyReadOnly<"median", ["x"], ["out"], ["axis", "keepdim", "mode"], ["medians"]>];
  let newIrGradients = ["median_grad(x, out, result 1)"];
}

def Pd_NonzeroOp : Pd_Op<"nonzero"> {
  let lod = "none";
  let summary = "The indices of all elements that are not zero, one a row, in row-major order";
  let constraints = ["C1. out has rank 2, and as many columns as condition has dimensions"];
  let arguments = (ins Pd_Tensor:$condition);
  let results = (outs Pd_IntTensor:$out);
  let library = "nonzero";
  let libraryHalf = 1;
  let legacy = [Legacy<"where_index", ["Condition"], ["Out"]>];
}

def Pd_MaskedSelectOp : Pd_Op<"masked_select"> {
  let summary = "The elements of x where the mask holds, as a vector; both are broadcast together";
  let arguments = (ins Pd_Tensor:$x, Pd_BoolTensor:$mask);
  let results = (outs Pd_Tensor:$out);
  let decomposesInCode = 1;
  let legacy = [Legacy<"masked_select", ["X", "Mask"], ["Y"]>];
  let newIrGradients = ["masked_select_double_grad(mask) -> dout"];
}

def Pd_SearchsortedOp : Pd_Op<"searchsorted"> {
  let lod = "none";
  let summary = "For each value the number of elements of the sorted sequence before it";
  let description = [{
    Before it stand the smaller elements; with `right` the equal ones too. Before infinities and NaN stand all, as in Paddle.
    The sequence is a vector, or has all dimensions
    of `values` but the last one.
  }];
  let arguments = (ins Pd_RealTensor:$sorted_sequence, Pd_RealTensor:$values, BoolDefault<"false">:$out_int32,
    BoolDefault<"false">:$right);
  let results = (outs Pd_IntTensor:$out);
  let library = "searchsorted";
  let libraryHalf = 1;
  let decomposesInCode = 1;
  let legacy = [Legacy<"searchsorted", ["SortedSequence", "Values"], ["Out"], ["out_int32", "right"]>];
}

def Pd_OneHotOp : Pd_Op<"one_hot"> {
  let summary = "A last dimension added that holds 1 at the place that x says, else 0";
  let description = "`num_classes` is the extent of that dimension; `num_classes_tensor` wins over it.";
  let arguments = (ins Pd_IntTensor:$x, Optional<Pd_IntTensor>:$num_classes_tensor, IntDefault<"-1">:$num_classes,
    OptionalAttr<TypeAttr>:$dtype);
  let results = (outs Pd_Tensor:$out);
  let decomposesInCode = 1;
  let hasCanonicalizeMethod = 1;
  let legacy = [Legacy<"one_hot_v2", ["X", "depth_tensor"], ["Out"], ["num_classes=depth", "dtype"], ["allow_out_of_range"]>];
}

def Pd_ShardIndexOp : Pd_Op<"shard_index"> {
  let summary = "Indices of one shard counted from its begin; others become ignore_value";
  let arguments = (ins Pd_IntTensor:$x, I64Attr:$index_num, I64Attr:$nshards, I64Attr:$shard_id, IntDefault<"-1">:$ignore_value);
  let results = (outs Pd_IntTensor:$out);
  let infer = "inferSameAsFirst";
  let decomposesInCode = 1;
  let legacy = [Legacy<"shard_index", ["X"], ["Out"], ["index_num", "nshards", "shard_id", "ignore_value"]>];
}

#endif
