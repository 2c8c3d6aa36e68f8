// Tensor arrays: lists of tensors that a program fills and reads by numbers that it computes.
#ifndef PROA_DIALECTS_PD_CONTROL_ARRAY
#define PROA_DIALECTS_PD_CONTROL_ARRAY

include "dialects/pd/ir/Base.td"
include "dialects/pd/ops/control/ArrayOperand.td"

def Pd_ArrayCreateOp : Pd_Op<"array_create"> {
  let summary = "An array without elements";
  let arguments = (ins);
  let results = (outs Pd_Array:$out);
  let library = "array_create";
  let libraryHalf = 1;
}

def Pd_ArrayWriteOp : Pd_Op<"array_write"> {
  let summary = "The array with x as element number `index`";
  let description = [{
    The result is as long as the array, or index + 1 where that is more; elements between that nothing was written to may
    not be read. Dims may differ from element to element.
  }];
  let constraints = [
    "C1. index has one element, which a run checks not to be negative",
    "C2. x has the rank and element type of the elements"
  ];
  let arguments = (ins Pd_Array:$array, Pd_IntTensor:$index, Pd_Tensor:$x);
  let results = (outs Pd_Array:$out);
  let library = "array_write";
  let libraryHalf = 1;
  let legacy = [Legacy<"write_to_array", ["Out", "I", "X"], ["Out"], [], [], "importWriteToArray">];
  let linear = ["array, x"];
  let batching = "inCode";
}

def Pd_ArrayReadOp : Pd_Op<"array_read"> {
  let summary = "Element number `index` of the array; a negative one counts from the end";
  let constraints = ["C1. index has one element, which a run checks to name an element", "C2. something was written"];
  let arguments = (ins Pd_Array:$array, Pd_IntTensor:$index);
  let results = (outs Pd_Tensor:$out);
  let library = "array_read";
  let libraryHalf = 1;
  let legacy = [Legacy<"read_from_array", ["X", "I"], ["Out"], [], ["X_W"], "importReadFromArray">];
  let linear = ["array"];
  let batching = "inCode";
}

def Pd_ArrayReadOrOp : Pd_Op<"array_read_or"> {
  let summary = "Element number `index` of the array, or `otherwise` where nothing was written to it";
  let description = "What a gradient reads of the array of cotangents: an element that has none has cotangent zero.";
  let constraints = ["C1. index has one element", "C2. `otherwise` has the rank and element type of the elements"];
  let arguments = (ins Pd_Array:$array, Pd_IntTensor:$index, Pd_Tensor:$otherwise);
  let results = (outs Pd_Tensor:$out);
  let library = "array_read_or";
  let libraryHalf = 1;
  let linear = ["array, otherwise"];
  let batching = "inCode";
}

def Pd_ArrayAddOp : Pd_Op<"array_add"> {
  let summary = "The sums of the elements of two arrays; an element that one of them lacks is that of the other";
  let constraints = ["C2. the elements have one rank and element type; a run checks that they have the same dims"];
  let arguments = (ins Pd_Array:$x, Pd_Array:$y);
  let results = (outs Pd_Array:$out);
  let library = "array_add";
  let libraryHalf = 1;
  let vjpInCode = 1;
  let linear = ["x, y"];
  let batching = "batchArrays";
}

def Pd_ArrayConcatOp : Pd_Op<"array_concat"> {
  let summary = "The elements of x, and behind them those of y";
  let description = "What nothing was written to stays so. A loop keeps arrays in it that its gradient needs as they were.";
  let constraints = ["C2. the elements have one rank and element type"];
  let arguments = (ins Pd_Array:$x, Pd_Array:$y);
  let results = (outs Pd_Array:$out);
  let library = "array_concat";
  let libraryHalf = 1;
  let vjpInCode = 1;
  let linear = ["x, y"];
  let batching = "batchArrays";
}

def Pd_ArrayZerosLikeOp : Pd_Op<"array_zeros_like"> {
  let summary = "Zeros in the place of each element of the array";
  let description = "What nothing was written to stays so: the tangent of an array that depends on nothing.";
  let constraints = ["C1. out has the type of the array"];
  let arguments = (ins Pd_Array:$array);
  let results = (outs Pd_Array:$out);
  let library = "array_zeros_like";
  let libraryHalf = 1;
  let vjpInCode = 1;
  let batching = "batchArrays";
}

def Pd_ArraySplitOp : Pd_Op<"array_split"> {
  let summary = "The parts of a tensor along `axis` as an array: what array_to_tensor joined";
  let description = "`sizes` has the extent of each part; with `use_stack` each part is one index of the axis, which it loses.";
  let constraints = ["C1. axis is within the rank of x; a run checks that the sizes add up to its extent"];
  let arguments = (ins Pd_Tensor:$x, Pd_IntTensor:$sizes, DefaultValuedAttr<I64Attr, "0">:$axis, DefaultValuedAttr<BoolAttr, "false">:$use_stack);
  let results = (outs Pd_Array:$out);
  let library = "array_split";
  let libraryHalf = 1;
  let vjpInCode = 1;
  let linear = ["x"];
  let batching = "inCode";
}

def Pd_ArrayLengthOp : Pd_Op<"array_length"> {
  let summary = "The number of elements, as a vector of one int64";
  let constraints = ["C1. out is a vector of one i64"];
  let arguments = (ins Pd_Array:$array);
  let results = (outs Pd_IntTensor:$out);
  let library = "array_length";
  let libraryHalf = 1;
  let legacy = [Legacy<"lod_array_length", ["X"], ["Out"]>];
  let batching = "inCode";
}

def Pd_ArraySliceOp : Pd_Op<"array_slice"> {
  let summary = "The elements from number `start` to before number `end`; negative numbers count from the end";
  let description = "Both are cut to the array's bounds.";
  let constraints = ["C1. start and end have one element each"];
  let arguments = (ins Pd_Array:$array, Pd_IntTensor:$start, Pd_IntTensor:$end);
  let results = (outs Pd_Array:$out);
  let library = "array_slice";
  let libraryHalf = 1;
  let linear = ["array"];
  let batching = "batchArrays";
}

def Pd_ArrayToTensorOp : Pd_Op<"array_to_tensor"> {
  let summary = "All elements in one tensor, joined along `axis` or stacked at a new one";
  let description = "`sizes`: for each element its extent along `axis`.";
  let constraints = [
    "C1. axis is within the rank of the result",
    "C2. something was written; a run checks that the dims of the elements fit together"
  ];
  let arguments = (ins Pd_Array:$array, DefaultValuedAttr<I64Attr, "0">:$axis, DefaultValuedAttr<BoolAttr, "false">:$use_stack);
  let results = (outs Pd_Tensor:$out, Pd_IntTensor:$sizes);
  let library = "array_to_tensor";
  let libraryHalf = 1;
  let legacy = [Legacy<"tensor_array_to_tensor", ["X"], ["Out", "OutIndex"], ["axis", "use_stack"]>];
  let linear = ["array"];
  let batching = "inCode";
}

// Not a Pd_Op, because the result type is not inferred.
def Pd_ArrayCastOp : Op<Pd_Dialect, "array_cast", [Pd_DeclaredAttributesOnly, Pure,
    DeclareOpInterfaceMethods<LinearOpInterface>, DeclareOpInterfaceMethods<BatchableOpInterface>]> {
  let summary = "The same array under a type that says less of its elements' dims";
  let arguments = (ins Pd_Array:$array);
  let results = (outs Pd_Array:$out);
  let hasVerifier = 1;
  let assemblyFormat = "$array attr-dict `:` type($array) `to` type($out)";
}

#endif
