// Exact convolutions of 8-bit integers.
#ifndef PROA_DIALECTS_PD_NN_INTEGER_CONV
#define PROA_DIALECTS_PD_NN_INTEGER_CONV

include "dialects/pd/ir/Base.td"
include "dialects/pd/ir/Contraction.td"
include "dialects/pd/ir/Layout.td"

def Pd_IntegerConv2dOp : Pd_Op<"integer_conv2d",
    [DeclareOpInterfaceMethods<ContractionOpInterface>, LayoutOpInterface]> {
  let lod = "none";
  let summary = "Convolution of 8-bit integers with exact sums in 32 bits";
  let description = [{
    As pd.conv2d, with products and sums of int32; sums beyond int32 wrap around. Elements outside of the input count
    as 0: an input with a zero point is padded with it before (`pd-form-integer-products`). The result has no
    derivative, because it is an integer.

    Source: as for pd.integer_matmul; `ConvInteger` of ONNX computes the same.
  }];
  let constraints = [
    "C1. input and filter have rank 4",
    "C3. the input has groups times the channels of the filter",
    "C4. groups is above 0 and divides the number of output channels",
    "C5. strides, dilations and paddings are valid",
    "C7. the kernel fits into the padded input"
  ];
  let arguments = (ins RankedTensorOf<[I8, UI8], [], "ranked tensor of i8 or ui8">:$input,
    RankedTensorOf<[I8], [], "ranked tensor of i8">:$filter,
    DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$strides, DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0}">:$paddings,
    Pd_DefaultEnum<Pd_PaddingAlgorithmAttr, "Explicit">:$padding_algorithm,
    DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$dilations, DefaultValuedAttr<I64Attr, "1">:$groups,
    Pd_DefaultEnum<Pd_DataFormatAttr, "NCHW">:$data_format);
  let results = (outs RankedTensorOf<[I32], [], "ranked tensor of i32">:$out);
  let infer = "inferIntegerConv2d";
  let library = "integer_conv2d";
  let hasFolder = 1;
  let differentiable = 0;
  let batching = "unbatched";
  let sharding = "inCode";
  let referenceInCode = 1;
}

#endif
