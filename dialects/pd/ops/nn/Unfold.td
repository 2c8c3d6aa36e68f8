// Windows of images as columns, and back.
#ifndef PROA_DIALECTS_PD_NN_FOLD
#define PROA_DIALECTS_PD_NN_FOLD

include "dialects/pd/ir/Base.td"
include "dialects/pd/ir/Layout.td"

defvar foldPaddings = "`paddings` has one entry for both dimensions, or two, or those before and then those after.";

def Pd_UnfoldOp : Pd_Op<"unfold"> {
  let summary = "The windows of images as columns (im2col)";
  let description = [{
    x is [N, C, H, W], the result [N, C * kernel elements, number of windows]: column l has the elements of window l,
    zeros outside of x, channel by channel.
  }] # foldPaddings;
  let constraints = [
    "C1. x has rank 4",
    "C2. kernel_sizes, strides, dilations have two positive entries, paddings 1, 2 or 4 that are not negative",
    "C3. the window fits into the padded image"
  ];
  let arguments = (ins Pd_Tensor:$x, DenseI64ArrayAttr:$kernel_sizes, DenseI64ArrayAttr:$strides,
    DenseI64ArrayAttr:$paddings, DenseI64ArrayAttr:$dilations);
  let results = (outs Pd_Tensor:$out);
  let infer = "inferUnfold";
  let decomposesInCode = 1;
  let legacy = [Legacy<"unfold", ["X"], ["Y"], ["kernel_sizes", "strides", "paddings", "dilations"]>];
}

def Pd_FoldOp : Pd_Op<"fold"> {
  let summary = "Columns added to images (col2im): the transposition of pd.unfold";
  let description = [{
    x is [N, C * kernel elements, number of windows], the result [N, C, output_sizes]: each column is added to the
    elements of its window.
  }] # foldPaddings;
  let constraints = [
    "C1. x has rank 3",
    "C2. output_sizes, kernel_sizes, strides, dilations have two positive entries, paddings 1, 2 or 4 that are not "
      "below 0",
    "C3. the window fits into the padded image",
    "C4. x has one column for each window, and a multiple of the kernel's elements as rows"
  ];
  let arguments = (ins Pd_FloatTensor:$x, DenseI64ArrayAttr:$output_sizes, DenseI64ArrayAttr:$kernel_sizes,
    DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$paddings, DenseI64ArrayAttr:$dilations);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferFold";
  let decomposesInCode = 1;
  let legacy = [Legacy<"fold", ["X"], ["Y"], ["output_sizes", "kernel_sizes", "strides", "paddings", "dilations"]>];
}

def Pd_UnpoolOp : Pd_Op<"unpool"> {
  let summary = "The inverse of max_pool2d_with_index: elements at their indices, zeros elsewhere";
  let description = [{
    `indices` has for each element of x its row-major index in the plane of the output. The output dims are
    `output_size`, or if it is empty `(in - 1) * stride - 2 * padding + ksize`. `padding` has no other effect.
  }];
  let constraints = [
    "C1. x has rank 4, and indices has its dimensions",
    "C2. ksize, strides and padding have two entries; output_size has two positive entries or none"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_IntTensor:$indices, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$ksize,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$strides, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$padding,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$output_size, Pd_DefaultEnum<Pd_DataFormatAttr, "NCHW">:$data_format);
  let newIr = [NewIr<["x", "indices", "#output_size"]>];
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferUnpool";
  let decomposesInCode = 1;
  let legacy = [Legacy<"unpool", ["X", "Indices"], ["Out"], ["ksize", "strides", "padding=paddings", "output_size",
    "data_format"], constants_=["unpooling_type=max"]>];
  let newIrGradients = ["unpool_grad(x, indices, out)"];
}

def Pd_TemporalShiftOp : Pd_Op<"temporal_shift", [LayoutOpInterface]> {
  let summary = "Temporal shift: the first channels from the previous step, the next ones from the following step, "
    "the others unchanged";
  let description = [{
    x is [N * seg_num, C, H, W]: seg_num steps of each sample. Of the C channels the first floor(C * shift_ratio) come
    from the previous step, those up to floor(2 * C * shift_ratio) from the following step, with zeros beyond the
    ends.
  }];
  let constraints = [
    "C1. x has rank 4",
    "C2. seg_num is above 0 and divides the first dim; shift_ratio is in (0, 0.5)"
  ];
  let arguments = (ins Pd_FloatTensor:$x, I64Attr:$seg_num, DefaultValuedAttr<F64Attr, "0.25">:$shift_ratio,
    Pd_DefaultEnum<Pd_DataFormatAttr, "NCHW">:$data_format);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferTemporalShift";
  let decomposesInCode = 1;
  let legacy = [Legacy<"temporal_shift", ["X"], ["Out"], ["seg_num", "shift_ratio", "data_format"]>];
  let newIrGradients = ["temporal_shift_grad(dout)"];
}

#endif
