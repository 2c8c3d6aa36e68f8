// Poolings that are composites of other ops.
#ifndef PROA_DIALECTS_PD_NN_POOLFORMULAS
#define PROA_DIALECTS_PD_NN_POOLFORMULAS

include "dialects/pd/ir/Base.td"
include "dialects/pd/ir/Layout.td"

def Pd_LpPool2dOp : Pd_Op<"lp_pool2d", [LayoutOpInterface]> {
  let summary = "The p-norm of each window over 2 spatial dimensions: (sum over the window of x^p)^(1/p), with p = "
    "norm_type";
  let description = [{
    Windows are as in pd.pool2d, with zeros around the input. As in Paddle the powers are of x, not of |x|: with
    odd p, a window with a negative sum gives NaN.
  }];
  let constraints = [
    "C1. x has rank 4",
    "C2. kernel_size has two positive entries",
    "C3. strides and paddings are valid",
    "C5. the window fits into the padded input",
    "C6. neither adaptive nor global_pooling is set"
  ];
  let arguments = (ins Pd_FloatTensor:$x, DenseI64ArrayAttr:$kernel_size,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$strides, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$paddings,
    DefaultValuedAttr<BoolAttr, "false">:$ceil_mode, Pd_DefaultEnum<Pd_DataFormatAttr, "NCHW">:$data_format,
    DefaultValuedAttr<BoolAttr, "false">:$global_pooling, DefaultValuedAttr<BoolAttr, "false">:$adaptive,
    Pd_DefaultEnum<Pd_PaddingAlgorithmAttr, "Explicit">:$padding_algorithm, F64Attr:$norm_type);
  let results = (outs Pd_FloatTensor:$out);
  let decomposesInCode = 1;
  let newIr = [NewIr<["x"], [], [], ["exclusive=any", "pooling_type=lp"]>];
  let newIrGradients = ["lp_pool2d_grad(x, out)"];
}

class Pd_FractionalMaxPoolOp<string mnemonic, int spatial> : Pd_Op<mnemonic> {
  let summary = "Fractional pooling: the maximum of each of output_size windows of nearly equal size over " # spatial
    # " spatial dimensions, and its index";
  let description = [{
    Along a dimension of `in` elements window i of `out` starts at floor((i + u) a) - floor(u a). Without kernel_size
    (zeros) it ends where the next one starts, with a = in / out and u = random_u * min((floor(in / out) + 2) / a - 1,
    (in + 1 - floor(in / out)) / a - (out - 1)); otherwise it has kernel_size elements, with a = (in - kernel_size) /
    (out - 1) and u = random_u. `mask` has the row-major index of the maximum in the plane of its channel; the first
    one of equal elements. Computed in float32, as in Paddle.
  }];
  let constraints = [
    "C1. x has rank " # !add(spatial, 2),
    "C2. output_size has one positive entry for each spatial dimension, at most its dim",
    "C3. kernel_size is empty or has one entry for each spatial dimension, from 0 to its dim",
    "C4. random_u is above 0 and below 1 (for 0 Paddle draws it in each run)"
  ];
  let arguments = (ins Pd_FloatTensor:$x, DenseI64ArrayAttr:$output_size, DefaultValuedAttr<DenseI64ArrayAttr,
    "{}">:$kernel_size, F64Attr:$random_u);
  let results = (outs Pd_FloatTensor:$out, Pd_IntTensor:$mask);
  let decomposesInCode = 1;
  let newIr = [NewIr<["x"], [], [], ["return_mask=any"]>];
}
def Pd_FractionalMaxPool2dOp : Pd_FractionalMaxPoolOp<"fractional_max_pool2d", 2> {
  let newIrGradients = ["fractional_max_pool2d_grad(x, mask)"];
}
def Pd_FractionalMaxPool3dOp : Pd_FractionalMaxPoolOp<"fractional_max_pool3d", 3> {
  let newIrGradients = ["fractional_max_pool3d_grad(x, mask)"];
}

def Pd_SppOp : Pd_Op<"spp"> {
  let summary = "Spatial pyramid pooling: poolings of an image to 1, 4, 16, ... cells, concatenated";
  let description = [{
    Level p of the pyramid, from 0 to pyramid_height - 1, has 2^p by 2^p windows of ceil(size / 2^p), padded by
    floor((window * 2^p - size + 1) / 2) on both sides. pooling_type is max or avg; a mean counts only elements of the
    image.
  }];
  let constraints = [
    "C1. x has rank 4 and static channels, height and width, the last two not 0",
    "C2. pyramid_height is positive"
  ];
  let arguments = (ins Pd_FloatTensor:$x, DefaultValuedAttr<I64Attr, "1">:$pyramid_height,
    Pd_DefaultEnum<Pd_PoolingTypeAttr, "Max">:$pooling_type);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferSpp";
  let decomposesInCode = 1;
  let legacy = [Legacy<"spp", ["X"], ["Out"], ["pyramid_height", "pooling_type"]>];
}

#endif
