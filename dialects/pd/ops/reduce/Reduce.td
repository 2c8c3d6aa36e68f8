// Reductions along axes.
#ifndef PROA_DIALECTS_PD_REDUCE_REDUCE
#define PROA_DIALECTS_PD_REDUCE_REDUCE

include "dialects/pd/ir/Base.td"

defvar reductionDescription = [{
  `axis` has the reduced dimensions; negative ones count from the end, and an empty list means all dimensions. With
  `keepdim` a reduced dimension is kept with size 1. The reduction of no elements is the neutral element.
}];

defvar AxesConstraint = "C1. the axes are in [-rank, rank) of x; rank 0 takes any axis";

class OnnxReduce<string type> : OnnxFormula<type, "importReduce">;
def : OnnxReduce<"ReduceL1">;
def : OnnxReduce<"ReduceL2">;
def : OnnxReduce<"ReduceLogSum">;
def : OnnxReduce<"ReduceLogSumExp">;
def : OnnxReduce<"ReduceMax">;
def : OnnxReduce<"ReduceMean">;
def : OnnxReduce<"ReduceMin">;
def : OnnxReduce<"ReduceProd">;
def : OnnxReduce<"ReduceSum">;
def : OnnxReduce<"ReduceSumSquare">;

class LegacyReduce<string type> : Legacy<type, ["X"], ["Out"], [],
    ["dim=hook", "keep_dim=hook", "reduce_all=hook", "in_dtype=any", "out_dtype=hook"],
    "importReduce", exportHook_="exportReduce">;

class Pd_ReduceOp<string mnemonic, TypeConstraint type, string text> : Pd_FoldableOp<mnemonic> {
  let lod = "none";
  let summary = text;
  let description = reductionDescription;
  let arguments = (ins type:$x, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$axis,
    DefaultValuedAttr<BoolAttr, "false">:$keepdim);
  let results = (outs type:$out);
  let constraints = [
    AxesConstraint,
    "C2. out has the element type of x and its dimensions without the reduced ones, which keepdim keeps as 1"
  ];
  let infer = "inferReduce";
  let evaluates = 1;
  let batching = "batchReduction";
}

def Pd_SumOp : Pd_FoldableOp<"sum"> {
  let onnx = [OnnxWritten<"exportSum">];
  let lod = "none";
  let summary = "Sum of elements; with `dtype`, of the elements converted to it";
  let description = reductionDescription # [{
    Without `dtype`, bools and 32-bit integers are summed in int64, as Paddle does.
  }];
  let arguments = (ins Pd_Tensor:$x, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$axis,
    DefaultValuedAttr<BoolAttr, "false">:$keepdim, OptionalAttr<TypeAttr>:$dtype);
  let newIr = [NewIr<["x", "#axis"]>];
  let results = (outs Pd_NumberTensor:$out);
  let constraints = [
    AxesConstraint,
    "C2. out has the dimensions of x without the reduced ones, which keepdim keeps as 1",
    "C3. out has the element type dtype if given, else the element type of x, but i64 for i1 and i32"
  ];
  let infer = "inferSum";
  let reduction = "Sum";
  let evaluates = 1;
  let vjpInCode = 1;
  let precision = "full";
  let legacy = [LegacyReduce<"reduce_sum">];
  let newIrGradients = ["sum_double_grad() -> dout"];
  let linear = ["x"];
  let batching = "batchReduction";
}
class Pd_ExtremeOp<string mnemonic, string text, string kind> : Pd_ReduceOp<mnemonic, Pd_RealTensor, text> {
  let description = reductionDescription # [{
    NaNs are ignored, as in legacy programs. With `propagate_nan` the result is NaN if an element is NaN, and equal
    elements share the gradient, as in the new IR.
  }];
  let arguments = (ins Pd_RealTensor:$x, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$axis,
    DefaultValuedAttr<BoolAttr, "false">:$keepdim, DefaultValuedAttr<BoolAttr, "false">:$propagate_nan);
  let reduction = kind;
  let vjpInCode = 1;
  let newIr = [NewIr<["x", "#axis"], [], [], [], "", ["propagate_nan"]>];
  let legacy = [LegacyReduce<"reduce_" # mnemonic>];
}
def Pd_MaxOp : Pd_ExtremeOp<"max",
  "Largest element. Each of several largest elements gets the whole gradient of a legacy program",
  "Maximum"> {
  let onnx = [OnnxWritten<"exportMax">];
  let newIrGradients = ["max_grad(x, out)"];
}
def Pd_MinOp : Pd_ExtremeOp<"min",
  "Smallest element. Each of several smallest elements gets the whole gradient of a legacy program",
  "Minimum"> {
  let onnx = [OnnxWritten<"exportMin">];
  let newIrGradients = ["min_grad(x, out)"];
}
def Pd_AmaxOp : Pd_ExtremeOp<"amax", "Largest element, as pd.max; several largest elements share the gradient equally",
  "Maximum"> {
  let onnx = [OnnxWritten<"exportAmax">];
  let newIrGradients = ["amax_grad(x, out, dout)"];
}
def Pd_AminOp : Pd_ExtremeOp<"amin",
  "Smallest element, as pd.min; several smallest elements share the gradient equally", "Minimum"> {
  let onnx = [OnnxWritten<"exportAmin">];
  let newIrGradients = ["amin_grad(x, out, dout)"];
}
def Pd_ProdOp : Pd_ReduceOp<"prod", Pd_NumberTensor, "Product of elements"> {
  let onnx = [OnnxWritten<"exportProd">];
  let reduction = "Product";
  let vjpInCode = 1;
  let precision = "full";
  let newIr = [NewIr<["x", "#axis"], [], [], ["reduce_all=axis"]>];
  let legacy = [LegacyReduce<"reduce_prod">];
  let newIrGradients = ["prod_grad(x, out)"];
}
def Pd_AllOp : Pd_ReduceOp<"all", Pd_BoolTensor, "Whether all elements are true"> {
  let onnx = [OnnxWritten<"exportAll">];
  let reduction = "And";
  let legacy = [LegacyReduce<"reduce_all">];
}
def Pd_AnyOp : Pd_ReduceOp<"any", Pd_BoolTensor, "Whether any element is true"> {
  let onnx = [OnnxWritten<"exportAny">];
  let reduction = "Or";
  let legacy = [LegacyReduce<"reduce_any">];
}

def Pd_MeanOp : Pd_Op<"mean"> {
  let onnx = [OnnxWritten<"exportMean">];
  let lod = "none";
  let summary = "Mean of elements";
  let description = reductionDescription;
  let constraints = ["C1. the axes are in [-rank, rank) of x; rank 0 takes any axis"];
  let arguments = (ins Pd_FloatOrComplexTensor:$x, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$axis,
    DefaultValuedAttr<BoolAttr, "false">:$keepdim);
  let newIr = [NewIr<["x", "#axis"]>];
  let results = (outs Pd_FloatOrComplexTensor:$out);
  let infer = "inferReduce";
  let decomposition = "e.mean(x, reducedAxes(op.getAxis(), x.rank()), op.getKeepdim())";
  let precision = "full";
  let legacy = [LegacyReduce<"reduce_mean">];
  let newIrGradients = ["mean_double_grad() -> dout"];
  let linear = ["x"];
}

def Pd_MeanAllOp : Pd_Op<"mean_all"> {
  let lod = "none";
  let summary = "Mean of all elements, of rank 0";
  let arguments = (ins Pd_FloatOrComplexTensor:$x);
  let results = (outs Pd_FloatOrComplexTensor:$out);
  let infer = "inferReduceAll";
  let decomposition = "e.mean(x, reducedAxes({}, x.rank()), false)";
  let precision = "full";
  let legacy = [Legacy<"mean", ["X"], ["Out"]>];
}

#endif
