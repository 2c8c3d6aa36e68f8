// Grid sampling.
#ifndef PROA_DIALECTS_PD_NN_GRID
#define PROA_DIALECTS_PD_NN_GRID

include "dialects/pd/ir/Base.td"

def Pd_GridSampleOp : Pd_Op<"grid_sample"> {
  let summary = "x interpolated at the positions in grid";
  let description = [{
    The last dimension of grid has a position for each spatial dimension, the last one first. -1 and 1 are the ends of
    the dimension: the centers of the border elements with `align_corners`, else their outer edges. `bilinear`
    interpolates between the surrounding elements, `nearest` takes the closest (halves away from zero). Outside of x,
    `padding_mode` is `zeros` (for `nearest` with three spatial dimensions, if the position itself is outside),
    `border` (the closest element), or `reflection` (x mirrored at its ends).
  }];
  let constraints = [
    "C1. x has rank 4 or 5, and grid the same rank",
    "C2. grid has the batch of x, and a last dim equal to the number of spatial dimensions",
    "C3. x and grid have the same element type"
  ];
  let arguments = (ins Pd_FloatTensor:$x, Pd_FloatTensor:$grid, Pd_DefaultEnum<Pd_GridSampleModeAttr, "Bilinear">:$mode,
    Pd_DefaultEnum<Pd_GridSamplePaddingAttr, "Zeros">:$padding_mode,
    DefaultValuedAttr<BoolAttr, "true">:$align_corners);
  let results = (outs Pd_FloatTensor:$out);
  // Positions need more than 16 bits.
  let precision = "always full";
  let infer = "inferGridSample";
  let decomposesInCode = 1;
  let legacy = [Legacy<"grid_sampler", ["X", "Grid"], ["Output"], ["mode", "padding_mode", "align_corners"]>];
}

def Pd_AffineGridOp : Pd_Op<"affine_grid"> {
  let onnx = [OnnxReadOnly<"AffineGrid", ["theta", "size"], ["grid"], ["align_corners"]>];
  let summary = "Affine grid: the positions of the elements of an image after an affine map, for pd.grid_sample";
  let description = [{
    `out[n, h, w] = input[n] * (x_w, y_h, 1)`, where x_w and y_h run from -1 to 1 in equal steps: from end to end with
    `align_corners`, else over the centers of equal intervals. In three dimensions with (x, y, z, 1). `output_shape` is
    the shape of the image (batch, channels, spatial dims); the tensor overrides the attribute.
  }];
  let constraints = [
    "C1. input is [N, 2, 3] or [N, 3, 4]",
    "C2. output_shape has one entry for each dimension of the image"
  ];
  let arguments = (ins Pd_FloatTensor:$input, Optional<Pd_IntTensor>:$output_shape_tensor,
    DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$output_shape, DefaultValuedAttr<BoolAttr, "true">:$align_corners);
  let results = (outs Pd_FloatTensor:$output);
  // Positions need more than 16 bits.
  let precision = "always full";
  let infer = "inferAffineGrid";
  let decomposesInCode = 1;
  let onnx = [OnnxReadOnly<"AffineGrid", ["theta", "size"], ["grid"], ["align_corners"]>];
  let legacy = [Legacy<"affine_grid", ["Theta", "OutputShape|@output_shape"], ["Output"], ["output_shape",
    "align_corners"]>];
}

def : OnnxFormula<"GridSample", "importGridSample">;
def : OnnxFormula<"GridSample", "importGridSample", 1, 0, "com.microsoft">;

#endif
