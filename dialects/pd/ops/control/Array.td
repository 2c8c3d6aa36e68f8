// Tensor arrays: lists of tensors that a program writes and reads by computed indices.
#ifndef PROA_DIALECTS_PD_CONTROL_ARRAY
#define PROA_DIALECTS_PD_CONTROL_ARRAY

include "dialects/pd/ir/Base.td"
include "dialects/pd/ops/control/ArrayOperand.td"

def Pd_ArrayCreateOp : Pd_Op<"array_create"> {
  let onnx = [OnnxWritten<"exportArrayCreate">];
  let sharding = "whole: a tensor array holds whole tensors";
  let summary = "An array without elements";
  let arguments = (ins);
  let results = (outs Pd_Array:$out);
  let library = "array_create";
  let arrayReferenceInCode = 1;
  let libraryHalf = 1;
}

def Pd_ArrayWriteOp : Pd_Op<"array_write", [DeclareOpInterfaceMethods<ArrayVjpOpInterface>]> {
  let onnx = [OnnxWritten<"exportArrayWrite">];
  let sharding = "whole: a tensor array holds whole tensors";
  let summary = "The array with element `index` replaced by x";
  let description = [{
    The result is as long as the array, or index + 1 if that is larger. Elements in between that were never written
    must not be read. Dims may differ between elements.
  }];
  let constraints = [
    "C1. index has one element; a run checks that it is not negative",
    "C2. x has the rank and element type of the elements"
  ];
  let arguments = (ins Pd_Array:$array, Pd_IntTensor:$index, Pd_Tensor:$x);
  let results = (outs Pd_Array:$out);
  let library = "array_write";
  let arrayReferenceInCode = 1;
  let libraryHalf = 1;
  let legacy = [Legacy<"write_to_array", ["Out", "I", "X"], ["Out"], [], [], "importWriteToArray">];
  let linear = ["array, x"];
  let batching = "inCode";
}

def Pd_ArrayReadOp : Pd_Op<"array_read", [DeclareOpInterfaceMethods<ArrayVjpOpInterface>]> {
  let onnx = [OnnxWritten<"exportArrayRead">];
  let sharding = "whole: a tensor array holds whole tensors";
  let summary = "Element `index` of the array; a negative index counts from the end";
  let constraints = ["C1. index has one element; a run checks that it is in range", "C2. the array has been written"];
  let arguments = (ins Pd_Array:$array, Pd_IntTensor:$index);
  let results = (outs Pd_Tensor:$out);
  let library = "array_read";
  let arrayReferenceInCode = 1;
  let libraryHalf = 1;
  let legacy = [Legacy<"read_from_array", ["X", "I"], ["Out"], [], ["slot X_W"], "importReadFromArray">];
  let linear = ["array"];
  let batching = "inCode";
}

def Pd_ArrayReadOrOp : Pd_Op<"array_read_or", [DeclareOpInterfaceMethods<ArrayVjpOpInterface>]> {
  let onnx = [OnnxWritten<"exportArrayReadOr">];
  let sharding = "whole: a tensor array holds whole tensors";
  let summary = "Element `index` of the array, or `otherwise` if it was never written";
  let description = [{
    Gradients read arrays of cotangents by this op: an element without a cotangent has cotangent zero.
  }];
  let constraints = ["C1. index has one element", "C2. `otherwise` has the rank and element type of the elements"];
  let arguments = (ins Pd_Array:$array, Pd_IntTensor:$index, Pd_Tensor:$otherwise);
  let results = (outs Pd_Tensor:$out);
  let library = "array_read_or";
  let arrayReferenceInCode = 1;
  let libraryHalf = 1;
  let linear = ["array, otherwise"];
  let batching = "inCode";
}

def Pd_ArrayAddOp : Pd_Op<"array_add"> {
  let onnx = [OnnxWritten<"exportArrayAdd">];
  let sharding = "whole: a tensor array holds whole tensors";
  let summary = "The elementwise sum of two arrays; an element that one array lacks is taken from the other";
  let constraints = ["C2. the elements have the same rank and element type; a run checks that they have the same dims"];
  let arguments = (ins Pd_Array:$x, Pd_Array:$y);
  let results = (outs Pd_Array:$out);
  let library = "array_add";
  let arrayReferenceInCode = 1;
  let libraryHalf = 1;
  let vjpInCode = 1;
  let linear = ["x, y"];
  let batching = "batchArrays";
}

def Pd_ArrayConcatOp : Pd_Op<"array_concat"> {
  let onnx = [OnnxWritten<"exportArrayConcat">];
  let sharding = "whole: a tensor array holds whole tensors";
  let summary = "The elements of x followed by the elements of y";
  let description = [{
    Elements that were never written stay so. A loop keeps arrays that its gradient needs in such an array.
  }];
  let constraints = ["C2. the elements have the same rank and element type"];
  let arguments = (ins Pd_Array:$x, Pd_Array:$y);
  let results = (outs Pd_Array:$out);
  let library = "array_concat";
  let arrayReferenceInCode = 1;
  let libraryHalf = 1;
  let vjpInCode = 1;
  let linear = ["x, y"];
  let batching = "batchArrays";
}

def Pd_ArrayZerosLikeOp : Pd_Op<"array_zeros_like"> {
  let sharding = "whole: a tensor array holds whole tensors";
  let summary = "An array of zeros in the shape of each element";
  let description = "Elements that were never written stay so. The tangent of an array that depends on no input.";
  let constraints = ["C1. out has the type of the array"];
  let arguments = (ins Pd_Array:$array);
  let results = (outs Pd_Array:$out);
  let library = "array_zeros_like";
  let arrayReferenceInCode = 1;
  let libraryHalf = 1;
  let vjpInCode = 1;
  let batching = "batchArrays";
}

def Pd_ArraySplitOp : Pd_Op<"array_split"> {
  let onnx = [OnnxWritten<"exportArraySplit">];
  let sharding = "whole: a tensor array holds whole tensors";
  let summary = "The slices of a tensor along `axis` as an array: the inverse of array_to_tensor";
  let description = [{
    `sizes` has the dim size of each entry; one that all entries are known to have is static in the result. With
    `use_stack` each entry is one index of the axis, and does not have it.
  }];
  let constraints = ["C1. axis is within the rank of x; a run checks that the sizes add up to its dim size"];
  let arguments = (ins Pd_Tensor:$x, Pd_IntTensor:$sizes, DefaultValuedAttr<I64Attr, "0">:$axis,
    DefaultValuedAttr<BoolAttr, "false">:$use_stack);
  let results = (outs Pd_Array:$out);
  let library = "array_split";
  let arrayReferenceInCode = 1;
  let libraryHalf = 1;
  let vjpInCode = 1;
  let linear = ["x"];
  let batching = "inCode";
}

def Pd_ArrayLengthOp : Pd_Op<"array_length", [Pd_SameForAllExamples]> {
  let onnx = [OnnxWritten<"exportArrayLength">];
  let sharding = "whole: a tensor array holds whole tensors";
  let summary = "The number of elements, as an i64 vector of one element";
  let constraints = ["C1. out is a vector of one i64"];
  let arguments = (ins Pd_Array:$array);
  let results = (outs Pd_IntTensor:$out);
  let library = "array_length";
  let arrayReferenceInCode = 1;
  let libraryHalf = 1;
  let legacy = [Legacy<"lod_array_length", ["X"], ["Out"]>];
  let batching = "inCode";
}

def Pd_ArraySliceOp : Pd_Op<"array_slice", [DeclareOpInterfaceMethods<ArrayVjpOpInterface>]> {
  let onnx = [OnnxWritten<"exportArraySlice">];
  let sharding = "whole: a tensor array holds whole tensors";
  let summary = "The elements from index `start` to before index `end`; negative indices count from the end";
  let description = "Both are clamped to the bounds of the array.";
  let constraints = ["C1. start and end have one element each"];
  let arguments = (ins Pd_Array:$array, Pd_IntTensor:$start, Pd_IntTensor:$end);
  let results = (outs Pd_Array:$out);
  let library = "array_slice";
  let arrayReferenceInCode = 1;
  let libraryHalf = 1;
  let linear = ["array"];
  let batching = "batchArrays";
}

def Pd_ArrayToTensorOp : Pd_Op<"array_to_tensor", [DeclareOpInterfaceMethods<ArrayVjpOpInterface>]> {
  let onnx = [OnnxWritten<"exportArrayToTensor">];
  let sharding = "whole: a tensor array holds whole tensors";
  let summary = "All elements as one tensor, concatenated along `axis` or stacked along a new axis";
  let description = "`sizes` has the dim size of each element along `axis`.";
  let constraints = [
    "C1. axis is within the rank of the result",
    "C2. the array has been written; a run checks that the dims of the elements match"
  ];
  let arguments = (ins Pd_Array:$array, DefaultValuedAttr<I64Attr, "0">:$axis, DefaultValuedAttr<BoolAttr,
    "false">:$use_stack);
  let results = (outs Pd_Tensor:$out, Pd_IntTensor:$sizes);
  let library = "array_to_tensor";
  let arrayReferenceInCode = 1;
  let libraryHalf = 1;
  let legacy = [Legacy<"tensor_array_to_tensor", ["X"], ["Out", "OutIndex"], ["axis", "use_stack"]>];
  let linear = ["array"];
  let batching = "inCode";
}

def : OnnxFormula<"If", "importIf">;
def : OnnxFormula<"Loop", "importLoop">;
def : OnnxFormula<"Scan", "importScan8", 8, 8>;
def : OnnxFormula<"Scan", "importScan", 9>;
def : OnnxFormula<"SequenceMap", "importSequenceMap">;
def : OnnxFormula<"SequenceEmpty", "importSequenceEmpty">;
def : OnnxFormula<"SequenceConstruct", "importSequenceConstruct">;
def : OnnxFormula<"SequenceInsert", "importSequenceInsert">;
def : OnnxFormula<"SequenceErase", "importSequenceErase">;
def : OnnxFormula<"SequenceAt", "importSequenceAt">;
def : OnnxFormula<"SequenceLength", "importSequenceLength">;
def : OnnxFormula<"SplitToSequence", "importSplitToSequence">;
def : OnnxFormula<"ConcatFromSequence", "importConcatFromSequence">;
def : OnnxFormula<"Optional", "importOptional">;
def : OnnxFormula<"OptionalGetElement", "importOptionalGetElement">;
def : OnnxFormula<"OptionalHasElement", "importOptionalHasElement">;

// Not a Pd_Op, because the result type is not inferred.
def Pd_ArrayCastOp : Op<Pd_Dialect, "array_cast", [Pd_DeclaredAttributesOnly, Pure,
    DeclareOpInterfaceMethods<LinearOpInterface>, DeclareOpInterfaceMethods<BatchableOpInterface>,
    DeclareOpInterfaceMethods<ArrayVjpOpInterface>,
    DeclareOpInterfaceMethods<ArrayReferenceOpInterface>]> {
  let summary = "The same array with a type that has fewer static dims";
  let arguments = (ins Pd_Array:$array);
  let results = (outs Pd_Array:$out);
  let hasVerifier = 1;
  let assemblyFormat = "$array attr-dict `:` type($array) `to` type($out)";
}

#endif
