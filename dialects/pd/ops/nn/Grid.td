// Sampling at positions that a tensor holds.
#ifndef PROA_DIALECTS_PD_NN_GRID
#define PROA_DIALECTS_PD_NN_GRID

include "dialects/pd/ir/Base.td"

def Pd_GridSampleOp : Pd_Op<"grid_sample"> {
  let summary = "x at the positions of grid, between elements by interpolation";
  let description = [{
    The last dimension of grid holds a position for each spatial dimension, the last one first, in which -1 and 1 are the
    ends of the dimension: the centres of the border elements with `align_corners`, else their outer edges. `bilinear`
    weighs the elements around the position, `nearest` takes the closest (halves away from zero). Outside of x
    `padding_mode` sees zeros (`zeros`; with three spatial dimensions `nearest` does so where the position itself is outside), the closest border (`border`), or x mirrored at its ends (`reflection`).
  }];
  let constraints = [
    "C1. x has rank 4 or 5, and grid the same rank",
    "C2. grid has the batch of x and one number a spatial dimension at the end",
    "C3. x and grid have one element type"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$grid, Pd_DefaultEnum<Pd_GridSampleModeAttr, "Bilinear">:$mode,
    Pd_DefaultEnum<Pd_GridSamplePaddingAttr, "Zeros">:$padding_mode,
    DefaultValuedAttr<BoolAttr, "true">:$align_corners);
  let results = (outs Pd_FloatTensor:$out);
  let infer = "inferGridSample";
  let decomposesInCode = 1;
  let legacy = [Legacy<"grid_sampler", ["X", "Grid"], ["Output"], ["mode", "padding_mode", "align_corners"]>];
}

def Pd_AffineGridOp : Pd_Op<"affine_grid"> {
  let summary = "The positions of an image's elements after an affine map, for grid_sample";
  let description = [{
    `out[n, h, w] = input[n] * (x_w, y_h, 1)`, where x_w and y_h run from -1 to 1 in equal steps: from end to end with
    `align_corners`, else over the centres of equal parts. So in three dimensions with (x, y, z, 1). `output_shape` is the
    shape of the image: batch, channels, spatial extents; the tensor wins over the attribute.
  }];
  let constraints = [
    "C1. input has the dimensions [N, 2, 3] or [N, 3, 4]",
    "C2. output_shape has a number for each dimension of the image"
  ];
  let arguments = (ins Pd_FloatTensor:$input, Optional<Pd_IntTensor>:$output_shape_tensor,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$output_shape, DefaultValuedAttr<BoolAttr, "true">:$align_corners);
  let results = (outs Pd_FloatTensor:$output);
  let infer = "inferAffineGrid";
  let decomposesInCode = 1;
  let legacy = [Legacy<"affine_grid", ["Theta", "OutputShape|@output_shape"], ["Output"], ["output_shape", "align_corners"],
    ["use_cudnn"]>];
}

#endif
