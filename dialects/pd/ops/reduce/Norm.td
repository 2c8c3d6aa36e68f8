// Norms and other reductions that are composites.
#ifndef PROA_DIALECTS_PD_REDUCE_NORM
#define PROA_DIALECTS_PD_REDUCE_NORM

include "dialects/pd/ir/Base.td"

defvar AxesDefault = DefaultValuedAttr<DenseI64ArrayAttr, "{}">;
class BoolDefault<string value> : DefaultValuedAttr<BoolAttr, value>;
class FloatDefault<string value> : DefaultValuedAttr<F64Attr, value>;

def Pd_LogsumexpOp : Pd_Op<"logsumexp"> {
  let lod = "none";
  let summary = "Logarithm of the sum of exp(x) along axes";
  let description = [{
    Computed relative to the largest element, so that exp does not overflow. An empty `axis` means all dimensions. Of
    no elements the result is -infinity.
  }];
  let constraints = ["C1. the axes are in [-rank, rank) of x; rank 0 takes any axis"];
  let arguments = (ins Pd_FloatTensor:$x, AxesDefault:$axis, BoolDefault<"false">:$keepdim);
  let newIr = [NewIr<["x"], [], [], ["reduce_all=axis"]>];
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferReduce";
  let decomposesInCode = 1;
  let precision = "full";
  let legacy = [Legacy<"logsumexp", ["X"], ["Out"], ["axis", "keepdim"], ["reduce_all=hook"], "importReduceByAxis",
    exportHook_="exportLogsumexp">];
  let newIrGradients = ["logsumexp_grad(x, out)"];
}

def Pd_FrobeniusNormOp : Pd_Op<"frobenius_norm"> {
  let lod = "none";
  let summary = "Frobenius norm: the square root of the sum of squares along axes";
  let constraints = ["C1. the axes are in [-rank, rank) of x; rank 0 takes any axis"];
  let arguments = (ins Pd_FloatTensor:$x, AxesDefault:$axis, BoolDefault<"false">:$keepdim);
  let newIr = [NewIr<["x", "#axis"], [], ["keepdim=keep_dim"], ["reduce_all=axis"]>];
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferReduce";
  let decomposesInCode = 1;
  let precision = "full";
  let legacy = [Legacy<"frobenius_norm", ["X"], ["Out"], [], ["dim=hook", "keep_dim=hook", "reduce_all=hook",
    "in_dtype=any", "out_dtype=hook"],
    "importReduce", exportHook_="exportReduce">];
  let newIrGradients = ["frobenius_norm_grad(x, out)"];
}

def Pd_PNormOp : Pd_Op<"p_norm"> {
  let lod = "none";
  let summary = "p-norm along an axis: (sum |x|^porder)^(1/porder)";
  let description = [{
    porder infinity: the largest |x|; -infinity: the smallest |x|; 0: the number of nonzero elements. With `asvector`
    over all elements. The gradient is sign(x) |x|^(porder - 1) dout / (out^(porder - 1) + epsilon).
  }];
  let constraints = ["C1. axis is in [-rank, rank) of x; rank 0 takes any axis"];
  let arguments = (ins Pd_FloatTensor:$x, FloatDefault<"2.0">:$porder, DefaultValuedAttr<I64Attr, "-1">:$axis,
    FloatDefault<"1e-12">:$epsilon, BoolDefault<"false">:$keepdim, BoolDefault<"false">:$asvector);
  let results = (outs Pd_FloatTensor:$out);
  let decomposesInCode = 1;
  let vjpInCode = 1;
  let precision = "full";
  let legacy = [Legacy<"p_norm", ["X"], ["Out"], ["porder", "axis", "epsilon", "keepdim", "asvector"]>];
  let newIrGradients = ["p_norm_grad(x, out)"];
  let batching = "inCode";
}

def Pd_L1NormOp : Pd_Op<"l1_norm"> {
  let lod = "none";
  let summary = "Sum of absolute values of all elements";
  let arguments = (ins Pd_FloatTensor:$x);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferReduceAll";
  let decomposition = "e.sum(e.abs(x), reducedAxes({}, x.rank()), false)";
  let legacy = [Legacy<"l1_norm", ["X"], ["Out"]>];
}

def Pd_DistOp : Pd_Op<"dist"> {
  let lod = "none";
  let summary = "p-norm of all elements of x - y";
  let constraints = [
    "C1. x and y have the same element type",
    "C2. x and y broadcast"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$y, FloatDefault<"2.0">:$p);
  let results = (outs Pd_FloatTensor:$out);
  let decomposesInCode = 1;
  let precision = "full";
  let legacy = [Legacy<"dist", ["X", "Y"], ["Out"], ["p"]>];
  let newIrGradients = ["dist_grad(x, y, out)"];
}

def Pd_RenormOp : Pd_Op<"renorm"> {
  let summary = "x with each slice along `axis` scaled down so that its p-norm is at most max_norm";
  let arguments = (ins Pd_FloatTensor:$x, F64Attr:$p, I64Attr:$axis, F64Attr:$max_norm);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferSameAsFirst";
  let decomposesInCode = 1;
  let precision = "full";
  let legacy = [Legacy<"renorm", ["X"], ["Out"], ["p", "axis", "max_norm"]>];
}

def Pd_TraceOp : Pd_Op<"trace"> {
  let lod = "none";
  let summary = "Trace: the sum of the diagonals of the matrices in dimensions axis1 and axis2";
  let constraints = ["C1. axis1 and axis2 are two dimensions of x"];
  let arguments = (ins Pd_NumberTensor:$x, DefaultValuedAttr<I64Attr, "0">:$offset, DefaultValuedAttr<I64Attr,
    "0">:$axis1, DefaultValuedAttr<I64Attr, "1">:$axis2);
  let results = (outs Pd_NumberTensor:$out);
  let decomposesInCode = 1;
  let legacy = [Legacy<"trace", ["Input"], ["Out"], ["offset", "axis1", "axis2"]>];
}

def Pd_SquaredL2NormOp : Pd_Op<"squared_l2_norm"> {
  let summary = "The sum of squares of all elements, as a tensor of one element and rank 1";
  let arguments = (ins Pd_FloatTensor:$x);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferOneElement";
  let decomposition = "e.reshape(e.sum(x * x, {}, false), {1})";
  let precision = "always full";
  let legacy = [Legacy<"squared_l2_norm", ["X"], ["Out"]>];
}

def Pd_ClipByNormOp : Pd_Op<"clip_by_norm"> {
  let summary = "x scaled down to the Euclidean norm max_norm, if its norm is larger";
  let arguments = (ins Pd_FloatTensor:$x, F64Attr:$max_norm);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferSameAsFirst";
  let decomposesInCode = 1;
  let precision = "always full";
  let legacy = [Legacy<"clip_by_norm", ["X"], ["Out"], ["max_norm"]>];
}

#endif
