// Resampling of images to another size.
#ifndef PROA_DIALECTS_PD_NN_INTERPOLATE
#define PROA_DIALECTS_PD_NN_INTERPOLATE

include "dialects/pd/ir/Base.td"
include "dialects/pd/ir/Layout.td"

class Pd_InterpolateOp<string mnemonic, string spatial, string method, string text, string keyword = !tolower(method)>
    : Pd_Op<mnemonic, [AttrSizedOperandSegments, LayoutOpInterface]> {
  let summary = text # " over " # spatial # " spatial dimensions";
  let description = [{
    The output dims are the first of these that is given: the elements of `size_tensor` (one tensor for each
    dimension), the elements of `out_size`, the input dims times `scale_tensor` or `scale` (one factor, or one for
    each dimension; rounded down), or `out_d`, `out_h`, `out_w` (the last of them for fewer dimensions).

    Output index o corresponds to the input position o * (in - 1) / (out - 1) with `align_corners`; else, with ratio r
    = 1 / scale, or in / out without a scale, to (o + 0.5) * r - 0.5, not below 0 (with `align_mode` 1 in the linear
    methods to o * r). Along a dimension with one output index r is 0. An output as large as the input is a copy of it,
    whatever the scale. nearest takes the element at floor(o * r), or
    with `align_corners` at the rounded position. bicubic uses the Keys kernel with a = -0.75 on four elements;
    indices outside of the input take the border element.
  }];
  let constraints = [
    "C1. x has a batch, channels and " # spatial # " spatial dimensions",
    "C3. the size is given in one of the ways, with one entry for each dimension (a single scale counts for all)",
    "C4. the output dims are positive",
    "C5. interp_method is " # keyword
  ];
  let arguments = (ins Pd_Tensor:$x, Optional<Pd_IntTensor>:$out_size, Variadic<Pd_IntTensor>:$size_tensor,
    Optional<Pd_FloatTensor>:$scale_tensor, Pd_DefaultEnum<Pd_DataFormatAttr, "NCHW">:$data_format,
    DefaultValuedAttr<I64Attr, "0">:$out_d, DefaultValuedAttr<I64Attr, "0">:$out_h, DefaultValuedAttr<I64Attr,
      "0">:$out_w,
    DefaultValuedAttr<DenseF64ArrayAttr, "{}">:$scale, Pd_DefaultEnum<Pd_InterpolationAttr, method>:$interp_method,
    DefaultValuedAttr<BoolAttr, "true">:$align_corners, DefaultValuedAttr<I64Attr, "1">:$align_mode);
  let operandFormat = "$x (`out_size` `=` $out_size^)? (`sizes` `=` $size_tensor^)? (`scale` `=` $scale_tensor^)?";
  let results = (outs Pd_Tensor:$output);
  let infer = "inferInterpolate<Interpolation::" # method # ">";
  let precision = "always full";
  let element = 1;
  let library = "interpolate";
  let libraryHalf = 1;
  let vjpInCode = 1;
  let legacy = [Legacy<mnemonic # "_v2", ["X", "OutSize", "SizeTensor*", "Scale"], ["Out"],
    ["data_format=data_layout", "out_d", "out_h", "out_w", "scale", "interp_method", "align_corners", "align_mode"], [],
    "importInterpolate">,
    Legacy<mnemonic, ["X", "OutSize", "SizeTensor*", "Scale"], ["Out"], ["data_format=data_layout", "out_d", "out_h",
      "out_w", "scale", "interp_method", "align_corners", "align_mode"], [], "importInterpolateV1">];
  let newIrGradients = [mnemonic # "_grad(x, out_size, size_tensor, scale_tensor, doutput)"];
  let linear = ["x"];
  let batching = "batchImages";
  let sharding = "inCode";
  let referenceInCode = 1;
}

def Pd_LinearInterpOp : Pd_InterpolateOp<"linear_interp", "1", "Linear", "Linear interpolation"> {
  let onnx = [OnnxWritten<"exportLinearInterp">];
}
def Pd_BilinearInterpOp : Pd_InterpolateOp<"bilinear_interp", "2", "Bilinear", "Linear interpolation"> {
  let onnx = [OnnxWritten<"exportBilinearInterp">];
}
def Pd_TrilinearInterpOp : Pd_InterpolateOp<"trilinear_interp", "3", "Trilinear", "Linear interpolation"> {
  let onnx = [OnnxWritten<"exportTrilinearInterp">];
}
def Pd_BicubicInterpOp : Pd_InterpolateOp<"bicubic_interp", "2", "Bicubic", "Cubic interpolation"> {
  let onnx = [OnnxWritten<"exportBicubicInterp">];
}
def Pd_NearestInterpOp : Pd_InterpolateOp<"nearest_interp", "1 to 3", "Nearest", "Nearest-neighbor interpolation"> {
  let onnx = [OnnxWritten<"exportNearestInterp">];
}

def Pd_InterpolateGradientOp : Pd_Op<"interpolate_gradient", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<LayoutOpInterface, ["getNumImageOperands"]>]> {
  let sharding = "inCode";
  let summary = "Gradient of an interpolation by its input";
  let description = [{
    The transposition of the interpolation with these operands and attributes: each element of `out_gradient` is
    added, times their weights, to the elements that the interpolation combined. Only the dims of x are used.
  }];
  let constraints = [
    "C2. out_gradient has the dimensions of the interpolation's result, and the element type of x; the "
      "constraints of the interpolation hold"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$out_gradient, Optional<Pd_IntTensor>:$out_size,
    Variadic<Pd_IntTensor>:$size_tensor, Optional<Pd_FloatTensor>:$scale_tensor,
    Pd_DefaultEnum<Pd_DataFormatAttr, "NCHW">:$data_format,
    DefaultValuedAttr<I64Attr, "0">:$out_d, DefaultValuedAttr<I64Attr, "0">:$out_h, DefaultValuedAttr<I64Attr,
      "0">:$out_w,
    DefaultValuedAttr<DenseF64ArrayAttr, "{}">:$scale, Pd_InterpolationAttr:$interp_method,
    DefaultValuedAttr<BoolAttr, "true">:$align_corners, DefaultValuedAttr<I64Attr, "1">:$align_mode);
  let operandFormat = [{$x `,` $out_gradient (`out_size` `=` $out_size^)? (`sizes` `=` $size_tensor^)?
    (`scale` `=` $scale_tensor^)?}];
  let results = (outs Pd_FloatTensor:$x_gradient);
  let infer = "inferInterpolateGradient";
  let library = "interpolate_gradient";
  let decomposesInCode = 1;
  let libraryHalf = 1;
  let vjpInCode = 1;
  let precision = "always full";
  let linear = ["out_gradient"];
  let batching = "batchImagePairs";
  let referenceInCode = 1;
}

def : OnnxFormula<"Resize", "importResize">;
def : OnnxFormula<"Upsample", "importResize">;

#endif
