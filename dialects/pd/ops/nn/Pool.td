// Poolings.
#ifndef PROA_DIALECTS_PD_NN_POOL
#define PROA_DIALECTS_PD_NN_POOL

include "dialects/pd/ops/nn/Formats.td"

defvar windowConstraints = [
  "C1. x has as many dimensions as the window, a batch and channels",
  "C2. kernel_size holds one positive number a spatial dimension (with global_pooling it means nothing)",
  "C3. strides and paddings are well formed",
  "C5. the window fits into the padded input"
];

// Strides, paddings: as in convolutions. The fold writes paddings as two a dimension and global pooling as a window as large
// as the input, where the input's extents are known.
class Pd_PoolOp<string mnemonic, int spatial, string format> : Pd_Op<mnemonic> {
  let summary = "Maximum or mean of each window over " # spatial # " spatial dimensions";
  let description = [{
    A window of kernel_size elements slides over the input. With `exclusive` a mean counts only elements inside of the
    input, else all of the padded window; padding never wins a maximum. `ceil_mode` rounds the number of windows up.
    With `adaptive` kernel_size holds the output's extents instead: output i of n combines the inputs from
    floor(i * in / n) up to ceil((i + 1) * in / n). With `global_pooling` the window is the whole input.
    `kernel_size_tensor` wins over the attribute.
  }];
  let constraints = windowConstraints;
  let arguments = (ins Pd_FloatTensor:$x, Optional<Pd_IntTensor>:$kernel_size_tensor,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$kernel_size, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$strides,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$paddings, DefaultValuedAttr<BoolAttr, "false">:$ceil_mode, DefaultValuedAttr<BoolAttr, "true">:$exclusive,
    Pd_DefaultEnum<Pd_DataFormatAttr, format>:$data_format, Pd_DefaultEnum<Pd_PoolingTypeAttr, "Max">:$pooling_type,
    DefaultValuedAttr<BoolAttr, "false">:$global_pooling, DefaultValuedAttr<BoolAttr, "false">:$adaptive,
    Pd_DefaultEnum<Pd_PaddingAlgorithmAttr, "Explicit">:$padding_algorithm);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferPool<" # spatial # ">";
  let precision = "follow";
  let library = mnemonic;
  let libraryHalf = 1;
  let vjpInCode = 1;
  let hasFolder = 1;
  let legacy = [Legacy<mnemonic, ["X", "@ksize"], ["Out"], ["kernel_size=ksize", "strides", "paddings", "ceil_mode", "exclusive",
    "data_format", "pooling_type", "global_pooling", "adaptive", "padding_algorithm"], ["is_test"]>];
}
def Pd_Pool2dOp : Pd_PoolOp<"pool2d", 2, "NCHW"> {
  let newIrGradients = ["pool2d_grad(x, out)", "pool2d_double_grad(x) -> dout"];
}
def Pd_Pool3dOp : Pd_PoolOp<"pool3d", 3, "NCDHW"> {
  let newIrGradients = ["pool3d_grad(x, out, dout)"];
}

class Pd_PoolGradientOp<string mnemonic, int spatial, string format> : Pd_Op<mnemonic, [Pd_SecondIsImage]> {
  let summary = "Gradient of a pooling over " # spatial # " spatial dimensions by its input";
  let description = [{
    For the pooling of x with these attributes whose result has the cotangent `out_gradient`: a mean gives each element that
    it counted its share of the window's cotangent; a maximum gives all of it to the first element of the window, row-major,
    that is the greatest.
  }];
  let constraints = !listconcat(windowConstraints,
    ["C7. out_gradient has the dimensions of the pooling's result, and x's element type"]);
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$out_gradient, Optional<Pd_IntTensor>:$kernel_size_tensor,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$kernel_size, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$strides,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$paddings, DefaultValuedAttr<BoolAttr, "false">:$ceil_mode, DefaultValuedAttr<BoolAttr, "true">:$exclusive,
    Pd_DefaultEnum<Pd_DataFormatAttr, format>:$data_format, Pd_DefaultEnum<Pd_PoolingTypeAttr, "Max">:$pooling_type,
    DefaultValuedAttr<BoolAttr, "false">:$global_pooling, DefaultValuedAttr<BoolAttr, "false">:$adaptive,
    Pd_DefaultEnum<Pd_PaddingAlgorithmAttr, "Explicit">:$padding_algorithm);
  let results = (outs Pd_FloatTensor:$x_gradient);
  let infer = "inferPoolGradient<" # spatial # ">";
  let precision = "follow";
  let library = mnemonic;
  let libraryHalf = 1;
  let vjpInCode = 1;
}
def Pd_Pool2dGradientOp : Pd_PoolGradientOp<"pool2d_gradient", 2, "NCHW">;
def Pd_Pool3dGradientOp : Pd_PoolGradientOp<"pool3d_gradient", 3, "NCDHW">;

class Pd_MaxPoolWithIndexOp<string mnemonic, int spatial> : Pd_Op<mnemonic> {
  let summary = "Maximum of each window over " # spatial # " spatial dimensions, and where it stands";
  let description = [{
    As pooling with pooling_type max. `mask` holds the position of the maximum in its channel's plane, row-major; the first
    one where several are equal.
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
    "adaptive", "ceil_mode"]>];
}
def Pd_MaxPool2dWithIndexOp : Pd_MaxPoolWithIndexOp<"max_pool2d_with_index", 2> {
  let precision = "low";
  let newIrGradients = ["max_pool2d_with_index_grad(x, mask)"];
}
def Pd_MaxPool3dWithIndexOp : Pd_MaxPoolWithIndexOp<"max_pool3d_with_index", 3> {
  let newIrGradients = ["max_pool3d_with_index_grad(x, mask)"];
}

#endif
