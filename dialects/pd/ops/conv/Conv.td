// Convolutions.
#ifndef PROA_DIALECTS_PD_NN_CONV
#define PROA_DIALECTS_PD_NN_CONV

include "dialects/pd/ir/Base.td"
include "dialects/pd/ir/Contraction.td"
include "dialects/pd/ir/Layout.td"

class Ints<string value> : DefaultValuedAttr<DenseI64ArrayAttr, value>;

// Paddings: one entry for each spatial dimension, or two (before and after). The fold rewrites them to two and
// EXPLICIT once the dims that SAME needs are static.
class Pd_ConvOp<string mnemonic, int spatial, string ones, string zeros, string format>
    : Pd_Op<mnemonic, [DeclareOpInterfaceMethods<ContractionOpInterface>, LayoutOpInterface]> {
  let lod = "none";
  let summary = "Convolution over " # spatial # " spatial dimensions (cross-correlation)";
  let description = [{
    `out[n, o, p...] = sum over c, k... of input[n, c, p * stride + k * dilation - padding...] * filter[o, c, k...]`,
    with zeros outside of the input. The filter is [out channels, input channels / groups, kernel dims], in every data
    format. Output channel group i uses input channel group i.
  }];
  let constraints = [
    "C1. input and filter have rank " # !add(spatial, 2),
    "C2. input and filter have the same element type",
    "C3. the input has groups times the channels of the filter",
    "C4. groups is above 0 and divides the number of output channels",
    "C5. strides, dilations and paddings are valid",
    "C7. the kernel fits into the padded input"
  ];
  let arguments = (ins Pd_FloatTensor:$input, Pd_FloatTensor:$filter, Ints<ones>:$strides, Ints<zeros>:$paddings,
    Pd_DefaultEnum<Pd_PaddingAlgorithmAttr, "Explicit">:$padding_algorithm, Ints<ones>:$dilations,
    DefaultValuedAttr<I64Attr, "1">:$groups, Pd_DefaultEnum<Pd_DataFormatAttr, format>:$data_format);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferConv<" # spatial # ">";
  let library = mnemonic;
  let libraryHalf = 1;
  let cudaLibrary = "cudnn";
  let vjpInCode = 1;
  let hasFolder = 1;
  let linear = ["input", "filter"];
  let batching = "inCode";
  let sharding = "inCode";
  let referenceInCode = 1;
  let extraClassDeclaration = [{
    ::mlir::OpOperand *getChannelWeights() { return &getFilterMutable(); }
  }];
}

// Convolutions, with the ops that Paddle's passes fuse into them (translator/import/legacy/FusedAttributes.h).
class LegacyConv<string type, list<string> more = []> : Legacy<type, ["Input", "Filter"], ["Output"],
  ["strides", "paddings", "padding_algorithm", "dilations", "groups", "data_format"] # more,
  ["fuse_activation=fused", "fuse_relu=fused", "fuse_brelu=fused", "fuse_relu_before_depthwise_conv=fused",
    "fuse_residual_connection=fused", "slot Bias", "slot ResidualData"]>;

def Pd_Conv2dOp : Pd_ConvOp<"conv2d", 2, "{1, 1}", "{0, 0}", "NCHW"> {
  let onnx = [OnnxWritten<"exportConv2d">];
  let precision = "low";
  let newIr = [NewIr<["input", "filter"], [], [], [], "depthwise_conv2d">];
  let legacy = [LegacyConv<"conv2d">, LegacyConv<"depthwise_conv2d">, LegacyConv<"fused_conv2d">];
  let newIrGradients = ["conv2d_grad_grad(input, filter, dout)", "depthwise_conv2d_double_grad(input, filter, dout)"];
}
def Pd_Conv3dOp : Pd_ConvOp<"conv3d", 3, "{1, 1, 1}", "{0, 0, 0}", "NCDHW"> {
  let onnx = [OnnxWritten<"exportConv3d">];
  let legacy = [LegacyConv<"conv3d">, LegacyConv<"fused_conv3d">];
  let newIrGradients = ["conv3d_double_grad(input, filter, dout)"];
}

class Pd_ConvTransposeOp<string mnemonic, int spatial, string ones, string zeros, string format>
    : Pd_Op<mnemonic, [DeclareOpInterfaceMethods<ContractionOpInterface>, LayoutOpInterface]> {
  let lod = "none";
  let summary = "Transposed convolution over " # spatial # " spatial dimensions";
  let description = [{
    The transposition of the convolution with the same attributes: each input element adds the filter, times itself,
    to the output at `p * stride + k * dilation - padding`. The filter is [input channels, output channels / groups,
    kernel dims]. The output dim is `(in - 1) * stride - paddings + dilation * (kernel - 1) + 1` plus
    `output_padding`, or `output_size` if given.
  }];
  let constraints = [
    "C1. x and filter have rank " # !add(spatial, 2),
    "C2. x and filter have the same element type",
    "C3. x has the input channels of the filter",
    "C4. groups is above 0 and divides the number of input channels",
    "C5. strides, dilations and paddings are valid",
    "C7. output_padding is empty or has one entry for each spatial dimension, from 0 to below the stride or the "
      "dilation",
    "C8. output_size is empty or has one entry for each spatial dimension, which exceeds the dim without it by less "
      "than the stride",
    "C9. the output dims are positive"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$filter, Ints<ones>:$strides, Ints<zeros>:$paddings,
    Ints<"{}">:$output_padding, Ints<"{}">:$output_size,
    Pd_DefaultEnum<Pd_PaddingAlgorithmAttr, "Explicit">:$padding_algorithm,
    Ints<ones>:$dilations, DefaultValuedAttr<I64Attr, "1">:$groups,
    Pd_DefaultEnum<Pd_DataFormatAttr, format>:$data_format);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferConvTranspose<" # spatial # ">";
  let library = mnemonic;
  let libraryHalf = 1;
  let cudaLibrary = "cudnn";
  let vjpInCode = 1;
  let hasFolder = 1;
  let linear = ["x", "filter"];
  let batching = "inCode";
  let sharding = "inCode";
  let referenceInCode = 1;
  let extraClassDeclaration = [{
    // With groups a slice of the filter belongs to a channel of each group.
    ::mlir::OpOperand *getChannelWeights() { return getGroups() == 1 ? &getFilterMutable() : nullptr; }
    int64_t getChannelDim() { return 1; }
  }];
}

def Pd_Conv2dTransposeOp : Pd_ConvTransposeOp<"conv2d_transpose", 2, "{1, 1}", "{0, 0}", "NCHW"> {
  let onnx = [OnnxWritten<"exportConv2dTranspose">];
  let newIr = [NewIr<["x", "filter", "#output_size"]>,
               NewIr<["x", "filter", "#output_size"], [], [], [], "depthwise_conv2d_transpose">];
  let precision = "low";
  let legacy = [LegacyConv<"conv2d_transpose", ["output_padding", "output_size"]>,
                LegacyConv<"depthwise_conv2d_transpose", ["output_padding", "output_size"]>];
  let newIrGradients = ["conv2d_transpose_double_grad(x, filter, dout)"];
}
def Pd_Conv3dTransposeOp : Pd_ConvTransposeOp<"conv3d_transpose", 3, "{1, 1, 1}", "{0, 0, 0}", "NCDHW"> {
  let onnx = [OnnxWritten<"exportConv3dTranspose">];
  let legacy = [LegacyConv<"conv3d_transpose", ["output_padding", "output_size"]>];
}

class Pd_ConvWeightGradientOp<string mnemonic, int spatial, string ones, string zeros, string format>
    : Pd_Op<mnemonic, [DeclareOpInterfaceMethods<LayoutOpInterface, ["getNumImageOperands", "hasImageResults"]>]> {
  let sharding = "inCode";
  let summary = "Gradient of a convolution over " # spatial # " spatial dimensions by its filter";
  let description = [{
    `filter_gradient[o, c, k...] = sum over n, p... of input[n, c, p * stride + k * dilation - padding...] *
    out_gradient[n, o, p...]`, for the convolution of `input` with these attributes whose result has the cotangent
    `out_gradient`. `kernel_size` has the spatial dims of the filter. The gradient by the input is the transposed
    convolution of `out_gradient` with output_size set to the dims of the input.
  }];
  let constraints = [
    "C1. input and out_gradient have rank " # !add(spatial, 2),
    "C2. input and out_gradient have the same element type",
    "C3. kernel_size has one positive entry for each spatial dimension",
    "C4. groups is above 0 and divides the channels of input and out_gradient",
    "C5. strides, dilations and paddings are valid",
    "C7. the kernel fits into the padded input; out_gradient has the spatial dims of the convolution's result"
  ];
  let arguments = (ins Pd_FloatTensor:$input, Pd_FloatTensor:$out_gradient, DenseI64ArrayAttr:$kernel_size,
    Ints<ones>:$strides, Ints<zeros>:$paddings, Pd_DefaultEnum<Pd_PaddingAlgorithmAttr, "Explicit">:$padding_algorithm,
    Ints<ones>:$dilations, DefaultValuedAttr<I64Attr, "1">:$groups,
    Pd_DefaultEnum<Pd_DataFormatAttr, format>:$data_format);
  let results = (outs Pd_FloatTensor:$filter_gradient);
  let infer = "inferConvWeightGradient<" # spatial # ">";
  let library = mnemonic;
  let libraryHalf = 1;
  let cudaLibrary = "cudnn";
  let vjpInCode = 1;
  let linear = ["input", "out_gradient"];
  let batching = "inCode";
  let referenceInCode = 1;
}
def Pd_Conv2dWeightGradientOp : Pd_ConvWeightGradientOp<"conv2d_weight_gradient", 2, "{1, 1}", "{0, 0}", "NCHW"> {
  let onnx = [OnnxWritten<"exportConv2dWeightGradient">];
  let precision = "low";
}
def Pd_Conv3dWeightGradientOp
    : Pd_ConvWeightGradientOp<"conv3d_weight_gradient", 3, "{1, 1, 1}", "{0, 0, 0}", "NCDHW"> {
  let onnx = [OnnxWritten<"exportConv3dWeightGradient">];
}

def : OnnxFormula<"Conv", "importConv">;
def : OnnxFormula<"CausalConvWithState", "importCausalConvWithState">;
def : OnnxFormula<"CausalConvWithState", "importCausalConvWithState", 1, 0, "com.microsoft">;
def : OnnxFormula<"ConvTranspose", "importConvTranspose">;

def : LegacyFormula<"var_conv_2d", ["X", "ROW", "COLUMN", "W"], ["Out", "Col"], ["InputChannel", "OutputChannel",
  "KernelH", "KernelW", "StrideH", "StrideW"], [], "importVarConv2d">;

#endif
