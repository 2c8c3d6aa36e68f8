// Cumulative sums, products and extrema along an axis.
#ifndef PROA_DIALECTS_PD_REDUCE_SCAN
#define PROA_DIALECTS_PD_REDUCE_SCAN

include "dialects/pd/ir/Base.td"
include "dialects/pd/ir/ThreadInterface.td"

class BoolDefault<string value> : DefaultValuedAttr<BoolAttr, value>;

defvar scanDescription = [{
  Element i of the result combines the elements up to the i-th; with `exclusive` without the i-th; with `reverse` the
  elements from the i-th on. With `flatten` x counts as a vector, which the result is.
}];

defvar ByThreads = DeclareOpInterfaceMethods<ThreadOpInterface>;

class Pd_ScanOp<string mnemonic, TypeConstraint type, string text> : Pd_Op<mnemonic, [ByThreads]> {
  let summary = text;
  let description = scanDescription;
  let constraints = [
    "C1. axis is in [-rank, rank) of x, where rank 0 counts as 1; flatten ignores it",
    "C2. out has the type of x; with flatten it is a vector"
  ];
  let results = (outs type:$out);
  let evaluates = 1;
  let hasFolder = 1;
  let vjpInCode = 1;
  let library = mnemonic;
  let libraryHalf = 1;
}

def Pd_CumsumOp : Pd_ScanOp<"cumsum", Pd_NumberTensor, "Cumulative sum along an axis"> {
  let onnx = [OnnxWritten<"exportCumsum">,
              OnnxReadOnly<"CumSum", ["x", "axis"], ["y"], ["exclusive", "reverse"]>];
  let constraints = [
    "C1. axis is in [-rank, rank) of x, where rank 0 counts as 1; flatten ignores it",
    "C2. out has the type of x; with flatten it is a vector",
    "C3. axis_tensor is constant"
  ];
  let arguments = (ins Pd_NumberTensor:$x, Optional<Pd_IntTensor>:$axis_tensor, DefaultValuedAttr<I64Attr, "-1">:$axis,
    BoolDefault<"false">:$flatten, BoolDefault<"false">:$exclusive, BoolDefault<"false">:$reverse);
  let hasCanonicalizeMethod = 1;
  let precision = "full";
  let legacy = [Legacy<"cumsum", ["X", "@axis"], ["Out"], ["axis", "flatten", "exclusive", "reverse"]>];
  let linear = ["x"];
  let batching = "inCode";
  let sharding = "inCode";
}

def Pd_CumprodOp : Pd_ScanOp<"cumprod", Pd_NumberTensor, "Cumulative product along an axis"> {
  let onnx = [OnnxWritten<"exportCumprod">,
              OnnxReadOnly<"CumProd", ["x"], ["y"], ["axis", "exclusive", "reverse"]>];
  let arguments = (ins Pd_NumberTensor:$x, DefaultValuedAttr<I64Attr, "-1">:$axis, BoolDefault<"false">:$flatten,
    BoolDefault<"false">:$exclusive, BoolDefault<"false">:$reverse);
  let precision = "full";
  let newIr = [NewIr<["x"], [], ["axis=dim"]>];
  let legacy = [Legacy<"cumprod", ["X"], ["Out"], ["axis=dim", "exclusive", "reverse"]>];
  let newIrGradients = ["cumprod_grad(x, out)"];
  let batching = "batchAlongAxis";
  let sharding = "inCode";
}

def Pd_LogcumsumexpOp : Pd_ScanOp<"logcumsumexp", Pd_FloatTensor,
  "Logarithm of the cumulative sum of exp(x) along an axis"> {
  let onnx = [OnnxWritten<"exportLogcumsumexp">];
  let arguments = (ins Pd_FloatTensor:$x, DefaultValuedAttr<I64Attr, "-1">:$axis, BoolDefault<"false">:$flatten,
    BoolDefault<"false">:$exclusive, BoolDefault<"false">:$reverse);
  let legacy = [Legacy<"logcumsumexp", ["X"], ["Out"], ["axis", "flatten", "exclusive", "reverse"]>];
  let newIrGradients = ["logcumsumexp_grad(x, out)"];
  let batching = "batchAlongAxis";
  let sharding = "inCode";
}

def Pd_LinearRecurrenceOp : Pd_Op<"linear_recurrence", [ByThreads]> {
  let onnx = [OnnxWritten<"exportLinearRecurrence">];
  let summary = "Linear recurrence along an axis: a cumulative sum with decay";
  let description = [{
    out[i] = x[i] + decay[i] * out[i - 1] along `axis`; with `reverse` x[i] + decay[i] * out[i + 1]. The first element
    is x. With decay 1 the op is pd.cumsum. The gradients of cumulative products and of logcumsumexp are such
    recurrences, and so are its own, so that derivatives of any order do not divide and do not overflow.
  }];
  let constraints = [
    "C1. x and decay have the same type, of rank 1 or more",
    "C2. axis is in [-rank, rank) of x"
  ];
  let arguments = (ins Pd_FloatOrComplexTensor:$x, Pd_FloatOrComplexTensor:$decay, I64Attr:$axis,
    BoolDefault<"false">:$reverse);
  let results = (outs Pd_FloatOrComplexTensor:$out);
  let evaluates = 1;
  let hasFolder = 1;
  let vjpInCode = 1;
  let precision = "full";
  let library = "linear_recurrence";
  let libraryHalf = 1;
  let batching = "inCode";
  let sharding = "inCode";
}

class Pd_ExtremeScanOp<string mnemonic, string text> : Pd_Op<mnemonic, [ByThreads]> {
  let lod = "all";
  let summary = text;
  let description = [{
    `indices` are the indices along the axis; of equal elements the last one. int64 if `dtype` is not given.
  }];
  let constraints = [
    "C1. axis is in [-rank, rank) of x, where rank 0 counts as 1",
    "C2. out has the type of x; indices has its dimensions and the element type dtype"
  ];
  let arguments = (ins Pd_RealTensor:$x, DefaultValuedAttr<I64Attr, "-1">:$axis, OptionalAttr<TypeAttr>:$dtype);
  let results = (outs Pd_RealTensor:$out, Pd_IntTensor:$indices);
  let infer = "inferExtremeScan";
  let evaluates = 1;
  let hasFolder = 1;
  let vjpInCode = 1;
  let library = mnemonic;
  let libraryHalf = 1;
  let legacy = [Legacy<mnemonic, ["x"], ["out", "indices"], ["axis", "dtype"]>];
  let batching = "batchAlongAxis";
  let sharding = "inCode";
}

def Pd_CummaxOp : Pd_ExtremeScanOp<"cummax", "Cumulative maximum along an axis, and its index"> {
  let onnx = [OnnxWritten<"exportCummax">];
  let newIrGradients = ["cummax_grad(x, indices)"];
}
def Pd_CumminOp : Pd_ExtremeScanOp<"cummin", "Cumulative minimum along an axis, and its index"> {
  let onnx = [OnnxWritten<"exportCummin">];
  let newIrGradients = ["cummin_grad(x, indices)"];
}

#endif
