// Deformable convolution.
#ifndef PROA_DIALECTS_PD_NN_DEFORMABLE_CONV
#define PROA_DIALECTS_PD_NN_DEFORMABLE_CONV

include "dialects/pd/ir/Base.td"

defvar PairOfOnes = DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">;
defvar PairOfZeros = DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0}">;

def Pd_DeformableConvOp : Pd_Op<"deformable_conv"> {
  let summary = "Deformable convolution: a 2-D convolution whose window elements are shifted by `offset` and "
    "weighted by `mask`";
  let description = [{
    offset [N, 2 * deformable_groups * kernel elements, OH, OW] has the shift down and right of each element of each
    window, mask [N, deformable_groups * kernel elements, OH, OW] its weight (default 1). Shifted elements are
    interpolated bilinearly, with zeros outside of x. The channels of x are divided into deformable_groups blocks.
  }];
  let constraints = [
    "C1. x, offset, mask and filter have rank 4, and the dims of the filter are static",
    "C2. strides, paddings and dilations are pairs, strides and dilations positive, paddings not negative",
    "C3. groups and deformable_groups are positive, and groups divides the number of filters",
    "C4. the window fits into the padded input"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$offset, Pd_FloatTensor:$filter,
    Optional<Pd_FloatTensor>:$mask, PairOfOnes:$strides, PairOfZeros:$paddings, PairOfOnes:$dilations,
    DefaultValuedAttr<I64Attr,
      "1">:$deformable_groups,
    DefaultValuedAttr<I64Attr, "1">:$groups);
  let newIr = [NewIr<["x", "offset", "filter", "mask"], [], [], ["im2col_step=any"]>];
  let results = (outs Pd_FloatTensor:$out);
  // Positions need more than 16 bits.
  let precision = "always full";
  let infer = "inferDeformableConv";
  let decomposesInCode = 1;
  let lod = "none";
  // Without a mask deformable_conv_v1: deformable_conv requires one. Gradients with an im2col_step above 1 are wrong in
  // Paddle 2.6.2.
  let legacy = [Legacy<"deformable_conv_v1", ["Input", "Offset", "Filter", ""], ["Output"], ["strides", "paddings",
    "dilations",
                  "deformable_groups", "groups"], ["im2col_step=any"], constants_=["im2col_step=1"]>,
                Legacy<"deformable_conv", ["Input", "Offset", "Filter", "Mask"], ["Output"], ["strides", "paddings",
                  "dilations", "deformable_groups", "groups"], ["im2col_step=any"], constants_=["im2col_step=1"]>];
}

def : OnnxFormula<"DeformConv", "importDeformConv">;

#endif
