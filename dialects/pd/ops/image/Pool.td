// Pooling.
#ifndef PROA_DIALECTS_PD_NN_POOL
#define PROA_DIALECTS_PD_NN_POOL

include "dialects/pd/ir/Base.td"
include "dialects/pd/ir/Layout.td"

defvar windowConstraints = [
  "C1. x has the spatial dimensions of the window, a batch and channels",
  "C2. kernel_size has one positive entry for each spatial dimension (global_pooling ignores it)",
  "C3. strides and paddings are valid; adaptive and global poolings ignore them, except global ones a stride of 0",
  "C5. the window fits into the padded input"
];

// Strides and paddings are as in convolutions. The fold rewrites paddings to two for each dimension, and global
// pooling to a window as large as the input, once the dims of the input are static.
class Pd_PoolOp<string mnemonic, int spatial, string format> : Pd_Op<mnemonic, [LayoutOpInterface]> {
  let summary = "Maximum or mean of each window over " # spatial # " spatial dimensions";
  let description = [{
    A window of kernel_size elements slides over the input. With `exclusive` a mean counts only elements of the input,
    else all elements of the padded window; padding does not affect a maximum. `ceil_mode` rounds the number of
    windows up. With `adaptive`, kernel_size has the output dims instead: output i of n combines the inputs from
    floor(i * in / n) to before ceil((i + 1) * in / n). With `global_pooling` the window is the whole input.
    `kernel_size_tensor` overrides the attribute.
  }];
  let constraints = windowConstraints;
  let arguments = (ins Pd_FloatTensor:$x, Optional<Pd_IntTensor>:$kernel_size_tensor,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$kernel_size, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$strides,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$paddings, DefaultValuedAttr<BoolAttr, "false">:$ceil_mode,
      DefaultValuedAttr<BoolAttr, "true">:$exclusive,
    Pd_DefaultEnum<Pd_DataFormatAttr, format>:$data_format, Pd_DefaultEnum<Pd_PoolingTypeAttr, "Max">:$pooling_type,
    DefaultValuedAttr<BoolAttr, "false">:$global_pooling, DefaultValuedAttr<BoolAttr, "false">:$adaptive,
    Pd_DefaultEnum<Pd_PaddingAlgorithmAttr, "Explicit">:$padding_algorithm);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferPool<" # spatial # ">";
  let precision = "follow";
  let element = 1;
  let library = mnemonic;
  let libraryHalf = 1;
  let vjpInCode = 1;
  let hasFolder = 1;
  let legacy = [Legacy<mnemonic, ["X", "@ksize"], ["Out"], ["kernel_size=ksize", "strides", "paddings", "ceil_mode",
    "exclusive", "data_format", "pooling_type", "global_pooling", "adaptive", "padding_algorithm"],
    exportHook_="exportPool">];
  let linear = ["inCode"];
  let batching = "batchImages";
  let sharding = "inCode";
  let referenceInCode = 1;
}
def Pd_Pool2dOp : Pd_PoolOp<"pool2d", 2, "NCHW"> {
  let onnx = [OnnxWritten<"exportPool2d">];
  let newIrGradients = ["pool2d_grad(x, out)", "pool2d_double_grad(x) -> dout"];
}
def Pd_Pool3dOp : Pd_PoolOp<"pool3d", 3, "NCDHW"> {
  let onnx = [OnnxWritten<"exportPool3d">];
  let newIrGradients = ["pool3d_grad(x, out, dout)"];
}

class Pd_PoolGradientOp<string mnemonic, int spatial, string format>
    : Pd_Op<mnemonic, [DeclareOpInterfaceMethods<LayoutOpInterface, ["getNumImageOperands"]>]> {
  let sharding = "inCode";
  let summary = "Gradient of a pooling over " # spatial # " spatial dimensions by its input";
  let description = [{
    For the pooling of x with these attributes whose result has the cotangent `out_gradient`: a mean gives each
    counted element its share of the cotangent of the window; a maximum gives all of it to the first largest element
    of the window in row-major order.
  }];
  let constraints = !listconcat(windowConstraints,
    ["C7. out_gradient has the dimensions of the pooling's result, and the element type of x"]);
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$out_gradient, Optional<Pd_IntTensor>:$kernel_size_tensor,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$kernel_size, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$strides,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$paddings, DefaultValuedAttr<BoolAttr, "false">:$ceil_mode,
      DefaultValuedAttr<BoolAttr, "true">:$exclusive,
    Pd_DefaultEnum<Pd_DataFormatAttr, format>:$data_format, Pd_DefaultEnum<Pd_PoolingTypeAttr, "Max">:$pooling_type,
    DefaultValuedAttr<BoolAttr, "false">:$global_pooling, DefaultValuedAttr<BoolAttr, "false">:$adaptive,
    Pd_DefaultEnum<Pd_PaddingAlgorithmAttr, "Explicit">:$padding_algorithm);
  let results = (outs Pd_FloatTensor:$x_gradient);
  let infer = "inferPoolGradient<" # spatial # ">";
  let precision = "follow";
  let element = 1;
  let library = mnemonic;
  let libraryHalf = 1;
  let vjpInCode = 1;
  let linear = ["out_gradient"];
  let batching = "batchImagePairs";
  let referenceInCode = 1;
}
def Pd_Pool2dGradientOp : Pd_PoolGradientOp<"pool2d_gradient", 2, "NCHW"> {
  let onnx = [OnnxWritten<"exportPool2dGradient">];
}
def Pd_Pool3dGradientOp : Pd_PoolGradientOp<"pool3d_gradient", 3, "NCDHW"> {
  let onnx = [OnnxWritten<"exportPool3dGradient">];
}

class Pd_MaxPoolWithIndexOp<string mnemonic, int spatial> : Pd_Op<mnemonic> {
  let summary = "Maximum of each window over " # spatial # " spatial dimensions, and its index";
  let description = [{
    As pooling with pooling_type max. `mask` has the row-major index of the maximum in the plane of its channel; the
    first one of equal elements.
  }];
  let constraints = windowConstraints;
  let arguments = (ins Pd_FloatTensor:$x, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$kernel_size,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$strides, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$paddings,
    DefaultValuedAttr<BoolAttr, "false">:$global_pooling, DefaultValuedAttr<BoolAttr, "false">:$adaptive,
    DefaultValuedAttr<BoolAttr, "false">:$ceil_mode);
  let results = (outs Pd_FloatTensor:$out, Pd_IntTensor:$mask);
  let infer = "inferMaxPoolWithIndex<" # spatial # ">";
  let library = mnemonic;
  let libraryHalf = 1;
  let vjpInCode = 1;
  let hasFolder = 1;
  let legacy = [Legacy<mnemonic, ["X"], ["Out", "Mask"], ["kernel_size=ksize", "strides", "paddings", "global_pooling",
    "adaptive", "ceil_mode"], exportHook_="exportPool">];
  let batching = "batchImages";
  let sharding = "inCode";
  let referenceInCode = 1;
}
def Pd_MaxPool2dWithIndexOp : Pd_MaxPoolWithIndexOp<"max_pool2d_with_index", 2> {
  let onnx = [OnnxWritten<"exportMaxPool2dWithIndex">];
  let precision = "low";
  let newIrGradients = ["max_pool2d_with_index_grad(x, mask)"];
}
def Pd_MaxPool3dWithIndexOp : Pd_MaxPoolWithIndexOp<"max_pool3d_with_index", 3> {
  let onnx = [OnnxWritten<"exportMaxPool3dWithIndex">];
  let newIrGradients = ["max_pool3d_with_index_grad(x, mask)"];
}

def : OnnxFormula<"MaxPool", "importMaxPool">;
def : OnnxFormula<"NhwcMaxPool", "importNhwcMaxPool", 1, 0, "com.microsoft">;
def : OnnxFormula<"AveragePool", "importAveragePool">;
def : OnnxFormula<"LpPool", "importLpPool">;
def : OnnxFormula<"GlobalMaxPool", "importGlobalMaxPool">;
def : OnnxFormula<"GlobalAveragePool", "importGlobalAveragePool">;
def : OnnxFormula<"GlobalLpPool", "importGlobalLpPool">;

#endif
