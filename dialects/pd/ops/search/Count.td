// Distinct elements and their counts.
#ifndef PROA_DIALECTS_PD_SEARCH_COUNT
#define PROA_DIALECTS_PD_SEARCH_COUNT

include "dialects/pd/ir/Base.td"

def Pd_BincountOp : Pd_Op<"bincount"> {
  let onnx = [OnnxWritten<"exportBincount">];
  let sharding = "whole: the dims of its results depend on data";
  let summary = "The number of occurrences of each integer in x, or the sum of their weights";
  let description = "The result has max(x) + 1 elements, at least minlength.";
  let constraints = [
    "C1. x has rank 1",
    "C2. weights has the dimensions of x",
    "C3. minlength is not negative"
  ];
  let arguments = (ins Pd_IntTensor:$x, Optional<Pd_RealTensor>:$weights, DefaultValuedAttr<I64Attr, "0">:$minlength);
  let newIr = [NewIr<["x", "weights", "#minlength"]>];
  let results = (outs Pd_RealTensor:$out);
  let library = "bincount";
  let libraryHalf = 1;
  let precision = "always full"; // float16 weights have float64 sums
  let legacy = [Legacy<"bincount", ["X", "Weights"], ["Out"], ["minlength"]>];
  let referenceInCode = 1;
  let differentiable = 0;
  let batching = "refused";
}

def Pd_HistogramOp : Pd_Op<"histogram"> {
  let summary = "Histogram: the number of elements in each of `bins` equal intervals from min to max";
  let description = [{
    If min and max are equal, they are the smallest and the largest element. Elements outside are not counted; max
    belongs to the last interval. With `weight` an element counts as its weight. With `density` the numbers are divided
    by their sum and by the length of an interval. The result is i64, or f32 with `weight` or `density`.
  }];
  let constraints = ["C1. bins is positive", "C2. weight has the dimensions of input"];
  let arguments = (ins Pd_RealTensor:$input, Optional<Pd_RealTensor>:$weight, DefaultValuedAttr<I64Attr, "100">:$bins,
    DefaultValuedAttr<F64Attr, "0.0">:$min, DefaultValuedAttr<F64Attr, "0.0">:$max,
    DefaultValuedAttr<BoolAttr, "false">:$density);
  let results = (outs Pd_RealTensor:$out);
  let decomposesInCode = 1;
  let legacy = [Legacy<"histogram", ["X", ""], ["Out"], ["bins", "min", "max"], exportHook_="exportHistogram",
    writtenIf_="op.getMin().isInteger() && op.getMax().isInteger() && !op.getWeight() && !op.getDensity()">];
}

def : OnnxFormula<"Unique", "importUnique">;
def : OnnxFormula<"TfIdfVectorizer", "importTfIdfVectorizer", strings_="inHook">;
def : OnnxFormula<"StringConcat", "importStringConcat", strings_="inHook">;
def : OnnxFormula<"StringNormalizer", "importStringNormalizer", strings_="inHook">;
def : OnnxFormula<"StringSplit", "importStringSplit", strings_="inHook">;

def Pd_UniqueOp : Pd_Op<"unique"> {
  let onnx = [OnnxWritten<"exportUnique">];
  let sharding = "whole: the dims of its results depend on data";
  let lod = "none";
  let summary = "The distinct elements (or, along `axis`, slices) of x in ascending order";
  let description = [{
    `indices`: the first index of each distinct element; `inverse`: for each element of x its index in `out`;
    `counts`: the number of occurrences. `axis` is empty (x as a vector) or one dimension. `dtype` is the type of the
    three results, int64 by default.
  }];
  let constraints = ["C1. axis has at most one entry, in [-rank, rank) of x", "C2. out has the element type of x"];
  let arguments = (ins Pd_RealTensor:$x, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$axis,
    OptionalAttr<TypeAttr>:$dtype);
  let newIr = [NewIr<["x"], [], [], ["return_index=any", "return_inverse=any", "return_counts=any",
    "is_sorted=true"]>];
  let results = (outs Pd_RealTensor:$out, Pd_IntTensor:$indices, Pd_IntTensor:$inverse, Pd_IntTensor:$counts);
  let library = "unique";
  let libraryHalf = 1;
  let legacy = [Legacy<"unique", ["X"], ["Out", "Indices", "Index", "Counts"], ["axis", "dtype"], [],
    "importUnique", constants_=["return_index=true", "return_inverse=true", "return_counts=true", "is_sorted=true"]>];
  let referenceInCode = 1;
  let differentiable = 0;
  let batching = "refused";
}

def Pd_UniqueConsecutiveOp : Pd_Op<"unique_consecutive"> {
  let onnx = [OnnxWritten<"exportUniqueConsecutive">];
  let sharding = "whole: the dims of its results depend on data";
  let lod = "none";
  let summary = "x without elements (or slices) that equal the previous one";
  let description = "`inverse`: for each element of x its index in `out`; `counts`: the length of each run.";
  let constraints = ["C1. axis has at most one entry, in [-rank, rank) of x", "C2. out has the element type of x"];
  let arguments = (ins Pd_RealTensor:$x, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$axis,
    OptionalAttr<TypeAttr>:$dtype);
  let newIr = [NewIr<["x"], [], [], ["return_inverse=any", "return_counts=any"]>];
  let results = (outs Pd_RealTensor:$out, Pd_IntTensor:$inverse, Pd_IntTensor:$counts);
  let library = "unique_consecutive";
  let libraryHalf = 1;
  let legacy = [Legacy<"unique_consecutive", ["X"], ["Out", "Index", "Counts"], ["axis", "dtype"],
    ["return_inverse=any", "return_counts=any"], constants_=["return_inverse=true", "return_counts=true"]>];
  let referenceInCode = 1;
  let differentiable = 0;
  let batching = "refused";
}

def Pd_UniqueWithCountsOp : Pd_Op<"unique_with_counts"> {
  let onnx = [OnnxWritten<"exportUniqueWithCounts">];
  let sharding = "whole: the dims of its results depend on data";
  let lod = "none";
  let summary = "The distinct elements of a vector in the order of their first appearance";
  let description = "`inverse` and `counts` are as in pd.unique.";
  let constraints = ["C1. out is a vector with the element type of x", "C2. inverse has one element for each of x"];
  let arguments = (ins Pd_RealTensor:$x, OptionalAttr<TypeAttr>:$dtype);
  let results = (outs Pd_RealTensor:$out, Pd_IntTensor:$inverse, Pd_IntTensor:$counts);
  let library = "unique_with_counts";
  let libraryHalf = 1;
  let legacy = [Legacy<"unique_with_counts", ["X"], ["Out", "Index", "Count"], ["dtype"]>];
  let referenceInCode = 1;
  let differentiable = 0;
  let batching = "refused";
}

#endif
