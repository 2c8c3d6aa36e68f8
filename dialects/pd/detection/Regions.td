// Pooling of regions.
#ifndef PROA_DIALECTS_PD_DETECTION_REGIONS
#define PROA_DIALECTS_PD_DETECTION_REGIONS

include "dialects/pd/Base.td"

class Pd_RoiOp<string mnemonic, dag attributes, dag outputs> : Pd_Op<mnemonic> {
  let arguments = !con((ins Pd_FloatTensor:$x, Pd_FloatTensor:$boxes, Optional<Pd_IntTensor>:$boxes_num,
    DefaultValuedAttr<I64Attr, "1">:$pooled_height, DefaultValuedAttr<I64Attr, "1">:$pooled_width,
    DefaultValuedAttr<F64Attr, "1.0">:$spatial_scale), attributes);
  let results = outputs;
  let library = mnemonic;
}

defvar roiConstraints = [{

    Constraints:
      C1. x has rank 4 and boxes the dimensions [R, 4]
      C2. x and boxes have one element type
      C3. pooled_height and pooled_width are positive
}];

def Pd_RoiAlignOp : Pd_RoiOp<"roi_align", (ins DefaultValuedAttr<I64Attr, "-1">:$sampling_ratio,
    DefaultValuedAttr<BoolAttr, "false">:$aligned), (outs Pd_FloatTensor:$out)> {
  let summary = "Means of samples in the cells of regions";
  let description = [{
    Each box, times spatial_scale and with `aligned` moved by -0.5, is cut into pooled_height x pooled_width cells; a cell's
    result is the mean over sampling_ratio x sampling_ratio points in it (-1: ceil(box extent / pooled extent)) of x,
    interpolated between elements. `boxes_num` says how many of the boxes belong to each image.
  }] # roiConstraints;
  let infer = "inferRoiAlign";
  let legacy = [Legacy<"roi_align", ["X", "ROIs", "RoisNum"], ["Out"], ["pooled_height", "pooled_width", "spatial_scale",
    "sampling_ratio", "aligned"], [], "importRoi">];
  let vjpInCode = 1;
  let lod = "none";
}

def Pd_RoiPoolOp : Pd_RoiOp<"roi_pool", (ins), (outs Pd_FloatTensor:$out, Pd_IntTensor:$arg_max)> {
  let summary = "Maxima in the cells of regions";
  let description = [{
    Each box, times spatial_scale and rounded to whole elements, is cut into pooled_height x pooled_width cells; a cell's
    result is the greatest element of x in it, `arg_max` its place in the plane (-1 for an empty cell, whose result is 0).
    `boxes_num` says how many of the boxes belong to each image.
  }] # roiConstraints;
  let infer = "inferRoiPool";
  let legacy = [Legacy<"roi_pool", ["X", "ROIs", "RoisNum"], ["Out", "Argmax"], ["pooled_height", "pooled_width",
    "spatial_scale"], [], "importRoi">];
  let vjpInCode = 1;
  let lod = "none";
}

def Pd_PsroiPoolOp : Pd_RoiOp<"psroi_pool", (ins DefaultValuedAttr<I64Attr, "1">:$output_channels), (outs Pd_FloatTensor:$out)> {
  let summary = "Means of the cells of regions, each cell and output channel of a channel of x of its own";
  let description = [{
    Each box, its corners rounded (right and bottom plus 1) and times spatial_scale, is cut into pooled_height x pooled_width cells;
    cell (i, j) of output channel c is the mean over its elements of channel (c * pooled_height + i) * pooled_width + j of x, 0 where it has
    none. `boxes_num` says how many of the boxes belong to each image.
  }] # roiConstraints;
  let infer = "inferPsroiPool";
  let vjpInCode = 1;
  let lod = "none";
  let legacy = [Legacy<"psroi_pool", ["X", "ROIs", "RoisNum"], ["Out"], ["pooled_height", "pooled_width", "spatial_scale",
    "output_channels"], [], "importRoi">];
}

class Pd_RoiGradOp<string mnemonic, dag operands, dag attributes> : Pd_Op<mnemonic> {
  let summary = "The gradient of x of a region pooling, from that of its result";
  let arguments = !con((ins Pd_FloatTensor:$x, Pd_FloatTensor:$boxes, Pd_FloatTensor:$out_grad), operands,
    (ins Optional<Pd_IntTensor>:$boxes_num, I64Attr:$pooled_height, I64Attr:$pooled_width, F64Attr:$spatial_scale), attributes);
  let results = (outs Pd_FloatTensor:$x_grad);
  let infer = "inferSameAsFirst";
  let library = mnemonic;
  let vjpInCode = 1;
}

def Pd_RoiAlignGradOp : Pd_RoiGradOp<"roi_align_grad", (ins), (ins I64Attr:$sampling_ratio, BoolAttr:$aligned)>;
def Pd_PsroiPoolGradOp : Pd_RoiGradOp<"psroi_pool_grad", (ins), (ins I64Attr:$output_channels)>;
def Pd_RoiPoolGradOp : Pd_RoiGradOp<"roi_pool_grad", (ins Pd_IntTensor:$arg_max), (ins)>;

#endif
