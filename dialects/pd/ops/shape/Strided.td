// Views of a tensor's memory: elements at other strides, and their bits under another type.
#ifndef PROA_DIALECTS_PD_SHAPE_STRIDED
#define PROA_DIALECTS_PD_SHAPE_STRIDED

include "dialects/pd/ir/Base.td"

def Pd_AsStridedOp : Pd_Op<"as_strided"> {
  let lod = "none";
  let summary = "out[i, j, ...] = element number offset + i stride[0] + j stride[1] + ... of x, row-major";
  let description = "`offset` counts bytes, as Paddle's does. An element that several places of the result name gets the sum of their cotangents.";
  let constraints = [
    "C1. dims and stride have one entry for each dimension of the result, and no extent is negative",
    "C2. offset is a multiple of the size of an element",
    "C3. every place is an element of x, as far as its dims are known"
  ];
  let arguments = (ins Pd_Tensor:$x, DenseI64ArrayAttr:$dims, DenseI64ArrayAttr:$stride, DefaultValuedAttr<I64Attr, "0">:$offset);
  let results = (outs Pd_Tensor:$out);
  let decomposesInCode = 1;
  let legacy = [LegacyReadOnly<"as_strided", ["input"], ["out"], ["dims:long", "stride:long", "offset:long"]>];
}

def Pd_TensorUnfoldOp : Pd_Op<"tensor_unfold"> {
  let lod = "none";
  let summary = "The windows of `size` elements along `axis`, each `step` behind the one before, as a new last dimension";
  let constraints = [
    "C1. axis is in [-rank, rank) of x",
    "C2. step is positive, and size is from 0 to the extent of axis"
  ];
  let arguments = (ins Pd_Tensor:$x, I64Attr:$axis, I64Attr:$size, I64Attr:$step);
  let results = (outs Pd_Tensor:$out);
  let decomposesInCode = 1;
  let legacy = [LegacyReadOnly<"tensor_unfold", ["input"], ["out"], ["axis:long", "size:long", "step:long"]>];
}

def Pd_ViewDtypeOp : Pd_Op<"view_dtype"> {
  let lod = "none";
  let summary = "The bits of x as elements of type dtype";
  let description = [{
    The last dimension gets as many elements as its bits make: n elements of s bytes are n s / t of t bytes. There is a gradient between a
    complex type and that of its parts alone; all others are steps.
  }];
  let constraints = [
    "C1. x has a last dimension where the two types differ in size, and its bytes are a multiple of the new size",
    "C2. out has the element type dtype"
  ];
  let arguments = (ins Pd_Tensor:$x, TypeAttr:$dtype);
  let results = (outs Pd_Tensor:$out);
  let precision = "always full";
  let library = "view_dtype";
  let libraryHalf = 1;
  let vjpInCode = 1;
  let legacy = [LegacyReadOnly<"view_dtype", ["input"], ["out"], ["dtype"]>];
  let batching = "batchAllOperands";
  let referenceInCode = 1;
}

#endif
