// Pooling of regions.
#ifndef PROA_DIALECTS_PD_DETECTION_REGIONS
#define PROA_DIALECTS_PD_DETECTION_REGIONS

include "dialects/pd/ir/Base.td"
include "dialects/pd/autodiff/GradientByKernel.td"

class Pd_RoiOp<string mnemonic, dag attributes, dag outputs> : Pd_Op<mnemonic> {
  let arguments = !con((ins Pd_FloatTensor:$x, Pd_FloatTensor:$boxes, Optional<Pd_IntTensor>:$boxes_num,
    DefaultValuedAttr<I64Attr, "1">:$pooled_height, DefaultValuedAttr<I64Attr, "1">:$pooled_width,
    DefaultValuedAttr<F64Attr, "1.0">:$spatial_scale), attributes);
  let results = outputs;
  let library = mnemonic;
}

defvar roiConstraints = [
  "C1. x has rank 4 and boxes the dimensions [R, 4]",
  "C2. x and boxes have one element type",
  "C3. pooled_height and pooled_width are positive"
];

def Pd_RoiAlignOp : Pd_RoiOp<"roi_align", (ins DefaultValuedAttr<I64Attr, "-1">:$sampling_ratio,
    DefaultValuedAttr<BoolAttr, "false">:$aligned), (outs Pd_FloatTensor:$out)> {
  let summary = "Means of samples in the cells of regions";
  let description = [{
    Each box, times spatial_scale and with `aligned` moved by -0.5, is cut into pooled_height x pooled_width cells; a cell's
    result is the mean over sampling_ratio x sampling_ratio points in it (-1: ceil(box extent / pooled extent)) of x,
    interpolated between elements. `boxes_num` says how many of the boxes belong to each image.
  }];
  let constraints = roiConstraints;
  let infer = "inferRoiAlign";
  let legacy = [Legacy<"roi_align", ["X", "ROIs", "RoisNum"], ["Out"], ["pooled_height", "pooled_width", "spatial_scale",
    "sampling_ratio", "aligned"], [], "importRoi">];
  let vjpInCode = 1;
  let lod = "none";
  let newIrGradients = ["roi_align_grad(x, boxes, boxes_num) -> x"];
  let batching = "inCode";
  let referenceInCode = 1;
}

def Pd_RoiPoolOp : Pd_RoiOp<"roi_pool", (ins), (outs Pd_FloatTensor:$out, Pd_IntTensor:$arg_max)> {
  let summary = "Maxima in the cells of regions";
  let description = [{
    Each box, times spatial_scale and rounded to whole elements, is cut into pooled_height x pooled_width cells; a cell's
    result is the greatest element of x in it, `arg_max` its place in the plane (-1 for an empty cell, whose result is 0).
    `boxes_num` says how many of the boxes belong to each image.
  }];
  let constraints = roiConstraints;
  let infer = "inferRoiPool";
  let legacy = [Legacy<"roi_pool", ["X", "ROIs", "RoisNum"], ["Out", "Argmax"], ["pooled_height", "pooled_width",
    "spatial_scale"], [], "importRoi">];
  let vjpInCode = 1;
  let lod = "none";
  let newIrGradients = ["roi_pool_grad(x, boxes, boxes_num, arg_max) -> x"];
  let batching = "inCode";
  let referenceInCode = 1;
}

def Pd_PsroiPoolOp : Pd_RoiOp<"psroi_pool", (ins DefaultValuedAttr<I64Attr, "1">:$output_channels), (outs Pd_FloatTensor:$out)> {
  let summary = "Means of the cells of regions, each cell and output channel of a channel of x of its own";
  let description = [{
    Each box, its corners rounded (right and bottom plus 1) and times spatial_scale, is cut into pooled_height x pooled_width cells;
    cell (i, j) of output channel c is the mean over its elements of channel (c * pooled_height + i) * pooled_width + j of x, 0 where it has
    none. `boxes_num` says how many of the boxes belong to each image.
  }];
  let constraints = !listconcat(roiConstraints,
    ["C4. output_channels is positive, and x has a channel for each cell of each of them"]);
  let infer = "inferPsroiPool";
  let vjpInCode = 1;
  let lod = "none";
  let legacy = [Legacy<"psroi_pool", ["X", "ROIs", "RoisNum"], ["Out"], ["pooled_height", "pooled_width", "spatial_scale",
    "output_channels"], [], "importRoi">];
  let newIrGradients = ["psroi_pool_grad(x, boxes, boxes_num) -> x"];
  let batching = "inCode";
  let referenceInCode = 1;
}

class Pd_RoiGradOp<string mnemonic, dag operands, dag attributes> : Pd_Op<mnemonic> {
  let summary = "The gradient of x of a region pooling, from that of its result";
  let arguments = !con((ins Pd_FloatTensor:$x, Pd_FloatTensor:$boxes, Pd_FloatTensor:$out_grad), operands,
    (ins Optional<Pd_IntTensor>:$boxes_num, I64Attr:$pooled_height, I64Attr:$pooled_width, F64Attr:$spatial_scale), attributes);
  let results = (outs Pd_FloatTensor:$x_grad);
  let constraints = !listconcat(roiConstraints, ["C5. out_grad has the type of the pooling's result, and arg_max its dimensions"]);
  let infer = "inferRoiGrad";
  let library = mnemonic;
  let vjpInCode = 1;
  let batching = "inCode";
  let referenceInCode = 1;
}

def Pd_RoiAlignGradOp : Pd_RoiGradOp<"roi_align_grad", (ins), (ins I64Attr:$sampling_ratio, BoolAttr:$aligned)>;
def Pd_PsroiPoolGradOp : Pd_RoiGradOp<"psroi_pool_grad", (ins), (ins I64Attr:$output_channels)>;
def Pd_RoiPoolGradOp : Pd_RoiGradOp<"roi_pool_grad", (ins Pd_IntTensor:$arg_max), (ins)>;

defvar movedCellAttributes = (ins DefaultValuedAttr<BoolAttr, "false">:$no_trans, DefaultValuedAttr<F64Attr, "1.0">:$spatial_scale,
  I64Attr:$output_dim, DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$group_size, DefaultValuedAttr<I64Attr, "1">:$pooled_height,
  DefaultValuedAttr<I64Attr, "1">:$pooled_width, DenseI64ArrayAttr:$part_size, DefaultValuedAttr<I64Attr, "1">:$sample_per_part,
  DefaultValuedAttr<F64Attr, "0.1">:$trans_std);

def Pd_DeformablePsroiPoolingOp : Pd_Op<"deformable_psroi_pooling", [Pd_GradientByKernel]> {
  let summary = "Means of samples in the cells of regions, each cell moved, and read from a channel of its own";
  let description = [{
    Each box, its corners rounded (right and bottom plus 1), times spatial_scale and minus 0.5, is cut into pooled_height x
    pooled_width cells. Cell (i, j) of output channel c is moved by trans_std times the box's extents times trans [R, 2 * classes, part_size]:
    the class is c / (output_dim / classes), the part the one that the cell lies in, and each class has first how far right, then how far down
    (no_trans: not at all). Its result is the mean over the sample_per_part x sample_per_part points from the cell's corner on, interpolated
    between elements, of channel (c * group height + group row) * group width + group column of x, the group being that in group_size
    which the cell lies in. Points more than half an element outside of x do not count; `top_count` says how many do.
  }];
  let constraints = [
    "C1. x has rank 4, boxes is [R, 4], and trans has rank 4",
    "C2. output_dim, sample_per_part, the pooled extents and the pairs group_size and part_size are positive"
  ];
  let arguments = !con((ins Pd_FloatTensor:$x, Pd_FloatTensor:$boxes, Pd_FloatTensor:$trans, Optional<Pd_IntTensor>:$boxes_num),
    movedCellAttributes);
  let results = (outs Pd_FloatTensor:$out, Pd_FloatTensor:$top_count);
  let infer = "inferDeformablePsroiPooling";
  let library = "deformable_psroi_pooling";
  let decomposesInCode = 1;
  let vjpInCode = 1;
  let lod = "none";
  let legacy = [Legacy<"deformable_psroi_pooling", ["Input", "ROIs", "Trans", "RoisNum"], ["Output", "TopCount"], ["no_trans", "spatial_scale",
    "output_dim", "group_size", "pooled_height", "pooled_width", "part_size", "sample_per_part", "trans_std"], [], "importRoi">];
  let batching = "inCode";
  let referenceInCode = 1;
}

def Pd_DeformablePsroiPoolingGradOp : Pd_Op<"deformable_psroi_pooling_grad"> {
  let summary = "The gradients of x and trans of deformable_psroi_pooling, from that of its result";
  let arguments = !con((ins Pd_FloatTensor:$x, Pd_FloatTensor:$boxes, Pd_FloatTensor:$trans, Pd_FloatTensor:$out_grad,
    Optional<Pd_IntTensor>:$boxes_num), movedCellAttributes);
  let results = (outs Pd_FloatTensor:$x_grad, Pd_FloatTensor:$trans_grad);
  let infer = "inferDeformablePsroiPoolingGrad";
  let library = "deformable_psroi_pooling_grad";
  let decomposesInCode = 1;
  let referenceInCode = 1;
}

#endif
