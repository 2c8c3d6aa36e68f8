// Sorting, searching and selection.
#ifndef PROA_DIALECTS_PD_SEARCH_SEARCH
#define PROA_DIALECTS_PD_SEARCH_SEARCH

include "dialects/pd/ir/Base.td"
include "dialects/pd/ir/ThreadInterface.td"

// Models and features of ai.onnx.ml.
def : OnnxFormula<"LinearClassifier", "importLinearClassifier", 1, 0, "ai.onnx.ml">;
def : OnnxFormula<"LinearRegressor", "importLinearRegressor", 1, 0, "ai.onnx.ml">;
def : OnnxFormula<"SVMClassifier", "importSVMClassifier", 1, 0, "ai.onnx.ml">;
def : OnnxFormula<"SVMRegressor", "importSVMRegressor", 1, 0, "ai.onnx.ml">;
def : OnnxFormula<"Scaler", "importScaler", 1, 0, "ai.onnx.ml">;
def : OnnxFormula<"Normalizer", "importNormalizer", 1, 0, "ai.onnx.ml">;
def : OnnxFormula<"Binarizer", "importBinarizer", 1, 0, "ai.onnx.ml">;
def : OnnxFormula<"ArrayFeatureExtractor", "importArrayFeatureExtractor", 1, 0, "ai.onnx.ml", strings_="moved">;
def : OnnxFormula<"FeatureVectorizer", "importFeatureVectorizer", 1, 0, "ai.onnx.ml">;
def : OnnxFormula<"Imputer", "importImputer", 1, 0, "ai.onnx.ml">;
def : OnnxFormula<"OneHotEncoder", "importOneHotEncoder", 1, 0, "ai.onnx.ml", strings_="inHook">;
def : OnnxFormula<"LabelEncoder", "importLabelEncoder", 1, 0, "ai.onnx.ml", strings_="inHook">;
def : OnnxFormula<"CategoryMapper", "importCategoryMapper", 1, 0, "ai.onnx.ml", strings_="inHook">;
def : OnnxFormula<"ZipMap", "importZipMap", 1, 0, "ai.onnx.ml">;

class IntDefault<string value> : DefaultValuedAttr<I64Attr, value>;
class BoolDefault<string value> : DefaultValuedAttr<BoolAttr, value>;

class Pd_ArgOp<string mnemonic, string legacyType, string text>
    : Pd_Op<mnemonic, [DeclareOpInterfaceMethods<ArgExtremeOpInterface>]> {
  let lod = "none";
  let summary = text;
  let description = [{
    With `flatten` x counts as a vector, and the result has rank 0 (with `keepdims`, the rank of x). `axis_tensor`
    must be constant and overrides the attribute. `dtype` is int64 by default. NaN is never found; the index is 0 if no
    element is above the lowest finite number (for argmin, below the largest one), as in Paddle.
  }];
  let constraints = [
    "C1. axis is in [-rank, rank) of x, where rank 0 counts as 1; flatten ignores it",
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
  let batching = "inCode";
  let sharding = "inCode";
}

def : OnnxFormula<"ArgMax", "importArgExtreme">;
def : OnnxFormula<"ArgMin", "importArgExtreme">;

def Pd_ArgmaxOp : Pd_ArgOp<"argmax", "arg_max", "Index of the first largest element along an axis"> {
  let onnx = [OnnxWritten<"exportArgmax">];
}
def Pd_ArgminOp : Pd_ArgOp<"argmin", "arg_min", "Index of the first smallest element along an axis"> {
  let onnx = [OnnxWritten<"exportArgmin">];
}

defvar ByThreadsWithScratch = DeclareOpInterfaceMethods<ThreadOpInterface, ["buildScratchBytes"]>;

def Pd_ArgsortOp : Pd_Op<"argsort", [ByThreadsWithScratch]> {
  let onnx = [OnnxWritten<"exportArgsortToOnnx">];
  let lod = "all";
  let summary = "The elements along an axis in order, and their original indices";
  let description = [{
    With `stable` equal elements keep their order; else std::sort orders them, as in Paddle (on a GPU equal
    elements always keep their order).
  }];
  let constraints = [
    "C1. axis is in [-rank, rank) of x, where rank 0 counts as 1",
    "C2. out has the type of x; indices has its dimensions and element type i64"
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
  let batching = "batchAlongAxis";
  let sharding = "inCode";
}

def : OnnxFormula<"TopK", "importTopK">;

def Pd_TopkOp : Pd_Op<"topk", [ByThreadsWithScratch]> {
  let onnx = [OnnxWritten<"exportTopk">];
  let lod = "all";
  let summary = "The k largest (or smallest) elements along an axis in order, and their indices";
  let description = [{
    `k_tensor` overrides the attribute. With `stable` the results are sorted and equal elements keep their order, as in
    ONNX. Without it and without `sorted` the elements are in the order of std::nth_element, and equal ones as the
    algorithms of Paddle's kernel order them (`SortOrder::Select`); on a GPU they keep their order, and all results are
    sorted.
  }];
  let constraints = [
    "C1. axis is in [-rank, rank) of x, where rank 0 counts as 1",
    "C2. a constant k is at least 1 and at most the dim of x along axis"
  ];
  let arguments = (ins Pd_RealTensor:$x, Optional<Pd_IntTensor>:$k_tensor, IntDefault<"1">:$k, IntDefault<"-1">:$axis,
    BoolDefault<"true">:$largest, BoolDefault<"true">:$sorted, BoolDefault<"false">:$stable);
  let vjpInCode = 1;
  let results = (outs Pd_RealTensor:$out, Pd_IntTensor:$indices);
  let evaluates = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
  let library = "topk";
  let libraryHalf = 1;
  let precision = "follow";
  let legacy = [Legacy<"top_k_v2", ["X", "K|@k"], ["Out", "Indices"], ["k", "axis", "largest", "sorted"],
                  writtenIf_="!op.getStable()">,
                Legacy<"top_k", ["X", "K"], ["Out", "Indices"], ["k"], writtenIf_="!op.getStable()">];
  let newIrGradients = ["topk_grad(x, indices)"];
  let batching = "batchAlongAxis";
  let sharding = "inCode";
}

def Pd_KthvalueOp : Pd_Op<"kthvalue"> {
  let summary = "The k-th smallest element along an axis, counted from 1, and its index";
  let constraints = [
    "C1. axis is in [-rank, rank) of x, where rank 0 counts as 1",
    "C2. k is at least 1 and at most the dim of x along axis"
  ];
  let arguments = (ins Pd_RealTensor:$x, IntDefault<"1">:$k, IntDefault<"-1">:$axis, BoolDefault<"false">:$keepdim);
  let results = (outs Pd_RealTensor:$out, Pd_IntTensor:$indices);
  let decomposesInCode = 1;
  let legacy = [Legacy<"kthvalue", ["X"], ["Out", "Indices"], ["k", "axis", "keepdim"]>];
  let newIrGradients = ["kthvalue_grad(x, indices)"];
}

def Pd_ModeOp : Pd_Op<"mode"> {
  let summary = "Mode: the most frequent element along an axis, and its last index";
  let description = [{
    Of several equally frequent elements, the smallest. A NaN differs from other NaNs, and is larger than all numbers.
  }];
  let constraints = ["C1. axis is in [-rank, rank)"];
  let arguments = (ins Pd_RealTensor:$x, DefaultValuedAttr<I64Attr, "-1">:$axis, DefaultValuedAttr<BoolAttr,
    "false">:$keepdim);
  let results = (outs Pd_RealTensor:$out, Pd_IntTensor:$indices);
  let infer = "inferMode";
  let decomposesInCode = 1;
  let lod = "none";
  let legacy = [Legacy<"mode", ["X"], ["Out", "Indices"], ["axis", "keepdim"]>];
  let newIrGradients = ["mode_grad(x, indices)"];
}

class Pd_AnyMedianOp<string mnemonic, string text> : Pd_Op<mnemonic> {
  let summary = text;
  let description = [{
    Of an even number of elements: the mean of the middle two if `mode` is avg, the lower one if it is min.
  }];
  let constraints = ["C1. the axes are in [-rank, rank) of x; rank 0 takes any axis"];
  let arguments = (ins Pd_FloatTensor:$x, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$axis,
    BoolDefault<"false">:$keepdim, Pd_DefaultEnum<Pd_MedianModeAttr, "Avg">:$mode);
  let newIr = [NewIr<["x"], ["out", ""]>];
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferReduce";
  let decomposesInCode = 1;
}
def Pd_NanmedianOp : Pd_AnyMedianOp<"nanmedian", "The median of the elements other than NaN along axes (empty: all)"> {
  let legacy = [Legacy<"nanmedian", ["X"], ["Out"], ["axis", "keepdim", "mode"], [], "importNanmedian", ["MedianIndex"],
    writtenIf_="op.getMode() == ::proa::pd::MedianMode::Avg">];
  let newIrGradients = ["nanmedian_grad(x, out, result 1)"];
}
def Pd_MedianOp : Pd_AnyMedianOp<"median", "The median of the elements along axes (empty: all); NaN if any is NaN"> {
  let legacy = [LegacyReadOnly<"median", ["x"], ["out"], ["axis", "keepdim", "mode"], ["slot medians"]>];
  let newIrGradients = ["median_grad(x, out, result 1)"];
}

def : OnnxFormula<"NonZero", "importNonZero">;

def Pd_NonzeroOp : Pd_Op<"nonzero"> {
  let onnx = [OnnxWritten<"exportNonzero">];
  let sharding = "whole: the dims of its results depend on data";
  let lod = "none";
  let summary = "The indices of all nonzero elements, one per row, in row-major order";
  let constraints = ["C1. out has rank 2, and as many columns as condition has dimensions"];
  let arguments = (ins Pd_Tensor:$condition);
  let results = (outs Pd_IntTensor:$out);
  let library = "nonzero";
  let libraryHalf = 1;
  let legacy = [Legacy<"where_index", ["Condition"], ["Out"]>];
  let referenceInCode = 1;
  let batching = "refused";
}

def Pd_MaskedSelectOp : Pd_Op<"masked_select"> {
  let summary = "The elements of x where the mask is true, as a vector; both are broadcast together";
  let constraints = ["C1. x and mask broadcast"];
  let arguments = (ins Pd_Tensor:$x, Pd_BoolTensor:$mask);
  let results = (outs Pd_Tensor:$out);
  let decomposesInCode = 1;
  let legacy = [Legacy<"masked_select", ["X", "Mask"], ["Y"]>];
  let newIrGradients = ["masked_select_double_grad(mask) -> dout"];
}

def Pd_SearchsortedOp : Pd_Op<"searchsorted"> {
  let lod = "none";
  let summary = "For each value the number of smaller elements of the sorted sequence";
  let description = [{
    With `right` equal elements count too. All elements are before infinities and NaN, as in Paddle. The sequence is a
    vector, or has all dimensions of `values` except the last one.
  }];
  let constraints = ["C1. sorted_sequence has rank 1, or the rank of values"];
  let arguments = (ins Pd_RealTensor:$sorted_sequence, Pd_RealTensor:$values, BoolDefault<"false">:$out_int32,
    BoolDefault<"false">:$right);
  let results = (outs Pd_IntTensor:$out);
  let library = "searchsorted";
  let libraryHalf = 1;
  let decomposesInCode = 1;
  let legacy = [Legacy<"searchsorted", ["SortedSequence", "Values"], ["Out"], ["out_int32", "right"]>];
}

def : OnnxFormula<"OneHot", "importOneHot">;

def Pd_OneHotOp : Pd_Op<"one_hot"> {
  let summary = "One-hot encoding: a new last dimension that is 1 at index x, else 0";
  let description = "`num_classes` is the size of the new dimension; `num_classes_tensor` overrides it.";
  let constraints = ["C1. a static number of classes is positive"];
  let arguments = (ins Pd_IntTensor:$x, Optional<Pd_IntTensor>:$num_classes_tensor, IntDefault<"-1">:$num_classes,
    OptionalAttr<TypeAttr>:$dtype);
  let results = (outs Pd_Tensor:$out);
  let decomposesInCode = 1;
  let hasCanonicalizeMethod = 1;
  let legacy = [Legacy<"one_hot_v2", ["X", "depth_tensor"], ["Out"], ["num_classes=depth", "dtype"],
    ["allow_out_of_range=any"]>];
}

def Pd_ShardIndexOp : Pd_Op<"shard_index"> {
  let summary = "Indices of one shard relative to its start; others become ignore_value";
  let arguments = (ins Pd_IntTensor:$x, I64Attr:$index_num, I64Attr:$nshards, I64Attr:$shard_id,
    IntDefault<"-1">:$ignore_value);
  let results = (outs Pd_IntTensor:$out);
  let infer = "inferSameAsFirst";
  let decomposesInCode = 1;
  let legacy = [Legacy<"shard_index", ["X"], ["Out"], ["index_num", "nshards", "shard_id", "ignore_value"]>];
}

#endif
