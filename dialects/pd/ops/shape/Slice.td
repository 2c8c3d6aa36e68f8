// Slices of tensors.
#ifndef PROA_DIALECTS_PD_SHAPE_SLICE
#define PROA_DIALECTS_PD_SHAPE_SLICE

include "dialects/pd/ir/Base.td"

defvar IntsDefault = DefaultValuedAttr<DenseI64ArrayAttr, "{}">;

def : OnnxFormula<"Slice", "importSlice", strings_="moved">;
def : OnnxFormula<"Split", "importSplit", strings_="moved">;

def Pd_SliceOp : Pd_Op<"slice", [AttrSizedOperandSegments, Pd_MovesElements]> {
  let onnx = [OnnxWritten<"exportSliceToOnnx">];
  let lod = "rows";
  let summary = "Strided slice: every stride-th element from start to end along axes";
  let description = [{
    Along axes[i] the result has the elements starts[i], starts[i] + strides[i], ... before ends[i]. Negative starts
    and ends count from the end of the dimension; both are then clamped to it. With a negative stride the elements are
    in reverse order, and an end of -1, or an end before the first element (below -n of n), includes the first
    element. Missing strides are 1. The tensors override the attributes of the same names.
  }];
  let constraints = [
    "C1. the axes are in [-rank, rank) of x, without repetitions",
    "C2. starts, ends and, if given, strides have one entry for each axis",
    "C3. no stride is 0"
  ];
  let arguments = (ins Pd_Tensor:$x, Optional<Pd_IntTensor>:$starts_tensor, Optional<Pd_IntTensor>:$ends_tensor,
    Optional<Pd_IntTensor>:$strides_tensor, DenseI64ArrayAttr:$axes, IntsDefault:$starts, IntsDefault:$ends,
    IntsDefault:$strides);
  let vjpInCode = 1;
  let results = (outs Pd_Tensor:$out);
  let evaluates = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
  let element = 1;
  let library = "slice";
  let libraryHalf = 1;
  let precision = "follow";
  let legacy = [Legacy<"slice", ["Input", "StartsTensorList*|StartsTensor", "EndsTensorList*|EndsTensor", ""], ["Out"],
                  ["axes", "starts", "ends"], ["infer_flags=hook", "decrease_axis=hook"],
                  "importSlice", exportHook_="exportSlice">,
                Legacy<"strided_slice", ["Input", "StartsTensorList*|StartsTensor", "EndsTensorList*|EndsTensor",
                    "StridesTensorList*|StridesTensor"], ["Out"],
                  ["axes", "starts", "ends", "strides"], ["infer_flags=hook", "decrease_axis=hook"],
                  "importSlice", exportHook_="exportSlice">];
  let newIr = [NewIr<["x", "starts_tensor", "ends_tensor", "strides_tensor"], [], [], [], "strided_slice">];
  let newIrGradients = ["slice_grad(x, dout, starts_tensor, ends_tensor)", "slice_double_grad() -> dout"];
  let linear = ["x"];
  let batching = "inCode";
  let sharding = "inCode";
}

def Pd_FlipOp : Pd_Op<"flip", [Pd_MovesElements]> {
  let summary = "The elements along `axis` in reverse order";
  let arguments = (ins Pd_Tensor:$x, DenseI64ArrayAttr:$axis);
  let results = (outs Pd_Tensor:$out);
  let infer = "inferSameAsFirst";
  let decomposesInCode = 1;
  let legacy = [Legacy<"flip", ["X"], ["Out"], ["axis"]>, Legacy<"reverse", ["X"], ["Out"], ["axis"]>];
  let newIrGradients = ["flip_grad(dout)"];
}

def Pd_RollOp : Pd_Op<"roll", [Pd_MovesElements]> {
  let summary = "Circular shift by shifts[i] along axis[i]; without axes, of the elements in row-major order";
  let constraints = [
    "C1. the axes are in [-rank, rank) of x",
    "C2. shifts has one entry for each axis, or one without axes"
  ];
  let arguments = (ins Pd_Tensor:$x, Optional<Pd_IntTensor>:$shifts_tensor, IntsDefault:$shifts, IntsDefault:$axis);
  let results = (outs Pd_Tensor:$out);
  let decomposesInCode = 1;
  let hasCanonicalizeMethod = 1;
  let element = 1;
  let library = "roll";
  let libraryHalf = 1;
  let legacy = [Legacy<"roll", ["X", "ShiftsTensor|@shifts"], ["Out"], ["shifts:long", "axis:long"]>];
}

def Pd_SplitOp : Pd_Op<"split", [AttrSizedOperandSegments, Pd_MovesElements]> {
  let onnx = [OnnxWritten<"exportSplit">];
  let lod = "rows";
  let summary = "x split along `axis` into pieces of sizes `sections`, or into `num` equal pieces";
  let description = [{
    One section may be -1 and is inferred. With `num` above 0 the sections are ignored. The tensors override the
    attributes of the same names; `axis_tensor` must be constant.
  }];
  let constraints = [
    "C1. axis is in [-rank, rank) of x, and axis_tensor is constant",
    "C2. num divides the dim of x along axis",
    "C3. sections has at most one -1, and its entries add up to the dim of x along axis",
    "C4. num or sections is given, and sections_tensor has a static number of elements"
  ];
  let arguments = (ins Pd_Tensor:$x, Optional<Pd_IntTensor>:$sections_tensor, Optional<Pd_IntTensor>:$axis_tensor,
    IntsDefault:$sections, DefaultValuedAttr<I64Attr, "0">:$num, DefaultValuedAttr<I64Attr, "0">:$axis);
  let results = (outs Variadic<Pd_Tensor>:$out);
  let decomposesInCode = 1;
  let hasCanonicalizeMethod = 1;
  let precision = "follow";
  let newIr = [NewIr<["x", "axis_tensor"], [], [], [], "split_with_num">];
  let legacy = [Legacy<"split", ["X", "SectionsTensorList*", "AxisTensor|@axis"], ["Out"], ["sections", "num",
    "axis"], exportHook_="exportSplit">];
  let newIrGradients = ["split_grad(dout, axis_tensor)", "split_with_num_grad(dout, axis_tensor)"];
  let sharding = "inCode";
}

def Pd_UnbindOp : Pd_Op<"unbind", [Pd_MovesElements]> {
  let lod = "none";
  let summary = "The slices of x along `axis`, without that dimension";
  let description = "`num` is the size of a dynamic dimension; 0 for a static one.";
  let constraints = [
    "C1. axis is in [-rank, rank) of x",
    "C2. num is the dim of x along axis; it is given if that is dynamic"
  ];
  let arguments = (ins Pd_Tensor:$x, DefaultValuedAttr<I64Attr, "0">:$axis, DefaultValuedAttr<I64Attr, "0">:$num);
  let results = (outs Variadic<Pd_Tensor>:$out);
  let decomposesInCode = 1;
  let precision = "follow";
  let newIr = [NewIr<["x"], [], [], [], "unstack">];
  // unstack comes first: it has a gradient op.
  let legacy = [Legacy<"unstack", ["X"], ["Y"], ["axis", "num"], [], "importUnbind", exportHook_="exportUnbind">,
                Legacy<"unbind", ["X"], ["Out"], ["axis"], [], "importUnbind", exportHook_="exportUnbind">];
  let newIrGradients = ["unbind_grad(dout)", "unstack_grad(dout)"];
}

def Pd_CropOp : Pd_Op<"crop", [AttrSizedOperandSegments]> {
  let summary = "The box of dims `shape` at `offsets`; a size of -1 extends to the end";
  let constraints = [
    "C1. shape has one entry for each dimension of x",
    "C2. the box is within x"
  ];
  let arguments = (ins Pd_Tensor:$x, Optional<Pd_IntTensor>:$shape_tensor, Optional<Pd_IntTensor>:$offsets_tensor,
    IntsDefault:$shape, IntsDefault:$offsets);
  let results = (outs Pd_Tensor:$out);
  let decomposesInCode = 1;
  let hasCanonicalizeMethod = 1;
  let legacy = [Legacy<"crop_tensor", ["X", "ShapeTensor*|Shape|@shape", "OffsetsTensor*|Offsets|@offsets"], ["Out"],
    ["shape", "offsets"]>,
    Legacy<"crop", ["X", "Y", "Offsets"], ["Out"], [], ["shape=hook", "offsets=hook"], "importCropV1">];
  let newIrGradients = ["crop_grad(x, dout, offsets_tensor)"];
}

#endif
