// Windows laid out as columns, and back.
#ifndef PROA_DIALECTS_PD_NN_FOLD
#define PROA_DIALECTS_PD_NN_FOLD

include "dialects/pd/ir/Base.td"

defvar foldPaddings = "`paddings` holds one number for both dimensions, or two, or those before and then those after them.";

def Pd_UnfoldOp : Pd_Op<"unfold"> {
  let summary = "The windows of images as columns";
  let description = [{
    x has the dimensions [N, C, H, W], the result [N, C * kernel elements, number of windows]: column l holds the elements of
    window l, zeros outside of x, channel by channel.
  }] # foldPaddings;
  let constraints = [
    "C1. x has rank 4",
    "C2. kernel_sizes, strides, dilations hold two positive numbers, paddings 1, 2 or 4 numbers that are not below 0",
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
  let summary = "Columns added up to images: the map that is transposed to unfold";
  let description = [{
    x has the dimensions [N, C * kernel elements, number of windows], the result [N, C, output_sizes]: each column is added
    to the elements of its window.
  }] # foldPaddings;
  let constraints = [
    "C1. x has rank 3",
    "C2. output_sizes, kernel_sizes, strides, dilations hold two positive numbers, paddings 1, 2 or 4 numbers that are not "
      "below 0",
    "C3. the window fits into the padded image",
    "C4. x has as many columns as there are windows, and a multiple of the kernel's elements as rows"
  ];
  let arguments = (ins Pd_FloatTensor:$x, DenseI64ArrayAttr:$output_sizes, DenseI64ArrayAttr:$kernel_sizes,
    DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$paddings, DenseI64ArrayAttr:$dilations);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferFold";
  let decomposesInCode = 1;
  let legacy = [Legacy<"fold", ["X"], ["Y"], ["output_sizes", "kernel_sizes", "strides", "paddings", "dilations"]>];
}

def Pd_UnpoolOp : Pd_Op<"unpool"> {
  let summary = "Elements put back where max_pool2d_with_index found them, zeros elsewhere";
  let description = [{
    `indices` holds for each element of x its place in the output's plane, row-major. The output's extents are
    `output_size`, or where it is empty `(in - 1) * stride - 2 * padding + ksize`. `padding` has no other meaning.
  }];
  let constraints = [
    "C1. x has rank 4 and indices its dimensions",
    "C2. ksize, strides and padding hold two numbers; output_size holds two positive numbers or none"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_IntTensor:$indices, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$ksize,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$strides, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$padding,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$output_size, DefaultValuedAttr<StrAttr, "\"NCHW\"">:$data_format);
  let newIr = [NewIr<["x", "indices", "#output_size"]>];
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferUnpool";
  let decomposesInCode = 1;
  let legacy = [Legacy<"unpool", ["X", "Indices"], ["Out"], ["ksize", "strides", "padding=paddings", "output_size",
    "data_format"], constants_=["unpooling_type=max"]>];
  let newIrGradients = ["unpool_grad(x, indices, out)"];
}

def Pd_TemporalShiftOp : Pd_Op<"temporal_shift"> {
  let summary = "The first channels from the step before, the next ones from the step after, the others in place";
  let description = [{
    x has the dimensions [N * seg_num, C, H, W]: seg_num steps of each sample. Of the C channels the first
    floor(C * shift_ratio) come from the step before, those up to floor(2 * C * shift_ratio) from the step after; beyond
    the ends there are zeros.
  }];
  let constraints = [
    "C1. x has rank 4",
    "C2. seg_num is above 0 and divides the first extent; shift_ratio is in (0, 0.5)",
    "C3. data_format is known"
  ];
  let arguments = (ins Pd_FloatTensor:$x, I64Attr:$seg_num, DefaultValuedAttr<F64Attr, "0.25">:$shift_ratio,
    DefaultValuedAttr<StrAttr, "\"NCHW\"">:$data_format);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferTemporalShift";
  let decomposesInCode = 1;
  let legacy = [Legacy<"temporal_shift", ["X"], ["Out"], ["seg_num", "shift_ratio", "data_format"]>];
  let newIrGradients = ["temporal_shift_grad(dout)"];
}

#endif
