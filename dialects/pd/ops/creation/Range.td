// Arithmetic sequences and identity matrices.
#ifndef PROA_DIALECTS_PD_CREATION_RANGE
#define PROA_DIALECTS_PD_CREATION_RANGE

include "dialects/pd/ir/Base.td"

def : OnnxFormula<"Range", "importRange">;
def : OnnxFormula<"EyeLike", "importEyeLike">;
def : OnnxFormula<"BlackmanWindow", "importCosineWindow">;
def : OnnxFormula<"HannWindow", "importCosineWindow">;
def : OnnxFormula<"HammingWindow", "importCosineWindow">;

def Pd_ArangeOp : Pd_Op<"arange"> {
  let onnx = [OnnxWritten<"exportArange">];
  let sharding = "whole: the dims of its results depend on data";
  let summary = "The numbers start, start + step, ... before end, as a 1-D tensor";
  let description = [{
    The result has ceil((end - start) / step) elements, or none if that is negative; element i is start + i * step.
  }];
  let constraints = [
    "C1. start, end and step have one element each",
    "C2. start, end and step have the same element type",
    "C3. a constant step is not 0",
    "C4. out is a vector of element type dtype"
  ];
  let arguments = (ins Pd_RealTensor:$start, Pd_RealTensor:$end, Pd_RealTensor:$step, TypeAttr:$dtype);
  let results = (outs Pd_RealTensor:$out);
  let evaluates = 1;
  let hasFolder = 1;
  let library = "arange";
  let extraClassDeclaration = [{
    struct Bounds {
      ::proa::pd::HostScalar start, step;
      int64_t count;
    };
    /// Where all operands are constant: the first element, the distance and the number of elements.
    std::optional<Bounds> getBounds();
  }];
  let legacy = [Legacy<"range", ["Start", "End", "Step"], ["Out"], [], [], "importRange">];
}

def Pd_LinspaceOp : Pd_Op<"linspace"> {
  let summary = "`number` values from start to stop at equal distances";
  let description = "The operands have one element each; `number` must be constant.";
  let constraints = [
    "C1. the operands have one element each",
    "C2. number is a constant of at least 1"
  ];
  let arguments = (ins Pd_RealTensor:$start, Pd_RealTensor:$stop, Pd_IntTensor:$number, TypeAttr:$dtype);
  let results = (outs Pd_RealTensor:$out);
  let infer = "inferLinspace";
  let decomposesInCode = 1;
  let legacy = [Legacy<"linspace", ["Start", "Stop", "Num"], ["Out"], ["dtype"]>];
}

def Pd_LogspaceOp : Pd_Op<"logspace"> {
  let summary = "base to the power of `number` values from start to stop at equal distances";
  let description = "The operands have one element each; `number` must be constant.";
  let constraints = [
    "C1. the operands have one element each",
    "C2. number is a constant of at least 1"
  ];
  let arguments = (ins Pd_RealTensor:$start, Pd_RealTensor:$stop, Pd_IntTensor:$number, Pd_RealTensor:$base,
    TypeAttr:$dtype);
  let results = (outs Pd_RealTensor:$out);
  let infer = "inferLinspace";
  let decomposesInCode = 1;
  let legacy = [Legacy<"logspace", ["Start", "Stop", "Num", "Base"], ["Out"], ["dtype"]>];
}

def Pd_EyeOp : Pd_Op<"eye"> {
  let summary = "A matrix with ones on the diagonal; num_columns of -1 makes it square";
  let constraints = ["C1. num_rows is not negative"];
  let arguments = (ins I64Attr:$num_rows, DefaultValuedAttr<I64Attr, "-1">:$num_columns, TypeAttr:$dtype);
  let newIr = [NewIr<["#num_rows", "#num_columns"]>];
  let results = (outs Pd_Tensor:$out);
  let decomposesInCode = 1;
  let legacy = [Legacy<"eye", [], ["Out"], ["num_rows:long", "num_columns:long", "dtype"]>];
}

class Pd_TriangleIndicesOp<string mnemonic, string legacyType, string legacyRows, string legacyColumns>
  : Pd_Op<mnemonic> {
  let constraints = ["C1. the matrix has at most 2^26 elements, and no dim is negative"];
  let arguments = (ins I64Attr:$rows, I64Attr:$cols, DefaultValuedAttr<I64Attr, "0">:$offset, TypeAttr:$dtype);
  let results = (outs Pd_IntTensor:$out);
  let decomposesInCode = 1;
  let newIr = [NewIr<[], [], ["rows=" # legacyRows, "cols=" # legacyColumns]>];
  let legacy = [Legacy<legacyType, [], ["out"], ["rows=" # legacyRows, "cols=" # legacyColumns, "offset", "dtype"]>];
}

def Pd_TrilIndicesOp : Pd_TriangleIndicesOp<"tril_indices", "tril_indices", "rows", "cols"> {
  let summary = "Row and column indices, as the two rows of the result, of the elements on and below a diagonal";
}
def Pd_TriuIndicesOp : Pd_TriangleIndicesOp<"triu_indices", "triu_indices", "row", "col"> {
  let summary = "Row and column indices, as the two rows of the result, of the elements on and above a diagonal";
}

#endif
