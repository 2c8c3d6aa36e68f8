// Concatenation, repetition and padding.
#ifndef PROA_DIALECTS_PD_SHAPE_JOIN
#define PROA_DIALECTS_PD_SHAPE_JOIN

include "dialects/pd/ir/Base.td"

defvar IntsDefault = DefaultValuedAttr<DenseI64ArrayAttr, "{}">;
class IntDefault<string value> : DefaultValuedAttr<I64Attr, value>;

def Pd_ConcatOp : Pd_Op<"concat", [AttrSizedOperandSegments, Pd_MovesElements]> {
  let onnx = [OnnxWritten<"exportConcat">,
              OnnxReadOnly<"Concat", ["inputs", ""], ["concat_result"], ["axis"], strings_="moved">];
  let summary = "Concatenation of tensors along an axis";
  let description = [{
    Operands of rank 0 count as tensors of one element. `axis_tensor` must be constant and overrides `axis`.
  }];
  let constraints = [
    "C1. there is at least one tensor",
    "C2. all tensors have the same element type",
    "C3. all tensors have the same rank, and axis is in [-rank, rank)",
    "C4. the dims of all tensors except along axis are equal",
    "C5. axis_tensor is constant"
  ];
  let arguments = (ins Variadic<Pd_Tensor>:$x, Optional<Pd_IntTensor>:$axis_tensor, IntDefault<"0">:$axis);
  let vjpInCode = 1;
  let results = (outs Pd_Tensor:$out);
  let evaluates = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
  let element = 1;
  let library = "concat";
  let libraryHalf = 1;
  let precision = "follow";
  let legacy = [Legacy<"concat", ["X*", "AxisTensor|@axis"], ["Out"], ["axis"], ["num=any", "sections=any"]>];
  let newIrGradients = ["concat_double_grad() -> dout"];
  let linear = ["x"];
  let batching = "inCode";
  let sharding = "inCode";
}

def Pd_StackOp : Pd_Op<"stack", [Pd_MovesElements]> {
  let summary = "Tensors of the same shape stacked along a new axis";
  let constraints = [
    "C1. there is at least one tensor",
    "C2. all tensors have the same element type",
    "C3. all tensors have the same rank, and axis is in [-rank - 1, rank]",
    "C4. the dims of all tensors are equal"
  ];
  let arguments = (ins Variadic<Pd_Tensor>:$x, IntDefault<"0">:$axis);
  let results = (outs Pd_Tensor:$out);
  let decomposesInCode = 1;
  let precision = "follow";
  let legacy = [Legacy<"stack", ["X*"], ["Y"], ["axis"]>];
  let newIrGradients = ["stack_double_grad() -> dout"];
}

def Pd_TileOp : Pd_Op<"tile", [Pd_MovesElements]> {
  let onnx = [OnnxReadOnly<"Tile", ["input", "repeats"], ["output"], strings_="moved">];
  let lod = "rows";
  let summary = "x repeated repeat_times[i] times along dimension i; both are aligned at the last dimension";
  let constraints = [
    "C1. no entry of repeat_times is negative",
    "C2. repeat_times_tensor has a static number of elements"
  ];
  let arguments = (ins Pd_Tensor:$x, Optional<Pd_IntTensor>:$repeat_times_tensor, IntsDefault:$repeat_times);
  let results = (outs Pd_Tensor:$out);
  let decomposesInCode = 1;
  let hasCanonicalizeMethod = 1;
  let hasFolder = 1;
  let legacy = [Legacy<"tile", ["X", "repeat_times_tensor*|RepeatTimes|@repeat_times"], ["Out"], ["repeat_times"]>,
                Legacy<"expand", ["X", "expand_times_tensor*|ExpandTimes"], ["Out"], ["repeat_times=expand_times"]>];
  let newIrGradients = ["tile_double_grad() -> dout"];
}

def Pd_BroadcastTensorsOp : Pd_Op<"broadcast_tensors", [Pd_MovesElements]> {
  let summary = "Each tensor broadcast to the common shape of all";
  let constraints = ["C1. the tensors broadcast"];
  let arguments = (ins Variadic<Pd_Tensor>:$x);
  let results = (outs Variadic<Pd_Tensor>:$out);
  let decomposesInCode = 1;
  let legacy = [Legacy<"broadcast_tensors", ["X*"], ["Out"]>];
}

def Pd_MeshgridOp : Pd_Op<"meshgrid", [Pd_MovesElements]> {
  let summary = "The i-th vector along dimension i, broadcast to the grid of all vectors";
  let constraints = ["C1. the operands have rank 0 or 1"];
  let arguments = (ins Variadic<Pd_Tensor>:$x);
  let results = (outs Variadic<Pd_Tensor>:$out);
  let decomposesInCode = 1;
  let legacy = [Legacy<"meshgrid", ["X*"], ["Out"]>];
}

def Pd_RepeatInterleaveOp : Pd_Op<"repeat_interleave"> {
  let summary = "Each element along `axis` repeated in place: `repeats` times, or repeats_tensor[i] times for "
    "element i";
  let constraints = [
    "C1. axis is in [-rank, rank) of x",
    "C2. no repeat count is negative",
    "C3. repeats_tensor has one element, or one for each element of x along axis"
  ];
  let arguments = (ins Pd_Tensor:$x, Optional<Pd_IntTensor>:$repeats_tensor, IntDefault<"0">:$repeats,
    IntDefault<"0">:$axis);
  let newIr = [NewIr<["x"], [], [], ["output_size=any"]>,
               NewIr<["x", "repeats_tensor"], [], [], ["output_size=any"], "repeat_interleave_with_tensor_index">];
  let results = (outs Pd_Tensor:$out);
  let decomposesInCode = 1;
  let library = "repeat_interleave";
  let libraryHalf = 1;
  let legacy = [Legacy<"repeat_interleave", ["X", "RepeatsTensor"], ["Out"], ["repeats=Repeats", "axis=dim"],
    ["output_size=any"]>];
  let newIrGradients = [
    "repeat_interleave_double_grad() -> dout",
    "repeat_interleave_with_tensor_index_grad(x, repeats_tensor, dout)",
    "repeat_interleave_with_tensor_index_double_grad(repeats_tensor, ddx) -> dout"
  ];
}

def : OnnxFormula<"Pad", "importPad">;
def : OnnxFormula<"CenterCropPad", "importCenterCropPad">;

def Pd_PadOp : Pd_Op<"pad"> {
  let onnx = [OnnxWritten<"exportPad">];
  let lod = "none";
  let summary = "x padded with `pad_value`";
  let constraints = ["C1. paddings has two entries for each dimension of x", "C2. no padding is negative"];
  let description = "`paddings` has for each dimension the number of elements before and after it.";
  let arguments = (ins Pd_Tensor:$x, DenseI64ArrayAttr:$paddings, DefaultValuedAttr<F64Attr, "0.0">:$pad_value);
  let vjpInCode = 1;
  let newIr = [NewIr<["x", "#pad_value"]>];
  let results = (outs Pd_Tensor:$out);
  let evaluates = 1;
  let hasFolder = 1;
  let element = 1;
  let library = "pad";
  let libraryHalf = 1;
  let precision = "follow";
  let legacy = [Legacy<"pad", ["X"], ["Out"], ["paddings", "pad_value"]>];
  let newIrGradients = ["pad_double_grad() -> dout"];
  let linear = ["inCode"];
  let batching = "inCode";
  let sharding = "inCode";
}

def Pd_Pad3dOp : Pd_Op<"pad3d"> {
  let lod = "none";
  let summary = "The three spatial dimensions of x padded with a constant or with elements of x";
  let description = [{
    `paddings` is left, right, top, bottom, front, back. `mode` is constant (`pad_value`), reflect (mirrored without
    the edge), replicate (the edge) or circular. A negative number removes elements, after others are added.
    `paddings_tensor` must be constant and overrides the attribute.
  }];
  let constraints = [
    "C1. x has rank 5, and paddings six entries; paddings_tensor is constant",
    "C2. data_format is NCDHW or NDHWC",
    "C3. the dims of the result are not negative",
    "C4. in mode reflect each dim is above its paddings; in mode circular a padded dim is not 0"
  ];
  let arguments = (ins Pd_Tensor:$x, Optional<Pd_IntTensor>:$paddings_tensor, IntsDefault:$paddings,
    Pd_DefaultEnum<Pd_PadModeAttr, "Constant">:$mode, DefaultValuedAttr<F64Attr, "0.0">:$pad_value,
    Pd_DefaultEnum<Pd_DataFormatAttr, "NCDHW">:$data_format);
  let results = (outs Pd_Tensor:$out);
  let decomposesInCode = 1;
  let legacy = [Legacy<"pad3d", ["X", "Paddings|@paddings"], ["Out"], ["paddings", "mode", "pad_value=value",
    "data_format"]>,
                LegacyReadOnly<"pad2d", ["X", "Paddings"], ["Out"], ["paddings", "mode", "pad_value", "data_format"],
                  [], "importPad2d">];
  let newIrGradients = ["pad3d_double_grad() -> dout"];
}

#endif
