// Pooling of regions of interest.
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
  "C1. x has rank 4, and boxes is [R, 4]",
  "C2. x and boxes have the same element type",
  "C3. pooled_height and pooled_width are positive"
];

def Pd_RoiAlignOp : Pd_RoiOp<"roi_align", (ins DefaultValuedAttr<I64Attr, "-1">:$sampling_ratio,
    DefaultValuedAttr<BoolAttr, "false">:$aligned), (outs Pd_FloatTensor:$out)> {
  let onnx = [OnnxWritten<"exportRoiAlign">];
  let sharding = "* c * *, * *, * -> * c * *";
  let summary = "RoI align: means of samples in the cells of regions";
  let description = [{
    Each box, times spatial_scale and with `aligned` shifted by -0.5, is divided into pooled_height x pooled_width
    cells. The result of a cell is the mean of x, interpolated, over sampling_ratio x sampling_ratio points in it (-1:
    ceil(box size / pooled size)). `boxes_num` has the number of boxes of each image.
  }];
  let constraints = roiConstraints;
  let infer = "inferRoiAlign";
  let decomposesInCode = 1;
  let legacy = [Legacy<"roi_align", ["X", "ROIs", "RoisNum"], ["Out"], ["pooled_height", "pooled_width",
    "spatial_scale", "sampling_ratio", "aligned"], [], "importRoi">];
  let vjpInCode = 1;
  let lod = "none";
  let newIrGradients = ["roi_align_grad(x, boxes, boxes_num) -> x"];
  let batching = "inCode";
  let referenceInCode = 1;
}

def Pd_RoiPoolOp : Pd_RoiOp<"roi_pool", (ins), (outs Pd_FloatTensor:$out, Pd_IntTensor:$arg_max)> {
  let onnx = [OnnxWritten<"exportRoiPool", "isRoiPoolInOnnx(op)">];
  let sharding = "* c * *, * *, * -> * c * *, * c * *";
  let summary = "RoI pooling: maxima of the cells of regions";
  let description = [{
    Each box, times spatial_scale and rounded, is divided into pooled_height x pooled_width cells. The result of a
    cell is the largest element of x in it, and `arg_max` its index in the plane (an empty cell: 0 and -1).
    `boxes_num` has the number of boxes of each image.
  }];
  let constraints = roiConstraints;
  let infer = "inferRoiPool";
  let decomposesInCode = 1;
  let legacy = [Legacy<"roi_pool", ["X", "ROIs", "RoisNum"], ["Out", "Argmax"], ["pooled_height", "pooled_width",
    "spatial_scale"], [], "importRoi">];
  let vjpInCode = 1;
  let lod = "none";
  let newIrGradients = ["roi_pool_grad(x, boxes, boxes_num, arg_max) -> x"];
  let batching = "inCode";
  let referenceInCode = 1;
}

def Pd_PsroiPoolOp : Pd_RoiOp<"psroi_pool", (ins DefaultValuedAttr<I64Attr, "1">:$output_channels),
  (outs Pd_FloatTensor:$out)> {
  let sharding = "whole: output_channels and the channels of x are split together, but one is an attribute";
  let summary = "Position-sensitive RoI pooling: means of the cells of regions, with a channel of x for each cell "
    "and output channel";
  let description = [{
    Each box, with corners rounded (right and bottom plus 1) and times spatial_scale, is divided into pooled_height x
    pooled_width cells. Cell (i, j) of output channel c is the mean over its elements of channel (c * pooled_height +
    i) * pooled_width + j of x, and 0 for an empty cell. `boxes_num` has the number of boxes of each image.
  }];
  let constraints = !listconcat(roiConstraints,
    ["C4. output_channels is positive, and x has one channel for each cell of each output channel"]);
  let infer = "inferPsroiPool";
  let decomposesInCode = 1;
  let vjpInCode = 1;
  let lod = "none";
  let legacy = [Legacy<"psroi_pool", ["X", "ROIs", "RoisNum"], ["Out"], ["pooled_height", "pooled_width",
    "spatial_scale", "output_channels"], [], "importRoi">];
  let newIrGradients = ["psroi_pool_grad(x, boxes, boxes_num) -> x"];
  let batching = "inCode";
  let referenceInCode = 1;
}

class Pd_RoiGradOp<string mnemonic, dag operands, dag attributes> : Pd_Op<mnemonic> {
  let summary = "The gradient of x of a region pooling, from the gradient of its result";
  let arguments = !con((ins Pd_FloatTensor:$x, Pd_FloatTensor:$boxes, Pd_FloatTensor:$out_grad), operands,
    (ins Optional<Pd_IntTensor>:$boxes_num, I64Attr:$pooled_height, I64Attr:$pooled_width, F64Attr:$spatial_scale),
      attributes);
  let results = (outs Pd_FloatTensor:$x_grad);
  let constraints = !listconcat(roiConstraints,
    ["C5. out_grad has the type of the pooling's result, and arg_max its dimensions"]);
  let infer = "inferRoiGrad";
  let decomposesInCode = 1;
  let library = mnemonic;
  let vjpInCode = 1;
  let batching = "inCode";
  let referenceInCode = 1;
}

def Pd_RoiAlignGradOp : Pd_RoiGradOp<"roi_align_grad", (ins), (ins I64Attr:$sampling_ratio, BoolAttr:$aligned)> {
  let sharding = "* c * *, * *, * c * *, * -> * c * *";
}
def Pd_PsroiPoolGradOp : Pd_RoiGradOp<"psroi_pool_grad", (ins), (ins I64Attr:$output_channels)> {
  let sharding = "whole: output_channels and the channels of x are split together, but one is an attribute";
}
def Pd_RoiPoolGradOp : Pd_RoiGradOp<"roi_pool_grad", (ins Pd_IntTensor:$arg_max), (ins)> {
  let sharding = "* c * *, * *, * c * *, * c * *, * -> * c * *";
}

defvar movedCellAttributes = (ins DefaultValuedAttr<BoolAttr, "false">:$no_trans, DefaultValuedAttr<F64Attr,
  "1.0">:$spatial_scale,
  I64Attr:$output_dim, DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$group_size, DefaultValuedAttr<I64Attr,
    "1">:$pooled_height,
  DefaultValuedAttr<I64Attr, "1">:$pooled_width, DenseI64ArrayAttr:$part_size, DefaultValuedAttr<I64Attr,
    "1">:$sample_per_part,
  DefaultValuedAttr<F64Attr, "0.1">:$trans_std);

def Pd_DeformablePsroiPoolingOp : Pd_Op<"deformable_psroi_pooling", [Pd_GradientByKernel]> {
  let summary = "Deformable position-sensitive RoI pooling: means of samples in shifted cells, with a channel of x "
    "for each cell";
  let description = [{
    Each box (corners rounded, right and bottom plus 1, times spatial_scale, minus 0.5) is divided into pooled_height
    x pooled_width cells. Cell (i, j) of output channel c is shifted by trans_std times the size of the box times
    trans [R, 2 * classes, part_size]: the class is c / (output_dim / classes), the bin is the one that contains the
    cell, and each class has first the shift to the right, then down (no_trans: no shift). The result is the mean over
    sample_per_part x sample_per_part points from the corner of the cell on, interpolated, of channel (c * group
    height + group row) * group width + group column of x, for the group of group_size that contains the cell. Points
    more than half an element outside of x are not counted; `top_count` is the number of counted points.
  }];
  let constraints = [
    "C1. x has rank 4, boxes is [R, 4], and trans has rank 4",
    "C2. output_dim, sample_per_part, the pooled sizes and the pairs group_size and part_size are positive"
  ];
  let arguments = !con((ins Pd_FloatTensor:$x, Pd_FloatTensor:$boxes, Pd_FloatTensor:$trans,
    Optional<Pd_IntTensor>:$boxes_num), movedCellAttributes);
  let results = (outs Pd_FloatTensor:$out, Pd_FloatTensor:$top_count);
  let infer = "inferDeformablePsroiPooling";
  let library = "deformable_psroi_pooling";
  let decomposesInCode = 1;
  let vjpInCode = 1;
  let lod = "none";
  let legacy = [Legacy<"deformable_psroi_pooling", ["Input", "ROIs", "Trans", "RoisNum"], ["Output", "TopCount"],
    ["no_trans", "spatial_scale", "output_dim", "group_size", "pooled_height", "pooled_width", "part_size",
    "sample_per_part", "trans_std"], [],
      "importRoi">];
  let batching = "inCode";
  let referenceInCode = 1;
}

def Pd_DeformablePsroiPoolingGradOp : Pd_Op<"deformable_psroi_pooling_grad"> {
  let summary = "The gradients of x and trans of deformable_psroi_pooling, from the gradient of its result";
  let arguments = !con((ins Pd_FloatTensor:$x, Pd_FloatTensor:$boxes, Pd_FloatTensor:$trans, Pd_FloatTensor:$out_grad,
    Optional<Pd_IntTensor>:$boxes_num), movedCellAttributes);
  let results = (outs Pd_FloatTensor:$x_grad, Pd_FloatTensor:$trans_grad);
  let infer = "inferDeformablePsroiPoolingGrad";
  let library = "deformable_psroi_pooling_grad";
  let decomposesInCode = 1;
  let referenceInCode = 1;
}

def : OnnxFormula<"RoiAlign", "importRoiAlign">;
def : OnnxFormula<"MaxRoiPool", "importMaxRoiPool">;
def : OnnxFormula<"CropAndResize", "importCropAndResize", 1, 0, "com.microsoft">;

#endif
