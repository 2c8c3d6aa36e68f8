// Non-maximum suppression.
#ifndef PROA_DIALECTS_PD_DETECTION_NMS
#define PROA_DIALECTS_PD_DETECTION_NMS

include "dialects/pd/ir/Base.td"
include "dialects/pd/ops/detection/Detection.td"

defvar nmsConstraints = [
  "C1. bboxes has the dimensions [N, M, 4 or more] and scores [N, classes, M]; with rois_num [M, classes, 4 or more] "
    "and "
    "[M, classes]",
  "C2. both have the same element type"
];

def Pd_MulticlassNms3Op : Pd_Op<"multiclass_nms3"> {
  let onnx = [OnnxWritten<"exportMulticlassNms3", "isMulticlassNmsInOnnx(op)">];
  let sharding = "whole: the dims of its results depend on data";
  let summary = "Non-maximum suppression by class";
  let description = [{
    For each image and each class except `background_label`: of the boxes with a score above `score_threshold`, the
    best `nms_top_k` (-1: all) are visited in descending order. A box is selected unless its overlap (intersection
    over union) with a selected one is above `nms_threshold`, which is multiplied by `nms_eta` after each selection
    while it is above 0.5. A class ends with its first `class_keep_top_k` selected boxes (-1: all). Over all classes the
    best `keep_top_k` are kept. Without `normalized` a box of equal corners has size 1.

    `out` has label, score and box for all images, by class; `index` the index of each box among all boxes of the
    batch, and `nms_rois_num` the number of boxes of each image. With `rois_num` the boxes of all images are one list,
    with `rois_num` boxes for each image. With `marks_none`, an empty result is one element, -1, of one image.
  }];
  let constraints = nmsConstraints;
  let arguments = (ins Pd_FloatTensor:$bboxes, Pd_FloatTensor:$scores, Optional<Pd_IntTensor>:$rois_num,
    F64Attr:$score_threshold, I64Attr:$nms_top_k, I64Attr:$keep_top_k, Number<"0.3">:$nms_threshold,
    Flag<"true">:$normalized, Number<"1.0">:$nms_eta, Count<"0">:$background_label, Flag<"false">:$marks_none,
    Count<"-1">:$class_keep_top_k);
  let results = (outs Pd_FloatTensor:$out, Pd_IntTensor:$index, Pd_IntTensor:$nms_rois_num);
  let infer = "inferMulticlassNms";
  let decomposesInCode = 1;
  let library = "multiclass_nms3";
  let legacy = [Legacy<"multiclass_nms3", ["BBoxes", "Scores", "RoisNum"], ["Out", "Index", "NmsRoisNum"],
    ["score_threshold", "nms_top_k", "keep_top_k", "nms_threshold", "normalized", "nms_eta", "background_label"],
      writtenIf_="static_cast<int64_t>(op.getClassKeepTopK()) < 0 && !op.getMarksNone()">,
    Legacy<"multiclass_nms2", ["BBoxes", "Scores"], ["Out", "Index"], [], ["score_threshold=hook", "nms_top_k=hook",
      "keep_top_k=hook",
      "nms_threshold=hook", "normalized=hook", "nms_eta=hook", "background_label=hook"], "importMulticlassNms">,
    Legacy<"multiclass_nms", ["BBoxes", "Scores"], ["Out"], [], ["score_threshold=hook", "nms_top_k=hook",
      "keep_top_k=hook",
      "nms_threshold=hook", "normalized=hook", "nms_eta=hook", "background_label=hook"], "importMulticlassNms">];
  let lod = "none";
  let referenceInCode = 1;
  let differentiable = 0;
  let batching = "refused";
}

def Pd_MatrixNmsOp : Pd_Op<"matrix_nms"> {
  let onnx = [OnnxWritten<"exportMatrixNms", "isMatrixNmsInOnnx(op)">];
  let sharding = "whole: the dims of its results depend on data";
  let summary = "Matrix NMS: boxes with scores decayed by their overlaps with better ones";
  let description = [{
    For each image and each class except `background_label`, of the `nms_top_k` best boxes with a score above
    `score_threshold`: each score is multiplied by the minimum, over the better boxes j, of (1 - iou) / (1 - the
    largest overlap of j with a better one), or with `use_gaussian` of exp((largest^2 - iou^2) * gaussian_sigma).
    Boxes with a decayed score above `post_threshold` are kept, the best `keep_top_k` of an image.
  }];
  let constraints = nmsConstraints;
  let arguments = (ins Pd_FloatTensor:$bboxes, Pd_FloatTensor:$scores, F64Attr:$score_threshold, I64Attr:$nms_top_k,
    I64Attr:$keep_top_k, Number<"0.0">:$post_threshold, Flag<"false">:$use_gaussian, Number<"2.0">:$gaussian_sigma,
    Count<"0">:$background_label, Flag<"true">:$normalized);
  let results = (outs Pd_FloatTensor:$out, Pd_IntTensor:$index, Pd_IntTensor:$roisnum);
  let infer = "inferMatrixNms";
  let library = "matrix_nms";
  let legacy = [Legacy<"matrix_nms", ["BBoxes", "Scores"], ["Out", "Index", "RoisNum"], ["score_threshold", "nms_top_k",
    "keep_top_k", "post_threshold", "use_gaussian", "gaussian_sigma", "background_label", "normalized"]>];
  let referenceInCode = 1;
  let differentiable = 0;
  let batching = "refused";
}

def Pd_NmsOp : Pd_DetectionOp<"nms"> {
  let onnx = [OnnxWritten<"exportNms">];
  let sharding = "whole: the dims of its results depend on data";
  let summary = "Non-maximum suppression: the indices of boxes whose overlap with all earlier selected boxes is at "
    "most the threshold";
  let constraints = ["C1. x is [boxes, 4]"];
  let arguments = (ins Pd_FloatTensor:$x, Number<"1.0">:$threshold);
  let results = (outs Pd_IntTensor:$out);
  let infer = "inferNms";
  let decomposesInCode = 1;
  let legacy = [Legacy<"nms", ["Boxes"], ["KeepBoxesIdxs"], ["threshold=iou_threshold"]>];
  let referenceInCode = 1;
  let batching = "refused";
}

def Pd_LocalityAwareNmsOp : Pd_DetectionOp<"locality_aware_nms"> {
  let sharding = "whole: the dims of its results depend on data";
  let summary = "Locality-aware NMS: adjacent boxes are merged, then selected by class as in pd.multiclass_nms3";
  let description = [{
    Class by class, in order: a box that overlaps the last one by more than `nms_threshold` is merged into it (corners
    weighted by the scores, scores added). The merged boxes of one class are the boxes of the next one. Of the result,
    boxes with a score above `score_threshold` are selected as by pd.multiclass_nms3. `offsets` are the offsets of the
    images; an empty result is one element, -1, of one sequence.
  }];
  let constraints = ["C1. bboxes is [N, M, 4] and scores [N, classes, M], with the same element type"];
  let arguments = (ins Pd_FloatTensor:$bboxes, Pd_FloatTensor:$scores, F64Attr:$score_threshold, I64Attr:$nms_top_k,
    I64Attr:$keep_top_k, Number<"0.3">:$nms_threshold, DefaultValuedAttr<BoolAttr, "true">:$normalized,
      Number<"1.0">:$nms_eta,
    Count<"-1">:$background_label);
  let results = (outs Pd_FloatTensor:$out, Pd_IntTensor:$offsets);
  let infer = "inferLocalityAwareNms";
  let decomposesInCode = 1;
  let legacy = [Legacy<"locality_aware_nms", ["BBoxes", "Scores"], ["Out", "Out@LOD"], ["score_threshold", "nms_top_k",
    "keep_top_k", "nms_threshold", "normalized", "nms_eta", "background_label"]>];
  let referenceInCode = 1;
  let differentiable = 0;
  let batching = "refused";
}

def Pd_RetinanetDetectionOutputOp : Pd_DetectionOp<"retinanet_detection_output", [AttrSizedOperandSegments]> {
  let sharding = "whole: the dims of its results depend on data";
  let summary = "Output of a RetinaNet detector: the boxes of all levels, decoded and selected by class";
  let description = [{
    Of each level the `nms_top_k` best pairs of a box and a class with a score above `score_threshold` (for the last
    level: 0) are decoded from the anchors of the level (center offsets in units of the anchor size, logarithms of
    sizes), divided by the scale of the image, and clamped to the image; corners are pixels. Boxes of a class are
    selected as in pd.multiclass_nms3, and the best `keep_top_k` are kept. Rows have label + 1, score and box, the
    best first; `offsets` are the offsets of the images.
  }];
  let constraints = [
    "C1. there is one scores, [N, M, classes], and one anchors, [M, 4], for each of bboxes, [N, M, 4]"
  ];
  let arguments = (ins Variadic<Pd_FloatTensor>:$bboxes, Variadic<Pd_FloatTensor>:$scores,
    Variadic<Pd_FloatTensor>:$anchors, Pd_FloatTensor:$im_info, F64Attr:$score_threshold, I64Attr:$nms_top_k,
    I64Attr:$keep_top_k, F64Attr:$nms_threshold, Number<"1.0">:$nms_eta);
  let operandFormat = "`(` $bboxes `)` `(` $scores `)` `(` $anchors `)` $im_info";
  let results = (outs Pd_FloatTensor:$out, Pd_IntTensor:$offsets);
  let infer = "inferRetinanetDetectionOutput";
  let decomposesInCode = 1;
  let legacy = [Legacy<"retinanet_detection_output", ["BBoxes*", "Scores*", "Anchors*", "ImInfo"], ["Out", "Out@LOD"],
    ["score_threshold", "nms_top_k", "keep_top_k", "nms_threshold", "nms_eta"]>];
  let referenceInCode = 1;
  let differentiable = 0;
  let batching = "refused";
}

def : OnnxFormula<"NonMaxSuppression", "importNonMaxSuppression">;

#endif
