// Strided views and bit casts.
#ifndef PROA_DIALECTS_PD_SHAPE_STRIDED
#define PROA_DIALECTS_PD_SHAPE_STRIDED

include "dialects/pd/ir/Base.td"

def Pd_AsStridedOp : Pd_Op<"as_strided"> {
  let lod = "none";
  let summary = "out[i, j, ...] = element offset + i stride[0] + j stride[1] + ... of x in row-major order";
  let description = [{
    `offset` is in bytes, as in Paddle. An element that occurs several times in the result gets the sum of their
    cotangents.
  }];
  let constraints = [
    "C1. dims and stride have one entry for each dimension of the result, and no dim is negative",
    "C2. offset is a multiple of the size of an element",
    "C3. every index is an element of x, for static dims"
  ];
  let arguments = (ins Pd_Tensor:$x, DenseI64ArrayAttr:$dims, DenseI64ArrayAttr:$stride, DefaultValuedAttr<I64Attr,
    "0">:$offset);
  let results = (outs Pd_Tensor:$out);
  let decomposesInCode = 1;
  // The offset is in bytes.
  let precision = "always full";
  let legacy = [LegacyReadOnly<"as_strided", ["input"], ["out"], ["dims:long", "stride:long", "offset:long"]>];
}

def Pd_TensorUnfoldOp : Pd_Op<"tensor_unfold"> {
  let lod = "none";
  let summary = "Sliding windows of `size` elements along `axis`, with stride `step`, as a new last dimension";
  let constraints = [
    "C1. axis is in [-rank, rank) of x",
    "C2. step is positive, and size is from 0 to the dim size of axis"
  ];
  let arguments = (ins Pd_Tensor:$x, I64Attr:$axis, I64Attr:$size, I64Attr:$step);
  let results = (outs Pd_Tensor:$out);
  let decomposesInCode = 1;
  let legacy = [LegacyReadOnly<"tensor_unfold", ["input"], ["out"], ["axis:long", "size:long", "step:long"]>];
}

def Pd_ViewDtypeOp : Pd_Op<"view_dtype"> {
  let onnx = [OnnxWritten<"exportViewDtype", "opset >= 26">];
  let sharding = "inCode";
  let lod = "none";
  let summary = "The bits of x as elements of type dtype";
  let description = [{
    The last dimension is scaled: n elements of s bytes become n s / t elements of t bytes. The op has a gradient only
    between a complex type and the type of its components.
  }];
  let constraints = [
    "C1. if the element sizes differ, x has a last dimension whose bytes are a multiple of the new element size",
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
