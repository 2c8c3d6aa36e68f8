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
  let element = 1;
  let library = "fold";
  let libraryHalf = 1;
  let legacy = [Legacy<"fold", ["X"], ["Y"], ["output_sizes", "kernel_sizes", "strides", "paddings", "dilations"]>];
}

def : OnnxFormula<"Col2Im", "importCol2Im">;
def : OnnxFormula<"UnfoldTensor", "importUnfoldTensor", 1, 0, "com.microsoft">;

#endif
